package link

import (
	"math"
	"math/rand/v2"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// The parameters of RED: the averaging weight of Floyd and Jacobson (Random Early Detection Gateways for Congestion
// Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993), and the largest probability that Floyd recommended in 1997.
const (
	redWeight = 0.002
	redMost   = 0.1
)

// REDQueue is a first-in, first-out queue that drops arriving packets at random, the more the longer it has been on average:
// random early detection, in the gentle variant. While the average is below a sixth of the limit nothing is dropped; from there
// to half of it the probability rises to 0.1, and from half to the whole limit on to 1. An ECN-capable packet is marked instead
// of dropped up to half of the limit (RFC 3168 s.7). The probability does not depend on a packet's size (RFC 7141).
type REDQueue struct {
	room       DropTailQueue
	rng        *rand.Rand
	least      float64       // the average from which packets are dropped, in the unit of the limit: octets if it has octets, else packets
	most       float64       // the average at which the probability is redMost
	average    float64       // in that unit
	count      int           // packets taken since the last one dropped or marked while there was a probability of it
	idleSince  mono.Time     // when the link ran out of packets
	idle       bool          // it has, and nothing has come since
	lastStart  mono.Time     // of a transmission
	successive bool          // something waited behind it
	service    time.Duration // the latest transmission that another followed at once: what a packet takes
}

// RED returns a queue limited to that many packets and octets, as for DropTail, that decides by rng, a source of its own.
func RED(packets, octets int, rng *rand.Rand) *REDQueue {
	limit := float64(octets)
	if octets == 0 {
		limit = float64(packets)
	}
	return &REDQueue{room: *DropTail(packets, octets), rng: rng, least: limit / 6, most: limit / 2, idle: true}
}

// check reports a limit that lets nothing wait, and a missing random source.
func (q *REDQueue) check() error {
	if err := q.room.check(); err != nil {
		return err
	}
	return checkRand("RED", q.rng)
}

// Enqueue takes p unless there is no room or chance is against it.
func (q *REDQueue) Enqueue(now mono.Time, p *Packet) bool {
	q.measure(now)
	if q.unlucky() {
		if q.average >= q.most || !mark(p) {
			return false
		}
	}
	if !q.room.Enqueue(now, p) {
		q.count = 0
		return false
	}
	q.idle = false
	return true
}

// measure takes the queue's length into the average. While the link was idle, as many packets of no length could have been
// seen as would have been transmitted (section 4 of the paper); how long one takes is what the last one took.
func (q *REDQueue) measure(now mono.Time) {
	packets, octets := q.room.Len()
	length := float64(octets)
	if q.room.limitOctets == 0 {
		length = float64(packets)
	}
	if q.idle && q.service > 0 {
		missed := float64(now.Sub(q.idleSince)) / float64(q.service)
		q.average *= math.Pow(1-redWeight, missed)
		q.idleSince = now
	}
	q.average += float64(redWeight * (length - q.average))
}

// unlucky draws whether the packet that arrives is one to drop or mark. The base probability p rises with the number of packets
// since the last one, so that the distance is uniform from 1 to 1/p and drops do not cluster (section 7 of the paper, method 2).
func (q *REDQueue) unlucky() bool {
	p := q.probability()
	if p == 0 {
		q.count = 0
		return false
	}
	passed := float64(p * float64(q.count))
	q.count++
	if passed < 1 && q.rng.Float64() >= p/(1-passed) {
		return false
	}
	q.count = 0
	return true
}

// probability returns the base probability at the present average.
func (q *REDQueue) probability() float64 {
	switch a := q.average; {
	case a < q.least:
		return 0
	case a < q.most:
		return redMost * (a - q.least) / (q.most - q.least)
	case a < 2*q.most:
		return redMost + float64((1-redMost)*(a-q.most)/q.most)
	}
	return 1
}

// mark marks p as having met congestion, and reports false when its ends do not know what that means.
func mark(p *Packet) bool {
	if p.Wire.ECN == wire.NotECT {
		return false
	}
	p.Wire.ECN = wire.CE
	return true
}

// Dequeue returns the packet that has waited longest, or nil.
func (q *REDQueue) Dequeue(now mono.Time) *Packet {
	if q.successive {
		q.service = now.Sub(q.lastStart)
	}
	p := q.room.Dequeue(now)
	if p == nil {
		q.idle, q.idleSince = true, now
	}
	q.lastStart, q.successive = now, q.room.ring.len() > 0
	return p
}

// Len returns what waits.
func (q *REDQueue) Len() (packets, octets int) { return q.room.Len() }
