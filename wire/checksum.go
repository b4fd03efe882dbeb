package wire

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
)

// Checksum returns the Internet checksum of b (RFC 1071): the complement of the one's complement sum of its
// 16-bit words and of initial, a sum of what precedes b. Over data that hold their own checksum it is 0. What
// precedes b must have an even number of octets; an odd last octet of b is padded with a zero.
func Checksum(b []byte, initial uint16) uint16 {
	return ^fold(sum(b, uint64(bits.ReverseBytes16(initial))))
}

// sum adds the 16-bit words of b to acc in one's complement arithmetic. The words are read in little-endian
// order, eight octets at a time: RFC 1071 s.2(B) shows that byte order does not matter until the end, when
// fold swaps once.
func sum(b []byte, acc uint64) uint64 {
	var c uint64
	for len(b) >= 64 {
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b), 0)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[8:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[16:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[24:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[32:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[40:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[48:]), c)
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b[56:]), c)
		acc, _ = bits.Add64(acc, 0, c)
		b = b[64:]
	}
	for len(b) >= 8 {
		acc, c = bits.Add64(acc, binary.LittleEndian.Uint64(b), 0)
		acc += c
		b = b[8:]
	}
	var last uint64
	for i, x := range b {
		last |= uint64(x) << (8 * i)
	}
	acc, c = bits.Add64(acc, last, 0)
	return acc + c
}

// fold reduces a sum to 16 bits and puts it into network byte order.
func fold(acc uint64) uint16 {
	acc = acc>>32 + acc&0xffffffff
	acc = acc>>32 + acc&0xffffffff
	acc = acc>>16 + acc&0xffff
	acc = acc>>16 + acc&0xffff
	return bits.ReverseBytes16(uint16(acc))
}

// pseudo returns the sum over the pseudo header: addresses, protocol and length of the transport segment (RFC
// 9293 s.3.1, RFC 8200 s.8.1). For IPv4 and IPv6 alike it is the sum of the same 16-bit words.
func pseudo(src, dst netip.Addr, protocol uint8, length int) uint64 {
	// Protocol and length are numbers below 2^17, so they are swapped as a 32-bit word.
	acc := uint64(bits.ReverseBytes32(uint32(length) + uint32(protocol)))
	if src.Is4() {
		s, d := src.As4(), dst.As4()
		return acc + uint64(binary.LittleEndian.Uint32(s[:])) + uint64(binary.LittleEndian.Uint32(d[:]))
	}
	s, d := src.As16(), dst.As16()
	return sum(d[:], sum(s[:], acc))
}
