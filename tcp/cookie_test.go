package tcp

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// forgedSYN returns the i-th SYN of a flood: each comes from another address, and nobody is there.
func forgedSYN(i int) wire.Packet {
	src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, byte(i >> 16), byte(i >> 8), byte(i)}), 4000)
	p := wire.Packet{Src: src, Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.SYN, Seq: wire.Seq(i * 7919), Window: 65535}
	p.Options = wire.Options{Set: wire.OptMSS | wire.OptTimestamps | wire.OptSACKPermitted | wire.OptWindowScale, MSS: 1460, WindowScale: 7, TSVal: uint32(i)}
	return p
}

// flood has side 1 receive n forged SYNs, the first of them number from, and returns how many SYN-ACKs it answered.
func (w *pair) flood(from, n int) (answers int) {
	for i := range n {
		p := forgedSYN(from + i)
		w.sides[1].Input(w.now, &p)
		answers += w.drain(1, wire.SYN|wire.ACK)
	}
	return answers
}

// TestSYNFlood: a listener under a flood of SYNs from forged addresses holds as many half-open connections as its backlog,
// answers the rest without allocating, and every honest client connects at its first try, with all of its options
// (RFC 4987 s.3.6).
func TestSYNFlood(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.lax = true
	const backlog = 128
	l, err := w.sides[1].Listen(addrs[1], backlog, Config{})
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	if got := w.flood(0, backlog); got != backlog || l.opening != backlog {
		t.Fatalf("%d answers, %d half open", got, l.opening)
	}
	// What a half-open connection costs, its places in the tables of the stack included.
	if each := (heap() - before) / backlog; each > 2560 {
		t.Errorf("%d octets of heap for a half-open connection, want at most 2560", each)
	}
	i := backlog
	if n := testing.AllocsPerRun(1000, func() { w.flood(i, 1); i++ }); n > 0 {
		t.Errorf("%v allocations for each forged SYN", n)
	}
	var clients []*Conn
	for range 100 {
		if w.flood(i, 1000) != 1000 {
			t.Fatal("a SYN of the flood was not answered")
		}
		i += 1000
		c, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		w.run(30 * time.Millisecond)
		s := l.Accept()
		if s == nil || c.state != Established || c.hand.retries > 0 {
			t.Fatalf("client %d: %v after %d retries; accepted: %v", len(clients), c.state, c.hand.retries, s != nil)
		}
		if s.on != c.on || s.snd.mss != c.snd.mss || s.snd.scale != c.rcv.scale || c.snd.scale != s.rcv.scale {
			t.Fatalf("client %d: features %b and %b, MSS %d and %d", len(clients), c.on, s.on, c.snd.mss, s.snd.mss)
		}
	}
	if l.opening > backlog || len(w.sides[1].conns) > backlog+100 {
		t.Errorf("%d half open, %d connections", l.opening, len(w.sides[1].conns))
	}
	w.ends = [2]*Conn{clients[0], w.sides[1].conns[connKey{addrs[1], clients[0].key.local}]}
	w.transfer(1_000_000, time.Minute)
	// What is half open and never answers is gone after all retries (RFC 4987 s.3.3).
	w.apps = nil
	w.run(64 * time.Second)
	if l.opening != 0 {
		t.Errorf("%d still half open", l.opening)
	}
}

// TestFloodInOneBatch: a driver that polls only after a thousand SYNs finds as many replies as may wait.
func TestFloodInOneBatch(t *testing.T) {
	w := newPair(t, time.Millisecond)
	if _, err := w.sides[1].Listen(addrs[1], 1, Config{}); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		p := forgedSYN(i)
		w.sides[1].Input(w.now, &p)
	}
	if n := w.drain(1, wire.SYN); n != 1+maxReplies {
		t.Errorf("%d replies", n)
	}
}

// TestCookieOptions: a connection out of a cookie has the options that the peer offered, as far as a cookie can tell them,
// and what came with the acknowledgement is delivered.
func TestCookieOptions(t *testing.T) {
	for _, c := range []struct {
		client    Config
		mss, rest int // what the server sends in a segment, and the features that are on
	}{
		{Config{}, 1448, int(Timestamps | SACK | WindowScaling)},
		{Config{MSS: 9000}, 1448, int(Timestamps | SACK | WindowScaling)},
		{Config{MSS: 1400}, 1368, int(Timestamps | SACK | WindowScaling)}, // 1380 is the next smaller in the table
		{Config{MSS: 100, Disable: SACK}, 88 - 12, int(Timestamps | WindowScaling)},
		{Config{Disable: WindowScaling}, 1448, int(Timestamps | SACK)},
		{Config{Disable: Timestamps}, 1460, 0},
		{Config{Enable: BigWindow | NAK, RecvBuffer: 1 << 20}, 1448, int(Timestamps | SACK | WindowScaling)},
	} {
		w := newPair(t, 10*time.Millisecond)
		l, _ := w.sides[1].Listen(addrs[1], 1, Config{Enable: BigWindow | NAK})
		w.flood(0, 1)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			return from == 0 && p.Flags&wire.SYN == 0 && p.PayloadLen == 0, 0 // only data completes the handshake
		}
		client, _ := w.sides[0].Dial(w.now, addrs[0], addrs[1], c.client)
		w.run(30 * time.Millisecond)
		client.Write([]byte("hello"))
		w.run(15 * time.Millisecond)
		s := l.Accept()
		if s == nil {
			t.Errorf("%+v: no connection", c.client)
			continue
		}
		const negotiable = Timestamps | SACK | WindowScaling | BigWindow | NAK
		if s.snd.mss != c.mss || int(s.on&negotiable) != c.rest || client.on&negotiable != s.on&negotiable || s.snd.scale != client.rcv.scale {
			t.Errorf("%+v: MSS %d, features %b and %b, scale %d", c.client, s.snd.mss, client.on, s.on, s.snd.scale)
		}
		var buf [10]byte
		if n, _ := s.Read(buf[:]); string(buf[:n]) != "hello" || s.rtt.srtt != 0 {
			t.Errorf("%+v: read %q, round trip %v", c.client, buf[:n], s.rtt.srtt)
		}
		w.filter = nil
		w.ends = [2]*Conn{client, s}
		w.transfer(500_000, time.Minute)
		if client.got.PAWSRejected+s.got.PAWSRejected > 0 {
			t.Errorf("%+v: %d segments rejected by PAWS", c.client, client.got.PAWSRejected)
		}
	}
}

// TestCookieForged: without a cookie of our own no acknowledgement opens a connection, and there are no cookies unless the
// listener was full lately. One that was sent is good for its period and the next, and only for the same two addresses,
// options and sequence number.
func TestCookieForged(t *testing.T) {
	w := newPair(t, time.Millisecond)
	l, _ := w.sides[1].Listen(addrs[1], 1, Config{})
	w.flood(0, 1)
	syn := forgedSYN(1)
	cookie := func() wire.Packet { // the honest answer to a cookie sent now
		w.sides[1].Input(w.now, &syn)
		var p wire.Packet
		if ok, _ := w.sides[1].Poll(w.now, &p); !ok {
			t.Fatal("no cookie")
		}
		clock := tsClock(w.now) + w.sides[1].tsOffset(connKey{p.Src, p.Dst})
		if behind := int32(clock - p.Options.TSVal); behind < 0 || behind >= 2<<cookieBits {
			t.Fatalf("the timestamp is %d behind the clock", behind)
		}
		a := wire.Packet{Src: p.Dst, Dst: p.Src, Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: p.Ack, Ack: p.Seq + 1, Window: 1000}
		a.Options = wire.Options{Set: wire.OptTimestamps, TSVal: syn.Options.TSVal + 1, TSEcr: p.Options.TSVal}
		return a
	}
	try := func(p wire.Packet) bool {
		w.sides[1].Input(w.now, &p)
		opened := len(l.waiting) > 0
		for _, c := range l.waiting {
			c.hand.listener = nil
			w.sides[1].forget(c)
		}
		l.waiting = l.waiting[:0]
		w.drain(1, 0)
		return opened
	}
	for range 100 {
		w.now = w.now.Add(time.Millisecond)
		cookie()
	}
	w.now = mono.Time(5 * cookiePeriod) // the beginning of a period
	good := cookie()
	rng := rand.New(rand.NewPCG(1, 4987))
	for range 200_000 {
		p := good
		p.Ack = wire.Seq(rng.Uint32())
		p.Options.TSEcr = rng.Uint32()
		if try(p) {
			t.Fatalf("opened by acknowledgement %d", p.Ack)
		}
	}
	for name, change := range map[string]func(*wire.Packet){
		"another port":    func(p *wire.Packet) { p.Src = netipWithPort(p.Src, 4001) },
		"another address": func(p *wire.Packet) { p.Src = netip.AddrPortFrom(addrs[0].Addr(), 4000) },
		"another SYN":     func(p *wire.Packet) { p.Seq += 1448 },
		"another MSS":     func(p *wire.Packet) { p.Ack ^= 1 },
		"another scale":   func(p *wire.Packet) { p.Options.TSEcr ^= 1 },
		"no timestamp":    func(p *wire.Packet) { p.Options.Set = 0 },
		"what follows":    func(p *wire.Packet) { p.Seq += 100 },
		"a SYN":           func(p *wire.Packet) { p.Flags |= wire.SYN },
	} {
		p := good
		change(&p)
		if try(p) {
			t.Errorf("%s: opened", name)
		}
	}
	if !try(good) {
		t.Error("the cookie itself opens nothing")
	}
	w.now = w.now.Add(2*cookiePeriod - time.Millisecond)
	if !try(good) {
		t.Error("the cookie is not good for its period and the next")
	}
	w.now = w.now.Add(time.Millisecond)
	cookie() // cookies are expected still
	if try(good) {
		t.Error("the cookie is good for more than two periods")
	}
	last := cookie()
	l.cookiesEnd = 0
	if try(last) {
		t.Error("a cookie counts though none was sent lately")
	}
}

// TestCookieFirstDataLost: when the acknowledgement of a cookie and the first data behind it are lost, what follows opens nothing:
// it would begin the stream in the middle. The data sent again opens the connection.
func TestCookieFirstDataLost(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	l, _ := w.sides[1].Listen(addrs[1], 1, Config{})
	w.flood(0, 1)
	lost := false
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		first := p.PayloadLen > 0 && p.Seq == w.ends[0].snd.iss+1 && !lost
		lost = lost || first
		return from == 0 && p.Flags&wire.SYN == 0 && (p.PayloadLen == 0 || first), 0
	}
	w.ends[0], _ = w.sides[0].Dial(w.now, addrs[0], addrs[1], Config{})
	w.ends[0].Write(pattern(0, 5000))
	w.run(100 * time.Millisecond)
	w.filter = nil
	w.run(5 * time.Second)
	w.ends[1] = l.Accept()
	got := make([]byte, 6000)
	if w.ends[1] == nil || !lost {
		t.Fatalf("no connection; the first segment was lost: %v", lost)
	}
	if n, _ := w.ends[1].Read(got); !bytes.Equal(got[:n], pattern(0, 5000)) {
		t.Errorf("read %d octets, or others than were written", n)
	}
}

// TestFullAcceptQueue: while as many connections wait to be accepted as may, the acknowledgement of a cookie is ignored; the
// peer's data brings it again. A half-open connection waits too, and its SYN-ACK asks for the acknowledgement.
func TestFullAcceptQueue(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	l, _ := w.sides[1].Listen(addrs[1], 2, Config{})
	var clients []*Conn
	for range 6 {
		c, _ := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{})
		clients = append(clients, c)
		c.Write([]byte("hello"))
	}
	w.run(500 * time.Millisecond)
	if len(l.waiting) != 2 || l.opening != 2 {
		t.Fatalf("%d wait, %d half open", len(l.waiting), l.opening)
	}
	got := 0
	for range 20 {
		for s := l.Accept(); s != nil; s = l.Accept() {
			got++
		}
		w.run(time.Second)
	}
	for i, c := range clients {
		c.resume()
		if c.state != Established || c.sent.Acked != 5 {
			t.Errorf("client %d: %v, %v, %d octets acknowledged", i, c.state, c.err, c.sent.Acked)
		}
	}
	if got != 6 {
		t.Errorf("%d accepted", got)
	}
}

// TestHalfOpenIsForgotten: SYNs that come again and again do not keep a half-open connection alive, nor does it hold any of
// the stack's memory for windows.
func TestHalfOpenIsForgotten(t *testing.T) {
	w := newPairOf(t, 10*time.Millisecond, StackConfig{WindowMemory: 1 << 20})
	l, _ := w.sides[1].Listen(addrs[1], 10, Config{RecvBuffer: 1 << 20, SendBuffer: 1 << 20})
	w.flood(0, 10)
	if used := w.sides[1].memory.used; used != 0 || l.opening != 10 {
		t.Errorf("%d octets of window memory for %d half-open connections", used, l.opening)
	}
	syns := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Flags&wire.SYN != 0 {
			syns++
		}
		return true, 0
	}
	first := w.sides[1].conns[connKey{addrs[1], forgedSYN(0).Src}]
	for range 64 {
		w.run(500 * time.Millisecond)
		p := forgedSYN(0)
		w.sides[1].Input(w.now, &p)
		w.run(500 * time.Millisecond)
	}
	if l.opening != 1 || first.state != Closed { // the last SYN has opened anew what had been forgotten a second before
		t.Errorf("%d half open after 64 s, the first one is in %v", l.opening, first.state)
	}
	if want := 10*maxSYNACKRetries + 64 + 1; syns > want {
		t.Errorf("%d SYN-ACKs, want at most %d", syns, want)
	}
}
