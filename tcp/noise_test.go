package tcp

import (
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/wire"
)

// TestR19LossPolicy: whether a loss shrinks the window is the policy's to say, and is the same with NAKs and without,
// whatever finds the loss. It is set for each connection.
func TestR19LossPolicy(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, DupACK} {
		for _, nak := range []Feature{0, NAK} {
			for _, p := range []Policy{LossIsCongestion, LossIsNoise, TimeoutIsCongestion} {
				w := newPair(t, 50*time.Millisecond)
				cfg := reno(r)
				cfg.Policy, cfg.Enable = p, nak
				w.connect(cfg, cfg)
				mss := w.ends[0].snd.mss
				w.filter = w.lose(30 * mss)
				w.transfer(100*mss, time.Minute)
				in := w.ends[0].Info()
				if cut := in.Ssthresh != cc.Infinite; cut != (p == LossIsCongestion) || in.Sent.FastRetransmits != 1 || in.Sent.Timeouts != 0 {
					t.Errorf("recovery %d, NAK %v, policy %d: ssthresh %d after %d episodes and %d timeouts",
						r, nak != 0, p, in.Ssthresh, in.Sent.FastRetransmits, in.Sent.Timeouts)
				}
				if got := w.ends[0].got.NAKs; (got > 0) != (nak != 0) {
					t.Errorf("recovery %d: %d NAKs", r, got)
				}
			}
		}
	}
}

// TestR22NoTimeoutBeforeRepair: on a path of constant 580 ms one loss is repaired without a timeout, with windows from half
// the path to twice of it, with 4.3BSD's clock and with today's: the timer starts again with the repair and leaves
// room for its acknowledgement (C-19).
func TestR22NoTimeoutBeforeRepair(t *testing.T) {
	for _, coarse := range []Feature{0, CoarseClock} {
		for _, window := range []int{54, 109, 156, 218} {
			w := newPair(t, 290*time.Millisecond)
			cfg := fox(LossIsNoise)
			cfg.Enable |= coarse
			mss := w.fill(window, cfg, cfg)
			w.ends[1].rcv.limit = window * mss
			w.filter = w.lose(300 * mss)
			w.transfer(1000*mss, 10*time.Minute)
			if got := w.ends[0].sent; got.Timeouts != 0 || got.Retransmissions != 1 {
				t.Errorf("coarse %v, window of %d segments: %d timeouts, %d sent again", coarse != 0, window, got.Timeouts, got.Retransmissions)
			}
		}
	}
}

// TestNoiseTimeout: under noise the first timeout sends the first hole again and keeps the window; the second in a row
// collapses it, or the first one where each timeout counts as congestion (C-17).
func TestNoiseTimeout(t *testing.T) {
	for _, c := range []struct {
		policy         Policy
		silent         time.Duration // how long after the flight nothing passes
		cut            bool
		timeouts       int64
		windowSegments int64 // at least, after the transfer
	}{
		{LossIsNoise, 300 * time.Millisecond, false, 1, 40},
		{LossIsNoise, 800 * time.Millisecond, true, 2, 1},
		{TimeoutIsCongestion, 300 * time.Millisecond, true, 1, 1},
	} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(NewReno)
		cfg.Policy, cfg.Disable = c.policy, cfg.Disable|SACK|FRTO
		mss := w.fill(40, cfg, reno(NewReno))
		end := w.now.Add(c.silent)
		lose := w.lose(39 * mss) // the last of the flight: nothing follows that could tell of it
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			drop, _ := lose(p, from)
			return drop || from == 0 && w.offset(seen{p: *p}) == 39*mss && w.now < end, 0
		}
		w.transfer(40*mss, time.Minute)
		in := w.ends[0].Info()
		if cut := in.Ssthresh != cc.Infinite; cut != c.cut || in.Sent.Timeouts != c.timeouts || in.Window < c.windowSegments*int64(mss) {
			t.Errorf("policy %d, silence of %v: cut %v, %d timeouts, window %d", c.policy, c.silent, cut, in.Sent.Timeouts, in.Window/int64(mss))
		}
	}
}

// TestNoiseTimeoutAfterOutage: when the retransmission of a timeout is acknowledged and nothing tells of the next hole, all of
// the flight was lost, and it is sent again without a timeout for each segment; when a NAK tells, only that is (C-17).
func TestNoiseTimeoutAfterOutage(t *testing.T) {
	for _, c := range []struct {
		name  string
		lost  func(segment int) bool
		off   Feature
		again int
	}{
		{"all", func(int) bool { return true }, 0, 40},
		{"all, no SACK", func(int) bool { return true }, SACK, 40},
		{"first and fifth, and the NAK, no SACK", func(n int) bool { return n == 0 || n == 4 }, SACK, 2},
	} {
		for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, DupACK} {
			w := newPair(t, 50*time.Millisecond)
			cfg := reno(r)
			cfg.Policy, cfg.Enable, cfg.Disable = LossIsNoise, NAK, cfg.Disable|c.off
			mss := w.fill(40, cfg, cfg)
			start := w.now
			w.ends[0].nak.seen = true // so that duplicate ACKs count no more
			w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
				early := w.now < start.Add(200*time.Millisecond)
				if from == 1 && early {
					p.Options.Set &^= wire.OptNAK
				}
				return early && from == 0 && p.PayloadLen > 0 && c.lost(w.offset(seen{p: *p})/mss), 0
			}
			w.transfer(40*mss, time.Minute)
			in := w.ends[0].sent
			timeouts := int64(1)
			if r == RACK && c.off == 0 {
				timeouts = 0 // the tail loss probe comes first
			}
			if len(w.sentAgain()) != c.again || in.Timeouts != timeouts || w.now.Sub(start) > 900*time.Millisecond {
				t.Errorf("%s, recovery %d: %d sent again, %d timeouts, %v", c.name, r, len(w.sentAgain()), in.Timeouts, w.now.Sub(start))
			}
		}
	}
}

// TestNoisePacing: the pacer under the noise policy goes by what the peer's window has been, so that a window that closes for
// a while does not slow it to nothing.
func TestNoisePacing(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	cfg := reno(RACK)
	cfg.Policy, cfg.Disable = LossIsNoise, DelayedACK
	w.connect(cfg, Config{RecvBuffer: 60_000})
	left := 2_000_000
	slowest := int64(1 << 62)
	for range 20 { // the application reads now and then
		left -= w.ends[0].WriteSynthetic(left)
		w.run(200 * time.Millisecond)
		slowest = min(slowest, w.ends[0].Info().PacingRate)
		_, _ = w.ends[1].Discard(1 << 20)
	}
	if want := int64(60_000 / 0.1); slowest < want {
		t.Errorf("behind a window of %d octets it paces at %d octets a second, want at least %d",
			w.ends[0].snd.window, slowest, want)
	}
}

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
			if side == 0 {
				return false, 0
			}
			return false, max(from.Add(700*time.Millisecond).Sub(w.now), 0) // the ACK path is held up; nothing is lost
		}
		w.transfer(100*mss, time.Minute)
		w.run(2 * time.Second)
		in := w.ends[0].sent
		if in.Timeouts == 0 || in.Retransmissions > 5 {
			t.Errorf("policy %d: nothing was lost; %d timeouts, %d segments sent again", p, in.Timeouts, in.Retransmissions)
		}
	}
}
