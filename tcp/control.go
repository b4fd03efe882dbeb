package tcp

import (
	"net/netip"
	"time"

	"longhaul/mono"
)

// Conn returns the connection between those two addresses, or nil if the stack has none.
func (s *Stack) Conn(local, remote netip.AddrPort) *Conn { return s.conns[connKey{local, remote}] }

// ownConfig returns the connection's configuration for a change: a copy, since a listener's connections share one.
func (c *Conn) ownConfig() *Config {
	own := *c.cfg
	c.cfg, c.rtt.timers = &own, &own.Timers
	return &own
}

// SetNagle has small segments wait for the acknowledgement of what is outstanding, or no longer (RFC 9293 s.3.7.4). What
// they wait for is as Config.Enable has Minshall.
func (c *Conn) SetNagle(on bool) {
	c.on &^= Nagle
	if on {
		c.on |= Nagle
	}
	c.stack.wake(c)
}

// SetUserTimeout changes Config.UserTimeout.
func (c *Conn) SetUserTimeout(now mono.Time, d time.Duration) {
	c.resume()
	if c.state == Closed {
		return
	}
	c.ownConfig().UserTimeout = d
	switch {
	case d <= 0:
		c.timers.stop(timerUser)
	case !c.board.empty() || c.handshaking():
		c.timers.set(timerUser, max(now, c.lastProgress.Add(d)))
	}
	c.stack.wake(c)
}

// SetKeepAlive changes Config.KeepAlive. Silence counts from the last segment that arrived.
func (c *Conn) SetKeepAlive(now mono.Time, k KeepAlive) {
	c.resume()
	if c.state == Closed {
		return
	}
	c.ownConfig().KeepAlive = k.withDefaults()
	c.keepProbes = 0
	switch {
	case k.Idle <= 0:
		c.timers.stop(timerKeepAlive)
	case c.synchronised():
		c.timers.set(timerKeepAlive, max(now, c.lastHeard.Add(k.Idle)))
	}
	c.stack.wake(c)
}

// SetSendBuffer fixes the send buffer at that many octets, as Config.SendBuffer does. What is in it stays.
func (c *Conn) SetSendBuffer(octets int) {
	c.resume()
	if c.state == Closed {
		return
	}
	want := max(clampBuffer(octets), 1)
	c.ownConfig().SendBuffer = want
	if want < c.snd.buf.limit {
		c.snd.buf.limit = c.shrink(c.snd.buf.limit, want)
	} else {
		c.snd.buf.limit = c.grant(c.snd.buf.limit, want)
	}
	c.markWritable()
}
