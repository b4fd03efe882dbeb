package tcp

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"longhaul/wire"
)

// big is a configuration with big windows of that many octets.
func big(window int) Config {
	cfg := reno(RACK)
	cfg.Enable = BigWindow
	cfg.RecvBuffer, cfg.SendBuffer = window, window
	return cfg
}

// bare takes option C from what a side sends, as a middlebox would.
func bare(side int) func(*wire.Packet, int) (bool, time.Duration) {
	return func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == side {
			p.Options.Set &^= wire.OptUpperWindow
		}
		return false, 0
	}
}

// TestR3Negotiation: option B goes out in a SYN, and in the answer only to one that has it; both ends or none use big
// windows. Also with a middlebox that removes it, and when both ends open at once.
func TestR3Negotiation(t *testing.T) {
	for mask := range 4 {
		var cfg [2]Config
		for i := range cfg {
			cfg[i] = reno(RACK)
			cfg[i].Disable |= WindowScaling
			cfg[i].RecvBuffer = 300_000
			if mask&(1<<i) != 0 {
				cfg[i].Enable = BigWindow | NAK
			}
		}
		w := newPair(t, time.Millisecond)
		w.connect(cfg[0], cfg[1])
		w.filter = w.lose(20*w.ends[0].snd.mss, 21*w.ends[0].snd.mss)
		w.transfer(500_000, time.Minute)
		checkOptions(t, w, mask == 3)
		if offered := w.seen[0].p.Options.Set&(wire.OptBigWindow|wire.OptNAKPermitted) != 0; offered != (mask&1 != 0) {
			t.Errorf("wanted by %02b: option B in the SYN is %v", mask, offered)
		}
	}
	w := newPair(t, time.Millisecond)
	w.filter = func(p *wire.Packet, _ int) (bool, time.Duration) {
		p.Options.Set &^= wire.OptBigWindow
		return false, 0
	}
	w.connect(big(300_000), big(300_000))
	w.transfer(500_000, time.Minute)
	if got := w.ends[0].Info().PeerWindow; w.ends[0].on&(BigWindow|WindowScaling) != WindowScaling || got < 290_000 {
		t.Errorf("option B removed on the way: features %b, window %d; want window scaling", w.ends[0].on, got)
	}
	w = newPair(t, time.Millisecond)
	for i := range w.ends {
		w.ends[i], _ = w.sides[i].Dial(0, addrs[i], addrs[1-i], big(300_000))
	}
	w.run(time.Second)
	w.transfer(500_000, time.Minute)
	checkOptions(t, w, true)
}

// checkOptions checks that both ends of w use the options of RFC 1106, and their segments carry them, or that nothing of the
// kind is there after the first SYN.
func checkOptions(t *testing.T, w *pair, on bool) {
	t.Helper()
	for i, c := range w.ends {
		if (c.on&BigWindow != 0) != on || on && c.on&WindowScaling != 0 {
			t.Errorf("end %d: features %b, want big windows: %v", i, c.on, on)
		}
	}
	for _, s := range w.seen[1:] {
		o, syn := &s.p.Options, s.p.Flags&wire.SYN != 0
		if on && o.Has(wire.OptUpperWindow) == syn || !on && o.Set&(wire.OptUpperWindow|wire.OptNAK) != 0 {
			t.Fatalf("%v: options %b; big windows agreed on: %v", s, o.Set, on)
		}
	}
}

// TestR4SYNWindow: the SYN and SYN-ACK hold the small window in the header and the whole one in option B. The header's
// counts before the handshake is complete, option B's after it (C-5).
func TestR4SYNWindow(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 && p.Flags&wire.SYN != 0 {
			p.Window = 8192
		}
		return false, 0
	}
	cfg := big(1 << 20)
	cfg.InitialWindow = 1000
	w.connect(cfg, big(1<<20))
	syn, answer := w.seen[0].p, w.seen[1].p
	if syn.Window != 65535 || syn.Options.BigWindow != 1<<20 || answer.Options.BigWindow != 1<<20 {
		t.Errorf("SYN: window %d, option B %d; answer: option B %d", syn.Window, syn.Options.BigWindow, answer.Options.BigWindow)
	}
	c := w.ends[0]
	if c.snd.window != 1<<20 {
		t.Errorf("after the handshake the window is %d, want option B's", c.snd.window)
	}
	c.WriteSynthetic(1 << 20)
	w.run(11 * time.Millisecond) // one way: nothing has been acknowledged
	if got := c.flight(); got != 1<<20 {
		t.Errorf("first flight %d, want all that option B allows", got)
	}
	w = newPair(t, 10*time.Millisecond) // refused: the header's window stands
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		p.Options.Set &^= wire.OptBigWindow | wire.OptWindowScale
		if from == 1 {
			p.Window = 8192
		}
		return false, 0
	}
	w.connect(cfg, big(1<<20))
	w.ends[0].WriteSynthetic(1 << 20)
	w.run(11 * time.Millisecond)
	if got := w.ends[0].flight(); got > 8192 {
		t.Errorf("without option B %d in flight, the header allows 8192", got)
	}
}

// TestR5WindowReformed: any window up to 2^30 crosses the wire in the header and option C; what is larger is clamped and
// counted (C-1).
func TestR5WindowReformed(t *testing.T) {
	c := Conn{on: BigWindow, flow: new(flow)}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.IntRange(0, 1<<30).Draw(t, "window")
		var p wire.Packet
		c.putWindow(&p, want)
		got, ok := c.peerWindow(&p)
		c.noteUpperWindow(&p)
		if !ok || got != int64(want) || p.Options.UpperWindow&0x8000 != 0 || c.got.WindowsClamped > 0 {
			t.Fatalf("%d became %d, %v; upper window %#x", want, got, ok, p.Options.UpperWindow)
		}
	})
	p := wire.Packet{Window: 1, Options: wire.Options{Set: wire.OptUpperWindow, UpperWindow: 0xffff}}
	c.noteUpperWindow(&p)
	if got, _ := c.peerWindow(&p); got != 1<<30 || c.got.WindowsClamped != 1 {
		t.Errorf("a window of 2^32 became %d, %d clamped", got, c.got.WindowsClamped)
	}
}

// TestR5UpperWindowMissing: a segment without option C neither widens nor shrinks the window, and its data and
// acknowledgement count; after eight in a row the connection goes on with windows of 16 bits (C-6).
func TestR5UpperWindowMissing(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(big(1<<20), big(1<<20))
	w.transfer(100_000, time.Minute)
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 1 {
			if n++; n%8 != 0 { // seven of eight
				p.Options.Set &^= wire.OptUpperWindow
			}
		}
		return false, 0
	}
	w.transfer(2_000_000, time.Minute)
	c := w.ends[0]
	if c.snd.window != 1<<20 || c.on&BigWindow == 0 || c.got.Bare == 0 {
		t.Errorf("window %d, features %b, %d bare segments", c.snd.window, c.on, c.got.Bare)
	}
	w.filter = bare(1)
	w.transfer(2_000_000, time.Minute)
	if c.on&BigWindow != 0 || c.snd.window > 65535 || w.ends[1].on&BigWindow != 0 {
		t.Errorf("no option C any more: features %b and %b, window %d", c.on, w.ends[1].on, c.snd.window)
	}
	rst := wire.Packet{Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.RST, Seq: c.rcv.nxt}
	w.sides[0].Input(w.now, &rst)
	if c.err != ErrReset {
		t.Errorf("a RST without option C: %v", c.err)
	}
}

// TestR6LargestWindow: a buffer of 2 GiB advertises 2^30 octets, no more, and they can be in flight.
func TestR6LargestWindow(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := big(1<<31 - 1)
	cfg.MSS, cfg.InitialWindow = 65495, 20_000
	w.lax = true
	w.connect(cfg, cfg)
	if got := w.seen[0].p.Options.BigWindow; got != 1<<30 {
		t.Errorf("option B offers %d, want 2^30", got)
	}
	w.ends[0].WriteSynthetic(1 << 30)
	w.run(10 * time.Millisecond)
	if got := w.ends[0].Info(); got.PeerWindow != 1<<30 || got.InFlight != 1<<30 {
		t.Errorf("the peer's window %d, in flight %d; want 2^30", got.PeerWindow, got.InFlight)
	}
}

// TestR8PeerKnowsNeither: with a peer that skips options it does not know, every octet arrives.
func TestR8PeerKnowsNeither(t *testing.T) {
	const n = 300_000
	for side := range 2 {
		w := newPair(t, 10*time.Millisecond)
		cfg := [2]Config{reno(RACK), reno(RACK)}
		cfg[side].Enable = BigWindow | NAK
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			return p.PayloadLen > 0 && w.count%19 == 0, 0
		}
		w.connect(cfg[0], cfg[1])
		exchange(t, w, n)
	}
}

// exchange moves n octets of a pattern from side 0 to side 1 and compares them.
func exchange(t *testing.T, w *pair, n int) {
	t.Helper()
	sent, got := pattern(0, n), []byte{}
	left := sent
	w.apps = func() {
		k, _ := w.ends[0].Write(left)
		left = left[k:]
		buf := make([]byte, 1<<16)
		for k, _ := w.ends[1].Read(buf); k > 0; k, _ = w.ends[1].Read(buf) {
			got = append(got, buf[:k]...)
		}
	}
	w.run(5 * time.Minute)
	if string(got) != string(sent) {
		t.Errorf("%d octets arrived, not the %d that were sent", len(got), n)
	}
}

// pattern returns n octets that depend on their offset in the stream.
func pattern(from, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte((from + i) * 7 / 3)
	}
	return b
}

// TestR9WindowMemory: the stack gives out no more window memory than it has; a connection that comes too late has smaller
// windows and works, and what ends gives its share back.
func TestR9WindowMemory(t *testing.T) {
	w := newPairOf(t, time.Millisecond, StackConfig{WindowMemory: 1 << 20})
	cfg := big(700_000)
	w.connect(cfg, big(300_000))
	c := w.ends[0]
	if c.cfg.RecvBuffer != 700_000 || c.snd.buf.limit+c.rcv.limit != 1<<20+2*freeWindow {
		t.Errorf("buffers of %d and %d octets out of 1 MiB", c.snd.buf.limit, c.rcv.limit)
	}
	late, err := w.sides[0].Dial(w.now, otherPort, addrs[1], cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.run(100 * time.Millisecond)
	if late.state != Established || late.snd.buf.limit != freeWindow || late.rcv.limit != freeWindow {
		t.Errorf("the second: %v, buffers %d and %d", late.state, late.snd.buf.limit, late.rcv.limit)
	}
	w.transfer(2_000_000, time.Minute)
	c.Abort()
	late.Abort()
	w.run(time.Second)
	if got := w.sides[0].memory.used; got != 0 {
		t.Errorf("%d octets still out after both ended", got)
	}
	// Without options that allow a large window what was set aside for it goes back.
	small := newPairOf(t, time.Millisecond, StackConfig{WindowMemory: 1 << 20})
	plain := reno(RACK)
	plain.Disable |= WindowScaling
	small.connect(plain, plain)
	if e := small.ends[0]; e.granted != small.sides[0].memory.used || e.rcv.limit != freeWindow || e.granted != int64(e.snd.buf.limit-freeWindow) {
		t.Errorf("%d octets given out for buffers of %d and %d", e.granted, e.snd.buf.limit, e.rcv.limit)
	}
	grown := newPairOf(t, 20*time.Millisecond, StackConfig{WindowMemory: 1 << 20})
	grown.connect(reno(RACK), reno(RACK)) // buffers that grow by themselves stop at what there is
	grown.transfer(20_000_000, time.Minute)
	for i, s := range grown.sides {
		if e := grown.ends[i]; s.memory.used > 1<<20 || e.granted != s.memory.used || e.snd.buf.limit+e.rcv.limit > 1<<20+2*freeWindow {
			t.Errorf("end %d: %d octets given out, %d and %d in buffers", i, s.memory.used, e.snd.buf.limit, e.rcv.limit)
		}
	}
}

// TestR10BigSegments: segments of 65495 octets. A window of 64 KiB holds one of them and is stop and wait; a big window
// of many fills the path (RFC 1106 s.5).
func TestR10BigSegments(t *testing.T) {
	var took [2]time.Duration
	for i, window := range []int{64 << 10, 1 << 20} {
		w := newPair(t, 10*time.Millisecond)
		cfg := big(window)
		cfg.MSS = 65495
		w.connect(cfg, cfg)
		start := w.now
		took[i] = w.transfer(10_000_000, time.Minute).Sub(start)
		if got := w.ends[0].snd.mss; got != 65495-12-8 {
			t.Errorf("segments of %d octets", got)
		}
	}
	// 10 MB are 153 segments: a round trip each but the last, against 16 of them at a time once the window is open.
	if took[0] < 152*20*time.Millisecond || took[1] > 153/15*20*time.Millisecond+5*20*time.Millisecond {
		t.Errorf("64 KiB: %v, 1 MiB: %v", took[0], took[1])
	}
}

// TestWrapGuard: with timestamps an old duplicate from a sequence space ago is rejected; without them the sender uses only
// so much of a big window that none can be that old (C-20).
func TestWrapGuard(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := big(1 << 30)
	cfg.MSS, cfg.InitialWindow = 65495, 20_000
	w.lax = true
	w.connect(cfg, cfg)
	var old wire.Packet
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.PayloadLen > 0 && old.PayloadLen == 0 {
			old = *p // stays in the network
		}
		return false, 0
	}
	for wraps := range int64(2) {
		for range 4 { // a whole sequence space, and then the duplicate lies in the window again
			w.transfer(1<<30, time.Minute)
			w.seen = nil
		}
		e := w.ends[1]
		if at := old.Seq.Sub(e.rcv.nxt); at < -100 || at > 1<<30 {
			t.Fatalf("the duplicate lies %d octets off", at)
		}
		w.sides[1].Input(w.now, &old)
		if e.got.PAWSRejected != wraps+1 || len(e.rcv.ooo) > 0 || e.rcv.buf.ready > 0 {
			t.Errorf("the old duplicate: %d rejected, %d octets taken", e.got.PAWSRejected, e.rcv.buf.ready)
		}
	}
	for _, c := range []struct {
		rtt  time.Duration
		want int64
	}{
		{100 * time.Millisecond, 1<<31/1200 - 1}, // 1.8 MB in 100 ms, 2^31 octets in two minutes
		{2 * time.Millisecond, 65535},
	} {
		w := newPair(t, c.rtt/2)
		cfg.Disable |= Timestamps
		w.connect(cfg, cfg)
		w.ends[0].WriteSynthetic(1 << 30)
		w.run(c.rtt / 2)
		if got := int64(w.ends[0].flight()); got > c.want+1 || got < c.want-65495 {
			t.Errorf("round trip %v without timestamps: %d octets in flight, want just under %d", c.rtt, got, c.want)
		}
	}
}

// TestForgedFallback: segments without the upper window and with an unacceptable acknowledgement do not turn big windows off (C-6).
func TestForgedFallback(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(big(1<<20), big(1<<20))
	w.transfer(100_000, time.Minute)
	w.run(time.Second)
	c := w.ends[0]
	for range maxBare { // a blind forger: in the window by sequence number, any acknowledgement
		p := wire.Packet{Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: c.rcv.nxt + 500_000, Ack: c.snd.nxt + 1_000_000}
		w.stamp(c, &p)
		w.sides[0].Input(w.now, &p)
	}
	w.run(time.Second)
	if c.on&BigWindow == 0 {
		t.Errorf("forged segments with an unacceptable ACK: big windows off (peer's too: %v), window %d", w.ends[1].on&BigWindow == 0, c.snd.window)
	}
}

// TestFirstFlightWithinB: what option B of the SYN-ACK offers is taken before the server has sent anything else (R5, C-5).
func TestFirstFlightWithinB(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := big(1 << 20)
	cfg.InitialWindow = 1000
	w.connect(cfg, big(1<<20))
	w.ends[0].WriteSynthetic(500_000)
	for {
		var p wire.Packet
		if ok, _ := w.sides[0].Poll(w.now, &p); !ok {
			break
		}
		w.sides[1].Input(w.now, &p) // the driver reads a batch before it polls
	}
	if e := w.ends[1]; e.got.OutOfWindow > 0 || e.got.Bytes != 500_000 {
		t.Errorf("option B offered %d octets: %d of 500000 taken, %d segments rejected", w.seen[1].p.Options.BigWindow, e.got.Bytes, e.got.OutOfWindow)
	}
}

// TestBigWindowCounters: a window beyond 2^30 in option B is counted (C-1), and a SYN does not count as lacking the upper
// window (C-6).
func TestBigWindowCounters(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.Options.Has(wire.OptBigWindow) {
			p.Options.BigWindow = 1<<32 - 1
		}
		return false, 0
	}
	w.connect(big(1<<20), big(1<<20))
	if w.ends[0].got.WindowsClamped != 1 {
		t.Errorf("option B of 2^32-1: %d clamped", w.ends[0].got.WindowsClamped)
	}
	w = newPair(t, time.Millisecond)
	for i := range w.ends {
		w.ends[i], _ = w.sides[i].Dial(0, addrs[i], addrs[1-i], big(300_000))
	}
	w.run(time.Second)
	if w.ends[0].got.Bare != 0 || w.ends[1].got.Bare != 0 {
		t.Errorf("simultaneous open: %d and %d bare segments", w.ends[0].got.Bare, w.ends[1].got.Bare)
	}
}

// TestFallbackGivesBack: a connection that falls back to windows of 16 bits gives back its quota (R9, C-6).
func TestFallbackGivesBack(t *testing.T) {
	w := newPairOf(t, 10*time.Millisecond, StackConfig{WindowMemory: 8 << 20})
	w.connect(big(1<<20), big(1<<20))
	w.filter = bare(1)
	w.transfer(2_000_000, time.Minute)
	c := w.ends[0]
	if c.on&BigWindow != 0 || c.rcv.limit > freeWindow {
		t.Errorf("big windows on: %v; the receive buffer holds %d octets of quota", c.on&BigWindow != 0, c.rcv.limit-freeWindow)
	}
}
