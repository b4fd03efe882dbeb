package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"longhaul/lab"
)

// TestFigureSVG: a drawing is well-formed XML with a line, a dot for each point, and every name escaped; what is drawn lies within the axes.
func TestFigureSVG(t *testing.T) {
	f := lab.Figure{ID: "x", Title: "a < b & c", X: "time (s)", Y: "<kB>", Series: []lab.Series{
		{Name: "line", Line: true, Points: []lab.Point{{X: 0, Y: 0}, {X: 1.2, Y: 37}}},
		{Name: "dots", Points: []lab.Point{{X: 0.5, Y: 10}, {X: 1, Y: 20}, {X: 1.2, Y: 37}}},
		{Name: "none"},
	}}
	var b bytes.Buffer
	if err := FigureSVG(&b, f); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	d := xml.NewDecoder(&b)
	text := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			elements[e.Name.Local]++
		case xml.CharData:
			text += string(e) + "\n"
		}
	}
	if elements["polyline"] != 1 || elements["circle"] != 5 || elements["svg"] != 1 {
		t.Errorf("elements %v", elements)
	}
	for _, want := range []string{f.Title, f.X, f.Y, "line", "dots", "none"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text", want)
		}
	}
	for _, most := range []float64{1.2, 37, 0, 1e-9, 5e6, 512} {
		s := newScale(most, 0, 100)
		if s.most < most || most > 0 && s.most > 2*most || s.step <= 0 || s.most/s.step > 7 {
			t.Errorf("scale for %v: %+v", most, s)
		}
	}
	for _, c := range []struct{ least, most, first, last, marks float64 }{
		{1e-10, 1e-4, 1e-10, 1e-4, 7}, {241, 158e6, 100, 1e9, 8}, {7, 7, 1, 10, 2}, {100, 100, 100, 1000, 2}, {0, 5, 1, 10, 2}, {1e-20, 1, 1e-20, 1, 11},
	} {
		s := newLogScale(c.least, c.most, 0, 100)
		m := s.marks()
		if float64(len(m)) != c.marks || math.Abs(m[0]/c.first-1) > 1e-9 || math.Abs(m[len(m)-1]/c.last-1) > 1e-9 || math.Abs(s.at(c.first)) > 1e-6 || math.Abs(s.at(c.last)-100) > 1e-6 {
			t.Errorf("logarithmic scale from %v to %v: %v", c.least, c.most, m)
		}
	}
	for _, f := range []lab.Figure{{}, {LogX: true, LogY: true}} {
		if err := FigureSVG(&bytes.Buffer{}, f); err != nil {
			t.Error(err)
		}
	}
}
