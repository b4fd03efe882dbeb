package link

import (
	"fmt"

	"longhaul/mono"
)

// DropTailQueue is a first-in, first-out queue that drops an arriving packet for which it has no room. As in Queue, the packet
// being transmitted takes no room. Octets are those of Packet.Size, without link framing. The zero value has no limit.
type DropTailQueue struct {
	limited     bool
	packets     int // most packets; 0 is no limit of that kind
	limitOctets int // most octets; 0 is no limit of that kind
	ring        ring[*Packet]
	waiting     int // octets
}

// DropTail returns a drop-tail queue limited to that many packets and octets; 0 is no limit of that kind, and at
// least one of them must be positive.
func DropTail(packets, octets int) *DropTailQueue {
	return &DropTailQueue{limited: true, packets: packets, limitOctets: octets}
}

// check reports a limit that lets nothing wait.
func (q *DropTailQueue) check() error {
	if q.limited && q.packets == 0 && q.limitOctets == 0 || q.packets < 0 || q.limitOctets < 0 {
		return fmt.Errorf("link: a queue of %d packets and %d octets has no room; give a positive limit, or no queue for an unlimited one", q.packets, q.limitOctets)
	}
	return nil
}

// Enqueue takes p if there is room.
func (q *DropTailQueue) Enqueue(_ mono.Time, p *Packet) bool {
	if q.packets > 0 && q.ring.len() >= q.packets || q.limitOctets > 0 && q.waiting+p.Size > q.limitOctets {
		return false
	}
	q.ring.push(p)
	q.waiting += p.Size
	return true
}

// Dequeue returns the packet that has waited longest, or nil.
func (q *DropTailQueue) Dequeue(mono.Time) *Packet {
	if q.ring.len() == 0 {
		return nil
	}
	p := q.ring.pop()
	q.waiting -= p.Size
	return p
}

// Len returns what waits.
func (q *DropTailQueue) Len() (packets, octets int) { return q.ring.len(), q.waiting }
