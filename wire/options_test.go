package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var literal = Encoding{Literal: true}

// Golden vectors both ways of every option alone and of the combinations that segments carry.
func TestR1OptionsGolden(t *testing.T) {
	ts := Options{Set: OptTimestamps, TSVal: 0x01020304, TSEcr: 0x05060708}
	block := Range{0x11121314, 0x21222324}
	for _, c := range []struct {
		name string
		o    Options
		e    Encoding
		want string
	}{
		{"none", Options{}, Encoding{}, ""},
		{"MSS (RFC 9293 s.3.7.1)", Options{Set: OptMSS, MSS: 1460}, Encoding{}, "020405b4"},
		{"MSS 65495 (R10)", Options{Set: OptMSS, MSS: 65495}, Encoding{}, "0204ffd7"},
		{"window scale (RFC 7323 s.2)", Options{Set: OptWindowScale, WindowScale: 14}, Encoding{}, "01 03030e"},
		{"lone SACK-permitted (RFC 2018 s.2)", Options{Set: OptSACKPermitted}, Encoding{}, "0101 0402"},
		{"timestamps (RFC 7323 s.3)", ts, Encoding{}, "0101 080a0102030405060708"},
		{"user timeout (RFC 5482)", Options{Set: OptUserTimeout, UserTimeout: 0x8005}, Encoding{}, "1c048005"},
		{"SACK, one block (RFC 2018 s.3)", Options{Set: OptSACK, NumSACK: 1, SACK: [4]Range{block}}, Encoding{}, "0101 050a 1112131421222324"},
		{"SACK, four blocks", Options{Set: OptSACK, NumSACK: 4, SACK: [4]Range{block, {1, 2}, {3, 4}, {0xffffffff, 0}}}, Encoding{},
			"0101 0522 1112131421222324 0000000100000002 0000000300000004 ffffffff00000000"},
		{"SYN", Options{Set: OptMSS | OptSACKPermitted | OptTimestamps | OptWindowScale, MSS: 1460, TSVal: 1, WindowScale: 7}, Encoding{},
			"020405b4 0402 080a0000000100000000 01 030307"},
		{"SYN-ACK without timestamps", Options{Set: OptMSS | OptSACKPermitted | OptWindowScale, MSS: 1460, WindowScale: 7}, Encoding{},
			"020405b4 0101 0402 01 030307"},
		{"SYN-ACK without SACK", Options{Set: OptMSS | OptTimestamps | OptWindowScale, MSS: 1460, TSVal: 1, TSEcr: 2, WindowScale: 7}, Encoding{},
			"020405b4 0101 080a0000000100000002 01 030307"},

		{"R1 C-2 option A, experimental, 9 octets", Options{Set: OptNAK, NAKSeq: 0xaabbccdd, NAKCount: 5}, Encoding{}, "fd09110a aabbccdd 05 010101"},
		{"R1 C-2 option B, experimental, 8 octets", Options{Set: OptBigWindow, BigWindow: 1 << 30}, Encoding{}, "fd08110b 40000000"},
		{"R1 C-2 option C, experimental, 6 octets", Options{Set: OptUpperWindow, UpperWindow: 0x4000}, Encoding{}, "fd06110c 4000 0101"},
		{"C-4 NAK-permitted, experimental", Options{Set: OptNAKPermitted}, Encoding{}, "fd04110d"},
		{"R1 option A, literal, 7 octets", Options{Set: OptNAK, NAKSeq: 0xaabbccdd, NAKCount: 5}, literal, "6a07 aabbccdd 05 01"},
		{"R1 option B, literal, 6 octets", Options{Set: OptBigWindow, BigWindow: 1 << 30}, literal, "6b06 40000000 0101"},
		{"R1 option C, literal, 4 octets", Options{Set: OptUpperWindow, UpperWindow: 0x4000}, literal, "6c04 4000"},
		{"C-4 NAK-permitted, literal", Options{Set: OptNAKPermitted}, literal, "6d02 0101"},
		{"R2 kinds chosen", Options{Set: OptNAK | OptUpperWindow, NAKSeq: 1, NAKCount: 2, UpperWindow: 3},
			Encoding{Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}, "ca04 0003 c807 00000001 02 01"},
		{"R3 SYN that offers everything", Options{Set: OptMSS | OptSACKPermitted | OptTimestamps | OptWindowScale | OptBigWindow | OptNAKPermitted,
			MSS: 1460, TSVal: 1, WindowScale: 7, BigWindow: 1 << 20}, Encoding{},
			"020405b4 0402 080a0000000100000000 01 030307 fd08110b00100000 fd04110d"},
		{"C-3 data segment with everything", Options{Set: OptTimestamps | OptUpperWindow | OptNAK | OptSACK, TSVal: 0x01020304, TSEcr: 0x05060708,
			UpperWindow: 1, NAKSeq: 9, NAKCount: 1, NumSACK: 1, SACK: [4]Range{block}}, Encoding{},
			"0101 080a0102030405060708 fd06110c0001 fd09110a0000000901 01 0101 050a 1112131421222324"},
	} {
		want := unhex(t, c.want)
		if n := c.o.Len(c.e); n != len(want) {
			t.Errorf("%s: Len = %d, want %d", c.name, n, len(want))
			continue
		}
		got := make([]byte, len(want))
		c.o.put(got, c.e)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: encoded as %x, want %x", c.name, got, want)
		}
		var back Options
		back.parse(want, c.e)
		if back != c.o {
			t.Errorf("%s: decoded as %+v, want %+v", c.name, back, c.o)
		}
	}
}

// C-2: no two of the four options may be mistaken for each other, in any encoding, and an end that uses another
// encoding sees unknown options.
func TestOptionsUnderAnotherEncodingAreUnknown(t *testing.T) {
	encodings := []Encoding{{}, literal, {Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}}
	for i, from := range encodings {
		for _, set := range []OptionSet{OptNAK, OptBigWindow, OptUpperWindow, OptNAKPermitted} {
			o := Options{Set: set}
			b := make([]byte, o.Len(from))
			o.put(b, from)
			for j, to := range encodings {
				var got Options
				got.parse(b, to)
				if want := set; i == j && got.Set != want || i != j && got.Set != 0 {
					t.Errorf("option %#x of encoding %d in encoding %d is %#x", set, i, j, got.Set)
				}
			}
		}
	}
}

// R1: malformed lists. RFC 9293 s.3.1: unknown options are skipped (MUST-6), illegal lengths survived (MUST-7).
func TestOptionsMalformed(t *testing.T) {
	ts := "080a0102030405060708"
	for _, c := range []struct {
		name string
		in   string
		e    Encoding
		want OptionSet
	}{
		{"length 0 ends the list", "020405b4 0300 " + ts, Encoding{}, OptMSS},
		{"length 1 ends the list", "020405b4 0301 " + ts, Encoding{}, OptMSS},
		{"no length octet", "020405b4 01 01 01 03", Encoding{}, OptMSS},
		{"past the data offset", "0402 020405", Encoding{}, OptSACKPermitted},
		{"end of list hides the rest", "00 " + ts, Encoding{}, 0},
		{"unknown kind skipped", "63050000ff " + ts, Encoding{}, OptTimestamps},
		{"unknown kind of length 2 skipped", "6302 " + ts, Encoding{}, OptTimestamps},
		{"MSS of length 3", "020305 " + ts, Encoding{}, OptTimestamps},
		{"window scale of length 2", "0302 " + ts, Encoding{}, OptTimestamps},
		{"SACK-permitted of length 3", "040300 " + ts, Encoding{}, OptTimestamps},
		{"SACK without blocks", "0502 " + ts, Encoding{}, OptTimestamps},
		{"SACK with half a block", "0506 00000001 " + ts, Encoding{}, OptTimestamps},
		{"timestamps of length 6", "0806 00000001 0402", Encoding{}, OptSACKPermitted},
		{"user timeout of length 2", "1c02 0402", Encoding{}, OptSACKPermitted},
		{"duplicate", "020405b4 02040001", Encoding{}, OptMSS},
		{"R1 experiment without identifier", "fd02 fd0311 0402", Encoding{}, OptSACKPermitted},
		{"R1 unknown experiment", "fd08f989 01020304 0402", Encoding{}, OptSACKPermitted},
		{"R1 A of length 8", "fd08110a aabbccdd 0402", Encoding{}, OptSACKPermitted},
		{"R1 B of length 9", "fd09110b 0000000001 0402", Encoding{}, OptSACKPermitted},
		{"R1 C of length 8", "fd08110c 00000001 0402", Encoding{}, OptSACKPermitted},
		{"R1 NAK-permitted of length 5", "fd05110d01 0402", Encoding{}, OptSACKPermitted},
		{"RFC 6994: kind 254 is as good", "fe06110c 0001", Encoding{}, OptUpperWindow},
		{"R1 literal A of length 6", "6a06 aabbccdd 0402", literal, OptSACKPermitted},
		{"R1 literal B of length 4", "6b04 0001 0402", literal, OptSACKPermitted},
		{"R1 literal C of length 6", "6c06 00000001 0402", literal, OptSACKPermitted},
		{"R1 literal NAK-permitted of length 3", "6d0300 0402", literal, OptSACKPermitted},
		{"R1 literal C truncated", "6c0400", literal, 0},
	} {
		var o Options
		o.parse(unhex(t, c.in), c.e)
		if o.Set != c.want {
			t.Errorf("%s: options %#x, want %#x", c.name, o.Set, c.want)
		}
	}
}

func TestFirstDuplicateWins(t *testing.T) {
	var o Options
	o.parse(unhex(t, "020405b4 02040001 030307 030301 fd06110c0001 fe06110c0002 050a0000000100000002 050a0000000300000004"), Encoding{})
	want := Options{Set: OptMSS | OptWindowScale | OptUpperWindow | OptSACK, MSS: 1460, WindowScale: 7, UpperWindow: 1, NumSACK: 1, SACK: [4]Range{{1, 2}}}
	if o != want {
		t.Errorf("got %+v, want %+v", o, want)
	}
}

// C-3: whatever else a segment of an established connection carries, dropping SACK blocks makes it fit, and no more are
// dropped than must be.
func TestFitSACKKeepsPriority(t *testing.T) {
	for _, c := range []struct {
		set  OptionSet
		e    Encoding
		want int // of 4 blocks
	}{
		{0, Encoding{}, 4},
		{OptTimestamps, Encoding{}, 3},
		{OptUpperWindow, Encoding{}, 3},
		{OptUpperWindow | OptTimestamps, Encoding{}, 2},
		{OptUpperWindow | OptTimestamps | OptNAK, Encoding{}, 1},
		{OptNAK, Encoding{}, 3},
		{OptTimestamps | OptNAK, Encoding{}, 1},
		{OptUpperWindow, literal, 4},
		{OptUpperWindow | OptTimestamps, literal, 2},
		{OptUpperWindow | OptTimestamps | OptNAK, literal, 1},
		{OptUpperWindow | OptTimestamps | OptNAK | OptUserTimeout, Encoding{}, 0},
	} {
		o := Options{Set: c.set | OptSACK, NumSACK: 4, SACK: [4]Range{{1, 2}, {3, 4}, {5, 6}, {7, 8}}}
		if got := o.FitSACK(c.e); got != c.want || int(o.NumSACK) != c.want || o.Has(OptSACK) != (c.want > 0) {
			t.Errorf("with %#x: %d blocks left, want %d: %+v", c.set, got, c.want, o)
		}
		if n := o.Len(c.e); n > MaxOptions {
			t.Errorf("with %#x: %d octets of options", c.set, n)
		}
		if o.Set&^OptSACK != c.set {
			t.Errorf("with %#x: options became %#x", c.set, o.Set)
		}
		if o.NumSACK++; c.want < 4 {
			o.Set |= OptSACK
			if n := o.Len(c.e); n <= MaxOptions {
				t.Errorf("with %#x: %d blocks fit as well", c.set, o.NumSACK)
			}
		}
	}
	without := Options{Set: OptTimestamps, NumSACK: 3}
	if without.FitSACK(Encoding{}) != 0 || without.Set != OptTimestamps {
		t.Errorf("options without SACK became %+v", without)
	}
	wild := Options{Set: OptSACK, NumSACK: 200}
	if wild.FitSACK(Encoding{}) != MaxSACKBlocks {
		t.Errorf("200 blocks became %d", wild.NumSACK)
	}
}

func TestEncodingValidate(t *testing.T) {
	for _, c := range []struct {
		e    Encoding
		want string // part of the error
	}{
		{Encoding{}, ""},
		{Encoding{NAK: 5, BigWindow: 5}, ""}, // without effect
		{literal, ""},
		{Encoding{Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}, ""},
		{Encoding{Literal: true, BigWindow: 8}, "option kind 8 for big window is in use for another option; choose an unassigned one such as 107"},
		{Encoding{Literal: true, NAKPermitted: 253}, "option kind 253 for NAK permitted"},
		{Encoding{Literal: true, NAK: 200, UpperWindow: 200}, "option kind 200 stands for both NAK and upper window"},
		{Encoding{Literal: true, NAK: LiteralBigWindow}, "option kind 107 stands for both NAK and big window"},
	} {
		err := c.e.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.e, err, c.want)
		}
	}
}
