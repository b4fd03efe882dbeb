package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"longhaul/lab"
)

// satellite is a reproduction with everything that one can have: a table across, one without references, one of several
// units, notes, and a claim of each verdict.
func satellite() lab.Reproduction {
	at := func(window string, ber float64) lab.Coordinates {
		return lab.Coordinates{{Key: "window", Value: window}, {Key: "ber", Value: ber}}
	}
	fig1 := lab.Table{ID: "fig1", Title: "Big windows, without NAK", Across: "ber", Rows: []lab.Row{
		lab.NewRow(at("64K", 0), new(94e3), []float64{93.4e3}, "B/s"),
		lab.NewRow(at("64K", 1e-7), new(53e3), []float64{50e3, 51e3, 55e3}, "B/s"),
		lab.NewRow(at("156K", 0), new(167e3), []float64{168.2e3}, "B/s"),
		lab.NewRow(at("156K", 1e-7), nil, []float64{52e3, 54e3, 47e3}, "B/s"),
	}}
	fig1.Rows[3].Note = "the source has no figure here, and the one of a neighbouring window is what it says of all windows alike."
	other := lab.Table{ID: "stacks", Title: "Stacks | today", Rows: []lab.Row{
		{Case: lab.Coordinates{{Key: "stack", Value: "reno*16"}, {Key: "mss", Value: 1460}}, Measured: 12345, Unit: "segments"},
		{Case: lab.Coordinates{{Key: "stack", Value: "cubic"}}, Measured: 0.0702, Unit: "s"},
	}}
	return lab.Reproduction{
		Experiment: "satellite", Title: "Windows over a satellite", Source: "RFC 0000, s.1", Seed: 7, Quick: true,
		Question: "Does a NAK keep a window open on a path with errors, and what would a network that takes every loss for congestion lose by it?",
		Setup:    []string{"1.544 Mbit/s, 580 ms.", "Ten runs of 10 MB."},
		Tables:   []lab.Table{fig1, other},
		Claims: []lab.Claim{
			{ID: "R1", Text: "Without errors NAK costs nothing.", Verdict: lab.Reproduced, Measured: "0.3 % < 5 %."},
			{ID: "R25-ii", Text: "At 1e-7 NAK is 1.57 to 3.56 times as fast.", Verdict: lab.NotReproduced, Measured: "1.2 to 3.1 times.",
				Reason: "A window of 64K does not fill the path, so that there is less to lose than the source has measured on its own link."},
			{ID: "R3", Text: "It is cheap.", Verdict: lab.NotComparable, Measured: "nothing.", Reason: "The source does not say what it cost."},
		},
		Notes: []string{"reno*16 is not of the source."},
	}
}

// both are two reproductions, the second without anything.
func both() []lab.Reproduction {
	return []lab.Reproduction{satellite(), {Experiment: "empty", Title: "Nothing", Source: "-", Question: "What?", Seed: 1}}
}

// markdown writes list as if a command line had asked for it.
func markdown(w io.Writer, list []lab.Reproduction) error {
	return ReproductionMarkdown(w, list, "longhaul reproduce satellite")
}

func TestReproductionGolden(t *testing.T) {
	for ext, write := range map[string]func(io.Writer, []lab.Reproduction) error{
		"txt": ReproductionText, "csv": ReproductionCSV, "json": ReproductionsJSON, "md": markdown,
	} {
		golden(t, "satellite."+ext, func(w io.Writer) error { return write(w, both()) })
		if err := write(broken{}, both()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s to a broken pipe: %v", ext, err)
		}
	}
}

// TestReproductionJSONKeys checks the keys that DESIGN.md promises (R103).
func TestReproductionJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := ReproductionJSON(&b, satellite()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Experiment string
		Tables     []struct {
			ID   string
			Rows []map[string]any
		}
		Claims []map[string]string
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Experiment != "satellite" || doc.Tables[0].ID != "fig1" {
		t.Fatalf("decoded %+v, %v", doc, err)
	}
	row := map[string]any{"case": map[string]any{"window": "64K", "ber": 1e-7}, "reference": 53e3, "measured": 52e3, "ci95": doc.Tables[0].Rows[1]["ci95"], "unit": "B/s"}
	if got := doc.Tables[0].Rows[1]; !reflect.DeepEqual(got, row) || got["ci95"] == nil {
		t.Errorf("row %v, want %v", got, row)
	}
	claim := map[string]string{"id": "R1", "text": "Without errors NAK costs nothing.", "verdict": "reproduced", "measured": "0.3 % < 5 %."}
	if !reflect.DeepEqual(doc.Claims[0], claim) || !strings.Contains(b.String(), "< 5") {
		t.Errorf("claim %v, want %v", doc.Claims[0], claim)
	}
}

func TestReproductionCSVShape(t *testing.T) {
	var b bytes.Buffer
	if err := ReproductionCSV(&b, both()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d lines, %v, want 7", len(rows), err)
	}
	if got, want := rows[1], []string{"satellite", "fig1", "window=64K;ber=0", "94000", "93400", "", "B/s", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("line %q, want %q", got, want)
	}
}

// TestPivot checks the shape of the tables: which rows share a line, and what stands where nothing was measured.
func TestPivot(t *testing.T) {
	cell := func(x float64, reference *float64, at ...string) lab.Row {
		r := lab.Row{Measured: x, Reference: reference}
		for i := 0; i < len(at); i += 2 {
			r.Case = append(r.Case, lab.Coordinate{Key: at[i], Value: at[i+1]})
		}
		return r
	}
	for _, c := range []struct {
		name   string
		across string
		rows   []lab.Row
		keys   int
		want   [][]string
	}{
		{"nothing", "a", nil, 0, [][]string{nil}},
		{"no columns", "", []lab.Row{cell(1, nil, "a", "x"), cell(2, new(3.0), "a", "y")}, 1,
			[][]string{{"a", "measured", "reference"}, {"x", "1", ""}, {"y", "2", "3"}}},
		{"columns", "b", []lab.Row{cell(1, nil, "a", "x", "b", "p"), cell(2, new(3.0), "b", "q", "a", "x"), cell(4, nil, "a", "y", "b", "q")}, 1,
			[][]string{{"a", "b p", "b q", "reference"}, {"x", "1", "2", "3"}, {"y", "", "4", ""}}},
		{"a coordinate that some lack", "b", []lab.Row{cell(1, nil, "a", "x", "b", "p"), cell(2, nil, "c", "z")}, 2,
			[][]string{{"a", "c", "b p", "measured"}, {"x", "", "1", ""}, {"", "z", "", "2"}}},
		{"the same place twice", "b", []lab.Row{cell(1, nil, "a", "x", "b", "p"), cell(2, nil, "a", "x", "b", "p")}, 1,
			[][]string{{"a", "b p"}, {"x", "1"}, {"x", "2"}}},
	} {
		if g := pivot(&lab.Table{Across: c.across, Rows: c.rows}); g.keys != c.keys || !reflect.DeepEqual(g.rows, c.want) {
			t.Errorf("%s: %d keys, %q, want %d and %q", c.name, g.keys, g.rows, c.keys, c.want)
		}
	}
}

func TestFigure(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{53123, "B/s", "53.1 kB/s"}, {1.544e6, "bit/s", "1.54 Mbit/s"}, {65536, "B", "65.5 kB"}, {0.58, "s", "580 ms"}, {1.16, "s", "1.16 s"},
		{12345, "segments", "12,345 segments"}, {0.5, "timeouts", "0.5 timeouts"}, {3.5571, "", "3.56"}, {0, "s", "0 s"}, {-0.25, "s", "-250 ms"},
	} {
		if got := figure(c.x, c.unit); got != c.want {
			t.Errorf("%v in %q is %q, want %q", c.x, c.unit, got, c.want)
		}
	}
	if got := measurement(&lab.Row{Measured: -50, CI95: new(1.0)}); got != "-50 ±2.0%" {
		t.Errorf("a negative figure with an interval is %q", got)
	}
	if got := measurement(&lab.Row{CI95: new(0.0)}); got != "0" {
		t.Errorf("nothing with an interval is %q", got)
	}
}

// TestMarkdownTables checks that each line of a table has as many cells as its heading, whatever is in them.
func TestMarkdownTables(t *testing.T) {
	var b bytes.Buffer
	if err := markdown(&b, both()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "# Windows over a satellite\n\nMade by `longhaul reproduce satellite`.\n") || !strings.HasSuffix(b.String(), "?\n") {
		t.Errorf("begins or ends as no page does:\n%s", &b)
	}
	bars, tables := 0, 0
	for line := range strings.Lines(b.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n > 0 && bars == 0 {
			tables++
		} else if n > 0 && n != bars {
			t.Errorf("%d bars after a line of %d: %s", n, bars, line)
		}
		bars = n
	}
	if tables != 3 {
		t.Errorf("%d tables, want 3", tables)
	}
}

// TestWrapLabel checks that a label hangs out and that no line is too long.
func TestWrapLabel(t *testing.T) {
	const label = "±label  "
	for i, line := range strings.Split(strings.TrimSuffix(wrap(label, strings.Repeat("word ", 60)), "\n"), "\n") {
		want := label
		if i > 0 {
			want = strings.Repeat(" ", utf8.RuneCountInString(label))
		}
		if n := utf8.RuneCountInString(line); n > width || !strings.HasPrefix(line, want+"word") {
			t.Errorf("line of %d characters: %q", n, line)
		}
	}
}
