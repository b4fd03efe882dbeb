package script

import (
	"strings"
	"testing"

	"longhaul/wire"
)

// handshake is the beginning of most scripts here: a connection, accepted as 4, with an MSS of 1000 and no options.
const handshake = `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+0.1 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
`

// handshakeLines is how many lines that has.
const handshakeLines = 7

// play runs a script.
func play(t *testing.T, text string, o Options) Result {
	t.Helper()
	s, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s.Run(o)
}

// verdicts runs scripts that follow the handshake: each must have the verdict, and its failure or reasons the text wanted.
func verdicts(t *testing.T, prefix string, cases []struct{ name, text, want string }) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := play(t, prefix+c.text, Options{})
			got := r.Verdict.String()
			if r.Failure != nil {
				got += "\n" + r.Failure.Text("x")
			}
			for _, reason := range r.Reasons {
				got += "\n" + reason.String()
			}
			first, rest, _ := strings.Cut(c.want, ": ")
			if !strings.HasPrefix(got, first) || !strings.Contains(got, rest) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPackets checks that each part of an expected packet is compared, and what is not.
func TestPackets(t *testing.T) {
	const data = "+0 write(4, ..., 1000) = 1000\n"
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"as expected", data + "+0 > P. 1:1001(1000) ack 1 win 65535", "pass"},
		{"PSH and the window are free", data + "+0 > . 1:1001(1000) ack 1", "pass"},
		{"flags", data + "+0 > F. 1:1001(1000) ack 1", "fail: the packet differs in flags\n"},
		{"sequence number", data + "+0 > . 2:1002(1000) ack 1", "fail: the packet differs in sequence number\n"},
		{"length", data + "+0 > . 1:501(500) ack 1", "fail: the packet differs in length\n"},
		{"ack", data + "+0 > . 1:1001(1000) ack 2", "fail: the packet differs in ack\n"},
		{"window", data + "+0 > . 1:1001(1000) ack 1 win 65534", "fail: the packet differs in window\n"},
		{"urgent pointer", data + "+0 > . 1:1001(1000) ack 1 urg 1", "fail: the packet differs in urgent pointer\n"},
		{"ECN field", data + "+0 > [ect0] . 1:1001(1000) ack 1", "fail: the packet differs in ECN field\n"},
		{"no ECN", data + "+0 > [noecn] . 1:1001(1000) ack 1", "pass"},
		{"options", data + "+0 > . 1:1001(1000) ack 1 <nop,nop,TS val 1 ecr 1>", "fail: the packet differs in options\n"},
		{"any options", data + "+0 > . 1:1001(1000) ack 1 <...>", "pass"},
		{"several", data + "+0 > F. 1:501(500) ack 9", "fail: the packet differs in flags, length, ack\n"},
		{"none comes", "+0 > . 1:1(0) ack 1", "fail: no packet came\n    expected  +0 > . 1:1(0) ack 1\n    got       nothing until 2.1\n"},
		{"at any time", data + "* > . 1:1001(1000) ack 1\n* > . 1:1001(1000) ack 1\n* > . 1:1001(1000) ack 1", "pass"},
		{"no socket", "", "pass"},
		{"a reset", "+0 < R. 1:1(0) ack 1 win 0\n+0.1 < . 1:1(0) ack 1 win 5\n+0 > R 1:1(0)", "pass"},
		{"at the wrong place", "+0.2 < . 1:1(0) ack 100 win 5\n+0 > . 1:1(0) ack 1\n+0 < P. 1:11(10) ack 1 win 1\n+0 > . 1:1(0) ack 11", "pass"},
	})
	verdicts(t, "", []struct{ name, text, want string }{
		{"no socket", "0 < S 0:0(0) win 1", "fail: there is no socket that the packet could belong to"},
		{"no socket to expect of", "0 > S 0:0(0)", "fail: there is no socket that a packet could belong to"},
		{"a closed port", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 100:100(0) win 1\n+0 > R. 0:0(0) ack 1", "pass"},
		{"IPv6", "--ip_version=ipv6\n" + strings.ReplaceAll(handshake, "mss 1460", "mss 1440") + data + "+0 > P. 1:1001(1000) ack 1", "pass"},
	})
}

// TestFailureText pins what a failure looks like.
func TestFailureText(t *testing.T) {
	r := play(t, handshake+"+.2 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1\n+.1 < . 1:1(0) ack 1001 win 9\n+0 > . 2001:2001(0) ack 1\n", Options{})
	if r.Failure == nil {
		t.Fatalf("it is %v", r.Verdict)
	}
	const want = `x:11: the packet differs in sequence number, length
    expected  +0 > . 2001:2001(0) ack 1
    got       0.7 > . 1001:2001(1000) ack 1 win 65535
    the latest packets, each with the time since the one before:
      +0 < S 0:0(0) win 65535 <mss 1000>  // 0
      +0 > S. 0:0(0) ack 1 win 65535 <mss 1460>  // 0
      +0.1 < . 1:1(0) ack 1 win 65535  // 0.1
      +0.2 > . 1:1001(1000) ack 1 win 65535  // 0.3
      +0 > P. 1001:2001(1000) ack 1 win 65535  // 0.3
      +0.1 < . 1:1(0) ack 1001 win 9  // 0.4
      +0.3 > . 1001:2001(1000) ack 1 win 65535  // 0.7
`
	if got := r.Failure.Text("x"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTimes checks absolute and relative times, ranges, tolerances, and that what comes too late is noticed.
func TestTimes(t *testing.T) {
	// The retransmission timeout is 300 ms: a round trip of 100 ms and 200 ms.
	const data = "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n"
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"relative", data + "+.3 > P. 1:11(10) ack 1", "pass"},
		{"absolute", data + ".4 > P. 1:11(10) ack 1", "pass"},
		{"an eighth early", data + "+.342 > P. 1:11(10) ack 1", "pass"},
		{"more than an eighth early", data + "+.344 > P. 1:11(10) ack 1", "fail: the packet came 0.044 s off its time, with a tolerance of 0.043 s"},
		{"an eighth late", data + "+.267 > P. 1:11(10) ack 1", "pass"},
		{"more than an eighth late", data + "+.266 > P. 1:11(10) ack 1", "fail: the packet came 0.034 s off its time, with a tolerance of 0.03325 s"},
		{"far too late", data + "+.1 > P. 1:11(10) ack 1\n", "fail: the packet came 0.2 s off"},
		{"within a range", data + "+.2~+.5 > P. 1:11(10) ack 1", "pass"},
		{"an absolute range", data + ".3~.5 > P. 1:11(10) ack 1", "pass"},
		{"before a range", data + "+.4~+.5 > P. 1:11(10) ack 1", "fail: the packet came 0.1 s off its time"},
		{"after a range", data + "+.1~+.2 > P. 1:11(10) ack 1", "fail: the packet came 0.1 s off its time"},
		{"a late call", data + "+.3 > P. 1:11(10) ack 1\n.2 read(4, ..., 1) = -1 EAGAIN", "fail: at 0.2\n    got       at 0.4"},
		{"a late packet", data + "* > P. 1:11(10) ack 1\n.2 < . 1:1(0) ack 11 win 9", "fail: the event comes too late: what was expected before it took until 0.4"},
		{"two packets in a row", "+.1 < P. 1:11(10) ack 1 win 9\n+.2 < P. 11:21(10) ack 1 win 9\n* > . 1:1(0) ack 11\n.4 > . 1:1(0) ack 21", "pass"},
	})
	const tight = "--tolerance_usecs=1000\n"
	for _, c := range []struct {
		text string
		o    Options
		want Verdict
	}{
		{handshake + "+0 write(4, ..., 10) = 10\n+0.003 > P. 1:11(10) ack 1", Options{}, Pass},
		{handshake + "+0 write(4, ..., 10) = 10\n+0.005 > P. 1:11(10) ack 1", Options{}, Fail},
		{tight + handshake + "+0 write(4, ..., 10) = 10\n+0.003 > P. 1:11(10) ack 1", Options{}, Fail},
		{handshake + data + "+.31 > P. 1:11(10) ack 1", Options{}, Pass},
		{handshake + data + "+.31 > P. 1:11(10) ack 1", Options{Exact: true}, Fail},
		{"--exact\n" + handshake + data + "+.31 > P. 1:11(10) ack 1", Options{}, Fail},
		{handshake + data + "+.301 > P. 1:11(10) ack 1", Options{Exact: true}, Pass},
		{"--tolerance_usecs=20000\n" + handshake + data + "+.31 > P. 1:11(10) ack 1", Options{Exact: true}, Pass},
	} {
		if r := play(t, c.text, c.o); r.Verdict != c.want {
			t.Errorf("%+v: %v, want %v\n%s", c.o, r.Verdict, c.want, c.text)
		}
	}
	// The first of two packets in a row is 2 ms late; the second one's time counts from when the first was due.
	r := play(t, handshake+"+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n.399 > P. 1:11(10) ack 1\n.398 < P. 1:2(1) ack 1 win 9\n+.1 < P. 2:12(10) ack 1 win 9\n"+
		"* > . 11:11(0) ack 2\n.498 > . 11:11(0) ack 12", Options{})
	if r.Verdict != Pass || len(r.Deviations) != 0 {
		t.Errorf("two packets in a row: %v, %v, %+v", r.Verdict, r.Deviations, r.Failure)
	}
	// What is injected when a timer of the engine is due comes first.
	r = play(t, handshake+data+".4 < . 1:1(0) ack 11 win 9", Options{Quiet: true})
	if r.Verdict != Pass {
		t.Errorf("an ACK at the very end of the timeout: %+v", r.Failure)
	}
	r = play(t, handshake+data+"+.31 > P. 1:11(10) ack 1", Options{})
	if len(r.Deviations) != 1 || r.Deviations[0].Off != 10e6 || r.Deviations[0].Line != handshakeLines+3 {
		t.Errorf("deviations %v", r.Deviations)
	}
}

// TestQuiet checks that a packet which nothing expects fails a script that is quiet, and none other.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
	}{
		{"at the end", "+0 write(4, ..., 10) = 10\n", handshakeLines + 1},
		{"before an injected packet", "+0 write(4, ..., 10) = 10\n+.1 < . 1:1(0) ack 1 win 9\n* > P. 1:11(10) ack 1\n+0 < . 1:1(0) ack 11 win 9\n", handshakeLines + 2},
		{"before another connection", "+0 write(4, ..., 10) = 10\n+0 listen(3, 1) = 0\n", handshakeLines + 2},
	} {
		if r := play(t, handshake+c.text, Options{}); r.Verdict != Pass {
			t.Errorf("%s: %v", c.name, r.Verdict)
		}
		for _, r := range []Result{play(t, handshake+c.text, Options{Quiet: true}), play(t, "--quiet\n"+handshake+c.text, Options{})} {
			if r.Failure == nil || r.Failure.What != "the engine sent a packet that no event expects" || r.Failure.Got != "0.1 > P. 1:11(10) ack 1 win 65535" {
				t.Errorf("%s: %v, %+v", c.name, r.Verdict, r.Failure)
			}
		}
		if r := play(t, handshake+c.text, Options{Quiet: true}); r.Failure != nil && r.Failure.Line != c.line {
			t.Errorf("%s: line %d, want %d", c.name, r.Failure.Line, c.line)
		}
	}
	r := play(t, handshake+"+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+0 %{ assert 1 == 1 }%", Options{Quiet: true})
	if r.Verdict != Pass || r.Packets != 2 || r.Asserts != 1 {
		t.Errorf("with everything expected: %+v", r)
	}
}

// TestJoining checks when several segments may stand for one expected packet.
func TestJoining(t *testing.T) {
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"two", "+0 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1", "pass"},
		{"a short one at the end", "+0 write(4, ..., 2500) = 2500\n+0 > P. 1:2501(2500) ack 1", "pass"},
		{"in parts", "+0 write(4, ..., 4000) = 4000\n+0 > . 1:3001(3000) ack 1\n+0 > P. 3001:4001(1000) ack 1", "pass"},
		{"with a FIN at the end", "+0 write(4, ..., 2000) = 2000\n+0 close(4) = 0\n+0 > P. 1:2001(2000) ack 1\n+0 > F. 2001:2001(0) ack 1", "pass"},
		{"a short one in the middle", "+0 write(4, ..., 1500) = 1500\n+0 write(4, ..., 1500) = 1500\n+0 > . 1:3001(3000) ack 1",
			"fail: the packet differs in length"},
		{"too much", "+0 write(4, ..., 2000) = 2000\n+0 > . 1:1501(1500) ack 1", "fail: the packet differs in length"},
		{"another ack between", "+0 write(4, ..., 1000) = 1000\n+0 < P. 1:11(10) ack 1 win 65535\n+0 write(4, ..., 1000) = 1000\n+0 > . 1:2001(2000) ack 1",
			"fail: the packet differs in length"},
		{"too little", "+0 write(4, ..., 1000) = 1000\n+0 > . 1:2001(2000) ack 1", "fail: the packet differs in length"},
	})
	text := handshake + "+0 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1"
	for _, r := range []Result{play(t, text, Options{Segments: true}), play(t, "--strict_segments\n"+text, Options{})} {
		if r.Verdict != Fail {
			t.Errorf("joined although each segment must stand alone: %v", r.Verdict)
		}
	}
}

// TestJoins checks what two segments must have in common to be joined, and what becomes of them.
func TestJoins(t *testing.T) {
	changed := func(change func(s *segment)) *segment {
		s := &segment{Packet: Packet{Flags: wire.ACK, Seq: 1001, Len: 1000, Ack: 7, Window: 9}, at: 5, payload: patternAt(1000, 1000)}
		change(s)
		return s
	}
	a := &segment{Packet: Packet{Flags: wire.ACK | wire.CWR, Seq: 1, Len: 1000, Ack: 7, Window: 9}, at: 4, payload: patternAt(0, 1000)}
	for _, c := range []struct {
		name   string
		change func(s *segment)
		want   bool
	}{
		{"the next one", func(*segment) {}, true},
		{"a shorter one", func(s *segment) { s.Len = 10 }, true},
		{"PSH and FIN", func(s *segment) { s.Flags |= wire.PSH | wire.FIN }, true},
		{"other options", func(s *segment) { s.Options = []TCPOption{{Name: "nop"}} }, true},
		{"a longer one", func(s *segment) { s.Len = 1001 }, false},
		{"an empty one", func(s *segment) { s.Len = 0 }, false},
		{"a gap", func(s *segment) { s.Seq++ }, false},
		{"another ack", func(s *segment) { s.Ack++ }, false},
		{"another window", func(s *segment) { s.Window++ }, false},
		{"another flag", func(s *segment) { s.Flags |= wire.ECE }, false},
	} {
		if got := joins(a, changed(c.change), 1000, 3000); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	b := changed(func(s *segment) { s.Flags |= wire.PSH })
	if joins(a, b, 1000, 1999) {
		t.Error("joined to more than is expected")
	}
	j := join(a, b)
	if joins(join(a, changed(func(s *segment) { s.Len = 10 })), changed(func(s *segment) { s.Seq, s.Len = 1011, 10 }), 1000, 9000) {
		t.Error("joined behind a short one")
	}
	if j.Seq != 1 || j.Len != 2000 || j.Flags != wire.ACK|wire.PSH|wire.CWR || j.at != 5 || j.payload[1500] != pattern(1500) {
		t.Errorf("joined: %v at %v", j.Packet, j.at)
	}
	if b := changed(func(s *segment) { s.Flags |= wire.CWR }); join(b, a).Flags != wire.ACK|wire.CWR || join(changed(func(*segment) {}), a).Flags != wire.ACK {
		t.Error("the CWR is not the first one's")
	}
}
