package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
)

// resting is what a connection at rest has in place of its flow.
type resting struct {
	packed string // empty while there is a flow
	ctrl   cc.Controller
}

// maxSpares bounds the flows that a stack keeps for connections that resume.
const maxSpares = 16

// newFlow gives the connection a flow as at its beginning.
func (c *Conn) newFlow() {
	s := c.stack
	if n := len(s.spares); n > 0 {
		c.flow = s.spares[n-1]
		s.spares = s.spares[:n-1]
		*c.flow = flow{}
	} else {
		c.flow = new(flow)
	}
	c.timers = newTimerSet()
	c.rtt.timers = &c.cfg.Timers
	c.work = &s.work
}

// dropFlow takes it away.
func (c *Conn) dropFlow() {
	if s := c.stack; len(s.spares) < maxSpares {
		*c.flow = flow{} // it holds no memory that others could use
		s.spares = append(s.spares, c.flow)
	}
	c.flow = nil
}

// watchIdle has the timer look whether the connection has become idle. Between the requests and answers of a busy one it
// stays as it is.
func (c *Conn) watchIdle(now mono.Time) {
	if !c.idle && c.synchronised() && c.snd.buf.size == 0 && c.board.empty() && !c.timers.running(timerIdle) {
		c.timers.set(timerIdle, now.Add(c.rtt.rto()))
	}
}

// onIdle ends that watch when nothing has happened for the time of a retransmission.
func (c *Conn) onIdle(now mono.Time) {
	due := max(c.lastSentAt, c.lastHeard).Add(c.rtt.rto())
	switch {
	case c.snd.buf.size > 0 || !c.board.empty(): // when that is acknowledged, the watch begins again
	case now < due:
		c.timers.set(timerIdle, due)
	default:
		c.idle = true
	}
}

// quiet reports whether only a packet, the application or one of the slow timers can have the connection do anything, and
// whether its flow holds nothing but what pack keeps.
func (c *Conn) quiet() bool {
	r := &c.rcv
	if !c.synchronised() || c.hand.listener != nil || c.want != 0 || !c.board.empty() || c.snd.buf.size > 0 || c.snd.closing && !c.snd.finSent {
		return false
	}
	if r.buf.top > 0 || len(r.ooo) > 0 || r.naked != (nakReceiver{}) || c.ackp.now || c.ackp.pending > 0 {
		return false
	}
	for k := range numTimers {
		if slow := k == timerKeepAlive || k == timerLinger || k == timerUser || k == timerIdle; c.timers.running(k) && !slow {
			return false
		}
	}
	for i := range c.subs {
		if c.subs[i].ep.state != epOpen || c.subs[i].meter.have {
			return false
		}
	}
	return len(c.subs) == 1
}

// rest packs the flow of a quiet connection. Whatever happens to it next has it resumed and polled.
func (c *Conn) rest() {
	if !c.quiet() {
		return
	}
	k := &c.stack.packer
	k.begin("")
	k.flow(c)
	c.packed, c.ctrl = k.result(), c.subs[0].ctrl
	c.dropFlow()
}

// unpack gives a connection at rest its flow, and reports whether it was at rest.
func (c *Conn) unpack() bool {
	if c.flow != nil {
		return false
	}
	c.newFlow()
	c.useSubconn()
	c.subs[0].ctrl = c.ctrl
	k := &c.stack.packer
	k.begin(c.packed)
	k.flow(c)
	c.subs[0].out = c.ctrl.Output()
	c.useDetector()
	return true
}

// resume ends the rest of a connection, if it is at rest.
func (c *Conn) resume() {
	if c.unpack(); c.packed != "" {
		c.resting = resting{}
		c.stack.wake(c)
	}
}

// glance ends a look at a connection, which is at rest again if it was so before and nothing has resumed it.
func (c *Conn) glance(rested bool) {
	if rested && c.packed != "" {
		c.dropFlow()
	}
}
