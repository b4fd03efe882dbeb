package wire

// Seq is a TCP sequence number. Comparisons are modulo 2^32 (RFC 9293 s.3.4): a precedes b when b lies less
// than 2^31 ahead of a.
type Seq uint32

// Less reports whether a precedes b.
func (a Seq) Less(b Seq) bool { return int32(a-b) < 0 }

// LessEq reports whether a precedes b or equals it.
func (a Seq) LessEq(b Seq) bool { return int32(a-b) <= 0 }

// Add returns the sequence number n octets after a; n may be negative.
func (a Seq) Add(n int) Seq { return a + Seq(uint32(n)) }

// Sub returns the signed distance from b to a in octets.
func (a Seq) Sub(b Seq) int { return int(int32(a - b)) }

// MaxSeq returns the later of a and b.
func MaxSeq(a, b Seq) Seq {
	if a.Less(b) {
		return b
	}
	return a
}

// MinSeq returns the earlier of a and b.
func MinSeq(a, b Seq) Seq {
	if b.Less(a) {
		return b
	}
	return a
}

// Range is the half-open interval [Start, End) of sequence numbers, as a SACK block has it (RFC 2018 s.3).
type Range struct{ Start, End Seq }

// Len returns the number of octets in r.
func (r Range) Len() int { return r.End.Sub(r.Start) }
