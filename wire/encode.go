package wire

import (
	"encoding/binary"
	"slices"
)

// Header lengths in octets.
const (
	ipv4Header = 20
	ipv6Header = 40
	tcpHeader  = 20
	udpHeader  = 8
)

const (
	maxLength  = 65535
	defaultTTL = 64
	dontFrag   = 0x4000
)

// EncodedLen returns the octets of the IP packet that AppendPacket makes of p, without making it. For a packet
// that AppendPacket refuses it means nothing.
func EncodedLen(p *Packet, e Encoding) int {
	n := headerLen(p)
	if p.Protocol != ProtocolUDP && p.Options.Set != 0 {
		n += p.Options.Len(e)
	}
	return n + p.PayloadLen
}

// headerLen returns the octets of the IP and transport headers of p without options.
func headerLen(p *Packet) int {
	n := ipv4Header + tcpHeader
	if !p.Src.Addr().Is4() {
		n = ipv6Header + tcpHeader
	}
	if p.Protocol == ProtocolUDP {
		n += udpHeader - tcpHeader
	}
	return n
}

// AppendPacket appends the IP packet that p describes to b and returns the longer slice; without capacity for
// EncodedLen octets it allocates. The address family of Src chooses IPv4 or IPv6; an IPv6 zone is not sent. IPv4
// packets have the don't-fragment bit and identification 0 (RFC 6864 s.4), IPv6 ones flow label 0. A synthetic payload is
// written as zeros. All checksums are computed. On an error b is returned as it was; the errors are
// ErrProtocol, ErrAddress, ErrPayload, ErrOptions and ErrTooLong.
func AppendPacket(b []byte, p *Packet, e Encoding) ([]byte, error) {
	n, err := p.check(e)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = slices.Grow(b, n)[:start+n]
	at := start + n - p.PayloadLen
	if len(p.Payload) > 0 {
		copy(b[at:], p.Payload)
	} else {
		clear(b[at:])
	}
	putHeaders(b[start:at], p, e)
	return b, nil
}

// AppendHeaders is AppendPacket without the payload: its length fields and checksums are those of the whole
// packet. A capture that keeps only the beginning of each packet need not make the rest.
func AppendHeaders(b []byte, p *Packet, e Encoding) ([]byte, error) {
	n, err := p.check(e)
	if err != nil {
		return b, err
	}
	start := len(b)
	n -= p.PayloadLen
	b = slices.Grow(b, n)[:start+n]
	putHeaders(b[start:], p, e)
	return b, nil
}

// check returns the encoded length of p, or why p cannot be encoded.
func (p *Packet) check(e Encoding) (int, error) {
	src, dst := p.Src.Addr(), p.Dst.Addr()
	if p.PayloadLen < 0 || (len(p.Payload) > 0 && len(p.Payload) != p.PayloadLen) {
		return 0, ErrPayload
	}
	if src.BitLen() != dst.BitLen() || !src.IsValid() || src.IsUnspecified() || dst.IsUnspecified() || src.Is4In6() || dst.Is4In6() {
		return 0, ErrAddress
	}
	switch p.Protocol {
	case ProtocolTCP:
		if p.Options.NumSACK > MaxSACKBlocks && p.Options.Has(OptSACK) || p.Options.Len(e) > MaxOptions {
			return 0, ErrOptions
		}
	case ProtocolUDP:
	default:
		return 0, ErrProtocol
	}
	limit := maxLength
	if src.Is6() {
		limit += ipv6Header // its length field does not count the IP header
	}
	n := EncodedLen(p, e)
	if n > limit {
		return 0, ErrTooLong
	}
	return n, nil
}

// putHeaders writes the headers of p, which are known to be encodable, to b, which is as long as they are.
func putHeaders(b []byte, p *Packet, e Encoding) {
	src, dst := p.Src.Addr(), p.Dst.Addr()
	var t []byte // the transport header
	if src.Is4() {
		putIPv4(b, p)
		t = b[ipv4Header:]
	} else {
		putIPv6(b, p)
		t = b[ipv6Header:]
	}
	length := len(t) + p.PayloadLen
	binary.BigEndian.PutUint16(t, p.Src.Port())
	binary.BigEndian.PutUint16(t[2:], p.Dst.Port())
	field := t[6:8] // of the checksum
	if p.Protocol == ProtocolUDP {
		binary.BigEndian.PutUint16(t[4:], uint16(length))
	} else {
		putTCP(t, p, e)
		field = t[16:18]
	}
	field[0], field[1] = 0, 0
	// A synthetic payload is zeros, which add nothing.
	c := ^fold(sum(p.Payload, sum(t, pseudo(src, dst, p.Protocol, length))))
	if c == 0 && p.Protocol == ProtocolUDP {
		c = 0xffff // zero would mean that there is no checksum (RFC 768)
	}
	binary.BigEndian.PutUint16(field, c)
}

func putIPv4(b []byte, p *Packet) {
	h := b[:ipv4Header]
	h[0] = 4<<4 | ipv4Header/4
	h[1] = p.DSCP<<2 | uint8(p.ECN&3)
	binary.BigEndian.PutUint16(h[2:], uint16(len(b)+p.PayloadLen))
	binary.BigEndian.PutUint32(h[4:], dontFrag)
	h[8] = p.ttl()
	h[9] = p.Protocol
	h[10], h[11] = 0, 0
	src, dst := p.Src.Addr().As4(), p.Dst.Addr().As4()
	copy(h[12:16], src[:])
	copy(h[16:20], dst[:])
	binary.BigEndian.PutUint16(h[10:], Checksum(h, 0))
}

func putIPv6(b []byte, p *Packet) {
	h := b[:ipv6Header]
	binary.BigEndian.PutUint32(h, 6<<28|uint32(p.DSCP&0x3f)<<22|uint32(p.ECN&3)<<20)
	binary.BigEndian.PutUint16(h[4:], uint16(len(b)-ipv6Header+p.PayloadLen))
	h[6] = p.Protocol
	h[7] = p.ttl()
	src, dst := p.Src.Addr().As16(), p.Dst.Addr().As16()
	copy(h[8:24], src[:])
	copy(h[24:40], dst[:])
}

func (p *Packet) ttl() uint8 {
	if p.TTL == 0 {
		return defaultTTL
	}
	return p.TTL
}

// putTCP writes the TCP header except ports and checksum to t, whose length says how long the options are.
func putTCP(t []byte, p *Packet, e Encoding) {
	binary.BigEndian.PutUint32(t[4:], uint32(p.Seq))
	binary.BigEndian.PutUint32(t[8:], uint32(p.Ack))
	t[12] = uint8(len(t)/4) << 4
	t[13] = uint8(p.Flags)
	binary.BigEndian.PutUint16(t[14:], p.Window)
	binary.BigEndian.PutUint16(t[18:], p.Urgent)
	if len(t) > tcpHeader {
		p.Options.put(t[tcpHeader:], e)
	}
}
