package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// near fails the test unless got is within a fraction tol of want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol*want {
		t.Errorf("%s = %.5g, want %.5g within %.3g %%", what, got, want, 100*tol)
	} else {
		t.Logf("%s = %.5g (%.5g)", what, got, want)
	}
}

// The response to one loss in 1/p segments: coefficient of the mean window over sqrt(p). Reno: Mathis et al.,
// CCR 1997. Tahoe: 3/8 W^2 + W segments in W/2 + log2(W/2) rounds. Growth per ACK and an ACK for every second
// segment halve Reno's increase, so sqrt(3/4).
func TestResponseToPeriodicLoss(t *testing.T) {
	for _, c := range []struct {
		name   string
		period int64
		per    int
		perACK bool
		lo, hi float64
	}{
		{"reno", 1e3, 1, false, 1.16, 1.2247}, // one round in 26 without growth, while the loss is repaired
		{"reno", 1e4, 1, false, 1.20, 1.2247 * 1.005},
		{"reno", 1e5, 1, false, 1.21, 1.2247 * 1.002},
		{"reno", 1e4, 2, false, 1.20, 1.2247 * 1.005}, // octets are counted, so delayed ACKs cost nothing
		{"reno", 1e4, 2, true, .866 * .97, .866 * 1.01},
		{"reno", 1e5, 2, true, .866 * .98, .866 * 1.01},
		{"tahoe", 1e3, 1, false, 1.02 * .95, 1.06 * 1.05},
		{"tahoe", 1e4, 1, false, 1.13 * .95, 1.15 * 1.05},
		{"tahoe", 1e5, 1, false, 1.18 * .95, 1.19 * 1.05},
	} {
		p := newPath(make1(c.name, cc.Params{PerACK: c.perACK, Paced: true}), 100*time.Millisecond)
		p.perACK = c.per
		got := p.mean(c.period, 10, 50) / math.Sqrt(float64(c.period))
		t.Logf("%s 1/p=%d ACK per %d: %.4f", c.name, c.period, c.per, got)
		if got < c.lo || got > c.hi {
			t.Errorf("%s, 1/p=%d, ACK per %d: coefficient %.4f, want %.3f to %.3f", c.name, c.period, c.per, got, c.lo, c.hi)
		}
	}
}

// RFC 9438 s.5.1: mean window 1.054 * (RTT/p)^0.75 where CUBIC is not in its Reno-friendly region. The law leaves fast
// convergence out. Its fixed point is flat, so that a plateau above it takes hundreds of cycles to come down: start at it.
// With fast convergence every loss that falls just short of the plateau lowers it, which costs a tenth.
func TestCubicResponse(t *testing.T) {
	for _, name := range []string{"cubic", "cubic.linux"} {
		for _, period := range []int64{1e4, 1e5, 1e6} {
			want := 1.054 * math.Pow(.1*float64(period), .75)
			plateau := int64(want / .925) // the mean is (3+beta)/4 of it
			p := atWindow(name, plateau, cc.WithoutFastConvergence)
			near(t, name+" alone", p.mean(period, 0, 3), want, .01)
			if period < 1e6 { // that takes long and says nothing new
				p = atWindow(name, plateau, nil)
				near(t, name, p.mean(period, 10, 20), .9*want, .04)
			}
		}
		// RFC 9438 table 2: at 10 ms and p = 1e-4 it is Reno's window.
		p := newPath(make1(name, cc.Params{Paced: true}), 10*time.Millisecond)
		near(t, name+" friendly", p.mean(1e4, 10, 50), 1.2247*100, .08)
	}
}

// atWindow returns a path in congestion avoidance at w segments whose next segment is lost.
// Prepare, if not nil, sees the controller first.
func atWindow(name string, w int64, prepare func(cc.Controller)) *path {
	p := newPath(make1(name, cc.Params{InitialWindow: w * mss, InitialSsthresh: w * mss, Paced: true}), 100*time.Millisecond)
	if prepare != nil {
		prepare(p.c)
	}
	p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start, InFlight: w * mss})
	return p
}

// The curve after one loss at 1000 segments, RTT 0.1 s: RFC 9438 equation 1 with K = 9.086 s.
func TestCubicCurve(t *testing.T) {
	p := atWindow("cubic", 1000, nil)
	if got := p.window(); got != 700 {
		t.Fatalf("window after the cut = %v, want 700", got)
	}
	checks := []struct{ at, want float64 }{{1, 788.6}, {4.543, 962.5}, {5, 972.7}, {9.086, 1000}, {14.086, 1050}, {15, 1082.8}}
	first := p.start.Add(p.rtt) // the stage begins with the first ACK
	last := 0.0
	p.onACK = func(now mono.Time) {
		if c := checks[0]; now.Sub(first).Seconds() > c.at {
			if math.Abs(last-c.want) > .2 {
				t.Errorf("W(%v s) = %.2f, want %.1f within 0.2", c.at, last, c.want)
			}
			checks = checks[1:]
		}
		last = p.window()
		if len(checks) == 0 {
			p.onACK = nil
		}
	}
	p.rounds(152)
	if len(checks) > 0 {
		t.Errorf("the curve ended before %v s", checks[0].at)
	}
}

// The time to regain 8333 segments (1 Gbit/s, 100 ms) after one loss.
func TestRecoveryTime(t *testing.T) {
	for _, c := range []struct {
		name    string
		after   float64
		seconds float64
	}{
		{"reno", 4166.5, 416.65},
		{"highspeed", 6503, 7.3},
		{"cubic", 5833.1, 18.42},
		{"cubic.linux", 5833.1, 18.42},
	} {
		p := atWindow(c.name, 8333, nil)
		near(t, c.name+" window after the cut", p.window(), c.after, 1e-4)
		if c.name == "reno" {
			p.perACK = 8 // octets count, so it is the same and quicker
		}
		n := 0
		for p.window() < 8332.99 && n < 1e5 {
			p.run()
			n++
		}
		near(t, c.name+" seconds", float64(n)*.1, c.seconds, .02+.1/c.seconds) // and a round, since it takes whole ones
	}
	p := newPath(make1("reno", cc.Params{InitialWindow: 416500, InitialSsthresh: 2000, PerACK: true}), 100*time.Millisecond)
	p.perACK = 2
	n := 0
	for ; p.window() < 833; n++ {
		p.run()
	}
	near(t, "reno per ACK, delayed ACKs, rounds", float64(n), 833, .01)
}

// The Reno-friendly region (RFC 9438 s.4.3) on a path so short that the curve stays below it: alpha = 0.529 segments a
// round from 70 to 100, the window before the cut, and 1 from there on. In Linux alpha stays 0.533,
// and the window follows a round behind.
func TestRenoFriendly(t *testing.T) {
	for _, c := range []struct {
		name         string
		rounds       int
		want, within float64
	}{
		{"cubic", 40, 91.2, .6}, {"cubic", 57, 100.2, .6}, {"cubic", 77, 120, 1},
		{"cubic.linux", 40, 90.8, .6}, {"cubic.linux", 77, 111, 1},
	} {
		p := atWindow(c.name, 100, nil)
		p.rtt, p.minRTT = time.Millisecond, time.Millisecond
		p.rounds(c.rounds)
		if got := p.window(); math.Abs(got-c.want) > c.within {
			t.Errorf("%s after %d rounds: window %.2f, want %.1f within %v", c.name, c.rounds, got, c.want, c.within)
		}
	}
}

// Fast convergence (RFC 9438 s.4.7): a loss below the last plateau leaves room for others.
func TestFastConvergence(t *testing.T) {
	p := atWindow("cubic", 1000, nil) // plateau 1000, window 700
	p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
	// Plateau 700*0.85 = 595 and window 490, so K = cbrt(105/0.4) = 6.40 s.
	start := p.start
	for p.window() < 594.99 {
		p.run()
	}
	near(t, "seconds to the plateau", p.start.Sub(start).Seconds(), 6.40, .05)
}

// After a timeout CUBIC slow-starts to the threshold and the plateau is where it ends (RFC 9438 s.4.8); Linux grows by at
// least 5 % a round from there.
func TestCubicAfterTimeout(t *testing.T) {
	for _, c := range []struct {
		name string
		lo   float64
		hi   float64
	}{{"cubic", 700, 716}, {"cubic.linux", 1100, 1180}} {
		p := newPath(make1(c.name, cc.Params{InitialWindow: 1000 * mss, InitialSsthresh: 1000 * mss}), 100*time.Millisecond)
		p.rounds(2)
		w := p.window()
		p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start})
		for p.window() < .7*w-.01 {
			p.run()
		}
		p.rounds(10)
		if got := p.window() * 1000 / w; got < c.lo || got > c.hi {
			t.Errorf("%s: window %.1f ten rounds after slow start, want %v to %v", c.name, got, c.lo, c.hi)
		}
	}
}

// Time in which the window could not grow does not advance the curve (RFC 9438 s.5.8).
func TestCubicIdle(t *testing.T) {
	for _, what := range []string{"idle", "application-limited"} {
		p, q := atWindow("cubic", 1000, nil), atWindow("cubic", 1000, nil)
		p.rounds(20)
		q.rounds(20)
		for range 50 {
			q.start = q.start.Add(time.Second)
			if what == "idle" { // shorter than the timeout, so the window stays
				q.c.OnSent(cc.Sent{Now: q.start, Bytes: mss, InFlight: mss, Idle: time.Second, RTO: 2 * time.Second})
			} else {
				q.c.OnAck(cc.Ack{Now: q.start, Acked: mss, PriorFlight: mss, SRTT: q.rtt, Round: q.round})
			}
		}
		p.run()
		q.run()
		if a, b := p.window(), q.window(); math.Abs(a-b) > 6.5 { // a round's growth
			t.Errorf("after 50 s %s the window is %.1f, without %.1f", what, b, a)
		}
	}
}
