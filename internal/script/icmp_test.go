package script

import "testing"

// TestICMP checks that ICMP errors reach the engine, that they quote what the script says, and which error a call returns.
func TestICMP(t *testing.T) {
	const open = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 > S 50:50(0) <...>\n"
	verdicts(t, open, []struct{ name, text, want string }{
		{"the SYN is refused", "+.1 < icmp unreachable port_unreachable [50:50(0)]\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]) = 0", "pass"},
		{"another code", "+.1 < icmp unreachable host_prohibited\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [EHOSTUNREACH], [4]) = 0", "pass"},
		{"about what was never sent", "+.1 < icmp unreachable port_unreachable [60:60(0)]\n+.9 > S 50:50(0) <...>", "pass"},
		{"source quench", "+.1 < icmp source_quench\n+.9 > S 50:50(0) <...>", "pass"},
		{"nothing else happens", "+.1 < icmp unreachable host_unreachable\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0\n+.9 > S 50:50(0) <...>", "pass"},
	})
	verdicts(t, "--ip_version=ipv6\n"+open, []struct{ name, text, want string }{
		{"IPv6", "+.1 < icmp unreachable port_unreachable [50:50(0)]\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]) = 0", "pass"},
		{"source quench in IPv6", "+.1 < icmp source_quench", "not applicable: line 6: ICMPv6 has nothing that means source_quench"},
		{"what IPv6 lacks", "+.1 < icmp unreachable net_unknown", "not applicable: line 6: ICMPv6 has nothing that means net_unknown"},
	})
	verdicts(t, listening, []struct{ name, text, want string }{
		{"nothing was sent", "+0 < icmp unreachable port_unreachable", "fail: the engine has sent nothing that an ICMP error could be about"},
	})
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"data goes on", "+0 write(4, ..., 2000) = 2000\n+0 > P. 1:2001(2000) ack 1\n+0 < icmp unreachable port_unreachable [1001:2001(1000)]\n+.1 < . 1:1(0) ack 2001 win 9", "pass"},
		{"and times out", "+0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [500], 4) = 0\n+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+0 < icmp unreachable net_unreachable [1:11(10)]\n" +
			"+.3 > P. 1:11(10) ack 1\n+.2 > R. 11:11(0) ack 1\n+0 read(4, ..., 1) = -1 ENETUNREACH", "pass"},
		{"about what was never sent", "+0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [500], 4) = 0\n+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+0 < icmp unreachable net_unreachable [11:21(10)]\n" +
			"+.3 > P. 1:11(10) ack 1\n+.2 > R. 11:11(0) ack 1\n+0 read(4, ..., 1) = -1 ETIMEDOUT", "pass"},
	})
}
