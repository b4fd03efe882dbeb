package script

import (
	"strings"
	"testing"
)

// TestParse checks what is read of each form of the language: the script printed again, in its canonical form.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comments", "// one\n0 /* two\nlines */ > S 0:0(0) // three", "0 > S 0:0(0)"},
		{"times", ".0 > S 0:0(0) 1.25 > S 0:0(0) +.1 > S 0:0(0) +.1~+.105 > S 0:0(0) 3~3.5 > S 0:0(0) * > S 0:0(0)",
			"0 > S 0:0(0)\n1.25 > S 0:0(0)\n+0.1 > S 0:0(0)\n+0.1~+0.105 > S 0:0(0)\n3~3.5 > S 0:0(0)\n* > S 0:0(0)"},
		{"a span", "0 close(3) = 0 +.1...0.200 read(4, ..., 5) = 5 1...2 accept(3, ..., ...) = 4",
			"0 close(3) = 0\n+0.1...0.2 read(4, ..., 5) = 5\n1...2 accept(3, ..., ...) = 4"},
		{"flags", "0 > SEW 0:0(0) +0 > S. 0:0(0) ack 1 +0 > FP. 1:2(1) ack 0 +0 > - 1:1(0) +0 > RU 1:1(0) urg 7",
			"0 > SEW 0:0(0)\n+0 > S. 0:0(0) ack 1\n+0 > FP. 1:2(1) ack 0\n+0 > - 1:1(0)\n+0 > RU 1:1(0) urg 7"},
		{"sequence numbers wrap", "0 > . 4294967290:4(10) ack 1", "0 > . 4294967290:4(10) ack 1"},
		{"hexadecimal", "0 < . 0x10:0x10(0) ack 0x1F win 0xffff", "0 < . 16:16(0) ack 31 win 65535"},
		{"ECN", "0 > [ect0] . 1:1(0) ack 1 +0 > [ect01] . 1:1(0) ack 1 +0 < [ce] . 1:1(0) ack 1 win 0 +0 > [noecn] . 1:1(0) ack 1",
			"0 > [ect0] . 1:1(0) ack 1\n+0 > [ect01] . 1:1(0) ack 1\n+0 < [ce] . 1:1(0) ack 1 win 0\n+0 > [noecn] . 1:1(0) ack 1"},
		{"options", "0 < S 0:0(0) win 1 <mss 1000,sackOK,TS val 1 ecr 2,nop,wscale 7,FO 0aFF> +0 > . 1:1(0) ack 1 <...> +0 > . 1:1(0) ack 1 <>",
			"0 < S 0:0(0) win 1 <mss 1000,sackOK,TS val 1 ecr 2,nop,wscale 7,FO 0aff>\n+0 > . 1:1(0) ack 1 <...>\n+0 > . 1:1(0) ack 1"},
		{"SACK", "0 < . 1:1(0) ack 1 win 1 <nop , nop , sack 1:2 3:4 5:6>", "0 < . 1:1(0) ack 1 win 1 <nop,nop,sack 1:2 3:4 5:6>"},
		{"own options", "0 < S 0:0(0) win 1 <bigwin 70000,nakok,eol> +0 < . 1:1(0) ack 1 win 1 <upper 3,nak 5:2,exp 99 ABCD,FOEXP 01,raw 0200>",
			"0 < S 0:0(0) win 1 <bigwin 70000,nakok,eol>\n+0 < . 1:1(0) ack 1 win 1 <upper 3,nak 5:2,exp 99 abcd,FOEXP 01,raw 0200>"},
		{"ICMP", "0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)] +0 < icmp unreachable port_unreachable +0 < icmp source_quench [1:2(1)]",
			"0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)]\n+0 < icmp unreachable port_unreachable\n+0 < icmp source_quench [1:2(1)]"},
		{"calls", `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3 +0 fcntl(3, F_GETFL) = 0x2 (flags O_RDWR)
			+0 fcntl(3, F_SETFL, O_RDWR | O_NONBLOCK) = 0 +0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
			+0 setsockopt(3, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0
			+0 sendmsg(3, {msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}, "x") = -7`,
			"0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 fcntl(3, F_GETFL) = 2\n+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n" +
				"+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 setsockopt(3, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0\n" +
				`+0 sendmsg(3, {msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}, "x") = -7`},
		{"values", `0 f(1, -2, [], [3], [{fd: 3, events = POLLIN}], g(h, 4), "a b", A|B|5) = 6`,
			`0 f(1, -2, [], [3], [{fd=3, events=POLLIN}], g(h, 4), "a b", A|B|5) = 6`},
		{"blocks", "--tolerance_usecs=9\n--quiet\n`a b`\n0 `c`\n+0 %{\nassert 1 == 1\n}%\n`d`", "--tolerance_usecs=9\n--quiet\n`a b`\n0 `c`\n+0 %{\nassert 1 == 1\n}%\n`d`"},
	} {
		s, err := Parse("x", []byte(c.text))
		switch {
		case err != nil && c.want != "":
			t.Errorf("%s: %v", c.name, err)
		case err == nil && c.want == "":
			t.Errorf("%s: read as\n%s", c.name, s)
		case err == nil && strings.TrimSpace(s.String()) != c.want:
			t.Errorf("%s: read as\n%s, want\n%s", c.name, s, c.want)
		}
	}
}

// TestParseErrors checks that each error is one line with file, line and how to mend it.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x:1: the script has no events"},
		{"\n\n0.1 > S 0:0(0)", "x:3: the first event must be at time 0"},
		{"* > S 0:0(0)", "x:1: the first event must be at time 0"},
		{"--foo=1\n0 > S 0:0(0)", "x:1: unknown option --foo; options: tolerance_usecs"},
		{"\n--tolerance_usecs=much\n0 > S 0:0(0)", "x:2: --tolerance_usecs=much: write a whole number"},
		{"--stack=reon\n0 > S 0:0(0)", `x:1: --stack: stack "reon": unknown algorithm`},
		{"--quiet=1\n0 > S 0:0(0)", "x:1: --quiet takes no value"},
		{"--stack=reno*2\n0 > S 0:0(0)", "leave *2 out"},
		{"--local_ip=here\n0 > S 0:0(0)", "write an IP address"},
		{"--ip_version=5\n0 > S 0:0(0)", "write ipv4 or ipv6"},
		{"0 > S 0:0(0)\n/* no end", "x:2: a comment has no end; close it with */"},
		{"0 > S 0:0(0)\n+0 hello", `x:2: expected "(" after the name of a call, got the end of the file`},
		{"0 > S 0:0(0)\n+0 12", "x:2: expected a packet (< or >), a call"},
		{"0 > S 0:0(0)\nnow > S 0:0(0)", "x:2: expected the time of an event, such as 0.1, +.1 or *, got \"now\""},
		{"0 > S 0:0(0)\n+.2~.3 > S 0:0(0)", "before the second time of a range of relative times"},
		{"0 > S 0:0(0)\n+.3~+.2 > S 0:0(0)", "the range of times ends before it begins"},
		{"0 > S 0:0(0)\n+.3....2 read(1, ..., 1) = 0", "the call ends before it begins"},
		{"0 > S 0:0(0)\n* < S 0:0(0) win 1", "x:2: only an expected packet (>) can have the time *"},
		{"0 > S 0:0(0)\n+.1~+.2 close(3) = 0", "x:2: only an expected packet"},
		{"0...1 > S 0:0(0)", "only a call can have an end time"},
		{"0 > S 0:1(0)", "0:1(0): the end must be 0, the sequence number plus the length"},
		{"0 > S 0:65536(65536)", "the length is 65536; write a number from 0 to 65535"},
		{"0 < S 0:0(0)", "an injected packet needs its window field"},
		{"0 > SX 0:0(0)", `"SX" are no flags; write letters of SFRPUEW`},
		{"0 > SS 0:0(0)", "are no flags"},
		{"0 > .S 0:0(0)", "are no flags"},
		{"0 > 0:0(0)", "expected flags"},
		{"0 > [ecn] S 0:0(0)", "[ecn] is no ECN field"},
		{"0 < [ect01] S 0:0(0) win 1", "[ect01] is no ECN field that can stand here"},
		{"0 < S 0:0(0) win 1 <...>", "write the options of an injected packet"},
		{"0 < S 0:0(0) win 1 <mss 1,>", "expected a TCP option, got \">\""},
		{"0 < S 0:0(0) win 1 <mss 65536>", "mss is 65536"},
		{"0 < S 0:0(0) win 1 <window 1>", `"window" is not a TCP option; write nop eol`},
		{"0 < S 0:0(0) win 1 <TS 1 2>", "expected TS val N ecr N"},
		{"0 < S 0:0(0) win 1 <exp 1 00>", "the kind of exp is 1"},
		{"0 < S 0:0(0) win 1 <exp 9 000>", "expected octets in hexadecimal, two digits each, got \"000\""},
		{"0 < S 0:0(0) win 1 <sack 1:2 3:4 5:6 7:8,TS val 1 ecr 1>", "the TCP options take 44 octets of the header's 40"},
		{"0 < icmp redirect host", "icmp redirect is not a type that scripts have"},
		{"0 < icmp unreachable me", `"me" is not a code of icmp unreachable; write one of net_unreachable host_unreachable`},
		{"0 close() = 0", "x:1: close takes 1 arguments, not 0"},
		{"0 close(x) = 0", "argument 1 of close is the socket, a number"},
		{"0 read(3, ..., -1) = 0", "argument 3 of read is the octets to move, a number from 0 to"},
		{"0 setsockopt(3, SOL_TCP, TCP_NODELAY, [x], 4) = 0", "the value of TCP_NODELAY is a number, in brackets or not"},
		{"0 close(3)", `expected "=" and a result after a call`},
		{"0 close(3) = x", "expected the result of a call, a whole number, got \"x\""},
		{"0 close(3 = 0", "argument"},
		{"0 f(" + strings.Repeat("[", 50), "nested more than 20 deep"},
		{"0 f(" + strings.Repeat("a=", 50), "nested more than 20 deep"},
		{"0 `sleep 1", "x:1: a shell command has no end"},
		{"0 %{ assert 1", "x:1: a %{ block has no end; close it with }%"},
		{"0 `a`\n`b`\n0 `c`", "x:3: nothing may follow the last command"},
		{"0 > S 99999999999:0(0)", "the sequence number is 99999999999"},
		{"99999999999999999999 > S 0:0(0)", "is too long"},
	} {
		s, err := Parse("x", []byte(c.text))
		if err == nil {
			t.Errorf("%q was read as\n%s", c.text, s)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "x:") || !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
			t.Errorf("%q: error %q, want one line with %q", c.text, text, c.want)
		}
	}
}

// FuzzParse checks that no text makes Parse panic, that a script which it reads is read from its printed form again, and
// that running it ends.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		handshake + "+0 write(4, ..., 3000) = 3000\n+0 > P. 1:3001(3000) ack 1\n+.1 %{ assert tcpi_snd_cwnd == 10 and (1 + 2) * 3 == 9 }%",
		"--stack=fox\n`sysctl -q net.ipv4.tcp_ecn=0`\n0 < [ce] SEW 5:9(4) win 1 urg 3 <mss 9,exp 9 00,nak 1:2>\n* > R. 0:0(0) ack 9\n`x`",
		"0 socket(...) = 3\n0...1 accept(3, [{a=1|B}], \"x\") = -1 EAGAIN (no)\n.1~.2 > - 1:1(0) <...>",
		"0 < icmp unreachable frag_needed mtu 9 [1:2(1)]\n+0 %{ a = 1; print(a) # x\nassert not a, 'b' }%",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("x", []byte(text))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		printed := s.String()
		again, err := Parse("x", []byte(printed))
		if err != nil {
			t.Fatalf("%v in what was printed:\n%s", err, printed)
		}
		if again.String() != printed {
			t.Errorf("read again as\n%s, printed\n%s", again, printed)
		}
		r := again.Run(Options{Quiet: len(text)%2 == 0, Exact: len(text)%3 == 0})
		if (r.Verdict == Fail) != (r.Failure != nil) || r.Failure != nil && (r.Failure.Line == 0 || r.Failure.What == "") {
			t.Errorf("%v with %+v", r.Verdict, r.Failure)
		}
	})
}
