package lab

import (
	"testing"
	"time"
)

// beside runs the stacks as flows of one path, from 0 and 1 s on, until d, and returns what each moved after skip, as a share of the limit.
func beside(t *testing.T, path Path, skip, d time.Duration, stacks ...string) (shares []float64) {
	t.Helper()
	c := alone(t, stacks[0], path, d)
	for i, name := range stacks[1:] {
		f := c.Flows[0]
		f.Stack = parse(t, name)
		f.Start = time.Duration(i+1) * time.Second
		c.Flows = append(c.Flows, f)
	}
	r := begin(t, c)
	r.until(t, skip)
	var before []int64
	for _, f := range r.flows {
		before = append(before, f.total())
	}
	r.until(t, d)
	for i, f := range r.flows {
		shares = append(shares, float64(f.total()-before[i])*8/(d-skip).Seconds()/r.results()[i].LimitBps)
	}
	return shares
}

// TestLowPriority: beside Reno the low-priority stacks take little, and take it from what Reno leaves: it moves nine tenths of what it does
// alone. By themselves they fill what a sawtooth of halves fills that hardly queues, three quarters, or all of it; LEDBAT without slow
// start needs a hundred seconds to get there at 50 Mbit/s, so alone they are judged after those. TCP-LP's mark is from Kuzmanovic and Knightly (ToN 14(4), 2006): 5 to 10 %.
func TestLowPriority(t *testing.T) {
	for _, path := range []Path{
		{Rate: 10e6, RTT: 100 * time.Millisecond, Queue: QueueSize{BDP: 2}},
		{Rate: 50e6, RTT: 150 * time.Millisecond, Queue: QueueSize{BDP: 1}},
	} {
		if path.Rate > 10e6 && (testing.Short() || raceEnabled) {
			continue
		}
		const skip, d, late = 20 * time.Second, 2 * time.Minute, 100 * time.Second
		reno := beside(t, path, skip, d, "reno")[0]
		for _, name := range []string{"lp", "hstcplp", "ledbat", "ledbat.ss"} {
			got := beside(t, path, skip, d, "reno", name)
			own := beside(t, path, late, late+d, name)[0]
			t.Logf("%d Mbit/s: %s %.3f beside reno's %.3f (alone %.3f); alone %.3f", path.Rate/1e6, name, got[1], got[0], reno, own)
			if got[1] > 0.12 || got[0] < 0.88*reno || own < 0.7 {
				t.Errorf("%d Mbit/s: %s takes %.3f beside reno, which moves %.3f of %.3f; alone %.3f", path.Rate/1e6, name, got[1], got[0], reno, own)
			}
		}
	}
}
