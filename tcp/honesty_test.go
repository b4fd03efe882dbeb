package tcp

import (
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// TestCheckIsFree: a check costs an honest receiver nothing but a round trip of waiting behind the hole: no retransmission, no
// cut, no timeout, and one that has room for two windows is sent as much. RACK does not take the late segment for reordering.
func TestCheckIsFree(t *testing.T) {
	for _, c := range []struct {
		recovery Recovery
		disable  Feature
	}{{RACK, 0}, {SACK6675, 0}, {SACK6675, Timestamps}, {FACK, 0}, {NewReno, SACK}, {NewReno, SACK | Timestamps}, {DupACK, SACK}, {DupACK, 0}} {
		var took [2]time.Duration
		for i, on := range []Feature{0, ACKCheck} {
			w := newPair(t, 50*time.Millisecond)
			cfg := reno(c.recovery)
			cfg.Enable, cfg.Disable, cfg.InitialWindow = on, cfg.Disable|c.disable, 20
			cfg.InitialSsthresh = 40 * 1460
			w.connect(cfg, Config{Disable: DelayedACK})
			start, longest := w.now, time.Duration(0)
			w.filter = func(*wire.Packet, int) (bool, time.Duration) {
				longest = max(longest, w.ends[0].rtt.latest)
				return false, 0
			}
			took[i] = w.transfer(4_000_000, time.Minute).Sub(start)
			e := w.ends[0]
			in := e.Info()
			if in.Sent.Retransmissions > 0 || in.Sent.FastRetransmits > 0 || in.Sent.Timeouts > 0 || in.Received.FalseACKs > 0 {
				t.Errorf("%+v: %d sent again, %d fast retransmits, %d timeouts, %d lies", c, in.Sent.Retransmissions, in.Sent.FastRetransmits, in.Sent.Timeouts, in.Received.FalseACKs)
			}
			if checks := in.Sent.Withheld; on != 0 && (checks < 2 || checks > int64(took[i]/(100*time.Millisecond))) {
				t.Errorf("%+v: %d checks in %v", c, checks, took[i])
			}
			if e.rack != nil && e.rack.reordered {
				t.Errorf("%+v: the late segment counts as reordering", c)
			}
			if longest > 101*time.Millisecond {
				t.Errorf("%+v: a round trip of %v on a path of 100 ms", c, longest)
			}
		}
		if took[1] > took[0]+300*time.Millisecond {
			t.Errorf("%+v: %v, with checks %v", c, took[0], took[1])
		}
	}
}

// TestWithheldLost: when what was withheld is lost at last, it is repaired as any other segment; and when nothing reports the
// hole, a timeout fills it.
func TestWithheldLost(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, DupACK} {
		for _, loseACKs := range []bool{false, true} {
			w := newPair(t, 50*time.Millisecond)
			cfg := reno(r)
			cfg.Enable, cfg.InitialWindow = ACKCheck, 20
			w.connect(cfg, Config{Disable: DelayedACK, RecvBuffer: 8 << 20})
			lost, at, silent := 0, wire.Seq(0), mono.Time(0)
			w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
				h := &w.ends[0].honest
				if loseACKs {
					if h.held && silent == 0 {
						silent = w.now.Add(700 * time.Millisecond)
					}
					if w.ends[0].sent.Timeouts > 0 && h.held && w.now < silent {
						t.Errorf("recovery %d: still withheld after a timeout", r)
					}
					return from == 1 && w.now < silent, 0
				}
				if from == 0 && p.PayloadLen > 0 && h.asking && !h.held && p.Seq == h.hole.Start && p.Seq != at && lost < 3 {
					lost++
					at = p.Seq
					return true, 0
				}
				return false, 0
			}
			w.transfer(2_000_000, time.Minute)
			in := w.ends[0].Info()
			if !loseACKs && lost == 0 || in.Sent.Withheld == 0 || in.Received.FalseACKs > 0 {
				t.Errorf("recovery %d: %d lost, %d withheld, %d lies", r, lost, in.Sent.Withheld, in.Received.FalseACKs)
			}
			if (r == RACK || r == SACK6675 || r == FACK) && !loseACKs && in.Sent.Timeouts > 0 {
				t.Errorf("recovery %d: %d timeouts", r, in.Sent.Timeouts)
			}
		}
	}
}

// TestLieAboutTheHole: an ACK or a SACK of what was withheld is discarded and collapses the window, once a round trip; the
// connection goes on. So does one for what lies beyond everything sent, which only has the peer checked.
func TestLieAboutTheHole(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(RACK)
	cfg.InitialWindow, cfg.RecvBuffer = 20, 1<<20
	w.connect(cfg, Config{Disable: DelayedACK})
	c, mss := w.ends[0], w.ends[0].snd.mss
	w.inject(0, wire.ACK, 0, 100, nil)
	if c.got.FalseACKs != 1 || c.honest.doubts == 0 || c.Info().Window != int64(20*mss) {
		t.Fatalf("an ACK of what was never sent: %d counted, %d checks to come, window %d", c.got.FalseACKs, c.honest.doubts, c.Info().Window)
	}
	c.WriteSynthetic(400 * mss)
	w.run(time.Millisecond)
	if !c.honest.held || c.honest.hole.Start != c.snd.una || w.offset(w.data(0)[0]) != mss {
		t.Fatalf("nothing was withheld: %+v", c.honest)
	}
	una := c.snd.una
	for i := range 5 {
		w.inject(0, wire.ACK, 0, (2+i)*mss, nil)
		w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: una, End: una.Add((2 + i) * mss)})
	}
	if c.got.FalseACKs != 11 || c.snd.una != una || c.board.sackedSegs != 0 || c.Info().Window != int64(mss) || c.Info().Ssthresh != int64(10*mss) {
		t.Errorf("%d lies, una moved by %d, %d SACKed, window %d, ssthresh %d", c.got.FalseACKs, c.snd.una.Sub(una), c.board.sackedSegs,
			c.Info().Window/int64(mss), c.Info().Ssthresh/int64(mss))
	}
	w.transfer(100*mss, time.Minute)
	if c.sent.Timeouts > 0 || c.sent.Retransmissions > 0 {
		t.Errorf("then the peer is honest: %d timeouts, %d sent again", c.sent.Timeouts, c.sent.Retransmissions)
	}
	if c.honest.doubts != 0 {
		w.transfer(3000*mss, time.Minute)
	}
	if c.honest.doubts != 0 || c.honest.floor != 100*time.Millisecond {
		t.Errorf("%d checks still to pass, round trip at least %v", c.honest.doubts, c.honest.floor)
	}
}

// TestFarFalseACK: a forger who guesses numbers cannot have the peer doubted.
func TestFarFalseACK(t *testing.T) {
	w, _ := flightOf(t, RACK, 20, 0)
	w.inject(0, wire.ACK, 0, 1<<30, nil)
	if c := w.ends[0]; c.got.FalseACKs != 1 || c.honest.doubts != 0 {
		t.Errorf("%d counted, %d checks to come", c.got.FalseACKs, c.honest.doubts)
	}
}

// TestSlowHandshake: where the handshake took three times as long as the path does later, the peer is doubted, passes its
// checks and is trusted again: the checks have measured the path anew.
func TestSlowHandshake(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Flags&wire.SYN != 0 {
			return false, 100 * time.Millisecond
		}
		return false, 0
	}
	cfg := reno(RACK)
	cfg.InitialSsthresh = 40 * 1460
	w.connect(cfg, Config{Disable: DelayedACK})
	w.transfer(4_000_000, time.Minute)
	c := w.ends[0]
	if c.sent.Withheld != checksInDoubt || c.honest.doubts != 0 || c.sent.Retransmissions > 0 || c.got.FalseACKs > 0 {
		t.Errorf("%d checks, %d to come; %d sent again, %d lies", c.sent.Withheld, c.honest.doubts, c.sent.Retransmissions, c.got.FalseACKs)
	}
}

// TestWithheldSentAgain: a receiver that reports as a duplicate what was withheld tells the truth when that has been sent twice
// since, because a timeout came too early.
func TestWithheldSentAgain(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(r)
		cfg.Enable, cfg.Disable, cfg.InitialWindow = ACKCheck, cfg.Disable|Timestamps, 20
		w.connect(cfg, Config{Disable: DelayedACK})
		late := mono.Time(0)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			h := &w.ends[0].honest
			if from == 0 && late == 0 && p.PayloadLen > 0 && h.asking && !h.held && p.Seq == h.hole.Start {
				late = w.now
			}
			if late != 0 && w.now.Sub(late) < 20*time.Millisecond {
				return false, 350 * time.Millisecond
			}
			return false, 0
		}
		w.transfer(1_000_000, time.Minute)
		c := w.ends[0]
		if c.sent.Withheld == 0 || c.sent.Timeouts == 0 || c.honest.distrust {
			t.Errorf("recovery %d: %d withheld, %d timeouts, %d duplicates, distrusted %v", r, c.sent.Withheld, c.sent.Timeouts, w.ends[1].got.Duplicates, c.honest.distrust)
		}
	}
}
