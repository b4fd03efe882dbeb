package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// detector decides which sent segments count as lost. It only marks; what a loss means to the window is the
// loss policy's and the controller's business.
type detector interface {
	// onAck looks for losses after an ACK has been taken in.
	onAck(c *Conn, now mono.Time)
	// onTimeout marks what a retransmission timeout says is lost.
	onTimeout(c *Conn, now mono.Time)
	// forgive has that many more reports not count: the first segment was sent late.
	forgive(reports int)
}

// dupThresh is how many duplicate ACKs mean a loss (RFC 5681 s.3.2).
const dupThresh = 3

// useDetector chooses the detector for what the handshake settled: without SACK there is nothing for RACK,
// RFC 6675 or FACK to work with, and NewReno takes their place.
func (c *Conn) useDetector() {
	c.rack = nil
	switch {
	case c.cfg.Recovery.Splits() && c.on&SACK != 0:
		c.detect = nackDetector{}
	case c.cfg.Recovery == DupACK || c.cfg.Recovery == NewReno || c.on&SACK == 0:
		c.detect = &c.finds.dup
	case c.cfg.Recovery == SACK6675:
		c.detect = &c.finds.sack
	case c.cfg.Recovery == FACK:
		c.detect = &c.finds.fack
	default:
		c.rack = &c.finds.rack
		c.detect = c.rack
	}
}

// detectors has room for each kind of detector, of which a connection uses one.
type detectors struct {
	dup  dupDetector
	sack sackDetector
	fack fackDetector
	rack rackDetector
}

// markLost marks segment n lost: it leaves the flight and waits to be sent again.
func (c *Conn) markLost(now mono.Time, n uint32, timer bool) {
	g := c.board.at(n)
	s := &c.subs[g.sub]
	c.takeLost(n, g)
	if g.has(segProbe) {
		c.probeLost(now, g)
		return
	}
	s.meter.lost += g.bytes()
	if s.share.lost++; s.share.lost == 1 {
		s.share.opener = g.seq
	}
	if g.sentAt >= s.ep.cutAt {
		s.share.lostSince = true
	}
	s.ctrl.OnLost(cc.Lost{
		Now: now, Bytes: g.bytes(), SentAt: g.sentAt, TxInFlight: int64(g.rate.txInFlight),
		Retransmission: g.has(segRetrans), Timer: timer, LostSince: s.meter.lost - g.rate.lost,
		AppLimited: g.has(segAppLimit),
	})
	c.traceLoss(now, s, g)
}

// takeLost moves segment n from the flight to those that wait to be sent again.
func (c *Conn) takeLost(n uint32, g *segment) {
	s := &c.subs[g.sub]
	c.leaveFlight(s, n, g)
	g.flags |= segLost
	c.board.insertLost(&s.lost, n)
	s.lostSize += g.bytes()
	c.sent.Lost++
}

// leaveFlight takes segment n out of the send-order list and out of pipe.
func (c *Conn) leaveFlight(s *subconn, n uint32, g *segment) {
	c.board.remove(&c.board.order, n)
	s.pipe -= g.bytes()
	if g.has(segTwice) {
		s.pipe -= g.bytes()
		g.flags &^= segTwice
	}
}

// markAllLost marks everything in flight lost. It makes the lists anew in passing, so that each one grows at its end.
func (c *Conn) markAllLost(now mono.Time, timer bool) {
	for i := range c.subs {
		c.subs[i].lost = segList{}
	}
	for n := c.board.head; n != c.board.tail; n++ {
		switch g := c.board.at(n); {
		case g.has(segLost):
			c.board.append(&c.subs[g.sub].lost, n)
		case g.inFlight():
			c.markLost(now, n, timer)
		}
	}
}

// markSentBefore marks lost what is in flight and was sent before t.
func (c *Conn) markSentBefore(now, t mono.Time) {
	for l := &c.board.order; l.count > 0 && c.board.at(l.first).sentAt < t; {
		c.markLost(now, l.first, true)
	}
}

// markHeadLost marks the first outstanding segment lost if it is in flight.
func (c *Conn) markHeadLost(now mono.Time, timer bool) {
	if !c.board.empty() && c.board.at(c.board.head).inFlight() {
		c.markLost(now, c.board.head, timer)
	}
}

// dupDetector counts duplicate ACKs: Tahoe and Reno (RFC 5681 s.3.2) and, with partial, NewReno (RFC 6582).
type dupDetector struct {
	partial     bool // a partial ACK in recovery means the next hole is lost too
	reducing    bool // the window shrinks by RFC 9937, as with RACK, and is not inflated
	dups        int
	partialSeen bool      // this recovery has had a partial ACK
	markedAt    mono.Time // the first segment was marked lost
	old         uint32    // every segment before this number has been under way for a round trip
}

func (d *dupDetector) onAck(c *Conn, now mono.Time) {
	s := c.owner(0)
	switch {
	case c.work.advanced:
		d.onAdvance(c, now, c.repairing())
	case c.work.dup && !c.board.empty():
		d.dups++
		// Duplicates of what the last episode sent are caused by its retransmissions (RFC 6582 s.3.2 step 1).
		enters := d.dups == dupThresh && (s.ep.state == epOpen && s.ep.point.Less(c.snd.una) || c.nak.seen) && c.dupACKsCount()
		// Each duplicate says that one segment has left the network. Counting them out of the flight, unless SACK has
		// done that, is limited transmit (RFC 3042) before the threshold and window inflation in fast recovery; at
		// other times they come from retransmissions that were not needed.
		counts := enters || s.ep.state == epRecovery || s.ep.state == epOpen && d.dups < dupThresh
		if counts && !c.work.newSACK {
			t := c.owner(d.dups) // with one hole the k-th duplicate stands for the k-th segment behind it
			t.dupacked = min(t.dupacked+int64(c.snd.mss), max(t.pipe-int64(c.snd.mss), 0))
			if s.ep.state == epRecovery {
				t.dupacked = min(t.dupacked, d.answered(c, now))
			}
		}
		if enters {
			d.partialSeen, d.markedAt = false, now
			if s.out.Restart && !c.board.at(c.board.head).has(segProbe) {
				// Tahoe goes back to the first hole and sends on from there as its window opens.
				s.dupacked = 0
				c.markAllLost(now, false)
			} else {
				c.markHeadLost(now, false)
			}
		}
		if d.partial && s.ep.state == epRecovery && !c.board.at(c.board.head).has(segRetrans) {
			d.nextHole(c, now) // a partial ACK found it too early
		}
		if s.out.Restart && s.ep.state != epOpen {
			s.dupacked = 0
		}
	}
}

// answered returns the octets beyond the first segment that were sent a round trip ago or earlier: no more can have arrived and
// been reported, whatever number of duplicate ACKs there are. What they let out is reported a round trip later, so that
// whoever forges them gets a window a round trip, as anybody does (Savage et al. 1999, s.2.2; RFC 5681 s.6).
func (d *dupDetector) answered(c *Conn, now mono.Time) int64 {
	b := &c.board
	if int32(d.old-b.head) <= 0 {
		d.old = b.head + 1
	}
	for d.old != b.tail && (b.at(d.old).has(segRetrans) || b.at(d.old).sentAt <= c.rtt.tripAgo(now)) {
		d.old++
	}
	return int64(b.at(d.old - 1).end().Sub(b.at(b.head).end()))
}

// onAdvance handles an ACK of new data.
func (d *dupDetector) onAdvance(c *Conn, now mono.Time, s *subconn) {
	d.dups = 0
	mss := int64(c.snd.mss)
	if s.ep.state != epRecovery || !d.partial || s.out.Restart || s.ep.point.LessEq(c.snd.una) {
		for i := range c.subs {
			c.subs[i].dupacked = 0
		}
		return
	}
	// A partial ACK (RFC 6582 s.3.2 step 3): deflate by what it acknowledges, less one segment, and send the
	// next hole again. Only the first one restarts the timer ("impatient").
	c.deflate(c.work.acked - mss)
	if d.partialSeen && c.dupACKsCount() { // a NAK's repairs are the receiver's word, one a round trip, not guesses
		c.holdRTO = true
	}
	d.partialSeen = true
	d.nextHole(c, now)
}

// nextHole marks the first segment lost in recovery, at most once a round trip: a partial ACK is the answer to a repair. Otherwise
// a receiver that acknowledges in pieces what it has would have all of it sent again (Savage et al. 1999, s.2.1).
func (d *dupDetector) nextHole(c *Conn, now mono.Time) {
	// After a NAK this very ACK would NAK the next hole, if there is one. Nor does a hole begin within a segment.
	if c.dupACKsCount() && !c.work.parts && d.markedAt <= c.rtt.tripAgo(now) {
		d.markedAt = now
		c.markHeadLost(now, false)
		c.owner(0).ep.force = true // it leaves whatever the window is, or a round with few duplicates would end in a timeout
	}
}

func (d *dupDetector) onTimeout(c *Conn, now mono.Time) {
	d.dups = 0
	for i := range c.subs {
		c.subs[i].dupacked = 0
	}
	c.markAllLost(now, true)
}

func (d *dupDetector) forgive(reports int) { d.dups = -reports }

// sackDetector is RFC 6675: a segment is lost when enough SACKed data lies above it.
type sackDetector struct {
	dups int    // ACKs in a row that brought new SACK information
	next uint32 // every segment before this number has been judged
}

func (d *sackDetector) onAck(c *Conn, now mono.Time) {
	if c.work.advanced {
		d.dups = 0
	}
	if c.work.newSACK {
		d.dups++
	}
	b := &c.board
	edge := lossEdge(b.sacked, c.snd.una, c.snd.mss)
	if int32(d.next-b.head) < 0 {
		d.next = b.head
	}
	for ; d.next != b.tail; d.next++ {
		g := b.at(d.next)
		if !g.end().LessEq(edge) {
			break
		}
		// RFC 6675 cannot see that a retransmission was lost, nor what was sent late.
		if g.inFlight() && !g.has(segRetrans) && !c.honest.late(d.next) {
			c.markLost(now, d.next, false)
		}
	}
	if d.dups >= dupThresh && c.dupACKsCount() && c.subs[0].ep.state == epOpen && !c.board.empty() && !b.at(b.head).has(segRetrans) {
		c.markHeadLost(now, false)
	}
}

// lossEdge returns the sequence number below which everything not SACKed is lost by RFC 6675's IsLost: three
// separate SACKed ranges, or more than two segments' worth of SACKed octets, lie above it.
func lossEdge(sacked []wire.Range, una wire.Seq, mss int) wire.Seq {
	octets := 0
	for i := len(sacked) - 1; i >= 0; i-- {
		octets += sacked[i].Len()
		if octets > (dupThresh-1)*mss || len(sacked)-i >= dupThresh {
			return sacked[i].Start
		}
	}
	return una
}

func (d *sackDetector) onTimeout(c *Conn, now mono.Time) {
	d.dups = 0
	c.markAllLost(now, true)
}

func (d *sackDetector) forgive(reports int) { d.dups = -reports }

// extra chooses a segment to send again when nothing is marked lost and there is no new data (RFC 6675 s.4
// NextSeg rules 3 and 4): first a hole below the highest SACK, then once in an episode the last segment that is
// not SACKed. It returns false if there is none.
func (d *sackDetector) extra(c *Conn, s *subconn) (uint32, bool) {
	if s.ep.state != epRecovery {
		return 0, false
	}
	b := &c.board
	top := b.highestSACK(c.snd.una)
	for n := d.next; n != b.tail && b.at(n).end().LessEq(top); n++ {
		if g := b.at(n); g.inFlight() && !g.has(segRetrans) {
			return n, true
		}
	}
	if s.rescued {
		return 0, false
	}
	for n := b.tail; n != b.head; n-- {
		if g := b.at(n - 1); !g.has(segSACKed) {
			s.rescued = true
			return n - 1, g.inFlight() && !g.has(segRetrans)
		}
	}
	return 0, false
}
