// Package wire turns decoded packets into octets and back: IPv4 and IPv6, TCP with its options, UDP, checksums,
// and sequence arithmetic.
//
// The verbs: AppendPacket encodes a whole IP packet, AppendHeaders only its headers, Decode parses one, and
// EncodedLen says how long it will be without encoding it. Options.Len does that for the options alone, and
// Options.FitSACK makes them fit into the header. UDP is the same Packet with Protocol set to ProtocolUDP.
//
// An Encoding says how the options of RFC 1106, which never received option kinds, look on the wire. Both ends
// of a connection must use the same one.
//
// Memory: AppendPacket copies the payload into the caller's buffer and keeps nothing. Decode copies nothing: the
// payload it returns is a part of the buffer it was given. Neither allocates, given capacity.
//
// Of ICMP there are the error messages about TCP segments: DecodeICMP and AppendICMP.
//
// The package does not fragment or reassemble, and judges no value: a window scale of 200 or a
// window above 2^30 decodes as it stands, and what to do about it is the receiver's business.
package wire
