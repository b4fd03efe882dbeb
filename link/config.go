package link

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"longhaul/mono"
	"longhaul/trace"
)

// Config describes one direction of a path. The zero value is a perfect link: no delay, no limit, no loss.
type Config struct {
	Rate      int64         // bits per second, at most 1e15; 0 means infinitely fast
	Delay     time.Duration // propagation delay, one way
	Overhead  int           // octets of link framing added to every packet when it is serialised
	MTU       int           // largest packet in octets, framing not counted; larger ones are dropped as they come; 0 means no limit
	Queue     Queue         // waiting room before the transmitter; nil means unlimited
	Loss      []LossModel   // each may make a transmitted packet vanish
	Errors    []LossModel   // each may damage a transmitted packet; it arrives marked Corrupt
	Jitter    time.Duration // extra delay, uniform in [0, Jitter); the order is kept
	Reorder   float64       // probability that a packet is held back by ReorderBy, so that later ones overtake it
	ReorderBy time.Duration
	Duplicate float64    // probability that a packet arrives twice
	Outages   []Outage   // in ascending order, without overlap
	Rand      *rand.Rand // for Jitter, Reorder and Duplicate; may be nil when none of them is used

	// TooBig is told of each packet dropped for its size, lent until it returns, so that the sender can be told in turn; nil makes
	// the link a black hole. It must not call the link.
	TooBig func(now mono.Time, p *Packet)

	// Trace takes a trace.Drop event for each packet dropped, with Cause one of the constants below; nil means none. The
	// event's time is when the link noticed: at once for CauseQueue and CauseMTU; for the others when it was next called after the
	// transmission began, at most Delay and Jitter later.
	Trace trace.Sink
}

// Causes of a drop, as traced.
const (
	CauseQueue  = "queue"  // no room to wait
	CauseMTU    = "mtu"    // larger than the link takes
	CauseLoss   = "loss"   // taken by a loss model
	CauseOutage = "outage" // transmitted during an outage
)

// Outage is a time, To excluded, during which the link loses everything that it transmits, in whole or in part.
type Outage struct{ From, To mono.Time }

// Queue is the waiting room of a link: a queue discipline. The packet being transmitted is not in it. Every packet passes
// through it, even when the transmitter is idle.
type Queue interface {
	// Enqueue takes p, or reports false when there is no room, and then p still belongs to the caller.
	Enqueue(now mono.Time, p *Packet) bool
	// Dequeue returns the packet to transmit next, or nil. Now is when its transmission starts. Calls of Enqueue
	// and Dequeue come in the order of their times.
	Dequeue(now mono.Time) *Packet
	// Len returns what waits.
	Len() (packets, octets int)
}

// LossModel decides which packets are lost. It is asked once about each transmitted packet, in order, whatever
// other models and outages do to it.
type LossModel interface {
	// Lost reports whether a packet of that many octets, link framing included, whose transmission ends at now, is
	// lost.
	Lost(now mono.Time, octets int) bool
}

// checker is a queue or a model that knows whether it was asked for something impossible.
type checker interface{ check() error }

// maxRate in bits per second keeps the transmitter's arithmetic from overflowing.
const maxRate = 1_000_000_000_000_000

func checkRate(rate int64) error {
	if rate < 0 || rate > maxRate {
		return fmt.Errorf("link: rate of %d bit/s is not in 0 to %d; 0 means infinitely fast", rate, int64(maxRate))
	}
	return nil
}

// check reports what in c is impossible.
func (c *Config) check() error {
	if err := checkRate(c.Rate); err != nil {
		return err
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"delay", c.Delay}, {"jitter", c.Jitter}, {"reordering delay", c.ReorderBy}} {
		if d.value < 0 {
			return fmt.Errorf("link: %s of %v is negative; give 0 or more", d.name, d.value)
		}
	}
	if c.MTU < 0 {
		return fmt.Errorf("link: MTU of %d octets is negative; 0 means no limit", c.MTU)
	}
	if c.Overhead < 0 || c.Overhead > MaxSize {
		return fmt.Errorf("link: framing of %d octets is not in 0 to %d", c.Overhead, MaxSize)
	}
	if err := cmp.Or(checkProbability("reordering", c.Reorder), checkProbability("duplication", c.Duplicate)); err != nil {
		return err
	}
	if c.Rand == nil && (c.Jitter > 0 || c.Reorder > 0 || c.Duplicate > 0) {
		return errors.New("link: jitter, reordering and duplication need a random source; set Rand")
	}
	for i, o := range c.Outages {
		if o.To < o.From {
			return fmt.Errorf("link: outage %d ends at %v, before it begins at %v", i+1, o.To, o.From)
		}
		if i > 0 && o.From < c.Outages[i-1].To {
			return fmt.Errorf("link: outage %d begins at %v, before the one before it ends at %v; give them in order", i+1, o.From, c.Outages[i-1].To)
		}
	}
	return c.checkParts()
}

// checkParts asks the queue and the models.
func (c *Config) checkParts() error {
	if q, ok := c.Queue.(checker); ok {
		if err := q.check(); err != nil {
			return err
		}
	}
	for _, m := range slices.Concat(c.Loss, c.Errors) {
		if m == nil {
			return errors.New("link: a loss model is nil; leave it out")
		}
		if m, ok := m.(checker); ok {
			if err := m.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkProbability reports a p outside 0 to 1, or not a number.
func checkProbability(name string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("link: probability of %s %v is not in 0 to 1", name, p)
	}
	return nil
}

// checkRand reports a missing random source.
func checkRand(name string, rng *rand.Rand) error {
	if rng == nil {
		return fmt.Errorf("link: %s needs a random source of its own", name)
	}
	return nil
}
