package script

import (
	"encoding/hex"
	"fmt"
	"math"

	"longhaul/wire"
)

// ecnWords are what a packet may say of its ECN field.
var ecnWords = map[string]bool{"ect0": true, "ect1": true, "ect01": true, "ce": true, "noecn": true}

// packet reads a segment after its direction.
func (s *scanner) packet(inbound bool) *Packet {
	p := &Packet{Inbound: inbound}
	if s.accept("[") {
		p.ECN = s.word("an ECN field")
		if !ecnWords[p.ECN] || inbound && p.ECN == "ect01" {
			s.fail("[%s] is no ECN field that can stand here; write ect0, ect1, ce or noecn, or, of an expected packet, ect01", p.ECN)
		}
		s.expect("]", "after the ECN field")
	}
	p.Flags = s.flags()
	p.Seq, p.Len = s.span()
	if s.acceptWord("ack") {
		p.Ack = s.uint32("ack")
	}
	if s.acceptWord("win") {
		p.HasWindow = true
		p.Window = uint16(s.number("win", 0, math.MaxUint16))
	} else if inbound {
		s.fail("an injected packet needs its window field: write win N, not scaled")
	}
	if s.acceptWord("urg") {
		p.Urgent = uint16(s.number("urg", 0, math.MaxUint16))
	}
	if s.accept("<") {
		s.options(p)
	}
	return p
}

// flags reads the flags of a segment.
func (s *scanner) flags() wire.Flags {
	if s.accept("-") {
		return 0
	}
	s.space()
	text := s.run(func(c byte) bool { return c == '.' || 'A' <= c && c <= 'Z' })
	var f wire.Flags
	for i := range len(text) {
		n := 0
		for n < len(flagLetters) && flagLetters[n].letter != text[i] {
			n++
		}
		if n == len(flagLetters) || f&flagLetters[n].flag != 0 || f&wire.ACK != 0 {
			s.fail("%q are no flags; write letters of SFRPUEW, then . if there is an ACK, or - for none", text)
			return 0
		}
		f |= flagLetters[n].flag
	}
	if f == 0 {
		s.fail("expected flags, such as S, P. or -, got %s", s.got())
	}
	return f
}

// span reads seq:end(len).
func (s *scanner) span() (seq uint32, length int) {
	seq = s.uint32("the sequence number")
	s.expect(":", "after the sequence number")
	end := s.uint32("the end of the segment")
	s.expect("(", "after the end of the segment")
	length = int(s.number("the length", 0, math.MaxUint16))
	s.expect(")", "after the length")
	if s.err == nil && seq+uint32(length) != end {
		s.fail("%d:%d(%d): the end must be %d, the sequence number plus the length", seq, end, length, seq+uint32(length))
	}
	return seq, length
}

func (s *scanner) uint32(what string) uint32 { return uint32(s.number(what, 0, math.MaxUint32)) }

// options reads the options of p after the opening bracket.
func (s *scanner) options(p *Packet) {
	if s.accept("...") {
		s.expect(">", "after ...")
		p.AnyOptions = true
		if p.Inbound {
			s.fail("<...> means options that are not compared; write the options of an injected packet")
		}
		return
	}
	if s.accept(">") {
		return
	}
	for s.err == nil {
		p.Options = append(p.Options, s.tcpOption())
		if s.accept(">") {
			break
		}
		s.expect(",", "or > after a TCP option")
	}
	if s.err != nil {
		return
	}
	b, err := encodeOptions(p.Options, wire.Encoding{}, func(o TCPOption) (TCPOption, error) { return o, nil })
	if err == nil && len(b) > wire.MaxOptions {
		err = fmt.Errorf("the TCP options take %d octets of the header's %d; drop some", len(b), wire.MaxOptions)
	}
	if err != nil {
		s.fail("%v", err)
	}
}

// tcpOption reads one option.
func (s *scanner) tcpOption() TCPOption {
	o := TCPOption{Name: s.word("a TCP option")}
	switch o.Name {
	case "nop", "eol", "sackOK", "nakok":
	case "mss":
		o.A = uint32(s.number("mss", 0, math.MaxUint16))
	case "wscale":
		o.A = uint32(s.number("wscale", 0, math.MaxUint8))
	case "sack":
		for s.err == nil && isDigit(s.next()) {
			start := s.uint32("the start of a SACK block")
			s.expect(":", "in a SACK block")
			o.Blocks = append(o.Blocks, [2]uint32{start, s.uint32("the end of a SACK block")})
		}
	case "TS":
		if !s.acceptWord("val") {
			s.fail("expected TS val N ecr N")
		}
		o.A = s.uint32("val")
		if !s.acceptWord("ecr") {
			s.fail("expected TS val N ecr N")
		}
		o.B = s.uint32("ecr")
	case "FO", "FOEXP", "raw":
		o.Data = s.hex()
	case "bigwin":
		o.A = s.uint32("bigwin")
	case "upper":
		o.A = uint32(s.number("upper", 0, math.MaxUint16))
	case "nak":
		o.A = s.uint32("the first octet that is missing")
		s.expect(":", "in nak SEQ:N")
		o.B = uint32(s.number("the number of missing segments", 0, math.MaxUint8))
	case "exp":
		o.A = uint32(s.number("the kind of exp", 2, math.MaxUint8))
		o.Data = s.hex()
	default:
		s.fail("%q is not a TCP option; write nop eol mss wscale sackOK sack TS FO FOEXP bigwin upper nak nakok, exp KIND HEX or raw HEX", o.Name)
	}
	return o
}

// hex reads octets in hexadecimal, perhaps none.
func (s *scanner) hex() []byte {
	s.space()
	text := s.run(isHexDigit)
	if text == "" {
		return nil
	}
	b, err := hex.DecodeString(text)
	if err != nil || isWordByte(s.next()) {
		s.fail("expected octets in hexadecimal, two digits each, got %q", text)
	}
	return b
}

// icmpTypes are the ICMP errors that a script may inject, with their types in IPv4.
var icmpTypes = map[string]uint8{"unreachable": icmpUnreachable, "source_quench": icmpQuench}

// icmp reads an ICMP error after the word icmp.
func (s *scanner) icmp() *ICMP {
	m := &ICMP{Type: s.word("the type of an ICMP error")}
	if icmpTypes[m.Type] == 0 {
		s.fail("icmp %s is not a type that scripts have; write icmp unreachable CODE or icmp source_quench", m.Type)
	}
	if m.Type == "unreachable" {
		m.Code = s.word("the code of an ICMP error")
		if _, ok := icmpCodes[m.Code]; s.err == nil && !ok {
			s.fail("%q is not a code of icmp unreachable; write one of %s", m.Code, icmpCodeNames())
		}
	}
	if s.acceptWord("mtu") {
		m.MTU = int(s.number("mtu", 1, math.MaxUint16))
	}
	if s.accept("[") {
		m.Quotes = true
		m.Seq, m.Len = s.span()
		s.expect("]", "after the quoted segment")
	}
	return m
}
