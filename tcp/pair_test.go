package tcp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// pair is two stacks with a wire of fixed delay between them, in virtual time: the smallest world in which the
// engine can be tested from outside. Every packet passes the filter, which may drop, change or delay it.
type pair struct {
	t      testing.TB
	now    mono.Time
	delay  time.Duration
	sides  [2]*Stack
	ends   [2]*Conn // the connection under test, at each side
	flying []flying // in the order of arrival
	seen   []seen
	lax    bool // too much is in flight to check invariants at each step
	filter func(p *wire.Packet, from int) (drop bool, extra time.Duration)
	apps   func()
	count  int
}

type flying struct {
	at mono.Time
	to int
	p  wire.Packet
}

// seen is a packet on the wire, for tests that read the trace.
type seen struct {
	at   mono.Time
	from int
	p    wire.Packet
}

var addrs = [2]netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:1000"), netip.MustParseAddrPort("10.0.0.2:2000")}

// otherPort is another address of side 0.
var otherPort = netip.MustParseAddrPort("10.0.0.1:1001")

func newPair(t testing.TB, delay time.Duration) *pair { return newPairOf(t, delay, StackConfig{}) }

// newPairOf is newPair with stacks of that configuration.
func newPairOf(t testing.TB, delay time.Duration, cfg StackConfig) *pair {
	w := &pair{t: t, delay: delay}
	for i := range w.sides {
		s, err := NewStack(cfg, rand.New(rand.NewPCG(uint64(i), 7)))
		if err != nil {
			t.Fatal(err)
		}
		w.sides[i] = s
	}
	return w
}

// connect opens a connection from side 0 to side 1 and runs the handshake.
func (w *pair) connect(client, server Config) {
	w.t.Helper()
	l, err := w.sides[1].Listen(addrs[1], 0, server)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := w.sides[0].Dial(w.now, addrs[0], addrs[1], client)
	if err != nil {
		w.t.Fatal(err)
	}
	w.ends[0] = c
	limit := w.now.Add(200 * time.Second)
	for w.ends[1] == nil {
		if !w.step(limit) {
			w.t.Fatalf("no connection by %v: client %v, %v", w.now, c.state, c.err)
		}
		w.ends[1] = l.Accept()
	}
}

// step runs everything due now, then moves time to the next event. It reports false when that lies past limit.
func (w *pair) step(limit mono.Time) bool {
	w.t.Helper()
	next := mono.Never
	for i, s := range w.sides {
		for {
			var p wire.Packet
			ok, at := s.Poll(w.now, &p)
			if !ok {
				next = min(next, at)
				break
			}
			w.send(i, p)
		}
		if w.lax {
			continue
		}
		if err := s.CheckInvariants(); err != nil {
			w.t.Fatalf("at %v, side %d: %v", w.now, i, err)
		}
	}
	if len(w.flying) > 0 && w.flying[0].at <= next {
		f := w.flying[0]
		if f.at > limit {
			return false
		}
		w.flying = w.flying[1:]
		w.now = f.at
		w.sides[f.to].Input(w.now, &f.p)
	} else {
		if next > limit {
			return false
		}
		w.now = next
	}
	if w.apps != nil {
		w.apps()
	}
	return true
}

func (w *pair) send(from int, p wire.Packet) {
	w.count++
	drop, extra := false, time.Duration(0)
	if w.filter != nil {
		drop, extra = w.filter(&p, from)
	}
	w.seen = append(w.seen, seen{w.now, from, p})
	if drop {
		return
	}
	f := flying{w.now.Add(w.delay + extra), 1 - from, p}
	i := len(w.flying)
	for i > 0 && w.flying[i-1].at > f.at {
		i--
	}
	w.flying = slices.Insert(w.flying, i, f)
}

// run lets virtual time pass.
func (w *pair) run(d time.Duration) {
	w.t.Helper()
	limit := w.now.Add(d)
	if w.apps != nil {
		w.apps()
	}
	for w.step(limit) {
	}
	w.now = limit
	w.wake()
}

// wake ends the rest of both ends, so that a test can look into them.
func (w *pair) wake() {
	for _, c := range w.ends {
		if c != nil {
			c.resume()
		}
	}
}

// data returns the data segments that side from sent, in order.
func (w *pair) data(from int) (out []seen) {
	for _, s := range w.seen {
		if s.from == from && s.p.PayloadLen > 0 {
			out = append(out, s)
		}
	}
	return out
}

// offset returns a segment's offset in the stream that side 0 sends.
func (w *pair) offset(s seen) int { return s.p.Seq.Sub(w.ends[0].snd.iss + 1) }

// reno returns a configuration with Reno's window and the given recovery; no pacing and no delayed ACK, so that
// packets can be counted by hand.
func reno(r Recovery) Config {
	a, _ := cc.Find("reno")
	return Config{Algorithm: a, Recovery: r, Disable: Pacing | DelayedACK}
}

// lose returns a filter that drops the data segments of side 0 whose offset in the stream is listed, once for
// each time it is listed.
func (w *pair) lose(offsets ...int) func(*wire.Packet, int) (bool, time.Duration) {
	left := map[int]int{}
	for _, o := range offsets {
		left[o]++
	}
	return func(p *wire.Packet, from int) (bool, time.Duration) {
		if from != 0 || p.PayloadLen == 0 {
			return false, 0
		}
		o := p.Seq.Sub(w.ends[0].snd.iss + 1)
		if left[o] > 0 {
			left[o]--
			return true, 0
		}
		return false, 0
	}
}

// transfer sends n synthetic octets from side 0 to side 1 and returns when the last one was read.
func (w *pair) transfer(n int, limit time.Duration) mono.Time {
	w.t.Helper()
	got, end := 0, w.now.Add(limit)
	left := n
	w.apps = func() {
		if left > 0 {
			left -= w.ends[0].WriteSynthetic(left)
		}
		for {
			k, _ := w.ends[1].Discard(1 << 30)
			if k == 0 {
				break
			}
			got += k
		}
	}
	w.apps()
	for got < n {
		if !w.step(end) {
			w.t.Fatalf("only %d of %d octets by %v; sender %+v", got, n, w.now, w.ends[0].Info())
		}
	}
	return w.now
}

// settle sends n octets from side 0 to side 1, lets the connection come to rest, and returns the sender.
func (w *pair) settle(n int) *Conn {
	w.t.Helper()
	w.transfer(n, time.Minute)
	w.apps = nil
	w.run(time.Second)
	return w.ends[0]
}

func (s seen) String() string {
	return fmt.Sprintf("%v %d> %v seq %d len %d ack %d win %d %v", s.at, s.from, s.p.Flags, s.p.Seq, s.p.PayloadLen, s.p.Ack, s.p.Window, s.p.Options.SACKBlocks())
}
