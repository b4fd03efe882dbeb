package lab

import (
	"encoding/json"
	"math"
	"testing"
)

// TestReproductionJSON checks the document that DESIGN.md promises (R103).
func TestReproductionJSON(t *testing.T) {
	reference := 53000.0
	cell := func(window string, ber any) Coordinates { return Coordinates{{"window", window}, {"ber", ber}} }
	noted := NewRow(cell("72K", 0), nil, []float64{0.5}, "")
	noted.Note = "alone"
	got, err := json.Marshal(Reproduction{
		Experiment: "x", Title: "X", Source: "S", Question: "Q?", Seed: 7, Setup: []string{"So."},
		Tables: []Table{{ID: "fig1", Title: "Figure 1", Across: "ber", Rows: []Row{NewRow(cell("64K", 1e-7), &reference, []float64{50000, 50000}, "B/s"), noted}}},
		Claims: []Claim{{ID: "R1", Text: "T", Verdict: Reproduced, Measured: "m"}}, Notes: []string{},
	})
	const want = `{"experiment":"x","title":"X","source":"S","question":"Q?","seed":7,"setup":["So."],` +
		`"tables":[{"id":"fig1","title":"Figure 1","across":"ber","rows":[` +
		`{"case":{"window":"64K","ber":1e-7},"reference":53000,"measured":50000,"ci95":0,"unit":"B/s"},` +
		`{"case":{"window":"72K","ber":0},"reference":null,"measured":0.5,"unit":"","note":"alone"}]}],` +
		`"claims":[{"id":"R1","text":"T","verdict":"reproduced","measured":"m"}],"notes":[]}`
	if err != nil || string(got) != want {
		t.Errorf("marshals to\n%s, %v, want\n%s", got, err, want)
	}
	if _, err := json.Marshal(cell("64K", math.NaN())); err == nil {
		t.Error("a coordinate that is not a number marshals")
	}
}

// TestNewRow checks mean and interval against numbers worked out by hand: Student's t for two degrees of freedom and
// 95 % is 4.303, and the samples' deviation is 1.
func TestNewRow(t *testing.T) {
	r := NewRow(nil, nil, []float64{1, 2, 3}, "s")
	if r.Measured != 2 || r.CI95 == nil || math.Abs(*r.CI95-4.303/math.Sqrt(3)) > 1e-3 {
		t.Errorf("mean %v, interval %v", r.Measured, r.CI95)
	}
}
