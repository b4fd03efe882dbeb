package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// TestGivesUp: a connection whose peer has gone gives up after 15 minutes by itself, at the moment that UserTimeout says, or
// never; whether data waits for an acknowledgement or the window is closed (R2 of RFC 1122 s.4.2.3.5).
func TestGivesUp(t *testing.T) {
	for _, closed := range []bool{false, true} {
		for _, c := range []struct {
			timeout, least, most time.Duration
		}{
			{0, defaultPatience, defaultPatience + 2*time.Minute},
			{40 * time.Second, 40 * time.Second, 2 * time.Minute},
			{-1, 0, 0},
		} {
			w := newPair(t, 10*time.Millisecond)
			w.connect(Config{UserTimeout: c.timeout}, Config{RecvBuffer: 10_000})
			w.run(time.Second)
			e := w.ends[0]
			if closed {
				e.WriteSynthetic(20_000)
				w.run(time.Second)
			}
			w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
			e.WriteSynthetic(1000)
			start, end := w.now, w.now.Add(3*time.Hour)
			for e.state != Closed && w.step(end) {
			}
			switch lasted := w.now.Sub(start); {
			case c.least == 0 && e.state != Established:
				t.Errorf("closed window %v, timeout %v: over after %v", closed, c.timeout, lasted)
			case c.least > 0 && (e.err != ErrTimeout || lasted < c.least-time.Second || lasted > c.most):
				t.Errorf("closed window %v, timeout %v: %v after %v", closed, c.timeout, e.err, lasted)
			}
		}
	}
}

// TestSilenceBeforeTheProbe: a peer that was silent for an hour because nobody asked it anything is not given up when the first
// probe of its closed window is lost; patience begins with that probe.
func TestSilenceBeforeTheProbe(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{RecvBuffer: 10_000})
	e := w.ends[0]
	e.WriteSynthetic(10_000)
	w.run(time.Hour)
	if e.snd.window != 0 || !e.board.empty() {
		t.Fatalf("the window is %d, %d segments outstanding", e.snd.window, e.board.len())
	}
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return true, 0 }
	e.WriteSynthetic(1000)
	w.run(10 * time.Minute)
	w.filter = nil
	w.run(2 * time.Minute)
	w.ends[1].Discard(10_000)
	w.run(2 * time.Minute)
	if e.err != nil || w.ends[1].rcv.buf.ready != 1000 {
		t.Errorf("%v, %d octets arrived", e.err, w.ends[1].rcv.buf.ready)
	}
}

// TestClosedWindow: a peer that keeps its window closed and answers is probed at most once each PersistMax and never given up
// (RFC 9293 s.3.8.6.1), unless PersistTimeout says so (RFC 6429). Meanwhile the connection holds what its application wrote.
func TestClosedWindow(t *testing.T) {
	for _, timeout := range []time.Duration{0, 10 * time.Minute} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(Config{PersistTimeout: timeout, SendBuffer: 50_000}, Config{RecvBuffer: 10_000})
		w.run(time.Second)
		e := w.ends[0]
		e.Write(make([]byte, 100_000))
		w.run(time.Hour)
		before := len(w.seen)
		w.run(time.Hour)
		if timeout == 0 && (e.state != Established || len(w.seen)-before > 2*60 || cap(e.snd.buf.bytes.ring) > 1<<16) {
			t.Errorf("%v, %d segments in an hour, %d octets held", e.state, len(w.seen)-before, cap(e.snd.buf.bytes.ring))
		}
		if timeout > 0 && e.err != ErrTimeout {
			t.Errorf("with a timeout of %v: %v after two hours", timeout, e.state)
		}
	}
}

// TestClosedWindowAfterClose: a peer that never takes the last of the data holds a connection that nobody waits for any longer only
// as long as a silent one (RFC 6429 s.3).
func TestClosedWindowAfterClose(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{RecvBuffer: 10_000})
	w.run(time.Second)
	e := w.ends[0]
	e.Write(make([]byte, 100_000))
	w.run(time.Minute)
	e.Close()
	w.run(defaultPatience - 2*time.Minute)
	if e.state != FinWait1 && e.state != Established {
		t.Errorf("%v too early", e.state)
	}
	w.run(4 * time.Minute)
	if e.err != ErrTimeout {
		t.Errorf("%v, %v", e.state, e.err)
	}
}

// TestRangesAreBounded: of a peer that sends every second octet only so many islands are taken that they cost under a
// hundredth of the buffer, none that was reported is dropped, and afterwards the data arrives whole.
func TestRangesAreBounded(t *testing.T) {
	const buffer = 1 << 20
	w := newPair(t, time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: buffer})
	w.run(time.Second)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	e := w.ends[1]
	const most = fewRanges + buffer/octetsPerRange
	room := e.rcv.edge.Sub(e.rcv.nxt)
	n := room/2 - 1
	for i := range n {
		w.inject(1, wire.ACK, 2*i+1, 0, []byte{1})
		if i%100 == 0 {
			w.drain(1, 0)
		}
	}
	if len(e.rcv.ooo) != most || cap(e.rcv.ooo)*8 > buffer/50 || e.got.Refused != int64(n-most) {
		t.Errorf("%d ranges, room for %d, %d segments refused of %d", len(e.rcv.ooo), cap(e.rcv.ooo), e.got.Refused, n)
	}
	for _, r := range e.rcv.recent[:e.rcv.numRecent] {
		if i := firstTouching(e.rcv.ooo, r.Start); i == len(e.rcv.ooo) || e.rcv.ooo[i] != r {
			t.Errorf("reports [%d, %d), which it does not have", r.Start, r.End)
		}
	}
	w.inject(1, wire.ACK, 2, 0, []byte{1}) // joins two: taken at any time
	if len(e.rcv.ooo) != most-1 {
		t.Errorf("%d ranges after two were joined", len(e.rcv.ooo))
	}
	w.inject(1, wire.ACK, 0, 0, make([]byte, 2*n))
	if e.rcv.buf.ready != 2*n || e.rcv.ooo != nil {
		t.Errorf("%d octets of %d ready, %d ranges left", e.rcv.buf.ready, 2*n, len(e.rcv.ooo))
	}
}
