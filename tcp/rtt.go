package tcp

import (
	"time"

	"longhaul/mono"
)

// rttEstimator is the round-trip time and retransmission timeout of RFC 6298.
//
// A connection takes a sample from nearly every ACK. With the weights of RFC 6298, which were chosen for one
// sample a round trip, the variance would be forgotten within a fraction of a round (RFC 7323 appendix G), so
// RTTVAR follows the largest deviation of the running round and may only fall when a round ends.
type rttEstimator struct {
	srtt, rttvar time.Duration
	mdev         time.Duration // smoothed deviation, updated by each sample
	mdevMax      time.Duration // the largest mdev of this round
	minRTT       time.Duration
	latest       time.Duration
	backoff      uint // doublings of the timeout
	cautious     bool // a SYN was lost: before the first sample the timeout is at least 3 s (RFC 6298 s.5.7)
	timers       *Timers
}

// sample takes in a measurement r > 0; roundEnd says that it is the first one of a new round.
func (e *rttEstimator) sample(r time.Duration, roundEnd bool) {
	// What measures more than the longest timeout was answered before, and that answer was lost.
	r = min(r, e.timers.RTOMax)
	e.latest = r
	if e.minRTT == 0 || r < e.minRTT {
		e.minRTT = r
	}
	if e.srtt == 0 { // RFC 6298 s.2.2
		e.srtt = r
		e.rttvar, e.mdev, e.mdevMax = r/2, r/2, 0
		return
	}
	// RFC 6298 s.2.3: RTTVAR first, with the old SRTT.
	e.mdev += ((e.srtt - r).Abs() - e.mdev) / 4
	e.srtt += (r - e.srtt) / 8
	e.mdevMax = max(e.mdevMax, e.mdev)
	e.rttvar = max(e.rttvar, e.mdevMax)
	if roundEnd {
		if e.mdevMax < e.rttvar {
			e.rttvar -= (e.rttvar - e.mdevMax) / 4
		}
		e.mdevMax = 0
	}
}

// tripAgo returns when what is answered now was sent at the latest. It allows for the nanoseconds between the segments of a
// burst and for a clock of milliseconds.
func (e *rttEstimator) tripAgo(now mono.Time) mono.Time { return now.Add(-(e.minRTT - e.minRTT/8)) }

// rto returns the timeout without backoff.
func (e *rttEstimator) rto() time.Duration {
	if e.srtt == 0 {
		if e.cautious {
			return max(e.timers.RTOInitial, 3*time.Second)
		}
		return e.timers.RTOInitial
	}
	r := e.srtt + max(e.timers.Granularity, e.timers.RTOVarMin, 4*e.rttvar)
	return min(max(r, e.timers.RTOMin), e.timers.RTOMax)
}

// backedOff returns the timeout now in force (RFC 6298 s.5.5).
func (e *rttEstimator) backedOff() time.Duration {
	r := e.rto()
	for range e.backoff {
		r *= 2
		if r >= e.timers.RTOMax {
			return e.timers.RTOMax
		}
	}
	return r
}

// expire rounds a deadline up to the timer's granularity, as a coarse clock does.
func (e *rttEstimator) expire(t mono.Time) mono.Time {
	g := mono.Time(e.timers.Granularity)
	if t == mono.Never || g <= mono.Time(time.Millisecond) {
		return t
	}
	return (t + g - 1) / g * g
}
