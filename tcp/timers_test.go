package tcp

import (
	"slices"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
	"pgregory.net/rapid"
)

// TestTimerSet compares the set's earliest deadline with a plain minimum.
func TestTimerSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newTimerSet()
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			k := timerKind(rapid.IntRange(0, int(numTimers)-1).Draw(t, "kind"))
			at := mono.Time(rapid.IntRange(0, 9).Draw(t, "at"))
			if at == 0 {
				s.stop(k)
			} else {
				s.set(k, at)
			}
			want := slices.Min(s.at[:])
			if s.first > want {
				t.Fatalf("lower bound %v above the earliest deadline %v", s.first, want)
			}
			if rapid.Bool().Draw(t, "ask") && s.next() != want {
				t.Fatalf("next %v, want %v", s.next(), want)
			}
		}
	})
}

// TestBackoffEnds: the doubled timeout falls back when a segment that was sent once has been timed (RFC 6298 s.5.7, Karn), and
// not before.
func TestBackoffEnds(t *testing.T) {
	w, mss := flightOf(t, DupACK, 10, Timestamps|FRTO)
	c := w.ends[0]
	usual := c.Info().RTO
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c.WriteSynthetic(mss)
	for c.sent.Timeouts < 3 {
		w.run(100 * time.Millisecond)
	}
	w.filter = nil
	w.run(10 * time.Second)
	if rto, want := c.Info().RTO, usual<<c.sent.Timeouts; c.flight() > 0 || rto != want {
		t.Errorf("after %d timeouts and an ambiguous ACK the timeout is %v, want %v", c.sent.Timeouts, rto, want)
	}
	c.WriteSynthetic(mss)
	w.run(time.Second)
	if rto := c.Info().RTO; rto > usual {
		t.Errorf("after a round trip the timeout is %v, want at most %v", rto, usual)
	}
}

// TestPartOfProbedSegment: an ACK that ends inside a segment of which two copies may be in flight takes the part off both.
func TestPartOfProbedSegment(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, Timestamps)
	c := w.ends[0]
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.run(time.Second)
	c.WriteSynthetic(mss)
	for c.sent.Probes == 0 {
		w.run(10 * time.Millisecond)
	}
	w.inject(0, wire.ACK, 0, mss/2, nil)
	if pipe := c.subs[0].pipe; pipe != int64(2*(mss-mss/2)) {
		t.Errorf("%d octets in flight, want two copies of %d", pipe, mss-mss/2)
	}
}
