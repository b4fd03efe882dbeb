package wire

import "encoding/binary"

// MaxOptions is the number of octets that a TCP header has for options (RFC 9293 s.3.1).
const MaxOptions = 40

// opt1106 are the options whose form depends on the Encoding.
const opt1106 = OptNAK | OptBigWindow | OptUpperWindow | OptNAKPermitted

// Len returns the octets that the options of o take in the header, padded to a multiple of 4. It may exceed
// MaxOptions, and then the segment cannot be encoded.
func (o *Options) Len(e Encoding) int {
	if o.Set == 0 {
		return 0
	}
	n := 0
	if o.Set&OptTimestamps != 0 {
		n = 12 // with SACK-permitted before it, or two no-operations
	} else if o.Set&OptSACKPermitted != 0 {
		n = 4
	}
	if o.Set&OptSACK != 0 && o.NumSACK > 0 {
		n += 4 + 8*int(o.NumSACK)
	}
	if o.Set&(OptMSS|OptWindowScale|OptUserTimeout|opt1106) == 0 {
		return n
	}
	if o.Set&OptMSS != 0 {
		n += 4
	}
	if o.Set&OptWindowScale != 0 {
		n += 4
	}
	if o.Set&OptUserTimeout != 0 {
		n += 4
	}
	return n + (o.len1106(e)+3)&^3
}

// len1106 returns the octets of the RFC 1106 options without padding.
func (o *Options) len1106(e Encoding) int {
	extra := 2 // for the experiment identifier
	if e.Literal {
		extra = 0
	}
	n := 0
	if o.Set&OptUpperWindow != 0 {
		n += 4 + extra
	}
	if o.Set&OptBigWindow != 0 {
		n += 6 + extra
	}
	if o.Set&OptNAKPermitted != 0 {
		n += 2 + extra
	}
	if o.Set&OptNAK != 0 {
		n += 7 + extra
	}
	return n
}

// FitSACK drops SACK blocks from the end, the oldest first (RFC 2018 s.4), until the options fit into
// MaxOptions octets, and returns how many are left. When none is left, OptSACK is cleared too. So SACK yields
// to every other option: upper window before timestamps before NAK before SACK (C-3).
func (o *Options) FitSACK(e Encoding) int {
	if o.Set&OptSACK == 0 {
		return 0
	}
	for o.NumSACK > 0 && (o.NumSACK > MaxSACKBlocks || o.Len(e) > MaxOptions) {
		o.NumSACK--
	}
	if o.NumSACK == 0 {
		o.Set &^= OptSACK
	}
	return int(o.NumSACK)
}

// put writes the options of o to b, whose length is o.Len(e). The order is the one that Linux hosts use, so
// that a middlebox sees nothing unusual; the RFC 1106 options stand between timestamps and SACK.
func (o *Options) put(b []byte, e Encoding) {
	i := 0
	if o.Set&OptMSS != 0 {
		b[i], b[i+1] = kindMSS, 4
		binary.BigEndian.PutUint16(b[i+2:], o.MSS)
		i += 4
	}
	if o.Set&(OptSACKPermitted|OptTimestamps) != 0 {
		b[i], b[i+1] = kindNop, kindNop
		if o.Set&OptSACKPermitted != 0 {
			if o.Set&OptTimestamps == 0 {
				i += 2
			}
			b[i], b[i+1] = kindSACKPermitted, 2
		}
		i += 2
	}
	if o.Set&OptTimestamps != 0 {
		b[i], b[i+1] = kindTimestamps, 10
		binary.BigEndian.PutUint32(b[i+2:], o.TSVal)
		binary.BigEndian.PutUint32(b[i+6:], o.TSEcr)
		i += 10
	}
	if o.Set&OptWindowScale != 0 {
		b[i], b[i+1], b[i+2], b[i+3] = kindNop, kindWindowScale, 3, o.WindowScale
		i += 4
	}
	if o.Set&OptUserTimeout != 0 {
		b[i], b[i+1] = kindUserTimeout, 4
		binary.BigEndian.PutUint16(b[i+2:], o.UserTimeout)
		i += 4
	}
	if o.Set&opt1106 != 0 {
		i = o.put1106(b, i, e)
	}
	if o.Set&OptSACK != 0 && o.NumSACK > 0 {
		b[i], b[i+1], b[i+2], b[i+3] = kindNop, kindNop, kindSACK, 2+8*o.NumSACK
		i += 4
		for _, r := range o.SACKBlocks() {
			binary.BigEndian.PutUint32(b[i:], uint32(r.Start))
			binary.BigEndian.PutUint32(b[i+4:], uint32(r.End))
			i += 8
		}
	}
}

// put1106 writes the RFC 1106 options to b from i on, then no-operations up to a multiple of 4, and returns
// where it stopped.
func (o *Options) put1106(b []byte, i int, e Encoding) int {
	if o.Set&OptUpperWindow != 0 {
		i = e.putKind(b, i, e.upperWindow(), exidUpperWindow, 2)
		binary.BigEndian.PutUint16(b[i:], o.UpperWindow)
		i += 2
	}
	if o.Set&OptBigWindow != 0 {
		i = e.putKind(b, i, e.bigWindow(), exidBigWindow, 4)
		binary.BigEndian.PutUint32(b[i:], o.BigWindow)
		i += 4
	}
	if o.Set&OptNAKPermitted != 0 {
		i = e.putKind(b, i, e.nakPermitted(), exidNAKPermitted, 0)
	}
	if o.Set&OptNAK != 0 {
		i = e.putKind(b, i, e.nak(), exidNAK, 5)
		binary.BigEndian.PutUint32(b[i:], uint32(o.NAKSeq))
		b[i+4] = o.NAKCount
		i += 5
	}
	for i&3 != 0 {
		b[i] = kindNop
		i++
	}
	return i
}

// putKind writes what precedes n octets of option data at i and returns where the data go.
func (e Encoding) putKind(b []byte, i int, literal uint8, exid uint16, n uint8) int {
	if e.Literal {
		b[i], b[i+1] = literal, 2+n
		return i + 2
	}
	b[i], b[i+1] = kindExperiment1, 4+n
	binary.BigEndian.PutUint16(b[i+2:], exid)
	return i + 4
}

// parse reads the options in b, which is what follows the fixed header up to the data offset; o must be zero.
//
// An option of unknown kind is skipped (RFC 9293 s.3.1, MUST-6). A length below 2 or beyond the end says that
// nothing after it can be trusted, so the rest of the list is abandoned (MUST-7); a length that is wrong for a
// known kind costs that option alone. Of an option that occurs twice the first counts: a middlebox that appends
// to the list must not override what the sender said.
func (o *Options) parse(b []byte, e Encoding) {
	// What a data segment in mid-connection carries (RFC 7323 appendix A).
	if len(b) == 12 && binary.BigEndian.Uint32(b) == kindNop<<24|kindNop<<16|kindTimestamps<<8|10 {
		o.Set = OptTimestamps
		o.TSVal = binary.BigEndian.Uint32(b[4:])
		o.TSEcr = binary.BigEndian.Uint32(b[8:])
		return
	}
	for len(b) > 0 {
		switch b[0] {
		case kindEnd:
			return
		case kindNop:
			b = b[1:]
			continue
		}
		if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
			return
		}
		n := int(b[1])
		o.parseOne(b[0], b[2:n], e)
		b = b[n:]
	}
}

// parseOne reads one option with its data d.
func (o *Options) parseOne(kind uint8, d []byte, e Encoding) {
	switch kind {
	case kindMSS:
		if len(d) == 2 && o.add(OptMSS) {
			o.MSS = binary.BigEndian.Uint16(d)
		}
	case kindWindowScale:
		if len(d) == 1 && o.add(OptWindowScale) {
			o.WindowScale = d[0]
		}
	case kindSACKPermitted:
		if len(d) == 0 {
			o.add(OptSACKPermitted)
		}
	case kindSACK:
		if len(d) > 0 && len(d)%8 == 0 && o.add(OptSACK) {
			o.NumSACK = uint8(len(d) / 8) // at most 4: a list has no room for more
			for i := range o.SACKBlocks() {
				o.SACK[i] = Range{Seq(binary.BigEndian.Uint32(d[8*i:])), Seq(binary.BigEndian.Uint32(d[8*i+4:]))}
			}
		}
	case kindTimestamps:
		if len(d) == 8 && o.add(OptTimestamps) {
			o.TSVal = binary.BigEndian.Uint32(d)
			o.TSEcr = binary.BigEndian.Uint32(d[4:])
		}
	case kindUserTimeout:
		if len(d) == 2 && o.add(OptUserTimeout) {
			o.UserTimeout = binary.BigEndian.Uint16(d)
		}
	case kindExperiment1, kindExperiment2:
		if !e.Literal && len(d) >= 2 {
			o.parse1106(exidOption(binary.BigEndian.Uint16(d)), d[2:])
		}
	default:
		if e.Literal {
			o.parse1106(e.literalOption(kind), d)
		}
	}
}

// exidOption returns the option of an experiment identifier, or none.
func exidOption(exid uint16) OptionSet {
	switch exid {
	case exidUpperWindow:
		return OptUpperWindow
	case exidBigWindow:
		return OptBigWindow
	case exidNAKPermitted:
		return OptNAKPermitted
	case exidNAK:
		return OptNAK
	}
	return 0
}

// literalOption returns the option of a bare kind, or none.
func (e Encoding) literalOption(kind uint8) OptionSet {
	switch kind {
	case e.upperWindow():
		return OptUpperWindow
	case e.bigWindow():
		return OptBigWindow
	case e.nakPermitted():
		return OptNAKPermitted
	case e.nak():
		return OptNAK
	}
	return 0
}

// parse1106 reads the data d of the RFC 1106 option which.
func (o *Options) parse1106(which OptionSet, d []byte) {
	switch {
	case which == OptUpperWindow && len(d) == 2 && o.add(which):
		o.UpperWindow = binary.BigEndian.Uint16(d)
	case which == OptBigWindow && len(d) == 4 && o.add(which):
		o.BigWindow = binary.BigEndian.Uint32(d)
	case which == OptNAKPermitted && len(d) == 0:
		o.add(which)
	case which == OptNAK && len(d) == 5 && o.add(which):
		o.NAKSeq = Seq(binary.BigEndian.Uint32(d))
		o.NAKCount = d[4]
	}
}

// add puts s into the set and reports whether it was not there yet.
func (o *Options) add(s OptionSet) bool {
	if o.Set&s != 0 {
		return false
	}
	o.Set |= s
	return true
}
