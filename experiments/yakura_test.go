package experiments

import (
	"math"
	"strings"
	"testing"

	"longhaul/lab"
)

// TestYakura checks the experiment's shape: every cell of figures 16 to 18 and of the tables, the drawings, and claims with figures and, where they
// do not hold, a reason (R50 to R55).
func TestYakura(t *testing.T) {
	r, err := Run([]Experiment{Yakura}, Options{Seed: 1, Quick: true}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, table := range r[0].Tables {
		rows[table.ID] = len(table.Rows)
		for _, row := range table.Rows {
			if row.Unit == "s" && row.Measured <= 0 {
				t.Errorf("%s, %v: %v s", table.ID, row.Case, row.Measured)
			}
		}
	}
	for id, want := range map[string]int{"fig16": 75, "fig17": 75, "fig18": 75, "repairs3": 45, "repairs5": 45, "scope": 40, "slow": 45, "fairness": 20} {
		if rows[id] != want {
			t.Errorf("table %s has %d rows, want %d", id, rows[id], want)
		}
	}
	if len(r[0].Figures) != 6 {
		t.Errorf("%d figures", len(r[0].Figures))
	}
	for _, c := range r[0].Claims {
		if (c.Verdict == lab.Reproduced) != (c.Reason == "") || !strings.ContainsAny(c.Measured, "0123456789") {
			t.Errorf("claim %+v", c)
		}
	}
	drawn := map[string]int{}
	for _, s := range r[0].Figures[5].Series {
		drawn[s.Name] = len(s.Points)
	}
	for _, name := range []string{"acknowledged", "sub-connection 0", "sub-connection 1", "sub-connection 2", "sub-connection 3", "sent again"} {
		if drawn[name] == 0 {
			t.Errorf("figure 21 has no %s: %v", name, drawn)
		}
	}
	if n := drawn["sub-connection 0"] + drawn["sub-connection 1"] + drawn["sub-connection 2"] + drawn["sub-connection 3"]; n < 350 {
		t.Errorf("figure 21 has %d segments of 360", n)
	}
}

// TestYakuraFairness: n sub-connections take n/(n+1) of a bottleneck beside one Reno, which is what n connections do (R54, C-36).
func TestYakuraFairness(t *testing.T) {
	for _, n := range []int{1, 4} {
		var cases []lab.Case
		for run := range 4 {
			cases = append(cases, sharedCase("RED", n, run))
		}
		results, err := lab.Run(cases, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		var share float64
		for _, r := range results {
			share += r[0].SteadyBps / (r[0].SteadyBps + r[1].SteadyBps) / 4
		}
		if want := float64(n) / float64(n+1); math.Abs(share-want) > 0.1 {
			t.Errorf("n = %d: a share of %.3f, want %.3f", n, share, want)
		}
	}
}
