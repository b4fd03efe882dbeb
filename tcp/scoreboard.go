package tcp

import (
	"longhaul/mono"
	"longhaul/wire"
)

// segment is one sent and not yet cumulatively acknowledged segment.
//
// A segment is in at most one of two lists: in flight (the connection's send order, oldest transmission first)
// or lost and waiting to be sent again (its sub-connection's, lowest sequence number first). A SACKed one is in
// neither, nor is one that was withheld. The fields are laid out to fill one cache line.
type segment struct {
	seq        wire.Seq
	size       uint32    // octets of sequence space, FIN included
	sentAt     mono.Time // latest transmission
	rate       sendSnapshot
	prev, next uint32 // list neighbours; an end of the list points to itself
	sub        uint8  // owning sub-connection, for life
	nacks      uint8  // SACKs of what was sent later, since it was sent last (recovery_nack.go)
	flags      segFlags
}

type segFlags uint16

const (
	segSACKed   segFlags = 1 << iota
	segLost              // marked lost and not sent again since
	segRetrans           // sent more than once
	segFIN               // its last octet of sequence space is the FIN
	segTwice             // counted twice in pipe: sent again though not marked lost (RFC 6675 s.4, SetPipe)
	segAppLimit          // sent while the application limited the sender
	segCWR               // its first transmission told of a window reduction (RFC 3168 s.6.1.2)
	segProbe             // longer than the others, to see whether the path carries it
	segHeld              // withheld: not sent yet (honesty.go)
)

func (g *segment) end() wire.Seq       { return g.seq.Add(int(g.size)) }
func (g *segment) has(f segFlags) bool { return g.flags&f != 0 }
func (g *segment) inFlight() bool      { return g.flags&(segSACKed|segLost|segHeld) == 0 }
func (g *segment) bytes() int64        { return int64(g.size) }
func (g *segment) payload() (octets int) {
	octets = int(g.size)
	if g.has(segFIN) {
		octets--
	}
	return octets
}

// board is the record of what is outstanding: the sent segments in a ring, by sequence number, and the ranges
// that the receiver has SACKed. Work per ACK is proportional to what the ACK changed.
type board struct {
	ring       []segment // a power of two long
	head, tail uint32    // segments are numbered from head up to tail; number n lives in ring[n&(len-1)]
	sacked     []wire.Range
	sackedSegs int     // segments marked SACKed
	hint       uint32  // number of the segment after the one SACKed last
	order      segList // segments in flight, by the time of their latest transmission
}

// segList is a doubly linked list of segment numbers through segment.prev and next.
type segList struct {
	first, last uint32
	count       int
}

func (b *board) at(n uint32) *segment { return &b.ring[n&uint32(len(b.ring)-1)] }
func (b *board) len() int             { return int(b.tail - b.head) }
func (b *board) empty() bool          { return b.tail == b.head }

// push appends a segment and returns its number and the record to fill in.
func (b *board) push() (uint32, *segment) {
	if b.len() == len(b.ring) {
		b.grow()
	}
	n := b.tail
	b.tail++
	return n, b.at(n)
}

func (b *board) grow() {
	old := *b
	b.ring = make([]segment, max(16, 2*len(old.ring)))
	for n := old.head; n != old.tail; n++ {
		*b.at(n) = *old.at(n)
	}
}

// find returns the number of the segment that contains q, or the tail if q lies beyond the last one.
func (b *board) find(q wire.Seq) uint32 {
	if h := b.hint; h-b.head < b.tail-b.head && b.at(h).seq == q {
		return h
	}
	lo, hi := b.head, b.tail
	for lo != hi {
		mid := lo + (hi-lo)/2
		if b.at(mid).end().LessEq(q) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// wholeSegments returns the part of r, which lies within what is outstanding, that consists of whole segments.
func (b *board) wholeSegments(r wire.Range) wire.Range {
	n := b.find(r.Start)
	if n == b.tail {
		return wire.Range{}
	}
	if g := b.at(n); g.seq != r.Start {
		r.Start = g.end()
	}
	if b.at(n).end() != r.End { // one segment is the usual block
		if last := b.find(r.End); last != b.tail {
			r.End = b.at(last).seq
		}
	}
	return r
}

// mergeRange merges r into the sorted, disjoint ranges s. It returns the new ranges, the one that now contains
// r, and the parts of r that were not covered before, in order; those reuse fresh's array.
func mergeRange(s []wire.Range, r wire.Range, fresh []wire.Range) (ranges []wire.Range, merged wire.Range, parts []wire.Range) {
	parts = fresh[:0]
	lo := firstTouching(s, r.Start)
	merged = r
	from := r.Start
	hi := lo
	for hi < len(s) && s[hi].Start.LessEq(r.End) {
		if from.Less(s[hi].Start) {
			parts = append(parts, wire.Range{Start: from, End: s[hi].Start})
		}
		from = wire.MaxSeq(from, s[hi].End)
		merged.Start = wire.MinSeq(merged.Start, s[hi].Start)
		merged.End = wire.MaxSeq(merged.End, s[hi].End)
		hi++
	}
	if from.Less(r.End) {
		parts = append(parts, wire.Range{Start: from, End: r.End})
	}
	return replaceRanges(s, lo, hi, merged), merged, parts
}

// firstTouching returns the index of the first of the sorted ranges s that ends at or after q.
func firstTouching(s []wire.Range, q wire.Seq) int {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := (lo + hi) / 2
		if s[mid].End.Less(q) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// replaceRanges puts r in the place of s[lo:hi].
func replaceRanges(s []wire.Range, lo, hi int, r wire.Range) []wire.Range {
	if lo == hi {
		s = append(s, wire.Range{})
		copy(s[lo+1:], s[lo:])
	} else {
		s = append(s[:lo+1], s[hi:]...)
	}
	s[lo] = r
	return s
}

// trimRanges removes from the sorted ranges s what lies below q.
func trimRanges(s []wire.Range, q wire.Seq) []wire.Range {
	gone := 0
	for gone < len(s) && s[gone].End.LessEq(q) {
		gone++
	}
	if gone > 0 {
		s = s[:copy(s, s[gone:])]
	}
	if len(s) > 0 && s[0].Start.Less(q) {
		s[0].Start = q
	}
	return s
}

// highestSACK returns the end of the highest SACKed range, or una if nothing is SACKed.
func (b *board) highestSACK(una wire.Seq) wire.Seq {
	if len(b.sacked) == 0 {
		return una
	}
	return b.sacked[len(b.sacked)-1].End
}

// append puts segment n at the end of l.
func (b *board) append(l *segList, n uint32) {
	g := b.at(n)
	g.next = n
	if l.count == 0 {
		g.prev, l.first = n, n
	} else {
		g.prev = l.last
		b.at(l.last).next = n
	}
	l.last = n
	l.count++
}

// prepend puts segment n at the beginning of l.
func (b *board) prepend(l *segList, n uint32) {
	if l.count == 0 {
		b.append(l, n)
		return
	}
	b.insertBefore(l, n, l.first)
}

// insertBefore puts segment n before segment at of l.
func (b *board) insertBefore(l *segList, n, at uint32) {
	g, a := b.at(n), b.at(at)
	g.next = at
	if at == l.first {
		g.prev, l.first = n, n
	} else {
		g.prev = a.prev
		b.at(a.prev).next = n
	}
	a.prev = n
	l.count++
}

// insertLost puts segment n into l, the lost segments of its sub-connection by number. Losses are found mostly in
// order, so it looks from the end; but retransmissions are lost again in front of many that still wait, so it looks
// at the same time from n downwards for the neighbour.
func (b *board) insertLost(l *segList, n uint32) {
	precedes := func(other uint32) bool { return int32(other-n) < 0 }
	switch {
	case l.count == 0 || precedes(l.last):
		b.append(l, n)
		return
	case !precedes(l.first):
		b.prepend(l, n)
		return
	}
	sub := b.at(n).sub
	after := l.last // follows n, if near does not find what precedes it first
	for near := n - 1; !precedes(b.at(after).prev); near-- {
		if g := b.at(near); g.has(segLost) && g.sub == sub {
			after = g.next
			break
		}
		after = b.at(after).prev
	}
	b.insertBefore(l, n, after)
}

// insertBySentAt puts segment n into l, which is sorted by the time of the latest transmission.
func (b *board) insertBySentAt(l *segList, n uint32) {
	at := b.at(n).sentAt
	if l.count == 0 || b.at(l.last).sentAt <= at {
		b.append(l, n)
		return
	}
	after := l.last
	for after != l.first && b.at(b.at(after).prev).sentAt > at {
		after = b.at(after).prev
	}
	b.insertBefore(l, n, after)
}

// remove takes segment n out of l.
func (b *board) remove(l *segList, n uint32) {
	g := b.at(n)
	switch {
	case l.count == 1:
	case n == l.first:
		l.first = g.next
		b.at(g.next).prev = g.next
	case n == l.last:
		l.last = g.prev
		b.at(g.prev).next = g.prev
	default:
		b.at(g.prev).next = g.next
		b.at(g.next).prev = g.prev
	}
	l.count--
}
