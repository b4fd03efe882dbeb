package script

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/wire"
)

// listening makes the socket of the scripts here that open a connection in their own way.
const listening = `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
`

// TestNumbers checks that sequence numbers are the script's: its own ones in SYNs, from 1 on after that, also in ACKs and SACK
// blocks, and across the wrap.
func TestNumbers(t *testing.T) {
	verdicts(t, listening, []struct{ name, text, want string }{
		{"both ends", `+0 < S 5000:5000(0) win 65535 <mss 1000,sackOK,nop,nop>
			+0 > S. 77:77(0) ack 1 <mss 1460,nop,nop,sackOK>
			+0 < . 1:1(0) ack 1 win 65535
			+0 < . 2001:3001(1000) ack 1 win 65535
			+0 > . 1:1(0) ack 1 <nop,nop,sack 2001:3001>
			+0 accept(3, ..., ...) = 4
			+0 write(4, ..., 1000) = 1000
			+0 > P. 1:1001(1000) ack 1
			+0 < . 1:1(0) ack 1001 win 65535
			+0 %{ assert tcpi_unacked == 0 }%`, "pass"},
		{"wrap", `+0 < S 4294967290:4294967290(0) win 65535 <mss 1000>
			+0 > S. 0:0(0) ack 1 <mss 1460>
			+0 < . 1:1(0) ack 1 win 65535
			+0 < . 1:1001(1000) ack 1 win 65535
			+0 > . 1:1(0) ack 1001
			+0 accept(3, ..., ...) = 4
			+0 read(4, ..., 2000) = 1000`, "pass"},
		{"a SYN again has the same number", `+0 < S 9:9(0) win 65535 <mss 1000>
			+0 > S. 7:7(0) ack 1 <mss 1460>
			+1 > S. 8:8(0) ack 1 <mss 1460>`, "fail: the packet differs in sequence number"},
		{"a SYN in a connection", `+0 < S 9:9(0) win 65535 <mss 1000>
			+0 > S. 7:7(0) ack 1 <mss 1460>
			+0 < . 1:1(0) ack 1 win 65535
			+0 < S 10:10(0) win 65535
			+0 > . 1:1(0) ack 1`, "pass"},
		{"selective ACKs of ours", `+0 < S 9:9(0) win 65535 <mss 1000,sackOK,nop,nop>
			+0 > S. 7:7(0) ack 1 <mss 1460,nop,nop,sackOK>
			+0.1 < . 1:1(0) ack 1 win 65535
			+0 accept(3, ..., ...) = 4
			+0 write(4, ..., 2000) = 2000
			+0 > P. 1:2001(2000) ack 1
			+0 < . 1:1(0) ack 1 win 65535 <nop,nop,sack 1001:2001>
			+0 %{ assert tcpi_sacked == 1; assert tcpi_unacked == 2 }%`, "pass"},
		{"another selective ACK", `+0 < S 9:9(0) win 65535 <mss 1000,sackOK,nop,nop>
			+0 > S. 7:7(0) ack 1 <mss 1460,nop,nop,sackOK>
			+0 < . 1:1(0) ack 1 win 65535
			+0 < . 2001:3001(1000) ack 1 win 65535
			+0 > . 1:1(0) ack 1 <nop,nop,sack 2001:3002>`, "fail: differs in option sack\n"},
		{"a new connection out of TIME-WAIT", `+0 < S 1000:1000(0) win 65535 <mss 1000>
			+0 > S. 0:0(0) ack 1 <mss 1460>
			+0 < . 1:1(0) ack 1 win 65535
			+0 accept(3, ..., ...) = 4
			+0 close(4) = 0
			+0 > F. 1:1(0) ack 1
			+0 < F. 1:1(0) ack 2 win 65535
			+0 > . 2:2(0) ack 2
			+1 < S 5000:5000(0) win 65535 <mss 1000>
			+0 > S. 0:0(0) ack 1 <mss 1460>
			+0 < . 1:1(0) ack 1 win 65535
			+0 < P. 1:11(10) ack 1 win 65535
			+0 > . 1:1(0) ack 11
			+0 accept(3, ..., ...) = 5
			+0 read(5, ..., 100) = 10`, "pass"},
		{"a SYN to what is no more", `+0 < S 1000:1000(0) win 65535 <mss 1000>
			+0 > S. 0:0(0) ack 1 <mss 1460>
			+0 < R 1:1(0) ack 0 win 0
			+0 close(3) = 0
			+1 < S 500:500(0) win 65535 <mss 1000>
			+0 > R. 0:0(0) ack 1`, "pass"},
		{"an old SYN in TIME-WAIT", `+0 < S 1000:1000(0) win 65535 <mss 1000>
			+0 > S. 0:0(0) ack 1 <mss 1460>
			+0 < . 1:1(0) ack 1 win 65535
			+0 accept(3, ..., ...) = 4
			+0 close(4) = 0
			+0 > F. 1:1(0) ack 1
			+0 < F. 1:1(0) ack 2 win 65535
			+0 > . 2:2(0) ack 2
			+1 < S 500:500(0) win 65535 <mss 1000>
			+0 > . 2:2(0) ack 2`, "pass"},
	})
	verdicts(t, "", []struct{ name, text, want string }{
		{"an active open", `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
			+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
			+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
			+0 > S 5:5(0) <...>
			+.1 < S. 900:900(0) ack 1 win 9000 <mss 1000>
			+0 > . 1:1(0) ack 1
			+0 < P. 1:11(10) ack 1 win 9000
			+0 > . 1:1(0) ack 11
			+0 read(3, ..., 10) = 10`, "pass"},
	})
}

// TestOptions checks that options are compared in their order and with every number, and that injected ones reach the engine.
func TestOptions(t *testing.T) {
	const syn = "+0 < S 0:0(0) win 65535 <mss 1000,sackOK,TS val 100 ecr 0,nop,wscale 7>\n"
	const answer = "+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1 ecr 100,nop,wscale 8>\n"
	verdicts(t, listening, []struct{ name, text, want string }{
		{"all", syn + answer, "pass"},
		{"another order", syn + "+0 > S. 0:0(0) ack 1 <mss 1460,TS val 1 ecr 100,sackOK,nop,wscale 8>", "fail: differs in options\n"},
		{"one too few", syn + "+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1 ecr 100>", "fail: differs in options\n"},
		{"another number", syn + "+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1 ecr 100,nop,wscale 7>", "fail: differs in option wscale\n"},
		{"another echo", syn + "+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1 ecr 101,nop,wscale 8>", "fail: differs in TS ecr\n"},
		{"an echo of nothing", syn + answer + "+0 < . 1:1(0) ack 1 win 9 <nop,nop,TS val 101 ecr 2>",
			"fail: no packet was expected with TS val 2 before; echo a value of an earlier > line"},
		{"any kind, injected", "+0 < S 0:0(0) win 65535 <exp 2 03e8,exp 4,nop,nop>\n+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>", "pass"},
		{"any kind, expected", "+0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <exp 2 05b4>", "pass"},
		{"any kind, wrong", "+0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <exp 2 05b5>", "fail: differs in option exp\n"},
		{"Fast Open, injected", "+0 < S 0:0(0) win 65535 <mss 1000,FO 0102030405060708,nop,nop>\n+0 > S. 0:0(0) ack 1 <mss 1460>", "pass"},
		{"Fast Open, expected", syn + "+0 > S. 0:0(0) ack 1 <FO 01>", "not applicable: TCP Fast Open is not in the engine"},
	})
	const tick = "--tcp_ts_tick_usecs=1000\n"
	const later = "+.1 < . 1:1(0) ack 1 win 9 <nop,nop,TS val 101 ecr 1>\n+.1 < P. 1:11(10) ack 1 win 9 <nop,nop,TS val 102 ecr 1>\n"
	verdicts(t, tick+listening, []struct{ name, text, want string }{
		{"200 ticks later", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 201 ecr 102>", "pass"},
		{"within an eighth", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 226 ecr 102>", "pass"},
		{"240 ticks", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 241 ecr 102>", "fail: differs in TS val\n"},
	})
	verdicts(t, "--tcp_ts_tick_usecs=10000\n"+listening, []struct{ name, text, want string }{
		{"20 longer ticks later", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 21 ecr 102>", "pass"},
		{"25 longer ticks", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 26 ecr 102>", "fail: differs in TS val\n"},
	})
	const soon = "+.01 < . 1:1(0) ack 1 win 9 <nop,nop,TS val 101 ecr 1>\n+0 < P. 1:11(10) ack 1 win 9 <nop,nop,TS val 102 ecr 1>\n"
	verdicts(t, tick+listening, []struct{ name, text, want string }{
		{"within the tolerance", syn + answer + soon + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 14 ecr 102>", "pass"},
		{"outside it", syn + answer + soon + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 16 ecr 102>", "fail: differs in TS val\n"},
	})
	verdicts(t, listening, []struct{ name, text, want string }{
		{"without ticks", syn + answer + later + "+0 > . 1:1(0) ack 11 <nop,nop,TS val 241 ecr 102>", "pass"},
	})
}

// TestEchoes checks that an injected echo is the engine's own timestamp: after two SYN-ACKs it tells which one was answered.
func TestEchoes(t *testing.T) {
	const open = `+0 < S 0:0(0) win 65535 <mss 1000,sackOK,TS val 100 ecr 0>
		+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1 ecr 100>
		+1 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 2 ecr 100>
		`
	verdicts(t, listening, []struct{ name, text, want string }{
		{"the second", open + "+.1 < . 1:1(0) ack 1 win 9 <nop,nop,TS val 101 ecr 2>\n+0 %{ assert tcpi_rtt == 100000 }%", "pass"},
		{"the first", open + "+.1 < . 1:1(0) ack 1 win 9 <nop,nop,TS val 101 ecr 1>\n+0 %{ assert tcpi_rtt == 1100000 }%", "pass"},
	})
}

// TestECN checks flags and fields of explicit congestion notification, both ways.
func TestECN(t *testing.T) {
	verdicts(t, "`sysctl -q net.ipv4.tcp_ecn=2`\n"+listening, []struct{ name, text, want string }{
		{"a mark each way", `+0 < SEW 0:0(0) win 65535 <mss 1000>
			+0 > [noecn] SE. 0:0(0) ack 1 <mss 1460>
			+.1 < . 1:1(0) ack 1 win 65535
			+0 accept(3, ..., ...) = 4
			+0 %{ assert tcpi_options == TCPI_OPT_ECN; assert tcpi_ca_state == TCP_CA_Open }%
			+0 < [ce] P. 1:1001(1000) ack 1 win 65535
			+0 > [noecn] E. 1:1(0) ack 1001
			+0 write(4, ..., 10000) = 10000
			+0 > [ect01] EP. 1:10001(10000) ack 1001
			+0 < [ect0] W. 1001:2001(1000) ack 1 win 65535
			+0 > . 10001:10001(0) ack 2001
			+.1 < E. 2001:2001(0) ack 1001 win 65535
			+0 %{ assert tcpi_ca_state == TCP_CA_CWR; assert tcpi_snd_cwnd < 10 }%
			+0 < . 2001:2001(0) ack 10001 win 65535
			+0 %{ assert tcpi_ca_state == TCP_CA_Open }%
			+0 write(4, ..., 1000) = 1000
			+0 > [ect0] WP. 10001:11001(1000) ack 2001
			+0 < . 2001:2001(0) ack 11001 win 65535
			+0 %{ assert tcpi_ca_state == TCP_CA_Open }%`, "pass"},
	})
}

// TestRFC1106Options checks the options of RFC 1106 in both encodings, mapped to the script's sequence numbers both ways.
func TestRFC1106Options(t *testing.T) {
	for _, c := range []struct{ stack, rest string }{
		{"", `+0 > . 1:993(992) ack 1 <upper 4,nop,nop>
			+0 > . 993:1985(992) ack 1 <upper 4,nop,nop>
			+0 > . 1985:2977(992) ack 1 <upper 4,nop,nop>
			+.1 < . 2001:2001(0) ack 1 win 34464 <upper 1,nak 993:1>
			+0 > . 993:1985(992) ack 1 <upper 4,nop,nop>`},
		{"+literal", `+0 > . 1:997(996) ack 1 <upper 4>
			+0 > . 997:1993(996) ack 1 <upper 4>
			+0 > . 1993:2977(984) ack 1 <upper 4>
			+.1 < . 2001:2001(0) ack 1 win 34464 <upper 1,nak 997:1>
			+0 > . 997:1993(996) ack 1 <upper 4>`},
	} {
		for _, wrong := range []string{"", "nak 2:1", "bigwin 262145", "upper 5"} {
			text := "--stack=reno:newreno-ts-sack-pacing+bigwindow+nak" + c.stack + "\n" + listening + `+0 < S 500:500(0) win 65535 <mss 1000,bigwin 100000,nakok>
				+0 > S. 7:7(0) ack 1 <mss 1460,bigwin 262144,nakok>
				+.1 < . 1:1(0) ack 1 win 34464 <upper 1>
				+0 < . 1001:2001(1000) ack 1 win 34464 <upper 1>
				+0 > . 1:1(0) ack 1 win 0 <upper 4,nak 1:1,nop>
				+0 accept(3, ..., ...) = 4
				+0 write(4, ..., 2976) = 2976
				` + c.rest
			want := Pass
			if wrong != "" {
				name, _, _ := strings.Cut(wrong, " ")
				right := regexp.MustCompile("> (.*)" + name + " [0-9:]+")
				text, want = right.ReplaceAllString(text, "> ${1}"+wrong), Fail
			}
			if r := play(t, text, Options{}); r.Verdict != want {
				t.Errorf("%q, %q: %v, want %v: %+v", c.stack, wrong, r.Verdict, want, r.Failure)
			}
		}
	}
}

// TestPayload checks that octets which are not those of the stream are noticed.
func TestPayload(t *testing.T) {
	f := &flow{hasLocal: true}
	want := &Packet{Flags: wire.ACK, Seq: 1, Len: 100}
	got := &segment{Packet: Packet{Flags: wire.ACK, Seq: 1, Len: 100}, payload: patternAt(0, 100)}
	if what := f.difference(want, got, 0, 0, time.Second); what != "" {
		t.Errorf("the right octets differ in %s", what)
	}
	got.payload[40]++
	if what := f.difference(want, got, 0, 0, time.Second); what != "octet 40 of the payload" {
		t.Errorf("one wrong octet differs in %q", what)
	}
	got.payload = patternAt(1000, 100) // the right octets of another place
	if what := f.difference(want, got, 0, 0, time.Second); what == "" {
		t.Error("the octets of another place pass")
	}
}

// TestOctets checks what is injected and what is read against package wire: addresses, ECN field, urgent pointer, options.
func TestOctets(t *testing.T) {
	for _, f := range []*flow{
		{local: netip.AddrPortFrom(local4, 1), remote: netip.AddrPortFrom(remote4, 2)},
		{local: netip.AddrPortFrom(local6, 1), remote: netip.AddrPortFrom(remote6, 2)},
	} {
		for name, ecn := range map[string]wire.ECN{"": wire.NotECT, "noecn": wire.NotECT, "ect0": wire.ECT0, "ect1": wire.ECT1, "ce": wire.CE} {
			b, err := f.write(&Packet{ECN: name, Flags: wire.ACK | wire.URG, Seq: 5, Ack: 6, Window: 7, Urgent: 8, Len: 9, Options: []TCPOption{{Name: "mss", A: 10}}}, wire.Encoding{})
			if err != nil {
				t.Fatal(err)
			}
			var p wire.Packet
			if err := wire.Decode(b, &p, wire.Encoding{}); err != nil {
				t.Fatal(err)
			}
			if p.Src != f.remote || p.Dst != f.local || p.ECN != ecn || p.Flags != wire.ACK|wire.URG || p.Seq != 5 || p.Ack != 6 ||
				p.Window != 7 || p.Urgent != 8 || p.Options.MSS != 10 || !slices.Equal(p.Payload, patternAt(4, 9)) {
				t.Errorf("%q injected as %+v", name, p)
			}
			if b, err = wire.AppendPacket(nil, &p, wire.Encoding{}); err != nil {
				t.Fatal(err)
			}
			if s := f.read(b, wire.Encoding{}); s.ecn != ecn || s.Urgent != 8 || s.Len != 9 || optionText(s.Options) != "mss 10" {
				t.Errorf("%q read as %v, ECN %d", name, s.Packet.String(), s.ecn)
			}
		}
	}
}

// TestDecodeOptions checks options that are not what they seem.
func TestDecodeOptions(t *testing.T) {
	for _, c := range []struct {
		octets []byte
		want   string
	}{
		{[]byte{2, 4, 5, 180, 1, 3, 3, 8, 0}, "mss 1460,nop,wscale 8,eol"},
		{[]byte{2, 3, 5}, "exp 2 05"},
		{[]byte{253, 4, 0x12, 0x34}, "exp 253 1234"},
		{[]byte{253, 5, 0x11, 0x0d, 1}, "exp 253 110d01"},
		{[]byte{253, 4, 0x11, 0x0d}, "nakok"},
		{[]byte{109, 2}, "exp 109"},
		{[]byte{8, 10, 1}, "exp 8 0a01"},
		{[]byte{1, 77}, "nop,exp 77"},
		{[]byte{77, 1, 5}, "exp 77 0105"},
	} {
		if got := optionText(decodeOptions(c.octets, wire.Encoding{})); got != c.want {
			t.Errorf("%v read as %s, want %s", c.octets, got, c.want)
		}
	}
	if got := optionText(decodeOptions([]byte{109, 2, 108, 4, 0, 5}, wire.Encoding{Literal: true})); got != "nakok,upper 5" {
		t.Errorf("bare kinds read as %s", got)
	}
}
