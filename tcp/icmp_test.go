package tcp

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

var hopAddr = netip.MustParseAddr("10.0.0.254")

// icmp returns an error message about a segment of side 0 that begins at seq.
func icmp(typ, code uint8, seq wire.Seq) *wire.ICMPError {
	return &wire.ICMPError{From: hopAddr, Type: typ, Code: code, Src: addrs[0], Dst: addrs[1], Seq: seq, Length: 1500}
}

// dialNowhere returns a connection in SYN-SENT whose SYN vanishes.
func dialNowhere(t *testing.T, cfg Config) (*pair, *Conn) {
	w := newPair(t, 10*time.Millisecond)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c, err := w.sides[0].Dial(w.now, addrs[0], addrs[1], cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.run(100 * time.Millisecond)
	return w, c
}

// TestICMPHardInSYNSent: who is refused by ICMP need not wait (RFC 1122 s.4.2.3.9, RFC 5461 s.2.1), if the message quotes our SYN
// (RFC 5927 s.4.1).
func TestICMPHardInSYNSent(t *testing.T) {
	for _, code := range []uint8{2, 3, 9, 10, 13} {
		w, c := dialNowhere(t, Config{})
		w.sides[0].InputICMP(w.now, icmp(3, code, c.snd.iss+1))
		w.sides[0].InputICMP(w.now, icmp(3, code, c.snd.iss-1))
		if c.state != SynSent || c.Info().Received.ICMPIgnored != 2 {
			t.Errorf("code %d for another sequence number: %v, %+v", code, c.state, c.Info().Received)
		}
		w.sides[0].InputICMP(w.now, icmp(3, code, c.snd.iss))
		if c.state != Closed || !errors.Is(c.Err(), ErrUnreachable) || errors.Is(c.Err(), ErrTimeout) {
			t.Errorf("code %d: %v, %v", code, c.state, c.Err())
		}
		w.run(time.Minute)
		if len(w.sides[0].conns) != 0 {
			t.Errorf("code %d: the stack still has the connection", code)
		}
	}
}

// TestICMPSoftInSYNSent: what may pass is not the end, and is told when the attempt times out.
func TestICMPSoftInSYNSent(t *testing.T) {
	for _, m := range [][2]uint8{{3, 0}, {3, 1}, {11, 0}, {12, 0}} {
		w, c := dialNowhere(t, Config{})
		w.sides[0].InputICMP(w.now, icmp(m[0], m[1], c.snd.iss))
		w.run(time.Minute)
		if c.state != SynSent || len(w.seen) < 5 {
			t.Errorf("type %d code %d: %v after %d SYNs", m[0], m[1], c.state, len(w.seen))
		}
		w.run(5 * time.Minute)
		if !errors.Is(c.Err(), ErrTimeout) || !errors.Is(c.Err(), ErrUnreachable) {
			t.Errorf("type %d code %d: %v", m[0], m[1], c.Err())
		}
	}
}

// TestICMPQuench: source quench means nothing in any state (RFC 6633 s.3), nor does what is too big before there is data.
func TestICMPQuench(t *testing.T) {
	w, c := dialNowhere(t, Config{})
	w.sides[0].InputICMP(w.now, icmp(4, 0, c.snd.iss))
	w.sides[0].InputICMP(w.now, icmp(3, 4, c.snd.iss))
	w.run(10 * time.Minute)
	if c.Err() != ErrTimeout || c.Info().Received.ICMPIgnored != 2 {
		t.Errorf("%v, %+v", c.Err(), c.Info().Received)
	}
	w = newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{})
	w.ends[0].WriteSynthetic(10000)
	w.step(mono.Never)
	window := w.ends[0].Info().Window
	w.sides[0].InputICMP(w.now, icmp(4, 0, w.ends[0].snd.una))
	if got := w.ends[0].Info(); got.Window != window || got.Received.ICMP != 1 || got.Received.ICMPIgnored != 1 {
		t.Errorf("window %d, was %d; %+v", got.Window, window, got.Received)
	}
}

// TestICMPHardEstablished: a connection survives a hard error, which may be forged (RFC 5927 s.5.2), and one that times out
// tells of it. Progress makes it forget.
func TestICMPHardEstablished(t *testing.T) {
	cfg := reno(RACK)
	cfg.UserTimeout = 30 * time.Second
	for _, dies := range []bool{false, true} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(cfg, Config{})
		w.run(time.Second)
		c := w.ends[0]
		c.WriteSynthetic(5000)
		w.step(w.now)
		w.sides[0].InputICMP(w.now, icmp(3, 3, c.snd.una))
		if in := c.Info().Received; in.ICMP != 1 || in.ICMPIgnored != 0 {
			t.Fatalf("not taken: %+v", in)
		}
		if !dies {
			w.run(time.Second)
			if c.state != Established || c.Info().Sent.Acked != 5000 {
				t.Fatalf("%v, %+v", c.state, c.Info())
			}
			c.WriteSynthetic(5000)
		}
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
		w.run(time.Hour)
		if !errors.Is(c.Err(), ErrTimeout) || errors.Is(c.Err(), ErrUnreachable) != dies {
			t.Errorf("error without progress %v: %v", dies, c.Err())
		}
	}
}

// TestICMPForged: a message about what is not in flight counts for nothing (RFC 5927 s.4.1), whatever it is.
func TestICMPForged(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{})
	c := w.settle(50_000)
	c.WriteSynthetic(5000)
	w.step(w.now)
	n := int64(0)
	for _, seq := range []wire.Seq{c.snd.una - 1, c.snd.una - 40_000, c.snd.nxt, c.snd.nxt + 1, c.snd.una + 1<<31} {
		for _, m := range [][2]uint8{{3, 3}, {3, 4}, {11, 0}} {
			e := icmp(m[0], m[1], seq)
			e.MTU = 600
			w.sides[0].InputICMP(w.now, e)
			n++
		}
	}
	stranger := icmp(3, 4, c.snd.una)
	stranger.Src = otherPort
	w.sides[0].InputICMP(w.now, stranger)
	if in := c.Info(); in.Received.ICMP != n || in.Received.ICMPIgnored != n || in.MSS != 1448 || c.path.hasSoft || c.path.claim != 0 {
		t.Errorf("%+v, path %+v", in, c.path)
	}
}

// TestICMPSYNReceived: an attempt that a peer began ends without an error when its host refuses our answer.
func TestICMPSYNReceived(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	l, err := w.sides[0].Listen(addrs[0], 1, Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.sides[0].Input(w.now, &wire.Packet{Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.SYN, Seq: 7, Window: 1000})
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.step(mono.Never)
	c := w.sides[0].conns[connKey{addrs[0], addrs[1]}]
	if c == nil || l.opening != 1 {
		t.Fatalf("no attempt, %d opening", l.opening)
	}
	w.sides[0].InputICMP(w.now, icmp(3, 1, c.snd.iss))
	if c.state != SynReceived {
		t.Fatalf("a soft error: %v", c.state)
	}
	w.sides[0].InputICMP(w.now, icmp(3, 3, c.snd.iss))
	w.run(time.Second)
	if c.state != Closed || c.Err() != nil || l.opening != 0 || len(w.sides[0].conns) != 0 {
		t.Errorf("%v, %v, %d opening", c.state, c.Err(), l.opening)
	}
}

// TestICMPAllocatesNothing: a message costs no memory, whether it counts or not.
func TestICMPAllocatesNothing(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(reno(RACK), Config{})
	c := w.settle(50_000)
	c.WriteSynthetic(5000)
	w.step(w.now)
	big := icmp(3, 4, c.snd.una)
	big.MTU = 1000
	all := []*wire.ICMPError{icmp(3, 3, c.snd.una), icmp(3, 3, c.snd.una-1), icmp(11, 0, c.snd.una), big}
	if n := testing.AllocsPerRun(100, func() {
		for _, e := range all {
			w.sides[0].InputICMP(w.now, e)
		}
	}); n != 0 || c.path.claim == 0 {
		t.Errorf("%v allocations; claim %d", n, c.path.claim)
	}
}
