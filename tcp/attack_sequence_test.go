package tcp

import (
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/wire"
)

// TestAbsurdSACKs: 20,000 ACKs with up to four blocks in any order (stale, inverted, empty, overlapping, beyond what was sent)
// leave the scoreboard in order, deliver nothing twice, and have no segment sent again more than once a round trip. What they
// claimed and the receiver does not have is sent again, and the transfer ends (RFC 2018 s.8).
func TestAbsurdSACKs(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, DupACK} {
		rng := rand.New(rand.NewPCG(uint64(r), 1))
		w, mss := flightOf(t, r, 40, Timestamps)
		c := w.ends[0]
		c.WriteSynthetic(100 * mss)
		w.run(time.Millisecond)
		w.flying = nil // all of it is lost
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
		start := w.now
		for range 20_000 {
			blocks := make([]wire.Range, 1+rng.IntN(4))
			for i := range blocks {
				at := c.snd.una.Add((rng.IntN(60) - 10) * mss)
				end := at.Add((rng.IntN(12) - 3) * mss)
				if rng.IntN(4) == 0 {
					at, end = at.Add(rng.IntN(mss)), end.Add(rng.IntN(mss))
				}
				if rng.IntN(50) == 0 {
					at = wire.Seq(rng.Uint32())
				}
				blocks[i] = wire.Range{Start: at, End: end}
			}
			w.inject(0, wire.ACK, 0, 0, nil, blocks...) // checks invariants
			w.run(10 * time.Microsecond)
		}
		trips := int64(w.now.Sub(start)/(100*time.Millisecond)) + 1
		if got := c.subs[0].meter.delivered; got > int64(c.flight()) {
			t.Errorf("recovery %d: %d octets delivered, %d outstanding", r, got, c.flight())
		}
		if again := c.sent.Retransmissions; again > trips*int64(c.board.len()) {
			t.Errorf("recovery %d: %d sent again in %d round trips, of %d segments", r, again, trips, c.board.len())
		}
		w.filter = nil
		limit := w.now.Add(3 * time.Minute)
		for got := 0; got < 100*mss; {
			n, _ := w.ends[1].Discard(1 << 20)
			if got += n; n == 0 && !w.step(limit) {
				t.Fatalf("recovery %d: only %d of %d octets", r, got, 100*mss)
			}
		}
	}
}

// TestReneging: a receiver drops all that it has SACKed but not delivered, every half second. What it dropped is sent again after a
// timeout (RFC 2018 s.8), and the transfer goes on.
func TestReneging(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK} {
		w, mss := flightOf(t, r, 20, 0)
		e := w.ends[1]
		w.filter = w.lose(10*mss, 100*mss, 200*mss)
		dropped, next := 0, w.now.Add(170*time.Millisecond)
		got, left := 0, 300*mss
		w.apps = func() {
			left -= w.ends[0].WriteSynthetic(left)
			n, _ := e.Discard(1 << 20)
			got += n
			w.wake()
			if w.now >= next && len(e.rcv.ooo) > 0 && e.rcv.ooo[0].Len() >= 5*mss {
				dropped += len(e.rcv.ooo)
				e.rcv.ooo, e.rcv.numRecent, e.rcv.buf.top = nil, 0, e.rcv.buf.ready
				next = w.now.Add(500 * time.Millisecond)
			}
		}
		w.run(20 * time.Second)
		if c := w.ends[0]; dropped == 0 || got != 300*mss || c.sent.Timeouts > 6 || c.sent.Retransmissions > 250 {
			t.Errorf("recovery %d: %d ranges dropped, %d of %d segments arrived, %d timeouts, %d sent again",
				r, dropped, got/mss, 300, c.sent.Timeouts, c.sent.Retransmissions)
		}
	}
}

// stamped has side 0 receive an empty ACK with those timestamps, relative to the last one seen and to our clock.
func (w *pair) stamped(ack, val, ecr int) {
	w.t.Helper()
	c := w.ends[0]
	p := wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: c.rcv.nxt, Ack: c.snd.una.Add(ack),
		Window: uint16(min(c.snd.window>>c.snd.scale, 65535)),
	}
	p.Options = wire.Options{Set: wire.OptTimestamps, TSVal: c.rcv.tsRecent + uint32(val), TSEcr: c.tsVal(w.now) + uint32(ecr)}
	w.sides[0].Input(w.now, &p)
	if err := w.sides[0].CheckInvariants(); err != nil {
		w.t.Fatal(err)
	}
}

// TestAbsurdEchoes: an ACK of what was sent again, with an echo of the future, of nothing, or of long before the connection,
// gives no round trip longer than the connection is old, and hardly moves the timeout.
func TestAbsurdEchoes(t *testing.T) {
	for _, ecr := range []int{1, 1000, 1<<31 - 1, -1 << 31, -1<<31 + 1, -1 << 30, -100_000, -2000} {
		w, mss := flightOf(t, RACK, 20, 0)
		c := w.ends[0]
		c.WriteSynthetic(20 * mss)
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
		for c.sent.Timeouts == 0 {
			w.run(100 * time.Millisecond)
		}
		before := c.rtt.srtt
		for i := range 5 {
			w.stamped(mss, i, ecr)
		}
		if age := w.now.Sub(c.hand.synAt); c.rtt.latest > age+time.Millisecond || c.rtt.srtt > before+age {
			t.Errorf("echo of %d ms: round trip %v, smoothed %v, on a connection of %v", ecr, c.rtt.latest, c.rtt.srtt, age)
		}
	}
}

// TestTimestampJumps: a segment whose timestamp lies far ahead leads PAWS astray only if all of it is acceptable: it is in the
// window, it covers the last acknowledgement sent (RFC 7323 s.4.3), and acknowledges what was sent. One that lies behind is
// answered and changes nothing.
func TestTimestampJumps(t *testing.T) {
	for _, c := range []struct {
		seq, ack, val int
		moves         bool
	}{
		{0, 0, 1<<31 - 1, true}, // the peer's own clock may do that
		{1, 0, 1<<31 - 1, false},
		{1000, 0, 1<<31 - 1, false},
		{1 << 30, 0, 1<<31 - 1, false},
		{0, 1, 1<<31 - 1, false},
		{0, -1 << 30, 1<<31 - 1, false},
		{0, 0, -1, false},
		{0, 0, -1 << 31, false},
	} {
		w, mss := flightOf(t, RACK, 20, 0)
		w.run(time.Second)
		e := w.ends[0]
		recent := e.rcv.tsRecent
		p := wire.Packet{
			Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: e.rcv.nxt.Add(c.seq), Ack: e.snd.una.Add(c.ack), Window: 1000,
		}
		p.Options = wire.Options{Set: wire.OptTimestamps, TSVal: recent + uint32(c.val), TSEcr: e.tsVal(w.now)}
		for range 100 {
			w.sides[0].Input(w.now, &p)
			w.run(time.Millisecond)
		}
		if moved := e.rcv.tsRecent != recent; moved != c.moves {
			t.Errorf("%+v: the timestamp to echo has moved: %v", c, moved)
		}
		if sent := e.sent.Segments; sent > 4 {
			t.Errorf("%+v: %d packets in answer to 100", c, sent)
		}
		if !c.moves {
			w.transfer(100*mss, time.Minute)
		}
	}
}
