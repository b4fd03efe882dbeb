package capture

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"longhaul/trace"
	"longhaul/wire"
)

const dissector = "../contrib/rfc1106.lua"

// dissected are the fields that the dissector adds, in the order of the wants of TestDissector.
var dissected = []string{"nak", "nak.seq", "nak.relative_seq", "nak.segments", "nak_permitted", "bigwindow", "upper_window", "window", "encoding",
	"malformed", "unexpected"}

// readWith runs tshark with the dissector on a capture of events and returns its lines; it skips where tshark does not run
// Lua scripts.
func readWith(t *testing.T, events []trace.Event, args ...string) []string {
	t.Helper()
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed, so nothing runs the dissector")
	}
	if version, err := exec.Command(tshark, "--version").Output(); err != nil || !bytes.Contains(version, []byte("with Lua")) {
		t.Skipf("tshark has no Lua: %v", err)
	}
	if _, err := os.Stat(dissector); err != nil { // it also tells the test cache that the script matters
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace.pcapng")
	if err := os.WriteFile(file, writePcap(t, events), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir() // no preferences of the user's, nor a copy of the dissector among the plugins
	run := func(args ...string) (out []byte, stderr string, err error) {
		var b bytes.Buffer
		cmd := exec.Command(tshark, append([]string{"-n", "-X", "lua_script:" + dissector, "-r", file}, args...)...)
		cmd.Env = append(cmd.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
		cmd.Stderr = &b
		out, err = cmd.Output()
		return out, b.String(), err
	}
	out, stderr, err := run(args...)
	if strings.Contains(stderr, "Lua") {
		t.Fatalf("the dissector failed:\n%s", stderr)
	}
	if err != nil {
		if _, _, unknown := run("-Y", "rfc1106"); unknown != nil && os.Geteuid() == 0 {
			t.Skip("tshark runs no Lua scripts for the superuser: run_user_scripts_when_superuser is false in its init.lua")
		}
		t.Fatalf("tshark: %v\n%s", err, stderr)
	}
	lines := strings.Split(string(out), "\n")
	return lines[:len(lines)-1]
}

// fieldArgs asks tshark for fields, all occurrences of each, separated by bars.
func fieldArgs(fields ...string) []string {
	args := []string{"-T", "fields", "-E", "separator=|", "-E", "occurrence=a"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	return args
}

func event(frame []byte) trace.Event {
	return trace.Event{Kind: trace.Packet, Frame: frame, Length: len(frame)}
}

var (
	host4, peer4 = netip.MustParseAddrPort("10.0.0.1:49152"), netip.MustParseAddrPort("10.0.0.2:5001")
	host6, peer6 = netip.MustParseAddrPort("[2001:db8::1]:49152"), netip.MustParseAddrPort("[2001:db8::2]:5001")
)

// segment returns the packet of an ACK, or of a SYN, with options o.
func segment(t testing.TB, flags wire.Flags, e wire.Encoding, o wire.Options) []byte {
	t.Helper()
	p := wire.Packet{Src: host4, Dst: peer4, Protocol: wire.ProtocolTCP, Flags: flags, Seq: 0xffffff00, Ack: 0xfffffff0, Window: 4096, Options: o}
	b, err := wire.AppendPacket(nil, &p, e)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rawOptions returns an ACK over IPv4 whose options are the octets raw, which are a multiple of 4.
func rawOptions(t testing.TB, raw ...byte) []byte {
	t.Helper()
	b := slices.Insert(segment(t, wire.ACK, wire.Encoding{}, wire.Options{}), 40, raw...)
	b[32] = byte(5+len(raw)/4) << 4
	return resum(b)
}

// resum makes the total length and the checksums of an IPv4 packet with a TCP segment right.
func resum(b []byte) []byte {
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	put := func(at int, over []byte, initial uint16) {
		b[at], b[at+1] = 0, 0
		binary.BigEndian.PutUint16(b[at:], wire.Checksum(over, initial))
	}
	put(10, b[:20], 0)
	put(36, b[12:], uint16(len(b)-20)+uint16(wire.ProtocolTCP)) // the addresses stand before the segment
	return b
}

// within returns an IPv4 packet of another protocol around inner.
func within(protocol byte, inner []byte) []byte {
	b := append([]byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 9, 10, 0, 0, 1}, inner...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	binary.BigEndian.PutUint16(b[10:], wire.Checksum(b[:20], 0))
	return b
}

// unreachable returns the ICMP message that quotes quote.
func unreachable(quote []byte) []byte {
	m := append([]byte{3, 1, 0, 0, 0, 0, 0, 0}, quote...)
	binary.BigEndian.PutUint16(m[2:], wire.Checksum(m, 0))
	return within(1, m)
}

var (
	bare    = wire.Encoding{Literal: true}
	ts      = wire.OptTimestamps
	optNAK  = wire.Options{Set: wire.OptNAK | ts, NAKSeq: 0xfffffff0, NAKCount: 1}
	optBoth = wire.Options{Set: wire.OptNAK | wire.OptUpperWindow | wire.OptSACK, NAKSeq: 0xfffffff8, NAKCount: 255, UpperWindow: 3, NumSACK: 1,
		SACK: [4]wire.Range{{Start: 100, End: 200}}}
	optSYN = wire.Options{Set: wire.OptMSS | wire.OptBigWindow | wire.OptNAKPermitted | ts, MSS: 1460, BigWindow: 1 << 30}
)

// dissections are packets with what the dissector must make of them: the fields of dissected, and the end of the Info column.
func dissections(t testing.TB) []dissection {
	var list []dissection
	add := func(name, want, info string, frame []byte) {
		list = append(list, dissection{name, want, info, event(frame)})
	}
	exp := wire.Encoding{}
	for _, e := range []wire.Encoding{exp, bare} {
		name := "experimental"
		if e.Literal {
			name = "literal"
		}
		add(name+" NAK", "1|4294967280|0|1|||||"+name+"||", "NAK=4294967280 x1", segment(t, wire.ACK, e, optNAK))
		add(name+" NAK and upper window", "1|4294967288|8|255|||3|200704|"+name+","+name+"||", "Win32=200704 NAK=4294967288 x255",
			segment(t, wire.ACK, e, optBoth))
		add(name+" NAK beyond the wrap", "1|16|32|2|||||"+name+"||", "NAK=16 x2",
			segment(t, wire.ACK, e, wire.Options{Set: wire.OptNAK, NAKSeq: 16, NAKCount: 2}))
		add(name+" NAK below the ACK, of nothing", "1|4294967279|-1|0|||||"+name+"||1", "NAK=4294967279 x0",
			segment(t, wire.ACK, e, wire.Options{Set: wire.OptNAK, NAKSeq: 0xffffffef}))
		add(name+" NAK without an ACK", "1|77||1|||||"+name+"||", "NAK=77 x1",
			segment(t, 0, e, wire.Options{Set: wire.OptNAK, NAKSeq: 77, NAKCount: 1}))
		add(name+" SYN", "||||1|1073741824|||"+name+","+name+"||", "BigWin=1073741824 NAK_PERM", segment(t, wire.SYN, e, optSYN))
		add(name+" largest upper window", "||||||16384|1073745920|"+name+"||1", "Win32=1073745920",
			segment(t, wire.ACK, e, wire.Options{Set: wire.OptUpperWindow, UpperWindow: 1 << 14}))
		add(name+" absurd values", "|||||4294967295|65535|4294905856|"+name+","+name+"||1,1", "Win32=4294905856 BigWin=4294967295",
			segment(t, wire.ACK, e, wire.Options{Set: wire.OptUpperWindow | wire.OptBigWindow, UpperWindow: 65535, BigWindow: 1<<32 - 1}))
		add(name+" misplaced", "||||1||0|4096|"+name+","+name+"||1", "Win32=4096 NAK_PERM",
			segment(t, wire.ACK, e, wire.Options{Set: wire.OptNAKPermitted | wire.OptUpperWindow}))
		add(name+" upper window in a SYN", "||||||1|69632|"+name+"||1", "Win32=69632",
			segment(t, wire.SYN, e, wire.Options{Set: wire.OptUpperWindow, UpperWindow: 1}))
		inner := segment(t, wire.ACK, e, optNAK)
		nak := "1|4294967280|0|1|||||" + name + "||"
		add(name+" quoted by ICMP", nak, "NAK=4294967280 x1", unreachable(inner))
		add(name+" in a tunnel", nak, "NAK=4294967280 x1", within(4, inner))
		add(name+" quoted twice", nak, "NAK=4294967280 x1", unreachable(within(4, inner)))
		v6 := wire.Packet{Src: host6, Dst: peer6, Protocol: wire.ProtocolTCP, Flags: wire.ACK, Ack: 9, PayloadLen: 1000, Options: optNAK}
		b, err := wire.AppendHeaders(nil, &v6, e)
		if err != nil {
			t.Fatal(err)
		}
		ev := event(b)
		ev.Length += v6.PayloadLen
		list = append(list, dissection{name + " over IPv6, headers only", "1|4294967280|-25|1|||||" + name + "||", "NAK=4294967280 x1", ev})
	}
	none := strings.Repeat("|", len(dissected)-1)
	bad := "|||||||||1|"
	add("plain", none, "", segment(t, wire.ACK, exp, wire.Options{Set: ts}))
	add("no options", none, "", segment(t, wire.ACK, exp, wire.Options{}))
	add("the other experimental kind", "||||||2|135168|experimental||", "Win32=135168", rawOptions(t, 254, 6, 0x11, 0x0c, 0, 2, 1, 1))
	add("another's experiment", none, "", rawOptions(t, 253, 6, 0xf9, 0x89, 1, 2, 0, 0))
	add("an experiment without identifier", none, "", rawOptions(t, 253, 3, 0x11, 1, 254, 2, 1, 1))
	add("after an unknown option", "||||||2|135168|literal||", "Win32=135168", rawOptions(t, 200, 4, 9, 9, 108, 4, 0, 2))
	add("after the end of the list", none, "", rawOptions(t, 0, 108, 4, 0, 2, 0, 0, 0))
	add("twice", "||||||2,3|135168,200704|literal,literal||1", "Win32=135168 Win32=200704", rawOptions(t, 108, 4, 0, 2, 108, 4, 0, 3))
	add("short NAK", bad, "malformed NAK", rawOptions(t, 106, 6, 0, 0, 0, 1, 1, 1))
	add("long NAK", bad, "malformed NAK", rawOptions(t, 253, 10, 0x11, 0x0a, 0, 0, 0, 1, 1, 1, 1, 1))
	add("short big window", bad, "malformed big window", rawOptions(t, 253, 6, 0x11, 0x0b, 0, 1, 1, 1))
	add("long NAK permitted", bad, "malformed NAK permitted", rawOptions(t, 109, 3, 0, 1))
	add("wrong length, then a good option", "||||||2|135168|literal|1|", "malformed upper window Win32=135168",
		rawOptions(t, 108, 3, 0, 1, 108, 4, 0, 2))
	add("length 0", bad, "malformed NAK", rawOptions(t, 106, 0, 108, 4, 0, 2, 1, 1))
	add("length 1", bad, "malformed upper window", rawOptions(t, 108, 1, 108, 4, 0, 2, 1, 1))
	add("beyond the header", bad, "malformed upper window", rawOptions(t, 1, 108, 4, 0))
	add("experiment beyond the header", bad, "malformed NAK", rawOptions(t, 253, 9, 0x11, 0x0a, 0, 0, 0, 1))
	add("kind alone at the end", bad, "malformed NAK", rawOptions(t, 1, 1, 1, 106))
	add("experimental kind alone at the end", none, "", rawOptions(t, 1, 1, 1, 253))
	add("unknown option beyond the header", none, "", rawOptions(t, 200, 40, 108, 4))
	offset := func(b []byte, words byte) []byte {
		b[32] = words << 4
		return resum(b)
	}
	add("data offset below the header", none, "", offset(segment(t, wire.ACK, bare, optBoth), 4))
	add("data offset beyond the packet", "||||||3|200704|literal||", "Win32=200704", offset(rawOptions(t, 108, 4, 0, 3), 15))
	add("eight octets quoted", none, "", unreachable(segment(t, wire.ACK, bare, optBoth)[:28]))
	udp := wire.Packet{Src: host4, Dst: peer4, Protocol: wire.ProtocolUDP, PayloadLen: 4, Payload: []byte{106, 7, 0, 0}}
	b, err := wire.AppendPacket(nil, &udp, exp)
	if err != nil {
		t.Fatal(err)
	}
	add("UDP", none, "", b)
	add("one octet", none, "", []byte{0x45})
	// Captures that stop in the middle: of a literal upper window and NAK, 44 octets hold the first.
	for n := 20; n < 54; n++ {
		ev := event(segment(t, wire.ACK, bare, optBoth))
		ev.Frame = ev.Frame[:n]
		want, info := none, ""
		if n >= 51 {
			want, info = "1|4294967288|8|255|||3|200704|literal,literal||", "Win32=200704 NAK=4294967288 x255"
		} else if n >= 44 {
			want, info = "||||||3|200704|literal||", "Win32=200704"
		}
		list = append(list, dissection{"captured in part", want, info, ev})
	}
	return list
}

type dissection struct {
	name, want, info string
	event            trace.Event
}

func TestDissector(t *testing.T) {
	list := dissections(t)
	var events []trace.Event
	for _, d := range list {
		events = append(events, d.event)
	}
	if bad := readWith(t, events, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-Y", "ip.checksum.status == 0 || tcp.checksum.status == 0"); len(bad) != 0 {
		t.Errorf("packets with a wrong checksum:\n%s", strings.Join(bad, "\n"))
	}
	words := regexp.MustCompile("(NAK|BigWin|Win32|malformed).*")
	var fields []string
	for _, f := range dissected {
		fields = append(fields, "rfc1106."+f)
	}
	raw := []string{"-o", "tcp.relative_sequence_numbers:FALSE"}
	got := readWith(t, events, append(raw, fieldArgs(append(fields, "_ws.lua.error")...)...)...)
	info := readWith(t, events, append(raw, "-o", `gui.column.format:"Info","%i"`)...)
	if len(got) != len(list) || len(info) != len(list) {
		t.Fatalf("%d and %d lines for %d packets", len(got), len(info), len(list))
	}
	for i, d := range list {
		if got[i] != d.want+"|" {
			t.Errorf("%s: %x\n got %s\nwant %s|", d.name, d.event.Frame, got[i], d.want)
		}
		if words.FindString(info[i]) != d.info {
			t.Errorf("%s: Info is %q, want %q at its end", d.name, info[i], d.info)
		}
	}
}

// The bare kinds may collide with somebody else's, so they can be changed and switched off.
func TestDissectorPreferences(t *testing.T) {
	e := wire.Encoding{Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}
	events := []trace.Event{
		event(segment(t, wire.ACK, wire.Encoding{}, optBoth)), event(segment(t, wire.ACK, bare, optBoth)), event(segment(t, wire.SYN, bare, optSYN)),
		event(segment(t, wire.ACK, e, optBoth)), event(segment(t, wire.SYN, e, optSYN)),
	}
	fields := fieldArgs("rfc1106.nak.segments", "rfc1106.upper_window", "rfc1106.bigwindow", "rfc1106.nak_permitted")
	off := []string{"-o", "rfc1106.literal:FALSE"}
	moved := []string{"-o", "rfc1106.nak_kind:200", "-o", "rfc1106.bigwindow_kind:201", "-o", "rfc1106.upper_window_kind:202", "-o", "rfc1106.nak_permitted_kind:203"}
	const ack, syn, none = "255|3||", "||1073741824|1", "|||"
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"default", nil, []string{ack, ack, syn, none, none}},
		{"off", off, []string{ack, none, none, none, none}},
		{"moved", moved, []string{ack, none, none, ack, syn}},
		{"moved and off", slices.Concat(off, moved), []string{ack, none, none, none, none}},
	} {
		if got := readWith(t, events, append(c.args, fields...)...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// In the Info column a NAK has the numbers that stand beside it, which are relative by default.
func TestDissectorRelativeNumbers(t *testing.T) {
	nak := optBoth
	nak.NAKSeq = 2001
	var events []trace.Event
	for _, p := range []wire.Packet{
		{Src: peer4, Dst: host4, Flags: wire.SYN, Seq: 1000},
		{Src: host4, Dst: peer4, Flags: wire.SYN | wire.ACK, Seq: 7, Ack: 1001},
		{Src: host4, Dst: peer4, Flags: wire.ACK, Seq: 8, Ack: 2001, Options: nak},
	} {
		p.Protocol = wire.ProtocolTCP
		b, err := wire.AppendPacket(nil, &p, wire.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event(b))
	}
	got := readWith(t, events, "-Y", "rfc1106.nak", "-o", `gui.column.format:"Info","%i"`)
	if len(got) != 1 || !strings.Contains(got[0], "Ack=1001 ") || !strings.HasSuffix(got[0], "NAK=1001 x255") {
		t.Errorf("%q", got)
	}
}

// No packet makes the script fail; where it does, Wireshark adds the expert item _ws.lua.error.
func TestDissectorOnDamagedPackets(t *testing.T) {
	list := dissections(t)
	rng := rand.New(rand.NewPCG(1106, 1989))
	var events []trace.Event
	for range 5000 {
		e := list[rng.IntN(len(list))].event
		e.Frame = slices.Clone(e.Frame)
		for range 1 + rng.IntN(4) {
			e.Frame[rng.IntN(len(e.Frame))] = byte(rng.Uint32())
		}
		if rng.IntN(4) == 0 {
			e.Frame = e.Frame[:1+rng.IntN(len(e.Frame))]
		}
		events = append(events, e)
	}
	if got := readWith(t, events, "-Y", "_ws.lua.error"); len(got) != 0 {
		t.Errorf("%d packets made the dissector fail, such as\n%s", len(got), got[0])
	}
	if got := readWith(t, events, append([]string{"-Y", "rfc1106"}, fieldArgs("frame.number", "rfc1106.encoding")...)...); len(got) < 1000 {
		t.Errorf("only %d of %d packets have an option left, so this shows little", len(got), len(events))
	}
}
