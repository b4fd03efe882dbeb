package lab

import (
	"testing"
	"time"
)

// BBR goes by the bandwidth that it measures. These links lose packets behind the bottleneck, so that at a loss of p it measures 1 - p
// of the rate and gets 1 - p of that through, less 0.99 for the margin of the pacer and 0.98 for the probes of the round trip: 0.97,
// 0.95 and 0.79 here, if its start-up cost nothing. BBRv3 lowers its short-term bound in every round with a loss, to what that round delivered, so that
// the rate falls as (1-p) a round until the next probe: to 0.78 after 25 rounds at 1 %, 0.88 in the mean (draft-ietf-ccwg-bbr s.5.5.10); with margin, probes
// and what is lost 0.84.
func TestBBRUnderRandomLoss(t *testing.T) {
	for _, c := range []struct {
		stack       string
		loss, least float64
	}{{"bbr", 0, 0.90}, {"bbr", 0.01, 0.85}, {"bbr", 0.1, 0.75}, {"bbr3", 0, 0.90}, {"bbr3", 0.001, 0.85}, {"bbr3", 0.01, 0.75}} {
		path := Path{Rate: 100_000_000, RTT: 100 * time.Millisecond, Loss: c.loss, Queue: QueueSize{BDP: 1}}
		r, err := Run([]Case{{Name: c.stack, Seed: 1, Path: path, Flows: []Flow{{Stack: parse(t, c.stack)}}, Duration: time.Minute}}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := r[0][0].FractionOfLimit
		t.Logf("%s, loss %v: %.3f of the limit", c.stack, c.loss, got)
		if got < c.least {
			t.Errorf("%s, loss %v: %.3f of the limit, want at least %v", c.stack, c.loss, got, c.least)
		}
	}
}
