package experiments

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"longhaul/lab"
)

// fullRFC1106 runs the whole experiment once for all tests.
var fullRFC1106 = sync.OnceValues(func() (lab.Reproduction, error) {
	r, err := Run([]Experiment{RFC1106}, Options{Seed: 1}, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		return lab.Reproduction{}, err
	}
	return r[0], nil
})

// rfc1106 returns what the whole experiment gave.
func rfc1106(t *testing.T) lab.Reproduction {
	t.Helper()
	if testing.Short() {
		t.Skip("the whole experiment takes 15 s of processor time")
	}
	r, err := fullRFC1106()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rows returns the rows of a table by their coordinates, written "64K 1e-07".
func rows(t *testing.T, r lab.Reproduction, id string) map[string]lab.Row {
	t.Helper()
	i := slices.IndexFunc(r.Tables, func(x lab.Table) bool { return x.ID == id })
	if i < 0 {
		t.Fatalf("no table %s", id)
	}
	m := map[string]lab.Row{}
	for _, row := range r.Tables[i].Rows {
		var key []string
		for _, c := range row.Case {
			key = append(key, fmt.Sprint(c.Value))
		}
		m[strings.Join(key, " ")] = row
	}
	return m
}

// TestR24Figures checks both figures, cell by cell, against the bands that the RFC's own cells and the window law give.
func TestR24Figures(t *testing.T) {
	r := rfc1106(t)
	plain, both := rows(t, r, "fig1"), rows(t, r, "fig2")
	if len(plain) != 27 || len(both) != 27 {
		t.Fatalf("%d and %d cells, want 27 each", len(plain), len(both))
	}
	for i, w := range foxWindows {
		at := func(rows map[string]lab.Row, ber float64) lab.Row { return rows[fmt.Sprintf("%dK %v", w, ber)] }
		for id, rows := range map[string]map[string]lab.Row{"fig1": plain, "fig2": both} {
			law := min(float64(w)*1024/0.58, 193e3)
			if x := at(rows, 0).Measured / law; x < 0.8 || x > 1 {
				t.Errorf("%s, %dK, no errors: %.2f of the window law", id, w, x)
			}
			for j, ber := range foxBERs {
				if row := at(rows, ber); row.Reference == nil || *row.Reference != foxPrinted[id][i][j]*1000 || row.Unit != "B/s" || ber > 0 && row.CI95 == nil {
					t.Errorf("%s, %dK, %v: row %+v", id, w, ber, row)
				}
			}
		}
		if x := at(plain, 1e-7).Measured / 1000; x < 40 || x > 95 {
			t.Errorf("%dK at 1e-7 without NAKs: %.1f kB/s", w, x)
		}
		if x := at(plain, 1e-6).Measured / 1000; x < 10 || x > 22 {
			t.Errorf("%dK at 1e-6 without NAKs: %.1f kB/s", w, x)
		}
		if x := at(both, 1e-7).Measured / at(both, 0).Measured; x < 0.8 {
			t.Errorf("%dK at 1e-7 with NAKs and noise: %.2f of the rate without errors", w, x)
		}
		if x := at(both, 1e-6).Measured / at(plain, 1e-6).Measured; x < 2 {
			t.Errorf("%dK at 1e-6: NAKs and noise gain %.2f times", w, x)
		}
	}
	policy := rows(t, r, "policy")
	for _, ber := range []string{"1e-07", "1e-06"} {
		nak, none := policy["on congestion goodput "+ber].Measured, policy["off congestion goodput "+ber].Measured
		if x := nak / none; !(math.Abs(x-1) <= 0.25) {
			t.Errorf("NAKs with slow start at each loss, %s: %.2f times the rate without", ber, x)
		}
	}
	setup := strings.Join(r.Setup, " ")
	for _, want := range []string{"10e-7", "1e-7", "1024 octets", "MB", "of 20 runs"} {
		if !strings.Contains(setup, want) {
			t.Errorf("the set-up does not say %q", want)
		}
	}
	for _, v := range foxVariants {
		if _, ok := rows(t, r, "sensitivity")[v.name+" 156K 1e-07 gain"]; !ok {
			t.Errorf("no sensitivity row for %s", v.name)
		}
	}
}

// TestR25Claims checks the verdicts: all but R25-iii are reproduced, and that one has a reason.
func TestR25Claims(t *testing.T) {
	for _, c := range rfc1106(t).Claims {
		want := lab.Reproduced
		if c.ID == "R25-iii" {
			want = lab.NotReproduced
		}
		if c.Verdict != want || c.Measured == "" || (c.Verdict == lab.NotReproduced) != (c.Reason != "") {
			t.Errorf("%s: %+v", c.ID, c)
		}
	}
}

// TestR23CostOfALoss checks the cost of one loss against the RFC's arithmetic: what is left of two round trips once the
// window has been sent.
func TestR23CostOfALoss(t *testing.T) {
	single := rows(t, rfc1106(t), "single")
	const link = 193e3 * 1020 / 1064 // payload octets per second
	for _, c := range []struct {
		window string
		stall  float64
	}{{"Z/2", 0.58}, {"Z", 1.16 - 111940/link}, {"1.43Z", 1.16 - 156*1024/link}, {"2Z", 0}} {
		row := single[c.window+" NAKs, at the link's rate"]
		if math.Abs(row.Measured-c.stall) > 0.03 || math.Abs(*row.Reference-c.stall) > 0.001 {
			t.Errorf("window %s: a loss costs %.3f s, want %.3f; the table says %.3f", c.window, row.Measured, c.stall, *row.Reference)
		}
	}
	if x := single["Z/2 no NAKs, congestion"].Measured; x < 0.87 {
		t.Errorf("half a path without NAKs: %.2f s, want at least three one-way delays", x)
	}
}

// TestR23StallModel checks figure 2 at 1e-7 against a model of its own: each loss stops a sender that keeps its window full for a
// round trip, so that it reaches its rate without errors less that share of the time.
func TestR23StallModel(t *testing.T) {
	fig2 := rows(t, rfc1106(t), "fig2")
	for _, w := range foxWindows {
		free, lossy := fig2[fmt.Sprintf("%dK 0", w)].Measured, fig2[fmt.Sprintf("%dK 1e-07", w)].Measured
		losses := free / 1020 * -math.Expm1(8*1064*math.Log1p(-1e-7)) // per second
		if want := free * (1 - 0.58*losses); math.Abs(lossy/want-1) > 0.03 {
			t.Errorf("%dK: %.1f kB/s, the model says %.1f", w, lossy/1000, want/1000)
		}
	}
}

// TestQuickRFC1106 checks the reduced run: the same tables, claims and notes, as JSON.
func TestQuickRFC1106(t *testing.T) {
	list, err := Run([]Experiment{RFC1106}, Options{Seed: 3, Quick: true}, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := list[0]
	if len(r.Tables) != 10 || len(r.Claims) != 12 || len(r.Notes) < 5 || !r.Quick {
		t.Errorf("%d tables, %d claims, %d notes", len(r.Tables), len(r.Claims), len(r.Notes))
	}
	if text, err := json.Marshal(r); err != nil || strings.Contains(string(text), "NaN") {
		t.Errorf("as JSON: %v", err)
	}
	curve := rows(t, r, "curve")
	for k := 1; k <= 4; k++ {
		for n := 1; n <= curveRounds; n++ { // R20, R21, C-9
			if x := curve[fmt.Sprint(k, n)].Measured; x != math.Pow(float64(1+k), float64(n)) {
				t.Errorf("slow start by %d segments, %d round trips: %v segments", k, n, x)
			}
		}
	}
}
