package tcp

import (
	"slices"
	"testing"
	"time"

	"longhaul/wire"
)

// firstNAKLost loses the first NAK, and what lose does.
func firstNAKLost(lose func(*wire.Packet, int) (bool, time.Duration)) func(*wire.Packet, int) (bool, time.Duration) {
	lost := false
	return func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptNAK) && !lost {
			lost = true
			return true, 0
		}
		return lose(p, from)
	}
}

// TestNAKLostForTwo: the NAK for two segments is lost; the answer to the timeout's repair NAKs the second, so that the sender
// does not take the whole flight for lost (R14, C-8).
func TestNAKLostForTwo(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	mss := w.fill(100, cfg, cfg)
	w.ends[0].nak.seen = true // a NAK was seen before
	w.filter = firstNAKLost(w.lose(5*mss, 6*mss))
	w.transfer(100*mss, time.Minute)
	in := w.ends[0].sent
	if in.Timeouts == 0 || in.Retransmissions > 3 {
		t.Errorf("two segments and the NAK lost: %d sent again, %d timeouts", in.Retransmissions, in.Timeouts)
	}
}

// TestNAKRepairsRestartTimer: holes that are repaired one a round trip, each after its NAK, bring no timeout (R22, C-19).
func TestNAKRepairsRestartTimer(t *testing.T) {
	for _, r := range []Recovery{DupACK, NewReno} {
		w := newPair(t, 290*time.Millisecond)
		cfg := reno(r)
		cfg.Policy, cfg.Enable, cfg.Disable = LossIsNoise, NAK|BigWindow, cfg.Disable|SACK|Timestamps|FRTO
		mss := w.fill(60, cfg, cfg)
		w.filter = w.lose(5*mss, 9*mss, 13*mss, 17*mss, 21*mss, 25*mss)
		w.transfer(60*mss, time.Minute)
		in := w.ends[0].sent
		if in.Timeouts > 0 || in.Retransmissions != 6 {
			t.Errorf("recovery %d: %d timeouts, %d sent again; every hole was NAKed and repaired in a round trip", r, in.Timeouts, in.Retransmissions)
		}
	}
}

// TestNAKCountAmongSmall: a large segment lost between small ones is one segment (R11, C-7).
func TestNAKCountAmongSmall(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	mss := w.fill(300, cfg, cfg)
	c := w.ends[0]
	put := func(n int) { c.WriteSynthetic(n); w.run(time.Microsecond) }
	w.filter = w.lose(20)
	put(10)
	put(10)
	put(mss) // lost
	put(10)
	for range 100 {
		put(mss)
	}
	w.run(5 * time.Second)
	if got := c.sent.Retransmissions; got > 3 {
		t.Errorf("one segment lost, %d sent again; NAK count %d", got, w.naks(1)[0].p.Options.NAKCount)
	}
}

// TestNAKCountOfSmall: small segments lost among large ones are counted too low; the rest is NAKed when the left edge gets
// there (C-7).
func TestNAKCountOfSmall(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	mss := w.fill(300, cfg, cfg)
	c := w.ends[0]
	put := func(n int) { c.WriteSynthetic(n); w.run(time.Microsecond) }
	w.filter = w.lose(2*mss, 2*mss+10, 2*mss+20)
	put(mss)
	put(mss)
	put(10)
	put(10)
	put(10)
	for range 100 {
		put(mss)
	}
	w.run(5 * time.Second)
	if got := c.sent; got.Timeouts > 0 || got.Retransmissions > 3 {
		t.Errorf("three segments of 10 lost: %d sent again, %d timeouts; first NAK's count %d, %d NAKs",
			got.Retransmissions, got.Timeouts, w.naks(1)[0].p.Options.NAKCount, len(w.naks(1)))
	}
}

// TestForgedNAKsWithoutRTT: before the first sample of the round trip, forged NAKs send each segment again once at most (C-21).
func TestForgedNAKsWithoutRTT(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	cfg.InitialWindow = 20
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { n++; return n == 1, 0 }
	w.connect(cfg, cfg)
	mss := w.ends[0].snd.mss
	w.ends[0].WriteSynthetic(20 * mss)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return p.PayloadLen > 0, 0 }
	w.run(110 * time.Millisecond)
	before := len(w.data(0))
	for range 50 {
		w.sides[0].Input(w.now, w.nakOf(0, 255))
		w.run(time.Millisecond)
	}
	if got := len(w.sentAgain()); got > before {
		t.Errorf("%d segments outstanding, 50 NAKs within 50 ms: %d sent again; minRTT %v", before, got, w.ends[0].rtt.minRTT)
	}
}

// TestNAKWithoutRTT: before the first sample of the round trip a hole, of one segment or two, is NAKed once until an RTO has
// passed (R13, C-8).
func TestNAKWithoutRTT(t *testing.T) {
	for _, segments := range []int{1, 2} {
		w := newPair(t, 50*time.Millisecond)
		cfg := fox(LossIsNoise)
		cfg.NAKs.Repeat = 2
		cfg.InitialWindow = 30
		n := 0
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { n++; return n == 2, 0 } // the SYN-ACK
		w.connect(cfg, cfg)
		mss := w.ends[0].snd.mss
		w.filter = w.lose([]int{2 * mss, 3 * mss}[:segments]...)
		w.transfer(10*mss, time.Minute)
		if naks, again := w.naks(1), w.sentAgain(); len(naks) != 1 || len(again) != segments {
			t.Errorf("hole of %d segments: %d NAKs, %d segments sent again: %v", segments, len(naks), len(again), naks)
		}
	}
}

// TestNAKOutOfWindow: only a NAK of an acceptable segment is acted upon (C-21).
func TestNAKOutOfWindow(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	mss := w.fill(20, cfg, cfg)
	w.ends[0].WriteSynthetic(20 * mss)
	w.run(10 * time.Millisecond)
	p := w.nakOf(5*mss, 3)
	p.Seq = w.ends[0].rcv.nxt - 500_000_000
	w.sides[0].Input(w.now, p)
	if c := w.ends[0]; c.got.OutOfWindow != 1 || c.got.NAKs != 0 {
		t.Errorf("out of window %d, NAKs acted upon %d", c.got.OutOfWindow, c.got.NAKs)
	}
}

// TestFRTOHeedsNAK: F-RTO does not hold back what a NAK asks for (R15).
func TestFRTOHeedsNAK(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(NewReno)
	cfg.Enable, cfg.Disable = NAK, cfg.Disable|SACK|Timestamps
	mss := w.fill(20, cfg, cfg)
	w.ends[0].nak.seen = true
	w.filter = firstNAKLost(w.lose(0, 4*mss))
	w.transfer(60*mss, time.Minute)
	naks := w.naks(1)
	if len(naks) < 2 {
		t.Fatalf("%d NAKs; the first was lost, so the answer to the timeout has the second", len(naks))
	}
	heard := naks[1].at.Add(w.delay)
	sent := w.data(0)
	next := slices.IndexFunc(sent, func(s seen) bool { return s.at >= heard })
	if next < 0 || w.offset(sent[next]) != 4*mss {
		t.Errorf("after the NAK of segment 4 was heard at %v, packet %d of %v leaves", heard, next, sent)
	}
}
