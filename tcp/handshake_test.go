package tcp

import (
	"net/netip"
	"testing"
	"time"

	"longhaul/wire"
)

// TestHandshakeOptions negotiates each feature in all four combinations; it is on only when both ends want it
// (RFC 7323 s.1.3, RFC 2018 s.2).
func TestHandshakeOptions(t *testing.T) {
	for _, f := range []Feature{Timestamps, SACK, WindowScaling} {
		for mask := range 4 {
			var cfg [2]Config
			for i := range cfg {
				if mask&(1<<i) == 0 {
					cfg[i].Disable = f
				}
			}
			w := newPair(t, time.Millisecond)
			w.connect(cfg[0], cfg[1])
			for i, c := range w.ends {
				if got, want := c.on&f != 0, mask == 3; got != want {
					t.Errorf("feature %b, wanted by %02b: on is %v at end %d", f, mask, got, i)
				}
			}
			w.transfer(300_000, time.Minute)
		}
	}
}

// TestMSS: each end sends no more than the other accepts, less the room that the options of every segment take
// (RFC 6691); a peer that names a tiny MSS gets the floor.
func TestMSS(t *testing.T) {
	for _, c := range []struct {
		client, server int
		features       Feature
		want           int
	}{
		{1460, 1460, 0, 1448}, {1460, 1460, Timestamps, 1460}, {9000, 1460, 0, 1448}, {536, 1460, Timestamps, 536}, {1460, 1, Timestamps, minMSS},
	} {
		w := newPair(t, time.Millisecond)
		w.connect(Config{MSS: c.client, Disable: c.features}, Config{MSS: c.server})
		if got := w.ends[0].Info().MSS; got != c.want {
			t.Errorf("MSS %d and %d: sends %d, want %d", c.client, c.server, got, c.want)
		}
	}
	w := newPair(t, time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		p.Options.Set &^= wire.OptMSS
		return false, 0
	}
	w.connect(Config{Disable: Timestamps}, Config{})
	if got := w.ends[0].Info().MSS; got != defaultMSS4 {
		t.Errorf("without the option: %d, want %d", got, defaultMSS4)
	}
}

// TestSimultaneousOpen: both ends dial each other (RFC 9293 figure 7).
func TestSimultaneousOpen(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	for i := range w.ends {
		c, err := w.sides[i].Dial(0, addrs[i], addrs[1-i], Config{})
		if err != nil {
			t.Fatal(err)
		}
		w.ends[i] = c
	}
	w.run(time.Second)
	for i, c := range w.ends {
		if c.state != Established {
			t.Errorf("end %d: %v", i, c.state)
		}
	}
	w.transfer(100_000, time.Minute)
}

// TestSYNACKLost: when the answer to a SYN is lost, the SYN that is sent again is answered at once, by a SYN-ACK.
func TestSYNACKLost(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	lost := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 && p.Flags&wire.SYN != 0 && lost == 0 {
			lost++
			return true, 0
		}
		return false, 0
	}
	server := Config{Timers: Timers{RTOInitial: 10 * time.Second}} // its own timer does not help
	w.connect(Config{}, server)
	if w.now.Seconds() > 1.1 {
		t.Errorf("connected after %v, want one timeout of the client and a round trip", w.now)
	}
}

// TestRefused: a SYN to a port where nobody listens is reset, and the connection says so.
func TestRefused(t *testing.T) {
	w := newPair(t, time.Millisecond)
	c, _ := w.sides[0].Dial(0, addrs[0], addrs[1], Config{})
	w.run(time.Second)
	if c.Err() != ErrRefused || !c.Ready().Closed || len(w.sides[0].conns) != 0 {
		t.Errorf("error %v, ready %+v, %d connections left", c.Err(), c.Ready(), len(w.sides[0].conns))
	}
}

// TestSYNTimeout: without an answer the SYN is sent eight times, a second and its doublings apart, and then the
// attempt fails, not before three minutes (RFC 9293 s.3.8.3).
func TestSYNTimeout(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c, _ := w.sides[0].Dial(0, addrs[0], addrs[1], Config{})
	w.run(180 * time.Second)
	if c.Err() != nil {
		t.Errorf("error %v within three minutes", c.Err())
	}
	w.run(70 * time.Second)
	if c.Err() != ErrTimeout || len(w.seen) != 1+maxSYNRetries {
		t.Errorf("error %v after %d SYNs", c.Err(), len(w.seen))
	}
	if got := w.seen[3].at.Sub(w.seen[2].at); got != 4*time.Second {
		t.Errorf("third wait %v, want 4 s", got)
	}
}

// TestSpuriousSYNTimeout: with a round trip above the initial timeout the SYN is sent twice for nothing. The
// timestamp echo says so, and the first window stays what it is (field report F31); without timestamps it is one
// segment (RFC 5681 s.3.1).
func TestSpuriousSYNTimeout(t *testing.T) {
	for _, c := range []struct {
		disable Feature
		want    int
	}{{0, 10 * 1448}, {Timestamps, 1460}} {
		w := newPair(t, 650*time.Millisecond)
		cfg := reno(RACK)
		cfg.Disable |= c.disable
		w.connect(cfg, Config{})
		if w.ends[0].hand.retries != 1 {
			t.Errorf("%d SYN retransmissions", w.ends[0].hand.retries)
		}
		if got := w.ends[0].Info().Window; got != int64(c.want) {
			t.Errorf("first window %d, want %d", got, c.want)
		}
	}
}

// TestBacklog: SYNs beyond the backlog are ignored, and taken when there is room again.
func TestBacklog(t *testing.T) {
	w := newPair(t, time.Millisecond)
	l, err := w.sides[1].Listen(addrs[1], 2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, err := w.sides[0].Dial(0, addrs[0], addrs[1], Config{}); err != nil && err != ErrInUse {
			t.Fatal(err)
		}
		local := addrs[0]
		local = netipWithPort(local, 0)
		if _, err := w.sides[0].Dial(0, local, addrs[1], Config{}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(500 * time.Millisecond)
	n := 0
	for l.Accept() != nil {
		n++
	}
	if n != 2 {
		t.Errorf("%d accepted at once, want 2", n)
	}
	w.run(2 * time.Second)
	for l.Accept() != nil {
		n++
	}
	if n != 4 {
		t.Errorf("%d accepted after a retry, want 4", n)
	}
}

// TestAddressErrors: what cannot work is refused with an error.
func TestAddressErrors(t *testing.T) {
	w := newPair(t, 0)
	if _, err := w.sides[0].Listen(addrs[0], 0, Config{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.sides[0].Listen(addrs[0], 0, Config{}); err != ErrInUse {
		t.Errorf("second Listen: %v", err)
	}
	if _, err := w.sides[0].Listen(netipWithPort(addrs[0], 0), 0, Config{}); err != ErrAddress {
		t.Errorf("Listen on port 0: %v", err)
	}
	if _, err := w.sides[0].Dial(0, addrs[0], netipWithPort(addrs[1], 0), Config{}); err != ErrAddress {
		t.Errorf("Dial to port 0: %v", err)
	}
}

// TestAddressOfMany: there is no connection to or from an address that is not one host's, and no answer to what comes
// with one (RFC 9293 s.3.9.2.3).
func TestAddressOfMany(t *testing.T) {
	w := newPair(t, 0)
	for _, addr := range []string{"0.0.0.0", "255.255.255.255", "224.0.0.1", "239.1.2.3", "::", "ff02::1"} {
		many := netip.AddrPortFrom(netip.MustParseAddr(addr), 80)
		if _, err := w.sides[0].Dial(0, addrs[0], many, Config{}); err != ErrAddress {
			t.Errorf("Dial to %s: %v", many, err)
		}
		if _, err := w.sides[1].Listen(many, 0, Config{}); err != nil {
			t.Fatal(err)
		}
		for _, f := range []wire.Flags{wire.SYN, wire.ACK, wire.SYN | wire.ACK} {
			w.sides[1].Input(0, &wire.Packet{Src: addrs[0], Dst: many, Protocol: wire.ProtocolTCP, Flags: f})
			w.sides[1].Input(0, &wire.Packet{Src: many, Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: f})
			var p wire.Packet
			if ok, _ := w.sides[1].Poll(0, &p); ok {
				t.Errorf("flags %v of or to %s: answered with flags %v", f, many, p.Flags)
			}
		}
	}
}

// TestSimultaneousOpenSegments: the SYN-ACKs that cross complete the handshake by themselves (RFC 9293 figure 7); nothing
// is challenged.
func TestSimultaneousOpenSegments(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	for i := range w.ends {
		w.ends[i], _ = w.sides[i].Dial(0, addrs[i], addrs[1-i], Config{})
	}
	w.run(time.Second)
	if len(w.seen) != 4 || w.ends[0].got.OutOfWindow != 0 {
		t.Errorf("%d segments, want SYN, SYN, SYN-ACK, SYN-ACK: %v", len(w.seen), w.seen)
	}
}

// TestDataInSYNACK: payload and FIN may come with the segment that completes the handshake; the payload begins one
// octet after the SYN (RFC 9293 s.3.10.7.3).
func TestDataInSYNACK(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 && p.Flags&wire.SYN != 0 {
			p.Payload = append(p.Payload[:0], "hello"...)
			p.PayloadLen = 5
			p.Flags |= wire.FIN
		}
		return false, 0
	}
	if _, err := w.sides[1].Listen(addrs[1], 0, Config{}); err != nil {
		t.Fatal(err)
	}
	c, _ := w.sides[0].Dial(0, addrs[0], addrs[1], Config{})
	w.run(2500 * time.Microsecond)
	var buf [10]byte
	if n, err := c.Read(buf[:]); string(buf[:n]) != "hello" || err != nil || c.state != CloseWait || c.got.Duplicates != 0 {
		t.Errorf("%q, %v in %v, %d octets twice", buf[:n], err, c.state, c.got.Duplicates)
	}
}

// TestTimestampOfHandshake: what echoes in the first data segment of the end that was called is the timestamp of the
// segment that completed the handshake, whatever the initial sequence number (RFC 7323 s.4.3).
func TestTimestampOfHandshake(t *testing.T) {
	for _, iss := range []wire.Seq{1 << 30, 3 << 30} {
		w := newPair(t, 10*time.Millisecond)
		l, _ := w.sides[1].Listen(addrs[1], 0, Config{})
		c, _ := w.sides[0].Dial(0, addrs[0], addrs[1], Config{})
		c.snd.iss, c.snd.una, c.snd.nxt = iss, iss, iss
		w.run(time.Second)
		l.Accept().WriteSynthetic(10)
		w.run(time.Millisecond)
		last := w.seen[len(w.seen)-1].p
		c.resume()
		if want := c.tsVal(0) + 20; last.Options.TSEcr != want {
			t.Errorf("ISS %d: echoes %d, %+d from the last ACK's", iss, last.Options.TSEcr, int32(last.Options.TSEcr-want))
		}
	}
}

// TestSYNACKAgainIsNoSample: a SYN-ACK sent again because the SYN came again gives no round-trip sample without
// timestamps (Karn, RFC 6298 s.3).
func TestSYNACKAgainIsNoSample(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	lost := false
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 && p.Flags&wire.SYN != 0 && !lost {
			lost = true
			return true, 0
		}
		return false, 0
	}
	w.connect(Config{}, Config{Disable: Timestamps, Timers: Timers{RTOInitial: 10 * time.Second}})
	if got := w.ends[1].rtt.srtt; got != 0 {
		t.Errorf("a sample of %v", got)
	}
}
