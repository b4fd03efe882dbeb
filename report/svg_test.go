package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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
	if err := FigureSVG(&bytes.Buffer{}, lab.Figure{}); err != nil {
		t.Error(err)
	}
}
