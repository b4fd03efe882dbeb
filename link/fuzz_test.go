package link

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// octets is the chooser of the fuzzer: a choice of up to 256 takes one octet, any other eight. When they are used up, choices
// that are always the same follow, since a run that is cut short shows nothing.
type octets struct {
	*testing.T
	left []byte
	rest *rand.Rand
}

func (o *octets) choose(_ string, n int64) int64 {
	var word [8]byte
	size := 1
	if n > 256 {
		size = len(word)
	}
	if size > len(o.left) {
		return o.rest.Int64N(n)
	}
	copy(word[:size], o.left)
	o.left = o.left[size:]
	return int64(binary.LittleEndian.Uint64(word[:]) % uint64(n))
}

// FuzzLink lets the fuzzer choose configuration, sizes and times: its octets are the choices of hostile, the first ones the
// configuration. It does without rapid, whose log of each choice costs a hundred times what the link does.
func FuzzLink(f *testing.F) {
	for seed := range uint64(4) {
		b := make([]byte, 300)
		for i, rng := 0, seeded(seed); i < len(b); i++ {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &octets{T: t, left: b, rest: seeded(1)}
		hostile(o, Queues[o.choose("discipline", int64(len(Queues)))])
	})
}
