package script

import (
	"encoding/binary"
	"fmt"

	"longhaul/wire"
)

// Kinds of the options that scripts name, as the registry of TCP option kinds has them. They are read and written here
// and not with package wire, so that a script checks what that package does.
const (
	kindEnd        = 0
	kindNop        = 1
	kindMSS        = 2
	kindWScale     = 3
	kindSACKOK     = 4
	kindSACK       = 5
	kindTS         = 8
	kindFO         = 34
	kindExperiment = 253
	kindFOEXP      = 254
	fastOpenID     = 0xf989 // experiment identifier of Fast Open (RFC 7413 s.4.1.1, before kind 34)
)

// own1106 are the options of RFC 1106 and NAK-permitted: their experiment identifier and bare kind (wire.Encoding).
var own1106 = map[string]struct {
	id   uint16
	kind uint8
}{
	"nak":    {0x110a, wire.LiteralNAK},
	"bigwin": {0x110b, wire.LiteralBigWindow},
	"upper":  {0x110c, wire.LiteralUpperWindow},
	"nakok":  {0x110d, wire.LiteralNAKPermitted},
}

// encodeOptions returns the octets of the options after each has been mapped by live, padded to a multiple of four with
// the end-of-list option.
func encodeOptions(list []TCPOption, e wire.Encoding, live func(TCPOption) (TCPOption, error)) ([]byte, error) {
	var b []byte
	for _, o := range list {
		o, err := live(o)
		if err != nil {
			return nil, err
		}
		if b, err = appendOption(b, o, e); err != nil {
			return nil, err
		}
	}
	for len(b)%4 != 0 {
		b = append(b, kindEnd)
	}
	return b, nil
}

// appendOption appends one option.
func appendOption(b []byte, o TCPOption, e wire.Encoding) ([]byte, error) {
	start := len(b)
	be := binary.BigEndian
	switch o.Name {
	case "nop":
		return append(b, kindNop), nil
	case "eol":
		return append(b, kindEnd), nil
	case "raw":
		return append(b, o.Data...), nil
	case "mss":
		b = be.AppendUint16(append(b, kindMSS, 0), uint16(o.A))
	case "wscale":
		b = append(b, kindWScale, 0, uint8(o.A))
	case "sackOK":
		b = append(b, kindSACKOK, 0)
	case "sack":
		b = append(b, kindSACK, 0)
		for _, r := range o.Blocks {
			b = be.AppendUint32(be.AppendUint32(b, r[0]), r[1])
		}
	case "TS":
		b = be.AppendUint32(be.AppendUint32(append(b, kindTS, 0), o.A), o.B)
	case "FO":
		b = append(append(b, kindFO, 0), o.Data...)
	case "FOEXP":
		b = append(be.AppendUint16(append(b, kindFOEXP, 0), fastOpenID), o.Data...)
	case "exp":
		b = append(append(b, uint8(o.A), 0), o.Data...)
	default:
		own := own1106[o.Name]
		if e.Literal {
			b = append(b, own.kind, 0)
		} else {
			b = be.AppendUint16(append(b, kindExperiment, 0), own.id)
		}
		switch o.Name {
		case "nak":
			b = append(be.AppendUint32(b, o.A), uint8(o.B))
		case "bigwin":
			b = be.AppendUint32(b, o.A)
		case "upper":
			b = be.AppendUint16(b, uint16(o.A))
		}
	}
	if len(b)-start > wire.MaxOptions {
		return nil, fmt.Errorf("a TCP option of %d octets does not fit the header's %d; make it shorter", len(b)-start, wire.MaxOptions)
	}
	b[start+1] = uint8(len(b) - start)
	return b, nil
}

// decodeOptions reads the options of a header. What cannot be read is one last option exp with kind and data as they are.
func decodeOptions(b []byte, e wire.Encoding) []TCPOption {
	var list []TCPOption
	for len(b) > 0 {
		switch b[0] {
		case kindEnd:
			list, b = append(list, TCPOption{Name: "eol"}), b[1:]
			continue
		case kindNop:
			list, b = append(list, TCPOption{Name: "nop"}), b[1:]
			continue
		}
		if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
			return append(list, TCPOption{Name: "exp", A: uint32(b[0]), Data: b[1:]})
		}
		list = append(list, decodeOption(b[0], b[2:b[1]], e))
		b = b[b[1]:]
	}
	return list
}

// decodeOption names the option of that kind with data d.
func decodeOption(kind uint8, d []byte, e wire.Encoding) TCPOption {
	be := binary.BigEndian
	switch {
	case kind == kindMSS && len(d) == 2:
		return TCPOption{Name: "mss", A: uint32(be.Uint16(d))}
	case kind == kindWScale && len(d) == 1:
		return TCPOption{Name: "wscale", A: uint32(d[0])}
	case kind == kindSACKOK && len(d) == 0:
		return TCPOption{Name: "sackOK"}
	case kind == kindSACK && len(d)%8 == 0:
		o := TCPOption{Name: "sack"}
		for ; len(d) > 0; d = d[8:] {
			o.Blocks = append(o.Blocks, [2]uint32{be.Uint32(d), be.Uint32(d[4:])})
		}
		return o
	case kind == kindTS && len(d) == 8:
		return TCPOption{Name: "TS", A: be.Uint32(d), B: be.Uint32(d[4:])}
	}
	for name, own := range own1106 {
		data := d
		switch {
		case e.Literal && kind == own.kind:
		case !e.Literal && kind == kindExperiment && len(d) >= 2 && be.Uint16(d) == own.id:
			data = d[2:]
		default:
			continue
		}
		switch {
		case name == "nak" && len(data) == 5:
			return TCPOption{Name: name, A: be.Uint32(data), B: uint32(data[4])}
		case name == "bigwin" && len(data) == 4:
			return TCPOption{Name: name, A: be.Uint32(data)}
		case name == "upper" && len(data) == 2:
			return TCPOption{Name: name, A: uint32(be.Uint16(data))}
		case name == "nakok" && len(data) == 0:
			return TCPOption{Name: name}
		}
	}
	return TCPOption{Name: "exp", A: uint32(kind), Data: d}
}
