package wire

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// RFC 9293 s.3.4: comparisons are modulo 2^32.
func TestSeqOrder(t *testing.T) {
	for _, c := range []struct {
		a, b             Seq
		less, lessEq     bool
		sub              int
		minimum, maximum Seq
	}{
		{0, 0, false, true, 0, 0, 0},
		{0, 1, true, true, -1, 0, 1},
		{1, 0, false, false, 1, 0, 1},
		{math.MaxUint32, 0, true, true, -1, math.MaxUint32, 0}, // wrap
		{0, math.MaxUint32, false, false, 1, math.MaxUint32, 0},
		{0xfffffff0, 0x10, true, true, -32, 0xfffffff0, 0x10},
		{0x10, 0xfffffff0, false, false, 32, 0xfffffff0, 0x10},
		{0, 1<<31 - 1, true, true, -(1<<31 - 1), 0, 1<<31 - 1}, // the farthest that is still ahead
		{1<<31 - 1, 0, false, false, 1<<31 - 1, 0, 1<<31 - 1},
		{1<<31 + 1, 1<<31 + 2, true, true, -1, 1<<31 + 1, 1<<31 + 2},
		{1 << 31, 1<<31 - 1, false, false, 1, 1<<31 - 1, 1 << 31},
	} {
		if got := c.a.Less(c.b); got != c.less {
			t.Errorf("%#x.Less(%#x) = %v", c.a, c.b, got)
		}
		if got := c.a.LessEq(c.b); got != c.lessEq {
			t.Errorf("%#x.LessEq(%#x) = %v", c.a, c.b, got)
		}
		if got := c.a.Sub(c.b); got != c.sub {
			t.Errorf("%#x.Sub(%#x) = %d, want %d", c.a, c.b, got, c.sub)
		}
		if got := c.b.Add(c.sub); got != c.a {
			t.Errorf("%#x.Add(%d) = %#x, want %#x", c.b, c.sub, got, c.a)
		}
		if lo, hi := MinSeq(c.a, c.b), MaxSeq(c.a, c.b); lo != c.minimum || hi != c.maximum {
			t.Errorf("MinSeq, MaxSeq(%#x, %#x) = %#x, %#x, want %#x, %#x", c.a, c.b, lo, hi, c.minimum, c.maximum)
		}
	}
}

func TestSeqAddWraps(t *testing.T) {
	for _, c := range []struct {
		a    Seq
		n    int
		want Seq
	}{
		{math.MaxUint32, 1, 0},
		{0, -1, math.MaxUint32},
		{0xfffffc00, 2048, 0x400},
		{5, math.MinInt32, 5 + 1<<31},
		{5, 1<<31 - 1, 1<<31 + 4},
	} {
		if got := c.a.Add(c.n); got != c.want {
			t.Errorf("%#x.Add(%d) = %#x, want %#x", c.a, c.n, got, c.want)
		}
	}
}

func TestSeqOrderIsTranslationInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Seq(rapid.Uint32().Draw(t, "a"))
		n := rapid.IntRange(1, 1<<31-1).Draw(t, "n")
		b := a.Add(n)
		if !a.Less(b) || b.Less(a) || b.Sub(a) != n || (Range{a, b}).Len() != n || MaxSeq(a, b) != b || MinSeq(b, a) != a {
			t.Fatalf("a = %#x and b = a + %d are not ordered", a, n)
		}
	})
}

func TestSegLen(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		n     int
		want  int
	}{{ACK, 0, 0}, {SYN, 0, 1}, {FIN | ACK, 10, 11}, {SYN | FIN, 7, 9}, {RST, 0, 0}} {
		p := Packet{Flags: c.flags, PayloadLen: c.n}
		if got := p.SegLen(); got != c.want {
			t.Errorf("SegLen of flags %#x with %d octets = %d, want %d", c.flags, c.n, got, c.want)
		}
	}
	if f := SYN | ACK; !f.Has(SYN) || !f.Has(SYN|ACK) || f.Has(SYN|FIN) {
		t.Error("Has does not ask for every bit")
	}
}
