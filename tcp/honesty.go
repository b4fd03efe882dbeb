package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// honesty checks what the peer acknowledges. A receiver that acknowledges what it has not received has its sender open the
// window for a path that does not exist, or hides its losses (Savage, Cardwell, Wetherall and Anderson, TCP Congestion
// Control with a Misbehaving Receiver, 1999). One ACK does not betray it. So the sender withholds a new segment and sends
// its successor (Sherwood, Bhattacharjee and Braud, Misbehaving TCP Receivers Can Cause Internet-Wide Congestion Collapse,
// CCS 2005): an honest receiver reports the hole, and gets the segment at once; an ACK of what was never sent is a lie.
//
// It does so when there is doubt, or always with the feature ACKCheck. A check costs an honest receiver one round trip in
// which data waits behind the hole, and neither a retransmission nor a cut.
type honesty struct {
	hole     wire.Range // the octets of the latest segment withheld
	number   uint32     // that segment's on the scoreboard
	asking   bool       // it is not acknowledged yet
	held     bool       // it has not been sent
	due      bool       // it has not been sent, and is to go now
	distrust bool       // the peer has told of a duplicate that there was not: it has no more episodes undone
	doubts   int        // checks that the peer has to pass before it is trusted
	undone   int        // episodes undone in a row since the latest check
	askedAt  mono.Time  // the segment was withheld
	next     mono.Time  // no check begins earlier
	caughtAt mono.Time
	floor    time.Duration // shortest round trip that cannot be forged: of the handshake, or from a hole to its report; 0 if unknown
}

const (
	checksInDoubt = 8  // a peer that is doubted passes so many checks, one after the other
	checkEvery    = 16 // with ACKCheck, checks are at most so many round trips apart
	undosInDoubt  = 4  // so many undone episodes in a row are a reason to doubt
)

// doubt has the peer checked.
func (h *honesty) doubt() { h.doubts = checksInDoubt }

// falseACK counts an ACK of what was never sent. What lies far beyond may as well come from a forger who guesses numbers, and
// says nothing about the peer.
func (c *Conn) falseACK(ack wire.Seq) {
	c.got.FalseACKs++
	if ack.LessEq(c.snd.nxt.Add(int(c.snd.maxWindow))) {
		c.honest.doubt()
	}
}

// doubtRTT doubts a peer that seems to be less than half as far as it is known to be.
func (h *honesty) doubtRTT(d time.Duration) {
	if d < h.floor/2 {
		h.doubt()
	}
}

// mayWithhold reports whether a new full segment is to be withheld: another one follows it now, and shows the hole.
func (c *Conn) mayWithhold(now mono.Time, s *subconn, size int) bool {
	h := &c.honest
	if (h.doubts == 0 || c.cfg.TrustPeer) && c.on&ACKCheck == 0 {
		return false
	}
	if h.asking || now < h.next || s.ep.state != epOpen || size < c.snd.mss {
		return false
	}
	// After a silence the window has to be thought over first (RFC 2861), which the first segment sent brings about.
	resting := c.board.empty() && now.Sub(c.lastSentAt) >= c.rtt.rto()
	return !resting && c.snd.unsent() >= 2*c.snd.mss && c.snd.usable() >= 2*c.snd.mss
}

// withhold makes a segment of the next size octets and does not send it.
func (c *Conn) withhold(now mono.Time, s *subconn, size int) {
	h := &c.honest
	g := c.newSegment(now, s, size)
	g.flags |= segHeld
	h.hole, h.number = wire.Range{Start: g.seq, End: g.end()}, c.board.tail-1
	h.asking, h.held, h.askedAt = true, true, now
	c.sent.Withheld++
}

// late reports whether segment n was withheld and is not acknowledged yet: its place among the others says nothing about
// when it was sent.
func (h *honesty) late(n uint32) bool { return h.asking && n == h.number }

// release has the withheld segment sent at once, if there is one.
func (c *Conn) release() { c.honest.due = c.honest.held }

// emitWithheld sends the withheld segment whatever the window: it left room for it a round trip ago.
func (c *Conn) emitWithheld(now mono.Time, p *wire.Packet) {
	h := &c.honest
	h.held, h.due = false, false
	g := c.board.at(h.number)
	g.flags &^= segHeld
	c.transmit(now, p, &c.subs[g.sub], h.number, g.seq.Sub(c.snd.una))
	if h.number == c.board.head {
		c.armRTO(now)
		// What is in flight beyond the hole will be reported as if the hole were a loss.
		c.detect.forgive(c.board.len())
	}
}

// end ends a check without a verdict.
func (h *honesty) end() { h.hole, h.asking, h.held, h.due = wire.Range{}, false, false, false }

// abandonCheck ends a check, because segment numbers are about to change: what was withheld waits among what was lost.
func (c *Conn) abandonCheck() {
	h := &c.honest
	if h.held {
		g := c.board.at(h.number)
		s := &c.subs[g.sub]
		g.flags = g.flags&^segHeld | segLost
		c.board.insertLost(&s.lost, h.number)
		s.lostSize += g.bytes()
	}
	h.end()
}

// lies reports whether p acknowledges, cumulatively or selectively, what was withheld.
func (c *Conn) lies(p *wire.Packet) bool {
	h := &c.honest
	if h.hole.Start.Less(p.Ack) {
		return true
	}
	if c.on&SACK == 0 || !p.Options.Has(wire.OptSACK) {
		return false
	}
	for _, r := range p.Options.SACKBlocks() {
		if r.Start.Less(h.hole.End) && h.hole.Start.Less(r.End) {
			return true
		}
	}
	return false
}

// caught answers an ACK that was a lie: the window collapses as after a timeout, at most once a round trip. The connection
// goes on, since the ACK may be a forger's who is not on the path.
func (c *Conn) caught(now mono.Time) {
	h := &c.honest
	c.got.FalseACKs++
	h.doubt()
	if h.caughtAt != 0 && now.Sub(h.caughtAt) < max(h.floor, c.rtt.srtt) {
		return
	}
	h.caughtAt = now
	for i := range c.subs {
		s := &c.subs[i]
		s.ep.undo.armed = false
		c.cut(now, s, cc.Timeout)
	}
	c.updatePacing(now)
}

// checkHonesty looks whether the ACK just taken in reports the hole, or ends the check.
func (c *Conn) checkHonesty(now mono.Time, ack wire.Seq) {
	h := &c.honest
	switch {
	case h.held && !h.due && (h.hole.End.Less(c.snd.fack) || c.work.dup && ack == h.hole.Start):
		if d := now.Sub(h.askedAt); h.floor == 0 || d < h.floor {
			h.floor = d // nobody can report a hole before it arrives
		}
		c.release()
	case h.hole.End.LessEq(c.snd.una):
		h.asking = false
		h.undone = 0
		h.doubts = max(h.doubts-1, 0)
		if c.work.hasTS && int32(c.work.tsecr-c.tsVal(h.askedAt)) < 0 {
			h.distrust = true // the ACK of this segment echoes one that left before it (RFC 7323 s.4.3)
		}
		h.next = now
		if h.doubts == 0 {
			h.next = now.Add(time.Duration((1 + (checkEvery-1)*c.stack.rng.Float64()) * float64(c.rtt.srtt)))
		}
	}
}

// doubtUndo notes that an episode was undone on the peer's word.
func (h *honesty) doubtUndo() {
	if h.undone++; h.undone >= undosInDoubt {
		h.doubt()
	}
}

// reported notes that the peer has reported r as a duplicate. What was withheld has been sent once, else the check is over,
// and to the peer it looks as what was lost and sent again.
func (h *honesty) reported(r wire.Range) {
	if h.hole.Len() > 0 && !h.held && r.Start.Less(h.hole.End) && h.hole.Start.Less(r.End) {
		h.distrust = true
	}
}
