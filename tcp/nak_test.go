package tcp

import (
	"fmt"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/wire"
)

// fox is RFC 1106's host with NAKs and that policy: Tahoe with one timer a connection, no SACK and no timestamps.
func fox(p Policy) Config {
	a, _ := cc.Find("tahoe")
	return Config{
		Algorithm: a, Recovery: DupACK, Policy: p, Enable: BigWindow | NAK,
		Disable:    Pacing | DelayedACK | Timestamps | SACK | WindowScaling | FRTO | HyStart,
		RecvBuffer: 1 << 20, SendBuffer: 1 << 20,
	}
}

// fill opens a connection with a window of that many segments in force on both sides, and returns a segment's size.
func (w *pair) fill(segments int, client, server Config) int {
	w.t.Helper()
	client.InitialWindow = segments
	w.connect(client, server)
	return w.ends[0].snd.mss
}

// naks returns the NAKs that side from has sent.
func (w *pair) naks(from int) (out []seen) {
	for _, s := range w.seen {
		if s.from == from && s.p.Options.Has(wire.OptNAK) {
			out = append(out, s)
		}
	}
	return out
}

// sentAgain returns the retransmissions of side 0, in order.
func (w *pair) sentAgain() (out []seen) {
	edge := -1
	for _, s := range w.data(0) {
		if o := w.offset(s); o <= edge {
			out = append(out, s)
		} else {
			edge = o
		}
	}
	return out
}

// TestR11NAKAtOnce: the segment that reveals a gap is answered in the same event with a NAK of the first missing octet and the
// number of missing segments; what 255 cannot say is NAKed when the left edge gets there (C-7).
func TestR11NAKAtOnce(t *testing.T) {
	for _, missing := range []int{1, 2, 7, 255, 300} {
		w := newPair(t, 50*time.Millisecond)
		mss := w.fill(400, fox(LossIsNoise), fox(LossIsNoise))
		var lost []int
		for i := range missing {
			lost = append(lost, (5+i)*mss)
		}
		w.filter = w.lose(lost...)
		w.transfer(600*mss, time.Minute)
		naks := w.naks(1)
		first := naks[0].p
		if first.Options.NAKSeq != first.Ack || first.Ack.Sub(w.ends[0].snd.iss+1) != 5*mss || int(first.Options.NAKCount) != min(missing, 255) {
			t.Errorf("%d missing: NAK of %d x %d", missing, first.Options.NAKSeq.Sub(w.ends[0].snd.iss+1)/mss, first.Options.NAKCount)
		}
		reveals := w.data(0)[5+missing]
		if got := naks[0].at.Sub(reveals.at); got != w.delay {
			t.Errorf("%d missing: NAK %v after the segment behind the gap left, want %v", missing, got, w.delay)
		}
		if want := (missing + 254) / 255; len(naks) != want {
			t.Errorf("%d missing: %d NAKs, want %d", missing, len(naks), want)
		}
		if got := w.ends[0].sent; got.Timeouts != 0 || int(got.Retransmissions) != missing {
			t.Errorf("%d missing: %d sent again, %d timeouts", missing, got.Retransmissions, got.Timeouts)
		}
	}
}

// TestR12LeftEdgeOnly: only the hole at the left edge is NAKed; the next one when it has become the left edge.
func TestR12LeftEdgeOnly(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(30, fox(LossIsNoise), fox(LossIsNoise))
	w.filter = w.lose(5*mss, 9*mss)
	w.transfer(60*mss, time.Minute)
	naks := w.naks(1)
	if len(naks) != 2 {
		t.Fatalf("%d NAKs, want 2", len(naks))
	}
	for i, at := range []int{5, 9} {
		o := naks[i].p.Options
		if got := o.NAKSeq.Sub(w.ends[0].snd.iss+1) / mss; got != at || o.NAKCount != 1 {
			t.Errorf("NAK %d: segment %d x %d, want %d", i, got, o.NAKCount, at)
		}
	}
	if got := naks[1].at.Sub(naks[0].at); got != 2*w.delay {
		t.Errorf("the second NAK %v after the first, want the round trip of the repair", got)
	}
}

// TestR13NAKOnce: 500 segments beyond one hole make one NAK, and half a hole filled makes none.
func TestR13NAKOnce(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(600, fox(LossIsNoise), fox(LossIsNoise))
	w.filter = w.lose(5*mss, 300*mss, 301*mss, 302*mss)
	w.transfer(506*mss, time.Minute)
	if got := len(w.naks(1)); got != 2 || w.ends[1].sent.NAKs != 2 {
		t.Errorf("%d NAKs for two holes", got)
	}
}

// TestR14NAKLost: a NAK is not repeated; when it is lost, the retransmission timer repairs the hole.
func TestR14NAKLost(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(30, fox(LossIsNoise), fox(LossIsNoise))
	w.filter = w.lose(2 * mss) // a first NAK switches the counting of duplicate ACKs off
	w.transfer(20*mss, time.Minute)
	lose := w.lose(25 * mss)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptNAK) {
			return true, 0
		}
		return lose(p, from)
	}
	w.transfer(40*mss, time.Minute)
	if got := w.ends[0].sent; got.Timeouts != 1 || len(w.naks(1)) != 2 {
		t.Errorf("%d timeouts, %d NAKs", got.Timeouts, len(w.naks(1)))
	}
}

// TestNAKsStopped: when something begins to take NAKs out of the way, the first loss costs a timeout, and later ones are found by
// duplicate ACKs again, those behind the timeout's own repair.
func TestNAKsStopped(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(30, fox(LossIsNoise), fox(LossIsNoise))
	w.filter = w.lose(2 * mss)
	w.transfer(20*mss, time.Minute)
	lose := w.lose(30*mss, 130*mss, 230*mss, 330*mss)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		p.Options.Set &^= wire.OptNAK
		return lose(p, from)
	}
	w.transfer(400*mss, time.Minute)
	if got := w.ends[0].sent; got.Timeouts != 1 || got.FastRetransmits < 3 {
		t.Errorf("%d timeouts, %d fast retransmits", got.Timeouts, got.FastRetransmits)
	}
}

// TestR15RepairFirst: a NAK has the missing segment sent again at once, before anything else, and then sending goes on
// where it was.
func TestR15RepairFirst(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(30, fox(LossIsNoise), fox(LossIsNoise))
	lose := w.lose(5 * mss)
	acks := time.Duration(0)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 {
			acks += time.Millisecond // so that what each ACK causes can be told apart
		}
		drop, _ := lose(p, from)
		return drop, acks * time.Duration(from)
	}
	w.transfer(100*mss, time.Minute)
	heard := w.naks(1)[0].at.Add(w.delay + 6*time.Millisecond)
	var after []int
	edge := 0
	for _, s := range w.data(0) {
		if s.at < heard {
			edge = max(edge, w.offset(s)/mss)
		} else if len(after) < 4 {
			after = append(after, w.offset(s)/mss)
			if len(after) == 1 && s.at != heard {
				t.Errorf("sent again %v after the NAK arrived", s.at.Sub(heard))
			}
		}
	}
	if want := fmt.Sprint([]int{5, edge + 1, edge + 2, edge + 3}); fmt.Sprint(after) != want {
		t.Errorf("after the NAK: segments %v, want %v", after, want)
	}
}

// TestR16SpuriousNAK: a segment that was only late costs one packet, whatever is late how often.
func TestR16SpuriousNAK(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	mss := w.fill(30, fox(LossIsNoise), fox(LossIsNoise))
	late := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.PayloadLen > 0 && w.offset(seen{p: *p})/mss%40 == 7 {
			late++
			return false, 20 * time.Millisecond
		}
		return false, 0
	}
	w.transfer(400*mss, time.Minute)
	w.run(time.Second)
	if got := w.ends[0].sent; got.Retransmissions == 0 || int(got.Retransmissions) > late/2 || got.Timeouts > 0 {
		t.Errorf("%d late segments (half of them retransmissions): %d sent again, %d timeouts", late, got.Retransmissions, got.Timeouts)
	}
	if d := w.ends[1].got.Duplicates; d != w.ends[0].sent.Retransmissions*int64(mss) {
		t.Errorf("%d octets arrived twice, %d were sent again", d, w.ends[0].sent.RetransBytes)
	}
}

// TestR17DuplicateACKs: after a NAK, hundreds of duplicate ACKs have nothing sent again and cut nothing; with counting left
// on, the third one does both (C-4). Whatever detects the loss.
func TestR17DuplicateACKs(t *testing.T) {
	for _, r := range []Recovery{DupACK, NewReno, SACK6675, RACK, FACK} {
		for _, count := range []bool{false, true} {
			w := newPair(t, 50*time.Millisecond)
			cfg := fox(LossIsCongestion)
			cfg.Recovery, cfg.NAKs.CountACKs = r, count
			plain := r == DupACK || r == NewReno
			if !plain {
				cfg.Disable &^= SACK // they need it, and go by it
			}
			mss := w.fill(300, cfg, cfg)
			w.filter = w.lose(5 * mss)
			w.transfer(250*mss, time.Minute)
			want := 1
			if count && plain {
				want = 2 // by the NAK, and by the third duplicate
			}
			if got := len(w.sentAgain()); r == DupACK && count && got < want || !(r == DupACK && count) && got != want {
				t.Errorf("recovery %d, counting %v: %d segments sent again, want %d", r, count, got, want)
			}
			if cuts := w.ends[0].subs[0].ep.cutAt; !count && cuts != w.naks(1)[0].at.Add(w.delay) {
				t.Errorf("recovery %d: the window was cut again at %v, after the NAK at %v", r, cuts, w.naks(1)[0].at)
			}
			if w.ends[0].sent.Timeouts > 0 {
				t.Errorf("recovery %d, counting %v: %d timeouts", r, count, w.ends[0].sent.Timeouts)
			}
		}
	}
}

// TestR18Independent: NAKs work with and without big windows, and the other way round; a peer that does not know NAKs gets
// none.
func TestR18Independent(t *testing.T) {
	for _, features := range []Feature{0, BigWindow, NAK, BigWindow | NAK} {
		w := newPair(t, 50*time.Millisecond)
		cfg := fox(LossIsNoise)
		cfg.Enable = features
		mss := w.fill(30, cfg, cfg)
		w.filter = w.lose(20 * mss)
		w.transfer(100*mss, time.Minute)
		if got := len(w.naks(1)) > 0; got != (features&NAK != 0) {
			t.Errorf("features %b: NAKs %v", features, got)
		}
		if got := w.ends[0].snd.maxWindow > 65535; got != (features&BigWindow != 0) {
			t.Errorf("features %b: largest window %d", features, w.ends[0].snd.maxWindow)
		}
	}
}

// nakOf returns an empty ACK from side 1 that NAKs count segments at offset.
func (w *pair) nakOf(offset, count int) *wire.Packet {
	c, e := w.ends[0], w.ends[1]
	p := &wire.Packet{Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: e.snd.nxt, Ack: c.snd.una}
	e.putWindow(p, e.rcv.edge.Sub(e.rcv.nxt))
	p.Options.Set |= wire.OptNAK
	p.Options.NAKSeq, p.Options.NAKCount = c.snd.iss.Add(1+offset), uint8(count)
	return p
}

// TestNAKBounds: a NAK counts only for what is outstanding, in whole segments of the sender's own, and not with a count of 0
// (C-7); forging it again and again sends each segment again once a round trip at most (C-21).
func TestNAKBounds(t *testing.T) {
	for _, c := range []struct{ offset, count, again, ignored int }{
		{0, 1, 1, 0}, {10, 3, 3, 0}, {18, 9, 2, 0}, {10, 0, 0, 1}, {-5, 1, 0, 1}, {20, 1, 0, 1}, {4000, 1, 0, 1}, {-4000, 200, 0, 1},
	} {
		w := newPair(t, 50*time.Millisecond)
		cfg := fox(LossIsNoise)
		mss := w.fill(20, cfg, cfg)
		w.ends[0].WriteSynthetic(20 * mss)
		w.ends[0].nak.seen = true // or the forged segments count as duplicate ACKs
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return p.PayloadLen > 0, 0 }
		w.run(110 * time.Millisecond)
		for range 50 { // the first is believed, the others are forged
			w.sides[0].Input(w.now, w.nakOf(c.offset*mss+1, c.count))
			w.run(time.Millisecond)
		}
		if got := len(w.sentAgain()); got != c.again || int(w.ends[0].got.NAKsIgnored) != 50*c.ignored {
			t.Errorf("NAK of %d x %d, 50 times: %d segments sent again, %d ignored", c.offset, c.count, got, w.ends[0].got.NAKsIgnored)
		}
		w.run(60 * time.Millisecond) // a round trip later they count once more, and no more than once
		before := len(w.sentAgain())
		for range 50 {
			w.sides[0].Input(w.now, w.nakOf(c.offset*mss+1, c.count))
			w.run(time.Millisecond)
		}
		if got := len(w.sentAgain()) - before; got != c.again {
			t.Errorf("NAK of %d x %d in the next round trip: %d segments sent again", c.offset, c.count, got)
		}
	}
}

// TestNAKOptions: a threshold spares what is only late (C-22), a repeated NAK repairs the loss of the repair without a timeout
// (C-8), and a sender may ignore NAKs, and then counts duplicate ACKs (C-23).
func TestNAKOptions(t *testing.T) {
	for _, c := range []struct {
		name              string
		client, server    NAKOptions
		late, lost, again int
		naks, timeouts    int64
	}{
		{"late", NAKOptions{}, NAKOptions{}, 1, 0, 1, 1, 0},
		{"late, threshold", NAKOptions{}, NAKOptions{Threshold: 3}, 1, 0, 0, 0, 0},
		{"lost, threshold", NAKOptions{}, NAKOptions{Threshold: 3}, 0, 1, 1, 1, 0},
		{"lost twice", NAKOptions{}, NAKOptions{}, 0, 2, 2, 1, 1},
		{"lost twice, repeat", NAKOptions{}, NAKOptions{Repeat: 1}, 0, 2, 2, 2, 0},
		{"lost three times, repeat", NAKOptions{}, NAKOptions{Repeat: 2}, 0, 3, 3, 3, 0},
		{"ignored", NAKOptions{Ignore: true}, NAKOptions{}, 0, 1, 1, 1, 0},
	} {
		w := newPair(t, 50*time.Millisecond)
		cfg, server := fox(LossIsNoise), fox(LossIsNoise)
		cfg.Recovery, cfg.NAKs, server.NAKs = NewReno, c.client, c.server
		cfg.Algorithm, _ = cc.Find("reno")
		cfg.Timers.RTOMin = 600 * time.Millisecond
		mss := w.fill(30, cfg, server)
		lost := 0
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 0 && p.PayloadLen > 0 && w.offset(seen{p: *p}) == 20*mss {
				if lost++; lost <= c.lost {
					return true, 0
				}
				if c.late > 0 && lost == 1 {
					w.ends[1].stack.wake(w.ends[1])
					return false, time.Microsecond // behind the other segments of the burst
				}
			}
			return false, 0
		}
		if c.late > 0 {
			lateBehindTwo(w, 20*mss, mss)
		}
		w.transfer(100*mss, time.Minute)
		in := w.ends[0].sent
		if len(w.sentAgain()) != c.again || w.ends[1].sent.NAKs != c.naks || in.Timeouts != c.timeouts {
			t.Errorf("%s: %d sent again, %d NAKs, %d timeouts; want %d, %d, %d",
				c.name, len(w.sentAgain()), w.ends[1].sent.NAKs, in.Timeouts, c.again, c.naks, c.timeouts)
		}
	}
}

// TestNAKOfWithheld: a receiver that NAKs a hole only when much lies beyond it does so when what was withheld is on its way
// already. That costs no retransmission and no cut: it cannot have been missed yet.
func TestNAKOfWithheld(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(RACK)
	cfg.Enable, cfg.InitialWindow = NAK|ACKCheck, 20
	w.connect(cfg, Config{Enable: NAK, Disable: DelayedACK, NAKs: NAKOptions{Threshold: 3}})
	w.transfer(4_000_000, time.Minute)
	if in := w.ends[0].sent; in.Withheld < 2 || w.ends[1].sent.NAKs == 0 || in.Retransmissions > 0 || in.FastRetransmits > 0 {
		t.Errorf("%d withheld, %d NAKs: %d sent again, %d fast retransmits", in.Withheld, w.ends[1].sent.NAKs, in.Retransmissions, in.FastRetransmits)
	}
}

// lateBehindTwo has the segment at that offset overtaken by the two behind it.
func lateBehindTwo(w *pair, offset, mss int) {
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from != 0 || p.PayloadLen == 0 {
			return false, 0
		}
		switch o := w.offset(seen{p: *p}); {
		case o == offset:
			return false, time.Microsecond
		case o > offset+2*mss:
			return false, 2 * time.Microsecond
		}
		return false, 0
	}
}

// TestNAKInOptions: NAK and upper window go before SACK blocks, which fill what is left of 40 octets (C-3).
func TestNAKInOptions(t *testing.T) {
	for _, c := range []struct {
		literal    bool
		ts         Feature
		withNAK    int
		withoutNAK int
	}{{false, 0, 1, 2}, {false, Timestamps, 2, 3}, {true, 0, 1, 2}, {true, Timestamps, 3, 4}} {
		e := wire.Encoding{Literal: c.literal}
		w := newPairOf(t, 50*time.Millisecond, StackConfig{Encoding: e})
		cfg := reno(RACK)
		cfg.Enable, cfg.Disable = BigWindow|NAK, cfg.Disable|c.ts
		mss := w.fill(30, cfg, cfg)
		w.filter = w.lose(1*mss, 3*mss, 5*mss, 7*mss, 9*mss, 11*mss)
		w.transfer(40*mss, time.Minute)
		most := map[bool]int{}
		for _, s := range w.seen {
			if n := s.p.Options.Len(e); n > wire.MaxOptions {
				t.Fatalf("%v: %d octets of options", s, n)
			}
			if nak := s.p.Options.Has(wire.OptNAK); s.from == 1 {
				most[nak] = max(most[nak], int(s.p.Options.NumSACK))
			}
		}
		if most[true] != c.withNAK || most[false] != c.withoutNAK {
			t.Errorf("literal %v, timestamps off %b: %v SACK blocks with and without a NAK, want %d and %d",
				c.literal, c.ts, most, c.withNAK, c.withoutNAK)
		}
	}
}
