package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// ecn is explicit congestion notification (RFC 3168): what the two directions of a connection remember. The feature
// ECN says whether it is in force.
//
// Only new data is ECN-capable, ECT(0): no SYN, SYN-ACK, pure ACK, FIN without data, window probe or retransmission
// (s.6.1.1, s.6.1.4 to s.6.1.6). RFC 8311 lets experiments mark those too, use ECT(1) and react to a mark otherwise than to a loss;
// this is no such experiment. A mark cuts the window as a loss does, and at once: there is no proportional rate reduction,
// so nothing new leaves until the flight fits into the window.
type ecn struct {
	plain  bool // we have sent a SYN without ECN, after which our data must not be ECN-capable (s.6.1.1)
	echo   bool // a mark has come, and no CWR since: ECE goes with everything that acknowledges (s.6.1.3)
	tell   bool // the window was reduced, and the next new data says so with CWR (s.6.1.2)
	paused bool // the window is one full segment and that was marked: new data waits for the retransmission timer (s.6.1.2)
}

// ecnSetup are the flags of an ECN-setup SYN; the SYN-ACK that answers it has ECE alone, so that a peer that merely
// returns reserved bits is not taken for one that knows ECN (s.6.1.1).
const ecnSetup = wire.ECE | wire.CWR

// offerECN returns the ECN flags of our SYN or SYN-ACK. A SYN that the timer sends again goes without, since something
// on the path may drop those that have them (s.6.1.1.1).
func (c *Conn) offerECN() wire.Flags {
	switch {
	case c.on&ECN == 0:
		return 0
	case c.state == SynReceived:
		return wire.ECE
	case c.hand.retries > 0:
		c.ecn.plain = true
		return 0
	}
	return ecnSetup
}

// agreeECN learns from the flags of the peer's SYN or SYN-ACK whether ECN is in force (s.6.1.1).
func (c *Conn) agreeECN(f wire.Flags) {
	want, setup := ECN, ecnSetup
	if f&wire.ACK != 0 {
		setup = wire.ECE
	}
	if c.hand.passive {
		want |= ECNPassive
	}
	agreed := c.on&want != 0 && f&ecnSetup == setup
	c.on &^= ECN | ECNPassive
	if agreed {
		c.on |= ECN
	}
}

// confirmECN looks at another SYN or SYN-ACK of a peer whose SYN has been taken. One without ECN ends it: the peer
// will send nothing ECN-capable after it, and must not be sent anything (s.6.1.1).
func (c *Conn) confirmECN(f wire.Flags) {
	if c.on&ECN != 0 {
		c.agreeECN(f)
	}
}

// putECN makes a data segment ECN-capable, and has the first new one after a reduction say CWR (s.6.1.2, s.6.1.5).
func (c *Conn) putECN(p *wire.Packet, g *segment) {
	if c.on&ECN == 0 || c.ecn.plain || p.PayloadLen == 0 || g.has(segRetrans) {
		return
	}
	p.ECN = wire.ECT0
	if c.ecn.tell {
		c.ecn.tell = false
		p.Flags |= wire.CWR
		g.flags |= segCWR
		for i := range c.subs {
			c.subs[i].ep.cutEnd = g.seq
		}
	}
}

// takeMark is the receiver's part, for a data segment found acceptable (s.6.1.3): one outside the window never gets here
// (s.6.1.5). A mark has every ACK echo it until CWR comes; a marked segment with CWR ends one echo and begins the next.
func (c *Conn) takeMark(p *wire.Packet) {
	if c.on&ECN == 0 || p.PayloadLen == 0 {
		return
	}
	if p.Flags&wire.CWR != 0 {
		c.ecn.echo = false
	}
	if p.ECN == wire.CE {
		c.got.Marked++
		c.ecn.echo = true
	}
}

// takeECE is the sender's part, for an acceptable ACK (s.6.1.2). However many marks and losses there are in one window of
// data, the window is reduced once. ECE is news again in an ACK of the segment that told of the reduction: if CWR did not
// end it, there was another mark. No single sub-connection is known to have met the mark, so it is every one's.
func (c *Conn) takeECE(now mono.Time, p *wire.Packet) {
	if c.ecn.plain {
		return
	}
	for i := range c.subs {
		if ep := &c.subs[i].ep; !c.ecn.tell && ep.cutEnd.Less(c.snd.una) {
			ep.reduced = false
		}
	}
	if p.Flags&wire.ECE == 0 {
		return
	}
	c.got.Echoes++
	c.work.ece = true
	least, fresh, small := int64(c.path.full), false, true
	for i := range c.subs {
		s := &c.subs[i]
		s.ep.undo.armed = false // whatever the reduction was for, there was congestion
		if s.ep.reduced {
			continue
		}
		fresh, small = true, small && s.out.Window <= least
		c.sent.MarkCuts++
		c.cut(now, s, cc.ECN)
		if s.ep.state == epRecovery {
			c.startPRR(s)
		}
	}
	c.ecn.paused = c.ecn.paused || fresh && small && c.work.advanced && c.board.empty()
}

// resumeECN lets new data out when the retransmission timer of a connection that was marked at a window of one segment
// has expired.
func (c *Conn) resumeECN(now mono.Time) {
	c.ecn.paused = false
	if !c.board.empty() {
		c.armRTO(now) // a FIN has left meanwhile
	}
}

// noteReduction notes that s's controller was told of congestion: the peer hears of it, and until that has been acknowledged
// marks say nothing new (s.6.1.2).
func (c *Conn) noteReduction(s *subconn, kind cc.Kind) {
	if c.on&ECN == 0 || c.ecn.plain {
		return
	}
	s.ep.reduced, s.ep.cutEnd = kind != cc.Undo, c.snd.nxt
	if kind != cc.Undo {
		c.ecn.tell = true
	}
}
