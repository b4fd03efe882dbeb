package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// TestZeroWindow: a reader that stops closes the window; the sender probes it with an empty segment below the
// window, backed off, and goes on at once when it opens (RFC 9293 s.3.8.6.1).
func TestZeroWindow(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 20000})
	w.ends[0].WriteSynthetic(100_000)
	w.run(30 * time.Second)
	if got := w.ends[1].rcv.buf.ready; got > 20000 || got < 19000 {
		t.Fatalf("%d octets in a buffer of 20000", got)
	}
	probes := 0
	for _, s := range w.seen {
		if s.from == 0 && s.p.PayloadLen == 0 && s.p.Seq == w.ends[0].snd.una-1 {
			probes++
		}
	}
	if probes < 4 || probes > 8 {
		t.Errorf("%d probes in 30 s, want one at 0.2, 0.4, 0.8, ... s", probes)
	}
	got := 0
	start := w.now
	w.apps = func() {
		n, _ := w.ends[1].Discard(1 << 20)
		got += n
	}
	w.apps()
	w.run(2 * time.Second)
	if got != 100_000 {
		t.Errorf("%d octets read %v after the window opened", got, w.now.Sub(start))
	}
}

// TestLostWindowUpdate: when the segment that opens the window is lost, a probe finds out.
func TestLostWindowUpdate(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 20000})
	w.ends[0].WriteSynthetic(60_000)
	w.run(10 * time.Second)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return from == 1, 0 }
	w.ends[1].Discard(1 << 20)
	w.run(100 * time.Millisecond)
	w.filter = nil
	got := 0
	w.apps = func() {
		n, _ := w.ends[1].Discard(1 << 20)
		got += n
	}
	w.run(30 * time.Second)
	if got != 40_000 {
		t.Errorf("%d octets arrived after the lost update, want the other 40000", got)
	}
}

// TestSillyWindow: a receiver that reads a few octets at a time does not make the sender send small segments
// (RFC 9293 s.3.8.6.2, field report F15).
func TestSillyWindow(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 20000})
	w.ends[0].WriteSynthetic(100_000)
	w.run(time.Second)
	w.apps = func() { w.ends[1].Discard(100) }
	for range 800 {
		w.apps()
		w.run(time.Millisecond)
	}
	small := 0
	for _, s := range w.data(0) {
		if s.p.PayloadLen < 500 {
			small++
		}
	}
	if small > 2 {
		t.Errorf("%d segments under 500 octets", small)
	}
}

// TestWindowShrinks: a peer that takes back the window it gave loses nothing (field report F17, RFC 9293
// s.3.8.6): what lies beyond waits, and goes on when it opens.
func TestWindowShrinks(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{})
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 && p.Flags&wire.SYN == 0 {
			if n++; n%50 > 25 {
				p.Window = 2
			}
		}
		return false, 0
	}
	w.transfer(500_000, 5*time.Minute)
}

// TestNagle: with it a small write waits while something is outstanding, without it it does not.
func TestNagle(t *testing.T) {
	for _, nagle := range []bool{false, true} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(RACK)
		if nagle {
			cfg.Enable |= Nagle
		}
		w.connect(cfg, Config{})
		w.run(time.Second)
		for range 10 {
			w.ends[0].WriteSynthetic(100)
			w.run(time.Millisecond)
		}
		want := 10
		if nagle {
			want = 1
		}
		if got := len(w.data(0)); got != want {
			t.Errorf("Nagle %v: %d segments in 10 ms, want %d", nagle, got, want)
		}
		w.run(time.Second)
		if got := w.ends[1].rcv.buf.ready; got != 1000 {
			t.Errorf("Nagle %v: %d octets arrived", nagle, got)
		}
	}
}

// TestMinshall: with it the short end of a long write goes at once, and the next short segment waits for that one's
// acknowledgement only, not for that of full ones (draft-minshall-nagle-01).
func TestMinshall(t *testing.T) {
	for _, c := range []struct {
		on          Feature
		first, then int // segments within a round trip of the first write, and with the others
	}{
		{0, 4, 6},
		{Minshall, 4, 6}, // it changes Nagle and does nothing alone
		{Nagle, 3, 3},
		{Nagle | Minshall, 4, 4},
	} {
		w := newPair(t, 50*time.Millisecond)
		cfg := reno(RACK)
		cfg.Enable |= c.on
		w.connect(cfg, Config{})
		w.run(time.Second)
		write := func(octets int) int {
			w.ends[0].WriteSynthetic(octets)
			w.run(5 * time.Millisecond)
			return len(w.data(0))
		}
		if got := write(3*w.ends[0].snd.mss + 100); got != c.first {
			t.Errorf("%b: %d segments of three and a piece, want %d", c.on, got, c.first)
		}
		write(100)
		if got := write(100); got != c.then {
			t.Errorf("%b: %d segments after two short writes, want %d", c.on, got, c.then)
		}
		w.run(time.Second)
		if got, want := w.ends[1].rcv.buf.ready, 3*w.ends[0].snd.mss+300; got != want {
			t.Errorf("%b: %d octets arrived of %d", c.on, got, want)
		}
	}
}

// TestMinshallLongAgo: a short segment of billions of octets ago, whose number looks like one to come, keeps nothing waiting.
func TestMinshallLongAgo(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(RACK)
	cfg.Enable |= Nagle | Minshall
	w.connect(cfg, Config{})
	w.run(time.Second)
	c := w.ends[0]
	c.snd.small = c.snd.una.Add(1 << 30)
	c.WriteSynthetic(c.snd.mss + 100)
	w.run(5 * time.Millisecond)
	if got := len(w.data(0)); got != 2 {
		t.Errorf("%d segments at once, want 2", got)
	}
}

// TestDelayedACK: a lone segment is acknowledged after the delay, a second one at once, an out-of-order one at
// once (RFC 5681 s.4.2); the first ones of a connection are not delayed.
func TestDelayedACK(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{})
	mss := w.ends[0].snd.mss
	acks := func(segments int, d time.Duration) int {
		before := len(w.seen)
		for range segments {
			w.ends[0].WriteSynthetic(mss)
			w.run(0)
		}
		w.run(d)
		n := 0
		for _, s := range w.seen[before:] {
			if s.from == 1 {
				n++
			}
		}
		return n
	}
	if n := acks(quickACKs, 10*time.Millisecond); n != quickACKs {
		t.Errorf("%d ACKs for the first %d segments", n, quickACKs)
	}
	if n := acks(1, 20*time.Millisecond); n != 0 {
		t.Errorf("%d ACKs 20 ms after a lone segment", n)
	}
	if n := acks(0, 30*time.Millisecond); n != 1 {
		t.Errorf("%d ACKs 50 ms after a lone segment", n)
	}
	if n := acks(6, 10*time.Millisecond); n != 3 {
		t.Errorf("%d ACKs for six segments, want 3", n)
	}
}

// TestKeepAlive probes an idle peer that answers, and drops one that does not (RFC 9293 s.3.8.4).
func TestKeepAlive(t *testing.T) {
	w := newPair(t, time.Millisecond)
	k := KeepAlive{Idle: 10 * time.Second, Interval: time.Second, Count: 3}
	w.connect(Config{KeepAlive: k}, Config{})
	w.run(35 * time.Second)
	if w.ends[0].state != Established {
		t.Fatalf("a live peer was dropped: %v", w.ends[0].err)
	}
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.run(20 * time.Second)
	if w.ends[0].Err() != ErrTimeout {
		t.Errorf("a dead peer: %v, %v", w.ends[0].state, w.ends[0].err)
	}
}

// TestUserTimeout gives up when data stays unacknowledged (RFC 9293 s.3.8.3), and not before.
func TestUserTimeout(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{UserTimeout: 10 * time.Second}, Config{})
	w.run(time.Minute)
	w.ends[0].WriteSynthetic(1000)
	w.run(time.Minute)
	if w.ends[0].state != Established {
		t.Fatalf("acknowledged data: %v", w.ends[0].err)
	}
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.ends[0].WriteSynthetic(1000)
	w.run(9900 * time.Millisecond)
	if w.ends[0].state != Established {
		t.Errorf("gave up early: %v", w.ends[0].err)
	}
	w.run(time.Second)
	if w.ends[0].Err() != ErrTimeout {
		t.Errorf("after 10.9 s: %v, %v", w.ends[0].state, w.ends[0].err)
	}
}

// TestPAWS rejects an old duplicate by its timestamp, although its sequence numbers fit (RFC 7323 s.5.3).
func TestPAWS(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{})
	w.ends[0].WriteSynthetic(1000)
	w.run(time.Second)
	e := w.ends[1]
	old := wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: e.rcv.nxt, Ack: e.snd.una, PayloadLen: 100}
	old.Options = wire.Options{Set: wire.OptTimestamps, TSVal: e.rcv.tsRecent - 1}
	w.sides[1].Input(w.now, &old)
	if e.got.PAWSRejected != 1 || e.rcv.buf.ready != 1000 {
		t.Errorf("rejected %d, %d octets ready", e.got.PAWSRejected, e.rcv.buf.ready)
	}
	old.Options.TSVal = e.rcv.tsRecent
	w.sides[1].Input(w.now, &old)
	if e.rcv.buf.ready != 1100 {
		t.Errorf("a current timestamp: %d octets ready, want 1100", e.rcv.buf.ready)
	}
}

// TestIdleHoldsNoBuffer: a connection that has moved data and fallen idle keeps no buffer arrays (field report F02).
func TestIdleHoldsNoBuffer(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{}, Config{})
	w.ends[0].Write(make([]byte, 100_000))
	w.run(time.Second)
	w.ends[1].Read(make([]byte, 200_000))
	w.run(time.Second)
	if w.ends[0].snd.buf.bytes.ring != nil || w.ends[1].rcv.buf.bytes.ring != nil {
		t.Error("an idle connection holds a buffer")
	}
}

// TestWindowCloses: whatever the unit of the window field, a reader that stops stops the sender, within one unit of
// the buffer (RFC 7323 s.2.4: the field is rounded down, and what was promised before is still taken).
func TestWindowCloses(t *testing.T) {
	for _, c := range []Config{{}, {RecvBufferMax: 1 << 30}, {RecvBuffer: 100_001}, {RecvBuffer: 3000}, {Disable: WindowScaling}} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(reno(RACK), c)
		w.ends[0].WriteSynthetic(1 << 20)
		w.apps = func() { w.ends[0].WriteSynthetic(1 << 20) }
		w.run(30 * time.Second)
		r := &w.ends[1].rcv
		if r.buf.ready > r.limit+1<<r.scale || r.buf.ready < r.limit-1<<r.scale-w.ends[0].snd.mss {
			t.Errorf("%+v: %d octets in a buffer of %d", c, r.buf.ready, r.limit)
		}
		if in := w.ends[0].Info(); in.Sent.Retransmissions > 0 {
			t.Errorf("%d octets sent again", in.Sent.RetransBytes)
		}
		acks := len(w.seen)
		w.run(10 * time.Second)
		if n := len(w.seen) - acks; n > 20 {
			t.Errorf("%+v: %d packets in 10 s at a closed window", c, n)
		}
	}
}

// TestWindowEdgeMovesInSteps: the receiver offers new room only when it is worth a segment (RFC 9293 s.3.8.6.2.2), also
// in the ACKs that it sends for other reasons.
func TestWindowEdgeMovesInSteps(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 20_000})
	r := &w.ends[1].rcv
	edge := r.edge
	w.apps = func() {
		w.ends[1].Discard(100)
		if step := r.edge.Sub(edge); step != 0 && step < r.mss {
			t.Errorf("at %v the edge moved by %d octets", w.now, step)
		}
		edge = r.edge
	}
	w.ends[0].WriteSynthetic(100_000)
	w.run(5 * time.Second)
}

// TestLargestBuffer: a window of 2^30 octets exceeds what the field can say by one unit; the reader does not announce
// that room again and again.
func TestLargestBuffer(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 1 << 30})
	w.transfer(1_000_000, time.Minute)
	data, acks := len(w.data(0)), 0
	for _, s := range w.seen {
		if s.from == 1 {
			acks++
		}
	}
	if acks > data*3/4 {
		t.Errorf("%d ACKs for %d segments", acks, data)
	}
}

// TestACKAtWindowEdge: a sender that has filled the window and lost the first segment still acknowledges what it
// receives, with a sequence number at the very edge of the window; such ACKs count.
func TestACKAtWindowEdge(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(RACK)
	cfg.InitialWindow = 20
	server := reno(RACK)
	server.RecvBuffer = 10 * 1448
	server.Disable |= WindowScaling
	w.connect(cfg, server)
	mss := w.ends[0].snd.mss
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		return from == 0 && p.PayloadLen > 0 && w.offset(seen{p: *p}) == 0, 0
	}
	w.run(time.Second)
	w.ends[0].WriteSynthetic(10 * mss)
	w.run(60 * time.Millisecond)
	w.ends[1].WriteSynthetic(1000)
	w.run(110 * time.Millisecond)
	if c := w.ends[1]; !c.board.empty() {
		t.Errorf("the ACK at the edge did not count: %d octets outstanding", c.flight())
	}
}

// TestKeepAliveAfterTraffic: the first probe comes Idle after the peer was last heard, however long Interval is.
func TestKeepAliveAfterTraffic(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{KeepAlive: KeepAlive{Idle: 10 * time.Second, Interval: time.Minute}}, Config{})
	w.run(5 * time.Second)
	w.ends[0].WriteSynthetic(100)
	w.run(time.Second)
	n := len(w.seen)
	w.run(9500 * time.Millisecond)
	if len(w.seen) == n {
		t.Errorf("no probe 10.5 s after the last ACK")
	}
}

// TestUserTimeoutAtClosedWindow: a peer that closed its window and then vanished is given up like any other; one that
// answers the probes is not (RFC 9293 s.3.8.6.1).
func TestUserTimeoutAtClosedWindow(t *testing.T) {
	w := newPair(t, time.Millisecond)
	cfg := reno(RACK)
	cfg.UserTimeout = 20 * time.Second
	w.connect(cfg, Config{RecvBuffer: 20_000})
	w.ends[0].WriteSynthetic(100_000)
	w.run(10 * time.Minute)
	if w.ends[0].state != Established {
		t.Fatalf("a peer that answers was dropped: %v", w.ends[0].err)
	}
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.run(3 * time.Minute)
	if w.ends[0].Err() != ErrTimeout {
		t.Errorf("a peer that vanished: %v, %v", w.ends[0].state, w.ends[0].err)
	}
}

// TestLateOriginalIsReported: what was sent again and then arrives after all is a duplicate that the sender hears of (RFC 2883
// s.4), also when its timestamp is older than that of the copy.
func TestLateOriginalIsReported(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{Disable: DelayedACK})
	first := w.ends[0].snd.nxt
	late := false
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.PayloadLen > 0 && p.Seq == first && !late {
			late = true
			return false, 80 * time.Millisecond
		}
		return false, 0
	}
	w.transfer(200_000, time.Minute)
	w.run(time.Second)
	reports := 0
	for _, s := range w.seen {
		if b := s.p.Options.SACKBlocks(); s.from == 1 && len(b) > 0 && isDSACK(b, s.p.Ack) {
			reports++
		}
	}
	if e := w.ends[1]; e.got.PAWSRejected != 1 || reports != 1 || e.got.Duplicates != 1448 {
		t.Errorf("%d reports; %d segments rejected by PAWS, %d octets twice", reports, e.got.PAWSRejected, e.got.Duplicates)
	}
}

// TestPAWSAfterIdle: after 24 days without a timestamp any is taken, and becomes the one to compare with
// (RFC 7323 s.5.5).
func TestPAWSAfterIdle(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{})
	w.ends[0].WriteSynthetic(1000)
	w.run(26 * 24 * time.Hour)
	e := w.ends[1]
	w.ends[0].WriteSynthetic(1000)
	w.run(time.Second)
	if e.rcv.buf.ready != 2000 || e.rcv.tsRecent != w.ends[0].tsVal(w.now.Add(-time.Second)) {
		t.Errorf("%d octets; the timestamp to echo is %d ms old", e.rcv.buf.ready, w.ends[0].tsVal(w.now)-e.rcv.tsRecent)
	}
}

// TestDelayedACKOfSmallSegments: a path whose segments are smaller than the connection's MSS still gets an ACK for
// every second one (RFC 5681 s.4.2).
func TestDelayedACKOfSmallSegments(t *testing.T) {
	w := newPair(t, time.Millisecond)
	cfg := reno(RACK)
	cfg.PathMTU = MTUFixed
	w.connect(cfg, Config{})
	w.ends[0].snd.mss = 600
	w.run(time.Second)
	w.transfer(600*40, time.Minute)
	n, before := 0, len(w.seen)
	w.transfer(600*20, 30*time.Millisecond)
	for _, s := range w.seen[before:] {
		if s.from == 1 {
			n++
		}
	}
	if n < 9 {
		t.Errorf("%d ACKs for 20 segments", n)
	}
}
