package cc_test

import (
	"testing"
	"time"

	"longhaul/cc"
)

// H-TCP's increase d after a cut (draft-leith-tcp-htcp): 1 + 10(d-1) + ((d-1)/2)^2, times 2(1-beta), and Reno's up to 1 s.
func TestHTCPIncrease(t *testing.T) {
	for d, want := range map[time.Duration]float64{500 * time.Millisecond: 1, time.Second: 1, 2 * time.Second: 11.25, 5 * time.Second: 45, 10 * time.Second: 111.25, 20 * time.Second: 281.25} {
		near(t, d.String(), cc.HTCPIncrease(d, .5), want, 1e-9)
		near(t, d.String()+" after a cut to 0.8", cc.HTCPIncrease(d, .8), max(1, .4*want), 1e-9)
	}
}

// The growth T seconds after a cut by half is (T + 5(T-1)^2 + (T-1)^3/12) / RTT: the increase, integrated.
func TestHTCPGrowth(t *testing.T) {
	p := atWindow("htcp", 8333, nil)
	cut, after := p.start, p.window()
	near(t, "window after the first cut", after, 4166.5, 1e-4)
	for _, c := range []struct{ seconds, segments float64 }{{2, 70.8}, {5, 903}, {9.45, 4166.5}, {10, 4757.5}} {
		for p.start.Add(p.rtt).Sub(cut).Seconds() < c.seconds {
			p.run()
		}
		near(t, "segments grown", p.window()-after, c.segments, .04+2/c.segments)
	}
}

// A cut empties the queue and no more: beta is RTTmin/RTTmax, within 0.5 and 0.8. It is 0.5 at the first cut, and where throughput
// has changed by more than a fifth since the last. The largest RTT fades at each cut, and a jump of over 20 ms is not believed.
func TestHTCPBackoff(t *testing.T) {
	backoff := func(rtts []time.Duration, more int) float64 {
		p := newPath(make1("htcp", cc.Params{InitialWindow: 1000 * mss, InitialSsthresh: 1000 * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(5)
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
		for _, rtt := range rtts {
			p.rtt = rtt
			p.run()
		}
		p.rtt = 100 * time.Millisecond
		p.rounds(more)
		w := p.window()
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
		return p.window() / w
	}
	ms := func(n ...int) (d []time.Duration) {
		for _, n := range n {
			d = append(d, time.Duration(n)*time.Millisecond)
		}
		return d
	}
	const back = 38 // rounds that bring the window, and with it the throughput, from 500 back to some 900
	near(t, "beta without a queue", backoff(nil, back), .8, .001)
	near(t, "beta with 150 ms, reached step by step", backoff(ms(119, 138, 150), back), 100./150, .001)
	near(t, "beta with 250 ms, reached step by step", backoff(ms(119, 138, 157, 176, 195, 214, 233, 250), back), .5, .001)
	near(t, "beta with 150 ms at a jump", backoff(ms(150), back), .8, .001)
	near(t, "beta with half the throughput", backoff(nil, 8), .5, .001)
}
