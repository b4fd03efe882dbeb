package wire

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"
)

var (
	hop4 = netip.MustParseAddr("203.0.113.9")
	hop6 = netip.MustParseAddr("2001:db8:99::1")
)

// icmpSamples are a message of each kind and family.
func icmpSamples() []ICMPError {
	v4 := ICMPError{From: hop4, Src: addrPort("192.0.2.1:1000"), Dst: addrPort("198.51.100.2:80"), Seq: 0xfffffffe, Length: 1500}
	v6 := ICMPError{From: hop6, Src: addrPort("[2001:db8::1]:1000"), Dst: addrPort("[2001:db8:ffff::2]:80"), Seq: 7, Length: 1500}
	var out []ICMPError
	for _, m := range [][3]int{{3, 1, 0}, {3, 3, 0}, {3, 4, 1006}, {4, 0, 0}, {11, 0, 0}, {12, 0, 0}} {
		e := v4
		e.Type, e.Code, e.MTU = uint8(m[0]), uint8(m[1]), m[2]
		out = append(out, e)
	}
	for _, m := range [][3]int{{1, 0, 0}, {1, 4, 0}, {2, 0, 70000}, {3, 1, 0}, {4, 1, 0}} {
		e := v6
		e.Type, e.Code, e.MTU = uint8(m[0]), uint8(m[1]), m[2]
		out = append(out, e)
	}
	return out
}

func mustAppendICMP(t testing.TB, e *ICMPError) []byte {
	t.Helper()
	b, err := AppendICMP(nil, e)
	if err != nil {
		t.Fatalf("%+v: %v", *e, err)
	}
	return b
}

// A message comes back as it was, whatever of the quoted packet follows the 8 octets of TCP, with IPv4 options in the
// quotation, and with padding behind the packet.
func TestICMPRoundTrip(t *testing.T) {
	for _, e := range icmpSamples() {
		b := mustAppendICMP(t, &e)
		forms := [][]byte{b, append(b[:len(b):len(b)], 1, 2, 3), quoteMore(&e, b, 0, 52), quoteMore(&e, b, 0, 1)}
		if e.From.Is4() {
			forms = append(forms, quoteMore(&e, b, 8, 20))
		}
		for i, form := range forms {
			var back ICMPError
			if err := DecodeICMP(form, &back); err != nil || back != e {
				t.Errorf("form %d of %+v became %+v, %v", i, e, back, err)
			}
		}
	}
}

// quoteMore returns the message in b with that many octets of options in the quoted IPv4 header and more octets of TCP.
func quoteMore(e *ICMPError, b []byte, options, more int) []byte {
	header := 20
	if e.From.Is6() {
		header = 40
	}
	at := header + icmpHeader
	out := append([]byte(nil), b[:at+header]...)
	if options > 0 {
		out[at] += byte(options / 4)
		out = append(out, make([]byte, options)...)
	}
	out = append(out, b[at+header:]...)
	for i := range more {
		out = append(out, byte(i))
	}
	lengthen(out)
	return out
}

// lengthen makes the outer length and the checksums of a message right.
func lengthen(b []byte) {
	if b[0]>>4 == 4 {
		binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	} else {
		binary.BigEndian.PutUint16(b[4:], uint16(len(b)-40))
	}
	repairICMP(b)
}

// repairICMP makes the checksums of a message right where its lengths allow.
func repairICMP(b []byte) {
	var p Packet
	var rest []byte
	var src, dst netip.Addr
	var err error
	acc := uint64(0)
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		if n := int(b[0]&15) * 4; n >= 20 && n <= len(b) {
			resum(8, b[8])(b)
		}
		rest, _, _, err = decodeIPv4(b, &p)
	case len(b) >= 40 && b[0]>>4 == 6:
		rest, src, dst, err = decodeIPv6(b, &p)
		acc = pseudo(src, dst, ProtocolICMPv6, len(rest))
	}
	if err != nil || len(rest) < 4 {
		return
	}
	rest[2], rest[3] = 0, 0
	binary.BigEndian.PutUint16(rest[2:], ^fold(sum(rest, acc)))
}

// What the messages mean to TCP (RFC 1122 s.4.2.3.9, RFC 5461 s.2, RFC 6633).
func TestICMPKinds(t *testing.T) {
	for _, c := range []struct {
		from  netip.Addr
		typ   uint8
		kinds []ICMPKind // by code
	}{
		{hop4, 3, []ICMPKind{1, 1, 2, 2, 3, 1, 1, 1, 1, 2, 2, 1, 1, 2, 1, 1, 1}},
		{hop4, 4, []ICMPKind{4}},
		{hop4, 11, []ICMPKind{1, 1}},
		{hop4, 12, []ICMPKind{1, 1, 1}},
		{hop6, 1, []ICMPKind{1, 2, 1, 1, 2, 2, 2, 1}},
		{hop6, 2, []ICMPKind{3}},
		{hop6, 3, []ICMPKind{1, 1}},
		{hop6, 4, []ICMPKind{1, 2, 1}},
		{hop4, 0, []ICMPKind{0}}, // echo reply
		{hop4, 5, []ICMPKind{0}}, // redirect
		{hop4, 8, []ICMPKind{0}},
		{hop6, 128, []ICMPKind{0}},
		{hop6, 137, []ICMPKind{0}},
	} {
		for code, want := range c.kinds {
			e := ICMPError{From: c.from, Type: c.typ, Code: uint8(code)}
			if got := e.Kind(); got != want {
				t.Errorf("type %d code %d from %v is kind %d, want %d", c.typ, code, c.from, got, want)
			}
		}
	}
}

// TooBig makes the message that a hop sends about a packet.
func TestICMPTooBig(t *testing.T) {
	for _, p := range samples()[:2] {
		from, typ := hop4, uint8(3)
		if p.Src.Addr().Is6() {
			from, typ = hop6, 2
		}
		e := TooBig(from, &p, 1500, 1400)
		if e.Kind() != ICMPTooBig || e.Type != typ || e.MTU != 1400 || e.Src != p.Src || e.Dst != p.Dst || e.Seq != p.Seq || e.Length != 1500 {
			t.Errorf("%+v about %+v", e, p)
		}
	}
}

// Everything that is wrong with a message has its error, and each test is about a message that is otherwise right.
func TestICMPErrors(t *testing.T) {
	all := icmpSamples()
	v4, v6 := &all[2], &all[8]
	for _, c := range []struct {
		name   string
		e      *ICMPError
		change func(b []byte) []byte
		want   Error
	}{
		{"empty", v4, func(b []byte) []byte { return nil }, ErrTruncated},
		{"version 5", v4, func(b []byte) []byte { b[0] = 0x55; return b }, ErrVersion},
		{"TCP", v4, func(b []byte) []byte { b[9] = 6; return b }, ErrICMP},
		{"ICMPv6 in IPv4", v4, func(b []byte) []byte { b[9] = 58; return b }, ErrICMP},
		{"ICMP in IPv6", v6, func(b []byte) []byte { b[6] = 1; return b }, ErrICMP},
		{"7 octets", v4, func(b []byte) []byte { return b[:27] }, ErrTruncated},
		{"redirect", v4, func(b []byte) []byte { b[20] = 5; return b }, ErrICMP},
		{"echo", v6, func(b []byte) []byte { b[40] = 128; return b }, ErrICMP},
		{"19 octets quoted", v4, func(b []byte) []byte { return b[:47] }, ErrTruncated},
		{"39 octets quoted", v6, func(b []byte) []byte { return b[:87] }, ErrTruncated},
		{"7 octets of TCP", v4, func(b []byte) []byte { return b[:55] }, ErrTruncated},
		{"7 octets of TCP, IPv6", v6, func(b []byte) []byte { return b[:95] }, ErrTruncated},
		{"quoted IPv6 in IPv4", v4, func(b []byte) []byte { b[28] = 0x65; return b }, ErrVersion},
		{"quoted IPv4 in IPv6", v6, func(b []byte) []byte { b[48] = 0x45; return b }, ErrVersion},
		{"quoted header of 16", v4, func(b []byte) []byte { b[28] = 0x44; return b }, ErrHeader},
		{"quoted options cut", v4, func(b []byte) []byte { b[28] = 0x46; return b }, ErrTruncated},
		{"quoted length of 19", v4, func(b []byte) []byte { b[30], b[31] = 0, 19; return b }, ErrHeader},
		{"quoted UDP", v4, func(b []byte) []byte { b[37] = 17; return b }, ErrICMP},
		{"quoted extension header", v6, func(b []byte) []byte { b[54] = 0; return b }, ErrICMP},
		{"quoted later fragment", v4, func(b []byte) []byte { b[34], b[35] = 0, 1; return b }, ErrFragment},
		{"somebody else's", v4, func(b []byte) []byte { b[43]++; return b }, ErrICMP},
		{"from nobody", v4, func(b []byte) []byte { clear(b[12:16]); return b }, ErrAddress},
		{"about nobody", v6, func(b []byte) []byte { clear(b[72:88]); return b }, ErrAddress},
	} {
		b := c.change(mustAppendICMP(t, c.e))
		if len(b) > 20 {
			lengthen(b)
		}
		var e ICMPError
		if err := DecodeICMP(b, &e); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for i, e := range all { // every bit counts
		b := mustAppendICMP(t, &e)
		for bit := range 8 * len(b) {
			if e.From.Is6() && bit/8 < 40 && !(bit/8 >= 8) {
				continue // the rest of an IPv6 header has no checksum
			}
			b[bit/8] ^= 1 << (bit % 8)
			var back ICMPError
			if DecodeICMP(b, &back) == nil {
				t.Errorf("message %d with bit %d flipped decodes", i, bit)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
}

func TestAppendICMPRefuses(t *testing.T) {
	good := icmpSamples()[2]
	for _, c := range []struct {
		change func(e *ICMPError)
		want   Error
	}{
		{func(e *ICMPError) { e.From = hop6 }, ErrAddress},
		{func(e *ICMPError) { e.From = netip.Addr{} }, ErrAddress},
		{func(e *ICMPError) { e.From = netip.IPv4Unspecified() }, ErrAddress},
		{func(e *ICMPError) { e.Dst = addrPort("[2001:db8::1]:1") }, ErrAddress},
		{func(e *ICMPError) { e.Type = 8 }, ErrICMP},
		{func(e *ICMPError) { e.Length = 19 }, ErrTooLong},
		{func(e *ICMPError) { e.Length = 65536 }, ErrTooLong},
		{func(e *ICMPError) { e.MTU = -1 }, ErrTooLong},
		{func(e *ICMPError) { e.MTU = 65536 }, ErrTooLong},
	} {
		e := good
		c.change(&e)
		if b, err := AppendICMP([]byte("x"), &e); err != c.want || string(b) != "x" {
			t.Errorf("%+v: %v, want %v, and %d octets", e, err, c.want, len(b))
		}
	}
}

// An independent decoder agrees with the message's fields, the quotation's and every checksum.
func TestICMPAgainstGopacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(icmpSamples()).Draw(t, "message")
		e.Seq = Seq(rapid.Uint32().Draw(t, "seq"))
		e.Length = rapid.IntRange(60, 9000).Draw(t, "length")
		b, err := AppendICMP(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		quote := b[28:]
		if e.From.Is4() {
			m := gopacket.NewPacket(b, layers.LayerTypeIPv4, gopacket.Default)
			h, ok := m.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4)
			if !ok {
				t.Fatalf("no ICMP in %v", m)
			}
			expect(t, "ICMP", int(h.TypeCode.Type()), int(e.Type), int(h.TypeCode.Code()), int(e.Code), int(h.Seq), e.MTU)
			q := gopacket.NewPacket(quote, layers.LayerTypeIPv4, gopacket.Default)
			expect(t, "quoted IP", int(q.NetworkLayer().(*layers.IPv4).Length), e.Length)
		} else {
			m := gopacket.NewPacket(b, layers.LayerTypeIPv6, gopacket.Default)
			h, ok := m.Layer(layers.LayerTypeICMPv6).(*layers.ICMPv6)
			if !ok || h.SetNetworkLayerForChecksum(m.NetworkLayer()) != nil {
				t.Fatalf("no ICMPv6 in %v", m)
			}
			if err, bad := m.VerifyChecksums(); err != nil || len(bad) > 0 {
				t.Fatalf("checksums: %v, %v", err, bad)
			}
			expect(t, "ICMPv6", int(h.TypeCode.Type()), int(e.Type), int(h.TypeCode.Code()), int(e.Code))
			q := gopacket.NewPacket(b[48:], layers.LayerTypeIPv6, gopacket.Default)
			expect(t, "quoted IPv6", int(q.NetworkLayer().(*layers.IPv6).Length), e.Length-40)
		}
		if e.From.Is4() && (Checksum(b[:20], 0) != 0 || Checksum(b[20:], 0) != 0 || Checksum(quote[:20], 0) != 0) {
			t.Fatal("a checksum is wrong")
		}
	})
}

func FuzzDecodeICMP(f *testing.F) {
	for _, e := range icmpSamples() {
		b := mustAppendICMP(f, &e)
		f.Add(b)
		f.Add(quoteMore(&e, b, 0, 20))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e ICMPError
		if err := DecodeICMP(b, &e); err != nil {
			if x := err.(Error); x == 0 || x >= NumErrors {
				t.Fatalf("DecodeICMP returned %v", err)
			}
			repairICMP(b)
			if DecodeICMP(b, &e) != nil {
				return
			}
		}
		again, err := AppendICMP(nil, &e)
		if err != nil {
			t.Fatalf("%+v does not encode: %v", e, err)
		}
		var back ICMPError
		if err := DecodeICMP(again, &back); err != nil || back != e {
			t.Fatalf("%+v became %+v, %v", e, back, err)
		}
	})
}

func TestICMPAllocs(t *testing.T) {
	e := icmpSamples()[2]
	b := mustAppendICMP(t, &e)
	buf := make([]byte, 0, 200)
	if n := testing.AllocsPerRun(100, func() {
		if DecodeICMP(b, &e) != nil {
			t.Fatal("does not decode")
		}
		if _, err := AppendICMP(buf[:0], &e); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
