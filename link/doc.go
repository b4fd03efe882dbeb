// Package link models one direction of a path: rate, propagation delay, a queue, loss, bit errors, jitter,
// reordering, duplication and outages.
//
//	l, err := link.New(cfg, pool)
//	l.Send(now, p)           // a packet enters
//	p, next := l.Poll(now)   // a packet has arrived, or when to come back
//
// A packet that is larger than the MTU goes no further. Any other waits in the queue discipline, is transmitted at the
// link's rate, may be lost or damaged, and arrives after the propagation delay. A link without a queue never drops for lack of
// room, whatever its delay: what is on its way waits nowhere. The packet in transmission does not count against the queue.
//
// Ownership: Send gives the packet to the link, Poll to the caller, who puts it back into the Pool. The link puts
// back what it drops, and counts it by cause; offered + duplicated = delivered + dropped + held, always.
//
// Loss models are asked about every transmitted packet, in order: Uniform, BitErrors, Bursts, GilbertElliott,
// LossBursts, Periodic and Script. Every random one has a source of its own, so that one more consumer shifts
// nobody else. Queue disciplines are in the table Queues.
//
// Not here: routing, and reading rates over time from a file; a driver calls SetRate.
package link
