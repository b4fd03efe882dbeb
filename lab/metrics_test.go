package lab

import (
	"math"
	"testing"
	"time"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestJain(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{5}, 1},
		{[]float64{3, 3, 3, 3}, 1},
		{[]float64{1, 0, 0, 0}, 0.25},
		{[]float64{1, 2, 3}, 36.0 / 42},
	} {
		if got := Jain(c.x); !near(got, c.want) {
			t.Errorf("Jain(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(Jain(nil)) || !math.IsNaN(Jain([]float64{0, 0})) {
		t.Error("Jain of nothing is a number")
	}
}

func TestAsymmetry(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{{3, 1, 0.5}, {1, 3, -0.5}, {7, 7, 0}, {7, 0, 1}} {
		if got := Asymmetry(c.a, c.b); !near(got, c.want) {
			t.Errorf("Asymmetry(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestStability: the sample deviation of 2, 4, 4, 4, 5, 5, 7, 9 is sqrt(32/7), the mean 5.
func TestStability(t *testing.T) {
	if got, want := Stability([]float64{2, 4, 4, 4, 5, 5, 7, 9}), math.Sqrt(32.0/7)/5; !near(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, x := range [][]float64{nil, {3}, {0, 0}} {
		if got := Stability(x); !math.IsNaN(got) {
			t.Errorf("Stability(%v) = %v, want NaN", x, got)
		}
	}
}

func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		name string
		x    []float64
		want time.Duration
		ok   bool
	}{
		{"from the start", []float64{100, 101, 99, 100}, 0, true},
		{"after two samples", []float64{10, 50, 100, 95, 105, 100}, 10 * time.Second, true},
		{"a late dip", []float64{100, 100, 100, 50, 100, 100, 100, 100}, 20 * time.Second, true},
		{"never", []float64{10, 100, 10, 100, 10, 100}, 0, false},
		{"only the last sample", []float64{10, 10, 40, 60, 40, 50}, 0, false},
		{"too short", []float64{10}, 0, false},
	} {
		if got, ok := Convergence(c.x, 5*time.Second); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestInterval95: of 1, 2, 3, 4, 5 the deviation is sqrt(2.5) and t(4, 0.975) is 2.776445.
func TestInterval95(t *testing.T) {
	got, want := Interval95([]float64{1, 2, 3, 4, 5}), 2.7764451*math.Sqrt(2.5)/math.Sqrt(5)
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Interval95([]float64{1}); !math.IsNaN(got) {
		t.Errorf("of one value: %v, want NaN", got)
	}
}

// TestSummarize: 1 to 100 ms in any order; the nearest rank of p percent is p.
func TestSummarize(t *testing.T) {
	var rtts []time.Duration
	for i := range 100 {
		rtts = append(rtts, time.Duration((i*37)%100+1)*time.Millisecond)
	}
	want := RTT{Min: 1, Mean: 50.5, P50: 50, P95: 95, P99: 99}
	if got := *summarize(rtts); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if summarize(nil) != nil {
		t.Error("a distribution of nothing")
	}
}
