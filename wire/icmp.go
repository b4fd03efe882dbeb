package wire

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"
)

// Protocol numbers of ICMP.
const (
	ProtocolICMP   uint8 = 1
	ProtocolICMPv6 uint8 = 58
)

// ICMPError is an ICMP error message about a TCP segment (RFC 792, RFC 4443 s.3). The address family of From says whether
// Type and Code are those of IPv4 or of IPv6.
type ICMPError struct {
	From netip.Addr // who reports it; the message goes to Src
	Type uint8
	Code uint8
	MTU  int // octets of the largest IP packet for the next hop, when Kind is ICMPTooBig; 0 if an old router left it out (RFC 1191 s.5)

	// The segment that the message quotes. Its sender is who gets the message.
	Src, Dst netip.AddrPort
	Seq      Seq
	Length   int // octets of its whole IP packet
}

// ICMPKind is what an error message means to TCP (RFC 1122 s.4.2.3.9, RFC 5461 s.2).
type ICMPKind uint8

// The kinds of error message.
const (
	ICMPSoft   ICMPKind = iota + 1 // may pass: network or host unreachable, time exceeded, parameter problem
	ICMPHard                       // somebody refuses: protocol or port unreachable, administratively prohibited
	ICMPTooBig                     // fragmentation needed (RFC 1191 s.4), packet too big (RFC 4443 s.3.2)
	ICMPQuench                     // source quench, which is obsolete (RFC 6633)
)

// The message types.
const (
	icmpUnreachable = 3 // RFC 792
	icmpQuench      = 4
	icmpExceeded    = 11
	icmpParameter   = 12

	icmp6Unreachable = 1 // RFC 4443 s.3
	icmp6TooBig      = 2
	icmp6Exceeded    = 3
	icmp6Parameter   = 4

	codeFragment    = 4 // of icmpUnreachable: fragmentation needed
	codeNextHeader6 = 1 // of icmp6Parameter: unknown next header
)

const (
	icmpHeader = 8
	quotedTCP  = 8 // octets that every message quotes behind the IP header (RFC 792): ports and sequence number
)

// TooBig returns the message that a hop at from sends about p, a packet of that many octets, whose next hop takes no more than
// mtu.
func TooBig(from netip.Addr, p *Packet, octets, mtu int) ICMPError {
	e := ICMPError{
		From: from, Type: icmpUnreachable, Code: codeFragment, MTU: mtu,
		Src: p.Src, Dst: p.Dst, Seq: p.Seq, Length: octets,
	}
	if from.Is6() {
		e.Type, e.Code = icmp6TooBig, 0
	}
	return e
}

// Kind returns what the message means, or 0 for a type that is no error. A code that is not known is a soft error.
func (e *ICMPError) Kind() ICMPKind {
	if e.From.Is6() {
		return e.kind6()
	}
	switch e.Type {
	case icmpQuench:
		return ICMPQuench
	case icmpExceeded, icmpParameter:
		return ICMPSoft
	case icmpUnreachable:
		switch e.Code {
		case codeFragment:
			return ICMPTooBig
		case 2, 3, 9, 10, 13: // protocol, port; prohibited, by RFC 1122 s.3.2.2.1 and RFC 1812 s.5.2.7.1
			return ICMPHard
		}
		return ICMPSoft
	}
	return 0
}

// kind6 is Kind for IPv6; RFC 5461 s.2 says which of its codes stand for which of IPv4.
func (e *ICMPError) kind6() ICMPKind {
	switch e.Type {
	case icmp6TooBig:
		return ICMPTooBig
	case icmp6Exceeded:
		return ICMPSoft
	case icmp6Parameter:
		if e.Code == codeNextHeader6 {
			return ICMPHard
		}
		return ICMPSoft
	case icmp6Unreachable:
		switch e.Code {
		case 1, 4, 5, 6: // prohibited, port, and the two that RFC 4443 s.3.1 took out of the first
			return ICMPHard
		}
		return ICMPSoft
	}
	return 0
}

// DecodeICMP parses the ICMP error message in the IP packet at the beginning of b into e and overwrites all of it; after an
// error e means nothing. The checksums of the message must be right; those of what it quotes, which ends anywhere behind the
// first 8 octets of the TCP header, are not looked at. IPv6 extension headers in the quotation are not read. The message
// must be addressed to the quoted packet's sender.
//
// The errors are those of Decode, and ErrICMP for what is no error message about a TCP segment.
func DecodeICMP(b []byte, e *ICMPError) error {
	*e = ICMPError{}
	if len(b) == 0 {
		return ErrTruncated
	}
	var p Packet
	var dst netip.Addr
	var err error
	switch b[0] >> 4 {
	case 4:
		b, e.From, dst, err = decodeIPv4(b, &p)
	case 6:
		b, e.From, dst, err = decodeIPv6(b, &p)
	default:
		return ErrVersion
	}
	if err != nil {
		return err
	}
	own, acc := ProtocolICMP, uint64(0)
	if e.From.Is6() {
		own, acc = ProtocolICMPv6, pseudo(e.From, dst, ProtocolICMPv6, len(b))
	}
	switch {
	case p.Protocol != own:
		return ErrICMP
	case len(b) < icmpHeader:
		return ErrTruncated
	case fold(sum(b, acc)) != 0xffff:
		return ErrChecksum
	}
	e.Type, e.Code = b[0], b[1]
	switch e.Kind() {
	case 0:
		return ErrICMP
	case ICMPTooBig:
		e.MTU = int(binary.BigEndian.Uint16(b[6:]))
		if own == ProtocolICMPv6 {
			e.MTU = int(min(binary.BigEndian.Uint32(b[4:]), math.MaxInt32)) // more is no MTU
		}
	}
	if err := e.decodeQuote(b[icmpHeader:]); err != nil {
		return err
	}
	if e.Src.Addr() != dst {
		return ErrICMP
	}
	return nil
}

// decodeQuote parses the beginning of an IP packet that carries a TCP segment.
func (e *ICMPError) decodeQuote(b []byte) error {
	var src, dst netip.Addr
	size, version := ipv4Header, byte(4)
	if e.From.Is6() {
		size, version = ipv6Header, 6
	}
	switch {
	case len(b) < size:
		return ErrTruncated
	case b[0]>>4 != version:
		return ErrVersion
	}
	protocol, offset := b[6], uint16(0)
	if version == 6 {
		src, dst = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
		e.Length = ipv6Header + int(binary.BigEndian.Uint16(b[4:]))
	} else {
		src, dst = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
		e.Length = int(binary.BigEndian.Uint16(b[2:]))
		protocol, offset = b[9], binary.BigEndian.Uint16(b[6:])&0x1fff
		if size = int(b[0]&0xf) * 4; size < ipv4Header || e.Length < size {
			return ErrHeader
		}
	}
	switch {
	case protocol != ProtocolTCP:
		return ErrICMP
	case offset != 0:
		return ErrFragment
	case len(b) < size+quotedTCP:
		return ErrTruncated
	case e.From.IsUnspecified() || src.IsUnspecified() || dst.IsUnspecified() || e.From.Is4In6() || src.Is4In6() || dst.Is4In6():
		return ErrAddress
	}
	b = b[size:]
	e.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(b))
	e.Dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))
	e.Seq = Seq(binary.BigEndian.Uint32(b[4:]))
	return nil
}

// AppendICMP appends the IP packet with the message e to b and returns the longer slice. It quotes the IP header and 8 octets of
// TCP, as few as RFC 792 allows. On an error b is returned as it was; the errors are ErrAddress, ErrICMP for a type that is no
// error and ErrTooLong for an MTU or a quoted Length that does not fit its field.
func AppendICMP(b []byte, e *ICMPError) ([]byte, error) {
	quoted := Packet{Src: e.Src, Dst: e.Dst, Protocol: ProtocolTCP}
	if _, err := quoted.check(Encoding{}); err != nil {
		return b, err
	}
	header, most, mostMTU := ipv4Header, maxLength, maxLength
	if e.From.Is6() {
		header, most, mostMTU = ipv6Header, maxLength+ipv6Header, math.MaxInt32
	}
	switch {
	case e.From.BitLen() != e.Src.Addr().BitLen() || e.From.IsUnspecified() || e.From.Is4In6():
		return b, ErrAddress
	case e.Kind() == 0:
		return b, ErrICMP
	case e.Length < header || e.Length > most || e.MTU < 0 || e.MTU > mostMTU:
		return b, ErrTooLong
	}
	start, size := len(b), header+icmpHeader+header+quotedTCP
	b = slices.Grow(b, size)[:start+size]
	clear(b[start:])
	outer := Packet{Src: netip.AddrPortFrom(e.From, 0), Dst: e.Src, Protocol: ProtocolICMP}
	m := b[start+header:]
	acc := uint64(0)
	if e.From.Is6() {
		outer.Protocol = ProtocolICMPv6
		acc = pseudo(e.From, e.Src.Addr(), ProtocolICMPv6, len(m))
	}
	putIP(b[start:], &outer)
	m[0], m[1] = e.Type, e.Code
	if e.Kind() == ICMPTooBig {
		binary.BigEndian.PutUint32(m[4:], uint32(e.MTU)) // IPv4's field is the lower half
	}
	quoted.PayloadLen = e.Length - (header + quotedTCP)
	putIP(m[icmpHeader:], &quoted)
	t := m[icmpHeader+header:]
	binary.BigEndian.PutUint16(t, e.Src.Port())
	binary.BigEndian.PutUint16(t[2:], e.Dst.Port())
	binary.BigEndian.PutUint32(t[4:], uint32(e.Seq))
	binary.BigEndian.PutUint16(m[2:], ^fold(sum(m, acc)))
	return b, nil
}

// putIP writes the IP header of p at the beginning of b; what is left of b, and p.PayloadLen octets that are not in it, follow.
func putIP(b []byte, p *Packet) {
	if p.Src.Addr().Is4() {
		putIPv4(b, p)
	} else {
		putIPv6(b, p)
	}
}
