package wire

// Error says why a packet cannot be encoded or decoded. The values are small constants, so returning one
// allocates nothing and a receiver can count drops in an array indexed by it.
type Error uint8

// The errors of Decode and DecodeICMP, and of AppendPacket, AppendHeaders and AppendICMP.
const (
	ErrTruncated  Error      = iota + 1 // decode: shorter than a length in it says
	ErrVersion                          // decode: not IP version 4 or 6
	ErrHeader                           // decode: a header length or a routing header that cannot be
	ErrFragment                         // decode: a fragment
	ErrIPChecksum                       // decode: IPv4 header checksum
	ErrChecksum                         // decode: TCP or UDP checksum
	ErrProtocol                         // both: neither TCP nor UDP
	ErrAddress                          // both: no address, an unspecified or IPv4-mapped one, or two families
	ErrTooLong                          // encode: does not fit the IP length field
	ErrOptions                          // encode: options of more than MaxOptions octets, or too many SACK blocks
	ErrPayload                          // encode: PayloadLen and Payload disagree
	ErrICMP                             // both: not an ICMP error message about a TCP segment
	NumErrors     = iota + 1            // one more than the largest Error
)

// Error returns one line: what is wrong and, where there is a choice, how to mend it.
func (e Error) Error() string {
	if e == 0 || e >= NumErrors {
		return "wire: unknown error"
	}
	return [NumErrors]string{
		ErrTruncated:  "wire: the packet is shorter than its length fields say",
		ErrVersion:    "wire: the packet is neither IPv4 nor IPv6",
		ErrHeader:     "wire: the packet has an impossible header length or an unfinished routing header",
		ErrFragment:   "wire: the packet is a fragment; fragments are not reassembled",
		ErrIPChecksum: "wire: the IPv4 header checksum is wrong",
		ErrChecksum:   "wire: the TCP or UDP checksum is wrong",
		ErrProtocol:   "wire: the packet is neither TCP nor UDP; Protocol must be 6 or 17",
		ErrAddress:    "wire: Src and Dst must be specified addresses of one family, IPv4 ones not mapped into IPv6",
		ErrTooLong:    "wire: the packet exceeds the 65535 octets of the IP length field; use a smaller payload",
		ErrOptions:    "wire: the TCP options exceed 40 octets or 4 SACK blocks; drop some, see FitSACK",
		ErrPayload:    "wire: PayloadLen must be len(Payload), or at least 0 with an empty Payload",
		ErrICMP:       "wire: not an ICMP error message about a TCP segment",
	}[e]
}
