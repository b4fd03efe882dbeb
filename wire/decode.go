package wire

import (
	"encoding/binary"
	"net/netip"
)

// Next-header values of IPv6 extension headers (RFC 8200 s.4).
const (
	headerHopByHop    = 0
	headerRouting     = 43
	headerFragment    = 44
	headerDestination = 60
)

// Decode parses the IP packet at the beginning of b into p and overwrites all of it; after an error p means
// nothing. What follows the IP packet in b, such as the padding of a short Ethernet frame, is ignored. IPv4
// options and the IPv6 hop-by-hop, destination and finished routing headers are skipped. The IPv4 header checksum and the
// TCP or UDP checksum must be right; UDP over IPv4 may do without (RFC 768). Malformed TCP options are ignored
// as RFC 9293 s.3.1 has it, they do not make the packet fail.
//
// p.Payload is the part of b that holds the payload. The errors are ErrTruncated, ErrVersion, ErrHeader, ErrFragment,
// ErrIPChecksum, ErrChecksum, ErrProtocol and ErrAddress.
func Decode(b []byte, p *Packet, e Encoding) error {
	*p = Packet{}
	if len(b) == 0 {
		return ErrTruncated
	}
	var src, dst netip.Addr
	var err error
	switch b[0] >> 4 {
	case 4:
		b, src, dst, err = decodeIPv4(b, p)
	case 6:
		b, src, dst, err = decodeIPv6(b, p)
	default:
		return ErrVersion
	}
	if err != nil {
		return err
	}
	if src.IsUnspecified() || dst.IsUnspecified() || src.Is4In6() || dst.Is4In6() {
		return ErrAddress
	}
	switch p.Protocol {
	case ProtocolTCP:
		err = decodeTCP(b, src, dst, p, e)
	case ProtocolUDP:
		err = decodeUDP(b, src, dst, p)
	default:
		return ErrProtocol
	}
	if err != nil {
		return err
	}
	p.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(b))
	p.Dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))
	return nil
}

// decodeIPv4 returns what the IP packet carries, and its addresses.
func decodeIPv4(b []byte, p *Packet) (payload []byte, src, dst netip.Addr, err error) {
	if len(b) < ipv4Header {
		return nil, src, dst, ErrTruncated
	}
	n := int(b[0]&0xf) * 4
	total := int(binary.BigEndian.Uint16(b[2:]))
	switch {
	case n < ipv4Header || total < n:
		return nil, src, dst, ErrHeader
	case total > len(b):
		return nil, src, dst, ErrTruncated
	case Checksum(b[:n], 0) != 0:
		return nil, src, dst, ErrIPChecksum
	case binary.BigEndian.Uint16(b[6:])&0x3fff != 0: // offset, or more fragments to come
		return nil, src, dst, ErrFragment
	}
	p.DSCP, p.ECN = b[1]>>2, ECN(b[1]&3)
	p.TTL, p.Protocol = b[8], b[9]
	return b[n:total:total], netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:])), nil
}

// decodeIPv6 returns what follows the extension headers, and the addresses.
func decodeIPv6(b []byte, p *Packet) (payload []byte, src, dst netip.Addr, err error) {
	if len(b) < ipv6Header {
		return nil, src, dst, ErrTruncated
	}
	total := ipv6Header + int(binary.BigEndian.Uint16(b[4:]))
	if total > len(b) {
		return nil, src, dst, ErrTruncated
	}
	class := uint8(binary.BigEndian.Uint16(b) >> 4)
	p.DSCP, p.ECN = class>>2, ECN(class&3)
	p.TTL = b[7]
	src, dst = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
	next := b[6]
	b = b[ipv6Header:total:total]
	for first := true; ; first = false {
		switch next {
		case headerFragment:
			return nil, src, dst, ErrFragment
		case headerHopByHop, headerRouting, headerDestination:
		default:
			p.Protocol = next
			return b, src, dst, nil
		}
		if len(b) < 8 {
			return nil, src, dst, ErrTruncated
		}
		// Hop-by-hop options stand first or nowhere (RFC 8200 s.4.1). With segments left in a routing header we are
		// not the last destination (s.4.4), and type 0 must not be obeyed (RFC 5095).
		if next == headerHopByHop && !first || next == headerRouting && b[3] != 0 {
			return nil, src, dst, ErrHeader
		}
		n := (int(b[1]) + 1) * 8
		if n > len(b) {
			return nil, src, dst, ErrTruncated
		}
		next = b[0]
		b = b[n:]
	}
}

func decodeTCP(b []byte, src, dst netip.Addr, p *Packet, e Encoding) error {
	if len(b) < tcpHeader {
		return ErrTruncated
	}
	n := int(b[12]>>4) * 4
	if n < tcpHeader {
		return ErrHeader
	}
	if n > len(b) {
		return ErrTruncated
	}
	if fold(sum(b, pseudo(src, dst, ProtocolTCP, len(b)))) != 0xffff {
		return ErrChecksum
	}
	p.Seq = Seq(binary.BigEndian.Uint32(b[4:]))
	p.Ack = Seq(binary.BigEndian.Uint32(b[8:]))
	p.Flags = Flags(b[13])
	p.Window = binary.BigEndian.Uint16(b[14:])
	p.Urgent = binary.BigEndian.Uint16(b[18:])
	if n > tcpHeader {
		p.Options.parse(b[tcpHeader:n], e)
	}
	p.Payload = b[n:]
	p.PayloadLen = len(p.Payload)
	return nil
}

func decodeUDP(b []byte, src, dst netip.Addr, p *Packet) error {
	if len(b) < udpHeader {
		return ErrTruncated
	}
	n := int(binary.BigEndian.Uint16(b[4:]))
	if n < udpHeader {
		return ErrHeader
	}
	if n > len(b) {
		return ErrTruncated
	}
	b = b[:n:n]
	// Zero means no checksum, which IPv6 does not allow (RFC 8200 s.8.1).
	absent := b[6]|b[7] == 0 && src.Is4()
	if !absent && (b[6]|b[7] == 0 || fold(sum(b, pseudo(src, dst, ProtocolUDP, n))) != 0xffff) {
		return ErrChecksum
	}
	p.Payload = b[udpHeader:]
	p.PayloadLen = len(p.Payload)
	return nil
}
