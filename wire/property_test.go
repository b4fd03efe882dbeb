package wire

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

func drawEncoding(t *rapid.T) Encoding {
	return rapid.SampledFrom([]Encoding{{}, literal, {Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}}).Draw(t, "encoding")
}

// drawOptions draws options that fit a header; what is not in Set is zero.
func drawOptions(t *rapid.T, e Encoding) Options {
	o := Options{Set: OptionSet(rapid.IntRange(0, 1<<10-1).Draw(t, "set"))}
	fill(t, &o)
	for o.Len(e) > MaxOptions {
		if o.FitSACK(e); o.Len(e) > MaxOptions {
			o.Set &= o.Set - 1
		}
	}
	kept := Options{Set: o.Set, NumSACK: o.NumSACK}
	keep(&kept, &o)
	return kept
}

func fill(t *rapid.T, o *Options) {
	o.MSS = rapid.Uint16().Draw(t, "mss")
	o.WindowScale = rapid.Uint8().Draw(t, "scale")
	o.NAKCount = rapid.Uint8().Draw(t, "nak count")
	o.UpperWindow = rapid.Uint16().Draw(t, "upper")
	o.UserTimeout = rapid.Uint16().Draw(t, "timeout")
	o.NAKSeq = Seq(rapid.Uint32().Draw(t, "nak"))
	o.BigWindow = rapid.Uint32().Draw(t, "big")
	o.TSVal = rapid.Uint32().Draw(t, "val")
	o.TSEcr = rapid.Uint32().Draw(t, "ecr")
	if o.Has(OptSACK) {
		o.NumSACK = uint8(rapid.IntRange(1, MaxSACKBlocks).Draw(t, "blocks"))
	}
	for i := range o.SACK {
		o.SACK[i] = Range{Seq(rapid.Uint32().Draw(t, "start")), Seq(rapid.Uint32().Draw(t, "end"))}
	}
}

// keep copies to dst the fields of src that dst.Set and dst.NumSACK name.
func keep(dst, src *Options) {
	if dst.Has(OptMSS) {
		dst.MSS = src.MSS
	}
	if dst.Has(OptWindowScale) {
		dst.WindowScale = src.WindowScale
	}
	if dst.Has(OptTimestamps) {
		dst.TSVal, dst.TSEcr = src.TSVal, src.TSEcr
	}
	if dst.Has(OptUserTimeout) {
		dst.UserTimeout = src.UserTimeout
	}
	if dst.Has(OptBigWindow) {
		dst.BigWindow = src.BigWindow
	}
	if dst.Has(OptUpperWindow) {
		dst.UpperWindow = src.UpperWindow
	}
	if dst.Has(OptNAK) {
		dst.NAKSeq, dst.NAKCount = src.NAKSeq, src.NAKCount
	}
	copy(dst.SACK[:dst.NumSACK], src.SACK[:])
}

func drawPacket(t *rapid.T, e Encoding) Packet {
	v6 := rapid.Bool().Draw(t, "v6")
	p := Packet{
		Src:      netip.AddrPortFrom(drawAddr(t, v6), rapid.Uint16().Draw(t, "src port")),
		Dst:      netip.AddrPortFrom(drawAddr(t, v6), rapid.Uint16().Draw(t, "dst port")),
		Protocol: rapid.SampledFrom([]uint8{ProtocolTCP, ProtocolTCP, ProtocolTCP, ProtocolUDP}).Draw(t, "protocol"),
		TTL:      rapid.Uint8Range(1, 255).Draw(t, "ttl"),
		DSCP:     rapid.Uint8Range(0, 63).Draw(t, "dscp"),
		ECN:      ECN(rapid.Uint8Range(0, 3).Draw(t, "ecn")),
	}
	if p.Protocol == ProtocolTCP {
		p.Flags = Flags(rapid.Uint8().Draw(t, "flags"))
		p.Window = rapid.Uint16().Draw(t, "window")
		p.Urgent = rapid.Uint16().Draw(t, "urgent")
		p.Seq = Seq(rapid.Uint32().Draw(t, "seq"))
		p.Ack = Seq(rapid.Uint32().Draw(t, "ack"))
		p.Options = drawOptions(t, e)
	}
	if rapid.Bool().Draw(t, "synthetic") {
		p.PayloadLen = rapid.IntRange(0, 2000).Draw(t, "payload length")
	} else {
		p.Payload = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload")
		p.PayloadLen = len(p.Payload)
	}
	return p
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEncoding(t)
		p := drawPacket(t, e)
		b, err := AppendPacket(nil, &p, e)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if n := EncodedLen(&p, e); n != len(b) {
			t.Fatalf("EncodedLen = %d, encoded %d octets", n, len(b))
		}
		var back Packet
		if err := Decode(b, &back, e); err != nil || !same(&p, &back) {
			t.Fatalf("%+v became %+v, %v", p, back, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, e := range []Encoding{{}, literal} {
		for _, p := range samples() {
			f.Add(mustAppend(f, &p, e), e.Literal)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, bare bool) {
		e := Encoding{Literal: bare}
		fuzzOptions(t, b, e)
		var p Packet
		if err := Decode(b, &p, e); err != nil {
			if x := err.(Error); x == 0 || x >= ErrTooLong {
				t.Fatalf("Decode returned %v", err)
			}
			repair(b)
			if Decode(b, &p, e) != nil {
				return
			}
		}
		again, err := AppendPacket(nil, &p, e)
		if err != nil {
			t.Fatalf("%+v does not encode: %v", p, err)
		}
		var back Packet
		if err := Decode(again, &back, e); err != nil {
			t.Fatalf("%+v does not decode: %v", p, err)
		}
		if p.TTL == 0 {
			p.TTL = 64 // as documented
		}
		if !same(&p, &back) {
			t.Fatalf("%+v became %+v", p, back)
		}
	})
}

// fuzzOptions feeds b to the option parser alone, which checksums otherwise keep the fuzzer from.
func fuzzOptions(t *testing.T, b []byte, e Encoding) {
	var o, back Options
	o.parse(b[:min(len(b), MaxOptions)], e)
	if n := o.Len(e); n <= MaxOptions {
		again := make([]byte, n)
		o.put(again, e)
		back.parse(again, e)
		if o != back {
			t.Fatalf("options %+v became %+v", o, back)
		}
	}
}

// repair makes the checksums of b right where its lengths allow, or else the fuzzer would hardly ever get past them.
func repair(b []byte) {
	var p Packet
	var rest []byte
	var src, dst netip.Addr
	var err error
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		if n := int(b[0]&15) * 4; n >= 20 && n <= len(b) {
			resum(8, b[8])(b)
		}
		rest, src, dst, err = decodeIPv4(b, &p)
	case len(b) >= 40 && b[0]>>4 == 6:
		rest, src, dst, err = decodeIPv6(b, &p)
	}
	if err != nil {
		return
	}
	at := 16
	if p.Protocol == ProtocolUDP {
		at = 6
		if len(rest) >= 8 {
			rest = rest[:min(len(rest), int(binary.BigEndian.Uint16(rest[4:])))]
		}
	}
	if len(rest) < at+2 {
		return
	}
	rest[at], rest[at+1] = 0, 0
	binary.BigEndian.PutUint16(rest[at:], ^fold(sum(rest, pseudo(src, dst, p.Protocol, len(rest)))))
}
