package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// inject has side to receive a segment of the peer's: seq and ack are relative to what it expects next and to its
// first unacknowledged octet.
func (w *pair) inject(to int, flags wire.Flags, seq, ack int, payload []byte, sack ...wire.Range) {
	w.t.Helper()
	c := w.ends[to]
	p := wire.Packet{
		Src: addrs[1-to], Dst: addrs[to], Protocol: wire.ProtocolTCP, Flags: flags,
		Seq: c.rcv.nxt.Add(seq), Ack: c.snd.una.Add(ack), Window: uint16(min(c.snd.window>>c.snd.scale, 65535)),
		Payload: payload, PayloadLen: len(payload),
	}
	w.stamp(c, &p)
	if len(sack) > 0 {
		p.Options.Set |= wire.OptSACK
		p.Options.NumSACK = uint8(copy(p.Options.SACK[:], sack))
	}
	w.sides[to].Input(w.now, &p)
	if err := w.sides[to].CheckInvariants(); err != nil {
		w.t.Fatal(err)
	}
}

// stamp gives a segment for c the timestamps that c's peer would give it, if there are any.
func (w *pair) stamp(c *Conn, p *wire.Packet) {
	if c.on&Timestamps != 0 {
		p.Options.Set |= wire.OptTimestamps
		p.Options.TSVal, p.Options.TSEcr = c.rcv.tsRecent, c.tsVal(w.now)
	}
}

// TestTwoFINs: a peer that ends its stream at two places gets the first one, and breaks nothing: the octet of a FIN
// never becomes data (RFC 9293 s.3.10.7.4, eighth step).
func TestTwoFINs(t *testing.T) {
	for _, c := range []struct{ first, second int }{{50, 100}, {100, 50}, {50, 50}} {
		w := newPair(t, time.Millisecond)
		w.connect(reno(RACK), Config{RecvBuffer: 30_000})
		w.run(time.Second)
		w.inject(1, wire.ACK|wire.FIN, c.first, 0, nil)
		w.inject(1, wire.ACK|wire.FIN, c.second, 0, nil)
		w.inject(1, wire.ACK, 120, 0, make([]byte, 20)) // data beyond both
		w.inject(1, wire.ACK, 0, 0, make([]byte, 60))
		w.inject(1, wire.ACK, 0, 0, make([]byte, 9000))
		e := w.ends[1]
		if !e.rcv.finDone || e.rcv.buf.ready != c.first {
			t.Errorf("FINs at %d and %d: finished %v with %d octets", c.first, c.second, e.rcv.finDone, e.rcv.buf.ready)
		}
		e.Read(make([]byte, 20_000))
		if b := &e.rcv.buf; b.ready != 0 || b.top != 0 || b.bytes.ring != nil || len(e.rcv.ooo) != 0 {
			t.Errorf("FINs at %d and %d: the buffer still holds %d ready, %d in all", c.first, c.second, b.ready, b.top)
		}
	}
}

// TestTinyRanges: a peer may chop a window of data into single octets, in any order. What one segment then joins costs
// work once, not once for every range behind it.
func TestTinyRanges(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 1 << 20})
	w.transfer(4<<20, time.Minute) // the whole window is open
	const n = 200_000
	e := w.ends[1]
	for i := range n {
		e.rcv.ooo = append(e.rcv.ooo, wire.Range{Start: e.rcv.nxt.Add(2*i + 1), End: e.rcv.nxt.Add(2*i + 2)})
	}
	e.rcv.buf.top = 2 * n
	w.inject(1, wire.ACK, 0, 0, make([]byte, 2*n-10))
	if len(e.rcv.ooo) != 5 {
		t.Errorf("%d ranges left, want 5", len(e.rcv.ooo))
	}
}

// TestSACKOfOctets: SACK blocks that cover only parts of segments take no memory and prove nothing, however many there
// are (a receiver reports whole segments, RFC 2018 s.4).
func TestSACKOfOctets(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK, NACK, NoFACK} {
		w, mss := flightOf(t, r, 20, Timestamps)
		c := w.ends[0]
		c.WriteSynthetic(20 * mss)
		w.run(time.Millisecond)
		for i := range 5 * mss {
			at := c.snd.una.Add(5*mss + 2*i)
			w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: at, End: at + 1})
		}
		if len(c.board.sacked) > 20 || c.board.sackedSegs != 0 || c.sent.Lost != 0 {
			t.Errorf("recovery %d: %d ranges, %d segments SACKed, %d lost", r, len(c.board.sacked), c.board.sackedSegs, c.sent.Lost)
		}
		// A block that ends within segments covers those that lie inside.
		w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: c.snd.una.Add(5*mss - 7), End: c.snd.una.Add(7*mss + 7)})
		if c.board.sackedSegs != 2 {
			t.Errorf("recovery %d: %d segments SACKed, want 2", r, c.board.sackedSegs)
		}
	}
}

// TestCumulativeACKWithinSACKed: an ACK that ends inside a segment already SACKed delivers nothing twice.
func TestCumulativeACKWithinSACKed(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, Timestamps)
	c := w.ends[0]
	c.WriteSynthetic(10 * mss)
	w.run(time.Millisecond)
	w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: c.snd.una, End: c.snd.una.Add(2 * mss)})
	w.inject(0, wire.ACK, 0, mss+100, nil)
	if got := c.subs[0].meter.delivered; got != int64(2*mss) {
		t.Errorf("%d octets delivered, want %d", got, 2*mss)
	}
}

// TestRenegingEverything: at a timeout a peer that had SACKed every second segment of a large flight, the first one
// too, has them all sent again (RFC 2018 s.8), in order.
func TestRenegingEverything(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, NewReno, FACK, NACK, NACKConn, NoFACK} {
		w, mss := flightOf(t, r, 4000, Timestamps)
		c := w.ends[0]
		c.snd.window, c.snd.edge = 1<<28, c.snd.una.Add(1<<28)
		c.WriteSynthetic(4000 * mss)
		w.run(time.Millisecond)
		for i := 0; i < 4000; i += 2 {
			w.inject(0, wire.ACK, 0, 0, nil, wire.Range{Start: c.snd.una.Add(i * mss), End: c.snd.una.Add((i + 1) * mss)})
		}
		w.flying = nil
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
		for c.sent.Timeouts == 0 && w.step(w.now.Add(time.Minute)) {
		}
		if c.sent.Timeouts == 0 || c.board.sackedSegs != 0 || len(c.board.sacked) != 0 {
			t.Errorf("recovery %d: %d timeouts, %d still SACKed", r, c.sent.Timeouts, c.board.sackedSegs)
		}
		at := c.subs[0].lost.first
		for range c.subs[0].lost.count - 1 {
			next := c.board.at(at).next
			if next <= at {
				t.Fatalf("recovery %d: segment %d follows %d in the list of the lost", r, next, at)
			}
			at = next
		}
	}
}
