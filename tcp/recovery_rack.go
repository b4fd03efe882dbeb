package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// rackDetector is RACK (RFC 8985): a segment is lost when one sent sufficiently later has been delivered.
type rackDetector struct {
	// The most recently sent segment that has been delivered (s.6.1).
	sentAt mono.Time
	rtt    time.Duration
	valid  bool

	reordered  bool   // reordering has been seen
	mult       int    // reordering window in quarters of the minimum RTT
	persist    int    // recoveries until mult falls back to 1
	dsackRound uint64 // the round of the latest widening
}

// onDelivered considers a newly delivered segment as the reference (s.6.2 step 2).
func (r *rackDetector) onDelivered(c *Conn, now mono.Time, g *segment, cumulative bool) {
	rtt := now.Sub(g.sentAt)
	if g.has(segRetrans) {
		// Which copy arrived? A round trip shorter than any other says the original. So does an echo older than
		// the retransmission, but only of a cumulative ACK: a SACK echoes the last segment in order.
		if rtt < c.rtt.minRTT || cumulative && c.work.hasTS && int32(c.work.tsecr-c.tsVal(g.sentAt)) < 0 {
			return
		}
	}
	if !r.valid || g.sentAt > r.sentAt {
		r.valid, r.sentAt, r.rtt = true, g.sentAt, rtt
	}
}

// window returns the reordering window (s.6.2 step 4).
func (r *rackDetector) window(c *Conn) time.Duration {
	if !r.reordered && (c.recovering() || c.board.sackedSegs >= dupThresh) {
		return 0
	}
	return min(time.Duration(r.mult)*c.rtt.minRTT/4, c.rtt.srtt)
}

func (r *rackDetector) onAck(c *Conn, now mono.Time) {
	if c.work.reordered {
		r.reordered = true
	}
	if round := c.subs[0].meter.round; c.work.dsack && round > r.dsackRound {
		r.dsackRound = round
		r.mult++
		r.persist = 16
	}
	if c.work.delivered > 0 {
		r.detect(c, now, false)
	}
}

// recovered notes the end of a recovery (s.6.2 step 4, RACK.reo_wnd_persist).
func (r *rackDetector) recovered() {
	if r.persist--; r.persist <= 0 {
		r.persist, r.mult = 0, 1
	}
}

// detect marks what the clock says is lost, and arms the timer for the next segment that will be (s.6.2 step 5).
// The list is in the order of transmission, so it stops at the first segment that is still in time.
func (r *rackDetector) detect(c *Conn, now mono.Time, timer bool) {
	c.timers.stop(timerReorder)
	if !r.valid {
		return
	}
	wait := r.rtt + r.window(c)
	l := &c.board.order
	for l.count > 0 {
		n := l.first
		g := c.board.at(n)
		if g.sentAt > r.sentAt {
			return
		}
		if due := g.sentAt.Add(wait); due > now {
			c.timers.set(timerReorder, due)
			return
		}
		c.markLost(now, n, timer)
	}
}

// onTimeout marks the first segment, and those for which time has run out (s.6.3).
func (r *rackDetector) onTimeout(c *Conn, now mono.Time) {
	wait := r.rtt + r.window(c)
	c.markHeadLost(now, true)
	l := &c.board.order
	for l.count > 0 && c.board.at(l.first).sentAt.Add(wait) <= now {
		c.markLost(now, l.first, true)
	}
}

// forgive does nothing: time tells a late segment from a lost one.
func (r *rackDetector) forgive(int) {}

// tailProbe is the state of the tail loss probe (RFC 8985 s.7).
type tailProbe struct {
	active  bool     // a probe is out
	retrans bool     // it was a retransmission
	end     wire.Seq // snd.nxt when it left
	sampled bool     // an RTT sample was taken since the last probe
}

// maxAckDelay is how long a peer may delay the ACK of a lone segment; RFC 8985 s.7.2 leaves the value open.
const maxAckDelay = 200 * time.Millisecond

// scheduleProbe sets the probe timer after new data or an ACK (s.7.2).
func (c *Conn) scheduleProbe(now mono.Time) {
	if c.rack == nil {
		return
	}
	c.timers.stop(timerProbe)
	if c.tlp.active || c.recovering() || len(c.board.sacked) > 0 || c.board.empty() {
		return
	}
	pto := time.Second
	if c.rtt.srtt > 0 {
		pto = 2 * c.rtt.srtt
		if c.board.len() == 1 {
			pto += maxAckDelay
		}
	}
	c.timers.set(timerProbe, min(now.Add(pto), c.timers.at[timerRTO]))
}

// sendProbe reacts to the probe timer: it asks for one segment, new if there is any, else the last one sent
// again (s.7.3), and restarts the retransmission timer.
func (c *Conn) sendProbe(now mono.Time) {
	c.timers.stop(timerProbe)
	if c.board.empty() || c.tlp.active {
		return
	}
	c.armRTO(now)
	if !c.tlp.sampled {
		return
	}
	c.tlp.sampled = false
	c.sent.Probes++
	c.want |= wantProbe
}

// checkProbe looks whether an ACK answers the probe (s.7.4.2). A probe that repaired a loss stands for one
// congestion episode; a duplicate ACK or D-SACK says that nothing had been lost.
func (c *Conn) checkProbe(now mono.Time) {
	if !c.tlp.active || c.snd.una.Less(c.tlp.end) {
		return
	}
	switch {
	case !c.tlp.retrans, c.work.dsack, c.snd.una == c.tlp.end && c.work.dup && !c.work.newSACK:
		c.tlp.active = false
	case c.tlp.end.Less(c.snd.una):
		c.tlp.active = false
		if !c.recovering() {
			s := &c.subs[0]
			s.ep.undo.armed = false // it was about an earlier cut
			c.cut(now, s, cc.Loss)
		}
	}
}
