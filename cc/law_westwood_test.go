package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// Westwood+ cuts to bandwidth times RTTmin (Grieco and Mascolo, CCR 34(2) 2004): a loss without a queue costs nothing once the
// filter has converged, one with a queue costs the queue.
func TestWestwoodCut(t *testing.T) {
	for queue, want := range map[time.Duration]float64{0: 833, 50 * time.Millisecond: 833 / 1.5} {
		p := newPath(make1("westwood", cc.Params{InitialWindow: 833 * mss, InitialSsthresh: 833 * mss, Paced: true}), 100*time.Millisecond)
		p.run()
		p.rtt += queue
		for range 60 { // what the filter has of the start is below 0.002
			p.run()
			p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start}) // keeps the window from growing
			p.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: p.start})
		}
		w := p.window()
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
		near(t, "window after a cut, of "+queue.String()+" queue", p.window(), want*w/833, .08)
	}
}

// The filter takes a tenth of a new sample each round trip: after n of them 1 - 0.9^n of a step is known.
func TestWestwoodFilter(t *testing.T) {
	for _, n := range []int{1, 10, 20} {
		c := make1("westwood", cc.Params{InitialWindow: 1000 * mss, InitialSsthresh: 1000 * mss, Paced: true})
		p := newPath(c, 100*time.Millisecond)
		now, round := p.start, uint64(0)
		feed := func(octets int64, rounds int) { // a round trip of 100 ms each
			for range rounds {
				round++
				now = now.Add(100 * time.Millisecond)
				c.OnAck(cc.Ack{Now: now, Round: round, Delivered: octets, Acked: octets, RTT: p.rtt, SRTT: p.rtt, MinRTT: p.rtt, PriorFlight: 1000 * mss})
			}
		}
		feed(100*mss, 200) // the first sample counts whole
		feed(600*mss, n+1) // the last of them is still being measured
		c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: now})
		near(t, "window", float64(c.Output().Window)/mss, 100+500*(1-math.Pow(.9, float64(n))), .001)
	}
}

// Idle time and rounds in which the application had nothing to send do not lower the bandwidth; a cut never widens the window, and one
// of fewer than four segments is halved.
func TestWestwoodBounds(t *testing.T) {
	steady := func() *path {
		p := newPath(make1("westwood", cc.Params{InitialWindow: 500 * mss, InitialSsthresh: 500 * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(40)
		return p
	}
	p, q := steady(), steady()
	p.start = p.start.Add(10 * time.Second)
	p.c.OnSent(cc.Sent{Now: p.start, Bytes: mss, InFlight: mss, Idle: 10 * time.Second, RTO: time.Minute})
	for range 20 {
		p.start = p.start.Add(p.rtt)
		p.round++
		p.c.OnAck(cc.Ack{Now: p.start, Round: p.round, Delivered: mss, Acked: mss, RTT: p.rtt, MinRTT: p.rtt, PriorFlight: mss, AppLimited: true})
	}
	p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
	q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start})
	near(t, "window after a cut that follows idle time", p.window(), q.window(), .01)
	w := q.window()
	for range 5 { // the bandwidth is far above what is left
		q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start, SentWindow: 100 * mss})
	}
	if got := q.window(); got > 100 || w < 400 {
		t.Errorf("window %v after a loss from a window of 100", got)
	}
	s := atWindow("westwood", 3, nil)
	near(t, "three segments after a cut", s.window(), 2, 1e-9)
}
