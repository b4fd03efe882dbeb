package tcp

import (
	"slices"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// receiver is the receive sequence space (RFC 9293 s.3.3.1) with reassembly and the window we advertise.
type receiver struct {
	irs, nxt   wire.Seq
	edge       wire.Seq // first octet beyond the largest window we have advertised; it never moves back
	lastACK    wire.Seq // the last acknowledgement sent (RFC 7323's Last.ACK.sent)
	finSeq     wire.Seq // where the peer's FIN is, if hasFIN
	hasFIN     bool
	finDone    bool // everything up to the FIN has arrived
	shut       bool // Close was called: nobody will read
	scale      uint8
	most       int // octets, the largest window that our segments can express
	mss        int // the peer's largest segment so far, octets of payload
	limit      int // octets the buffer may hold now
	buf        recvBuffer
	ooo        []wire.Range // arrived beyond a hole, sorted
	recent     [wire.MaxSACKBlocks]wire.Range
	numRecent  int
	dup        wire.Range // what arrived twice, for the next ACK to report (D-SACK, RFC 2883); empty if nothing
	tsRecent   uint32
	tsRecentAt mono.Time
	tuning
	naked nakReceiver
}

// tuning grows the receive buffer so that it never is what limits the sender (dynamic right-sizing): each round
// trip it compares what the application has consumed with the buffer.
type tuning struct {
	limitMax int   // octets; 0 when the size is fixed
	consumed int64 // octets the application has taken
	mark     int64 // consumed at the start of this round
	last     int64 // octets consumed in the round before
	start    mono.Time
	rtt      time.Duration // the receiver's view of the round trip
}

// initialRecvBuffer is where a growing receive buffer starts, in octets.
const initialRecvBuffer = 256 << 10

// newReceiver sizes the buffer and chooses the window scale that can express its largest size.
func newReceiver(cfg *Config, on Feature) receiver {
	r := receiver{limit: cfg.RecvBuffer, most: 65535}
	largest := cfg.RecvBuffer
	if r.limit == 0 {
		largest = cfg.RecvBufferMax
		r.limit = min(initialRecvBuffer, largest)
		r.limitMax = largest
	}
	if on&WindowScaling != 0 {
		for r.scale < 14 && 65535<<r.scale < largest {
			r.scale++
		}
	}
	return r
}

func (r *receiver) startTuning(now mono.Time, rtt time.Duration) {
	r.start, r.rtt = now, rtt
}

// tune ends a round of dynamic right-sizing when a round trip has passed, and returns the octets that the buffer should
// have. A sender in slow start doubles its flight each round, so growth counts four times: twice for what arrives in
// the next round, and twice again because this buffer is consulted one round later.
func (r *receiver) tune(now mono.Time) int {
	if r.limitMax == 0 || now.Sub(r.start) < r.rtt {
		return r.limit
	}
	got := r.consumed - r.mark
	target := 2*got + 4*max(got-r.last, 0)
	r.mark, r.last, r.start = r.consumed, got, now
	return max(r.limit, int(min(target, int64(r.limitMax))))
}

// sampleRTT measures the round trip at the receiver: the peer echoes the timestamp of the ACK that let it send.
func (r *receiver) sampleRTT(d time.Duration) {
	if d <= 0 {
		return
	}
	if r.rtt == 0 || d < r.rtt {
		r.rtt = d
		return
	}
	r.rtt += (d - r.rtt) / 8
}

// offer returns what a segment can say of the room in the buffer, in octets, and how far that would move the edge. The
// window is rounded down to the scale: rounded up, each ACK would promise a little more than there is room for, and a
// window of a few units would never close.
func (r *receiver) offer() (window, gain int) {
	window = min(max(r.limit-r.buf.ready, 0)>>r.scale<<r.scale, r.most)
	return window, window - r.edge.Sub(r.nxt)
}

// advertise returns the window of a segment that acknowledges nxt, in octets, and keeps the promise it makes. The edge
// moves on only by a worthwhile step (RFC 9293 s.3.8.6.2.2) and never back: what the segment says may fall short of it,
// but what lies before it is still taken (RFC 7323 s.2.4).
func (r *receiver) advertise() int {
	r.lastACK = r.nxt
	window, gain := r.offer()
	if gain <= 0 || gain < min(r.mss, r.limit/2) {
		return r.edge.Sub(r.nxt)
	}
	r.edge = r.nxt.Add(window)
	return window
}

// windowUpdateDue reports whether the application has made enough room to tell the sender of it: two segments, or half the
// buffer (RFC 9293 s.3.8.6.2.2), and as much again as the sender still has. With more than that left it goes on sending, and
// the ACKs of its data will tell it.
func (c *Conn) windowUpdateDue() bool {
	r := &c.rcv
	if !c.synchronised() || r.finDone {
		return false
	}
	window, gain := r.offer()
	return gain > 0 && gain >= min(2*r.mss, r.limit/2) && gain >= window-gain
}

// takeData is the seventh and eighth step: payload and FIN (RFC 9293 s.3.10.7.4).
func (c *Conn) takeData(now mono.Time, p *wire.Packet) {
	r := &c.rcv
	seg := wire.Range{Start: p.Seq, End: p.Seq.Add(p.PayloadLen)}
	data, fin := p.Payload, p.Flags&wire.FIN != 0
	if r.shut && c.unwanted(p) {
		return
	}
	if p.PayloadLen > 0 {
		r.mss = max(r.mss, p.PayloadLen)
		c.lastData = now
	}
	if seg.Start.Less(r.nxt) { // trim what is old
		old := min(r.nxt.Sub(seg.Start), seg.Len())
		if old > 0 {
			c.got.Duplicates += int64(old)
			r.dup = wire.Range{Start: seg.Start, End: seg.Start.Add(old)}
			c.ackp.now = true
		}
		seg.Start = seg.Start.Add(old)
		data = data[min(old, len(data)):]
	}
	edge := r.edge
	if r.hasFIN { // the stream ends where its first FIN says
		edge = wire.MinSeq(edge, r.finSeq)
		fin = fin && seg.End == r.finSeq
	}
	if edge.Less(seg.End) { // trim what lies beyond the window; a FIN behind it has not arrived
		seg.End = wire.MaxSeq(edge, seg.Start)
		data = data[:min(seg.Len(), len(data))]
		fin = false
		c.ackp.now = true
	}
	if seg.End.Less(seg.Start) || edge.Less(seg.Start) {
		return // all of it lies beyond the FIN
	}
	if seg.Start != r.nxt && r.refuses(seg) {
		c.got.Refused++
		c.ackp.now = true
		return
	}
	if fin {
		r.hasFIN, r.finSeq = true, seg.End
	}
	if seg.Len() > 0 {
		r.buf.put(seg.Start.Sub(r.nxt), data, seg.Len())
		if seg.Start == r.nxt {
			c.takeInOrder(now, p, seg)
		} else {
			c.takeOutOfOrder(seg, fin)
		}
	} else if fin && seg.End != r.nxt {
		c.takeOutOfOrder(seg, fin)
	}
	if r.hasFIN && !r.finDone && r.finSeq == r.nxt {
		c.gotFIN(now)
	}
}

// takeInOrder advances rcv.nxt over seg and over what it joins up with.
func (c *Conn) takeInOrder(now mono.Time, p *wire.Packet, seg wire.Range) {
	r := &c.rcv
	before := r.nxt
	r.nxt = seg.End
	if len(r.ooo) > 0 {
		c.ackp.now = true // it fills a hole, or part of one (RFC 5681 s.4.2)
		// Of two runs of old octets the first is reported (RFC 2883 s.4.2.2), and what was trimmed comes first.
		if first := r.ooo[0]; first.Start.Less(seg.End) && p.Seq == seg.Start {
			r.dup = wire.Range{Start: first.Start, End: wire.MinSeq(first.End, seg.End)}
		}
		joined := 0
		for joined < len(r.ooo) && r.ooo[joined].Start.LessEq(r.nxt) {
			r.nxt = wire.MaxSeq(r.nxt, r.ooo[joined].End)
			joined++
		}
		if joined > 0 {
			r.ooo = r.ooo[:copy(r.ooo, r.ooo[joined:])]
			if len(r.ooo) == 0 && cap(r.ooo) > 2*fewRanges {
				r.ooo = nil // so much is not needed again soon
			}
		}
		r.forgetRecent(r.nxt)
		c.nakRepaired(now)
		if r.hasFIN {
			r.nxt = wire.MinSeq(r.nxt, r.finSeq) // gotFIN steps over it
		}
	}
	octets := r.nxt.Sub(before)
	r.buf.ready += octets
	r.edge = wire.MaxSeq(r.edge, r.nxt)
	c.got.Bytes += int64(octets)
	if c.on&Timestamps != 0 && p.Options.TSEcr != 0 && p.PayloadLen >= r.mss {
		if ms := int32(c.tsVal(now) - p.Options.TSEcr); ms > 0 {
			r.sampleRTT(time.Duration(ms) * time.Millisecond)
		}
	}
	if size := r.tune(now); size > r.limit {
		r.limit = c.grant(r.limit, size)
	}
	c.ackp.onData(c, now, seg.Len())
	c.stack.changed(c)
}

// takeOutOfOrder records seg beyond a hole and asks for an ACK at once (RFC 5681 s.4.2). A FIN behind it counts as
// an octet: if the SACK left it out, the sender could not tell that its last segment has arrived.
func (c *Conn) takeOutOfOrder(seg wire.Range, fin bool) {
	r := &c.rcv
	if fin {
		seg.End++
	}
	var scratch [4]wire.Range
	ranges, merged, fresh := mergeRange(r.ooo, seg, scratch[:])
	r.ooo = ranges
	if old := firstOld(seg, fresh); old.Len() > 0 {
		c.got.Duplicates += int64(seg.Len())
		for _, f := range fresh {
			c.got.Duplicates -= int64(f.Len())
		}
		r.dup = old
	}
	c.got.OutOfOrder++
	r.noteRecent(merged)
	c.ackp.now = true
}

// Out-of-order data may be in as many ranges as a buffer has octetsPerRange, and fewRanges more: that many a sender of
// segments of 512 octets or more never needs. A range takes eight octets, so all of them under a hundredth of the buffer.
const (
	fewRanges      = 64
	octetsPerRange = 1024
)

// refuses reports whether seg, which lies beyond a hole, would begin a range more than there may be: a peer may chop its data
// into single octets. It is not stored and not reported (RFC 2018 s.8 allows to drop what was; this never was), so that the
// peer sends it again.
func (r *receiver) refuses(seg wire.Range) bool {
	if len(r.ooo) < fewRanges+r.limit/octetsPerRange {
		return false
	}
	i := firstTouching(r.ooo, seg.Start)
	return i == len(r.ooo) || seg.End.Less(r.ooo[i].Start)
}

// firstOld returns the first run of seg that the sorted ranges fresh leave out; a D-SACK reports one (RFC 2883 s.4).
func firstOld(seg wire.Range, fresh []wire.Range) wire.Range {
	if len(fresh) > 0 && fresh[0].Start == seg.Start {
		seg.Start, fresh = fresh[0].End, fresh[1:]
	}
	if len(fresh) > 0 {
		seg.End = fresh[0].Start
	}
	return seg
}

// noteRecent puts m first among the ranges to report; it replaces those that it contains (RFC 2018 s.4).
func (r *receiver) noteRecent(m wire.Range) {
	kept := r.recent
	n := 0
	for _, k := range kept[:r.numRecent] {
		if inside := m.Start.LessEq(k.Start) && k.End.LessEq(m.End); !inside && n < len(r.recent)-1 {
			n++
			r.recent[n] = k
		}
	}
	r.recent[0] = m
	r.numRecent = n + 1
}

// forgetRecent drops reported ranges below nxt.
func (r *receiver) forgetRecent(nxt wire.Seq) {
	n := 0
	for _, k := range r.recent[:r.numRecent] {
		if nxt.Less(k.End) {
			r.recent[n] = k
			n++
		}
	}
	r.numRecent = n
}

// fillSACK writes the SACK option: a D-SACK first if there is one to report, then the most recent ranges, and when some of
// those have joined up since, others in their place: as many as fit beside the other options (RFC 2018 s.4).
func (c *Conn) fillSACK(o *wire.Options) {
	if c.on&SACK == 0 {
		return
	}
	r := &c.rcv
	n := 0
	if r.dup != (wire.Range{}) {
		o.SACK[0] = r.dup
		r.dup = wire.Range{}
		n++
	}
	for _, b := range r.recent[:r.numRecent] {
		if n == wire.MaxSACKBlocks {
			break
		}
		o.SACK[n] = b
		n++
	}
	for i := len(r.ooo) - 1; i >= 0 && n < wire.MaxSACKBlocks; i-- {
		if !slices.Contains(r.recent[:r.numRecent], r.ooo[i]) {
			o.SACK[n] = r.ooo[i]
			n++
		}
	}
	if n > 0 {
		o.Set |= wire.OptSACK
		o.NumSACK = uint8(n)
		o.FitSACK(c.stack.encoding)
	}
}
