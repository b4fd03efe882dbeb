package link

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"longhaul/mono"
)

// burstDensity is the probability that a bit of a burst is wrong, if nobody says otherwise: a receiver that has lost
// its place in the signal guesses every bit, and half of the guesses are right.
const burstDensity = 0.5

// bursts damages packets by bursts of errors.
type bursts struct {
	ber, length, density float64
	rate                 float64 // probability that a bit outside a burst begins one
	rng                  *rand.Rand
	skip                 int64 // bits before the next burst
	left                 int64 // bits left of the present burst
}

// Bursts damages packets by bursts of bit errors (Gilbert 1960, on bits). A burst is geometric with a mean of length
// bits, at least 1, in which each bit is wrong with probability density, in (0, 1], 0 meaning 0.5; bursts begin so often that the
// bit error rate over all transmitted bits is ber, at most density. So bursts start at a rate of ber/(density*length) per
// bit. The bits are those of the transmitted packets end to end: a burst can reach into the next packet, and an idle link
// passes no bits.
func Bursts(ber, length, density float64, rng *rand.Rand) LossModel {
	if density == 0 {
		density = burstDensity
	}
	b := &bursts{ber: ber, length: length, density: density, rng: rng}
	if b.check() == nil && ber > 0 {
		gap := length * (density/ber - 1) // mean number of bits between bursts: length of (gap+length) bits belong to one
		b.rate = 1 / (1 + gap)
	}
	b.skip = geometric(b.rate, rng)
	return b
}

func (b *bursts) check() error {
	switch {
	case !(b.length >= 1) || math.IsInf(b.length, 1):
		return fmt.Errorf("link: error bursts of %v bits; give a mean of at least 1", b.length)
	case !(b.density > 0 && b.density <= 1):
		return fmt.Errorf("link: error bursts of density %v; give a share of wrong bits above 0 and at most 1", b.density)
	case !(b.ber >= 0 && b.ber <= b.density):
		return fmt.Errorf("link: bit error rate %v is not in 0 to the density of the bursts, %v", b.ber, b.density)
	}
	return checkRand("the error burst model", b.rng)
}

func (b *bursts) Lost(_ mono.Time, octets int) bool {
	bits := int64(octets) * 8
	hit := false
	for {
		if b.left == 0 {
			if b.skip >= bits {
				b.skip -= bits
				return hit
			}
			bits -= b.skip
			b.skip = geometric(b.rate, b.rng)
			b.left = 1 + geometric(1/b.length, b.rng)
		}
		n := min(b.left, bits)
		// Of n bits at least one is wrong with probability 1-(1-density)^n.
		if !hit && b.rng.Float64() < -math.Expm1(float64(n)*math.Log1p(-b.density)) {
			hit = true
		}
		b.left -= n
		bits -= n
		if b.left > 0 {
			return hit
		}
	}
}

// gilbertElliott has a good and a bad state between packets.
type gilbertElliott struct {
	toBad, toGood     float64 // transition probabilities per packet
	lossGood, lossBad float64
	bad               bool
	rng               *rand.Rand
	err               error // what LossBursts was asked for and cannot be
}

// GilbertElliott loses packets with probability lossGood in the good state and lossBad in the bad one (Gilbert 1960,
// Elliott 1963). After each packet the state changes, with probability toBad from the good one and toGood from the bad one,
// however much time has passed: the variant that counts packets. It begins in the good state.
func GilbertElliott(toBad, toGood, lossGood, lossBad float64, rng *rand.Rand) LossModel {
	return &gilbertElliott{toBad: toBad, toGood: toGood, lossGood: lossGood, lossBad: lossBad, rng: rng}
}

// LossBursts is the simple Gilbert model (no loss in the good state, nothing but loss in the bad one) with mean
// loss probability loss in [0, 1) and runs of a mean of burst lost packets, at least 1. Between two runs at least one packet
// passes, so loss is at most burst/(burst+1).
func LossBursts(loss, burst float64, rng *rand.Rand) LossModel {
	g := &gilbertElliott{toBad: loss / (burst * (1 - loss)), toGood: 1 / burst, lossBad: 1, rng: rng}
	switch most := burst / (burst + 1); {
	case !(burst >= 1) || math.IsInf(burst, 1):
		g.err = fmt.Errorf("link: loss in runs of %v packets; give a mean of at least 1", burst)
	case !(loss >= 0 && loss <= most):
		g.err = fmt.Errorf("link: loss of %v in runs of %v packets is not in 0 to %v", loss, burst, most)
	case g.toBad > 1:
		g.toBad = 1 // by rounding
	}
	return g
}

func (g *gilbertElliott) check() error {
	if g.err != nil {
		return g.err
	}
	return cmp.Or(
		checkProbability("going bad", g.toBad), checkProbability("getting good", g.toGood),
		checkProbability("loss in the good state", g.lossGood), checkProbability("loss in the bad state", g.lossBad),
		checkRand("the Gilbert-Elliott model", g.rng))
}

func (g *gilbertElliott) Lost(mono.Time, int) bool {
	p, change := g.lossGood, g.toBad
	if g.bad {
		p, change = g.lossBad, g.toGood
	}
	// The state before the transition decides.
	lost := p >= 1 || p > 0 && g.rng.Float64() < p
	if g.rng.Float64() < change {
		g.bad = !g.bad
	}
	return lost
}
