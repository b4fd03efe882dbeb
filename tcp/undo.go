package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// undo remembers what would prove an episode spurious: that no segment had been lost.
type undo struct {
	armed   bool
	kind    cc.Kind  // what began the episode
	marker  wire.Seq // snd.una when it began, then the end of the latest duplicate reported: each counts once
	retrans int      // retransmissions that no D-SACK has shown needless yet
	sent    bool     // something was retransmitted
	stamp   uint32   // TSval of the first retransmission (RFC 3522 s.3.2)
	frto    frtoStep
}

// frtoStep is the state of RFC 5682's algorithm after a timeout.
type frtoStep uint8

const (
	frtoOff   frtoStep = iota
	frtoFirst          // the first unacknowledged segment was sent again; no ACK yet
	frtoNew            // one ACK moved the window: two new segments may go, retransmissions wait
)

// onRetransmit notes a retransmission that carries the timestamp tsval.
func (u *undo) onRetransmit(tsval uint32) {
	if !u.armed {
		return
	}
	u.retrans++
	if !u.sent {
		u.sent, u.stamp = true, tsval
	}
}

// checkUndo looks for proof that s's episode was spurious, and undoes it.
func (c *Conn) checkUndo(now mono.Time, s *subconn) {
	u := &s.ep.undo
	if !u.armed || !u.sent {
		return
	}
	switch {
	case s.ep.state != epOpen && !c.honest.distrust && c.originalArrived(u):
		// Eifel (RFC 3522 s.3.2).
	case u.retrans <= 0 && !c.honest.distrust:
		// D-SACK reported every retransmission as a duplicate (RFC 3708).
	case u.frto == frtoNew && c.work.advanced && c.work.originals:
		// F-RTO (RFC 5682 s.2.1 and s.3.1, step 3b): data sent before the timeout and not sent again was
		// acknowledged, in order. What is merely SACKed may lie beyond a hole that is real.
	default:
		c.stepFRTO(s)
		return
	}
	c.undoEpisode(now, s)
}

// originalArrived reports whether the ACK echoes a timestamp older than the first retransmission of u's episode, although
// the segment that it was waiting for was sent again in that episode: the echo is that segment's (RFC 7323 s.4.3), so
// the original had arrived. A segment sent again in an earlier episode says nothing about this one.
func (c *Conn) originalArrived(u *undo) bool {
	w := c.work
	return w.hasTS && w.tsecr != 0 && w.headAt != 0 &&
		int32(w.tsecr-u.stamp) < 0 && int32(c.tsVal(w.headAt)-u.stamp) >= 0
}

// stepFRTO moves the F-RTO state machine when an ACK proved nothing.
func (c *Conn) stepFRTO(s *subconn) {
	u := &s.ep.undo
	mss := c.snd.mss
	if u.frto == frtoFirst && !c.work.advanced && c.on&SACK != 0 {
		return // s.3.1 step 2: the scoreboard learns, the answer is still to come
	}
	if u.frto == frtoFirst && c.work.advanced && !c.work.parts && c.snd.una.Less(s.ep.point) &&
		c.snd.unsent() > 0 && c.snd.usable() >= mss && s.outstanding() <= int64(mss) {
		u.frto = frtoNew // s.2.1 step 2b: send new data and see
		return
	}
	// Steps 2a and 3a: conventional recovery. In 3a the two new segments have filled the window, and a receiver without
	// SACK would say no more before the next timeout.
	s.ep.force = s.ep.force || u.frto == frtoNew
	u.frto = frtoOff
}

// holdsRetransmissions reports whether F-RTO waits for the answer to new data.
func (s *subconn) holdsRetransmissions() bool {
	return s.ep.state == epLoss && s.ep.undo.armed && s.ep.undo.frto == frtoNew
}

// undoEpisode restores what a spurious episode cut and takes back the loss marks.
func (c *Conn) undoEpisode(now mono.Time, s *subconn) {
	kind := s.ep.undo.kind
	s.ep.undo.armed = false
	c.sent.Spurious++
	c.honest.doubtUndo()
	for s.lost.count > 0 {
		n := s.lost.first
		g := c.board.at(n)
		c.board.remove(&s.lost, n)
		s.lostSize -= g.bytes()
		g.flags &^= segLost
		s.pipe += g.bytes()
		c.board.insertBySentAt(&c.board.order, n)
	}
	s.leaveRecovery()
	if kind == cc.Timeout {
		c.rtt.backoff = 0
	} else if c.rack != nil {
		c.rack.reordered = true // what seemed lost was late: RACK must wait for its like
	}
	if d, ok := c.detect.(*sackDetector); ok {
		d.next = c.board.head // some of what was released may be lost after all
	}
	if kind == cc.Loss && c.cfg.Policy != LossIsCongestion {
		return
	}
	c.cut(now, s, cc.Undo)
}

// onDSACK takes in a report that r arrived twice. It may come after the episode that sent r again is over.
func (c *Conn) onDSACK(r wire.Range) {
	c.work.dsack = true
	for i := range c.subs {
		ep := &c.subs[i].ep
		if u := &ep.undo; u.armed && u.retrans > 0 && u.marker.LessEq(r.Start) && r.Start.Less(ep.point) {
			u.retrans--
			u.marker = r.End
		}
	}
}
