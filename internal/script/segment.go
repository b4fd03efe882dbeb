package script

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"longhaul/mono"
	"longhaul/wire"
)

// flow is one connection as the script sees it: the addresses, and how the script's numbers map to those on the wire.
type flow struct {
	local, remote netip.AddrPort
	hasLocal      bool
	localISN      uint32 // on the wire
	hasScript     bool
	scriptISN     uint32 // the script's number for it
	hasRemote     bool
	remoteISN     uint32            // on the wire and in the script
	renew         bool              // the next SYN of ours begins another connection, whose peer begins with
	nextISN       uint32            // this number
	stamps        map[uint32]uint32 // the script's timestamp to the live one
	hasStamp      bool
	firstStamp    uint32   // the script's
	firstLive     uint32   // and the live one that was first compared with it
	latest        wire.Seq // of the latest segment with data, SYN or FIN, on the wire
	latestSize    int      // octets of its IP packet
	latestHeader  int      // octets of its headers
	icmp          string   // code of the latest ICMP error
}

// segment is a packet that the engine sent, in the script's numbers, except that a SYN's sequence number counts from the
// initial one.
type segment struct {
	Packet
	at      mono.Time
	ecn     wire.ECN
	payload []byte
}

// pattern returns the octet at a position of a stream, in either direction. Its period is long, so that octets in the
// wrong place do not look right.
func pattern(position uint32) byte { return byte(position * 2654435761 >> 24) }

// patternAt returns n octets of a stream.
func patternAt(position uint32, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = pattern(position + uint32(i))
	}
	return b
}

// position returns where the payload of a segment lies in its stream.
func position(flags wire.Flags, seq uint32) uint32 {
	if flags.Has(wire.SYN) {
		return 0
	}
	return seq - 1
}

const (
	ipv4Header = 20
	ipv6Header = 40
	tcpHeader  = 20
)

// read decodes an outbound packet from its octets.
func (f *flow) read(b []byte, e wire.Encoding) segment {
	var s segment
	be := binary.BigEndian
	whole := len(b)
	if b[0]>>4 == 4 {
		s.ecn = wire.ECN(b[1] & 3)
		b = b[ipv4Header:]
	} else {
		s.ecn = wire.ECN(b[1] >> 4 & 3)
		b = b[ipv6Header:]
	}
	header := int(b[12]>>4) * 4
	s.Seq, s.Ack = be.Uint32(b[4:]), be.Uint32(b[8:])
	s.Flags = wire.Flags(b[13])
	s.HasWindow, s.Window = true, be.Uint16(b[14:])
	s.Urgent = be.Uint16(b[18:])
	s.Options = decodeOptions(b[tcpHeader:header], e)
	s.payload = slices.Clone(b[header:])
	s.Len = len(s.payload)
	if s.Len > 0 || s.Flags&(wire.SYN|wire.FIN) != 0 {
		f.latest, f.latestSize, f.latestHeader = wire.Seq(s.Seq), whole, whole-s.Len
	}
	s.ECN = [...]string{wire.NotECT: "", wire.ECT1: "ect1", wire.ECT0: "ect0", wire.CE: "ce"}[s.ecn]

	if s.Flags.Has(wire.SYN) && (f.renew || !f.hasLocal) {
		f.hasLocal, f.localISN, f.hasScript = true, s.Seq, false
		if f.renew {
			f.hasRemote, f.remoteISN, f.renew = true, f.nextISN, false
		}
	}
	if f.hasLocal {
		s.Seq -= f.localISN
	}
	if s.Flags.Has(wire.ACK) && f.hasRemote {
		s.Ack -= f.remoteISN
	}
	for i, o := range s.Options {
		switch o.Name {
		case "sack":
			for j := range o.Blocks {
				o.Blocks[j][0] -= f.remoteISN
				o.Blocks[j][1] -= f.remoteISN
			}
		case "nak":
			s.Options[i].A -= f.remoteISN
		}
	}
	return s
}

// write builds the octets of an inbound packet.
func (f *flow) write(p *Packet, e wire.Encoding) ([]byte, error) {
	options, err := encodeOptions(p.Options, e, f.live)
	if err != nil {
		return nil, err
	}
	if len(options) > wire.MaxOptions {
		return nil, fmt.Errorf("the TCP options take %d octets of the header's %d", len(options), wire.MaxOptions)
	}
	be := binary.BigEndian
	seq, ack := p.Seq, p.Ack
	if !p.Flags.Has(wire.SYN) && f.hasRemote {
		seq += f.remoteISN
	}
	if p.Flags.Has(wire.ACK) && f.hasLocal {
		ack += f.localISN
	}
	t := make([]byte, tcpHeader, tcpHeader+len(options)+p.Len)
	be.PutUint16(t, f.remote.Port())
	be.PutUint16(t[2:], f.local.Port())
	be.PutUint32(t[4:], seq)
	be.PutUint32(t[8:], ack)
	t[12] = uint8(tcpHeader+len(options)) / 4 << 4
	t[13] = uint8(p.Flags)
	be.PutUint16(t[14:], p.Window)
	be.PutUint16(t[18:], p.Urgent)
	t = append(t, options...)
	t = append(t, patternAt(position(p.Flags, p.Seq), p.Len)...)
	return f.wrap(t, map[string]wire.ECN{"ect0": wire.ECT0, "ect1": wire.ECT1, "ce": wire.CE}[p.ECN])
}

// wrap puts an IP header before the TCP segment t and fills in the checksums.
func (f *flow) wrap(t []byte, ecn wire.ECN) ([]byte, error) {
	be := binary.BigEndian
	src, dst := f.remote.Addr(), f.local.Addr()
	pseudo := append(append(make([]byte, 0, 40), src.AsSlice()...), dst.AsSlice()...)
	pseudo = be.AppendUint32(pseudo, uint32(len(t)))
	pseudo = be.AppendUint32(pseudo, uint32(wire.ProtocolTCP))
	be.PutUint16(t[16:], wire.Checksum(append(pseudo, t...), 0))
	if len(t) > 65535-ipv4Header {
		return nil, fmt.Errorf("the packet is longer than an IP packet can be; inject fewer octets at once")
	}
	var h []byte
	if src.Is4() {
		h = make([]byte, ipv4Header)
		h[0], h[1], h[8], h[9] = 0x45, uint8(ecn), 64, wire.ProtocolTCP
		be.PutUint16(h[2:], uint16(ipv4Header+len(t)))
		copy(h[12:], src.AsSlice())
		copy(h[16:], dst.AsSlice())
		be.PutUint16(h[10:], wire.Checksum(h, 0))
	} else {
		h = make([]byte, ipv6Header)
		h[0], h[1], h[6], h[7] = 0x60, uint8(ecn)<<4, wire.ProtocolTCP, 64
		be.PutUint16(h[4:], uint16(len(t)))
		copy(h[8:], src.AsSlice())
		copy(h[24:], dst.AsSlice())
	}
	return append(h, t...), nil
}

// live maps the numbers of an injected option to those on the wire.
func (f *flow) live(o TCPOption) (TCPOption, error) {
	switch o.Name {
	case "sack":
		blocks := make([][2]uint32, len(o.Blocks))
		for i, b := range o.Blocks {
			blocks[i] = [2]uint32{b[0] + f.localISN, b[1] + f.localISN}
		}
		o.Blocks = blocks
	case "nak":
		o.A += f.localISN
	case "TS":
		live, ok := f.stamps[o.B]
		if !ok && o.B == 0 {
			return o, nil // the peer has seen none yet
		}
		if !ok {
			return o, fmt.Errorf("no packet was expected with TS val %d before; echo a value of an earlier > line", o.B)
		}
		o.B = live
	}
	return o, nil
}
