package tcp

import (
	"net/netip"

	"longhaul/mono"
	"longhaul/wire"
)

// Listener takes connections that peers open to one local address.
type Listener struct {
	stack      *Stack
	local      netip.AddrPort
	cfg        Config // with defaults filled in
	backlog    int
	waiting    []*Conn   // established, not accepted yet
	opening    int       // in SYN-RECEIVED
	cookiesEnd mono.Time // until then the answer to a SYN cookie may come
	closed     bool
}

// Listen makes the stack accept connections to local. At most backlog of them (0 means 128) are half open, and as many wait
// to be accepted. With all half-open ones in use, which forged addresses may do, further SYNs are answered with SYN
// cookies; while as many wait to be accepted, SYNs are ignored, so that the peer tries again.
func (s *Stack) Listen(local netip.AddrPort, backlog int, cfg Config) (*Listener, error) {
	if !local.Addr().IsValid() || local.Port() == 0 {
		return nil, ErrAddress
	}
	if s.listeners[local] != nil {
		return nil, ErrInUse
	}
	if backlog <= 0 {
		backlog = 128
	}
	l := &Listener{stack: s, local: local, cfg: cfg.withDefaults(local.Addr().Is6()), backlog: backlog}
	s.listeners[local] = l
	return l, nil
}

// Accept returns the next established connection, or nil.
func (l *Listener) Accept() *Conn {
	if len(l.waiting) == 0 {
		return nil
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	c.hand.listener = nil
	l.stack.wake(c) // from now on it may rest
	return c
}

// Close stops listening. Connections that were not accepted are aborted.
func (l *Listener) Close() {
	if l.closed {
		return
	}
	l.closed = true
	delete(l.stack.listeners, l.local)
	for _, c := range l.waiting {
		c.hand.listener = nil
		c.Abort()
	}
	l.waiting = nil
}

// takeSYN answers a peer's SYN (RFC 9293 s.3.10.7.2).
func (l *Listener) takeSYN(now mono.Time, p *wire.Packet) {
	switch {
	case l.full():
	case l.opening >= l.backlog:
		l.sendCookie(now, p)
	default:
		l.admit(now, p)
	}
}

// full reports whether no more connections may wait to be accepted.
func (l *Listener) full() bool { return len(l.waiting) >= l.backlog }

// admit makes a half-open connection for the SYN p. It returns nil if there can be none.
func (l *Listener) admit(now mono.Time, p *wire.Packet) *Conn {
	c, err := l.stack.newConn(now, connKey{p.Dst, p.Src}, &l.cfg)
	if err != nil {
		return nil
	}
	l.opening++
	c.hand.passive, c.hand.listener = true, l
	c.open(now)
	c.state = SynReceived
	c.takeSYN(now, p)
	l.stack.wake(c)
	return c
}

// established moves c from opening to waiting.
func (l *Listener) established(c *Conn) {
	l.opening--
	if l.closed {
		c.hand.listener = nil
		c.Abort()
		return
	}
	l.waiting = append(l.waiting, c)
}

// gone notes that c ended before it was accepted.
func (l *Listener) gone(c *Conn) {
	for i, w := range l.waiting {
		if w == c {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
	l.opening--
}
