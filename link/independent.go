package link

import (
	"cmp"
	"math"
	"math/rand/v2"

	"longhaul/mono"
)

// far is a distance to the next event that is never reached.
const far = math.MaxInt64 / 4

// geometric draws the number of failures before the first success of trials that succeed with probability p. A
// success too far away to matter is at far.
func geometric(p float64, rng *rand.Rand) int64 {
	if p >= 1 {
		return 0
	}
	if !(p > 0) || rng == nil { // rng is nil only before check has reported it
		return far
	}
	n := math.Floor(math.Log(1-rng.Float64()) / math.Log1p(-p))
	if n >= far {
		return far
	}
	return int64(n)
}

// uniform loses each packet with the same probability, whatever its size.
type uniform struct {
	p    float64
	rng  *rand.Rand
	skip int64 // packets to pass before the next loss
}

// Uniform loses packets independently, each with probability p in [0, 1], whatever their size. It draws the distance
// to the next loss, which is geometric, so a packet that passes costs one decrement.
func Uniform(p float64, rng *rand.Rand) LossModel {
	return &uniform{p: p, rng: rng, skip: geometric(p, rng)}
}

func (u *uniform) check() error {
	return cmp.Or(checkProbability("loss", u.p), checkRand("uniform loss", u.rng))
}

func (u *uniform) Lost(mono.Time, int) bool {
	if u.skip > 0 {
		u.skip--
		return false
	}
	u.skip = geometric(u.p, u.rng)
	return true
}

// bitErrors damages a packet when an independent bit error falls into it.
type bitErrors struct {
	ber  float64
	rng  *rand.Rand
	skip int64 // bits to pass before the next error
}

// BitErrors damages packets by independent bit errors at rate ber in [0, 1]: a packet of L octets is hit with the
// probability that model.PacketLoss gives. It draws the distance in bits to the next error, which is that very law.
func BitErrors(ber float64, rng *rand.Rand) LossModel {
	return &bitErrors{ber: ber, rng: rng, skip: geometric(ber, rng)}
}

func (b *bitErrors) check() error {
	return cmp.Or(checkProbability("a bit error", b.ber), checkRand("the bit error model", b.rng))
}

func (b *bitErrors) Lost(_ mono.Time, octets int) bool {
	bits := int64(octets) * 8
	if b.skip >= bits {
		b.skip -= bits
		return false
	}
	// Further errors in this packet change nothing, and the distance to the first one behind it has no memory.
	b.skip = geometric(b.ber, b.rng)
	return true
}
