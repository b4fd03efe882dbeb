package link

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// fuzzBytes is more than any run of hostile consumes.
const fuzzBytes = 1 << 15

// FuzzLink lets the fuzzer choose configuration, sizes and times: its bytes are the choices of hostile, the first ones the
// configuration. What is missing at the end is filled up, always with the same, since a run that is cut short shows nothing.
func FuzzLink(f *testing.F) {
	var fill []byte
	for rng := seeded(1); len(fill) < fuzzBytes; {
		fill = binary.LittleEndian.AppendUint64(fill, rng.Uint64())
	}
	// Words as small as the choices are reach the corners sooner than random ones do.
	for seed := range uint64(4) {
		var b []byte
		for rng := seeded(seed); len(b) < 1024; {
			b = binary.LittleEndian.AppendUint64(b, rng.Uint64()>>rng.IntN(64))
		}
		f.Add(b)
	}
	check := rapid.MakeFuzz(func(t *rapid.T) {
		hostile(t, rapid.SampledFrom(Queues).Draw(t, "discipline"))
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		all := append([]byte(nil), fill...)
		copy(all, b)
		check(t, all)
	})
}
