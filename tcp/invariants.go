package tcp

import "fmt"

// CheckInvariants returns what is wrong with the stack's connections, or nil. It walks everything and is meant
// for tests.
func (s *Stack) CheckInvariants() error {
	for _, c := range s.conns {
		if err := c.CheckInvariants(); err != nil {
			return fmt.Errorf("%v to %v, %v: %w", c.key.local, c.key.remote, c.state, err)
		}
	}
	return nil
}

// CheckInvariants returns what is wrong with the connection's bookkeeping, or nil.
func (c *Conn) CheckInvariants() error {
	if c.flow == nil || !c.synchronised() { // what rests has been reduced to what cannot be wrong
		return nil
	}
	if err := c.checkSequence(); err != nil {
		return err
	}
	if err := c.checkBoard(); err != nil {
		return err
	}
	if err := c.checkPath(); err != nil {
		return err
	}
	return c.checkReceiver()
}

func (c *Conn) checkSequence() error {
	s := &c.snd
	switch {
	case s.nxt.Less(s.una):
		return fmt.Errorf("snd.una is past snd.nxt by %d", s.una.Sub(s.nxt))
	case s.unsent() < 0:
		return fmt.Errorf("%d octets unsent", s.unsent())
	case c.board.empty() != (s.una == s.nxt):
		return fmt.Errorf("%d segments outstanding with %d octets in flight", c.board.len(), c.flight())
	case !c.board.empty() && c.board.at(c.board.head).seq != s.una:
		return fmt.Errorf("the first segment is not at snd.una")
	case !c.board.empty() && !c.timers.running(timerRTO):
		return fmt.Errorf("%d segments outstanding and no retransmission timer", c.board.len())
	}
	return nil
}

func (c *Conn) checkBoard() error {
	b := &c.board
	seq := c.snd.una
	pipe := make([]int64, len(c.subs))
	lost := make([]int64, len(c.subs))
	sacked, flying, waiting := 0, 0, 0
	sackedOctets := int64(0)
	for n := b.head; n != b.tail; n++ {
		g := b.at(n)
		if g.seq != seq {
			return fmt.Errorf("segment %d begins %d octets late", n, g.seq.Sub(seq))
		}
		seq = g.end()
		switch {
		case g.has(segSACKed):
			sacked++
			sackedOctets += g.bytes()
		case g.has(segLost):
			lost[g.sub] += g.bytes()
			waiting++
		case g.has(segHeld):
			if !c.honest.held || n != c.honest.number {
				return fmt.Errorf("segment %d was withheld and forgotten", n)
			}
		default:
			pipe[g.sub] += g.bytes()
			if g.has(segTwice) {
				pipe[g.sub] += g.bytes()
			}
			flying++
		}
	}
	if seq != c.snd.nxt {
		return fmt.Errorf("the segments end %d octets before snd.nxt", c.snd.nxt.Sub(seq))
	}
	inLists := 0
	for i := range c.subs {
		s := &c.subs[i]
		if s.pipe != pipe[i] || s.lostSize != lost[i] {
			return fmt.Errorf("sub-connection %d: pipe %d, lost %d; the segments say %d and %d", i, s.pipe, s.lostSize, pipe[i], lost[i])
		}
		if s.out.Window < int64(c.snd.mss) {
			return fmt.Errorf("sub-connection %d: window %d under one segment", i, s.out.Window)
		}
		if r := s.ep.ramp; r != (rampdown{}) && (s.ep.state != epRecovery || r.trim < 0 || r.trim > r.from) {
			return fmt.Errorf("sub-connection %d: %+v in state %d of recovery", i, r, s.ep.state)
		}
		inLists += s.lost.count
	}
	if b.order.count != flying || inLists != waiting || b.sackedSegs != sacked {
		return fmt.Errorf("lists hold %d in flight, %d lost, %d SACKed; the segments say %d, %d, %d",
			b.order.count, inLists, b.sackedSegs, flying, waiting, sacked)
	}
	octets := int64(0)
	at := c.snd.una
	for _, r := range b.sacked {
		if !at.LessEq(r.Start) || r.Len() <= 0 || !r.End.LessEq(c.snd.nxt) {
			return fmt.Errorf("SACKed [%d, %d) after %d, up to %d were sent", r.Start, r.End, at, c.snd.nxt)
		}
		octets += int64(r.Len())
		at = r.End
	}
	if octets != sackedOctets {
		return fmt.Errorf("%d octets SACKed; the segments say %d", octets, sackedOctets)
	}
	return b.checkOrder()
}

// checkPath checks the sizes of segments: that they are in order, and that exactly the probe in flight is marked as one.
func (c *Conn) checkPath() error {
	p := &c.path
	probes := 0
	for n := c.board.head; n != c.board.tail; n++ {
		g := c.board.at(n)
		if g.has(segProbe) {
			probes++
		}
		if g.has(segLost) && g.payload() > c.snd.mss && !p.split {
			return fmt.Errorf("segment %d of %d octets is to be sent again, and %d are allowed", n, g.payload(), c.snd.mss)
		}
	}
	if c.snd.mss > p.high || p.high > p.full || (p.probe > 0) != (probes == 1) || probes > 1 {
		return fmt.Errorf("segments of %d octets, %d at most, %d ever; %d probes in flight, one of %d", c.snd.mss, p.high, p.full, probes, p.probe)
	}
	return nil
}

// checkOrder walks the send-order list.
func (b *board) checkOrder() error {
	n := b.order.first
	for i := range b.order.count {
		if i+1 == b.order.count {
			break
		}
		next := b.at(n).next
		if b.at(next).prev != n || b.at(next).sentAt < b.at(n).sentAt {
			return fmt.Errorf("the send-order list is broken after segment %d", n)
		}
		n = next
	}
	return nil
}

func (c *Conn) checkReceiver() error {
	r := &c.rcv
	if r.edge.Less(r.nxt) {
		return fmt.Errorf("rcv.nxt is past the window's edge")
	}
	at := r.nxt
	for i, o := range r.ooo {
		if !at.Less(o.Start) || o.Len() <= 0 {
			return fmt.Errorf("out-of-order range %d: [%d, %d) after %d", i, o.Start, o.End, at)
		}
		at = o.End
	}
	if r.hasFIN && at == r.finSeq+1 {
		at = r.finSeq
	}
	if r.edge.Less(at) {
		return fmt.Errorf("out-of-order data beyond the window")
	}
	return nil
}
