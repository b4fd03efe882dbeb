package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// ackWork is what the ACK being processed has brought, for the whole connection. It is scratch that all connections of a
// stack share: nothing of it outlives the ACK.
type ackWork struct {
	acked     int64 // octets newly acknowledged cumulatively
	delivered int64 // octets newly known to be received
	advanced  bool  // snd.una moved
	parts     bool  // it ends within a segment: no receiver that has all of one does that
	dup       bool  // a duplicate ACK (RFC 5681 s.2), if anything is outstanding
	newSACK   bool  // it SACKed something new
	nak       bool  // it NAKed something outstanding (RFC 1106 s.2)
	dsack     bool  // it reported a duplicate (RFC 2883)
	originals bool  // it delivered data sent before a timeout and never sent again
	repaired  bool  // it cumulatively acknowledged a segment that was sent more than once
	reordered bool  // it delivered data below the highest delivered before, never sent again
	ece       bool  // it echoed a congestion mark (RFC 3168 s.6.1.2)
	hasTS     bool
	tsecr     uint32
	tsval     uint32
	fack      wire.Seq  // highest sequence number delivered before this ACK
	headAt    mono.Time // when the segment at snd.una, which this ACK covers, was sent again; 0 if it never was

	// Transmission times of the oldest and newest delivered segments that were never sent again (Karn).
	oldest, newest mono.Time
	sampled        bool
}

// takeACK processes an acceptable ACK (the fifth step of RFC 9293 s.3.10.7.4): scoreboard, undo, loss detection, episodes,
// controllers, timers, in that order.
func (c *Conn) takeACK(now mono.Time, p *wire.Packet) {
	if c.honest.held && c.lies(p) {
		c.caught(now)
		return
	}
	w := c.work
	*w = ackWork{fack: c.snd.fack}
	c.holdRTO = false
	c.noteUpperWindow(p)
	c.noteTimestamp(p)
	for i := range c.subs {
		s := &c.subs[i]
		s.share = ackShare{pipe: s.pipe, flight: s.outstanding(), dupacked: s.dupacked}
	}
	w.dup = p.Ack == c.snd.una && p.PayloadLen == 0 &&
		p.Flags&(wire.SYN|wire.FIN) == 0 && c.sameWindow(p)
	c.updateWindow(now, p)
	if c.snd.una.Less(p.Ack) {
		c.ackUpTo(now, p.Ack)
	}
	if c.on&SACK != 0 && p.Options.Has(wire.OptSACK) {
		c.takeSACK(now, p)
	}
	if c.honest.asking {
		c.checkHonesty(now, p.Ack)
	}
	rtt := c.takeRTT(now)
	for i := range c.subs {
		if s := &c.subs[i]; s.ep.undo.armed {
			c.checkUndo(now, s) // before more is marked lost: a spurious episode has no next hole
		}
	}
	if p.Options.Set&wire.OptNAK != 0 {
		c.takeNAK(now, &p.Options)
	}
	c.answerTimeout(now)
	c.detect.onAck(c, now)
	if s := &c.subs[0]; c.cfg.Algorithm.Model && s.dupacked > s.share.dupacked { // windows do not go by the delivery rate
		s.meter.onDuplicate(now, s.dupacked-s.share.dupacked)
	}
	c.respond(now)
	if c.on&ECN != 0 {
		c.takeECE(now, p)
	}
	for i := range c.subs {
		s := &c.subs[i]
		c.settle(now, s, rtt)
		if c.cfg.Recovery == NoFACK && c.on&SACK != 0 {
			s.inflate(&c.board)
		}
	}
	c.checkProbe(now)
	c.afterACK(now)
}

// settle ends the processing of an ACK for one sub-connection.
func (c *Conn) settle(now mono.Time, s *subconn, rtt time.Duration) {
	state := cc.Open
	if s.burstCap > 0 { // by later ACKs than the one that set it
		if s.burstCap += s.share.acked; s.burstCap >= s.out.Window {
			s.burstCap = 0
		}
	}
	switch s.ep.state {
	case epOpen:
		s.ageEpisode(c.snd.una)
		if c.work.ece { // not after a timeout: nothing sent again is ECN-capable, so that echo is old
			state = cc.Marked
		}
	case epRecovery:
		state = cc.Recovery
		if c.endsRecovery(s) {
			c.endRecovery(s)
			state = cc.Exited
		}
	case epLoss:
		if s.ep.point.LessEq(c.snd.una) {
			s.ep.state = epOpen
			s.ep.undo.frto = frtoOff
			if c.rack != nil {
				c.rack.recovered()
			}
		}
	}
	if s.ep.state == epRecovery {
		s.ep.ramp.onAck(s.out.Window, c.snd.fack)
	}
	if s.ep.state == epRecovery && s.ep.prr.active {
		safe := c.work.advanced && s.share.lost == 0
		s.ep.prr.onAck(s.share.arrived(s), s.outstanding(), int64(c.snd.mss), safe)
	}
	if s.share.delivered == 0 && s.share.acked == 0 {
		return
	}
	c.tellAck(now, s, rtt, state)
	if c.cfg.Trace != nil {
		c.traceWindow(now, s)
	}
}

// endsRecovery reports whether the ACK just processed ends s's fast recovery. Reno leaves it on the first ACK of
// new data, every other way when the recovery point is acknowledged.
func (c *Conn) endsRecovery(s *subconn) bool {
	if c.cfg.Recovery == DupACK && !s.out.Restart {
		return c.work.advanced
	}
	if d, ok := c.detect.(nackDetector); ok {
		return d.recovered(c, s)
	}
	return s.ep.point.LessEq(c.snd.una)
}

// endRecovery ends s's fast recovery in order.
func (c *Conn) endRecovery(s *subconn) {
	s.leaveRecovery()
	c.honest.undone = 0
	if d, ok := c.detect.(*dupDetector); ok && d.partial && !d.reducing && c.on&Pacing == 0 && c.cfg.Policy == LossIsCongestion {
		// RFC 6582 s.3.2 step 3, full acknowledgement: cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS). Where losses are
		// noise the window stays.
		s.burstCap = max(s.outstanding(), int64(c.snd.mss)) + int64(c.snd.mss)
	}
	if c.rack != nil {
		c.rack.recovered()
	}
}

// ackUpTo takes everything below ack off the scoreboard.
func (c *Conn) ackUpTo(now mono.Time, ack wire.Seq) {
	w := c.work
	w.advanced = true
	b := &c.board
	if g := b.at(b.head); g.has(segRetrans) {
		w.headAt = g.sentAt
	}
	for !b.empty() {
		n, g := b.head, b.at(b.head)
		if ack.Less(g.end()) {
			break
		}
		if g.has(segRetrans) || c.honest.late(n) {
			w.repaired = true
		}
		if g.has(segSACKed) {
			b.sackedSegs--
		} else {
			c.deliver(now, n, g, true)
		}
		c.subs[g.sub].share.acked += g.bytes()
		b.head++
	}
	if !b.empty() {
		if g := b.at(b.head); g.seq.Less(ack) {
			c.ackPart(g, ack)
		}
	}
	octets := ack.Sub(c.snd.una)
	c.snd.una = ack
	w.acked = int64(octets)
	c.snd.fack = wire.MaxSeq(c.snd.fack, ack)
	if len(b.sacked) > 0 {
		b.sacked = trimRanges(b.sacked, ack)
	}
	if c.snd.finSent && ack == c.snd.nxt {
		octets--
		c.snd.finAcked = true
	}
	c.snd.buf.release(octets)
	if c.snd.buf.size == 0 && b.empty() {
		c.clock.rest(now)
	}
	c.sent.Acked += int64(octets)
	c.markWritable()
}

// ackPart takes the acknowledged front off a segment.
func (c *Conn) ackPart(g *segment, ack wire.Seq) {
	s := &c.subs[g.sub]
	part := int64(ack.Sub(g.seq))
	c.work.parts = true
	g.seq, g.size = ack, g.size-uint32(part)
	s.share.acked += part
	switch {
	case g.has(segSACKed):
		return // delivered before
	case g.has(segLost):
		s.lostSize -= part
	default:
		s.pipe -= part
		if g.has(segTwice) {
			s.pipe -= part
		}
	}
	s.share.delivered += part
	c.work.delivered += part
	s.meter.count(part)
}

// deliver notes that segment n has reached the peer, as a cumulative or a selective acknowledgement says.
func (c *Conn) deliver(now mono.Time, n uint32, g *segment, cumulative bool) {
	s := &c.subs[g.sub]
	if g.has(segLost) {
		c.board.remove(&s.lost, n)
		s.lostSize -= g.bytes()
		g.flags &^= segLost
	} else {
		c.leaveFlight(s, n, g)
	}
	if g.has(segProbe) {
		g.flags &^= segProbe
		c.probeArrived(now)
	}
	c.path.acked = max(c.path.acked, g.payload())
	s.meter.onDelivered(now, g)
	s.share.delivered += g.bytes()
	w := c.work
	w.delivered += g.bytes()
	if !g.has(segRetrans) {
		if !w.sampled || g.sentAt < w.oldest {
			w.oldest = g.sentAt
		}
		if !w.sampled || g.sentAt > w.newest {
			w.newest = g.sentAt
		}
		w.sampled = true
		if g.end().Less(w.fack) && !c.honest.late(n) {
			w.reordered = true
		}
		if s.ep.state == epLoss && g.seq.Less(s.ep.point) {
			w.originals = true
		}
	}
	if c.rack != nil {
		c.rack.onDelivered(c, now, g, cumulative)
	}
}

// takeSACK processes the SACK option (RFC 2018, D-SACK of RFC 2883).
func (c *Conn) takeSACK(now mono.Time, p *wire.Packet) {
	blocks := p.Options.SACKBlocks()
	if len(blocks) > 0 && isDSACK(blocks, p.Ack) {
		c.honest.reported(blocks[0])
		c.onDSACK(blocks[0])
		blocks = blocks[1:]
	}
	for _, r := range blocks {
		if !c.snd.una.LessEq(r.Start) || !r.Start.Less(r.End) || !r.End.LessEq(c.snd.nxt) {
			continue // stale, inverted, or about data never sent
		}
		c.applySACK(now, r)
	}
}

// isDSACK reports whether the first block reports a duplicate: it lies below the cumulative ACK, or within the
// second block (RFC 2883 s.4).
func isDSACK(blocks []wire.Range, ack wire.Seq) bool {
	first := blocks[0]
	if first.Start.Less(ack) {
		return true
	}
	return len(blocks) > 1 && blocks[1].Start.LessEq(first.Start) && first.End.LessEq(blocks[1].End)
}

// applySACK marks the segments that r newly covers. Only whole segments count: a receiver that has all of one reports
// it in one block (RFC 2018 s.4), and blocks of a few octets must not cost memory and work each.
func (c *Conn) applySACK(now mono.Time, r wire.Range) {
	b := &c.board
	if i := firstTouching(b.sacked, r.Start); i < len(b.sacked) && b.sacked[i].Start.LessEq(r.Start) && r.End.LessEq(b.sacked[i].End) {
		return // nothing new
	}
	if r = b.wholeSegments(r); r.Len() <= 0 {
		return
	}
	var scratch [4]wire.Range
	var fresh []wire.Range
	b.sacked, _, fresh = mergeRange(b.sacked, r, scratch[:])
	for _, f := range fresh {
		for n := b.find(f.Start); n != b.tail; n++ {
			g := b.at(n)
			if !g.seq.Less(f.End) {
				break
			}
			if g.has(segSACKed) {
				continue
			}
			c.deliver(now, n, g, false)
			g.flags |= segSACKed
			if s := &c.subs[g.sub]; !g.has(segRetrans) {
				s.share.newest = max(s.share.newest, g.sentAt)
			}
			b.sackedSegs++
			b.hint = n + 1
			c.work.newSACK = true
			c.snd.fack = wire.MaxSeq(c.snd.fack, g.end())
		}
	}
}

// noteTimestamp keeps the ACK's timestamp echo.
func (c *Conn) noteTimestamp(p *wire.Packet) {
	if c.on&Timestamps == 0 || !p.Options.Has(wire.OptTimestamps) {
		return
	}
	w := c.work
	w.hasTS, w.tsecr = true, p.Options.TSEcr
	w.tsval = p.Options.TSVal
}

// oneWayDelay returns the forward delay of the newest segment that the ACK says has arrived: from the peer's clock now to ours when it
// left. The echo in the ACK will not do: it is of the older one of two segments, or older still where data is missing (RFC 7323 s.4.3).
func (c *Conn) oneWayDelay() (d time.Duration, ok bool) {
	w := c.work
	if !w.hasTS || !w.sampled || w.repaired && c.on&SACK == 0 { // without SACK what waited behind a hole that is filled looks new
		return 0, false
	}
	return time.Duration(int32(w.tsval-c.tsVal(w.newest))) * time.Millisecond, true
}

// takeRTT takes the ACK's round-trip sample, and returns the one for the controller (0 if none). The timeout
// learns from the oldest segment, so that it includes the peer's delayed ACK; the controller from the newest.
func (c *Conn) takeRTT(now mono.Time) time.Duration {
	w := c.work
	var oldest, newest time.Duration
	switch {
	case w.sampled && !w.repaired:
		// Data behind a hole that a retransmission has filled arrived long ago; only SACK would have said so.
		oldest, newest = now.Sub(w.oldest), now.Sub(w.newest)
		c.honest.doubtRTT(newest)
	case w.advanced && w.hasTS && w.tsecr != 0:
		// A retransmission was acknowledged: the echo says which copy (RFC 7323 s.4).
		ms := int32(c.tsVal(now) - w.tsecr)
		oldest = time.Duration(ms) * time.Millisecond
		if ms < 0 || c.rtt.srtt == 0 || oldest > now.Sub(c.hand.synAt)+time.Millisecond {
			return 0 // nothing was sent before the SYN
		}
		newest = oldest
	default:
		return 0
	}
	if oldest <= 0 {
		return 0
	}
	roundEnd := c.snd.rttRound.LessEq(c.snd.una)
	if roundEnd {
		c.snd.rttRound = c.snd.nxt
	}
	c.rtt.sample(oldest, roundEnd)
	c.rtt.backoff = 0 // not before: the timeout may be too short for this path (Karn, RFC 6298 s.5.7)
	if newest > 0 {
		c.rtt.minRTT = min(c.rtt.minRTT, newest)
	}
	c.tlp.sampled = true
	return newest
}

// afterACK restarts the timers (RFC 6298 s.5.2, 5.3).
func (c *Conn) afterACK(now mono.Time) {
	w := c.work
	if w.advanced {
		c.expiries = 0
		c.lastProgress = now
		if c.path.claimSeq.Less(c.snd.una) {
			c.path.claim = 0 // what was said to be too big has arrived
		}
		switch {
		case c.board.empty() && !c.ecn.paused:
			c.timers.stop(timerRTO)
		case !c.holdRTO:
			c.armRTO(now)
		}
	} else if _, plain := c.detect.(*dupDetector); !plain && w.sampled && w.newest < c.board.at(c.board.head).sentAt {
		// What was SACKed left before the first hole was sent (again), so that one is not overdue yet, however
		// long the queue has become since.
		c.armRTO(now)
	}
	if w.delivered > 0 || w.advanced {
		c.scheduleProbe(now)
		c.growSendBuffer()
		c.updatePacing(now)
	}
}

// growSendBuffer keeps room for four windows: what is in flight, what recovery adds to it, and as much again
// for the application to fill meanwhile.
func (c *Conn) growSendBuffer() {
	if c.cfg.SendBuffer > 0 {
		return
	}
	window := int64(0)
	for i := range c.subs {
		window += c.subs[i].out.Window
	}
	if want := int(min(4*window, int64(c.cfg.SendBufferMax))); want > c.snd.buf.limit {
		c.snd.buf.limit = c.grant(c.snd.buf.limit, want)
		c.markWritable()
	}
}

// recovering reports whether any sub-connection is in a recovery episode.
func (c *Conn) recovering() bool {
	for i := range c.subs {
		if c.subs[i].ep.state != epOpen {
			return true
		}
	}
	return false
}
