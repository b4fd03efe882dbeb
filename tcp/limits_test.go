package tcp

import (
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/wire"
)

// TestWindowLimit: buffers and windows above 2^30 octets are clamped to it (R6), and the window scale of 14 can
// express it.
func TestWindowLimit(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{RecvBuffer: 1<<31 - 1, SendBuffer: 1<<31 - 1}, Config{RecvBuffer: 1<<31 - 1})
	c := w.ends[1]
	if c.cfg.RecvBuffer != 1<<30 || c.rcv.scale != 14 {
		t.Errorf("buffer %d, scale %d", c.cfg.RecvBuffer, c.rcv.scale)
	}
	w.transfer(1<<20, time.Minute)
	if got := w.ends[0].Info().PeerWindow; got > 1<<30 || got < 1<<29 {
		t.Errorf("the peer advertises %d", got)
	}
}

// TestDeafController: whatever a controller asks for, the engine stays within the peer's window.
func TestDeafController(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := reno(RACK)
	cfg.Algorithm = cc.Algorithm{Name: "deaf", New: func(cc.Params) cc.Controller { return deaf{} }}
	w.connect(cfg, Config{RecvBuffer: 50_000})
	w.transfer(1_000_000, time.Minute)
	if got := w.ends[0].Info().Sent.MaxInFlight; got > 50_000+1<<w.ends[1].rcv.scale {
		t.Errorf("%d octets in flight, the peer allows 50000", got)
	}
}

type deaf struct{}

func (deaf) OnSent(cc.Sent)             {}
func (deaf) OnAck(cc.Ack)               {}
func (deaf) OnLost(cc.Lost)             {}
func (deaf) OnCongestion(cc.Congestion) {}
func (deaf) Output() cc.Output          { return cc.Output{Window: cc.MaxWindow, Ssthresh: cc.Infinite} }

// TestManyIdleConnections: polling with 2,000 idle connections looks at none of them.
func TestManyIdleConnections(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{}, Config{})
	w.sides[1].listeners[addrs[1]].backlog = 4000
	for range 2000 {
		local := netipWithPort(addrs[0], 0)
		if _, err := w.sides[0].Dial(w.now, local, addrs[1], Config{}); err != nil {
			t.Fatal(err)
		}
		w.run(3 * time.Millisecond)
	}
	w.run(time.Second)
	if n := len(w.sides[0].deadlines); n > 1 {
		t.Errorf("%d of 2001 idle connections have a deadline", n)
	}
	w.transfer(100_000, time.Minute)
}

// TestSequenceWrap carries a stream over the end of the sequence space, with losses at the wrap (RFC 9293 s.3.4).
func TestSequenceWrap(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, NewReno, DupACK, FACK} {
		w := newPair(t, 20*time.Millisecond)
		l, err := w.sides[1].Listen(addrs[1], 0, Config{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.sides[0].Dial(0, addrs[0], addrs[1], reno(r))
		if err != nil {
			t.Fatal(err)
		}
		c.snd.iss = wire.Seq(1<<32 - 50_000)
		c.snd.una, c.snd.nxt = c.snd.iss, c.snd.iss
		w.ends[0] = c
		w.run(time.Second)
		w.ends[1] = l.Accept()
		mss := c.snd.mss
		w.filter = w.lose(33*mss, 34*mss, 35*mss, 36*mss)
		w.transfer(1_000_000, time.Minute)
		if c.sent.Retransmissions == 0 || c.snd.una > 1<<31 {
			t.Errorf("recovery %d: %d retransmissions, ends at %d", r, c.sent.Retransmissions, c.snd.una)
		}
	}
}

// TestLateReader: an application that reads nothing for a while, then everything, gets every octet, and the sender
// learns of the room at once.
func TestLateReader(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{RecvBuffer: 100_000})
	left, got := 1_000_000, 0
	for range 100 {
		left -= w.ends[0].WriteSynthetic(left)
		w.run(300 * time.Millisecond)
		n, _ := w.ends[1].Discard(1 << 20)
		got += n
	}
	if got != 1_000_000 {
		t.Errorf("%d octets read", got)
	}
	if w.now.Seconds() > 31 || w.ends[0].Info().Sent.Timeouts > 0 {
		t.Errorf("%d timeouts", w.ends[0].Info().Sent.Timeouts)
	}
}
