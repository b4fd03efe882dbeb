package tcp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// arrival is a stack whose peer is the test itself: what it needs to bring a connection into a state by real segments.
type arrival struct {
	t   *testing.T
	s   *Stack
	c   *Conn
	now mono.Time
	b   block
	ts  uint32 // timestamp of the peer's segments, 0 for none
}

// The peer of an arrival: its initial sequence number and its window.
const (
	peerISS    = wire.Seq(0xffffff00) // the sequence space wraps under way
	peerWindow = 8000
	ourWindow  = 10_000
)

// states lists the states with what brings a fresh stack there; the first word names the state.
var arrivals = []struct {
	name  string
	bring func(a *arrival)
}{
	{"CLOSED", func(a *arrival) {}},
	{"LISTEN", func(a *arrival) { a.listen() }},
	{"SYN-SENT", func(a *arrival) { a.dial() }},
	{"SYN-RECEIVED passive", func(a *arrival) { a.listen(); a.send(wire.SYN, 0) }},
	{"SYN-RECEIVED active", func(a *arrival) { a.dial(); a.send(wire.SYN, 0) }},
	{"ESTABLISHED", func(a *arrival) { a.establish() }},
	{"FIN-WAIT-1", func(a *arrival) { a.establish(); a.close() }},
	{"FIN-WAIT-2", func(a *arrival) { a.establish(); a.close(); a.send(wire.ACK, 0) }},
	{"CLOSE-WAIT", func(a *arrival) { a.establish(); a.fin() }},
	{"CLOSING", func(a *arrival) { a.establish(); a.close(); a.fin() }},
	{"LAST-ACK", func(a *arrival) { a.establish(); a.fin(); a.close() }},
	{"TIME-WAIT", func(a *arrival) { a.establish(); a.close(); a.send(wire.ACK, 0); a.send(wire.ACK|wire.FIN, 0) }},
	{"TIME-WAIT listening", func(a *arrival) {
		a.establish()
		a.close()
		a.send(wire.ACK, 0)
		a.send(wire.ACK|wire.FIN, 0)
		a.listen()
	}},
}

func newArrival(t *testing.T, ts uint32) *arrival {
	s, err := NewStack(StackConfig{}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return &arrival{t: t, s: s, ts: ts, b: block{irs: peerISS, rcvNxt: peerISS, maxWnd: peerWindow}}
}

func arrivalConfig() Config {
	cfg := reno(NewReno)
	cfg.Disable |= SACK | WindowScaling | FRTO
	cfg.RecvBuffer = ourWindow
	return cfg
}

func (a *arrival) listen() {
	if _, err := a.s.Listen(addrs[0], 0, arrivalConfig()); err != nil {
		a.t.Fatal(err)
	}
	a.b.listener = true
}

func (a *arrival) dial() {
	if _, err := a.s.Dial(a.now, addrs[0], addrs[1], arrivalConfig()); err != nil {
		a.t.Fatal(err)
	}
	a.drain()
}

// establish opens a connection that has sent 2000 octets, of which 1000 are acknowledged.
func (a *arrival) establish() {
	a.dial()
	a.send(wire.SYN|wire.ACK, 0)
	a.c.WriteSynthetic(2000)
	a.drain()
	a.b.nxt = a.b.una.Add(1000)
	a.send(wire.ACK, 0)
	a.b.nxt = a.b.una.Add(1000)
}

// close sends our FIN.
func (a *arrival) close() {
	a.c.CloseWrite()
	a.drain()
	a.b.finSent = true
}

// fin brings the peer's FIN, which acknowledges nothing new.
func (a *arrival) fin() {
	a.input(a.packet(wire.ACK|wire.FIN, 0, a.b.una, 0))
}

// send brings a segment of the peer's that is next in order, and acknowledges all that we have sent.
func (a *arrival) send(f wire.Flags, payload int) {
	ack := a.b.nxt
	a.input(a.packet(f, 0, ack, payload))
	if f&wire.ACK != 0 {
		a.b.una = ack
	}
}

// packet makes a segment of the peer's at seq from what we expect.
func (a *arrival) packet(f wire.Flags, seq int, ack wire.Seq, payload int) *wire.Packet {
	p := &wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: f, Seq: a.b.rcvNxt.Add(seq), Window: peerWindow,
		Payload: make([]byte, payload), PayloadLen: payload,
	}
	if f&wire.ACK != 0 {
		p.Ack = ack
	}
	if a.ts != 0 {
		p.Options.Set, p.Options.TSVal = wire.OptTimestamps, a.ts
	}
	return p
}

// input has the segment arrive and returns what the stack sends at once.
func (a *arrival) input(p *wire.Packet) []wire.Packet {
	a.now = a.now.Add(time.Millisecond)
	a.s.Input(a.now, p)
	return a.drain()
}

// drain returns what the stack sends now, and learns from it what the peer would.
func (a *arrival) drain() (out []wire.Packet) {
	for {
		var p wire.Packet
		if ok, _ := a.s.Poll(a.now, &p); !ok {
			break
		}
		out = append(out, p)
		if p.Flags&wire.SYN != 0 {
			a.b.iss, a.b.una = p.Seq, p.Seq
		}
		if p.Flags&wire.RST == 0 {
			a.b.nxt = wire.MaxSeq(p.Seq.Add(p.SegLen()), p.Seq)
			a.b.rcvWnd = int(p.Window)
			if p.Flags&wire.ACK != 0 {
				a.b.rcvNxt = p.Ack
			}
		}
	}
	if c := a.s.conns[connKey{addrs[0], addrs[1]}]; c != nil {
		a.c = c
	}
	return out
}

// state returns the state that the stack is in.
func (a *arrival) state() string {
	c := a.s.conns[connKey{addrs[0], addrs[1]}]
	switch {
	case c != nil:
		return c.state.String()
	case a.s.listeners[addrs[0]] != nil:
		return "LISTEN"
	}
	return "CLOSED"
}

// observe brings a segment and returns what came of it, in the oracle's words.
func (a *arrival) observe(p *wire.Packet) (o outcome, problem string) {
	before := a.c
	delivered := int64(0)
	if before != nil {
		delivered = before.got.Bytes
	}
	out := a.input(p)
	o = outcome{state: a.state(), una: a.b.una}
	if before != nil {
		o.delivered, o.err = int(before.got.Bytes-delivered), before.err
	}
	if c := a.s.conns[connKey{addrs[0], addrs[1]}]; c != nil {
		o.una = c.snd.una
	}
	if len(out) > 1 {
		return o, fmt.Sprintf("%d segments sent", len(out))
	}
	for _, r := range out {
		o.seq, o.ack = r.Seq, r.Ack
		switch r.Flags & (wire.SYN | wire.ACK | wire.RST | wire.FIN) {
		case wire.ACK:
			o.reply = "ACK"
		case wire.RST:
			o.reply = "RST"
		case wire.RST | wire.ACK:
			o.reply = "RST-ACK"
		case wire.SYN | wire.ACK:
			o.reply = "SYN-ACK"
		default:
			o.reply = fmt.Sprintf("flags %b", r.Flags)
		}
		if r.PayloadLen > 0 {
			o.reply += " with data"
		}
	}
	if err := a.s.CheckInvariants(); err != nil {
		problem = err.Error()
	}
	return o, problem
}

// position names a place relative to what is expected.
type position struct {
	name string
	at   int
}

// seqPositions are relative to rcv.nxt.
var seqPositions = []position{
	{"far below", -200}, {"one segment below", -101}, {"ends at the left edge", -100}, {"overlaps the left edge", -50}, {"just below", -1}, {"expected", 0}, {"next to expected", 1},
	{"in the window", 500}, {"last in the window", ourWindow - 1}, {"at the right edge", ourWindow}, {"beyond the window", ourWindow + 1}, {"far beyond", 1 << 30},
}

// ackPositions returns the acknowledgements to try, which depend on the state.
func (b *block) ackPositions() []position {
	flight := b.nxt.Sub(b.una)
	list := []position{
		{"too old", -peerWindow - 1}, {"oldest allowed", -peerWindow}, {"old", -1}, {"duplicate", 0}, {"unsent", flight + 1}, {"far ahead", 1 << 30},
	}
	if flight > 0 {
		list = append(list, position{"of everything", flight})
	}
	if flight > 1 {
		list = append(list, position{"of one octet", 1}, position{"of all but one", flight - 1})
	}
	return list
}

// TestSegmentArrival brings every combination of SYN, ACK, RST, FIN and payload, at every interesting place, into every state
// by real segments, and compares what happens with RFC 9293 s.3.10.7 as expect spells it out: without timestamps, with them, and
// with an old one.
func TestSegmentArrival(t *testing.T) {
	const clock = 1000
	total := 0
	for _, st := range arrivals {
		for _, ts := range [][2]uint32{{0, 0}, {clock, clock}, {clock, clock - 1}} {
			name := fmt.Sprintf("%s, timestamps %d", st.name, ts)
			t.Run(name, func(t *testing.T) {
				cases := 0
				for mask := range 32 {
					f := wire.Flags(0)
					for i, bit := range []wire.Flags{wire.SYN, wire.ACK, wire.RST, wire.FIN} {
						f |= bit * wire.Flags(mask>>i&1)
					}
					cases += arriveAll(t, st.name, st.bring, ts, f, mask>>4*100)
				}
				t.Logf("%d cases", cases)
				total += cases
			})
		}
	}
	if t.Logf("%d cases in all", total); total < 50_000 {
		t.Errorf("only %d cases", total)
	}
}

// arriveAll tries one combination of flags and payload at every place, and returns how many cases that was. The peer's
// timestamps are ts[0] until the state is reached, and then ts[1].
func arriveAll(t *testing.T, state string, bring func(*arrival), ts [2]uint32, f wire.Flags, payload int) (cases int) {
	fresh := func() *arrival {
		a := newArrival(t, ts[0])
		bring(a)
		a.ts = ts[1]
		a.b.state, _, _ = strings.Cut(state, " ")
		a.b.passive = state == "SYN-RECEIVED passive"
		a.b.old = ts[1] < ts[0]
		return a
	}
	a := fresh()
	if got := a.state(); got != a.b.state {
		t.Fatalf("brought to %s", got)
	}
	acks := a.b.ackPositions()
	if f&wire.ACK == 0 {
		acks = acks[:1]
	}
	for _, seq := range seqPositions {
		for _, ack := range acks {
			cases++
			a := fresh()
			b := a.b
			p := a.packet(f, seq.at, b.una.Add(ack.at), payload)
			want := b.expect(p)
			got, problem := a.observe(p)
			got.clause = want.clause
			if want, got = normal(b, want), normal(b, got); got != want || problem != "" {
				t.Errorf("%s with %d octets, SEQ %s, ACK %s: RFC 9293 s.%s:\n got %+v %s\nwant %+v",
					flagNames(f), payload, seq.name, ack.name, want.clause, got, problem, want)
			}
		}
	}
	return cases
}

// normal leaves out what an outcome cannot tell: where there was no connection before, a new one has a random sequence number,
// and one that is gone acknowledges nothing.
func normal(b block, o outcome) outcome {
	if o.state == "CLOSED" || o.state == "LISTEN" {
		o.una = 0
	}
	if o.reply == "SYN-ACK" && (b.state == "LISTEN" || b.state == "TIME-WAIT") {
		o.seq, o.una = 0, 0
	}
	if o.reply == "RST" {
		o.ack = 0
	}
	return o
}

// flagNames spells the flags out.
func flagNames(f wire.Flags) string {
	var names []string
	for i, bit := range []wire.Flags{wire.SYN, wire.ACK, wire.RST, wire.FIN} {
		if f&bit != 0 {
			names = append(names, []string{"SYN", "ACK", "RST", "FIN"}[i])
		}
	}
	return strings.Join(names, "+")
}
