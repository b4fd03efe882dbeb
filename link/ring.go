package link

import "longhaul/mono"

// ring is a first-in, first-out ring that grows.
type ring[T any] struct {
	items      []T // a power of two long
	head, tail uint
}

func (r *ring[T]) len() int  { return int(r.tail - r.head) }
func (r *ring[T]) front() *T { return &r.items[r.head&uint(len(r.items)-1)] }

func (r *ring[T]) push(v T) {
	if r.len() == len(r.items) {
		r.grow()
	}
	r.items[r.tail&uint(len(r.items)-1)] = v
	r.tail++
}

func (r *ring[T]) grow() {
	items := make([]T, max(16, 2*len(r.items)))
	n := 0
	for ; r.len() > 0; n++ {
		items[n] = r.pop()
	}
	r.items, r.head, r.tail = items, 0, uint(n)
}

func (r *ring[T]) pop() T {
	var zero T
	f := r.front()
	v := *f
	*f = zero
	r.head++
	return v
}

// lane is packets on their way, in order of arrival. The time is kept beside the pointer so that asking for it
// does not touch the packet, which has left the processor's cache long ago when many fly.
type lane struct {
	ring ring[flight]
	last mono.Time
}

type flight struct {
	at mono.Time
	p  *Packet
}

func (l *lane) len() int       { return l.ring.len() }
func (l *lane) front() *flight { return l.ring.front() }
func (l *lane) pop() *Packet   { return l.ring.pop().p }

// push adds p, which arrives no sooner than what was pushed before.
func (l *lane) push(p *Packet) {
	l.last = max(l.last, p.arrive)
	l.ring.push(flight{l.last, p})
}
