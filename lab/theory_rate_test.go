package lab

import (
	"testing"
	"time"
)

// BBR goes by the bandwidth that it measures. These links lose packets behind the bottleneck, so that at a loss of p it measures 1 - p
// of the rate and gets 1 - p of that through, less 0.99 for the margin of the pacer and 0.98 for the probes of the round trip: 0.97,
// 0.95 and 0.79 here, if its start-up cost nothing.
func TestBBRUnderRandomLoss(t *testing.T) {
	for _, c := range []struct{ loss, least float64 }{{0, 0.90}, {0.01, 0.85}, {0.1, 0.75}} {
		path := Path{Rate: 100_000_000, RTT: 100 * time.Millisecond, Loss: c.loss, Queue: QueueSize{BDP: 1}}
		r, err := Run([]Case{{Name: "bbr", Seed: 1, Path: path, Flows: []Flow{{Stack: parse(t, "bbr")}}, Duration: time.Minute}}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := r[0][0].FractionOfLimit
		t.Logf("loss %v: %.3f of the limit", c.loss, got)
		if got < c.least {
			t.Errorf("loss %v: %.3f of the limit, want at least %v", c.loss, got, c.least)
		}
	}
}
