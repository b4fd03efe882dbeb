package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// poll fills in p with the next segment to send and reports true, or reports false and says when to come back.
// What sends is what says when: nothing else in the engine restates the conditions.
func (c *Conn) poll(now mono.Time, p *wire.Packet) (ok bool, next mono.Time) {
	c.resume()
	c.runTimers(now)
	c.limitFinWait2(now)
	c.pace.blocked = false
	if c.emit(now, p) {
		c.sent.Segments++
		return true, now
	}
	c.watchIdle(now)
	next = c.timers.next()
	if c.pace.blocked {
		next = min(next, c.pace.wake(c.snd.mss))
	}
	if c.idle {
		c.idle = false
		c.rest()
	}
	return false, next
}

// emit builds the most urgent segment, if there is one.
func (c *Conn) emit(now mono.Time, p *wire.Packet) bool {
	switch {
	case c.want&wantRST != 0:
		c.want = 0
		c.header(now, p, wire.RST|wire.ACK, c.snd.nxt)
		return true
	case c.state == Closed:
		return false
	case c.handshaking():
		if c.want&wantSYN != 0 {
			c.emitSYN(now, p)
			return true
		}
		if c.state == SynReceived && c.ackp.now {
			return c.emitACK(now, p)
		}
		return false
	}
	if c.ackp.now && (len(c.rcv.ooo) > 0 || c.rcv.dup != (wire.Range{}) || c.nakDue()) {
		return c.emitACK(now, p) // data segments have no room for SACK blocks or a NAK
	}
	if c.want&wantTell != 0 {
		if c.hand.tell--; c.hand.tell == 0 {
			c.want &^= wantTell
		}
		return c.emitACK(now, p)
	}
	if c.want&wantProbeWindow != 0 {
		c.want &^= wantProbeWindow
		c.header(now, p, wire.ACK, c.snd.una-1)
		return true
	}
	if c.path.split {
		c.resegment()
	}
	if c.maySend() && c.honest.due {
		c.emitWithheld(now, p)
		return true
	}
	if c.maySend() && (c.emitProbe(now, p) || c.emitRetransmission(now, p) || c.emitNew(now, p)) {
		return true
	}
	if c.ackp.now {
		return c.emitACK(now, p)
	}
	return false
}

// header fills in everything that all segments share. It acknowledges, and advertises the window.
func (c *Conn) header(now mono.Time, p *wire.Packet, flags wire.Flags, seq wire.Seq) {
	payload := p.Payload[:0]
	*p = wire.Packet{
		Src: c.key.local, Dst: c.key.remote, Protocol: wire.ProtocolTCP, TTL: c.stack.ttl,
		Flags: flags, Seq: seq, Payload: payload,
	}
	if flags&wire.ACK != 0 {
		p.Ack = c.rcv.nxt
	}
	if flags&wire.SYN != 0 {
		return
	}
	if c.ecn.echo && flags&wire.RST == 0 {
		p.Flags |= wire.ECE
	}
	c.putWindow(p, c.rcv.advertise())
	if c.on&Timestamps != 0 {
		p.Options.Set |= wire.OptTimestamps
		p.Options.TSVal, p.Options.TSEcr = c.tsVal(now), c.rcv.tsRecent
	}
}

// tsVal returns the timestamp clock: milliseconds with a secret offset (RFC 7323 s.5.4 and 7.1).
func (c *Conn) tsVal(now mono.Time) uint32 {
	return tsClock(now) + c.snd.tsOffset
}

// tsClock is the timestamp clock without its offset.
func tsClock(now mono.Time) uint32 { return uint32(int64(now) / int64(time.Millisecond)) }

// emitACK builds an empty acknowledgement.
func (c *Conn) emitACK(now mono.Time, p *wire.Packet) bool {
	c.header(now, p, wire.ACK, c.snd.nxt)
	c.fillNAK(now, &p.Options)
	c.fillSACK(&p.Options)
	c.ackp.sent(c)
	return true
}

// emitProbe sends the tail loss probe: new data if there is any, else the last segment again (RFC 8985 s.7.3).
func (c *Conn) emitProbe(now mono.Time, p *wire.Packet) bool {
	if c.want&(wantProbe|wantPart) == 0 {
		return false
	}
	probe := c.want&wantProbe != 0
	c.want &^= wantProbe | wantPart
	size := min(c.snd.unsent(), c.snd.mss, c.snd.usable())
	switch {
	case size > 0:
		c.sendNew(now, p, c.nextSub(size), size)
	case probe && !c.board.empty() && c.board.at(c.board.tail-1).inFlight():
		c.sendAgain(now, p, c.board.tail-1)
	default:
		return false
	}
	if probe {
		c.tlp.active, c.tlp.retrans, c.tlp.end = true, size <= 0, c.snd.nxt
	}
	return true
}

// emitRetransmission sends the first segment marked lost that its sub-connection's window allows.
func (c *Conn) emitRetransmission(now mono.Time, p *wire.Packet) bool {
	s := c.nextRepair(now)
	if s == nil || !s.ep.force && !c.paced(now) {
		return false
	}
	s.ep.force = false
	c.sendAgain(now, p, s.lost.first)
	return true
}

// nextRepair returns the sub-connection that may send a lost segment again, or nil. Of several it is the one whose
// segment is the earliest (RFC 6298 s.5.4): behind the others' a short queue could drop that one each time.
func (c *Conn) nextRepair(now mono.Time) (next *subconn) {
	for i := range c.subs {
		s := &c.subs[i]
		if s.lost.count == 0 || s.holdsRetransmissions() {
			continue
		}
		if !s.ep.force && !s.canSend(c.board.at(s.lost.first).bytes()) {
			s.limited[0] = true
			c.blockedBy(now, limitCongestion)
			continue
		}
		if next == nil || s.lost.first-c.board.head < next.lost.first-c.board.head {
			next = s
		}
	}
	return next
}

// emitNew sends data that has not been sent before, or the FIN; with nothing of that left, what RFC 6675 sends
// on suspicion.
func (c *Conn) emitNew(now mono.Time, p *wire.Packet) bool {
	unsent := c.snd.unsent()
	s := c.nextSub(min(unsent, c.snd.mss))
	if s.lost.count > 0 && !s.holdsRetransmissions() {
		return false // what is lost goes first
	}
	fin := c.snd.closing && !c.snd.finSent
	size, why := c.newSize(unsent)
	probe := 0
	if size == c.snd.mss && size < c.path.full {
		if probe = c.probeSize(now, s, unsent); probe > 0 {
			size = probe
		}
	}
	if size == 0 && !(fin && unsent == 0) {
		if c.emitExtra(now, p, s) {
			return true
		}
		switch {
		case !s.canSend(int64(c.snd.mss)):
			s.limited[0] = true // the window is full, whatever else is the case
		case why == limitApplication:
			s.meter.limitedByApp(s.outstanding())
		}
		c.blockedBy(now, why)
		return false
	}
	if probe > 0 && probe > min(unsent, c.snd.usable()) {
		return false // the probe waits for room
	}
	if size > 0 && (c.ecn.paused || !s.canSend(int64(size)) || c.opening(size)) {
		s.limited[0] = true
		c.blockedBy(now, limitCongestion)
		return false
	}
	if !c.paced(now) {
		return false
	}
	if probe == 0 && c.mayWithhold(now, s, size) {
		c.withhold(now, s, size)
	}
	c.sendNew(now, p, s, size)
	if probe > 0 {
		c.path.probe = probe
		c.board.at(c.board.tail - 1).flags |= segProbe
		c.sent.MTUProbes++
	}
	return true
}

// newSize returns how many octets of new data may leave now, or 0 and what forbids it. A segment shorter than
// the MSS leaves when it ends the data, or when the window is so small that waiting would be for ever
// (RFC 9293 s.3.8.6.2.1), and as far as Nagle lets it.
func (c *Conn) newSize(unsent int) (int, limit) {
	usable := c.snd.usable()
	size := min(unsent, c.snd.mss, max(usable, 0))
	if size == c.snd.mss {
		return size, limitNone
	}
	idle := c.board.empty()
	switch {
	case unsent == 0:
		return 0, limitApplication
	case size == unsent:
		if c.snd.buf.short && !idle { // the application has more to write as soon as there is room
			return 0, limitApplication
		}
		if !c.snd.closing && c.nagleWaits() {
			return 0, limitApplication
		}
		return size, limitNone
	case size > 0 && int64(size) >= c.snd.maxWindow/2:
		return size, limitNone
	}
	return 0, limitReceiver
}

// nagleWaits reports whether a short segment waits for an acknowledgement: under Nagle while anything is outstanding
// (RFC 9293 s.3.7.4), with Minshall's change only while a short segment is, so that the end of a long write goes at once
// (draft-minshall-nagle-01).
func (c *Conn) nagleWaits() bool {
	switch {
	case c.on&Nagle == 0 || c.board.empty():
		return false
	case c.on&Minshall == 0:
		return true
	}
	return c.snd.una.Less(c.snd.small) && c.snd.small.LessEq(c.snd.nxt)
}

// blockedBy records what keeps new data back, and starts probing a closed window that nothing else would open.
func (c *Conn) blockedBy(now mono.Time, why limit) {
	c.clock.set(now, why)
	if why == limitReceiver && c.board.empty() && !c.timers.running(timerPersist) {
		c.armPersist(now)
	}
}

// paced reports whether the pacer lets a segment out; if not, poll comes back when it will.
func (c *Conn) paced(now mono.Time) bool {
	if c.pace.ready(now) {
		return true
	}
	c.pace.blocked = true
	return false
}

// emitExtra sends what RFC 6675 s.4 NextSeg rules 3 and 4 allow.
func (c *Conn) emitExtra(now mono.Time, p *wire.Packet, s *subconn) bool {
	d, ok := c.detect.(*sackDetector)
	if !ok || s.ep.state != epRecovery || !s.canSend(int64(c.snd.mss)) {
		return false
	}
	n, ok := d.extra(c, s)
	if !ok {
		return false
	}
	c.sendAgain(now, p, n)
	return true
}

// sendNew makes a segment of the next size octets, with the FIN if that ends the stream.
func (c *Conn) sendNew(now mono.Time, p *wire.Packet, s *subconn, size int) {
	unsent := c.snd.unsent()
	off := c.snd.nxt.Sub(c.snd.una)
	g := c.newSegment(now, s, size)
	if c.snd.closing && !c.snd.finSent && size == unsent {
		g.size++
		g.flags |= segFIN
		c.snd.nxt = g.end()
	}
	c.transmit(now, p, s, c.board.tail-1, off)
	if g.has(segFIN) {
		c.sentFIN()
	}
	if size == unsent && size > 0 {
		p.Flags |= wire.PSH
	}
}

// newSegment puts the next size octets on the scoreboard, for s.
func (c *Conn) newSegment(now mono.Time, s *subconn, size int) *segment {
	if c.board.empty() {
		c.lastProgress = now // the wait for an acknowledgement begins
		c.clock.begin(now)
		c.timers.stop(timerIdle)
	}
	_, g := c.board.push()
	*g = segment{seq: c.snd.nxt, size: uint32(size), sub: s.id}
	c.turn = s.id
	c.snd.nxt = g.end()
	if size < c.snd.mss {
		c.snd.small = c.snd.nxt
	}
	return g
}

// sendAgain retransmits segment n.
func (c *Conn) sendAgain(now mono.Time, p *wire.Packet, n uint32) {
	g := c.board.at(n)
	s := &c.subs[g.sub]
	if g.has(segLost) {
		c.board.remove(&s.lost, n)
		s.lostSize -= g.bytes()
		s.beyond = max(s.beyond-g.bytes(), 0)
		g.flags &^= segLost
	} else { // still in flight: both copies count
		c.board.remove(&c.board.order, n)
		if g.has(segTwice) {
			s.pipe -= g.bytes()
		}
		g.flags |= segTwice
	}
	if c.honest.late(n) {
		c.honest.end() // whichever copy arrives, the peer may report the other one
	}
	if g.has(segCWR) {
		g.flags &^= segCWR
		c.ecn.tell = true // the next new segment says it
	}
	g.flags |= segRetrans
	g.nacks = 0
	s.ep.undo.onRetransmit(c.tsVal(now))
	c.sent.Retransmissions++
	c.sent.RetransBytes += int64(g.payload())
	c.transmit(now, p, s, n, g.seq.Sub(c.snd.una))
}

// transmit puts segment n into the flight and builds its packet; off is its offset in the send buffer.
func (c *Conn) transmit(now mono.Time, p *wire.Packet, s *subconn, n uint32, off int) {
	g := c.board.at(n)
	idle := time.Duration(0)
	quiet := c.board.order.count == 0
	if c.board.len() == 1 && !g.has(segRetrans) && c.lastSentAt != 0 {
		idle = max(now.Sub(c.lastSentAt), 0)
	}
	// Transmission times are unique, a nanosecond apart if need be, so that they tell the order.
	g.sentAt = max(now, c.lastSentAt+1)
	s.pipe += g.bytes()
	c.board.append(&c.board.order, n)
	s.meter.onSent(now, g, s.outstanding(), quiet)
	s.ep.prr.out += g.bytes()
	c.lastSentAt = g.sentAt

	size := g.payload()
	flags := wire.ACK
	if g.has(segFIN) {
		flags |= wire.FIN
	}
	c.header(now, p, flags, g.seq)
	p.PayloadLen = size
	p.Payload = c.snd.buf.appendTo(p.Payload, off, size)
	c.putECN(p, g)
	c.ackp.sent(c)

	c.sent.DataSegments++
	c.sent.Bytes += int64(size)
	c.sent.MaxInFlight = max(c.sent.MaxInFlight, s.outstanding())
	s.ctrl.OnSent(cc.Sent{
		Now: now, Bytes: g.bytes(), InFlight: s.outstanding(), Idle: idle, RTO: c.rtt.backedOff(),
		Retransmission: g.has(segRetrans),
	})
	s.out = s.ctrl.Output()
	if idle > 0 && s.out.PacingRate > 0 {
		c.updatePacing(now) // a controller may have a rate for the restart
	}
	if c.cfg.Trace != nil {
		c.traceSend(now, s, g)
	}
	c.pace.onSent(now, size)
	c.clock.set(now, limitNone)
	if !c.timers.running(timerRTO) || g.has(segRetrans) && n == c.board.head && !c.holdRTO {
		c.armRTO(now)
	}
	c.timers.stop(timerPersist)
	c.scheduleProbe(now)
	if c.cfg.UserTimeout > 0 && !c.timers.running(timerUser) {
		c.timers.set(timerUser, now.Add(c.cfg.UserTimeout))
	}
}
