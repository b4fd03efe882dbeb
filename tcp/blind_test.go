package tcp

import (
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/wire"
)

// drain polls side i dry and returns how many segments of those flags, without payload, it sent.
func (w *pair) drain(i int, flags wire.Flags) (n int) {
	for {
		var p wire.Packet
		if ok, _ := w.sides[i].Poll(w.now, &p); !ok {
			return n
		}
		if p.Flags&flags == flags && p.PayloadLen == 0 {
			n++
		}
	}
}

// vital is what an attacker would like to change.
type vital struct {
	state              State
	una, nxt, edge     wire.Seq
	window             int64
	rcvNxt, rcvEdge    wire.Seq
	ranges, ready, top int
	tsRecent           uint32
	lost               int64
}

func (c *Conn) vital() vital {
	return vital{
		state: c.state, una: c.snd.una, nxt: c.snd.nxt, edge: c.snd.edge, window: c.snd.window,
		rcvNxt: c.rcv.nxt, rcvEdge: c.rcv.edge, ranges: len(c.rcv.ooo), ready: c.rcv.buf.ready, top: c.rcv.buf.top,
		tsRecent: c.rcv.tsRecent, lost: c.sent.Lost,
	}
}

// midTransfer returns a pair whose ends have a receive window of 64 KiB, with data outstanding that nobody acknowledges.
func midTransfer(t *testing.T, features Feature) *pair {
	w := newPair(t, 10*time.Millisecond)
	cfg := reno(RACK)
	cfg.Disable |= features
	cfg.RecvBuffer = 65535
	w.connect(cfg, cfg)
	w.transfer(100_000, time.Minute)
	w.run(time.Second)
	w.apps = nil
	w.ends[1].WriteSynthetic(5000)
	w.drain(1, 0)
	return w
}

// TestBlindAttacks: a million segments with random numbers, from someone who knows both addresses and sees nothing, change
// nothing, and provoke at most two challenges a second (RFC 5961). With a receive window of 2^16 octets and as much in
// the other direction it takes 2^32 RSTs or SYNs to end the connection and 2^32 segments of data to inject some.
func TestBlindAttacks(t *testing.T) {
	for _, disable := range []Feature{0, Timestamps} {
		w := midTransfer(t, disable)
		c := w.ends[1]
		want := c.vital()
		rng := rand.New(rand.NewPCG(5, 961))
		answers := 0
		start := w.now
		const forged = 1_000_000
		for i := range forged {
			p := wire.Packet{
				Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP,
				Flags: [...]wire.Flags{wire.RST, wire.RST | wire.ACK, wire.SYN, wire.ACK, wire.ACK | wire.PSH, wire.ACK | wire.FIN, wire.SYN | wire.ACK}[i%7],
				Seq:   wire.Seq(rng.Uint32()), Ack: wire.Seq(rng.Uint32()), Window: uint16(rng.Uint32()),
			}
			if p.Flags&wire.PSH != 0 {
				p.PayloadLen = 1 + rng.IntN(1448)
			}
			if rng.IntN(2) == 0 {
				p.Options.Set |= wire.OptTimestamps
				p.Options.TSVal, p.Options.TSEcr = rng.Uint32(), rng.Uint32()
			}
			if rng.IntN(4) == 0 {
				p.Options.Set |= wire.OptSACK
				at := wire.Seq(rng.Uint32())
				p.Options.NumSACK, p.Options.SACK[0] = 1, wire.Range{Start: at, End: at.Add(2000)}
			}
			w.now = start.Add(time.Duration(i) * 100 * time.Nanosecond) // 10 million a second
			w.sides[1].Input(w.now, &p)
			answers += w.drain(1, 0)
		}
		if got := c.vital(); got != want {
			t.Errorf("without %b: %+v, was %+v", disable, got, want)
		}
		if most := 1 + int(w.now.Sub(start)/challengeInterval); answers > most {
			t.Errorf("without %b: %d answers in %v, want at most %d", disable, answers, w.now.Sub(start), most)
		}
		if err := c.CheckInvariants(); err != nil {
			t.Error(err)
		}
		w.ends[0].WriteSynthetic(50_000)
		w.run(time.Minute)
		if got := c.rcv.buf.ready - want.ready; got != 50_000 {
			t.Errorf("without %b: afterwards %d octets arrived", disable, got)
		}
	}
}

// TestBlindSweep: someone who has found the receive window and tries every place in it, with any flags, needs the one exact
// place for a RST, and for data an acknowledgement number too (RFC 5961 s.3.2, 4.2 and 5.2).
func TestBlindSweep(t *testing.T) {
	w := midTransfer(t, 0)
	c := w.ends[1]
	want := c.vital()
	stray := c.snd.nxt.Add(1 << 20) // acknowledges what was never sent
	answers := 0
	for off := 1; off < 65535; off++ {
		for _, flags := range []wire.Flags{wire.RST, wire.SYN, wire.ACK, wire.ACK | wire.FIN} {
			p := wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: flags, Seq: c.rcv.nxt.Add(off), Ack: stray}
			if flags == wire.ACK {
				p.PayloadLen = 1
			}
			p.Options.Set = wire.OptTimestamps
			p.Options.TSVal = c.rcv.tsRecent + 1<<30
			w.sides[1].Input(w.now, &p)
			answers += w.drain(1, 0)
		}
	}
	if got := c.vital(); got != want || answers > 1 {
		t.Errorf("%+v after %d answers, was %+v", got, answers, want)
	}
	// Not even a segment in its exact place leaves its timestamp behind if it acknowledges what was never sent.
	w.sides[1].Input(w.now, &wire.Packet{
		Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: c.rcv.nxt, Ack: stray, PayloadLen: 1,
		Options: wire.Options{Set: wire.OptTimestamps, TSVal: c.rcv.tsRecent + 1<<30},
	})
	if got := c.vital(); got != want {
		t.Errorf("%+v, was %+v", got, want)
	}
	w.sides[1].Input(w.now, &wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.RST, Seq: c.rcv.nxt})
	if c.state != Closed {
		t.Error("the RST in the exact place did not count")
	}
}

// TestChallengeInterval: one connection answers at most two forged segments a second, of whatever kind.
func TestChallengeInterval(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.run(time.Second)
	c := w.ends[1]
	answers := 0
	for i := range 10_000 {
		c.resume()
		forged := [...]wire.Packet{
			{Flags: wire.SYN, Seq: c.rcv.nxt},
			{Flags: wire.RST, Seq: c.rcv.nxt + 1},
			{Flags: wire.ACK, Seq: c.rcv.nxt, Ack: c.snd.nxt + 1},
			{Flags: wire.ACK, Seq: c.rcv.nxt, Ack: c.snd.una.Add(-1 << 30), PayloadLen: 100},
			{Flags: wire.ACK, Seq: c.rcv.nxt.Add(1 << 30), Ack: c.snd.nxt, PayloadLen: 100},
			{Flags: wire.ACK, Seq: c.rcv.nxt.Add(-1 << 30), Ack: c.snd.nxt, PayloadLen: 100},
			{Flags: wire.ACK, Seq: c.rcv.nxt, Options: wire.Options{Set: wire.OptTimestamps, TSVal: c.rcv.tsRecent - 1<<30}},
		}
		p := forged[i%len(forged)]
		p.Src, p.Dst, p.Protocol = addrs[0], addrs[1], wire.ProtocolTCP
		if p.Options.Set == 0 {
			w.stamp(c, &p) // the forger has seen them
		}
		w.sides[1].Input(w.now, &p)
		answers += w.drain(1, 0)
		w.now = w.now.Add(time.Millisecond)
	}
	if answers > 20 || answers < 19 {
		t.Errorf("%d answers in 10 s", answers)
	}
}

// TestChallengeBudget: however many connections are challenged, the stack answers at most 1,499 times a second, each second
// another number of times, which cannot be learnt by counting (RFC 5961 s.7).
func TestChallengeBudget(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{}, Config{})
	w.sides[1].listeners[addrs[1]].backlog = 4000
	for range 2000 {
		if _, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(time.Second)
	var keys []connKey
	for key := range w.sides[1].conns {
		keys = append(keys, key)
	}
	counts := map[int]bool{}
	w.now = w.now.Add(time.Second) / 1e9 * 1e9
	for range 10 {
		answers := 0
		for range 4 {
			for _, k := range keys {
				w.sides[1].Input(w.now, &wire.Packet{Src: k.remote, Dst: k.local, Protocol: wire.ProtocolTCP, Flags: wire.SYN})
				answers += w.drain(1, wire.ACK)
			}
			w.now = w.now.Add(250 * time.Millisecond)
		}
		if answers < leastBudget || answers >= leastBudget+budgetSpread {
			t.Errorf("%d challenges in a second", answers)
		}
		counts[answers] = true
	}
	if len(counts) < 8 {
		t.Errorf("only %d different numbers of challenges in 10 seconds", len(counts))
	}
}

// TestProbesNeedNoBudget: whoever uses up the stack's challenges cannot have others' connections given up, whose keep-alives
// must be answered (RFC 9293 s.3.8.4); nor does an answer, at most two a second, tell him anything.
func TestProbesNeedNoBudget(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{KeepAlive: KeepAlive{Idle: 10 * time.Second, Interval: time.Second, Count: 3}}, Config{})
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		for s := w.sides[1]; s.spend(w.now.Add(w.delay), &s.challenges); {
		}
		return false, 0
	}
	w.run(time.Minute)
	if c := w.ends[0]; c.state != Established || c.sent.Segments < 5 {
		t.Errorf("%v, %v", c.state, c.err)
	}
	w.filter = nil
	answers := 0
	for range 8 {
		w.run(250 * time.Millisecond)
		w.inject(1, wire.ACK, -1, 0, nil)
		answers += w.drain(1, wire.ACK)
	}
	if answers < 3 || answers > 4 {
		t.Errorf("%d answers to eight probes in two seconds", answers)
	}
}

// TestResetBudget: packets for nobody provoke no more RSTs than the budget, and those that wait are bounded too.
func TestResetBudget(t *testing.T) {
	s := newTestStack(t, 1)
	w := &pair{t: t, sides: [2]*Stack{s, s}}
	stray := wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.ACK}
	for i := range 5 {
		w.now = w.now.Add(time.Second)
		resets := 0
		for range 20_000 {
			s.Input(w.now, &stray)
			resets += w.drain(0, wire.RST)
		}
		if resets < leastBudget || resets >= leastBudget+budgetSpread {
			t.Errorf("second %d: %d resets", i, resets)
		}
	}
	w.now = w.now.Add(time.Second)
	for range 20_000 {
		s.Input(w.now, &stray)
	}
	if n := w.drain(0, wire.RST); n != maxReplies {
		t.Errorf("%d resets waited, want %d", n, maxReplies)
	}
}

// TestTimeWaitCannotBeHeld: only the peer's own FIN restarts the wait in TIME-WAIT (RFC 9293 s.3.10.7.4).
func TestTimeWaitCannotBeHeld(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.ends[0].CloseWrite()
	w.run(100 * time.Millisecond)
	w.ends[1].CloseWrite()
	w.run(100 * time.Millisecond)
	w.states(TimeWait, Closed)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 } // the peer does not reset it either
	c := w.ends[0]
	rng := rand.New(rand.NewPCG(1, 1))
	for range 70 {
		w.run(time.Second)
		for range 100 {
			p := wire.Packet{
				Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.FIN | wire.ACK,
				Seq: wire.Seq(rng.Uint32()), Ack: wire.Seq(rng.Uint32()),
			}
			w.stamp(c, &p)
			w.sides[0].Input(w.now, &p)
		}
		w.sides[0].Input(w.now, &wire.Packet{ // in the window, but not the FIN's place
			Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.FIN | wire.ACK, Seq: c.rcv.nxt - 10, Ack: c.snd.nxt,
			Options: wire.Options{Set: wire.OptTimestamps, TSVal: c.rcv.tsRecent},
		})
	}
	if c.state != Closed {
		t.Errorf("still in %v", c.state)
	}
}
