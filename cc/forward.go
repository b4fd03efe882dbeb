package cc

import (
	"time"

	"longhaul/mono"
)

// The history of base delays of RFC 6817 s.3.4.2.
const (
	forwardSlots = 10
	forwardSlot  = time.Minute
	forwardWait  = 20 * time.Millisecond              // half of the shortest delay of ACKs in use
	forwardTick  = time.Millisecond                   // of the timestamps that tell the delay
	forwardWrap  = time.Duration(1<<32) * forwardTick // after so long they begin anew
	forwardJudge = 10 * time.Second                   // after so long the peer's clock has shown its pace
	forwardAlone = 16                                 // so many single segments in a row have not waited: the link is slow
)

// forward keeps the one-way delays to the receiver. The two ends' clocks have nothing in common, so that a delay means
// something only against another: all are relative to the first.
type forward struct {
	zero    time.Duration               // the first delay
	begun   bool                        // there was one
	alone   uint8                       // segments in a row that seem to have waited
	foreign bool                        // the peer's clock has other ticks: nothing of this means anything
	first   mono.Time                   // when there was one
	least   [forwardSlots]time.Duration // smallest of each of the last minutes, the present one first; noRTT if none
	since   mono.Time                   // the present minute began
	heard   mono.Time                   // of the latest ACK
}

// known reports whether there is a delay to go by.
func (f *forward) known() bool { return f.begun && !f.foreign }

// observe takes in an ACK and returns its delay, relative to the first, if it has one. A single segment that is acknowledged long after
// the one before may have waited for the receiver to delay its ACK, and says nothing of the path, unless all come so.
func (f *forward) observe(a *Ack, mss int64) (delay time.Duration, ok bool) {
	waited := a.Delivered < 2*mss && a.Now.Sub(f.heard) > forwardWait
	f.heard = a.Now
	if !waited {
		f.alone = 0
	} else if f.alone < forwardAlone {
		f.alone++
	} else {
		waited = false
	}
	if !a.HasOWD || f.begun && waited || f.foreign {
		return 0, false
	}
	if !f.begun {
		*f = forward{zero: a.OneWayDelay, begun: true, alone: f.alone, first: a.Now, since: a.Now, heard: a.Now}
		for i := range f.least {
			f.least[i] = noRTT
		}
	}
	delay = a.OneWayDelay - f.zero
	switch { // the difference of two clocks of 32 bits may have wrapped
	case delay > forwardWrap/2:
		delay -= forwardWrap
	case delay < -forwardWrap/2:
		delay += forwardWrap
	}
	// RFC 7323 s.5.4 lets a clock tick anywhere between once a millisecond and once a second. No queue grows or empties by a quarter
	// of the time for so long: a clock that does has other ticks than ours.
	if t := a.Now.Sub(f.first); t > forwardJudge && t < forwardWrap/4 && (delay > t/4 || delay < -t/4) {
		f.foreign = true
		return 0, false
	}
	for n := 0; a.Now.Sub(f.since) >= forwardSlot; n++ {
		if n == forwardSlots {
			f.since = a.Now
			break
		}
		copy(f.least[1:], f.least[:])
		f.least[0] = noRTT
		f.since = f.since.Add(forwardSlot)
	}
	f.least[0] = min(f.least[0], delay)
	return delay, true
}

// base returns the smallest delay of the last ten minutes: that of the path without a queue.
func (f *forward) base() time.Duration {
	b := noRTT
	for _, d := range f.least {
		b = min(b, d)
	}
	return b
}
