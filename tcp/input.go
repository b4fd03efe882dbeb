package tcp

import (
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// input is segment arrival (RFC 9293 s.3.10.7), in the order of its numbered steps.
func (c *Conn) input(now mono.Time, p *wire.Packet) {
	c.got.Segments++
	switch c.state {
	case Closed:
		return
	case SynSent:
		c.inSynSent(now, p)
		return
	case SynReceived:
		switch seen := p.Flags&(wire.SYN|wire.RST) == wire.SYN && p.Seq == c.rcv.irs; {
		case seen && p.Flags&wire.ACK == 0:
			c.want |= wantSYN // the peer's SYN again: our answer was lost, and a mere ACK would not help it
			c.hand.again = true
			c.confirmECN(p.Flags)
			return
		case seen && !c.hand.passive:
			// The answer to a simultaneous open: our SYN-ACK crossed the peer's.
			c.confirmECN(p.Flags)
			rest := afterSYN(p)
			p = &rest
		}
	}
	if c.lacksTimestamp(p) || !c.acceptable(now, p) {
		return
	}
	if p.Flags&wire.RST != 0 {
		c.takeRST(now, p)
		return
	}
	// Third, security: none. Fourth, SYN: it sends a connection that a listener is opening back to LISTEN, and is answered
	// with a challenge in any other (RFC 5961 s.4).
	if p.Flags&wire.SYN != 0 {
		if c.state == SynReceived && c.hand.passive {
			c.finish(nil)
			return
		}
		c.challenge(now)
		return
	}
	if p.Flags&wire.ACK == 0 {
		return
	}
	if c.state == SynReceived {
		if p.Ack != c.snd.iss+1 {
			c.stack.reset(now, p)
			return
		}
		if l := c.hand.listener; l != nil && l.full() {
			return // our SYN-ACK goes out again, and brings the acknowledgement again
		}
		c.establish(now, p)
		c.updateWindow(now, p)
	}
	// Fifth, the ACK. A segment with one that the peer cannot have sent leaves no trace, not in the timestamp either: whoever
	// guesses a sequence number could else have PAWS reject all that follows.
	if !c.ackInRange(p.Ack) {
		if c.snd.nxt.Less(p.Ack) {
			c.falseACK(p.Ack)
		}
		c.challenge(now)
		return
	}
	c.lastHeard = now
	c.keepProbes = 0
	c.noteTSRecent(now, p)
	if c.snd.una.LessEq(p.Ack) { // what is older may still have good data
		c.takeACK(now, p)
	}
	c.afterFIN(now)
	if c.mayReceive() && (p.PayloadLen > 0 || p.Flags&wire.FIN != 0) {
		c.takeMark(p)
		c.takeData(now, p)
	} else if p.SegLen() > 0 && c.state != Closed {
		// Data or FIN again after the peer's FIN: acknowledge, and wait on in TIME-WAIT (s.3.10.7.4, eighth).
		c.ackp.now = true
		if c.state == TimeWait {
			c.timers.set(timerLinger, now.Add(c.cfg.Timers.TimeWait))
		}
	}
}

// acceptable is the first step: something of the segment must lie in the receive window (RFC 9293 s.3.10.7.4),
// and its timestamp must not be older than the last one (PAWS, RFC 7323 s.5.3). What fails is answered with an
// ACK, unless it is a RST.
func (c *Conn) acceptable(now mono.Time, p *wire.Packet) bool {
	if c.pawsRejects(now, p) {
		c.got.PAWSRejected++
		c.answerUnacceptable(now, p)
		return false
	}
	size := p.SegLen()
	window := c.rcv.edge.Sub(c.rcv.nxt)
	start := p.Seq.Sub(c.rcv.nxt)
	if p.PayloadLen == 0 && 0 <= start && start <= window {
		// A peer that has filled the window sends its ACKs, its RST and its FIN from the edge, whether the window
		// is closed or only a hole keeps it from moving on.
		return true
	}
	if size > 0 && start < window && start+size > 0 {
		return true
	}
	if p.Flags&wire.RST != 0 {
		return false
	}
	c.got.OutOfWindow++
	if c.answerUnacceptable(now, p) && c.state == TimeWait && start+size == 0 && p.Flags&wire.FIN != 0 {
		c.timers.set(timerLinger, now.Add(c.cfg.Timers.TimeWait)) // the peer's FIN again
	}
	if p.Flags&wire.ACK != 0 && c.synchronised() && c.snd.una.LessEq(p.Ack) && p.Ack.LessEq(c.snd.nxt) &&
		-c.rcv.limit <= start && start <= 0 {
		// A probe of our closed window, or a duplicate: its acknowledgement is still good, a NAK in it is not (C-21).
		q := *p
		q.Options.Set &^= wire.OptNAK
		c.takeACK(now, &q)
		c.afterFIN(now)
	}
	return false
}

// answerUnacceptable has an ACK answer a segment that acceptable rejects. At once if it looks like the peer's, data or a
// FIN again, a probe of the closed window or a little too much data; that is what the function reports. Everything else is
// challenged: it may be forged, and an ACK for each ACK would make two confused ends answer each other for ever.
func (c *Conn) answerUnacceptable(now mono.Time, p *wire.Packet) bool {
	start := p.Seq.Sub(c.rcv.nxt)
	plausible := p.Flags&(wire.SYN|wire.ACK) == wire.ACK && c.ackInRange(p.Ack)
	switch {
	case plausible && p.SegLen() > 0 && -c.rcv.limit <= start && start <= c.rcv.edge.Sub(c.rcv.nxt)+c.rcv.limit:
		c.ackp.now = true
		if start+p.SegLen() <= 0 && p.PayloadLen > 0 {
			c.got.Duplicates += int64(p.PayloadLen)
			c.rcv.dup = wire.Range{Start: p.Seq, End: p.Seq.Add(p.PayloadLen)} // the next ACK reports it (RFC 2883 s.4)
		}
		return true
	case plausible && p.SegLen() == 0 && start == -1:
		c.answerProbe(now)
	default:
		c.challenge(now)
	}
	return false
}

// ackInRange reports whether the peer may send that acknowledgement number, perhaps in a segment that was long under way
// (RFC 5961 s.5.2).
func (c *Conn) ackInRange(ack wire.Seq) bool {
	return !c.snd.nxt.Less(ack) && !ack.Less(c.snd.una.Add(-int(c.snd.maxWindow)))
}

// maxWindow is the largest window in octets (RFC 7323 s.2.3; RFC 1106 s.3, inclusive, C-1).
const maxWindow = 1 << 30

// pawsRejects reports whether p is an old duplicate by its timestamp (RFC 7323 s.5.3). A connection that was idle
// for 24 days accepts anything, because the peer's clock may have wrapped (s.5.5).
func (c *Conn) pawsRejects(now mono.Time, p *wire.Packet) bool {
	if c.on&Timestamps == 0 || !p.Options.Has(wire.OptTimestamps) || p.Flags&wire.RST != 0 {
		return false
	}
	return int32(p.Options.TSVal-c.rcv.tsRecent) < 0 && !c.rcv.tsRecentStale(now)
}

// lacksTimestamp reports whether p has no timestamp where every segment has one: it is not the peer's, and is dropped in
// silence (RFC 7323 s.3.2). A RST needs none, and a SYN is of another connection, if it is anything.
func (c *Conn) lacksTimestamp(p *wire.Packet) bool {
	return c.on&Timestamps != 0 && !p.Options.Has(wire.OptTimestamps) && p.Flags&(wire.RST|wire.SYN) == 0
}

// tsRecentStale reports whether the peer's clock may have wrapped since tsRecent was taken (RFC 7323 s.5.5).
func (r *receiver) tsRecentStale(now mono.Time) bool { return now.Sub(r.tsRecentAt) >= 24*24*time.Hour }

// noteTSRecent remembers the timestamp to echo: that of the segment that the last ACK sent was waiting for
// (RFC 7323 s.4.3).
func (c *Conn) noteTSRecent(now mono.Time, p *wire.Packet) {
	if c.on&Timestamps == 0 || !p.Options.Has(wire.OptTimestamps) {
		return
	}
	if newer := int32(p.Options.TSVal-c.rcv.tsRecent) >= 0 || c.rcv.tsRecentStale(now); newer && p.Seq.LessEq(c.rcv.lastACK) {
		c.rcv.tsRecent, c.rcv.tsRecentAt = p.Options.TSVal, now
	}
}

// takeRST is the second step. Only a RST at exactly the expected place ends the connection; another one within
// the window may be forged and is challenged (RFC 5961 s.3.2).
func (c *Conn) takeRST(now mono.Time, p *wire.Packet) {
	if p.Seq != c.rcv.nxt {
		c.challenge(now)
		return
	}
	switch {
	case c.state == SynReceived && c.hand.passive:
		c.finish(nil) // back to LISTEN
	case c.state == SynReceived:
		c.fail(ErrRefused)
	case c.state == Closing || c.state == LastAck || c.state == TimeWait:
		c.finish(nil)
	default:
		c.fail(ErrReset)
	}
}

// updateWindow is the window update of the fifth step: only from segments at least as new as the last one used
// (RFC 9293 s.3.10.7.4). One that acknowledges more is newer than all before it, whatever its sequence number: when the
// peer fills a hole with it, nothing else need tell its window. One that ends below what has arrived may be older than its
// number says: an empty segment has that of the data behind it.
func (c *Conn) updateWindow(now mono.Time, p *wire.Packet) {
	s := &c.snd
	window, ok := c.peerWindow(p)
	newer := s.una.Less(p.Ack) ||
		(s.wl1.Less(p.Seq) || s.wl1 == p.Seq && s.wl2.LessEq(p.Ack)) && c.rcv.nxt.LessEq(p.Seq.Add(p.SegLen()))
	if ok && newer {
		s.wl1, s.wl2 = p.Seq, p.Ack
		s.open(p.Ack, window, c.wrapLimit())
		if s.window > 0 {
			c.persists = 0
			c.timers.stop(timerPersist)
		}
	}
}
