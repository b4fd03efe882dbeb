package tcp

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// puppet is one stack whose peer is a test: the peer says what it likes, and what the stack sends is only looked at.
type puppet struct {
	t     tester
	iss   wire.Seq // the peer's initial sequence number
	now   mono.Time
	s     *Stack
	c     *Conn // the connection under test; nil while there is none
	l     *Listener
	offer wire.Options // what the peer's SYN has
	top   wire.Seq     // how far the connection has sent
	last  wire.Packet  // the latest packet sent
	sent  func(p *wire.Packet)
}

// tester is a test, or a run of a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newPuppet(t tester) *puppet {
	s, err := NewStack(StackConfig{}, rand.New(rand.NewPCG(1, 7)))
	if err != nil {
		t.Fatal(err)
	}
	const iss = 1<<32 - 1000 // it soon wraps
	return &puppet{t: t, s: s, iss: iss, now: mono.Time(time.Second)}
}

// segment returns a segment of the peer's, seq and ack relative to what the connection expects next and to its first
// unacknowledged octet.
func (u *puppet) segment(flags wire.Flags, seq, ack int) wire.Packet {
	p := wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: flags,
		Seq: u.iss.Add(1 + seq), Ack: wire.Seq(uint32(ack)), Window: 60_000,
	}
	if c := u.c; c != nil {
		c.resume()
		p.Ack = c.snd.una.Add(ack)
		if !c.handshaking() || c.hand.passive {
			p.Seq = c.rcv.nxt.Add(seq)
		}
		if c.on&Timestamps != 0 {
			p.Options.Set |= wire.OptTimestamps
			p.Options.TSVal, p.Options.TSEcr = uint32(u.now/1e6), c.tsVal(u.now)
		}
		if c.on&BigWindow != 0 {
			p.Options.Set |= wire.OptUpperWindow
		}
	}
	return p
}

func (u *puppet) input(p wire.Packet) {
	u.t.Helper()
	u.s.Input(u.now, &p)
	u.poll()
}

// syn has the peer send its SYN, or with ACK its answer to ours.
func (u *puppet) syn(flags wire.Flags) {
	u.t.Helper()
	p := wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.SYN | flags, Seq: u.iss, Window: 60_000, Options: u.offer,
	}
	if u.c != nil {
		u.c.resume()
		p.Ack = u.c.snd.iss + 1
		p.Options.TSEcr = u.c.tsVal(u.now)
	}
	p.Options.TSVal = uint32(u.now / 1e6)
	u.input(p)
	if u.c == nil {
		u.c = u.s.conns[connKey{addrs[0], addrs[1]}]
	}
}

// work returns how many segments the stack can have reason to send at one instant: all that is outstanding again, all that is not
// sent yet, and a few answers.
func (u *puppet) work() int {
	n := 16
	for _, c := range u.s.conns {
		if c.flow == nil {
			continue // at rest, it has nothing to send
		}
		n += 2*c.board.len() + c.snd.unsent()/max(c.snd.mss, 1)
	}
	return n
}

// poll takes what the stack has to send now and returns when to come back. Each packet must be one that the peer and the
// options' room allow.
func (u *puppet) poll() mono.Time {
	u.t.Helper()
	limit := u.work()
	for n := 0; ; n++ {
		var p wire.Packet
		ok, next := u.s.Poll(u.now, &p)
		for u.s.Changed() != nil {
		}
		if !ok {
			if next <= u.now {
				u.t.Fatalf("at %v: nothing to send, and come back at %v", u.now, next)
			}
			if err := u.s.CheckInvariants(); err != nil {
				u.t.Fatalf("at %v: %v", u.now, err)
			}
			return next
		}
		if n > limit {
			u.t.Fatalf("at %v: more than %d packets at once", u.now, limit)
		}
		u.look(&p)
	}
}

// look checks a packet that the stack sent.
func (u *puppet) look(p *wire.Packet) {
	u.t.Helper()
	u.last = *p
	if u.sent != nil {
		u.sent(p)
	}
	if n := p.Options.Len(wire.Encoding{}); n > wire.MaxOptions {
		u.t.Fatalf("%d octets of options: %+v", n, p)
	}
	c := u.s.conns[connKey{p.Src, p.Dst}]
	if c == nil || c != u.c || p.PayloadLen == 0 || !c.synchronised() {
		return
	}
	end := p.Seq.Add(p.PayloadLen)
	if p.PayloadLen > max(c.snd.mss, c.path.probe) || c.snd.nxt.Less(end) {
		u.t.Fatalf("segment of %d octets at %d, mss %d, snd.nxt %d", p.PayloadLen, p.Seq, c.snd.mss, c.snd.nxt)
	}
	if u.top.Less(end) {
		if c.snd.edge.Less(end) {
			u.t.Fatalf("new data up to %d octets beyond the window", end.Sub(c.snd.edge))
		}
		u.top = end
	}
}

// pass lets time pass, in which the stack must not be busy for nothing.
func (u *puppet) pass(d time.Duration) {
	u.t.Helper()
	end := u.now.Add(d)
	limit := u.work() * (3 + 8*int(d/time.Second))
	next := u.poll()
	for n := 0; next <= end; n++ {
		if n > limit {
			u.t.Fatalf("at %v: busy %d times in %v", u.now, n, d)
		}
		u.now = next
		next = u.poll()
	}
	u.now = end
}

// prepare brings a connection of that configuration into the state.
func (u *puppet) prepare(at fuzzState, cfg Config) {
	u.t.Helper()
	switch at {
	case atListen, atSynReceived:
		var err error
		if u.l, err = u.s.Listen(addrs[0], 2, cfg); err != nil {
			u.t.Fatal(err)
		}
		if at == atSynReceived {
			u.syn(0)
		}
		return
	}
	var err error
	if u.c, err = u.s.Dial(u.now, addrs[0], addrs[1], cfg); err != nil {
		u.t.Fatal(err)
	}
	u.top = u.c.snd.iss
	u.poll()
	u.now = u.now.Add(20 * time.Millisecond)
	switch at {
	case atSynSent:
		return
	case atSimultaneous:
		u.syn(0)
		return
	}
	u.syn(wire.ACK)
	u.pass(20 * time.Millisecond)
	u.transfer(at)
	u.close(at)
}

// transfer brings an established connection into the middle of a transfer.
func (u *puppet) transfer(at fuzzState) {
	u.t.Helper()
	c := u.c
	switch at {
	case atHoles:
		p := u.segment(wire.ACK, 3000, 0)
		p.PayloadLen = 500
		u.input(p)
		return
	case atFlight, atRecovery, atTimeout:
		c.WriteSynthetic(40_000)
		u.pass(20 * time.Millisecond)
	}
	switch at {
	case atRecovery:
		for n := range 4 {
			p := u.segment(wire.ACK, 0, 0)
			if c.on&SACK != 0 {
				p.Options.Set |= wire.OptSACK
				p.Options.NumSACK = 1
				p.Options.SACK[0] = wire.Range{Start: c.snd.una.Add(2 * c.snd.mss), End: c.snd.una.Add((3 + n) * c.snd.mss)}
			}
			u.input(p)
		}
		u.pass(50 * time.Millisecond)
	case atTimeout:
		for range 10 {
			if c.sent.Timeouts == 0 {
				u.pass(time.Second)
			}
		}
	}
}

// close brings an established connection into one of the states of closing.
func (u *puppet) close(at fuzzState) {
	u.t.Helper()
	switch at {
	case atFinWait1, atFinWait2, atClosing, atTimeWait:
		u.c.CloseWrite()
		u.pass(100 * time.Millisecond)
	case atCloseWait, atLastAck:
		u.input(u.segment(wire.FIN|wire.ACK, 0, 0))
	}
	switch at {
	case atFinWait2, atTimeWait:
		u.input(u.segment(wire.ACK, 0, 1))
	case atLastAck:
		u.c.CloseWrite()
		u.pass(100 * time.Millisecond)
	}
	if at == atClosing || at == atTimeWait {
		u.input(u.segment(wire.FIN|wire.ACK, 0, 0))
	}
}

// fuzzState is where a connection stands when the fuzzer takes over.
type fuzzState byte

const (
	atEstablished fuzzState = iota
	atListen
	atSynSent
	atSynReceived
	atSimultaneous
	atFlight
	atRecovery
	atTimeout
	atHoles
	atFinWait1
	atFinWait2
	atCloseWait
	atClosing
	atLastAck
	atTimeWait
	numFuzzStates
)

// TestFuzzStates: the fuzzer begins in the states that it is said to begin in.
func TestFuzzStates(t *testing.T) {
	want := map[fuzzState]State{
		atEstablished: Established, atSynSent: SynSent, atSynReceived: SynReceived, atSimultaneous: SynReceived, atFlight: Established,
		atRecovery: Established, atTimeout: Established, atHoles: Established, atFinWait1: FinWait1, atFinWait2: FinWait2,
		atCloseWait: CloseWait, atClosing: Closing, atLastAck: LastAck, atTimeWait: TimeWait,
	}
	for at := range numFuzzStates {
		for r := range Recovery(5) {
			u := newPuppet(t)
			u.offer = puppetOffer(0)
			u.prepare(at, reno(r))
			if at == atListen {
				if u.l == nil {
					t.Error("nothing listens")
				}
				continue
			}
			c := u.c
			if c.state != want[at] {
				t.Errorf("%v in place of %v", c.state, want[at])
			}
			ok := true
			switch at {
			case atFlight:
				ok = c.board.len() > 5
			case atRecovery:
				ok = c.subs[0].ep.state == epRecovery && c.board.sackedSegs > 1
			case atTimeout:
				ok = c.sent.Timeouts > 0 && c.subs[0].ep.state == epLoss
			case atHoles:
				ok = len(c.rcv.ooo) == 1
			}
			if !ok {
				t.Errorf("state %d, recovery %d: %+v", at, r, c.Info())
			}
		}
	}
}

// puppetOffer returns the options of the peer's SYN: all but those that the bits take away.
func puppetOffer(without byte) wire.Options {
	o := wire.Options{MSS: 1460, WindowScale: 1, BigWindow: 60_000}
	for i, option := range []wire.OptionSet{wire.OptTimestamps, wire.OptSACKPermitted, wire.OptWindowScale, wire.OptBigWindow, wire.OptNAKPermitted, wire.OptMSS} {
		if without&(1<<i) == 0 {
			o.Set |= option
		}
	}
	return o
}

// FuzzInput throws arbitrary segments, pauses and calls of the application at a connection in any state: nothing panics, the
// invariants hold, no input and no second makes the stack send more than it has, and what is aborted is forgotten.
func FuzzInput(f *testing.F) {
	for at := range numFuzzStates {
		f.Add([]byte{byte(at), 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 9, 3, 1, 3, 2, 5, 0, 100, 4, 10})
		f.Add([]byte{byte(at), 0, 0, 1, 128 + 64, 5, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 255, 255, 200, 2, 0, 11, 80, 0, 0, 58, 0, 4, 12})
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		o := octets(in)
		u := newPuppet(t)
		at := fuzzState(o.next()) % numFuzzStates
		u.offer = puppetOffer(o.next())
		timers := o.next()
		cfg := o.config()
		cfg.UserTimeout = []time.Duration{0, 0, 5 * time.Second, time.Minute}[timers%4]
		cfg.KeepAlive.Idle = []time.Duration{0, 0, 3 * time.Second, time.Minute}[timers/4%4]
		cfg.KeepAlive.Interval = time.Second
		u.prepare(at, cfg)
		if len(o) > 2000 {
			o = o[:2000]
		}
		for len(o) > 0 {
			u.act(&o)
		}
		u.pass(10 * time.Second)
		for _, c := range u.s.conns {
			c.Abort()
		}
		u.poll()
		if len(u.s.conns) > 0 || len(u.s.deadlines) > 0 {
			t.Fatalf("%d connections and %d deadlines left", len(u.s.conns), len(u.s.deadlines))
		}
	})
}

// act does what the next octets say.
func (u *puppet) act(o *octets) {
	u.t.Helper()
	switch op := o.next(); op % 8 {
	case 3: // what an honest peer would say
		p := u.segment(wire.ACK, 0, 0)
		how := o.next()
		if c := u.c; c != nil && !c.handshaking() {
			p.Ack = c.snd.una.Add(c.flight() * int(how%16) / 15)
			p.PayloadLen = int(how/16) * 100
		}
		u.input(p)
	case 4:
		u.pass(time.Millisecond << (o.next() % 15))
	case 5:
		u.call(o)
	case 6:
		u.s.LocalDrop(u.now, &u.last)
		u.poll()
	case 7: // at the very place, whatever it is
		u.input(u.segment(wire.Flags(o.next()), 0, int(o.next()%2)))
	default:
		u.anything(o)
	}
}

// anything has the peer send an arbitrary segment.
func (u *puppet) anything(o *octets) {
	u.t.Helper()
	p := u.segment(wire.Flags(o.next()), o.next16(), o.next16())
	p.Window = uint16(o.next16())
	p.PayloadLen = int(o.next()) * 8
	p.ECN = wire.ECN(o.next() % 4)
	options := o.next()
	if options&1 != 0 {
		p.Options.Set ^= wire.OptTimestamps
	}
	if options&2 != 0 {
		n := o.next()
		p.Options.TSVal += uint32(int8(n & 0xf0))
		p.Options.TSEcr -= uint32(n & 15)
	}
	if options&4 != 0 {
		p.Options.Set ^= wire.OptUpperWindow
		p.Options.UpperWindow = uint16(o.next())
	}
	una := wire.Seq(0)
	if u.c != nil {
		u.c.resume()
		una = u.c.snd.una
	}
	if options&8 != 0 {
		p.Options.Set |= wire.OptNAK
		p.Options.NAKSeq, p.Options.NAKCount = una.Add(o.next16()), o.next()
	}
	if options&16 != 0 {
		p.Options.Set |= wire.OptSACK
		p.Options.NumSACK = 1 + o.next()%wire.MaxSACKBlocks
		for i := range p.Options.SACKBlocks() {
			start := una.Add(o.next16())
			p.Options.SACK[i] = wire.Range{Start: start, End: start.Add(int(int8(o.next())) * 100)}
		}
	}
	if options&32 != 0 {
		syn := puppetOffer(o.next())
		p.Options.Set |= syn.Set
		p.Options.MSS, p.Options.WindowScale, p.Options.BigWindow = uint16(o.next16()), o.next(), uint32(o.next16())<<12
	}
	u.input(p)
}

// call has the application do something.
func (u *puppet) call(o *octets) {
	u.t.Helper()
	what, n := o.next(), int(o.next())*100
	c := u.c
	if c == nil && u.l != nil {
		if c = u.l.Accept(); c != nil {
			u.c, u.top = c, c.snd.nxt
		}
	}
	if c == nil {
		return
	}
	switch what % 8 {
	case 0:
		c.WriteSynthetic(n)
	case 1:
		_, _ = c.Write(slices.Repeat([]byte{1, 2}, n/2))
	case 2:
		_, _ = c.Read(make([]byte, n))
	case 3, 4:
		_, _ = c.Discard(n)
	case 5:
		c.CloseWrite()
	case 6:
		if what == 6 {
			c.Abort()
		}
	case 7:
		if what == 7 && u.l != nil {
			u.l.Close()
		}
	}
	u.poll()
}
