package cc

import (
	"math"
	"math/bits"
	"time"
)

// What the controllers that model the path have in common. Bandwidths are octets per second.

// maxBandwidth keeps the arithmetic within its bounds: 8.8 Tbit/s.
const maxBandwidth int64 = 1 << 40

// gainUnit is a gain of 1: gains are in thousandths.
const gainUnit = 1000

// mulDiv returns x*y/z rounded down, or the largest number there is where it would be more. It wants x, y >= 0 and z > 0.
func mulDiv(x, y, z int64) int64 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if hi >= uint64(z) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(z))
	return int64(min(q, math.MaxInt64))
}

// amplify returns x times gain.
func amplify(x, gain int64) int64 { return mulDiv(x, gain, gainUnit) }

// bandwidth returns the delivery rate of a sample, or 0 if there is none.
func (r *Rate) bandwidth() int64 {
	if r.Delivered <= 0 || r.Interval <= 0 {
		return 0
	}
	return min(mulDiv(r.Delivered, int64(time.Second), int64(r.Interval)), maxBandwidth)
}

// octetsIn returns what a bandwidth makes in a time, at most MaxWindow.
func octetsIn(bandwidth int64, d time.Duration) int64 {
	return min(mulDiv(bandwidth, max(int64(d), 0), int64(time.Second)), MaxWindow)
}

// volume returns octets within 0 and MaxWindow.
func volume(octets int64) int64 { return min(max(octets, 0), MaxWindow) }

// sendQuantum returns what a pacer at that rate lets go at once: what it sends in 1 ms, but at least two segments and, as long
// as those are smaller, at most 64 KB (draft-ietf-ccwg-bbr s.5.6.3).
func sendQuantum(rate, mss int64) int64 {
	return max(min(octetsIn(rate, time.Millisecond), 64<<10), 2*mss)
}

// maxFilter is the largest value of the last so many rounds, or nearly: it keeps the best three, each later than the one before,
// and divides the time between them (Kathleen Nichols' algorithm).
type maxFilter [3]struct {
	value int64
	round uint64
}

// get returns the largest value, 0 before the first.
func (f *maxFilter) get() int64 { return f[0].value }

// update takes in a value of the present round.
func (f *maxFilter) update(value int64, round, window uint64) {
	v := f[0]
	v.value, v.round = value, round
	switch {
	case value >= f[0].value || round-f[2].round > window:
		f[0], f[1], f[2] = v, v, v
		return
	case value >= f[1].value:
		f[1], f[2] = v, v
	case value >= f[2].value:
		f[2] = v
	}
	switch age := round - f[0].round; {
	case age > window:
		f[0], f[1], f[2] = f[1], f[2], v
		if round-f[0].round > window {
			f[0], f[1], f[2] = f[1], f[2], v
		}
	case f[1].round == f[0].round && age > window/4:
		f[1], f[2] = v, v
	case f[2].round == f[1].round && age > window/2:
		f[2] = v
	}
}
