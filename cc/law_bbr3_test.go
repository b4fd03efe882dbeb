package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// Startup doubles the rate every round and takes three more to see that the pipe is full (draft-ietf-ccwg-bbr s.5.3.1); Drain empties the
// queue, and what follows keeps none but while it probes. The estimate is the bottleneck's rate.
func TestBBR3Startup(t *testing.T) {
	for _, bdp := range []float64{83, 833, 3300} {
		p := piped("bbr3", bdp/.1, 100*time.Millisecond)
		rounds := uint64(0)
		p.onACK = func(a cc.Ack) {
			if rounds == 0 && p.c.Output().Phase != cc.Startup {
				rounds = a.Round - 1 // the initial window's own
			}
		}
		p.run(3 * time.Second)
		want := math.Log2(bdp/10) + 3
		if float64(rounds) < want-1 || float64(rounds) > want+2 {
			t.Errorf("BDP of %v segments: Startup took %d rounds, want %.1f", bdp, rounds, want)
		}
		near(t, "bandwidth", float64(cc.Bandwidth(p.c))/mss, p.rate, .05)
		p.queueSum = 0
		sent := p.sent
		p.onACK = nil
		if got := p.goodput(10 * time.Second); got < .95 {
			t.Errorf("BDP of %v segments: %.3f of the rate", bdp, got)
		}
		if queue := p.queueSum / float64(p.sent-sent); queue > .25*bdp {
			t.Errorf("%.1f segments queued in the mean, with a BDP of %v", queue, bdp)
		}
	}
}

// Losses of up to 2 % while it probes leave the long-term bound open; more close it. Between probes a round with losses takes 0.7 of the
// short-term bounds, but not below what it delivered, so that the rate falls as (1-p) a round until the next probe: after 25 rounds of 100 ms 0.778
// is left at 1 % loss, and the mean of a cycle is some 0.88 (draft-ietf-ccwg-bbr s.5.5.10).
func TestBBR3Loss(t *testing.T) {
	for loss, least := range map[float64]float64{0: .95, .001: .91, .005: .86, .01: .82} {
		p := piped("bbr3", 4000, 100*time.Millisecond)
		p.loss = loss
		p.run(10 * time.Second)
		if got := p.goodput(60 * time.Second); got < least {
			t.Errorf("loss %v: %.3f of the rate, want %v", loss, got, least)
		} else {
			t.Logf("loss %v: %.3f", loss, got)
		}
	}
	p := piped("bbr3", 4000, 100*time.Millisecond)
	p.loss = .05
	p.run(20 * time.Second)
	if got := p.goodput(40 * time.Second); got > .5 {
		t.Errorf("%.3f of the rate at 5 %% loss, which is more than it puts up with", got)
	}
}

// A buffer of a twentieth of the BDP overflows when it probes: the bound closes at what the path bears, and few segments are lost from there on.
// When the buffer grows the bound follows, by one segment, two, four, ... in successive rounds of probing.
func TestBBR3Bound(t *testing.T) {
	p := piped("bbr3", 2000, 100*time.Millisecond)
	p.buffer = 10
	p.run(10 * time.Second)
	long, _ := cc.BBR3(p.c)
	if got := float64(long) / mss; got < 160 || got > 225 {
		t.Errorf("bound of %.0f segments, where the path bears 210", got)
	}
	sent, dropped := p.sent, p.dropped
	if got := p.goodput(60 * time.Second); got < .85 {
		t.Errorf("%.3f of the rate", got)
	}
	if got := float64(p.dropped-dropped) / float64(p.sent-sent); got > .01 {
		t.Errorf("%.4f of what it sends is lost", got)
	}
	p.rate *= 3
	p.buffer = 500
	p.run(60 * time.Second)
	if got := p.goodput(20 * time.Second); got < .85 {
		t.Errorf("%.3f of three times the rate", got)
	}
	if grown, _ := cc.BBR3(p.c); grown < 2*long {
		t.Errorf("the bound went from %d to %d octets", long, grown)
	}
}

// It probes for bandwidth 2 to 3 s after the last probe or ProbeRTT on a long path, and on a short one, where Reno would notice the same sooner, once in at most 63 rounds.
func TestBBR3Cycle(t *testing.T) {
	for rtt, want := range map[time.Duration][2]float64{200 * time.Millisecond: {2, 6}, 20 * time.Millisecond: {.4, 1.8}} {
		p := piped("bbr3", 4000, rtt)
		p.run(5 * time.Second)
		probes, was := 0, false
		p.onACK = func(cc.Ack) {
			_, up := cc.BBR3(p.c)
			if up && !was {
				probes++
			}
			was = up
		}
		p.run(60 * time.Second)
		if gap := 60 / float64(probes); gap < want[0] || gap > want[1] {
			t.Errorf("RTT %v: a probe every %.2f s, want %v to %v", rtt, gap, want[0], want[1])
		}
	}
}

// ProbeRTT halves the flight for 200 ms and a round every 5 s, if nothing has shown the shortest round trip since.
func TestBBR3ProbeRTT(t *testing.T) {
	p := piped("bbr3", 2000, 50*time.Millisecond)
	p.run(10 * time.Second)
	probes, least := 0, int64(math.MaxInt64)
	phase := cc.ProbeBandwidth
	p.onACK = func(a cc.Ack) {
		p.rtt += time.Microsecond // so that no round trip is as short as the last
		o := p.c.Output()
		if o.Phase == cc.ProbeRTT {
			least = min(least, o.Window)
			if phase != cc.ProbeRTT {
				probes++
			}
		}
		phase = o.Phase
	}
	got := p.goodput(time.Minute)
	if probes < 10 || probes > 12 || least < 45*mss || least > 55*mss { // the smallest, when the path was shortest
		t.Errorf("%d probes in a minute with a window of %d at least, want 11 with half of 100 segments", probes, least)
	}
	if got < .93 {
		t.Errorf("%.3f of the rate", got)
	}
}

// A round with losses between two probes lowers the short-term bounds to 0.7 or what was delivered; the next probe lifts them. An undo gives
// back what the recovery took.
func TestBBR3ShortTerm(t *testing.T) {
	p := piped("bbr3", 4000, 100*time.Millisecond)
	p.run(10 * time.Second)
	for _, up := cc.BBR3(p.c); up; _, up = cc.BBR3(p.c) {
		p.run(100 * time.Millisecond)
	}
	p.run(400 * time.Millisecond)
	if flight, rate := cc.BBR3Short(p.c); flight != cc.Infinite || rate != cc.Infinite {
		t.Fatalf("short-term bounds %d and %d without loss", flight, rate)
	}
	bw := cc.Bandwidth(p.c)
	window := p.c.Output().Window
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: mss, TxInFlight: 400 * mss, LostSince: mss})
	p.run(250 * time.Millisecond)
	flight, rate := cc.BBR3Short(p.c)
	if flight == cc.Infinite || rate > bw || rate < bw*9/10 { // what was delivered is the whole rate, so 0.7 does not show
		t.Errorf("short-term bounds %d and %d after a loss, bandwidth %d", flight, rate, bw)
	}
	p.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: p.now})
	if flight, rate := cc.BBR3Short(p.c); flight != cc.Infinite || rate != cc.Infinite || p.c.Output().Window < window*9/10 {
		t.Errorf("short-term bounds %d and %d after the undo, window %d", flight, rate, p.c.Output().Window)
	}
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: mss, TxInFlight: 400 * mss, LostSince: mss})
	p.run(4 * time.Second)
	if flight, rate := cc.BBR3Short(p.c); flight != cc.Infinite || rate != cc.Infinite {
		t.Errorf("short-term bounds %d and %d after the next probe", flight, rate)
	}
}
