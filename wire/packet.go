package wire

import "net/netip"

// Protocol numbers of the IP header.
const (
	ProtocolTCP uint8 = 6
	ProtocolUDP uint8 = 17
)

// Flags are the control bits of the TCP header (RFC 9293 s.3.1), in the header's own bit order.
type Flags uint8

// The control bits.
const (
	FIN Flags = 1 << iota
	SYN
	RST
	PSH
	ACK
	URG
	ECE
	CWR
)

// Has reports whether every bit of f is set in g.
func (g Flags) Has(f Flags) bool { return g&f == f }

// ECN is the two-bit ECN field of the IP header (RFC 3168 s.5).
type ECN uint8

// The ECN codepoints.
const (
	NotECT ECN = 0
	ECT1   ECN = 1
	ECT0   ECN = 2
	CE     ECN = 3
)

// Packet is one decoded IP packet that carries a TCP segment or a UDP datagram.
//
// The payload is either bytes or only a length: PayloadLen is always the number of octets, and Payload holds
// them, or is empty when the packet stands for PayloadLen zero octets that nobody stored. A Packet owns
// Payload's array; whoever fills a packet in appends to Payload[:0], so that a reused packet allocates nothing.
// After Decode, Payload aliases the decoded buffer instead, until the packet is filled again.
type Packet struct {
	Src, Dst netip.AddrPort
	Protocol uint8 // ProtocolTCP or ProtocolUDP
	TTL      uint8 // IPv4 TTL or IPv6 hop limit; 0 encodes as 64
	DSCP     uint8 // six bits
	ECN      ECN

	// TCP header fields; zero for UDP.
	Flags   Flags
	Window  uint16 // as on the wire, not scaled
	Urgent  uint16
	Seq     Seq
	Ack     Seq
	Options Options

	PayloadLen int
	Payload    []byte
}

// OptionSet is a set of TCP options.
type OptionSet uint16

// The options that Options can hold.
const (
	OptMSS           OptionSet = 1 << iota // RFC 9293 s.3.7.1, kind 2
	OptWindowScale                         // RFC 7323 s.2, kind 3
	OptSACKPermitted                       // RFC 2018 s.2, kind 4
	OptSACK                                // RFC 2018 s.3, kind 5
	OptTimestamps                          // RFC 7323 s.3, kind 8
	OptUserTimeout                         // RFC 5482, kind 28
	OptBigWindow                           // RFC 1106 s.3, option B, in a SYN
	OptUpperWindow                         // RFC 1106 s.3, option C, in every other segment
	OptNAK                                 // RFC 1106 s.2, option A
	OptNAKPermitted                        // ours: the sender of this SYN acts on NAKs; RFC 1106 has no negotiation for it
)

// MaxSACKBlocks is the largest number of blocks a SACK option can hold in 40 octets of options.
const MaxSACKBlocks = 4

// Options are the decoded TCP options of a segment. Set says which of the fields mean something.
type Options struct {
	Set         OptionSet
	MSS         uint16 // octets
	WindowScale uint8  // shift count
	NumSACK     uint8  // blocks in SACK
	NAKCount    uint8  // segments missing (RFC 1106 option A)
	UpperWindow uint16 // window bits 16 to 30 (RFC 1106 option C)
	UserTimeout uint16 // bit 15 set: minutes, else seconds (RFC 5482 s.3)
	NAKSeq      Seq    // first octet missing (RFC 1106 option A)
	BigWindow   uint32 // octets, at most 2^30 (RFC 1106 option B)
	TSVal       uint32 // RFC 7323 s.3.2
	TSEcr       uint32
	SACK        [MaxSACKBlocks]Range
}

// Has reports whether o holds every option of s.
func (o *Options) Has(s OptionSet) bool { return o.Set&s == s }

// SACKBlocks returns the SACK blocks, most recent first. The slice aliases o.
func (o *Options) SACKBlocks() []Range { return o.SACK[:o.NumSACK] }

// SegLen returns the segment's length in sequence space: the payload, plus one for SYN and one for FIN
// (RFC 9293 s.3.4).
func (p *Packet) SegLen() int {
	n := p.PayloadLen
	if p.Flags&SYN != 0 {
		n++
	}
	if p.Flags&FIN != 0 {
		n++
	}
	return n
}
