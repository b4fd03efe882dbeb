package link

import (
	"longhaul/mono"
	"longhaul/wire"
)

// Packet is what a link carries: a decoded packet in the lab, octets on an emulated wire. Whoever sends it fills in
// every exported field, since a pooled one holds what it held before.
type Packet struct {
	Size    int    // octets on the wire: the IP packet without link framing; at most MaxSize
	Flow    uint32 // number of the flow it belongs to, for traces only
	Corrupt bool   // bit errors hit it, here or on a link before: the receiving end's frame check drops it

	arrive mono.Time // when it came to the waiting room; once transmitted, when it leaves the link at the far end
	next   *Packet   // free list

	Frame []byte      // the encoded IP packet, when the driver carries octets
	Wire  wire.Packet // the decoded packet; unused on an emulated wire
}

// MaxSize is the largest Packet.Size and Config.Overhead in octets, far above any real frame: it keeps the transmitter's integer
// arithmetic from overflowing.
const MaxSize = 1 << 28

// Pool is a free list of packets. Not safe for concurrent use; a world has one.
type Pool struct{ free *Packet }

// Get returns a packet with stale contents.
func (l *Pool) Get() *Packet {
	p := l.free
	if p == nil {
		return new(Packet)
	}
	l.free = p.next
	p.next = nil
	return p
}

// Put takes p back. The caller must not use it afterwards.
func (l *Pool) Put(p *Packet) {
	p.next = l.free
	l.free = p
}

// copy returns a second copy of p that shares no memory with it.
func (l *Pool) copy(p *Packet) *Packet {
	q := l.Get()
	payload, frame := q.Wire.Payload[:0], q.Frame[:0]
	*q = *p
	q.Wire.Payload = append(payload, p.Wire.Payload...)
	q.Frame = append(frame, p.Frame...)
	return q
}
