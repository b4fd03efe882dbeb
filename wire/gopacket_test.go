package wire

import (
	"encoding/binary"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"
)

// What AppendPacket writes, read by an independent decoder: every header field, every option and the checksums.
func TestAgainstGopacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEncoding(t)
		p := drawPacket(t, e)
		b, err := AppendPacket(nil, &p, e)
		if err != nil {
			t.Fatal(err)
		}
		first := gopacket.LayerType(layers.LayerTypeIPv4)
		if p.Src.Addr().Is6() {
			first = layers.LayerTypeIPv6
		}
		g := gopacket.NewPacket(b, first, gopacket.DecodeOptions{NoCopy: true})
		if h, ok := g.TransportLayer().(interface {
			SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
		}); !ok || h.SetNetworkLayerForChecksum(g.NetworkLayer()) != nil {
			t.Fatalf("no transport layer: %v", g)
		}
		if err, bad := g.VerifyChecksums(); err != nil || len(bad) > 0 {
			t.Fatalf("checksums: %v, %v", err, bad)
		}
		compareIP(t, &p, g, len(b))
		if p.Protocol == ProtocolUDP {
			compareUDP(t, &p, g)
		} else {
			compareTCP(t, &p, g, e)
		}
	})
}

// expect compares got, want pairs.
func expect(t *rapid.T, what string, pairs ...int) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			t.Fatalf("%s, field %d: gopacket reads %d, want %d", what, i/2, pairs[i], pairs[i+1])
		}
	}
}

func compareIP(t *rapid.T, p *Packet, g gopacket.Packet, n int) {
	class := int(p.DSCP)<<2 | int(p.ECN)
	switch h := g.NetworkLayer().(type) {
	case *layers.IPv4:
		expect(t, "IPv4", int(h.IHL), 5, int(h.TOS), class, int(h.Length), n, int(h.Id), 0, int(h.Flags), int(layers.IPv4DontFragment),
			int(h.FragOffset), 0, int(h.TTL), int(p.TTL), int(h.Protocol), int(p.Protocol), len(h.Options), 0)
		if !h.SrcIP.Equal(p.Src.Addr().AsSlice()) || !h.DstIP.Equal(p.Dst.Addr().AsSlice()) {
			t.Fatalf("addresses %v, %v", h.SrcIP, h.DstIP)
		}
	case *layers.IPv6:
		expect(t, "IPv6", int(h.Version), 6, int(h.TrafficClass), class, int(h.FlowLabel), 0, int(h.Length), n-40, int(h.NextHeader), int(p.Protocol),
			int(h.HopLimit), int(p.TTL))
		if !h.SrcIP.Equal(p.Src.Addr().AsSlice()) || !h.DstIP.Equal(p.Dst.Addr().AsSlice()) {
			t.Fatalf("addresses %v, %v", h.SrcIP, h.DstIP)
		}
	default:
		t.Fatalf("no IP layer: %v", g)
	}
}

// comparePayload compares the octets; a synthetic payload stands for zeros.
func comparePayload(t *rapid.T, p *Packet, got []byte) {
	expect(t, "payload", len(got), p.PayloadLen)
	for i, x := range got {
		want := byte(0)
		if len(p.Payload) > 0 {
			want = p.Payload[i]
		}
		if x != want {
			t.Fatalf("payload octet %d is %d, want %d", i, x, want)
		}
	}
}

func compareUDP(t *rapid.T, p *Packet, g gopacket.Packet) {
	h := g.Layer(layers.LayerTypeUDP).(*layers.UDP)
	expect(t, "UDP", int(h.SrcPort), int(p.Src.Port()), int(h.DstPort), int(p.Dst.Port()), int(h.Length), 8+p.PayloadLen)
	comparePayload(t, p, h.Payload)
}

func compareTCP(t *rapid.T, p *Packet, g gopacket.Packet, e Encoding) {
	h, ok := g.Layer(layers.LayerTypeTCP).(*layers.TCP)
	if !ok {
		t.Fatalf("no TCP layer: %v", g)
	}
	bit := func(b bool, f Flags) Flags {
		if b {
			return f
		}
		return 0
	}
	flags := bit(h.FIN, FIN) | bit(h.SYN, SYN) | bit(h.RST, RST) | bit(h.PSH, PSH) | bit(h.ACK, ACK) | bit(h.URG, URG) | bit(h.ECE, ECE) | bit(h.CWR, CWR)
	expect(t, "TCP", int(h.SrcPort), int(p.Src.Port()), int(h.DstPort), int(p.Dst.Port()), int(h.Seq), int(p.Seq), int(h.Ack), int(p.Ack),
		int(h.DataOffset), 5+p.Options.Len(e)/4, int(flags), int(p.Flags), int(h.Window), int(p.Window), int(h.Urgent), int(p.Urgent))
	comparePayload(t, p, h.Payload)
	got := gopacketOptions(t, h.Options, e)
	if got != p.Options {
		t.Fatalf("options %+v, want %+v", got, p.Options)
	}
}

// gopacketOptions puts gopacket's list of options together again, with none of the package's own parsing.
func gopacketOptions(t *rapid.T, list []layers.TCPOption, e Encoding) Options {
	var o Options
	be := binary.BigEndian
	bare := map[uint8]OptionSet{106: OptNAK, 107: OptBigWindow, 108: OptUpperWindow, 109: OptNAKPermitted}
	if e.NAK != 0 {
		bare = map[uint8]OptionSet{e.NAK: OptNAK, e.BigWindow: OptBigWindow, e.UpperWindow: OptUpperWindow, e.NAKPermitted: OptNAKPermitted}
	}
	exids := map[uint16]OptionSet{0x110a: OptNAK, 0x110b: OptBigWindow, 0x110c: OptUpperWindow, 0x110d: OptNAKPermitted}
	lengths := map[OptionSet]int{OptNAK: 9, OptBigWindow: 8, OptUpperWindow: 6, OptNAKPermitted: 4}
	for _, x := range list {
		d := x.OptionData
		switch x.OptionType {
		case layers.TCPOptionKindNop:
			continue
		case layers.TCPOptionKindMSS:
			o.Set, o.MSS = o.Set|OptMSS, be.Uint16(d)
		case layers.TCPOptionKindWindowScale:
			o.Set, o.WindowScale = o.Set|OptWindowScale, d[0]
		case layers.TCPOptionKindSACKPermitted:
			o.Set |= OptSACKPermitted
		case layers.TCPOptionKindSACK:
			o.Set, o.NumSACK = o.Set|OptSACK, uint8(len(d)/8)
			for i := range len(d) / 8 {
				o.SACK[i] = Range{Seq(be.Uint32(d[8*i:])), Seq(be.Uint32(d[8*i+4:]))}
			}
		case layers.TCPOptionKindTimestamps:
			o.Set, o.TSVal, o.TSEcr = o.Set|OptTimestamps, be.Uint32(d), be.Uint32(d[4:])
		case 28:
			o.Set, o.UserTimeout = o.Set|OptUserTimeout, be.Uint16(d)
		default:
			which, length := bare[uint8(x.OptionType)], int(x.OptionLength)+2
			if !e.Literal {
				expect(t, "experimental kind", int(x.OptionType), 253)
				which, length, d = exids[be.Uint16(d)], length-2, d[2:]
			}
			expect(t, "length of an RFC 1106 option (R1, C-2)", length, lengths[which])
			o.Set |= which
			switch which {
			case OptNAK:
				o.NAKSeq, o.NAKCount = Seq(be.Uint32(d)), d[4]
			case OptBigWindow:
				o.BigWindow = be.Uint32(d)
			case OptUpperWindow:
				o.UpperWindow = be.Uint16(d)
			}
		}
	}
	return o
}
