package script

import (
	"strings"
	"testing"
)

// TestForeign checks that what public scripts have and the interpreter lacks makes a script not applicable, neither an
// error nor a pass, and that the events around it are read.
func TestForeign(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{"+0 > udp (1000)", `packets that begin with "udp"`},
		{"+0 < sctp: DATA[flgs=BE, len=1024]", `packets that begin with "sctp:"`},
		{"+0 > ipv4 1.2.3.4 > 5.6.7.8: ipv6 ::1 > ::2: . 1:1(0) ack 1", `packets that begin with "ipv4"`},
		{"+0 > icmp echo_request", `packets that begin with "icmp"`},
		{"+0 < 40000 > 8080 S 0:0(0) win 9 <mss 1000>", `packets that begin with "40000"`},
		{"+0 > [tos 0x10] . 1:1(0) ack 1", "only the ECN field"},
		{"+0 > [ect0, ttl 64] . 1:1(0) ack 1", "only the ECN field"},
		{"+0 > [flowlabel 0x1] . 1:1(0) ack 1", "only the ECN field"},
		{"+0 > SAEW 0:0(0) <...>", "accurate ECN"},
		{"+0 > 5. 1:1(0) ack 1", `begin with "5."`},
		{"+0 > S5. 0:0(0) ack 1", "accurate ECN"},
		{"+0 < S 0:0(0) win 9 <mss 1000,md5 0123456789abcdef>", `the TCP option "md5" is not known`},
		{"+0 < S 0:0(0) win 9 <mss 1000,mp_capable a=0x1\n  b, nop>", `the TCP option "mp_capable"`},
		{"+0 < icmp time_exceeded ttl [1:1(0)]", "the type time_exceeded"},
		{"+0 < icmp unreachable 3", `begins with "3"`},
		{"+0 < icmp unreachable no_route [1:1(0)]", `"no_route" is not a known code`},
		{"+0 < icmp unreachable port_unreachable [udp (8)]", "only SEQ:END(LENGTH)"},
		{"+0 poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, 0) = 1", "the call poll"},
		{"+.1...0.2 epoll_wait(5, {events=EPOLLIN, fd=4}, 1, 100) = 1", "the call epoll_wait"},
		{"+0 sendmsg(4, {msg_name(...)=...,\n\tmsg_iov(1)=[{..., 1000}], // a comment (\n\tmsg_flags=0}, 0) = 1000", "the call sendmsg"},
		{"+0 splice(4, <what>, \"a ) b\", &x, 1.5, ~3) = ? EAGAIN (why)", "the call splice"},
		{"+0 recvfrom(4, ..., 10, 0, ...,\n  ...) = 10", "the call recvfrom"},
		{"+0 socket(..., SOCK_DGRAM, IPPROTO_UDP) = 4", "SOCK_DGRAM"},
		{"+0 socket(..., SOCK_STREAM, IPPROTO_MPTCP) = 4", "IPPROTO_MPTCP"},
		{"+0 fcntl(3, F_DUPFD, 9) = 9", "fcntl F_DUPFD"},
		{"+0 getsockopt(3, SOL_TCP, TCP_INFO, {...}, [100]) = 0", "TCP_INFO"},
	} {
		text := "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n" + c.event + " // end\n\n/* more */ +0 close(3) = 0\n"
		s, err := Parse("x", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.event, err)
			continue
		}
		r := s.Run(Options{})
		if len(s.Events) != 3 || r.Verdict != NotApplicable || len(r.Reasons) != 1 || r.Reasons[0].Line != 2 || !strings.Contains(r.Reasons[0].Text, c.want) {
			t.Errorf("%s: %d events, %v, %v; want 3 and %q", c.event, len(s.Events), r.Verdict, r.Reasons, c.want)
		}
		if again, err := Parse("x", []byte(s.String())); err != nil || again.String() != s.String() {
			t.Errorf("%s: printed as\n%s, which is read as %v, %v", c.event, s, again, err)
		}
	}
	for _, option := range []string{"--mtu=1400", "--bind_port=80", "--ip_version=ipv4-mapped-ipv6", "--define=A=1"} {
		r := play(t, option+"\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n", Options{})
		if name, _, _ := strings.Cut(option, "="); r.Verdict != NotApplicable || len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0].Text, name) {
			t.Errorf("%s: %v, %v", option, r.Verdict, r.Reasons)
		}
	}
}

// TestSpellings checks forms that mean what simpler ones do.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ name, text, like string }{
		{"Windows lines", "0 close(3) = -1 EBADF\r\n+0 %{ assert 1 == 1 and \\\r\n1 == 1 }%\r\n", "0 close(3) = -1 EBADF\n+0 %{ assert 1 == 1 and \\\n1 == 1 }%"},
		{"a byte order mark", "\uFEFF0 close(3) = -1 EBADF", "0 close(3) = -1 EBADF"},
		{"a dot at the end of a time", "0. close(3) = -1 EBADF +1. close(3) = -1 EBADF +1....2. read(3, ..., 1) = -1 EBADF", "0 close(3) = -1 EBADF\n+1 close(3) = -1 EBADF\n+1...2 read(3, ..., 1) = -1 EBADF"},
		{"flags in any order", "0 > .ES 0:0(0) ack 1 <...>", "0 > SE. 0:0(0) ack 1 <...>"},
		{"spaces", "0  >  S.  0 : 0 ( 0 )  ack  1  < mss  1460 , nop >", "0 > S. 0:0(0) ack 1 <mss 1460,nop>"},
		{"numbers of options", "--netmask_ip=255.255.0.0\n--gateway_ip=192.168.0.2\n0 close(3) = -1 EBADF", "--netmask_ip=255.255.0.0\n--gateway_ip=192.168.0.2\n0 close(3) = -1 EBADF"},
	} {
		s, err := Parse("x", []byte(c.text))
		if err != nil || strings.TrimSpace(s.String()) != c.like {
			t.Errorf("%s: read as %v, %v, want %s", c.name, s, err, c.like)
		}
	}
}
