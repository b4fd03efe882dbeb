package cc

import (
	"testing"
	"time"
)

// RFC 9406 s.4.2: an eighth of the last round's RTT, between 4 and 16 ms.
func TestHystartThreshold(t *testing.T) {
	for _, c := range []struct{ rtt, want time.Duration }{
		{time.Millisecond, 4 * time.Millisecond},
		{20 * time.Millisecond, 4 * time.Millisecond},
		{50 * time.Millisecond, 6250 * time.Microsecond},
		{100 * time.Millisecond, 12500 * time.Microsecond},
		{128 * time.Millisecond, 16 * time.Millisecond},
		{600 * time.Millisecond, 16 * time.Millisecond},
	} {
		h := newHystart(true)
		feed := func(round uint64, rtt time.Duration) {
			for range 8 {
				h.onAck(&Ack{Round: round, RTT: rtt})
			}
		}
		feed(1, c.rtt)
		feed(2, c.rtt+c.want-1)
		if h.css {
			t.Errorf("RTT %v: a rise of %v ended slow start", c.rtt, c.want-1)
		}
		feed(3, c.rtt)
		feed(4, c.rtt+c.want)
		if !h.css {
			t.Errorf("RTT %v: a rise of %v did not end slow start", c.rtt, c.want)
		}
	}
}

// trip is one round of slow start on a path of 1000-octet segments: the window is acknowledged segment by segment.
func trip(c Controller, round uint64, rtt time.Duration) Output {
	w := c.Output().Window
	for n := w / 1000; n > 0; n-- {
		c.OnAck(Ack{Acked: 1000, PriorFlight: w, RTT: rtt, SRTT: rtt, MinRTT: rtt, Round: round, CwndLimited: true})
	}
	return c.Output()
}

const (
	flat  = 100 * time.Millisecond
	risen = 120 * time.Millisecond
)

// Five rounds of conservative slow start multiply the window by 1.25 each, then ssthresh is where it stands. The
// first is a partial one: its first seven ACKs still count in full.
func TestConservativeSlowStart(t *testing.T) {
	for _, name := range []string{"cubic", "cubic.linux"} {
		a, _ := Find(name)
		c := a.New(Params{MSS: 1000, InitialWindow: 64000, HyStart: true, Paced: true})
		if o := trip(c, 1, flat); o.Window != 128000 || o.Phase != SlowStart {
			t.Fatalf("%+v after a round of slow start", o)
		}
		w := int64(128000)
		for round := uint64(2); round <= 6; round++ {
			want := w + w/1000*250
			if round == 2 {
				want += 7 * 750
			}
			o := trip(c, round, risen)
			if o.Window != want || o.Phase != ConservativeSlowStart || o.Ssthresh != Infinite {
				t.Fatalf("%s, round %d: %+v, want window %d", name, round, o, want)
			}
			w = want
		}
		if ratio := float64(w) / (128000 + 7*750); ratio < 3.0 || ratio > 3.06 {
			t.Errorf("five rounds multiply the window by %.3f, want 1.25^5 = 3.05", ratio)
		}
		c.OnAck(Ack{Acked: 1000, PriorFlight: w, RTT: risen, SRTT: risen, MinRTT: flat, Round: 7, CwndLimited: true})
		if o := c.Output(); o.Phase != Avoidance || o.Ssthresh != w {
			t.Errorf("%s: %+v after five rounds, want congestion avoidance from %d", name, o, w)
		}
	}
}

// A rise that goes away was jitter: slow start goes on (RFC 9406 s.4.2), and a later rise counts anew.
func TestSlowStartResumes(t *testing.T) {
	c := newCubic(Params{MSS: 1000, InitialWindow: 16000, HyStart: true, Paced: true}, false)
	trip(c, 1, flat)
	if o := trip(c, 2, risen); o.Phase != ConservativeSlowStart {
		t.Fatalf("%v after a rise", o.Phase)
	}
	trip(c, 3, risen)
	if o := trip(c, 4, flat); o.Phase != SlowStart {
		t.Fatalf("%v after the rise is over", o.Phase)
	}
	if o := trip(c, 5, risen); o.Phase != ConservativeSlowStart || c.hy.rounds != 0 {
		t.Fatalf("%v, %d rounds after a second rise", o.Phase, c.hy.rounds)
	}
}

// Fewer than eight samples decide nothing, and ACKs without a sample do not count (RFC 9406 s.4.2).
func TestHystartNeedsSamples(t *testing.T) {
	c := newCubic(Params{MSS: 1000, InitialWindow: 7000, HyStart: true}, false)
	trip(c, 1, flat)
	h := &c.hy
	for i := range 20 {
		h.onAck(&Ack{Round: 2, RTT: risen * time.Duration(i%2)}) // ten samples, ten ACKs without
		if css := i >= 15; h.css != css {
			t.Fatalf("ACK %d: conservative slow start %v, want %v", i, h.css, css)
		}
	}
}

// A loss ends it for good; later slow starts are ordinary (RFC 9406 s.4.3). An undone loss does not.
func TestHystartOnlyOnce(t *testing.T) {
	for _, undone := range []bool{false, true} {
		c := newCubic(Params{MSS: 1000, InitialWindow: 64000, HyStart: true, Paced: true}, false)
		trip(c, 1, flat)
		c.OnCongestion(Congestion{Kind: Timeout})
		if undone {
			c.OnCongestion(Congestion{Kind: Undo})
		}
		for round := uint64(2); round < 8; round++ {
			trip(c, round, flat)
		}
		if o := trip(c, 8, risen); (o.Phase == ConservativeSlowStart) != undone {
			t.Errorf("timeout undone %v: %v in the next slow start", undone, o.Phase)
		}
	}
}

func TestCbrt(t *testing.T) {
	for _, x := range []float64{1e-12, .001, 1, 2, 27, 750, 1e6, 1.5e15} {
		y := cbrt(x)
		if r := y * y * y / x; r < 1-1e-14 || r > 1+1e-14 {
			t.Errorf("cbrt(%v) = %v, its cube is off by %v", x, y, r-1)
		}
	}
}
