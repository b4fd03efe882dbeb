package script

import "testing"

// TestCalls checks what calls return and do.
func TestCalls(t *testing.T) {
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"another result", "+0 write(4, ..., 10) = 11", "fail: the call returned something else\n    expected  write(4, ..., 10) = 11\n    got       10\n"},
		{"another error", "+0 fcntl(4, F_SETFL, O_NONBLOCK) = 0\n+0 read(4, ..., 1) = -1 EPIPE", "fail: got       -1 EAGAIN"},
		{"EWOULDBLOCK is EAGAIN", "+0 fcntl(4, F_SETFL, O_NONBLOCK) = 0\n+0 read(4, ..., 1) = -1 EWOULDBLOCK", "pass"},
		{"a bad descriptor", "+0 read(9, ..., 1) = -1 EBADF", "pass"},
		{"a closed descriptor", "+0 close(4) = 0\n+0 close(4) = -1 EBADF (Bad file descriptor)", "pass"},
		{"a descriptor twice", "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 4", "fail: socket: descriptor 4 is in use"},
		{"status flags", "+0 fcntl(4, F_GETFL) = 2\n+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n+0 fcntl(4, F_GETFL) = 0x802", "pass"},
		{"other fcntl", "+0 fcntl(4, F_DUPFD) = 5", "fail: fcntl: write fcntl(FD, F_GETFL)"},
		{"a read of nothing blocks", "+0 read(4, ..., 1) = 1", "fail: the call blocks; give it the time at which it ends"},
		{"the end of the stream", "+0 < F. 1:1(0) ack 1 win 9\n+0 > . 1:1(0) ack 2\n+0 read(4, ..., 5) = 0\n+0 read(4, ..., 5) = 0", "pass"},
		{"reset, then end", "+0 < R. 1:1(0) ack 1 win 9\n+0 read(4, ..., 5) = -1 ECONNRESET\n+0 read(4, ..., 5) = 0\n+0 write(4, ..., 5) = -1 EPIPE", "pass"},
		{"SO_ERROR takes the error", "+0 < R. 1:1(0) ack 1 win 9\n+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [ECONNRESET], [4]) = 0\n+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [0], [4]) = 0\n+0 write(4, ..., 5) = -1 EPIPE", "pass"},
		{"another SO_ERROR", "+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [EPIPE], [4]) = 0", "fail: the value is [0] and not [EPIPE]"},
		{"shutdown for writing", "+0 shutdown(4, SHUT_WR) = 0\n+0 > F. 1:1(0) ack 1\n+0 write(4, ..., 5) = -1 EPIPE\n+0 < P. 1:11(10) ack 2 win 9\n+0 > . 2:2(0) ack 11\n+0 read(4, ..., 50) = 10", "pass"},
		{"shutdown for reading", "+0 shutdown(4, SHUT_RD) = 0\n+0 read(4, ..., 5) = 0\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1", "pass"},
		{"in parts", "+0 < P. 1:101(100) ack 1 win 9\n+0 > . 1:1(0) ack 101\n+0 read(4, ..., 30) = 30\n+0 read(4, ..., 100) = 70", "pass"},
		{"data after close", "+0 close(4) = 0\n+0 > F. 1:1(0) ack 1\n+0 < P. 1:11(10) ack 2 win 9\n+0 > R. 2:2(0) ack 1", "pass"},
		{"shutdown of what is not connected", "+0 shutdown(3, SHUT_RD) = -1 ENOTCONN", "pass"},
		{"queues", "+0 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11\n+0 ioctl(4, SIOCINQ, [10]) = 0\n+0 write(4, ..., 7) = 7\n+0 ioctl(4, SIOCOUTQ, [7]) = 0", "pass"},
		{"another queue", "+0 ioctl(4, SIOCINQ, [10]) = 0", "fail: the value is [0] and not [10]"},
		{"the segment size", "+0 getsockopt(4, SOL_TCP, TCP_MAXSEG, [1000], [4]) = 0", "pass"},
		{"Nagle", "+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [0], 4) = 0\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1\n+0 write(4, ..., 5) = 5\n+.1 < . 1:1(0) ack 6 win 99\n+0 > P. 6:11(5) ack 1", "pass"},
		{"Nagle by itself, as Minshall has it", "+0 write(4, ..., 1005) = 1005\n+0 > P. 1:1006(1005) ack 1\n+0 write(4, ..., 5) = 5\n+.1 < . 1:1(0) ack 1006 win 99\n+0 > P. 1006:1011(5) ack 1", "pass"},
		{"no Nagle", "+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1\n+0 write(4, ..., 5) = 5\n+0 > P. 6:11(5) ack 1", "pass"},
		{"a timeout of the user's", "+0 setsockopt(4, SOL_TCP, TCP_USER_TIMEOUT, [500], 4) = 0\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1\n+.3 > P. 1:6(5) ack 1\n+.2 > R. 6:6(0) ack 1\n+0 read(4, ..., 5) = -1 ETIMEDOUT", "pass"},
		{"keep-alives", "+0 setsockopt(4, SOL_TCP, TCP_KEEPIDLE, [5], 4) = 0\n+0 setsockopt(4, SOL_TCP, TCP_KEEPINTVL, [2], 4) = 0\n+0 setsockopt(4, SOL_TCP, TCP_KEEPCNT, [1], 4) = 0\n" +
			"+0 setsockopt(4, SOL_SOCKET, SO_KEEPALIVE, [1], 4) = 0\n+5 > . 0:0(0) ack 1\n+2 > R. 1:1(0) ack 1", "pass"},
		{"lingering for no time", "+0 setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0\n+0 close(4) = 0\n+0 > R. 1:1(0) ack 1", "pass"},
		{"a small send buffer", "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [1500], 4) = 0\n+0 fcntl(4, F_SETFL, O_NONBLOCK) = 0\n+0 write(4, ..., 5000) = 1500\n+0 > . 1:1001(1000) ack 1\n+0 write(4, ..., 5) = -1 EAGAIN", "pass"},
		{"too late for the window", "+0 setsockopt(4, SOL_SOCKET, SO_RCVBUF, [1500], 4) = 0", "not applicable: SO_RCVBUF can only be set before connect and listen"},
		{"an unknown option", "+0 setsockopt(4, SOL_TCP, TCP_ZEROCOPY, [1], 4) = 0", "not applicable: line 8: the socket option TCP_ZEROCOPY is not in the interpreter"},
		{"an unknown call", "+0 splice(4, ...) = 0", "not applicable: line 8: the call splice is not in the interpreter"},
		{"flags of send", "+0 send(4, ..., 5, 0) = 5\n+0 send(4, ..., 5, MSG_OOB) = 5", "not applicable: line 9: send with the flags MSG_OOB"},
		{"nothing to accept", "+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n+0 accept(3, ..., ...) = -1 EAGAIN", "pass"},
		{"accept on what does not listen", "+0 accept(4, ..., ...) = -1 EINVAL", "pass"},
		{"another connection", "+0 listen(3, 2) = 0\n+0 < S 0:0(0) win 65535 <mss 500>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n+0 < . 1:1(0) ack 1 win 9\n+0 accept(3, ..., ...) = 5\n+0 getsockopt(5, SOL_TCP, TCP_MAXSEG, [500], [4]) = 0", "pass"},
		{"packets of the first one", "+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1\n+0 listen(3, 2) = 0\n+0 < S 0:0(0) win 65535 <mss 500>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n+.35 < . 1:1(0) ack 1 win 9\n" +
			"+0 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11", "pass"},
	})
	verdicts(t, "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n", []struct{ name, text, want string }{
		{"refused", "+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 connect(3, ..., ...) = -1 EALREADY\n+0 > S 0:0(0) <...>\n+.1 < R. 0:0(0) ack 1 win 0\n+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]) = 0", "pass"},
		{"connected", "+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 > S 0:0(0) <...>\n+.1 < S. 0:0(0) ack 1 win 9\n+0 > . 1:1(0) ack 1\n+0 connect(3, ..., ...) = -1 EISCONN", "pass"},
		{"not connected", "+0 write(3, ..., 5) = -1 EPIPE\n+0 read(3, ..., 5) = -1 ENOTCONN", "pass"},
		{"sizes before", "+0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [700], 4) = 0\n+0 setsockopt(3, SOL_SOCKET, SO_RCVBUF, [5000], 4) = 0\n+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 > S 0:0(0) win 5000 <mss 700,sackOK,TS val 1 ecr 0,nop,wscale 0>", "pass"},
		{"what makes no difference", "+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0\n+0 setsockopt(3, SOL_IP, IP_TOS, [4], 4) = 0\n+0 setsockopt(3, SOL_IP, IP_MTU_DISCOVER, [IP_PMTUDISC_DO], 4) = 0", "pass"},
	})
}

// TestBlocking checks calls that wait while other events happen.
func TestBlocking(t *testing.T) {
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"a read", "+0...0.2 read(4, ..., 100) = 10\n+.2 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11", "pass"},
		{"a read that ends too early", "+0...0.2 read(4, ..., 100) = 10\n+.1 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11",
			"fail: x:8: the call returned 0.1 s off its time, with a tolerance of 0.025 s\n    expected  at 0.3\n    got       at 0.2\n"},
		{"a read that never ends", "+0...0.2 read(4, ..., 100) = 10", "fail: x:8: the call still blocks"},
		{"a read that ends late", "+0...0.2 read(4, ..., 100) = 10\n+.3 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11", "fail: x:8: the call returned 0.1 s off"},
		{"another result", "+0...0.2 read(4, ..., 100) = 10\n+.2 < P. 1:10(9) ack 1 win 9\n+0 > . 1:1(0) ack 10", "fail: x:8: the call returned something else"},
		{"two at once", "+0...0.2 read(4, ..., 100) = 10\n+0...0.2 read(4, ..., 100) = 10", "fail: x:9: two calls would block at the same time"},
		{"one that returns at once", "+0...0.2 write(4, ..., 100) = 100", "fail: x:8: the call returned 0.2 s off its time"},
		{"beside another call", "+0...0.2 read(4, ..., 100) = 10\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1\n.3 < P. 1:11(10) ack 6 win 9\n+0 > . 6:6(0) ack 11", "pass"},
		{"an absolute span", ".2....3 read(4, ..., 100) = 10\n.3 < P. 1:11(10) ack 1 win 9\n+0 > . 1:1(0) ack 11", "pass"},
		{"a write", "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [2000], 4) = 0\n+0...0.1 write(4, ..., 3000) = 3000\n+0 > . 1:2001(2000) ack 1\n" +
			"+.1 < . 1:1(0) ack 2001 win 9000\n+0 > . 2001:3001(1000) ack 1", "pass"},
	})
	verdicts(t, "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n", []struct{ name, text, want string }{
		{"connect", "+0...0.1 connect(3, ..., ...) = 0\n+0 > S 0:0(0) <...>\n+.1 < S. 0:0(0) ack 1 win 9\n+0 > . 1:1(0) ack 1", "pass"},
		{"connect, refused", "+0...0.1 connect(3, ..., ...) = -1 ECONNREFUSED\n+0 > S 0:0(0) <...>\n+.1 < R. 0:0(0) ack 1 win 9", "pass"},
		{"accept", "+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n+0...0.1 accept(3, ..., ...) = 4\n+0 < S 0:0(0) win 9 <mss 1000>\n+0 > S. 0:0(0) ack 1 <...>\n+.1 < . 1:1(0) ack 1 win 9\n+0 write(4, ..., 5) = 5\n+0 > P. 1:6(5) ack 1", "pass"},
	})
}
