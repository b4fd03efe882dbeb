package wire

import (
	"bytes"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// plainChecksum is RFC 1071 s.4.1 by the letter: one 16-bit word at a time.
func plainChecksum(b []byte, initial uint16) uint16 {
	s := uint32(initial)
	for i := 0; i < len(b); i += 2 {
		w := uint32(b[i]) << 8
		if i+1 < len(b) {
			w |= uint32(b[i+1])
		}
		s += w
		s = s>>16 + s&0xffff
	}
	return ^uint16(s)
}

func TestChecksumVectors(t *testing.T) {
	for _, c := range []struct {
		name    string
		b       []byte
		initial uint16
		want    uint16
	}{
		{"RFC 1071 s.3 example", []byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}, 0, ^uint16(0xddf2)},
		{"nothing", nil, 0, 0xffff},
		{"odd length", []byte{0x12}, 0, ^uint16(0x1200)},
		{"initial carries", []byte{0xff, 0xff}, 1, ^uint16(1)},
		{"RFC 791 header", []byte{0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7}, 0, 0xb861},
		{"all ones", bytes.Repeat([]byte{0xff}, 1000), 0xffff, 0},
	} {
		if got := Checksum(c.b, c.initial); got != c.want {
			t.Errorf("%s: Checksum = %#04x, want %#04x", c.name, got, c.want)
		}
	}
}

func TestChecksumAgainstWordByWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.Just(byte(0xff))), 0, 300).Draw(t, "b")
		initial := rapid.Uint16().Draw(t, "initial")
		if got, want := Checksum(b, initial), plainChecksum(b, initial); got != want {
			t.Fatalf("Checksum = %#04x, want %#04x", got, want)
		}
		cut := rapid.IntRange(0, len(b)/2).Draw(t, "cut") * 2
		if got, want := Checksum(b[cut:], ^Checksum(b[:cut], initial)), plainChecksum(b, initial); got != want {
			t.Fatalf("in two parts Checksum = %#04x, want %#04x", got, want)
		}
	})
}

// The pseudo header of RFC 8200 s.8.1, and of RFC 9293 s.3.1, written out.
func TestPseudoHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(0, 65535).Draw(t, "length")
		src, dst := drawAddr(t, true), drawAddr(t, true)
		if rapid.Bool().Draw(t, "v4") {
			src, dst = drawAddr(t, false), drawAddr(t, false)
		}
		h := append(src.AsSlice(), dst.AsSlice()...)
		h = append(h, 0, 0, byte(length>>8), byte(length), 0, 0, 0, ProtocolTCP)
		if got, want := ^fold(pseudo(src, dst, ProtocolTCP, length)), plainChecksum(h, 0); got != want {
			t.Fatalf("pseudo header checksum %#04x, want %#04x", got, want)
		}
	})
}

func drawAddr(t *rapid.T, v6 bool) netip.Addr {
	n := 4
	if v6 {
		n = 16
	}
	return rapid.Custom(func(t *rapid.T) netip.Addr {
		a, _ := netip.AddrFromSlice(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "addr"))
		return a
	}).Filter(func(a netip.Addr) bool { return !a.IsUnspecified() && !a.Is4In6() }).Draw(t, "addr")
}
