package tcp

import (
	"cmp"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// timerKind names one of a connection's timers.
type timerKind int

const (
	timerProbe     timerKind = iota // tail loss probe (RFC 8985 s.7); before timerRTO, which it replaces
	timerRTO                        // retransmission (RFC 6298); SYN and SYN-ACK too
	timerReorder                    // RACK's reordering window (RFC 8985 s.6.3)
	timerDelayed                    // delayed ACK (RFC 9293 s.3.8.6.3)
	timerPersist                    // zero-window probe (RFC 9293 s.3.8.6.1)
	timerKeepAlive                  // RFC 9293 s.3.8.4
	timerLinger                     // TIME-WAIT, and FIN-WAIT-2 after Close
	timerUser                       // user timeout (RFC 9293 s.3.8.3)
	timerNAK                        // a hole may be NAKed again (C-8)
	timerIdle                       // nothing has happened for the time of a retransmission (rest.go)
	numTimers
)

// timerSet is a connection's deadlines; mono.Never is a stopped timer.
type timerSet struct {
	at    [numTimers]mono.Time
	first mono.Time // no deadline is earlier
	stale bool      // the earliest one may be later than first
}

func newTimerSet() timerSet {
	t := timerSet{first: mono.Never}
	for k := range t.at {
		t.at[k] = mono.Never
	}
	return t
}

func (t *timerSet) set(k timerKind, at mono.Time) {
	if at <= t.first {
		t.first, t.stale = at, false
	} else if t.at[k] == t.first {
		t.stale = true
	}
	t.at[k] = at
}

func (t *timerSet) stop(k timerKind)         { t.set(k, mono.Never) }
func (t *timerSet) running(k timerKind) bool { return t.at[k] != mono.Never }

// next returns the earliest deadline.
func (t *timerSet) next() mono.Time {
	if t.stale {
		t.first, t.stale = mono.Never, false
		for _, at := range t.at {
			t.first = min(t.first, at)
		}
	}
	return t.first
}

// runTimers lets every expired timer act. Each one stops or moves its own deadline.
func (c *Conn) runTimers(now mono.Time) {
	if now < c.timers.first {
		return
	}
	for k := range numTimers {
		if c.timers.at[k] <= now {
			c.expired(now, k)
		}
	}
}

func (c *Conn) expired(now mono.Time, k timerKind) {
	c.timers.stop(k)
	switch k {
	case timerProbe:
		c.sendProbe(now)
	case timerRTO:
		c.onRTO(now)
	case timerReorder:
		c.onReorderTimer(now)
	case timerDelayed:
		c.ackp.now = true
	case timerPersist:
		c.onPersist(now)
	case timerKeepAlive:
		c.onKeepAlive(now)
	case timerLinger:
		c.finish(nil)
	case timerUser:
		c.onUserTimeout(now)
	case timerNAK:
		c.onNAKTimer()
	case timerIdle:
		c.onIdle(now)
	}
}

// armRTO restarts the retransmission timer (RFC 6298 s.5).
func (c *Conn) armRTO(now mono.Time) {
	c.timers.set(timerRTO, c.rtt.expire(now.Add(c.rtt.backedOff())))
}

// maxSYNRetries is how often a SYN is sent again before the attempt fails: with an initial timeout of 1 s that is after 247 s,
// since R2 is at least three minutes for a SYN (RFC 9293 s.3.8.3). Config.UserTimeout may end it sooner.
const maxSYNRetries = 7

// maxSYNACKRetries is the same for a SYN-ACK: a peer that never completes the handshake, because its address is forged,
// is forgotten after 63 s (RFC 4987 s.3.3).
const maxSYNACKRetries = 5

// A peer that does not acknowledge data is given up after defaultPatience, unless Config.UserTimeout says otherwise, and not
// before leastRetries: R2 and R1 of RFC 1122 s.4.2.3.5, which asks for at least 100 s and 3.
const (
	defaultPatience = 15 * time.Minute
	leastRetries    = 3
)

// onRTO reacts to the retransmission timer (RFC 6298 s.5.4 to 5.7).
func (c *Conn) onRTO(now mono.Time) {
	if c.state == SynSent || c.state == SynReceived {
		c.onHandshakeTimeout(now)
		return
	}
	if c.ecn.paused {
		c.resumeECN(now)
		return
	}
	if c.board.empty() {
		return
	}
	if c.cfg.UserTimeout == 0 && c.expiries >= leastRetries && now.Sub(c.lastProgress) >= defaultPatience {
		c.giveUp()
		return
	}
	c.release()
	c.sent.Timeouts++
	c.nak.seen = false
	c.clock.addTimeout(now.Sub(c.lastSentAt))
	c.expiries++
	c.pathTimeout(now)
	if c.board.at(c.board.head).has(segSACKed) {
		c.forgetSACKs() // the peer once had what it now wants again (RFC 2018 s.8)
		c.markAllLost(now, true)
	}
	c.tlp = tailProbe{}
	if c.cfg.Policy == LossIsNoise && c.expiries == 1 {
		c.noiseTimeout(now)
	} else {
		c.congestionTimeout(now)
	}
	c.rtt.backoff++
	c.armRTO(now)
	c.timers.stop(timerProbe)
}

// congestionTimeout reacts to a timeout as to congestion.
func (c *Conn) congestionTimeout(now mono.Time) {
	repeated := c.expiries > 1
	if c.cfg.Policy == LossIsNoise {
		repeated = c.expiries > 2 // the controller was not told of the first
	}
	for i := range c.subs {
		s := &c.subs[i]
		s.share = ackShare{}
		if c.expiries == 1 {
			// A timeout on top of another recovery is not undone: the earlier losses were real (RFC 5682 s.3.1
			// step 1).
			s.ep.undo = undo{armed: s.ep.state == epOpen && !c.cfg.Recovery.Splits(), kind: cc.Timeout, marker: c.snd.una}
			if c.on&FRTO != 0 && s.ep.undo.armed {
				s.ep.undo.frto = frtoFirst
			}
		}
	}
	c.detect.onTimeout(c, now)
	for i := range c.subs {
		c.enterLoss(now, &c.subs[i], repeated)
		c.subs[i].beyond = 0
	}
}

// noiseTimeout reacts to the first timeout in a row when losses are noise: the first hole is sent again and the window
// stays. The second one in a row counts as congestion (C-17).
func (c *Conn) noiseTimeout(now mono.Time) {
	for i := range c.subs {
		s := &c.subs[i]
		s.share = ackShare{}
		s.ep.undo = undo{}
		s.beginLoss(now, c.snd.nxt)
		s.ep.answer = true
		c.traceEpisode(now, s, cc.Timeout)
	}
	c.markHeadLost(now, true)
}

// answerTimeout looks at what the retransmission of a timeout that counted as noise has brought. When it was acknowledged
// and no NAK tells what is missing next, the receiver has nothing beyond it, and all that was sent before the timeout is
// lost.
func (c *Conn) answerTimeout(now mono.Time) {
	if !c.work.advanced {
		return
	}
	for i := range c.subs {
		s := &c.subs[i]
		if !s.ep.answer {
			continue
		}
		s.ep.answer = false
		if c.work.hasTS && int32(c.work.tsecr-c.tsVal(s.ep.cutAt)) < 0 {
			continue // the original is what arrived: nothing tells that the rest did not
		}
		if s.ep.state == epLoss && c.snd.una.Less(s.ep.point) && !c.work.nak {
			c.markSentBefore(now, s.ep.cutAt)
		}
	}
}

// forgetSACKs clears every SACK mark. What was SACKed counts as in flight again, until the caller marks it lost: it is
// not in its place in the send-order list.
func (c *Conn) forgetSACKs() {
	b := &c.board
	b.sacked = b.sacked[:0]
	b.sackedSegs = 0
	for n := b.tail; n != b.head; n-- {
		if g := b.at(n - 1); g.has(segSACKed) {
			g.flags &^= segSACKed
			c.subs[g.sub].pipe += g.bytes()
			b.prepend(&b.order, n-1)
		}
	}
}

// onReorderTimer marks the segments whose reordering window has passed.
func (c *Conn) onReorderTimer(now mono.Time) {
	if c.rack == nil {
		return
	}
	for i := range c.subs {
		s := &c.subs[i]
		s.share = ackShare{pipe: s.pipe}
	}
	c.rack.detect(c, now, true)
	for i := range c.subs {
		s := &c.subs[i]
		if s.ep.state == epRecovery && s.ep.prr.active {
			// What PRR allowed beyond the flight stays allowed; the loss itself allows nothing more.
			s.ep.prr.cwnd -= s.share.pipe - s.pipe
		}
	}
	c.respond(now)
	for i := range c.subs {
		s := &c.subs[i]
		if s.ep.state == epRecovery && s.ep.prr.active && s.ep.prr.out == 0 {
			s.ep.prr.onAck(0, s.pipe, int64(c.snd.mss), false)
		}
	}
}

// onUserTimeout drops a connection whose data has not been acknowledged for too long.
func (c *Conn) onUserTimeout(now mono.Time) {
	if c.board.empty() && !c.handshaking() {
		return
	}
	if due := c.lastProgress.Add(c.cfg.UserTimeout); now < due {
		c.timers.set(timerUser, due)
		return
	}
	c.giveUp()
}

// giveUp drops a connection whose peer does not answer.
func (c *Conn) giveUp() {
	if c.state != SynSent { // there the peer knows of no connection
		c.want |= wantRST
	}
	c.fail(c.timedOut())
}

// onPersist probes a closed window, or sends what little the window allows (RFC 9293 s.3.8.6.1).
func (c *Conn) onPersist(now mono.Time) {
	if !c.board.empty() || c.snd.unsent() == 0 {
		c.persists = 0
		return
	}
	if c.persists == 0 {
		c.persistFrom = now
	}
	// A peer that answers may keep its window closed for ever (RFC 9293 s.3.8.6.1), one that does not may not. What it did
	// before it was asked says nothing.
	unanswered := c.persists > 0 && c.lastHeard < c.persistAt
	silence := now.Sub(max(c.lastHeard, c.persistFrom))
	if d := cmp.Or(c.cfg.UserTimeout, defaultPatience); d > 0 && unanswered && silence >= d {
		c.giveUp()
		return
	}
	d := c.cfg.PersistTimeout
	if c.rcv.shut && d == 0 {
		d = defaultPatience // nobody waits for it any more: RFC 6429 s.3 lets the system decide
	}
	if d > 0 && now.Sub(c.persistFrom) >= d {
		c.giveUp()
		return
	}
	if c.snd.usable() > 0 {
		c.want |= wantPart
	} else {
		c.want |= wantProbeWindow
	}
	c.persists, c.persistAt = c.persists+1, now
	c.armPersist(now)
}

// armPersist sets the persist timer, backed off like the retransmission timer.
func (c *Conn) armPersist(now mono.Time) {
	d := c.rtt.rto()
	for range min(c.persists, 20) {
		d = min(2*d, c.cfg.Timers.PersistMax)
	}
	c.timers.set(timerPersist, now.Add(min(d, c.cfg.Timers.PersistMax)))
}

// onKeepAlive probes an idle peer, and drops it when it stays silent (RFC 9293 s.3.8.4).
func (c *Conn) onKeepAlive(now mono.Time) {
	k := &c.cfg.KeepAlive
	if k.Idle == 0 || !c.synchronised() {
		return
	}
	due := c.lastHeard.Add(k.Idle)
	if !c.board.empty() { // the retransmission timer asks for answers already
		due = max(due, now.Add(k.Interval))
	}
	if now < due {
		c.keepProbes = 0
		c.timers.set(timerKeepAlive, due)
		return
	}
	if c.keepProbes >= k.Count {
		c.giveUp()
		return
	}
	c.keepProbes++
	c.want |= wantProbeWindow // the same empty segment below the window asks for an ACK
	c.timers.set(timerKeepAlive, now.Add(k.Interval))
}
