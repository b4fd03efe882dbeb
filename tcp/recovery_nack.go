package tcp

import "longhaul/mono"

// Splits reports whether r is one of the recoveries that a connection of several sub-connections may have.
func (r Recovery) Splits() bool { return r == NACK || r == NACKConn || r == NoFACK }

// nackDetector counts NACKs for each segment (Yakura's split-and-control): an ACK that SACKs something sent later says once that the
// segment did not arrive, and the third time it is lost. Later means sent later, by the same sub-connection or, over the whole
// connection, by any. So a segment that was sent again is judged by what left after that, from the trigger segment on, and its loss is
// seen without a timeout.
// With NACKConn they count over the whole connection, and with NoFACK only the first segment of a sub-connection is found lost, later ones as the
// ones before them are repaired.
type nackDetector struct{}

// nackLimit is how many NACKs mean a loss, as many as duplicate ACKs do.
const nackLimit = dupThresh

func (d nackDetector) onAck(c *Conn, now mono.Time) {
	if !c.dupACKsCount() {
		return
	}
	latest := mono.Time(0)
	for i := range c.subs {
		latest = max(latest, c.subs[i].share.newest)
	}
	if latest > 0 {
		d.count(c, now, latest)
	}
	if c.cfg.Recovery == NoFACK {
		for i := range c.subs {
			d.nextHole(c, now, &c.subs[i])
		}
	}
}

// count gives a NACK to every segment in flight that left before the newest one that the ACK has SACKed, in its own scope.
func (d nackDetector) count(c *Conn, now, latest mono.Time) {
	b := &c.board
	whole, single := c.cfg.Recovery == NACKConn, c.cfg.Recovery == NoFACK
	left := b.order.count
	for n := b.order.first; left > 0 && b.at(n).sentAt < latest; left-- {
		g := b.at(n)
		next := g.next
		s := &c.subs[g.sub]
		if whole || g.sentAt < s.share.newest {
			g.nacks = min(g.nacks+1, nackLimit)
			if g.nacks == nackLimit && (!single || s.first(b) == n && !g.has(segRetrans)) { // NewReno leaves the loss of a repair to the timer
				c.markLost(now, n, false)
			}
		}
		n = next
	}
}

// first returns the number of the sub-connection's first segment that has not arrived, or the tail.
func (s *subconn) first(b *board) uint32 {
	for n := b.head; n != b.tail; n++ {
		if g := b.at(n); g.sub == s.id && !g.has(segSACKed) {
			return n
		}
	}
	return b.tail
}

// nextHole finds the next hole of a recovery without FACK, when the one before it has been repaired, as a partial ACK does in NewReno.
func (d nackDetector) nextHole(c *Conn, now mono.Time, s *subconn) {
	if s.ep.state != epRecovery || s.share.lost > 0 || s.lost.count > 0 || !s.openerArrived(&c.board) {
		return
	}
	n := s.first(&c.board)
	if n == c.board.tail || !c.board.at(n).seq.Less(s.ep.point) || c.board.at(n).has(segRetrans) {
		return
	}
	if g := c.board.at(n); g.nacks > 0 {
		s.ep.opener = g.seq
		s.ep.force = true
		c.markLost(now, n, false)
	}
}

func (d nackDetector) onTimeout(c *Conn, now mono.Time) { c.markAllLost(now, true) }

func (d nackDetector) forgive(int) {}

// openerArrived reports whether the segment that opened the sub-connection's recovery has been acknowledged or SACKed.
func (s *subconn) openerArrived(b *board) bool {
	if b.empty() || s.ep.opener.Less(b.at(b.head).seq) {
		return true
	}
	n := b.find(s.ep.opener)
	return n == b.tail || b.at(n).has(segSACKed)
}

// recovered reports whether a sub-connection's recovery is over: the segment that opened it has arrived, whether an ACK or a SACK says
// so, and without FACK everything else that it had lost by then.
func (d nackDetector) recovered(c *Conn, s *subconn) bool {
	if !s.openerArrived(&c.board) {
		return false
	}
	if c.cfg.Recovery != NoFACK {
		return true
	}
	n := s.first(&c.board)
	return n == c.board.tail || s.ep.point.LessEq(c.board.at(n).seq)
}

// inflate sets what counts against a window without FACK besides pipe: what was lost, and outside of recovery what was SACKed. In it each
// SACKed segment lets out another, which is the inflation of the window by Reno, and after a timeout nothing else counts. It goes through what
// is SACKed, which for the small windows of the thesis is little.
func (s *subconn) inflate(b *board) {
	if s.beyond = 0; s.ep.state != epLoss {
		s.beyond = s.lostSize
	}
	if s.ep.state != epOpen {
		return
	}
	for _, r := range b.sacked {
		for n := b.find(r.Start); n != b.tail && b.at(n).seq.Less(r.End); n++ {
			if g := b.at(n); g.sub == s.id {
				s.beyond += g.bytes()
			}
		}
	}
}

// owner returns the sub-connection of the segment that is k after the first one outstanding.
func (c *Conn) owner(k int) *subconn {
	if c.board.empty() {
		return &c.subs[0]
	}
	return &c.subs[c.board.at(c.board.head+uint32(min(k, c.board.len()-1))).sub]
}

// repairing returns a sub-connection whose fast recovery the ACK has not ended, or that of the first segment.
func (c *Conn) repairing() *subconn {
	for i := range c.subs {
		if s := &c.subs[i]; s.ep.state == epRecovery && c.snd.una.Less(s.ep.point) {
			return s
		}
	}
	return c.owner(0)
}

// deflate takes octets off what duplicate ACKs said has arrived.
func (c *Conn) deflate(octets int64) {
	for i := range c.subs {
		s := &c.subs[i]
		n := min(max(octets, 0), s.dupacked)
		s.dupacked -= n
		octets -= n
	}
}

// flightOf returns what s has sent of what is not cumulatively acknowledged, in octets: FlightSize (RFC 5681 s.2).
func (c *Conn) flightOf(s *subconn) (octets int64) {
	if len(c.subs) == 1 {
		return int64(c.flight())
	}
	for n := c.board.head; n != c.board.tail; n++ {
		if g := c.board.at(n); g.sub == s.id {
			octets += g.bytes()
		}
	}
	return octets
}
