package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

func addrPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// samples are packets of every shape, with their octets worked out by hand but for the checksums, which
// gopacket confirms in gopacket_test.go.
func samples() []Packet {
	v4 := func(p Packet) Packet {
		p.Src, p.Dst = addrPort("192.0.2.1:1000"), addrPort("198.51.100.2:80")
		return p
	}
	v6 := func(p Packet) Packet {
		p.Src, p.Dst = addrPort("[2001:db8::1]:1000"), addrPort("[2001:db8:ffff::2]:80")
		return p
	}
	syn := Packet{Protocol: ProtocolTCP, TTL: 64, Flags: SYN, Window: 65535, Seq: 0xfffffffe, Options: Options{
		Set: OptMSS | OptSACKPermitted | OptTimestamps | OptWindowScale | OptBigWindow | OptNAKPermitted,
		MSS: 1460, TSVal: 77, WindowScale: 9, BigWindow: 1 << 30}}
	ack := Packet{Protocol: ProtocolTCP, TTL: 63, DSCP: 46, ECN: ECT0, Flags: ACK | ECE, Window: 1234, Seq: 1, Ack: 0x80000000, Options: Options{
		Set: OptTimestamps | OptUpperWindow | OptNAK | OptSACK, TSVal: 1 << 31, TSEcr: 3, UpperWindow: 0x3fff, NAKSeq: 0x80000000, NAKCount: 255,
		NumSACK: 1, SACK: [4]Range{{0x80000100, 0x80000200}}}}
	data := Packet{Protocol: ProtocolTCP, TTL: 1, ECN: CE, Flags: ACK | PSH | FIN | URG, Window: 1, Urgent: 3, Seq: 5, Ack: 6, PayloadLen: 5, Payload: []byte("hello")}
	udp := Packet{Protocol: ProtocolUDP, TTL: 255, DSCP: 1, ECN: ECT1, PayloadLen: 3, Payload: []byte{0, 0xff, 1}}
	empty := Packet{Protocol: ProtocolUDP, TTL: 2}
	return []Packet{v4(syn), v6(syn), v4(ack), v6(ack), v4(data), v6(data), v4(udp), v6(udp), v4(empty), v6(empty)}
}

func mustAppend(t testing.TB, p *Packet, e Encoding) []byte {
	t.Helper()
	b, err := AppendPacket(nil, p, e)
	if err != nil {
		t.Fatalf("AppendPacket: %v", err)
	}
	return b
}

// same reports whether two packets are equal, however a synthetic or empty payload is represented.
func same(a, b *Packet) bool {
	x, y := *a, *b
	for _, p := range []*Packet{&x, &y} {
		if len(p.Payload) != p.PayloadLen {
			p.Payload = make([]byte, p.PayloadLen)
		}
		if p.PayloadLen == 0 {
			p.Payload = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

func TestPacketGolden(t *testing.T) {
	p4 := Packet{Src: addrPort("192.0.2.1:1000"), Dst: addrPort("198.51.100.2:80"), Protocol: ProtocolTCP, TTL: 64, DSCP: 10, ECN: ECT0,
		Flags: ACK | PSH, Window: 512, Seq: 0x01020304, Ack: 0x05060708, Options: Options{Set: OptTimestamps, TSVal: 1, TSEcr: 2}, PayloadLen: 3, Payload: []byte("abc")}
	p6 := p4
	p6.Src, p6.Dst = addrPort("[2001:db8::1]:1000"), addrPort("[2001:db8::2]:80")
	u4 := Packet{Src: p4.Src, Dst: p4.Dst, Protocol: ProtocolUDP, TTL: 64, PayloadLen: 3, Payload: []byte("abc")}
	tcp := "03e80050 01020304 05060708 8018 0200 %s 0000 0101080a0000000100000002 616263"
	for _, c := range []struct {
		name  string
		p     Packet
		ip    string
		sum   int // offset of the transport checksum
		trans string
	}{
		{"IPv4 TCP", p4, "452a0037 00004000 4006 0000 c0000201 c6336402", 20 + 16, tcp},
		{"IPv6 TCP", p6, "62a00000 0023 0640 20010db8000000000000000000000001 20010db8000000000000000000000002", 40 + 16, tcp},
		{"IPv4 UDP", u4, "4500001f 00004000 4011 0000 c0000201 c6336402", 20 + 6, "03e80050 000b %s 616263"},
	} {
		got := mustAppend(t, &c.p, Encoding{})
		want := unhex(t, c.ip+strings.ReplaceAll(c.trans, "%s", "0000"))
		// The checksums, by the definition and with plainChecksum.
		n := 40
		if c.ip[0] == '4' {
			n = 20
			binary.BigEndian.PutUint16(want[10:], plainChecksum(want[:20], 0))
		}
		h := append(c.p.Src.Addr().AsSlice(), c.p.Dst.Addr().AsSlice()...)
		h = append(h, 0, 0, 0, byte(len(want)-n), 0, 0, 0, c.p.Protocol)
		binary.BigEndian.PutUint16(want[c.sum:], plainChecksum(append(h, want[n:]...), 0))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: encoded as\n%x, want\n%x", c.name, got, want)
		}
		var back Packet
		if err := Decode(want, &back, Encoding{}); err != nil || !same(&back, &c.p) {
			t.Errorf("%s: decoded as %+v, %v", c.name, back, err)
		}
	}
}

func TestSamplesRoundTrip(t *testing.T) {
	for _, e := range []Encoding{{}, literal} {
		for i, p := range samples() {
			b := mustAppend(t, &p, e)
			var back Packet
			if err := Decode(b, &back, e); err != nil || !same(&back, &p) {
				t.Errorf("sample %d: %+v became %+v, %v", i, p, back, err)
			}
			if n := EncodedLen(&p, e); n != len(b) {
				t.Errorf("sample %d: EncodedLen = %d, encoded %d octets", i, n, len(b))
			}
		}
	}
}

// A synthetic payload is zeros, also in a buffer that held something else, and its headers are the same as of
// stored zeros.
func TestSyntheticPayload(t *testing.T) {
	p := samples()[2]
	p.PayloadLen = 1001
	dirty := bytes.Repeat([]byte{0xee}, 2000)
	got, err := AppendPacket(dirty[:7], &p, Encoding{})
	if err != nil {
		t.Fatal(err)
	}
	if &got[0] != &dirty[0] || !bytes.Equal(got[:7], bytes.Repeat([]byte{0xee}, 7)) {
		t.Error("AppendPacket does not append in place")
	}
	p.Payload = make([]byte, 1001)
	want := mustAppend(t, &p, Encoding{})
	if !bytes.Equal(got[7:], want) {
		t.Error("a synthetic payload encodes differently from zeros")
	}
	headers, err := AppendHeaders(nil, &p, Encoding{})
	if err != nil || !bytes.Equal(headers, want[:len(want)-1001]) {
		t.Errorf("AppendHeaders = %x, %v, want %x", headers, err, want[:len(want)-1001])
	}
}

func TestDecodeAliasesPayload(t *testing.T) {
	b := append(mustAppend(t, &samples()[4], Encoding{}), "padding of the link"...)
	var p Packet
	if err := Decode(b, &p, Encoding{}); err != nil {
		t.Fatal(err)
	}
	if string(p.Payload) != "hello" || p.PayloadLen != 5 || cap(p.Payload) != 5 {
		t.Errorf("payload %q of %d, capacity %d", p.Payload, p.PayloadLen, cap(p.Payload))
	}
	b[len(b)-len("padding of the link")-1] = 'p'
	if string(p.Payload) != "hellp" {
		t.Errorf("payload %q does not alias the buffer", p.Payload)
	}
}

func TestTTLZeroEncodesAs64(t *testing.T) {
	for _, p := range samples()[:2] {
		p.TTL = 0
		var back Packet
		if err := Decode(mustAppend(t, &p, Encoding{}), &back, Encoding{}); err != nil || back.TTL != 64 {
			t.Errorf("TTL %d, %v", back.TTL, err)
		}
	}
}

func TestAppendErrors(t *testing.T) {
	good := samples()[4]
	for _, c := range []struct {
		name string
		mend func(p *Packet)
		want error
	}{
		{"families differ", func(p *Packet) { p.Dst = addrPort("[2001:db8::1]:80") }, ErrAddress},
		{"no address", func(p *Packet) { p.Src = netip.AddrPort{} }, ErrAddress},
		{"no addresses", func(p *Packet) { p.Src, p.Dst = netip.AddrPort{}, netip.AddrPort{} }, ErrAddress},
		{"unspecified", func(p *Packet) { p.Dst = addrPort("0.0.0.0:80") }, ErrAddress},
		{"unspecified IPv6", func(p *Packet) { p.Src, p.Dst = addrPort("[::]:1"), addrPort("[::1]:80") }, ErrAddress},
		{"mapped", func(p *Packet) { p.Src, p.Dst = addrPort("[::ffff:1.2.3.4]:1"), addrPort("[::1]:80") }, ErrAddress},
		{"no protocol", func(p *Packet) { p.Protocol = 0 }, ErrProtocol},
		{"negative length", func(p *Packet) { p.PayloadLen, p.Payload = -1, nil }, ErrPayload},
		{"length too small", func(p *Packet) { p.PayloadLen-- }, ErrPayload},
		{"length too large", func(p *Packet) { p.PayloadLen++ }, ErrPayload},
		{"too long", func(p *Packet) { p.PayloadLen, p.Payload = 65496, nil }, ErrTooLong},
		{"too long, UDP", func(p *Packet) { p.Protocol, p.PayloadLen, p.Payload = ProtocolUDP, 65508, nil }, ErrTooLong},
		{"five SACK blocks", func(p *Packet) { p.Options = Options{Set: OptSACK, NumSACK: 5} }, ErrOptions},
		{"four SACK blocks and timestamps", func(p *Packet) { p.Options = Options{Set: OptSACK | OptTimestamps, NumSACK: 4} }, ErrOptions},
	} {
		p := good
		c.mend(&p)
		prefix := []byte("prefix")
		for name, f := range map[string]func([]byte, *Packet, Encoding) ([]byte, error){"AppendPacket": AppendPacket, "AppendHeaders": AppendHeaders} {
			if b, err := f(prefix, &p, Encoding{}); err != c.want || string(b) != "prefix" {
				t.Errorf("%s, %s: %q, %v, want %v", c.name, name, b, err, c.want)
			}
		}
	}
}

// R10: a segment of 65495 octets is the largest that IPv4 carries; IPv6 carries 40 more.
func TestLargestPackets(t *testing.T) {
	for i, want := range []int{65535, 65575} {
		p := samples()[4+i]
		p.Payload, p.PayloadLen = nil, want-EncodedLen(&Packet{Src: p.Src, Protocol: ProtocolTCP}, Encoding{})
		b := mustAppend(t, &p, Encoding{})
		var back Packet
		if err := Decode(b, &back, Encoding{}); err != nil || len(b) != want || !same(&p, &back) {
			t.Errorf("%d octets came back as %d octets of payload, %v", len(b), back.PayloadLen, err)
		}
		p.PayloadLen++
		if _, err := AppendPacket(nil, &p, Encoding{}); err != ErrTooLong {
			t.Errorf("one octet more: %v", err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	s := samples()
	tcp4, tcp6, udp4, udp6 := mustAppend(t, &s[4], Encoding{}), mustAppend(t, &s[5], Encoding{}), mustAppend(t, &s[6], Encoding{}), mustAppend(t, &s[7], Encoding{})
	for _, c := range []struct {
		name string
		b    []byte
		mend func(b []byte) []byte
		want error
	}{
		{"nothing", nil, nil, ErrTruncated},
		{"version 5", tcp4, set(0, 0x55), ErrVersion},
		{"IPv4 header cut", tcp4, cut(19), ErrTruncated},
		{"IPv4 header length 16", tcp4, set(0, 0x44), ErrHeader},
		{"IPv4 total below the header", tcp4, set(3, 19), ErrHeader},
		{"IPv4 cut", tcp4, cut(len(tcp4) - 1), ErrTruncated},
		{"IPv4 checksum", tcp4, set(8, 9), ErrIPChecksum},
		{"first fragment", tcp4, resum(6, 0x20), ErrFragment},
		{"later fragment", tcp4, resum(7, 1), ErrFragment},
		{"ICMP", tcp4, resum(9, 1), ErrProtocol},
		{"TCP header cut", tcp4, resum(3, 39), ErrTruncated},
		{"TCP data offset 4", tcp4, set(20+12, 0x40), ErrHeader},
		{"TCP data offset past the end", tcp4, set(20+12, 0xf0), ErrTruncated},
		{"TCP checksum", tcp4, set(20+16, 0), ErrChecksum},
		{"UDP header cut", udp4, resum(3, 27), ErrTruncated},
		{"UDP length 7", udp4, set(20+5, 7), ErrHeader},
		{"UDP length past the end", udp4, set(20+5, 12), ErrTruncated},
		{"UDP checksum", udp4, set(20+8, 1), ErrChecksum},
		{"IPv6 header cut", tcp6, cut(39), ErrTruncated},
		{"IPv6 cut", tcp6, cut(len(tcp6) - 1), ErrTruncated},
		{"IPv6 no next header", tcp6, set(6, 59), ErrProtocol},
		{"IPv6 fragment", tcp6, set(6, 44), ErrFragment},
		{"IPv6 TCP checksum", tcp6, set(len(tcp6)-1, 0), ErrChecksum},
		{"IPv6 UDP without checksum (RFC 8200 s.8.1)", udp6, func(b []byte) []byte { b[46], b[47] = 0, 0; return b }, ErrChecksum},
		{"IPv6 extension header cut", extend(tcp6[:40], 0, []byte{6, 0, 0, 0, 0, 0, 0}), nil, ErrTruncated},
		{"IPv6 extension header past the end", extend(tcp6, 0, []byte{6, 9, 0, 0, 0, 0, 0, 0}), nil, ErrTruncated},
		{"IPv6 hop-by-hop not first (RFC 8200 s.4.1)", extend(tcp6, 60, []byte{0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0}), nil, ErrHeader},
		{"IPv6 routing header with segments left (RFC 8200 s.4.4)", extend(tcp6, 43, []byte{6, 0, 0, 1, 0, 0, 0, 0}), nil, ErrHeader},
		{"IPv6 fragment after options", extend(tcp6, 60, []byte{44, 0, 0, 0, 0, 0, 0, 0}), nil, ErrFragment},
	} {
		b := bytes.Clone(c.b)
		if c.mend != nil {
			b = c.mend(b)
		}
		var p Packet
		if err := Decode(b, &p, Encoding{}); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	var e Error
	if err := error(ErrFragment); !errors.As(err, &e) || e != ErrFragment {
		t.Error("Error is no error type")
	}
}

func TestDecodeRejectsAddresses(t *testing.T) {
	for _, c := range []struct {
		i, at int
		addr  string
	}{{4, 12, "0.0.0.0"}, {4, 16, "0.0.0.0"}, {5, 8, "::"}, {5, 24, "::"}, {5, 8, "::ffff:1.2.3.4"}} {
		b := mustAppend(t, &samples()[c.i], Encoding{})
		copy(b[c.at:], netip.MustParseAddr(c.addr).AsSlice())
		if c.i == 4 {
			b = resum(8, 64)(b)
		}
		var p Packet
		if err := Decode(b, &p, Encoding{}); err != ErrAddress {
			t.Errorf("%s at %d: %v", c.addr, c.at, err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	seen := map[string]bool{}
	for e := Error(1); e < NumErrors; e++ {
		s := e.Error()
		if len(s) < 20 || seen[s] || strings.Contains(s, "\n") || strings.Contains(s, "unknown") {
			t.Errorf("error %d: %q", e, s)
		}
		seen[s] = true
	}
	if Error(0).Error() != "wire: unknown error" || Error(NumErrors).Error() != "wire: unknown error" {
		t.Error("unknown errors have no text")
	}
}

// Decode accepts what a host must accept beyond what AppendPacket makes.
func TestDecodeAccepts(t *testing.T) {
	s := samples()
	options4 := func(b []byte) []byte { // a router alert (RFC 2113) in the IPv4 header
		b = append(append(bytes.Clone(b[:20]), 0x94, 4, 0, 0), b[20:]...)
		b[0]++
		return resum(3, byte(len(b)))(b)
	}
	trail := func(b []byte) []byte { // UDP options (RFC 9868) after the datagram
		return resum(3, byte(len(b)+4))(append(b, 1, 2, 3, 4))
	}
	for _, c := range []struct {
		name string
		i    int
		mend func(b []byte) []byte
	}{
		{"IPv4 options", 4, options4},
		{"IPv4 without don't-fragment", 4, resum(6, 0)},
		{"identification", 4, resum(5, 77)},
		{"Ethernet padding", 4, func(b []byte) []byte { return append(b, make([]byte, 20)...) }},
		{"reserved TCP bits (RFC 9293 s.3.1)", 4, func(b []byte) []byte {
			b[32] |= 1
			return fixTCP4(b)
		}},
		{"UDP over IPv4 without checksum (RFC 768)", 6, func(b []byte) []byte { b[26], b[27] = 0, 0; return b }},
		{"octets after the UDP datagram", 6, trail},
		{"flow label", 5, set(3, 9)},
		{"hop-by-hop, destination and routing headers", 5, func(b []byte) []byte {
			return extend(b, 0, []byte{43, 0, 1, 4, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 6, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		}},
	} {
		var p Packet
		if err := Decode(c.mend(mustAppend(t, &s[c.i], Encoding{})), &p, Encoding{}); err != nil || !same(&p, &s[c.i]) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, p, err, s[c.i])
		}
	}
}

// UDP whose checksum comes out as zero sends all ones (RFC 768).
func TestUDPChecksumZero(t *testing.T) {
	p := samples()[6]
	p.PayloadLen, p.Payload = 2, []byte{0, 0}
	b := mustAppend(t, &p, Encoding{})
	p.Payload = bytes.Clone(b[26:28]) // payload := checksum makes the new one zero
	b = mustAppend(t, &p, Encoding{})
	if b[26] != 0xff || b[27] != 0xff {
		t.Fatalf("checksum field %x, want ffff", b[26:28])
	}
	var back Packet
	if err := Decode(b, &back, Encoding{}); err != nil || !same(&p, &back) {
		t.Errorf("%+v, %v", back, err)
	}
}

// Each single bit error is either detected or hits a field that no checksum covers: IPv6 traffic class, flow label and
// hop limit, or the presence of a UDP checksum over IPv4.
func TestEveryBitFlip(t *testing.T) {
	for i, p := range samples() {
		good := mustAppend(t, &p, Encoding{})
		for bit := range len(good) * 8 {
			b := bytes.Clone(good)
			b[bit/8] ^= 0x80 >> (bit % 8)
			var got Packet
			if Decode(b, &got, Encoding{}) != nil {
				continue
			}
			want := p
			if p.Src.Addr().Is6() && (bit >= 4 && bit < 32 || bit/8 == 7) {
				want.DSCP, want.ECN, want.TTL = got.DSCP, got.ECN, got.TTL
			}
			if !same(&got, &want) {
				t.Errorf("sample %d: bit %d flipped unnoticed: %+v became %+v", i, bit, p, got)
			}
		}
	}
}

func set(i int, v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[i] = v; return b }
}

func cut(n int) func([]byte) []byte {
	return func(b []byte) []byte { return b[:n] }
}

// resum sets an octet of the IPv4 header and its checksum.
func resum(i int, v byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b[i], b[10], b[11] = v, 0, 0
		binary.BigEndian.PutUint16(b[10:], plainChecksum(b[:int(b[0]&15)*4], 0))
		return b
	}
}

// fixTCP4 recomputes the TCP checksum of an IPv4 packet.
func fixTCP4(b []byte) []byte {
	b[36], b[37] = 0, 0
	h := append(bytes.Clone(b[12:20]), 0, ProtocolTCP, 0, byte(len(b)-20))
	binary.BigEndian.PutUint16(b[36:], plainChecksum(append(h, b[20:]...), 0))
	return b
}

// extend inserts extension headers, of which the first is of kind next, into an IPv6 packet.
func extend(b []byte, next byte, headers []byte) []byte {
	out := append(append(bytes.Clone(b[:40]), headers...), b[40:]...)
	out[6] = next
	binary.BigEndian.PutUint16(out[4:], uint16(len(out)-40))
	return out
}
