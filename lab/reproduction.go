package lab

import (
	"bytes"
	"encoding/json"

	"gonum.org/v1/gonum/stat"
)

// Reproduction is what came of repeating a published experiment: its tables, each cell beside the published one, and
// a verdict on each of its claims. It is plain data and marshals to the JSON document that the commands print.
type Reproduction struct {
	Experiment string   `json:"experiment"` // the name on the command line
	Title      string   `json:"title"`
	Source     string   `json:"source"`   // the document whose numbers the references are
	Question   string   `json:"question"` // what the experiment asks, in words
	Seed       uint64   `json:"seed"`
	Quick      bool     `json:"quick,omitempty"` // made of fewer and shorter runs than the full experiment
	Setup      []string `json:"setup"`           // sentences: how it was run
	Tables     []Table  `json:"tables"`
	Claims     []Claim  `json:"claims"`
	Figures    []Figure `json:"-"`     // drawings: what they show is in the tables, or too much for them
	Notes      []string `json:"notes"` // sentences: what does not match and why, and what else was found
}

// Table is one table or figure of an experiment, a row of data per cell.
type Table struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Across string `json:"across,omitempty"` // key of the coordinate whose values are columns when people read it; "" means none
	Rows   []Row  `json:"rows"`
}

// Row is one figure that was measured, and the published one.
type Row struct {
	Case      Coordinates `json:"case"`           // where in the table
	Reference *float64    `json:"reference"`      // nil when the source has none
	Measured  float64     `json:"measured"`       // mean over the runs
	CI95      *float64    `json:"ci95,omitempty"` // half the width of its 95 % confidence interval; nil with a single run
	Unit      string      `json:"unit"`           // of the three: "B/s", "bit/s", "B", "s", "segments", ... or "" for a ratio
	Note      string      `json:"note,omitempty"`
}

// NewRow returns the row of a figure that was measured once in each of several runs: the mean of samples, of which there
// must be at least one, and its confidence interval (Interval95) when there are two or more.
func NewRow(at Coordinates, reference *float64, samples []float64, unit string) Row {
	return Row{Case: at, Reference: reference, Measured: stat.Mean(samples, nil), CI95: optional(Interval95(samples)), Unit: unit}
}

// Coordinates say which case a row is about. They marshal to a JSON object with the keys in their order.
type Coordinates []Coordinate

// Coordinate is one of them: a key such as "window" and a value, which is a string or a number.
type Coordinate struct {
	Key   string
	Value any
}

// MarshalJSON returns the object. It fails for a value that JSON cannot hold.
func (c Coordinates) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, part := range []any{k.Key, k.Value} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Figure is a drawing of points or lines over one axis.
type Figure struct {
	ID     string
	Title  string
	X, Y   string // what the axes are, with units
	Series []Series

	LogX, LogY bool // powers of ten are equal steps; all points are positive on that axis
}

// Series is what a figure shows in one colour.
type Series struct {
	Name   string
	Line   bool // its points are joined
	Points []Point
}

// Point is a place in a figure.
type Point struct{ X, Y float64 }

// Claim is a statement of the source and what became of it.
type Claim struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Verdict  string `json:"verdict"`          // Reproduced, NotReproduced or NotComparable
	Measured string `json:"measured"`         // the figures behind the verdict, in words
	Reason   string `json:"reason,omitempty"` // why it does not match, or cannot be compared
}

// The values of Claim.Verdict.
const (
	Reproduced    = "reproduced"
	NotReproduced = "not reproduced"
	NotComparable = "not comparable" // the source does not say enough, or what it measured cannot be run here
)
