package tcp

import (
	"testing"
	"time"
	"unsafe"

	"longhaul/wire"
)

// held opens a connection to a peer of which only what a test injects is heard from then on. Its windows are written as they are.
func held(t *testing.T, cfg Config) *pair {
	w := newPair(t, 50*time.Millisecond)
	cfg.Disable |= WindowScaling
	w.connect(cfg, Config{})
	w.run(time.Second)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	return w
}

// windowOf is an ACK of the first acked octets that are outstanding, with that window.
func (w *pair) windowOf(acked, window int) {
	w.t.Helper()
	c := w.ends[0]
	p := wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK,
		Seq: c.rcv.nxt, Ack: c.snd.una.Add(acked), Window: uint16(window),
	}
	w.stamp(c, &p)
	w.sides[0].Input(w.now, &p)
	if err := w.sides[0].CheckInvariants(); err != nil {
		w.t.Fatal(err)
	}
}

// TestClosedForEver: a peer that keeps its window closed, and answers every probe, gets 70 packets in an hour, and the data it
// refuses takes no more than the send buffer (RFC 9293 s.3.8.6.1).
func TestClosedForEver(t *testing.T) {
	w := held(t, Config{SendBuffer: 100_000})
	c := w.ends[0]
	w.windowOf(0, 0)
	c.Write(make([]byte, 1_000_000))
	before := c.sent.Segments
	for range 3600 {
		w.run(time.Second)
		w.windowOf(0, 0)
	}
	if sent := c.sent.Segments - before; sent > 70 || c.snd.buf.size > 100_000 || len(c.snd.buf.bytes.ring) > 1<<17 {
		t.Errorf("%d packets in an hour; %d octets buffered in %d", sent, c.snd.buf.size, len(c.snd.buf.bytes.ring))
	}
}

// TestOctetWindow: a peer that once had a large window and then opens it by an octet with each of 600 ACKs a minute gets that many
// octets in ten packets, not one for each (RFC 9293 s.3.8.6.2.1): the sender waits for a worthwhile part of it or for its timer.
func TestOctetWindow(t *testing.T) {
	w := held(t, Config{Timers: Timers{PersistMax: 10 * time.Second}})
	c := w.ends[0]
	w.windowOf(0, 30_000)
	w.windowOf(0, 0)
	c.WriteSynthetic(100_000)
	before := c.sent.DataSegments
	for i := range 600 {
		w.windowOf(c.flight(), 1+i%2)
		w.run(100 * time.Millisecond)
	}
	if sent := c.sent.DataSegments - before; sent > 15 {
		t.Errorf("%d packets for windows of an octet or two in a minute", sent)
	}
}

// TestOctetACKs: a peer that acknowledges an octet at a time has nothing sent for it but what the window opens: 1448 ACKs of a
// segment bring two.
func TestOctetACKs(t *testing.T) {
	w := held(t, Config{InitialWindow: 20, SendBuffer: 1 << 20, Disable: Pacing})
	c := w.ends[0]
	c.WriteSynthetic(1 << 20)
	w.run(time.Millisecond)
	before := c.sent.Segments
	for range c.snd.mss {
		w.windowOf(1, 60_000)
		w.run(10 * time.Microsecond)
	}
	if sent := c.sent.Segments - before; sent > 2 || c.sent.Retransmissions > 0 {
		t.Errorf("%d packets, %d of them again, for a segment acknowledged octet by octet", sent, c.sent.Retransmissions)
	}
}

// TestOctetsInOrder: 10,000 segments of an octet each within a second bring an ACK each at first, then one in 40 ms (RFC 1122
// s.4.2.3.2), and take an octet of memory each.
func TestOctetsInOrder(t *testing.T) {
	w := held(t, Config{RecvBuffer: 60_000})
	e := w.ends[0]
	before := e.sent.Segments
	for range 10_000 {
		w.inject(0, wire.ACK, 0, 0, []byte{1})
		w.run(100 * time.Microsecond)
	}
	if sent := e.sent.Segments - before; sent > quickACKs+30 || e.rcv.buf.ready != 10_000 || len(e.rcv.buf.bytes.ring) > 1<<14 {
		t.Errorf("%d ACKs; %d octets in a ring of %d", sent, e.rcv.buf.ready, len(e.rcv.buf.bytes.ring))
	}
}

// TestOctetsOutOfOrder: every second octet of a window, in segments of one, brings at most an ACK each and takes no more memory
// than the window and an eighth, whatever is sent. What the receiver keeps is still good.
func TestOctetsOutOfOrder(t *testing.T) {
	const window = 256 << 10
	w := newPair(t, time.Millisecond)
	w.connect(Config{RecvBuffer: window}, Config{})
	w.transfer(1000, time.Minute)
	w.ends[1].WriteSynthetic(1000)
	w.run(time.Second)
	w.lax = true
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	e := w.ends[0]
	open := e.rcv.edge.Sub(e.rcv.nxt)
	before := e.sent.Segments
	for i := 1; i < open; i += 2 {
		p := wire.Packet{
			Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: e.rcv.nxt.Add(i), Ack: e.snd.una,
			Window: 1000, Payload: []byte{1}, PayloadLen: 1,
		}
		w.stamp(e, &p)
		w.sides[0].Input(w.now, &p)
		w.run(0)
	}
	ranges := cap(e.rcv.ooo) * int(unsafe.Sizeof(wire.Range{}))
	if sent := e.sent.Segments - before; sent > int64(open/2) || ranges > window/4 || len(e.rcv.ooo) > window/64 || len(e.rcv.buf.bytes.ring) > 2*window {
		t.Errorf("%d segments: %d ACKs, %d octets for %d ranges, a ring of %d", open/2, sent, ranges, len(e.rcv.ooo), len(e.rcv.buf.bytes.ring))
	}
	ready := e.rcv.buf.ready
	w.inject(0, wire.ACK, 0, 0, make([]byte, open))
	if e.rcv.buf.ready-ready != open || len(e.rcv.ooo) != 0 {
		t.Errorf("then the whole window: %d of %d octets, %d ranges left", e.rcv.buf.ready-ready, open, len(e.rcv.ooo))
	}
}

// TestUnreadFlood: a peer that sends beyond the window to an application that reads nothing takes no more memory than the buffer.
func TestUnreadFlood(t *testing.T) {
	w := held(t, Config{RecvBuffer: 60_000})
	e := w.ends[0]
	for range 1000 {
		w.inject(0, wire.ACK, 0, 0, make([]byte, 1448))
		w.inject(0, wire.ACK, 20_000, 0, make([]byte, 60_000))
		w.run(time.Microsecond)
	}
	if e.rcv.buf.top > 60_000+1448 || len(e.rcv.buf.bytes.ring) > 1<<16 {
		t.Errorf("%d octets in a ring of %d", e.rcv.buf.top, len(e.rcv.buf.bytes.ring))
	}
}

// TestTinyMSS: whatever segment size a SYN offers, ours hold 76 octets or more beside their timestamps, and with the largest window
// what is outstanding costs at most two octets of scoreboard for each (CVE-2019-11477 to 11479).
func TestTinyMSS(t *testing.T) {
	for mss := range 90 {
		w := newPair(t, time.Millisecond)
		w.lax = mss != 0
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 1 && p.Flags&wire.SYN != 0 {
				p.Options.MSS = uint16(mss)
			}
			return false, 0
		}
		w.connect(Config{InitialWindow: 1_000_000, SendBuffer: 1 << 23, Disable: Pacing}, Config{RecvBuffer: 1 << 30})
		c := w.ends[0]
		if c.snd.mss != max(mss, 88)-12 {
			t.Fatalf("MSS %d offered: segments of %d", mss, c.snd.mss)
		}
		if mss%30 != 0 {
			continue
		}
		w.lax = true
		c.snd.edge, c.snd.window = c.snd.una.Add(1<<30), 1<<30
		c.WriteSynthetic(1 << 23)
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
		w.run(100 * time.Microsecond)
		memory := len(c.board.ring) * int(unsafe.Sizeof(segment{}))
		if c.flight() != 1<<23 || memory > 2*c.flight() || c.board.len() > c.flight()/76+1 {
			t.Errorf("MSS %d: %d octets outstanding in %d segments, %d octets of scoreboard", mss, c.flight(), c.board.len(), memory)
		}
	}
}

// TestForgedNAKFlood: 10,000 forged NAKs of everything outstanding, one each millisecond, have each segment sent again once, and
// no more than a window in a round trip (C-21).
func TestForgedNAKFlood(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := fox(LossIsNoise)
	cfg.RecvBuffer, cfg.SendBuffer = 30_000, 60_000
	w.connect(cfg, cfg)
	c := w.ends[0]
	most, from, naks := int64(0), int64(0), 0
	mark, end := w.now, w.now.Add(10*time.Second)
	w.apps = func() {
		c.WriteSynthetic(1 << 20)
		w.ends[1].Discard(1 << 20)
	}
	for w.now < end {
		w.run(time.Millisecond)
		if c.flight() > 0 {
			w.sides[0].Input(w.now, w.nakOf(c.snd.una.Sub(c.snd.iss+1), 255))
			naks++
		}
		if w.now.Sub(mark) >= 100*time.Millisecond {
			most = max(most, c.sent.RetransBytes-from)
			mark, from = w.now, c.sent.RetransBytes
		}
	}
	if most > 30_000 || c.sent.RetransBytes > c.sent.Acked || c.sent.Acked < 2_000_000 || naks < 9000 {
		t.Errorf("%d NAKs: %d octets acknowledged, %d sent again, %d in one round trip", naks, c.sent.Acked, c.sent.RetransBytes, most)
	}
	t.Logf("%d NAKs: %d octets acknowledged, %d sent again, %d in one round trip", naks, c.sent.Acked, c.sent.RetransBytes, most)
}
