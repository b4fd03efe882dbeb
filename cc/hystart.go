package cc

import (
	"math"
	"time"
)

// The constants of RFC 9406 s.4.3.
const (
	hyMinThreshold = 4 * time.Millisecond
	hyMaxThreshold = 16 * time.Millisecond
	hyDivisor      = 8 // of the last round's RTT
	hySamples      = 8 // RTT samples before a round is judged
	hyGrowth       = 4 // divisor of the growth in conservative slow start
	hyRounds       = 5 // rounds of conservative slow start
)

// noRTT marks a round without a sample.
const noRTT = time.Duration(math.MaxInt64)

// hystart finds the end of the initial slow start by the rise of the round-trip time (HyStart++, RFC 9406).
// Its owner switches it off at the first cut, so that later slow starts are left alone (s.4.3).
type hystart struct {
	on        bool
	css       bool  // in conservative slow start
	samples   uint8 // at most hySamples are counted
	rounds    uint8 // rounds spent in conservative slow start, a partial first one included
	round     uint64
	cur, last time.Duration // smallest RTT of this round and of the last one
	baseline  time.Duration // smallest RTT of the round that began conservative slow start
}

// newHystart returns the state at the start of a connection.
func newHystart(on bool) hystart { return hystart{on: on, cur: noRTT, last: noRTT} }

// onAck takes in one ACK of slow start and reports whether slow start is over.
func (h *hystart) onAck(a *Ack) (over bool) {
	if a.Round != h.round {
		h.round = a.Round
		h.last, h.cur, h.samples = h.cur, noRTT, 0
		if h.css {
			h.rounds++
		}
		if h.rounds >= hyRounds {
			h.on, h.css = false, false
			return true
		}
	}
	if a.RTT <= 0 {
		return false
	}
	h.cur = min(h.cur, a.RTT)
	h.samples = min(h.samples+1, hySamples)
	switch {
	case h.samples < hySamples:
	case h.css && h.cur < h.baseline: // the rise was a spurious one
		h.css, h.rounds = false, 0
	case !h.css && h.last != noRTT && h.cur-h.last >= hyThreshold(h.last):
		h.css, h.baseline = true, h.cur
	}
	return false
}

// growth returns the divisor of the growth that is due now.
func (h *hystart) growth() int64 {
	if h.css {
		return hyGrowth
	}
	return 1
}

// hyThreshold returns the rise over the last round's RTT that ends slow start.
func hyThreshold(last time.Duration) time.Duration {
	return min(max(last/hyDivisor, hyMinThreshold), hyMaxThreshold)
}
