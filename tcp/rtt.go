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
	backoff      uint          // doublings of the timeout
	cautious     bool          // a SYN was lost: before the first sample the timeout is at least 3 s (RFC 6298 s.5.7)
	prior        time.Duration // before the first sample: SRTT as earlier connections measured it, and rttvar and mdev as they did; 0 if none has
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
	switch {
	case e.srtt > 0:
	case e.prior > 0: // the sample goes on from there
		e.srtt = e.prior
	default: // RFC 6298 s.2.2
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
		r := e.timers.RTOInitial
		if e.cautious {
			r = max(r, 3*time.Second)
		}
		if e.prior > 0 { // what others measured lengthens the timeout, it never shortens it
			r = max(r, e.timeout(e.prior))
		}
		return r
	}
	return e.timeout(e.srtt)
}

// timeout returns the timeout that belongs to a smoothed round trip (RFC 6298 s.2.3 and 2.4).
func (e *rttEstimator) timeout(srtt time.Duration) time.Duration {
	r := srtt + max(e.timers.Granularity, e.timers.RTOVarMin, 4*e.rttvar)
	return min(max(r, e.timers.RTOMin), e.timers.RTOMax)
}

// begin starts with what earlier connections to the host measured (RFC 9040 s.6.1).
func (e *rttEstimator) begin(srtt, rttvar time.Duration) {
	e.prior, e.rttvar, e.mdev = srtt, rttvar, rttvar
}

// queueing reports whether the latest round trip was so much longer than the shortest that there must have been a queue.
func (e *rttEstimator) queueing() bool {
	return e.latest > e.minRTT+max(e.minRTT/8, time.Millisecond)
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
