package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// Hybla grows by (RTT/25 ms)^2 segments a round trip: in a second as many on every path longer than 25 ms as Reno does on one of 25 ms, which
// below that it is.
func TestHyblaGrowth(t *testing.T) {
	for rtt, want := range map[time.Duration]float64{10: 1, 25: 1, 50: 4, 100: 16, 250: 100, 600: 576} {
		rtt *= time.Millisecond
		p := atWindow("hybla", 20_000, nil)
		p.rtt, p.minRTT = rtt, rtt
		w := p.window()
		p.rounds(10)
		near(t, rtt.String()+": segments a round", (p.window()-w)/10, want, .15)
	}
}

// Throughput, as windows per second, does not depend on the round trip: 1.2247 rho / sqrt(p) segments in rho times 25 ms.
func TestHyblaResponse(t *testing.T) {
	for _, c := range []struct {
		rtt    time.Duration
		period int64
	}{{25, 1e4}, {100, 1e5}, {500, 1e6}, {100, 1e6}} {
		rtt := c.rtt * time.Millisecond
		want := 1.2247 * float64(c.rtt) / 25 * math.Sqrt(float64(c.period))
		peak := int64(4. / 3 * want)
		p := newPath(make1("hybla", cc.Params{InitialWindow: peak * mss, InitialSsthresh: peak * mss, Paced: true}), rtt)
		near(t, rtt.String(), p.mean(c.period, 5, 10), want, .05)
	}
}

// Slow start opens the window by 2^rho - 1 segments for each acknowledged one, but by no more than three, or one unpaced.
func TestHyblaSlowStart(t *testing.T) {
	for rho, want := range map[float64]float64{1: 1, 1.25: math.Pow(2, 1.25) - 1, 1.5: math.Pow(2, 1.5) - 1, 2: 3, 24: 3} {
		near(t, "segments", cc.HyblaRate(rho), want, 1e-9)
	}
	for _, c := range []struct {
		rtt    time.Duration
		paced  bool
		factor float64
	}{{25, true, 2}, {37, true, math.Pow(2, 37./25)}, {600, true, 4}, {600, false, 2}} {
		p := newPath(make1("hybla", cc.Params{InitialWindow: 100 * mss, Paced: c.paced}), c.rtt*time.Millisecond)
		p.run()
		near(t, (c.rtt*time.Millisecond).String()+": windows", p.window()/100, c.factor, .03)
	}
	p := newPath(make1("hybla", cc.Params{InitialWindow: 100 * mss, InitialSsthresh: 250 * mss, Paced: true}), 600*time.Millisecond)
	for p.window() < 250 {
		p.c.OnAck(cc.Ack{Now: p.start, Acked: mss, Delivered: mss, MinRTT: p.rtt, PriorFlight: 100 * mss, CwndLimited: true})
	}
	near(t, "window at the end of slow start", p.window(), 250, .012)
}
