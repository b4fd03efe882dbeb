package tcp

import (
	"slices"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
	"pgregory.net/rapid"
)

// sentModel is what a sender knows of one segment. Places are offsets in the stream.
type sentModel struct {
	start, end int
	times      int       // transmissions
	sentAt     mono.Time // the latest
	sacked     bool
	lost       bool // and not sent again since
	twice      bool // sent again without being lost, so two copies may be in flight
}

func (g *sentModel) inFlight() bool { return !g.sacked && !g.lost }

// boardModel is the scoreboard as a plain list of what is outstanding, and loss detection by the letter of the documents.
type boardModel struct {
	segs     []sentModel
	una, nxt int
	fack     int       // end of the highest segment delivered
	lastSent mono.Time // transmission times are unique
	dups     int       // ACKs in a row with new SACKs
	newest   mono.Time // latest transmission among what was delivered and sent only once

	// RACK (RFC 8985 s.6).
	rackAt    mono.Time
	rackRTT   time.Duration
	reordered bool
	due       mono.Time // when the next segment will be overdue
}

// pipe is RFC 6675 s.4 SetPipe: what is neither SACKed nor lost, and what was sent again.
func (m *boardModel) pipe() (octets int64) {
	for _, g := range m.segs {
		if g.inFlight() {
			octets += int64(g.end - g.start)
		}
		if g.inFlight() && g.twice {
			octets += int64(g.end - g.start)
		}
	}
	return octets
}

// sackedAbove returns the octets and the separate runs SACKed above segment i.
func (m *boardModel) sackedAbove(i int) (octets, runs int) {
	for j := i + 1; j < len(m.segs); j++ {
		if !m.segs[j].sacked {
			continue
		}
		octets += m.segs[j].end - m.segs[j].start
		if !m.segs[j-1].sacked {
			runs++
		}
	}
	return octets, runs
}

func (m *boardModel) sackedSegs() (n int) {
	for _, g := range m.segs {
		if g.sacked {
			n++
		}
	}
	return n
}

func (m *boardModel) markLost(g *sentModel) {
	if g.inFlight() {
		g.lost, g.twice = true, false
	}
}

// ackEvent is what an ACK has brought, and how things stood before it.
type ackEvent struct {
	delivered, newSACK, advanced bool
	recovering                   bool
	minRTT                       time.Duration
	fack                         int
}

// deliver notes that g has arrived. A retransmission that was answered sooner than any round trip tells nothing of the
// latest copy (RFC 8985 s.6.2 step 2).
func (m *boardModel) deliver(now mono.Time, g *sentModel, e *ackEvent) {
	e.delivered = true
	m.fack = max(m.fack, g.end)
	rtt := now.Sub(g.sentAt)
	if g.times == 1 {
		m.newest = max(m.newest, g.sentAt)
		m.reordered = m.reordered || g.end < e.fack
	}
	if (g.times == 1 || rtt >= e.minRTT) && g.sentAt > m.rackAt {
		m.rackAt, m.rackRTT = g.sentAt, rtt
	}
}

// take takes in an ACK and its SACK blocks.
func (m *boardModel) take(now mono.Time, ack int, blocks []wire.Range, e *ackEvent) {
	e.fack = m.fack
	for len(m.segs) > 0 && m.segs[0].end <= ack {
		if g := &m.segs[0]; !g.sacked {
			m.deliver(now, g, e)
		}
		m.segs = m.segs[1:]
	}
	if len(m.segs) > 0 && m.segs[0].start < ack {
		m.segs[0].start = ack
		e.delivered = e.delivered || !m.segs[0].sacked
	}
	e.advanced = ack > m.una
	m.una = ack
	m.fack = max(m.fack, ack)
	for _, b := range blocks {
		for i := range m.segs {
			if g := &m.segs[i]; int(b.Start) <= g.start && g.end <= int(b.End) && !g.sacked {
				m.deliver(now, g, e)
				g.sacked, g.lost, g.twice = true, false, false
				e.newSACK = true
			}
		}
	}
	if e.advanced {
		m.dups = 0
	}
	if e.newSACK {
		m.dups++
	}
}

// detectSACK is RFC 6675 s.5: IsLost, and the first segment after three ACKs with news.
func (m *boardModel) detectSACK(mss int, open bool) {
	for i := range m.segs {
		octets, runs := m.sackedAbove(i)
		if g := &m.segs[i]; g.times == 1 && (octets > 2*mss || runs >= 3) {
			m.markLost(g)
		}
	}
	if m.dups >= 3 && open && len(m.segs) > 0 && m.segs[0].times == 1 {
		m.markLost(&m.segs[0])
	}
}

// detectFACK is Mathis and Mahdavi's rule: what left before the newest arrival and has not arrived is lost.
func (m *boardModel) detectFACK(mss int, recovering bool) {
	if m.fack-m.una <= 3*mss && m.dups < 3 && !recovering {
		return
	}
	for i := range m.segs {
		if g := &m.segs[i]; g.sentAt < m.newest {
			m.markLost(g)
		}
	}
}

// rackWait is how much later than a segment another one must have left, and have arrived, for the first to be lost: the
// reordering window, here without D-SACK (RFC 8985 s.6.2 step 4), on top of the round trip.
func (m *boardModel) rackWait(c *Conn, recovering bool) time.Duration {
	if !m.reordered && (recovering || m.sackedSegs() >= 3) {
		return m.rackRTT
	}
	return m.rackRTT + min(c.rtt.minRTT/4, c.rtt.srtt)
}

// detectRACK is RFC 8985 s.6.2 step 5.
func (m *boardModel) detectRACK(now mono.Time, wait time.Duration) {
	m.due = mono.Never
	for i := range m.segs {
		g := &m.segs[i]
		if m.rackAt == 0 || g.sentAt > m.rackAt || !g.inFlight() {
			continue
		}
		if due := g.sentAt.Add(wait); due <= now {
			m.markLost(g)
		} else {
			m.due = min(m.due, due)
		}
	}
}

// senderRun drives a sender and its model.
type senderRun struct {
	*rapid.T
	u        *puppet
	m        boardModel
	have     []bool // what the peer has
	acked    int    // the highest ACK so far
	timeouts int64
	before   ackEvent
	force    bool // the next retransmission may leave whatever the window
	probes   int64
}

func newSenderRun(t *rapid.T) *senderRun {
	r := &senderRun{T: t, u: newPuppet(t)}
	r.m.due = mono.Never
	r.u.iss = 77
	r.u.offer = puppetOffer(0)
	cfg := reno(Recovery(rapid.IntRange(0, 4).Draw(t, "recovery")))
	cfg.MSS, cfg.InitialWindow, cfg.SendBuffer = 1000, rapid.SampledFrom([]int{3, 10, 30}).Draw(t, "window"), 1<<20
	cfg.Disable |= Timestamps | FRTO | HyStart // nothing is undone: the model knows of no undo,
	cfg.PathMTU = MTUFixed                     // nor of segments cut in pieces
	r.u.prepare(atEstablished, cfg)
	r.u.c.honest.next = mono.Never // nor of segments withheld because this peer makes its ACKs up
	r.u.sent = r.onSent
	return r
}

// place returns a sequence number's offset in the stream.
func (r *senderRun) place(q wire.Seq) int { return q.Sub(r.u.c.snd.iss + 1) }

// poll lets the engine run its timers and send, and compares.
func (r *senderRun) poll() mono.Time {
	r.Helper()
	r.hold()
	next := r.u.poll()
	r.u.c.resume()
	r.onTimers()
	r.compare()
	return next
}

// hold remembers how things stand before an event.
func (r *senderRun) hold() {
	c := r.u.c
	r.before = ackEvent{recovering: c.recovering(), minRTT: c.rtt.minRTT}
	r.force = c.subs[0].ep.force
}

// onTimers has the model do what timers that have expired mean.
func (r *senderRun) onTimers() {
	c, m, now := r.u.c, &r.m, r.u.now
	if c.sent.Timeouts > r.timeouts {
		r.timeouts = c.sent.Timeouts
		r.force = true
		r.onTimeout()
		r.before.recovering = true
	}
	if c.rack != nil && m.due <= now {
		m.detectRACK(now, m.rackWait(c, r.before.recovering))
		r.force = r.force || c.subs[0].ep.force
	}
	r.follow()
}

// onTimeout is RFC 6298 s.5.4 and RFC 2018 s.8: all is lost, or with RACK the first segment and what is overdue (RFC 8985 s.6.3);
// a first segment that was SACKed means that the peer has forgotten.
func (r *senderRun) onTimeout() {
	c, m := r.u.c, &r.m
	m.dups = 0
	wait := m.rackWait(c, r.before.recovering)
	forgotten := m.segs[0].sacked
	for i := range m.segs {
		g := &m.segs[i]
		if forgotten {
			g.sacked = false
		}
		if c.rack == nil || forgotten || i == 0 || g.sentAt.Add(wait) <= r.u.now {
			m.markLost(g)
		}
	}
}

// follow takes the engine's word for what is lost where the model has no rule: duplicate ACKs have tests of their own.
func (r *senderRun) follow() {
	c := r.u.c
	if _, plain := c.detect.(*dupDetector); !plain {
		return
	}
	for i := range min(len(r.m.segs), c.board.len()) {
		if c.board.at(c.board.head + uint32(i)).has(segLost) {
			r.m.markLost(&r.m.segs[i])
		}
	}
}

// onSent checks the choice of a segment that has been sent (RFC 6675 s.4 NextSeg) and that there was room for it, and enters it.
func (r *senderRun) onSent(p *wire.Packet) {
	r.Helper()
	if p.PayloadLen == 0 {
		return
	}
	r.onTimers()
	c, m, s := r.u.c, &r.m, &r.u.c.subs[0]
	start := r.place(p.Seq)
	probe := c.sent.Probes > r.probes
	r.probes = c.sent.Probes
	outstanding := max(m.pipe()-s.dupacked, 0)
	if outstanding > 0 && !probe && !r.force && outstanding+int64(p.PayloadLen) > s.window() {
		r.Fatalf("sent %d at %d with %d outstanding in a window of %d", p.PayloadLen, start, outstanding, s.window())
	}
	r.force = s.ep.force
	m.lastSent = max(r.u.now, m.lastSent+1)
	first := slices.IndexFunc(m.segs, func(g sentModel) bool { return g.lost })
	switch i := slices.IndexFunc(m.segs, func(g sentModel) bool { return g.start == start }); {
	case first >= 0 && i != first:
		r.Fatalf("sent %d although the lost segment at %d has not been sent again", start, m.segs[first].start)
	case i < 0 && start != m.nxt:
		r.Fatalf("sent %d, snd.nxt is %d", start, m.nxt)
	case i < 0:
		m.segs = append(m.segs, sentModel{start: start, end: start + p.PayloadLen, times: 1, sentAt: m.lastSent})
		m.nxt = start + p.PayloadLen
	default:
		g := &m.segs[i]
		if !g.lost {
			r.checkExtra(i, probe)
			g.twice = true
		}
		g.lost = false
		g.times++
		g.sentAt = m.lastSent
	}
}

// checkExtra checks a segment that was sent again without being lost: the last one as a tail loss probe (RFC 8985 s.7.3), or
// what RFC 6675 s.4 NextSeg rules 3 and 4 allow when no new data can be sent.
func (r *senderRun) checkExtra(i int, probe bool) {
	r.Helper()
	c, m := r.u.c, &r.m
	_, sack := c.detect.(*sackDetector)
	last := i == len(m.segs)-1
	switch {
	case probe && last:
	case !sack:
		r.Fatalf("sent segment %d of %d again for nothing", i, len(m.segs))
	case c.snd.unsent() > 0 && c.snd.usable() >= c.snd.mss:
		r.Fatalf("sent segment %d again although there is new data", i)
	default:
		third := slices.IndexFunc(m.segs, func(g sentModel) bool { return g.inFlight() && g.times == 1 })
		if above, _ := m.sackedAbove(i); above > 0 && i == third {
			return // rule 3
		}
		for j := i + 1; j < len(m.segs); j++ {
			if !m.segs[j].sacked {
				r.Fatalf("sent segment %d again, neither the first hole nor the last", i)
			}
		}
	}
}

// ack has the peer acknowledge up to that place, with SACK blocks.
func (r *senderRun) ack(ack int, blocks []wire.Range) {
	r.Helper()
	c, m, now := r.u.c, &r.m, r.u.now
	p := r.u.segment(wire.ACK, 0, 0)
	p.Ack = c.snd.iss.Add(1 + ack)
	if len(blocks) > 0 {
		p.Options.Set |= wire.OptSACK
		p.Options.NumSACK = uint8(len(blocks))
		for i, b := range blocks {
			p.Options.SACK[i] = wire.Range{Start: b.Start + c.snd.iss + 1, End: b.End + c.snd.iss + 1}
		}
	}
	r.hold()
	open := c.subs[0].ep.state == epOpen
	m.take(now, ack, blocks, &r.before)
	r.u.s.Input(now, &p)
	switch d := c.detect.(type) {
	case *sackDetector:
		m.detectSACK(c.snd.mss, open)
	case *fackDetector:
		m.detectFACK(c.snd.mss, r.before.recovering)
	case *rackDetector:
		if r.before.delivered {
			m.detectRACK(now, m.rackWait(c, r.before.recovering))
		}
		if at := c.timers.at[timerReorder]; at != m.due || d.reordered != m.reordered {
			r.Fatalf("the next segment is overdue at %v, want %v; reordering %v, want %v", at, m.due, d.reordered, m.reordered)
		}
	}
	r.follow()
	r.compare()
	r.poll()
}

// compare compares the engine's scoreboard with the model's.
func (r *senderRun) compare() {
	r.Helper()
	c, m := r.u.c, &r.m
	b, s := &c.board, &c.subs[0]
	if r.place(c.snd.una) != m.una || r.place(c.snd.nxt) != m.nxt || r.place(c.snd.fack) != m.fack || b.len() != len(m.segs) {
		r.Fatalf("una %d, nxt %d, fack %d, %d segments; want %d, %d, %d, %d", r.place(c.snd.una), r.place(c.snd.nxt), r.place(c.snd.fack), b.len(),
			m.una, m.nxt, m.fack, len(m.segs))
	}
	lost := int64(0)
	var runs []wire.Range
	for i, g := range m.segs {
		e := b.at(b.head + uint32(i))
		got := sentModel{
			start: r.place(e.seq), end: r.place(e.end()), times: min(g.times, 1), sentAt: e.sentAt,
			sacked: e.has(segSACKed), lost: e.has(segLost), twice: e.has(segTwice),
		}
		if e.has(segRetrans) {
			got.times = max(g.times, 2)
		}
		if got != g {
			r.Fatalf("segment %d is %+v, want %+v", i, got, g)
		}
		if g.lost {
			lost += int64(g.end - g.start)
		}
		switch n := len(runs); {
		case !g.sacked:
		case n > 0 && runs[n-1].End == e.seq:
			runs[n-1].End = e.end()
		default:
			runs = append(runs, wire.Range{Start: e.seq, End: e.end()})
		}
	}
	if s.pipe != m.pipe() || s.lostSize != lost || !slices.Equal(b.sacked, runs) {
		r.Fatalf("pipe %d, lost %d, SACKed %v; want %d, %d, %v", s.pipe, s.lostSize, b.sacked, m.pipe(), lost, runs)
	}
}

// arrive has octets from a to b arrive at the peer.
func (r *senderRun) arrive(a, b int) {
	for len(r.have) < r.m.nxt {
		r.have = append(r.have, false)
	}
	for i := max(a, 0); i < min(b, r.m.nxt); i++ {
		r.have[i] = true
	}
	for r.acked < len(r.have) && r.have[r.acked] {
		r.acked++
	}
}

// answer has the peer acknowledge, with some of the blocks that it has.
func (r *senderRun) answer(t *rapid.T) {
	var blocks []wire.Range
	for i := r.acked; i < len(r.have); i++ {
		switch n := len(blocks); {
		case !r.have[i]:
		case n > 0 && int(blocks[n-1].End) == i:
			blocks[n-1].End++
		default:
			blocks = append(blocks, wire.Range{Start: wire.Seq(i), End: wire.Seq(i + 1)})
		}
	}
	if len(blocks) > 0 {
		blocks = rapid.Permutation(blocks).Draw(t, "blocks")[:min(len(blocks), rapid.IntRange(0, 4).Draw(t, "reported"))]
	}
	r.ack(r.acked, blocks)
}

// TestScoreboardModel compares the scoreboard, loss detection and the choice of segments with a plain list, after every ACK,
// timer and packet, for every recovery.
func TestScoreboardModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newSenderRun(t)
		deliver := func(t *rapid.T, a, n int) {
			r.arrive(a, a+n)
			if rapid.IntRange(0, 4).Draw(t, "ACK lost") > 0 {
				r.answer(t)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				r.u.c.WriteSynthetic(rapid.SampledFrom([]int{300, 1000, 5000, 20_000}).Draw(t, "octets"))
				r.poll()
			},
			"wait": func(t *rapid.T) {
				end := r.u.now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 5, 20, 300, 2000}).Draw(t, "ms")) * time.Millisecond)
				for next := r.poll(); next <= end; next = r.poll() {
					r.u.now = next
				}
				r.u.now = end
				r.poll()
			},
			"segment": func(t *rapid.T) { // the usual case
				if len(r.m.segs) > 0 {
					g := r.m.segs[rapid.IntRange(0, len(r.m.segs)-1).Draw(t, "segment")]
					deliver(t, g.start, (g.end-g.start)*rapid.IntRange(1, 3).Draw(t, "segments"))
				}
			},
			"first": func(t *rapid.T) {
				if len(r.m.segs) > 0 {
					n := r.m.segs[0].end - r.m.una
					deliver(t, r.m.una, n-rapid.SampledFrom([]int{0, 0, n / 2}).Draw(t, "short by"))
				}
			},
			"octets": func(t *rapid.T) {
				deliver(t, r.m.una+rapid.IntRange(0, 8000).Draw(t, "at"), rapid.IntRange(1, 3000).Draw(t, "octets"))
			},
			"again": func(t *rapid.T) { r.answer(t) },
		})
	})
}
