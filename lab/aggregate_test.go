package lab

import (
	"math"
	"testing"
)

func TestAggregate(t *testing.T) {
	five, seven := 5.0, 7.0
	runs := []Result{
		{Stack: "x", Streams: 2, GoodputBps: 1, LimitBps: 9, Stability: &five, RTT: &RTT{P95: 10}, Timeouts: 1,
			BoundBy: BoundByLoss, Samples: []float64{1, 2, 3}},
		{Stack: "x", Streams: 2, GoodputBps: 2, LimitBps: 9, RTT: &RTT{P95: 30}, BoundBy: BoundByWindow, Samples: []float64{3, 4}},
		{Stack: "x", Streams: 2, GoodputBps: 6, LimitBps: 9, Stability: &seven, Timeouts: 1, BoundBy: BoundByWindow, Samples: []float64{5, 9, 9}},
	}
	r := aggregate(runs)
	if r.Stack != "x" || r.Streams != 2 || r.LimitBps != 9 || r.BoundBy != BoundByWindow {
		t.Errorf("%+v", r)
	}
	if !near(r.GoodputBps, 3) || !near(*r.Stability, 6) || !near(r.RTT.P95, 20) || !near(r.Timeouts, 2.0/3) {
		t.Errorf("means: goodput %v, stability %v, p95 %v, timeouts %v", r.GoodputBps, *r.Stability, r.RTT.P95, r.Timeouts)
	}
	// The deviation of 1, 2, 6 is sqrt(7), and t(2, 0.975) = 4.302653.
	if want := 4.302653 * math.Sqrt(7) / math.Sqrt(3); math.Abs(r.CI95["goodput_bps"]-want) > 1e-5 {
		t.Errorf("interval %v, want %v", r.CI95["goodput_bps"], want)
	}
	if _, ok := r.CI95["fairness"]; ok || r.Fairness != nil {
		t.Error("fairness from nothing")
	}
	if len(r.Samples) != 2 || !near(r.Samples[0], 3) || !near(r.Samples[1], 5) {
		t.Errorf("samples %v, want 3 and 5", r.Samples)
	}
	if five != 5 || seven != 7 {
		t.Error("aggregate changed its input")
	}
}

func TestAggregateOne(t *testing.T) {
	r := aggregate([]Result{{Stack: "x", GoodputBps: 4}})
	if r.GoodputBps != 4 || r.CI95 != nil {
		t.Errorf("%+v", r)
	}
}
