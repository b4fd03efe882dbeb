package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// TestSpuriousTimeout: the path freezes for longer than the timeout and loses nothing. Eifel (timestamps) or F-RTO
// (without) takes the timeout back: at most a few segments are sent twice, and the window is what it was.
func TestSpuriousTimeout(t *testing.T) {
	for _, c := range []struct {
		recovery Recovery
		disable  Feature
	}{{RACK, 0}, {RACK, Timestamps}, {SACK6675, Timestamps}, {FACK, 0}, {FACK, Timestamps}, {NewReno, SACK | Timestamps}, {NewReno, SACK}} {
		w, mss := flightOf(t, c.recovery, 20, c.disable)
		frozen := false
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			at := w.now.Seconds()
			if from == 1 && at > 0.45 && at < 1.2 { // the ACKs are held back, and arrive in order
				frozen = true
				return false, time.Duration((1.2 - at) * 1e9)
			}
			return false, 0
		}
		w.transfer(600*mss, time.Minute)
		in := w.ends[0].Info()
		t.Logf("%+v: %d sent again, %d undone, %d timeouts, window %d", c, in.Sent.Retransmissions, in.Sent.Spurious, in.Sent.Timeouts, in.Window/int64(mss))
		if !frozen || in.Sent.Timeouts == 0 || in.Sent.Spurious == 0 || in.Sent.Retransmissions > 4 {
			t.Errorf("%+v: %d sent again, %d undone, %d timeouts", c, in.Sent.Retransmissions, in.Sent.Spurious, in.Sent.Timeouts)
		}
	}
}

// TestUndoForgotten: when an episode is over, neither a duplicate of later data (reported by D-SACK) nor a timestamp
// echo that seems older because the clock has wrapped undoes it.
func TestUndoForgotten(t *testing.T) {
	w, mss := flightOf(t, RACK, 20, 0)
	w.filter = w.lose(0)
	w.transfer(40*mss, time.Minute)
	w.filter = nil
	c := w.ends[0]
	cut := c.Info().Ssthresh
	w.transfer(100*mss, time.Minute)
	w.run(time.Second)
	w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: c.snd.una.Add(-2 * mss), End: c.snd.una.Add(-mss)})
	if c.sent.Spurious != 0 {
		t.Errorf("a duplicate of later data undid the episode")
	}
	w.run(25 * 24 * time.Hour)
	w.transfer(mss, time.Minute)
	w.run(time.Second)
	if c.sent.Spurious != 0 || c.Info().Ssthresh < cut {
		t.Errorf("%d undone", c.sent.Spurious)
	}
}

// TestMarkedAgainAfterUndo: RFC 6675 looks again at what an undone episode had marked and released: some of it may be
// lost after all.
func TestMarkedAgainAfterUndo(t *testing.T) {
	w, mss := flightOf(t, SACK6675, 20, 0)
	c := w.ends[0]
	c.WriteSynthetic(20 * mss)
	w.run(time.Millisecond)
	w.flying = nil
	sack := func(ack, from, to int) {
		w.inject(0, wire.ACK, 0, ack*mss, nil, wire.Range{Start: c.snd.una.Add(from * mss), End: c.snd.una.Add(to * mss)})
	}
	sack(0, 10, 20) // ten holes
	c.undoEpisode(w.now, &c.subs[0])
	if c.subs[0].lost.count != 0 {
		t.Fatal("not undone")
	}
	sack(0, 9, 20)
	if c.subs[0].lost.count != 9 {
		t.Errorf("%d of 9 holes marked lost again", c.subs[0].lost.count)
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
	if took[0] == 0 || took[1] > took[0] {
		t.Errorf("%d timeouts without F-RTO, %d with it", took[0], took[1])
	}
}

// TestDuplicateReportedOnce: a D-SACK that is repeated does not stand for the other retransmissions of its episode (RFC 3708 s.2).
func TestDuplicateReportedOnce(t *testing.T) {
	w, mss := flightOf(t, SACK6675, 20, Timestamps)
	c := w.ends[0]
	una := c.snd.una
	c.WriteSynthetic(20 * mss)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.run(time.Millisecond)
	w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: una.Add(3 * mss), End: una.Add(20 * mss)})
	w.run(time.Millisecond)
	if c.sent.Retransmissions != 3 {
		t.Fatalf("%d sent again, want 3", c.sent.Retransmissions)
	}
	w.inject(0, wire.ACK, 0, 3*mss, nil, wire.Range{Start: una, End: una.Add(mss)})
	for range 5 {
		w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: una, End: una.Add(mss)})
	}
	if c.sent.Spurious != 0 || c.subs[0].ep.undo.retrans != 2 {
		t.Errorf("one duplicate reported six times: %d episodes undone, %d retransmissions unreported", c.sent.Spurious, c.subs[0].ep.undo.retrans)
	}
	for i := range 3 {
		w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: una.Add(i * mss), End: una.Add((i + 1) * mss)})
	}
	if c.sent.Spurious != 1 {
		t.Errorf("all three reported: %d episodes undone", c.sent.Spurious)
	}
}

// TestSACKDoesNotEndFRTO: after a timeout and one advance, a SACK of data sent before the timeout proves nothing about the hole
// below it: only an ACK that advances shows the timeout spurious (RFC 5682 s.3.1 step 3).
func TestSACKDoesNotEndFRTO(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, Timestamps)
	c := w.ends[0]
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c.WriteSynthetic(30 * mss)
	for c.sent.Timeouts == 0 {
		w.run(50 * time.Millisecond)
	}
	w.inject(0, wire.ACK, 0, mss, nil)
	w.run(0)
	if c.subs[0].ep.undo.frto != frtoNew {
		t.Fatal("new data does not follow the first ACK")
	}
	w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: c.snd.una.Add(mss), End: c.snd.una.Add(2 * mss)})
	if c.sent.Spurious != 0 || c.subs[0].ep.state != epLoss {
		t.Errorf("%d episodes undone, state %d", c.sent.Spurious, c.subs[0].ep.state)
	}
}
