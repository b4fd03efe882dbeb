package tcp

import (
	"longhaul/mono"
	"longhaul/wire"
)

// Close ends both halves: what was written is still sent, with a FIN behind it, and nothing more is read. A peer whose data
// nobody will read is told so with a RST, at once if there is some, else when more arrives (RFC 9293 s.3.6.1); in TIME-WAIT
// nobody is left to be told. An attempt to connect that has had no answer is given up (s.3.10.4).
func (c *Conn) Close() {
	c.resume()
	if c.state == Closed || c.rcv.shut {
		return
	}
	if c.rcv.buf.top > 0 && c.state != TimeWait || c.state == SynSent {
		c.Abort()
		return
	}
	c.rcv.shut = true
	c.CloseWrite()
	c.stack.wake(c)
}

// unwanted reports whether p brings data that nobody will read any more, and resets the connection if so.
func (c *Conn) unwanted(p *wire.Packet) bool {
	if p.PayloadLen == 0 || p.Seq.Add(p.PayloadLen).LessEq(c.rcv.nxt) {
		return false
	}
	c.Abort()
	return true
}

// limitFinWait2 bounds how long a closed connection waits for the peer's FIN. Without Close the application still reads,
// and decides itself how long.
func (c *Conn) limitFinWait2(now mono.Time) {
	if c.rcv.shut && c.state == FinWait2 && !c.timers.running(timerLinger) {
		c.timers.set(timerLinger, now.Add(c.cfg.Timers.FinWait2))
	}
}

// sentFIN moves the state on when our FIN left (RFC 9293 s.3.10.4).
func (c *Conn) sentFIN() {
	c.snd.finSent = true
	switch c.state {
	case Established:
		c.state = FinWait1
	case CloseWait:
		c.state = LastAck
	}
}

// afterFIN moves the state on when the peer has acknowledged our FIN (RFC 9293 s.3.10.7.4, fifth step).
func (c *Conn) afterFIN(now mono.Time) {
	if !c.snd.finAcked {
		return
	}
	switch c.state {
	case FinWait1:
		c.state = FinWait2
	case Closing:
		c.enterTimeWait(now)
	case LastAck:
		c.finish(nil)
	}
}

// gotFIN moves the state on when everything up to the peer's FIN has arrived (eighth step).
func (c *Conn) gotFIN(now mono.Time) {
	r := &c.rcv
	r.nxt++
	r.edge = wire.MaxSeq(r.edge, r.nxt)
	r.finDone = true
	r.ooo, r.numRecent, r.buf.top = nil, 0, r.buf.ready // nothing lies beyond the end
	c.ackp.now = true
	switch c.state {
	case Established:
		c.state = CloseWait
	case FinWait1:
		c.state = Closing // afterFIN has seen to the case that our FIN is acknowledged
	case FinWait2:
		c.enterTimeWait(now)
	}
	c.stack.changed(c)
}

// enterTimeWait waits until old duplicates have died out (RFC 9293 s.3.6.1).
func (c *Conn) enterTimeWait(now mono.Time) {
	c.share()
	c.state = TimeWait
	c.timers = newTimerSet()
	c.timers.set(timerLinger, now.Add(c.cfg.Timers.TimeWait))
	c.stack.linger(c)
	c.stack.changed(c)
}

// linger keeps account of a connection that enters TIME-WAIT, and ends the oldest one if they are too many.
func (s *Stack) linger(c *Conn) {
	q := &s.timeWait
	q.push(c)
	for old := q.front(); old.state != TimeWait || len(q.items)-q.head > s.maxTimeWait; old = q.front() {
		q.pop()
		if old.state == TimeWait {
			old.finish(nil)
		}
	}
}
