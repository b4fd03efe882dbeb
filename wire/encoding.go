package wire

import "fmt"

// Encoding says how the options of RFC 1106 and our NAK-permitted are put on the wire.
//
// RFC 1106 calls its kinds A, B and C, and no number was ever assigned. The zero Encoding uses the experimental
// kind 253 with a 16-bit experiment identifier (RFC 6994 s.3), which makes A 9 octets long, B 8, C 6 and
// NAK-permitted 4; on receipt kind 254 does as well. With Literal set the options are as RFC 1106 draws them, A
// 7 octets, B 6, C 4, under a bare kind each, and NAK-permitted is 2. Bare kinds are for a closed laboratory:
// on the Internet they may collide with somebody else's.
type Encoding struct {
	Literal bool

	// The bare kinds; 0 means the default. They mean nothing unless Literal is set.
	NAK          uint8 // option A, default LiteralNAK
	BigWindow    uint8 // option B, default LiteralBigWindow
	UpperWindow  uint8 // option C, default LiteralUpperWindow
	NAKPermitted uint8 // default LiteralNAKPermitted
}

// The default bare kinds. IANA has assigned none of them, and no use without an assignment is known (unlike
// 70 and 76 to 78). The obvious low numbers are taken: 14 to 18 by others, 21 by the SNACK of SCPS-TP, which
// means something else than RFC 1106's NAK.
const (
	LiteralNAK          uint8 = 106
	LiteralBigWindow    uint8 = 107
	LiteralUpperWindow  uint8 = 108
	LiteralNAKPermitted uint8 = 109
)

// The experiment identifiers: the RFC's number, then its letter for the option, and D for the one it lacks.
// They are our choice and not registered.
const (
	exidNAK          = 0x110A
	exidBigWindow    = 0x110B
	exidUpperWindow  = 0x110C
	exidNAKPermitted = 0x110D
)

// Option kinds of the TCP Option Kind Numbers registry.
const (
	kindEnd           = 0
	kindNop           = 1
	kindMSS           = 2
	kindWindowScale   = 3
	kindSACKPermitted = 4
	kindSACK          = 5
	kindTimestamps    = 8
	kindUserTimeout   = 28
	kindExperiment1   = 253
	kindExperiment2   = 254
)

// Validate returns an error if the bare kinds collide with each other or with an option that the package knows.
func (e Encoding) Validate() error {
	if !e.Literal {
		return nil
	}
	names := [...]string{"NAK", "big window", "upper window", "NAK permitted"}
	kinds := [...]uint8{e.nak(), e.bigWindow(), e.upperWindow(), e.nakPermitted()}
	for i, k := range kinds {
		switch k {
		case kindNop, kindMSS, kindWindowScale, kindSACKPermitted, kindSACK, kindTimestamps, kindUserTimeout,
			kindExperiment1, kindExperiment2:
			return fmt.Errorf("wire: option kind %d for %s is in use for another option; choose an unassigned one such as %d",
				k, names[i], int(LiteralNAK)+i)
		}
		for j, other := range kinds[:i] {
			if other == k {
				return fmt.Errorf("wire: option kind %d stands for both %s and %s; give each its own", k, names[j], names[i])
			}
		}
	}
	return nil
}

func (e Encoding) nak() uint8          { return orDefault(e.NAK, LiteralNAK) }
func (e Encoding) bigWindow() uint8    { return orDefault(e.BigWindow, LiteralBigWindow) }
func (e Encoding) upperWindow() uint8  { return orDefault(e.UpperWindow, LiteralUpperWindow) }
func (e Encoding) nakPermitted() uint8 { return orDefault(e.NAKPermitted, LiteralNAKPermitted) }

func orDefault(kind, def uint8) uint8 {
	if kind == 0 {
		return def
	}
	return kind
}
