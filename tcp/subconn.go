package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// subconn is one sub-connection: a controller with its window, what it has in flight, and its recovery episode.
// An ordinary connection has exactly one; split-and-control has several, which share the connection's sequence
// space, scoreboard, timers and pacer.
type subconn struct {
	ctrl     cc.Controller
	out      cc.Output // the controller's latest output
	pipe     int64     // octets in flight (RFC 6675 s.2)
	dupacked int64     // octets that duplicate ACKs without SACK say have left the network
	lost     segList   // marked lost and waiting to be sent again
	lostSize int64     // octets in lost
	beyond   int64     // octets that count against the window besides: see inflate
	burstCap int64     // extra limit on outstanding octets just after NewReno recovery; 0 is none
	meter    rateMeter
	ep       episode
	share    ackShare
	limited  [2]bool // the window bound the sender in this round, in the last one
	id       uint8   // place among the connection's
	rescued  bool    // the rescue retransmission of RFC 6675 s.4 NextSeg (4) was used in this episode
	full     bool    // there was a queue at the latest window reduction: the path could not take more
	round    uint64  // the round that limited is about
}

// ackShare is what the ACK or timer being processed meant for one sub-connection.
type ackShare struct {
	pipe, flight     int64     // octets in flight and outstanding before
	dupacked         int64     // octets, before
	acked, delivered int64     // octets
	lost             int32     // segments newly marked lost
	opener           wire.Seq  // where the first of them begins
	newest           mono.Time // latest transmission among what was newly SACKed and never sent again; 0 if nothing was
	lostSince        bool      // one of them was sent since the latest window reduction
}

// arrived returns the octets that the ACK says have arrived, one way or the other: without SACK a duplicate ACK stands for a
// segment, which the ACK of that segment does not count again (DeliveredData of RFC 9937 s.6.1).
func (a *ackShare) arrived(s *subconn) int64 { return a.delivered + s.dupacked - a.dupacked }

// outstanding returns the octets that count against the window.
func (s *subconn) outstanding() int64 { return max(s.pipe+s.beyond-s.dupacked, 0) }

// window returns how many octets may be outstanding now.
func (s *subconn) window() int64 {
	w := s.out.Window + s.ep.ramp.trim
	if s.ep.state == epRecovery && s.ep.prr.active {
		w = s.ep.prr.cwnd
	}
	if s.burstCap > 0 {
		w = min(w, s.burstCap)
	}
	return w
}

// canSend reports whether the window lets a segment of that many octets out.
func (s *subconn) canSend(size int64) bool {
	return s.outstanding()+size <= s.window() || s.outstanding() <= 0
}

// noteRound starts a new cwnd-limited record when a round ended.
func (s *subconn) noteRound() {
	if s.round != s.meter.round {
		s.round = s.meter.round
		s.limited = [2]bool{false, s.limited[0]}
	}
}

// newSubconns creates the sub-connections once the handshake has settled the segment size.
func (c *Conn) newSubconns() {
	c.useSubconn()
	c.turn = uint8(len(c.subs) - 1)
	for i := range c.subs {
		s := &c.subs[i]
		s.id = uint8(i)
		s.ctrl = c.cfg.Algorithm.New(cc.Params{
			MSS:             int64(c.path.full),
			InitialWindow:   c.shareOfWindow(),
			InitialSsthresh: c.initialSsthresh() / int64(len(c.subs)),
			StartWindow:     c.stack.hosts.start.window / int64(len(c.subs)),
			MaxWindow:       cc.MaxWindow,
			Paced:           c.on&Pacing != 0,
			SlowStart:       int64(c.cfg.SlowStart),
			PerACK:          c.on&PerACK != 0,
			FlightSsthresh:  c.cfg.FlightSsthresh,
			HyStart:         c.on&HyStart != 0,
			Rand:            c.stack.rng,

			LimitedSlowStart: c.on&LimitedSlowStart != 0,
		})
		s.out = s.ctrl.Output()
	}
}

// useSubconn has the connection use its sub-connections. An ordinary one has its only one within itself.
func (c *Conn) useSubconn() {
	if c.subs = c.one[:]; c.cfg.SubConnections > 1 {
		c.subs = make([]subconn, c.cfg.SubConnections)
	}
}

// shareOfWindow returns the first window of each sub-connection in octets: its part of the ordinary one, but at least a segment.
func (c *Conn) shareOfWindow() int64 {
	if len(c.subs) == 1 {
		return c.initialWindow()
	}
	mss := int64(c.path.full)
	return max(c.usualStart()/int64(len(c.subs))/mss, 1) * mss
}

// nextSub returns the sub-connection whose turn it is to send a segment of that many octets: the next one, going round, whose window has
// room, else the one after the last. Those whose windows are full so wait in the order in which they sent.
func (c *Conn) nextSub(size int) *subconn {
	if len(c.subs) == 1 {
		return &c.subs[0]
	}
	k := int(c.turn)
	for range c.subs {
		if k++; k >= len(c.subs) {
			k = 0
		}
		if s := &c.subs[k]; (s.lost.count == 0 || s.holdsRetransmissions()) && s.canSend(int64(size)) {
			return s
		}
		c.subs[k].limited[0] = true
	}
	return &c.subs[(int(c.turn)+1)%len(c.subs)]
}

// opening reports whether the first flight is as large as one may be, whatever the number of sub-connections: ten segments, or what
// the configuration says (RFC 6928 s.2). One that is spread over a round trip has its own bound.
func (c *Conn) opening(size int) bool {
	if len(c.subs) == 1 || c.pace.rate > 0 || c.snd.fack != c.snd.iss+1 || c.sent.Lost > 0 {
		return false // something has been heard of it
	}
	return c.flight()+size > max(c.cfg.InitialWindow, 10)*c.path.full
}

// initialWindow returns the first window in octets, or 0 for the controller's own default (RFC 6928). After a
// lost SYN it is one segment (RFC 5681 s.3.1), but not if the timestamp echo shows that the retransmission was
// needless.
func (c *Conn) initialWindow() int64 {
	if c.hand.retries > 0 && !c.hand.spurious {
		return int64(c.path.full)
	}
	return int64(c.cfg.InitialWindow * c.path.full)
}

// tellAck reports the processed ACK to s's controller.
func (c *Conn) tellAck(now mono.Time, s *subconn, rtt time.Duration, state cc.State) {
	rate := s.meter.finish(now, c.rtt.minRTT)
	owd, hasOWD := c.oneWayDelay()
	s.noteRound()
	s.ctrl.OnAck(cc.Ack{
		Now:         now,
		Acked:       s.share.acked,
		Delivered:   s.share.delivered,
		RTT:         rtt,
		SRTT:        c.rtt.srtt,
		MinRTT:      c.rtt.minRTT,
		OneWayDelay: owd,
		HasOWD:      hasOWD,
		InFlight:    s.outstanding(),
		PriorFlight: s.share.flight,
		Rate:        rate,
		Round:       s.meter.round,
		CwndLimited: s.limited[0] || s.limited[1],
		AppLimited:  s.meter.appLimited != 0,
		State:       state,
	})
	s.out = s.ctrl.Output()
}

// episodeState says where a sub-connection's loss recovery stands.
type episodeState uint8

const (
	epOpen     episodeState = iota
	epRecovery              // fast recovery
	epLoss                  // slow start after a timeout, until point is acknowledged
)

// episode is one recovery episode.
type episode struct {
	state   episodeState
	force   bool      // the first retransmission leaves whatever the window says
	answer  bool      // a timeout was taken for noise, and the answer to its retransmission is still to come
	reduced bool      // with ECN: that reduction is the answer to all congestion up to cutEnd
	point   wire.Seq  // the episode ends when this is acknowledged (RFC 6675's RecoveryPoint, RFC 6582's recover)
	opener  wire.Seq  // where the segment begins that opened it (recovery_nack.go)
	cutEnd  wire.Seq  // see reduced
	cutAt   mono.Time // the latest window reduction
	prr     prr
	ramp    rampdown
	undo    undo
}

// ageEpisode forgets an episode that is long over, before the sequence space wraps and it seems to lie ahead.
func (s *subconn) ageEpisode(una wire.Seq) {
	if una.Sub(s.ep.point) > maxWindow {
		s.ep.point = una.Add(-maxWindow)
		s.ep.undo.armed = false
	}
}

// respond begins or deepens an episode for each sub-connection that has newly lost segments.
func (c *Conn) respond(now mono.Time) {
	for i := range c.subs {
		s := &c.subs[i]
		if s.share.lost == 0 {
			continue
		}
		switch {
		case s.ep.state == epOpen:
			c.enterRecovery(now, s)
		case s.ep.state == epRecovery && s.share.lostSince && !c.cfg.Recovery.Splits(): // there one recovery is one cut
			// The loss of what was sent since the window was cut, for the first time or again, is a new sign of congestion
			// (RFC 5681 s.4.3, RFC 8985 s.3.4), and so a window of data of its own.
			s.ep.undo.armed = false
			s.ep.point = c.snd.nxt
			c.cut(now, s, cc.Loss)
			c.startPRR(s)
		}
	}
}

// enterRecovery begins fast recovery of s.
func (c *Conn) enterRecovery(now mono.Time, s *subconn) {
	c.release() // a hole of our own would confuse the repair
	c.sent.FastRetransmits++
	s.ep.state = epRecovery
	s.ep.point = c.snd.nxt
	s.ep.force = true
	s.rescued = false
	s.burstCap = 0
	// Losses and marks in one window of data are one sign of congestion (RFC 3168 s.6.1.2).
	again := s.ep.reduced && c.snd.una.Less(s.ep.cutEnd)
	s.ep.undo = undo{armed: !again, marker: c.snd.una, kind: cc.Loss}
	if !again {
		c.cut(now, s, cc.Loss)
	}
	if s.ep.opener = s.share.opener; c.cfg.Recovery.Splits() {
		s.ep.undo.armed = false // what shows that an episode was spurious is known of the connection, not of one of its windows
	}
	c.startPRR(s)
}

// startPRR starts proportional rate reduction towards the window that the controller has just chosen.
func (c *Conn) startPRR(s *subconn) {
	s.ep.prr.active = false
	d, _ := c.detect.(*dupDetector)
	if (c.rack != nil || d != nil && d.reducing) && !s.out.Direct {
		s.ep.prr = newPRR(s.out.Window, s.outstanding()+s.lostSize+s.share.arrived(s))
		s.ep.prr.cwnd = s.outstanding() // until the ACK is accounted for
	}
}

// cut tells s's controller of congestion, unless the policy calls a loss noise (RFC 1106 s.4.2).
func (c *Conn) cut(now mono.Time, s *subconn, kind cc.Kind) {
	s.ep.cutAt = max(now, c.lastSentAt+1) // of what leaves at this instant, only what is still to come
	c.traceEpisode(now, s, kind)
	if kind == cc.Loss && c.cfg.Policy != LossIsCongestion {
		return
	}
	s.full = kind != cc.Loss || c.rtt.queueing()
	e := cc.Congestion{Kind: kind, Now: now, InFlight: c.flightOf(s)}
	_, fack := c.detect.(*fackDetector)
	fack = fack && kind == cc.Loss
	if fack {
		e.SentWindow = c.overdamp(s)
	}
	from := s.out.Window
	s.ctrl.OnCongestion(e)
	s.out = s.ctrl.Output()
	c.noteReduction(s, kind)
	if fack && !s.out.Direct {
		s.ep.ramp = rampdown{from: from, end: c.snd.nxt}
	}
}

// leaveRecovery ends fast recovery of s.
func (s *subconn) leaveRecovery() {
	s.ep.state = epOpen
	s.ep.force = false
	s.ep.prr.active = false
	s.ep.ramp = rampdown{}
	s.dupacked = 0
}

// beginLoss begins the repair that follows a timeout and ends when point is acknowledged.
func (s *subconn) beginLoss(now mono.Time, point wire.Seq) {
	s.leaveRecovery()
	s.burstCap = 0
	s.ep.state = epLoss
	s.ep.point = point
	s.ep.force = true
	s.ep.cutAt = now
	s.ep.answer = false
}

// enterLoss reacts to a retransmission timeout: one segment, then slow start (RFC 5681 s.3.1, RFC 6298 s.5).
// Repeated says that the timer had backed off already.
func (c *Conn) enterLoss(now mono.Time, s *subconn, repeated bool) {
	s.beginLoss(now, c.snd.nxt)
	c.traceEpisode(now, s, cc.Timeout)
	s.ctrl.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: now, InFlight: c.flightOf(s), Repeated: repeated})
	s.out = s.ctrl.Output()
	c.noteReduction(s, cc.Timeout)
}
