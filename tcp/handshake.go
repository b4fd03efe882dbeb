package tcp

import (
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// handshake is what matters only until a connection is established.
type handshake struct {
	passive  bool // came out of a Listener
	cookie   bool // and out of a cookie: this end sent the SYN-ACK and forgot it
	begun    bool
	opts     wire.OptionSet // what the peer's SYN offered
	listener *Listener      // it came from there, and was not accepted yet
	synAt    mono.Time      // first transmission of our SYN
	retries  int            // retransmissions of it by the timer
	again    bool           // retransmitted because the peer's SYN came again
	spurious bool           // the timestamp echo showed that they were needless
	firstTS  uint32         // TSval of the first transmission

	bigWindow int64 // octets: the window that the peer starts with, if big windows were agreed on
	bare      int   // segments in a row without the upper window
	tell      int   // ACKs to send so that the peer falls back too
}

// minMSS is the smallest segment size taken from a peer: smaller ones would make our work per octet its weapon.
const minMSS = 88

// The send MSS when the peer names none (RFC 9293 s.3.7.1).
const (
	defaultMSS4 = 536
	defaultMSS6 = 1220
)

// open starts an active open: SYN-SENT (RFC 9293 s.3.10.1).
func (c *Conn) open(now mono.Time) {
	c.state = SynSent
	c.want |= wantSYN
	c.recallRTT(now)
	c.lastProgress, c.clock.since = now, now
	if c.cfg.UserTimeout > 0 {
		c.timers.set(timerUser, now.Add(c.cfg.UserTimeout))
	}
}

// emitSYN builds the SYN or SYN-ACK and starts its timer.
func (c *Conn) emitSYN(now mono.Time, p *wire.Packet) {
	c.want &^= wantSYN
	flags := wire.SYN
	if c.state == SynReceived {
		flags |= wire.ACK
		c.ackp.sent(c)
	}
	c.header(now, p, flags|c.offerECN(), c.snd.iss)
	p.Window = uint16(min(c.rcv.limit, 65535)) // a SYN's window is never scaled (RFC 7323 s.2.2)
	o := &p.Options
	*o = wire.Options{Set: wire.OptMSS, MSS: uint16(c.cfg.MSS)}
	if c.on&SACK != 0 && c.offered(wire.OptSACKPermitted) {
		o.Set |= wire.OptSACKPermitted
	}
	if c.on&Timestamps != 0 && c.offered(wire.OptTimestamps) {
		o.Set |= wire.OptTimestamps
		o.TSVal, o.TSEcr = c.tsVal(now), c.rcv.tsRecent
	}
	if c.on&WindowScaling != 0 && c.offered(wire.OptWindowScale) {
		o.Set |= wire.OptWindowScale
		o.WindowScale = c.rcv.scale
	}
	c.offerRFC1106(o)
	if !c.hand.begun {
		c.hand.begun, c.hand.synAt, c.hand.firstTS = true, now, c.tsVal(now)
		c.snd.nxt = c.snd.iss + 1
	}
	if !c.timers.running(timerRTO) { // a SYN that comes again and again must not keep the attempt alive
		c.armRTO(now)
	}
}

// offered reports whether an option may be in our SYN: always in a first SYN, in an answer only when the peer's
// SYN had it (RFC 7323 s.1.3, RFC 2018 s.2).
func (c *Conn) offered(o wire.OptionSet) bool {
	return c.state == SynSent || c.hand.opts&o != 0
}

// takeSYN learns from the peer's SYN or SYN-ACK.
func (c *Conn) takeSYN(now mono.Time, p *wire.Packet) {
	o := &p.Options
	c.hand.opts = o.Set
	c.rcv.irs, c.rcv.nxt, c.rcv.lastACK = p.Seq, p.Seq+1, p.Seq+1
	c.rcv.edge = c.rcv.nxt.Add(min(c.rcv.limit, 65535))
	c.lastHeard = now
	if !o.Has(wire.OptSACKPermitted) {
		c.on &^= SACK
	}
	if !o.Has(wire.OptTimestamps) {
		c.on &^= Timestamps
	} else {
		c.rcv.tsRecent, c.rcv.tsRecentAt = o.TSVal, now
	}
	c.agreeRFC1106(o)
	c.agreeECN(p.Flags)
	if !o.Has(wire.OptWindowScale) {
		c.on &^= WindowScaling
	}
	switch {
	case c.on&BigWindow != 0:
		c.rcv.scale, c.rcv.most = 0, maxWindow
	case c.on&WindowScaling != 0:
		c.snd.scale = min(o.WindowScale, 14) // RFC 7323 s.2.3
		c.rcv.most = 65535 << c.rcv.scale
	default:
		c.rcv.scale = 0
		c.smallWindows()
	}
	// The options of every data segment take their room from the payload (RFC 6691 s.3).
	c.snd.mss = min(peerMSS(p), c.cfg.MSS) - c.on.dataOptions(c.stack.encoding)
	c.startPath(now)
	c.rcv.mss = min(c.snd.mss, defaultMSS4) // until the peer shows what it sends
	c.snd.wl1, c.snd.wl2 = p.Seq, c.snd.una
	c.snd.open(c.snd.iss+1, int64(p.Window), maxWindow)
}

// peerMSS returns the segment size that p, a SYN, allows.
func peerMSS(p *wire.Packet) int {
	switch {
	case p.Options.Has(wire.OptMSS):
		return max(int(p.Options.MSS), minMSS)
	case p.Src.Addr().Is6():
		return defaultMSS6
	}
	return defaultMSS4
}

// dataOptions returns the octets of options in every data segment when those features are in force.
func (f Feature) dataOptions(e wire.Encoding) int {
	var o wire.Options
	if f&Timestamps != 0 {
		o.Set |= wire.OptTimestamps
	}
	if f&BigWindow != 0 {
		o.Set |= wire.OptUpperWindow
	}
	return o.Len(e)
}

// startAt has our sequence numbers begin elsewhere, as long as our SYN has not been sent.
func (c *Conn) startAt(iss wire.Seq) {
	c.snd.edge = c.snd.edge.Add(iss.Sub(c.snd.iss))
	c.snd.iss, c.snd.una, c.snd.nxt, c.snd.wl2 = iss, iss, iss, iss
}

// establish completes the handshake; p acknowledges our SYN.
func (c *Conn) establish(now mono.Time, p *wire.Packet) {
	c.timers.stop(timerRTO)
	c.rtt.backoff = 0
	if c.hand.passive {
		c.takeQuota()
	}
	c.state = Established
	c.snd.una = c.snd.iss + 1
	c.snd.small = c.snd.una
	c.snd.fack = c.snd.una
	c.lastProgress = now
	c.sampleHandshake(now, p)
	if c.on&BigWindow != 0 {
		c.rcv.edge = c.rcv.nxt.Add(min(c.rcv.limit, maxWindow))
		c.snd.open(c.snd.una, c.hand.bigWindow, c.wrapLimit()) // until the first upper window (C-5)
	}
	c.tlp.sampled = c.rtt.srtt > 0
	c.recallWindow(now)
	c.newSubconns()
	c.spreadStart(now)
	for i := range c.subs {
		c.subs[i].ep.point = c.snd.iss
	}
	c.finds = detectors{dup: dupDetector{partial: c.cfg.Recovery != DupACK, reducing: c.cfg.Recovery == RACK}, rack: rackDetector{mult: 1}}
	c.useDetector()
	c.snd.rttRound = c.snd.nxt
	c.rcv.startTuning(now, c.rtt.srtt)
	c.ackp.quick = quickACKs
	if c.cfg.KeepAlive.Idle > 0 {
		c.timers.set(timerKeepAlive, now.Add(c.cfg.KeepAlive.Idle))
	}
	if l := c.hand.listener; l != nil {
		l.established(c)
	}
	c.stack.changed(c)
}

// sampleHandshake takes the first RTT sample. After a retransmission of the SYN only the timestamp echo tells
// which copy was answered (RFC 6298 s.3); without it the timeout starts at 3 s (s.5.7).
func (c *Conn) sampleHandshake(now mono.Time, p *wire.Packet) {
	h := &c.hand
	switch {
	case h.cookie: // nobody remembers when the SYN-ACK left
	case h.retries == 0 && !h.again:
		if d := now.Sub(h.synAt); d > 0 {
			c.rtt.sample(d, true)
			c.honest.floor = d // nobody answers a SYN that has not arrived: its number is random
		}
	case c.on&Timestamps != 0 && p.Options.Has(wire.OptTimestamps):
		h.spurious = p.Options.TSEcr == h.firstTS
		if ms := int32(c.tsVal(now) - p.Options.TSEcr); ms > 0 {
			c.rtt.sample(time.Duration(ms)*time.Millisecond, true)
		}
	case h.retries > 0:
		c.rtt.cautious = true
	}
}

// onHandshakeTimeout sends the SYN or SYN-ACK again, or gives up.
func (c *Conn) onHandshakeTimeout(now mono.Time) {
	if c.hand.retries >= maxSYNRetries || c.hand.passive && c.hand.retries >= maxSYNACKRetries {
		c.fail(c.timedOut())
		return
	}
	c.hand.retries++
	c.rtt.backoff++
	c.want |= wantSYN
}

// inSynSent is segment arrival in SYN-SENT (RFC 9293 s.3.10.7.3).
func (c *Conn) inSynSent(now mono.Time, p *wire.Packet) {
	ackOK := false
	if p.Flags&wire.ACK != 0 {
		if p.Ack.LessEq(c.snd.iss) || c.snd.nxt.Less(p.Ack) {
			if p.Flags&wire.RST == 0 {
				c.stack.reset(now, p)
			}
			return
		}
		ackOK = true
	}
	if p.Flags&wire.RST != 0 {
		if ackOK {
			c.fail(ErrRefused)
		}
		return
	}
	if p.Flags&wire.SYN == 0 {
		return
	}
	c.takeSYN(now, p)
	if !ackOK { // simultaneous open
		c.state = SynReceived
		c.want |= wantSYN
		c.timers.stop(timerRTO)
		return
	}
	c.establish(now, p)
	c.ackp.now = true
	if rest := afterSYN(p); rest.SegLen() > 0 {
		c.takeData(now, &rest)
	}
}

// afterSYN returns what remains of a segment once its SYN has been dealt with.
func afterSYN(p *wire.Packet) wire.Packet {
	rest := *p
	rest.Seq++
	rest.Flags &^= wire.SYN
	return rest
}
