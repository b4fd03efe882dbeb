package tcp

import (
	"io"
	"slices"
	"testing"
	"time"

	"longhaul/wire"
	"pgregory.net/rapid"
)

// streamModel is what a receiver knows, octet by octet: slow, and simple enough to be right. Places are offsets in the stream;
// the FIN has one, behind the last octet.
type streamModel struct {
	have  []bool // arrived
	stamp []int  // the latest segment beyond a hole that brought this octet
	count int    // segments beyond holes
	next  int    // all before it has arrived
	read  int    // taken by the application
	edge  int    // the window has been promised up to here
	fin   int    // place of the FIN, or -1
	done  bool   // all up to the FIN has arrived
}

func (m *streamModel) grow(n int) {
	for len(m.have) <= n {
		m.have = append(m.have, false)
		m.stamp = append(m.stamp, 0)
	}
}

// meaning is what a segment means for the ACK that answers it.
type meaning struct {
	atOnce  bool         // the answer must not wait
	twice   []wire.Range // the runs of octets that came again, as places
	inOrder int          // octets by which the left edge moved on
	refused bool         // nothing of it lies in the window
}

// arrive takes in a segment of n octets from place a on (RFC 9293 s.3.10.7.4, first, seventh and eighth step).
func (m *streamModel) arrive(a, n int, fin bool) (r meaning) {
	end := a + n
	length := n
	if fin {
		length++
	}
	m.grow(max(end, m.edge) + 1)
	window := m.edge - m.next
	switch {
	case m.done:
		return meaning{}
	case n == 0 && (a < m.next || a > m.next+window):
		return meaning{refused: true}
	case n > 0 && (a >= m.next+window || a+length <= m.next):
		r.atOnce, r.refused = true, true
		if a+length <= m.next {
			r.twice = m.runs(a, end, func(int) bool { return true })
		}
		return r
	case length == 0:
		return meaning{}
	}
	limit := m.edge
	if m.fin >= 0 {
		limit = min(limit, m.fin)
		fin = fin && end == m.fin
	}
	if end > limit {
		end, fin, r.atOnce = max(limit, a), false, true
	}
	if a > limit {
		return r
	}
	if fin {
		m.fin = end
	}
	inOrder := a <= m.next && (end > m.next || fin && end == m.next)
	last := end
	if fin && !inOrder {
		last++ // a FIN beyond a hole counts as an octet
	}
	r.twice = m.runs(a, last, func(i int) bool { return i < m.next || m.have[i] })
	holes := len(m.blocks()) > 0
	for i := a; i < last; i++ {
		m.have[i] = true
	}
	before := m.next
	if inOrder {
		m.next = end
		for m.next != m.fin && m.have[m.next] {
			m.next++
		}
		if m.fin >= 0 {
			m.next = min(m.next, m.fin)
		}
		r.inOrder = m.next - before
		r.atOnce = r.atOnce || holes
	} else if last > max(a, m.next) {
		m.count++
		for i := a; i < last; i++ {
			m.stamp[i] = m.count
		}
		r.atOnce = true
	}
	if m.fin == m.next {
		m.done, r.atOnce = true, true
	}
	r.atOnce = r.atOnce || len(r.twice) > 0
	return r
}

// runs returns the maximal runs of places from a to b that the condition holds for.
func (m *streamModel) runs(a, b int, holds func(i int) bool) (out []wire.Range) {
	for i := a; i < b; i++ {
		switch {
		case !holds(i):
		case len(out) > 0 && out[len(out)-1].End == wire.Seq(i):
			out[len(out)-1].End++
		default:
			out = append(out, wire.Range{Start: wire.Seq(i), End: wire.Seq(i + 1)})
		}
	}
	return out
}

// blocks returns what has arrived beyond the first hole.
func (m *streamModel) blocks() []wire.Range {
	if m.done {
		return nil
	}
	return m.runs(m.next, len(m.have), func(i int) bool { return m.have[i] })
}

// recent returns the blocks in the order in which a SACK reports them: the one with the latest arrival first (RFC 2018 s.4).
func (m *streamModel) recent() []wire.Range {
	latest := func(r wire.Range) int { return slices.Max(m.stamp[r.Start:r.End]) }
	blocks := m.blocks()
	slices.SortFunc(blocks, func(a, b wire.Range) int { return latest(b) - latest(a) })
	return blocks
}

// receiverRun drives a receiver and its model.
type receiverRun struct {
	*rapid.T
	u       *puppet
	m       streamModel
	limit   int // octets of the buffer
	acks    []wire.Packet
	pending int // octets in order since the latest ACK
}

func newReceiverRun(t *rapid.T) *receiverRun {
	r := &receiverRun{T: t, u: newPuppet(t), m: streamModel{fin: -1}}
	r.u.iss = wire.Seq(rapid.SampledFrom([]uint32{5, 1<<31 - 2000, 1<<32 - 2000}).Draw(t, "iss"))
	r.u.offer = puppetOffer(byte(rapid.SampledFrom([]int{8, 16, 24, 25, 26, 28, 0}).Draw(t, "not offered")))
	r.limit = rapid.SampledFrom([]int{1500, 5000, 20_000, 150_000}).Draw(t, "buffer")
	cfg := Config{RecvBuffer: r.limit, Enable: BigWindow | NAK}
	if rapid.Bool().Draw(t, "ACK at once") {
		cfg.Disable = DelayedACK
	}
	r.u.sent = func(p *wire.Packet) { r.acks = append(r.acks, *p) }
	r.u.prepare(atSynReceived, cfg)
	r.m.edge = min(r.limit, 65535)
	r.u.input(r.u.segment(wire.ACK, 0, 1))
	switch on := r.u.c.on; {
	case on&BigWindow != 0:
		r.m.edge = r.limit
	case on&WindowScaling == 0:
		r.limit = min(r.limit, 65535) // no window can say more
	}
	r.acks = nil
	return r
}

// send has the peer send n octets from place a on, and checks what comes back.
func (r *receiverRun) send(a, n int, fin bool) {
	r.Helper()
	p := r.u.segment(wire.ACK, 0, 0)
	p.Seq = r.u.iss.Add(1 + a)
	p.PayloadLen = n
	for i := range n {
		p.Payload = append(p.Payload, streamOctet(a+i))
	}
	if fin {
		p.Flags |= wire.FIN
	}
	was, next, edge, out := r.m.done, r.m.next, r.m.edge, r.u.c.got.OutOfWindow
	got := r.m.arrive(a, n, fin)
	r.pending += got.inOrder
	r.u.input(p)
	if refused := r.u.c.got.OutOfWindow > out; !was && refused != got.refused {
		r.Fatalf("[%d, %d) FIN %v with the window [%d, %d): refused %v", a, a+n, fin, r.m.next, r.m.edge, refused)
	}
	full := 2 * r.u.c.rcv.mss
	if a > edge+r.limit || a+n <= next && a < next-r.limit {
		got.atOnce, got.twice = false, nil // a buffer or more off, it may be forged, and such ones share a few challenges
	}
	if due := got.atOnce || r.pending >= full || r.u.c.on&DelayedACK == 0 && got.inOrder > 0; due && len(r.acks) == 0 {
		r.Fatalf("[%d, %d) FIN %v is not answered at once", a, a+n, fin)
	}
	if !was {
		r.check(got.twice)
	}
	r.acks = nil
}

// check looks at the ACKs that have come, the first of which reports what came twice.
func (r *receiverRun) check(twice []wire.Range) {
	r.Helper()
	if len(r.acks) > 1 {
		r.Fatalf("%d packets in answer to one", len(r.acks))
	}
	for i := range r.acks {
		r.checkACK(&r.acks[i])
		r.checkSACK(&r.acks[i], twice)
		r.pending = 0
	}
}

// checkACK checks acknowledgement and window: the edge never moves back, but for what scaling rounds off, and no more is
// promised than there is room for.
func (r *receiverRun) checkACK(p *wire.Packet) {
	r.Helper()
	m, c := &r.m, r.u.c
	ack := m.next
	if m.done {
		ack++
	}
	if got := p.Ack.Sub(r.u.iss.Add(1)); got != ack {
		r.Fatalf("acknowledges %d, want %d", got, ack)
	}
	edge := ack + int(p.Window)<<c.rcv.scale
	if c.on&BigWindow != 0 {
		edge += int(p.Options.UpperWindow) << 16
	}
	if edge <= m.edge-1<<c.rcv.scale && edge < m.edge {
		r.Fatalf("the window's edge moves back from %d to %d", m.edge, edge)
	}
	m.edge = max(m.edge, edge)
	if m.edge > m.read+r.limit && !m.done {
		r.Fatalf("the window reaches %d, there is room up to %d", m.edge, m.read+r.limit)
	}
}

// checkSACK compares the blocks with the model's: first what came twice, if anything did (RFC 2883 s.4), then as many as fit,
// the latest first.
func (r *receiverRun) checkSACK(p *wire.Packet, twice []wire.Range) {
	r.Helper()
	m := &r.m
	if r.u.c.on&SACK == 0 {
		if p.Options.Has(wire.OptSACK) {
			r.Fatalf("SACK was not agreed on")
		}
		return
	}
	var got []wire.Range
	for _, b := range p.Options.SACKBlocks() {
		start := b.Start.Sub(r.u.iss.Add(1))
		got = append(got, wire.Range{Start: wire.Seq(start), End: wire.Seq(start + b.Len())})
	}
	blocks := m.recent()
	all := got
	if len(twice) > 0 {
		if len(got) == 0 || !slices.Contains(twice, got[0]) {
			r.Fatalf("%v came twice, reported %v", twice, got)
		}
		if inside := got[0].Start >= wire.Seq(m.next); inside && len(got) > 1 && !m.done && (got[0].Start < got[1].Start || got[1].End < got[0].End) {
			r.Fatalf("the duplicate %v lies in a block that does not follow it: %v", got[0], got)
		}
		got = got[1:]
	}
	// Of those that were pushed out of the engine's short list the order is not known any more.
	listed := min(len(got), r.u.c.rcv.numRecent, len(blocks))
	strangers := slices.ContainsFunc(got[listed:], func(b wire.Range) bool { return !slices.Contains(blocks[listed:], b) })
	if !slices.Equal(got[:listed], blocks[:listed]) || strangers || len(got) > len(blocks) {
		r.Fatalf("blocks %v, want %v; next %d", got, blocks, m.next)
	}
	if len(got) < len(blocks) && len(all) < wire.MaxSACKBlocks {
		more := p.Options
		more.Set |= wire.OptSACK
		more.NumSACK++
		if more.Len(wire.Encoding{}) <= wire.MaxOptions {
			r.Fatalf("blocks %v of %v, and room for more", got, blocks)
		}
	}
}

// compare compares the engine's state with the model's.
func (r *receiverRun) compare() {
	r.Helper()
	r.u.c.resume()
	m, e := &r.m, &r.u.c.rcv
	at := e.nxt.Sub(r.u.iss.Add(1))
	if m.done {
		at--
	}
	if at != m.next || e.finDone != m.done || e.buf.ready != m.next-m.read {
		r.Fatalf("next %d with %d ready, FIN %v; want %d with %d, %v", at, e.buf.ready, e.finDone, m.next, m.next-m.read, m.done)
	}
	blocks := m.blocks()
	for i := range blocks {
		blocks[i].Start += r.u.iss + 1
		blocks[i].End += r.u.iss + 1
	}
	if !slices.Equal(e.ooo, blocks) {
		r.Fatalf("beyond the hole there is %v, want %v", e.ooo, blocks)
	}
	if edge := e.edge.Sub(r.u.iss.Add(1)); edge != m.edge && !m.done {
		r.Fatalf("the window's edge is at %d, %d was promised", edge, m.edge)
	}
}

// take reads up to n octets.
func (r *receiverRun) take(n int) {
	r.Helper()
	m := &r.m
	p := make([]byte, n)
	got, err := r.u.c.Read(p)
	if want := min(n, m.next-m.read); got != want || err != nil && (err != io.EOF || !m.done || want > 0) {
		r.Fatalf("read %d octets, %v; want %d", got, err, want)
	}
	for i, b := range p[:got] {
		if b != streamOctet(m.read+i) {
			r.Fatalf("octet %d is %d, want %d", m.read+i, b, streamOctet(m.read+i))
		}
	}
	m.read += got
	r.u.poll()
	r.check(nil)
	r.acks = nil
	c := r.u.c
	room := min(r.limit-(m.next-m.read), c.rcv.most) >> c.rcv.scale << c.rcv.scale
	if gain := room - (m.edge - m.next); got > 0 && !m.done && gain > 0 && gain >= min(2*c.rcv.mss, r.limit/2) && gain >= m.edge-m.next {
		r.Fatalf("after reading, %d octets more could be offered", gain)
	}
}

// TestReceiverModel compares the receiver with a bitmap of the stream after every segment, read and pause: what arrives in what
// order, what is acknowledged and when, SACK and D-SACK blocks, and the window.
func TestReceiverModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newReceiverRun(t)
		size := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 1500))
		rarely := rapid.IntRange(0, 15)
		t.Repeat(map[string]func(*rapid.T){
			"in order": func(t *rapid.T) {
				r.send(r.m.next, size.Draw(t, "size"), rarely.Draw(t, "FIN") == 1)
			},
			"about": func(t *rapid.T) {
				at := r.m.next + rapid.OneOf(rapid.IntRange(-100, 100), rapid.IntRange(-2000, 8000)).Draw(t, "at")
				r.send(max(at, 0), size.Draw(t, "size"), rarely.Draw(t, "FIN") == 1)
			},
			"at the edge": func(t *rapid.T) {
				end := r.m.edge + rapid.IntRange(-3, 3).Draw(t, "end")
				n := size.Draw(t, "size")
				r.send(max(end-n, 0), n, rapid.Bool().Draw(t, "FIN") && r.m.edge < 2000)
			},
			"fill": func(t *rapid.T) {
				if b := r.m.blocks(); len(b) > 0 {
					hole := int(b[0].Start) - r.m.next
					from := rapid.IntRange(0, hole-1).Draw(t, "from")
					r.send(r.m.next+from, min(hole-from+rapid.IntRange(0, 1).Draw(t, "more"), 9000), false)
				}
			},
			"read": func(t *rapid.T) {
				r.take(rapid.OneOf(rapid.IntRange(0, 50), rapid.IntRange(0, 20_000)).Draw(t, "octets"))
			},
			"wait": func(t *rapid.T) {
				r.u.pass(time.Duration(rapid.SampledFrom([]int{1, 30, 600}).Draw(t, "ms")) * time.Millisecond)
				for i := range r.acks {
					r.checkACK(&r.acks[i])
					r.pending = 0
				}
				r.acks = nil
			},
			"": func(*rapid.T) { r.compare() },
		})
	})
}
