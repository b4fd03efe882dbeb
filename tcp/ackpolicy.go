package tcp

import "longhaul/mono"

// ackPolicy decides when received data is acknowledged (RFC 5681 s.4.2, RFC 9293 s.3.8.6.3).
type ackPolicy struct {
	now     bool // an ACK is due at once
	pending int  // octets received in order and not acknowledged
	quick   int  // segments still to be acknowledged one by one
}

// quickACKs is how many of a connection's first segments are acknowledged at once, so that a sender in slow
// start does not wait for a delayed ACK.
const quickACKs = 16

// onData notes that octets arrived in order: every second full segment is acknowledged at once, less than that
// after a delay.
func (a *ackPolicy) onData(c *Conn, now mono.Time, octets int) {
	a.pending += octets
	if a.quick > 0 {
		a.quick--
		a.now = true
	}
	if c.on&DelayedACK == 0 || a.pending >= 2*c.rcv.mss {
		a.now = true
	}
	if !a.now && !c.timers.running(timerDelayed) {
		c.timers.set(timerDelayed, c.rtt.expire(now.Add(c.cfg.Timers.DelayedACK)))
	}
}

// sent notes that a segment carried the latest acknowledgement.
func (a *ackPolicy) sent(c *Conn) {
	a.now = false
	a.pending = 0
	c.timers.stop(timerDelayed)
}
