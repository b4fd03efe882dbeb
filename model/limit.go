package model

import (
	"math"
	"time"
)

// Limits are what caps the throughput of a path whatever a formula of losses says, in bits per second of payload; 0 means no limit.
type Limits struct {
	Link   float64 // LinkPayload
	Window float64 // WindowRate
}

// Bound names what holds a throughput down.
type Bound string

// The bounds.
const (
	ByLoss   Bound = "loss"
	ByLink   Bound = "link"
	ByWindow Bound = "window"
	ByNone   Bound = "nothing" // no loss and no limit given
)

// Apply returns the smallest of a formula's rate and the limits, and which that is.
func (l Limits) Apply(rate float64) (float64, Bound) {
	bound := ByLoss
	if l.Link > 0 && l.Link < rate {
		rate, bound = l.Link, ByLink
	}
	if l.Window > 0 && l.Window < rate {
		rate, bound = l.Window, ByWindow
	}
	if math.IsInf(rate, 1) {
		bound = ByNone
	}
	return rate, bound
}

// LinkPayload returns how much payload a link of that rate carries, both in bits per second: its rate times the payload of a packet
// over its octets on the wire.
func LinkPayload(rate float64, payload, wire int) float64 {
	return rate * float64(payload) / float64(wire)
}

// WindowRate returns the throughput in bits per second that a window of octets allows: a window a round trip.
func WindowRate(window int, rtt time.Duration) float64 { return 8 * float64(window) / rtt.Seconds() }

// Largest returns the largest x from least to most, both positive, at which the falling function f is still at least target, within
// a millionth; ok is false when f is below it even at least.
func Largest(target, least, most float64, f func(x float64) float64) (x float64, ok bool) {
	if !(f(least) >= target) {
		return 0, false
	}
	if f(most) >= target {
		return most, true
	}
	for most/least > 1+1e-6 {
		middle := math.Sqrt(least * most)
		if f(middle) >= target {
			least = middle
		} else {
			most = middle
		}
	}
	return least, true
}
