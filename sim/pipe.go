package sim

import (
	"net/netip"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/wire"
)

// Node is something with an address at the end of a path.
type Node interface {
	// Deliver takes a packet that arrived; p is lent until Deliver returns.
	Deliver(now mono.Time, p *wire.Packet)
}

// pipe is a link in the event loop: one entry, whatever it carries.
type pipe struct {
	w      *World
	link   *link.Link
	handle *Handle
	delay  time.Duration // of propagation
	held   *link.Packet  // came out of the link when it was asked for the time; delivered by the next Step
	ports  []port
}

// port is a node that a pipe delivers to.
type port struct {
	addr netip.Addr
	node Node
}

func newPipe(w *World, cfg link.Config) (*pipe, error) {
	l, err := link.New(cfg, &w.pool)
	if err != nil {
		return nil, err
	}
	p := &pipe{w: w, link: l, delay: cfg.Delay}
	p.handle = w.Add(p, mono.Never)
	return p, nil
}

// Step delivers what has arrived, one packet at a time so that others due at this instant get their turn.
func (p *pipe) Step(now mono.Time) mono.Time {
	k := p.held
	p.held = nil
	if k == nil {
		var next mono.Time
		if k, next = p.link.Poll(now); k == nil {
			return next
		}
	}
	p.deliver(now, k)
	return p.next(now)
}

// next returns when the link has something to give; what it gives at once is held for the next Step.
func (p *pipe) next(now mono.Time) mono.Time {
	if p.held != nil {
		return now
	}
	k, next := p.link.Poll(now)
	if k != nil {
		p.held = k
		return now
	}
	return next
}

// kick tells the event loop what the packets sent since the last kick changed. It never delivers, so that a sender
// on a link without delay does not find itself inside its own reply.
func (p *pipe) kick(now mono.Time) { p.handle.Wake(p.next(now)) }

// deliver hands k to the node it is addressed to, unless the frame check drops it, and takes it back.
func (p *pipe) deliver(now mono.Time, k *link.Packet) {
	w := p.w
	q := &k.Wire
	if w.Wire {
		q = w.codec.cross(w, k)
	}
	if q != nil && !k.Corrupt {
		if n := p.find(q.Dst.Addr()); n != nil {
			w.record(now, q)
			n.Deliver(now, q)
		}
	}
	w.pool.Put(k)
}

// find returns the node with that address and moves it to the front, where the next packet will find it.
func (p *pipe) find(a netip.Addr) Node {
	for i := range p.ports {
		if p.ports[i].addr == a {
			n := p.ports[i].node
			if i > 0 {
				p.ports[i], p.ports[i-1] = p.ports[i-1], p.ports[i]
			}
			return n
		}
	}
	return nil
}
