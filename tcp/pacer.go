package tcp

import (
	"time"

	"longhaul/mono"
)

// pacer spreads segments over the round trip. It lets a segment out when its time has come, and saves up at most
// a quantum of unused time, so that what leaves together stays small.
type pacer struct {
	next     mono.Time     // when the next segment may leave
	rate     int64         // octets per second; 0 is unpaced
	perOctet float64       // nanoseconds
	quantum  time.Duration // unused time that may be saved up
	blocked  bool          // the latest poll found a segment that had to wait
}

// paceBatch is how much is sent together when waiting for single segments would cost more than it gains.
const paceBatch = time.Millisecond

// setRate sets the rate in octets per second, more than 0; mss is a segment's size in octets. No segment waits
// longer than its own time at the new rate.
func (p *pacer) setRate(now mono.Time, rate int64, mss int) {
	if rate == p.rate {
		return
	}
	p.rate = rate
	p.perOctet = 1e9 / float64(rate)
	segment := time.Duration(p.perOctet * float64(mss))
	p.quantum = max(paceBatch, 2*segment)
	p.next = min(p.next, now.Add(segment))
}

// ready reports whether a segment may leave.
func (p *pacer) ready(now mono.Time) bool { return p.rate == 0 || p.next <= now }

// wake returns when to try again: once there is a batch to send, or one segment when those are far apart.
func (p *pacer) wake(mss int) mono.Time {
	segment := time.Duration(p.perOctet * float64(mss))
	return p.next.Add(max(paceBatch-segment, 0))
}

// onSent accounts for a segment that left.
func (p *pacer) onSent(now mono.Time, octets int) {
	if p.rate == 0 {
		return
	}
	p.next = max(p.next, now.Add(-p.quantum)).Add(time.Duration(p.perOctet * float64(octets)))
}

// updatePacing derives the rate from the window: twice the window a round trip (what a round of slow start makes of it,
// so more where that opens faster) while slow start is far from its end, 1.2 times later, so that pacing never holds the window
// back. A controller may name a rate of its own.
func (c *Conn) updatePacing(now mono.Time) {
	if c.on&Pacing == 0 || c.rtt.srtt == 0 || c.sent.Acked == 0 {
		return // the initial window leaves at once
	}
	var rate float64
	for i := range c.subs {
		s := &c.subs[i]
		if s.out.PacingRate > 0 {
			rate += float64(s.out.PacingRate)
			continue
		}
		factor := 1.2
		if s.out.Window < s.out.Ssthresh/2 {
			factor = float64(1 + c.cfg.SlowStart)
		}
		window := max(s.out.Window, s.outstanding())
		if c.cfg.Policy != LossIsCongestion {
			// No loss holds the congestion window down, so it says nothing about the path.
			window = min(window, max(c.snd.maxWindow, int64(c.snd.mss)))
		}
		rate += factor * float64(window) / c.rtt.srtt.Seconds()
	}
	c.pace.setRate(now, max(int64(rate), 1), c.snd.mss)
}
