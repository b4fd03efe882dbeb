package sim

import (
	"fmt"
	"net/netip"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/wire"
)

// App is an application on one connection.
type App interface {
	// Ready runs when c may have become connected, readable, writable or closed. It runs inside the event loop and
	// must take or give all it can: it is not called again for the same change.
	Ready(now mono.Time, c *tcp.Conn)
}

// Host is a machine with one TCP stack, one address and one link out. It has no queue of its own: what
// the stack sends goes to the link at once.
type Host struct {
	w         *World
	addr      netip.Addr
	stack     *tcp.Stack
	out       *pipe
	handle    *Handle
	spare     *link.Packet // from the pool, filled by the next Poll
	listeners []listener
	port      uint16 // last ephemeral port given out
	tap       *tap   // nil when nobody looks
}

type listener struct {
	l      *tcp.Listener
	accept func(c *tcp.Conn) App
}

func newHost(w *World, name string, addr netip.Addr, out *pipe) (*Host, error) {
	s, err := tcp.NewStack(tcp.StackConfig{Encoding: w.Encoding}, w.Rand("stack "+name))
	if err != nil {
		return nil, fmt.Errorf("sim: host %s: %w", name, err)
	}
	h := &Host{w: w, addr: addr, stack: s, out: out, port: 49151}
	h.handle = w.Add(h, mono.Never)
	return h, nil
}

// AddrPort returns the host's address with that port.
func (h *Host) AddrPort(port uint16) netip.AddrPort { return netip.AddrPortFrom(h.addr, port) }

// Wake makes the host look at its stack again at the present instant. An application that acts outside its own
// Ready, for example from a timer, calls it afterwards.
func (h *Host) Wake() { h.handle.Wake(h.w.now) }

// Dial opens a connection from a fresh local port, on which app runs.
func (h *Host) Dial(remote netip.AddrPort, cfg tcp.Config, app App) (*tcp.Conn, error) {
	h.port++
	c, err := h.stack.Dial(h.w.now, h.AddrPort(h.port), remote, cfg)
	if err != nil {
		return nil, err
	}
	c.SetUser(app)
	h.Wake()
	return c, nil
}

// Listen accepts connections to port; accept returns the application of each, or nil for none.
func (h *Host) Listen(port uint16, backlog int, cfg tcp.Config, accept func(c *tcp.Conn) App) error {
	l, err := h.stack.Listen(h.AddrPort(port), backlog, cfg)
	if err != nil {
		return err
	}
	h.listeners = append(h.listeners, listener{l, accept})
	return nil
}

// Deliver takes a packet from the link and answers at once.
func (h *Host) Deliver(now mono.Time, p *wire.Packet) {
	if p.Protocol != wire.ProtocolTCP {
		return
	}
	if h.tap != nil {
		h.tap.observe(now, p)
	}
	h.stack.Input(now, p)
	h.handle.Wake(h.Step(now))
}

// Step runs the applications and sends what the stack has to send.
func (h *Host) Step(now mono.Time) mono.Time {
	h.serve(now)
	sent := false
	for h.w.stopped == nil {
		p := h.spare
		if p == nil {
			p = h.w.pool.Get()
			h.spare = p
		}
		ok, next := h.stack.Poll(now, &p.Wire)
		if ok {
			h.spare = nil
			sent = true
			if h.tap != nil {
				h.tap.observe(now, &p.Wire)
			}
			h.w.send(now, h.out, p)
			continue
		}
		if h.serve(now) {
			continue
		}
		if sent {
			h.out.kick(now)
		}
		return next
	}
	return mono.Never
}

// serve runs the applications of the connections that changed and reports whether there were any.
func (h *Host) serve(now mono.Time) bool {
	any := false
	for c := h.stack.Changed(); c != nil; c = h.stack.Changed() {
		any = true
		h.w.count()
		if h.w.stopped != nil {
			return false
		}
		if c.User() == nil {
			h.accept()
		}
		if app, ok := c.User().(App); ok {
			app.Ready(now, c)
		}
	}
	return any
}

// accept gives every newly accepted connection its application.
func (h *Host) accept() {
	for _, l := range h.listeners {
		for c := l.l.Accept(); c != nil; c = l.l.Accept() {
			if app := l.accept(c); app != nil {
				c.SetUser(app)
			}
		}
	}
}

// send puts a filled-in pooled packet on a link. The caller kicks the pipe when it has sent all it has.
func (w *World) send(now mono.Time, out *pipe, p *link.Packet) {
	w.count()
	p.Size = wire.EncodedLen(&p.Wire, w.Encoding)
	p.Corrupt = false
	p.Frame = p.Frame[:0]
	out.link.Send(now, p)
}
