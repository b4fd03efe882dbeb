package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// TestDelayUnderNoise: a timeout that was only a delay has nothing but its own segment sent again, whatever the policy (R19): the
// timestamps tell that the originals answered.
func TestDelayUnderNoise(t *testing.T) {
	for _, p := range []Policy{LossIsCongestion, LossIsNoise} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(RACK)
		cfg.Policy = p
		mss := w.fill(100, cfg, cfg)
		w.transfer(100*mss, time.Minute)
		from := w.now
		w.filter = func(_ *wire.Packet, side int) (bool, time.Duration) {
			if d := from.Add(700 * time.Millisecond).Sub(w.now); side == 1 && d > 0 { // the ACK path is held up; nothing is lost
				return false, d
			}
			return false, 0
		}
		w.transfer(100*mss, time.Minute)
		w.run(2 * time.Second)
		in := w.ends[0].sent
		if in.Timeouts == 0 || in.Retransmissions > 5 {
			t.Errorf("policy %d: nothing was lost; %d timeouts, %d segments sent again", p, in.Timeouts, in.Retransmissions)
		}
	}
}

// TestNAKLostForTwo: the NAK for two segments is lost; the answer to the timeout's repair NAKs the second, so that the sender
// does not take the whole flight for lost (R14, C-8).
func TestNAKLostForTwo(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	mss := w.fill(100, cfg, cfg)
	w.ends[0].nak.seen = true // a NAK was seen before
	lose, n := w.lose(5*mss, 6*mss), 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptNAK) {
			n++
			return n == 1, 0
		}
		return lose(p, from)
	}
	w.transfer(100*mss, time.Minute)
	in := w.ends[0].sent
	if in.Retransmissions > 3 {
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

// TestNAKCountOfSmall: small segments lost among large ones are counted too low; the rest is NAKed when the left edge gets there (C-7).
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

// TestForgedFallback: segments without the upper window and with an unacceptable acknowledgement do not turn big windows off (C-6).
func TestForgedFallback(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(big(1<<20), big(1<<20))
	w.transfer(100_000, time.Minute)
	w.run(time.Second)
	c := w.ends[0]
	for range maxBare { // a blind forger: in the window by sequence number, any acknowledgement
		p := wire.Packet{Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: c.rcv.nxt + 500_000, Ack: c.snd.nxt + 1_000_000}
		w.sides[0].Input(w.now, &p)
	}
	w.run(time.Second)
	if c.on&BigWindow == 0 {
		t.Errorf("forged segments with an unacceptable ACK: big windows off (peer's too: %v), window %d", w.ends[1].on&BigWindow == 0, c.snd.window)
	}
}

// TestFirstFlightWithinB: what option B of the SYN-ACK offers is taken before the server has sent anything else (R5, C-5).
func TestFirstFlightWithinB(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := big(1 << 20)
	cfg.InitialWindow = 1000
	w.connect(cfg, big(1<<20))
	w.ends[0].WriteSynthetic(500_000)
	for {
		var p wire.Packet
		if ok, _ := w.sides[0].Poll(w.now, &p); !ok {
			break
		}
		w.sides[1].Input(w.now, &p) // the driver reads a batch before it polls
	}
	if e := w.ends[1]; e.got.OutOfWindow > 0 || e.got.Bytes != 500_000 {
		t.Errorf("option B offered %d octets: %d of 500000 taken, %d segments rejected", w.seen[1].p.Options.BigWindow, e.got.Bytes, e.got.OutOfWindow)
	}
}

// TestBigWindowCounters: a window beyond 2^30 in option B is counted (C-1), and a SYN does not count as lacking the upper window (C-6).
func TestBigWindowCounters(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptBigWindow) {
			p.Options.BigWindow = 1<<32 - 1
		}
		return false, 0
	}
	w.connect(big(1<<20), big(1<<20))
	if w.ends[0].got.WindowsClamped != 1 {
		t.Errorf("option B of 2^32-1: %d clamped", w.ends[0].got.WindowsClamped)
	}
	w = newPair(t, time.Millisecond)
	for i := range w.ends {
		w.ends[i], _ = w.sides[i].Dial(0, addrs[i], addrs[1-i], big(300_000))
	}
	w.run(time.Second)
	if w.ends[0].got.Bare != 0 || w.ends[1].got.Bare != 0 {
		t.Errorf("simultaneous open: %d and %d bare segments", w.ends[0].got.Bare, w.ends[1].got.Bare)
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

// TestNAKRepeatWithoutRTT: before the first sample of the round trip, a NAK is not repeated before the RTO (C-8).
func TestNAKRepeatWithoutRTT(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	cfg.NAKs.Repeat = 2
	cfg.InitialWindow = 30
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { n++; return n == 2, 0 } // the SYN-ACK
	w.connect(cfg, cfg)
	mss := w.ends[0].snd.mss
	w.filter = w.lose(2 * mss)
	w.transfer(10*mss, time.Minute)
	naks := w.naks(1)
	if len(naks) != 1 {
		for _, k := range naks {
			t.Log(k.at, k.p.Options.NAKSeq)
		}
		t.Errorf("%d NAKs, the second %v after the first; receiver's rtt %v", len(naks), naks[1].at.Sub(naks[0].at), w.ends[1].rcv.rtt)
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
	lose := w.lose(0, 4*mss)
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptNAK) {
			n++
			return n == 1, 0
		}
		return lose(p, from)
	}
	w.transfer(60*mss, time.Minute)
	naks := w.naks(1)
	heard := naks[1].at.Add(w.delay)
	for _, s := range w.data(0) {
		if s.at >= heard {
			if w.offset(s) != 4*mss {
				t.Errorf("after the NAK of segment 4 was heard at %v, segment %d leaves", heard, w.offset(s)/mss)
			}
			break
		}
	}
}

// TestFRTOWithoutSACK: F-RTO that ends by a duplicate ACK (RFC 5682 s.2.1 step 3a) repairs at once, with no further timeout.
func TestFRTOWithoutSACK(t *testing.T) {
	var took [2]int64
	for i, off := range []Feature{FRTO, 0} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(NewReno)
		cfg.Disable |= SACK | Timestamps | off
		mss := w.fill(20, cfg, cfg)
		start, lose := w.now, w.lose(0, 4*mss)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 1 && w.now < start.Add(200*time.Millisecond) { // the first flight's ACKs are lost too
				return true, 0
			}
			return lose(p, from)
		}
		w.transfer(60*mss, time.Minute)
		took[i] = w.ends[0].sent.Timeouts
	}
	if took[1] > took[0] {
		t.Errorf("%d timeouts without F-RTO, %d with it", took[0], took[1])
	}
}

// TestFallbackGivesBack: a connection that falls back to windows of 16 bits gives back its quota (R9, C-6).
func TestFallbackGivesBack(t *testing.T) {
	w := newPairOf(t, 10*time.Millisecond, StackConfig{WindowMemory: 8 << 20})
	w.connect(big(1<<20), big(1<<20))
	w.filter = bare(1)
	w.transfer(2_000_000, time.Minute)
	c := w.ends[0]
	if c.on&BigWindow == 0 && c.rcv.limit > freeWindow {
		t.Errorf("16-bit windows, and the receive buffer still holds %d octets of quota", c.rcv.limit)
	}
}
