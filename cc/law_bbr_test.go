package cc_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"longhaul/cc"
)

// piped returns a pipe of that many segments a second under a controller of the named algorithm.
func piped(name string, rate float64, rtt time.Duration) *pipe {
	return newPipe(make1(name, cc.Params{Paced: true, Rand: rand.New(rand.NewPCG(7, 7))}), rate, rtt)
}

// Startup doubles the delivery rate every round, so that from 10 segments it takes log2(BDP / 10) rounds to fill the pipe and
// three more to see that it is full (ACM Queue 14(5), 2016). The estimate is then the bottleneck's rate.
func TestBBRStartup(t *testing.T) {
	for _, bdp := range []float64{83, 833, 3300} {
		p := piped("bbr", bdp/.1, 100*time.Millisecond)
		rounds := uint64(0)
		p.onACK = func(a cc.Ack) {
			if rounds == 0 && p.c.Output().Phase != cc.Startup {
				rounds = a.Round - 1 // the initial window's own
			}
		}
		p.run(3 * time.Second)
		want := math.Log2(bdp/10) + 3
		if float64(rounds) < want || float64(rounds) > want+2 {
			t.Errorf("BDP of %v segments: Startup took %d rounds, want %.1f", bdp, rounds, want)
		}
		near(t, "bandwidth", float64(cc.Bandwidth(p.c))/mss, p.rate, .05)
	}
}

// At random loss p the probing phase still delivers the bandwidth while 1.25 x 0.99 x (1 - p) >= 1, so up to 19 %; what is
// delivered is (1 - p) of what is sent.
func TestBBRLoss(t *testing.T) {
	for loss, least := range map[float64]float64{0: .95, .01: .93, .05: .9, .15: .8} {
		p := piped("bbr", 1000, 100*time.Millisecond)
		p.loss = loss
		p.run(5 * time.Second)
		if got := p.goodput(40 * time.Second); got < least {
			t.Errorf("loss %v: %.3f of the rate, want %v", loss, got, least)
		}
	}
}

// ProbeRTT costs some 200 ms and a round trip of a window of four segments every 10 s, about 2 %. A lone flow on a quiet path sees
// the round trip whenever its cycle drains the queue, and never has to probe: here every ACK makes the path a microsecond
// longer, which is a millisecond a second.
func TestBBRProbeRTT(t *testing.T) {
	p := piped("bbr", 1000, 50*time.Millisecond)
	if got := p.goodput(50 * time.Second); got < .98 {
		t.Errorf("%.3f of the rate of a quiet path", got)
	}
	probes, least := 0, int64(math.MaxInt64)
	phase := cc.ProbeBandwidth
	var spent time.Duration
	last := p.now
	p.onACK = func(a cc.Ack) {
		p.rtt += time.Microsecond
		o := p.c.Output()
		if o.Phase == cc.ProbeRTT {
			least = min(least, o.Window)
			spent += a.Now.Sub(last)
			if phase != cc.ProbeRTT {
				probes++
			}
		}
		phase, last = o.Phase, a.Now
	}
	got := p.goodput(60 * time.Second)
	if probes < 5 || probes > 6 || least != 4*mss {
		t.Errorf("%d probes in a minute with a window of %d at least, want 5 or 6 with 4 segments", probes, least)
	}
	near(t, "time of a probe", spent.Seconds()/float64(probes), .25, .1)
	near(t, "goodput", got, .97, .02)
}

// After idle time the flow goes on at the bandwidth that it knows, without gain, and that is not the time to measure the round trip.
func TestBBRIdle(t *testing.T) {
	p := piped("bbr", 1000, 50*time.Millisecond)
	p.run(5 * time.Second)
	bw := cc.Bandwidth(p.c)
	now := p.now.Add(20 * time.Second)
	p.c.OnSent(cc.Sent{Now: now, Bytes: mss, InFlight: mss, Idle: 20 * time.Second, RTO: time.Second})
	near(t, "rate", float64(p.c.Output().PacingRate), .99*float64(bw), .001)
	p.c.OnAck(cc.Ack{Now: now.Add(p.rtt), Acked: mss, Delivered: mss, RTT: p.rtt, SRTT: p.rtt, PriorFlight: mss, Round: p.round + 1})
	if got := p.c.Output().Phase; got != cc.ProbeBandwidth {
		t.Errorf("%v on the first ACK after idle time", got)
	}
}

// Recovery keeps to what arrives for a round and then gives back the window; a timeout leaves what is in flight and a segment.
func TestBBRRecovery(t *testing.T) {
	p := piped("bbr", 1000, 50*time.Millisecond)
	p.run(5 * time.Second)
	before := p.c.Output().Window
	ack := cc.Ack{Now: p.now, Acked: mss, Delivered: mss, RTT: p.rtt, SRTT: p.rtt, InFlight: 20 * mss, PriorFlight: 21 * mss, Round: p.round, State: cc.Recovery}
	ack.Rate.TotalDelivered = p.delivered
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: 3 * mss})
	p.c.OnAck(ack)
	if got := p.c.Output(); got.Window != 21*mss || !got.Direct {
		t.Errorf("%+v at the start of recovery with %d in flight and %d delivered", got, ack.InFlight, mss)
	}
	ack.State = cc.Open // an undone recovery has no Exited
	p.c.OnAck(ack)
	if got := p.c.Output().Window; got < before-6*mss {
		t.Errorf("window %d after recovery, %d before", got, before)
	}
	before = p.c.Output().Window
	p.c.OnSent(cc.Sent{Now: p.now, Bytes: mss, InFlight: 7 * mss})
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: 2 * mss, Timer: true})
	p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.now})
	if got := p.c.Output().Window; got != 6*mss {
		t.Errorf("window %d after a timeout with 5 segments in flight", got)
	}
	p.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: p.now})
	if got := p.c.Output().Window; got != before {
		t.Errorf("window %d after the undo, %d before", got, before)
	}
}

// Without random numbers there still is a first phase, and the state is small, since idle connections keep it.
func TestModelState(t *testing.T) {
	c := make1("bbr", cc.Params{})
	p := newPipe(c, 1000, 50*time.Millisecond)
	if got := p.goodput(20 * time.Second); got < .85 {
		t.Errorf("%.3f of the rate without random numbers", got)
	}
	if n := unsafe.Sizeof(cc.BBR{}); n > 400 {
		t.Errorf("%d octets of state", n)
	}
}
