package script

import (
	"strings"
	"testing"
)

// TestPython checks what %{ }% blocks understand, and that what they do not makes a script partly judged.
func TestPython(t *testing.T) {
	verdicts(t, handshake, []struct{ name, text, want string }{
		{"holds", "+0 %{ assert tcpi_snd_cwnd == 10 }%", "pass"},
		{"does not hold", "+0 %{\nassert tcpi_snd_cwnd == 10\nassert tcpi_snd_cwnd + 1 < tcpi_snd_mss - 990, 'why'\n}%",
			"fail: x:10: the assertion does not hold\n    expected  assert tcpi_snd_cwnd + 1 < tcpi_snd_mss - 990, 'why'\n    got       tcpi_snd_cwnd is 10, tcpi_snd_mss is 1000\n"},
		{"separators, comments, joined lines", "+0 %{\n# nothing\nassert 1 == 1; assert 2 == \\\n 2 # two\nassert (3 ==\n 3), 'a; b'\nprint('x; y')\n\n}%", "pass"},
		{"the second fails", "+0 %{ assert 1 == 1; assert 1 == 2 }%", "fail: assert 1 == 2"},
		{"variables", "+0 %{ want = 5 + 5 }%\n+0 %{ assert tcpi_snd_cwnd == want }%", "pass"},
		{"chains", "+0 %{ assert 9 < tcpi_snd_cwnd <= 10 != 11 }%", "pass"},
		{"a chain that breaks", "+0 %{ assert 9 < tcpi_snd_cwnd < 10 }%", "fail: does not hold"},
		{"a chain that breaks at once", "+0 %{ assert 11 < tcpi_snd_cwnd < 12 }%", "fail: does not hold"},
		{"lines behind joined ones", "+0 %{\nassert 1 == \\\n1\nassert 1 == 2 }%", "fail: x:11: the assertion"},
		{"precedence", "+0 %{ assert 1 + 2 * 3 == 7; assert 6 & 3 | 8 == 10; assert -(2 - 5) == 3; assert 0x10 == 16; assert not 1 == 2 and 1 or 0 }%", "pass"},
		{"constants", "+0 %{ assert tcpi_ca_state == TCP_CA_Open; assert TCP_CA_Loss == 4; assert TCPI_OPT_SYN_DATA == 32 }%", "pass"},
		{"no threshold", "+0 %{ assert tcpi_snd_ssthresh == 0x7fffffff }%", "pass"},
		{"what is offered", "+0 %{ assert tcpi_unacked == 0; assert tcpi_sacked == 0; assert tcpi_lost == 0; assert tcpi_retrans == 0; assert tcpi_total_retrans == 0; assert tcpi_advmss == 1460; assert tcpi_options == 0; assert tcpi_rtt == 100000; assert tcpi_rwnd_limited == 0; assert tcpi_busy_time == 0 }%", "pass"},
		{"sub-connections", "+0 %{ assert sub_cwnd(0) == 10; assert sub_pipe(0) == 0; assert sub_ssthresh(0) == 0x7fffffff }%", "pass"},
		{"no such sub-connection", "+0 %{ assert sub_cwnd(1) == 10 }%", "partly judged: line 8: sub_cwnd(1) is not offered by the engine"},
		{"an unknown name", "+0 %{ assert tcpi_reordering == 3 }%\n+0 write(4, ..., 5) = 5", "partly judged: line 8: tcpi_reordering is not offered by the engine"},
		{"a failure after it", "+0 %{ assert tcpi_reordering == 3 }%\n+0 write(4, ..., 5) = 6", "fail: write(4, ..., 5) = 6"},
		{"an unknown statement", "+0 %{\nimport sys\nassert 1 == 1 }%", "partly judged: line 9: only assert, NAME = value and print are understood"},
		{"an unknown expression", "+0 %{ assert tcpi_snd_cwnd / 2 == 5 }%", `partly judged: line 8: "/ 2 == 5" is not understood`},
		{"nothing", "+0 %{ }%", "pass"},
		{"no connection", "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 5\n+0 %{ assert tcpi_snd_cwnd == 10 }%", "partly judged: tcpi_snd_cwnd is not offered"},
	})
	verdicts(t, handshake+"+0 write(4, ..., 30000) = 30000\n+0 > P. 1:10001(10000) ack 1\n", []struct{ name, text, want string }{
		{"disorder", "+.1 < . 1:1(0) ack 1 win 65535\n+0 %{ assert tcpi_ca_state == TCP_CA_Disorder; assert tcpi_sacked == 1; assert tcpi_unacked >= 10 }%", "pass"},
		{"recovery", "+.1 < . 1:1(0) ack 1 win 65535\n+0 < . 1:1(0) ack 1 win 65535\n+0 < . 1:1(0) ack 1 win 65535\n+0 %{ assert tcpi_ca_state == TCP_CA_Recovery; assert tcpi_lost == 1; assert tcpi_snd_cwnd == 9; assert tcpi_retrans == 1; assert tcpi_total_retrans == 1 }%", "pass"},
		{"loss", "+.3 > . 1:1001(1000) ack 1\n+0 %{ assert tcpi_ca_state == TCP_CA_Loss; assert tcpi_snd_cwnd == 1; assert tcpi_retrans == 1; assert tcpi_lost == tcpi_unacked == 10 }%", "pass"},
		{"busy", "+.2 < . 1:1(0) ack 10001 win 65535\n+0 %{ assert tcpi_busy_time == 200000 }%\n+.1 < . 1:1(0) ack 30001 win 65535\n+1 %{ assert tcpi_busy_time == 300000; assert tcpi_rwnd_limited == 0 }%", "pass"},
		{"limited by the window", "+.1 < . 1:1(0) ack 10001 win 0\n+.2 %{ assert tcpi_rwnd_limited == 200000; assert tcpi_busy_time == 300000 }%", "pass"},
		{"data received", "+0 < P. 1:11(10) ack 1 win 65535\n+.25 %{ assert tcpi_last_data_recv == 250 }%", "pass"},
	})
	// Proportional rate reduction allows less than the window where most is lost.
	sack := strings.Replace(strings.Replace(handshake, "<mss 1000>", "<mss 1000,sackOK,nop,nop>", 1), "<mss 1460>", "<mss 1460,nop,nop,sackOK>", 1)
	verdicts(t, sack+"+0 write(4, ..., 3000) = 3000\n+0 > P. 1:3001(3000) ack 1\n+.2 > P. 2001:3001(1000) ack 1\n", []struct{ name, text, want string }{
		{"a probe of the tail marks nothing lost", "+0 %{ assert tcpi_retrans == 1; assert tcpi_lost == 0; assert tcpi_ca_state == TCP_CA_Open }%\n" +
			"+.001 < . 1:1(0) ack 2001 win 65535 <nop,nop,sack 2001:2501>\n+0 %{ assert tcpi_unacked == 1 }%", "pass"},
		{"what was sent again and has arrived", "+.1 < . 1:1(0) ack 1001 win 65535 <nop,nop,sack 2001:3001>\n+0 > . 1001:2001(1000) ack 1\n" +
			"+0 %{ assert tcpi_sacked == 1; assert tcpi_retrans == 1; assert tcpi_lost == 1; assert tcpi_total_retrans == 2 }%", "pass"},
	})
	verdicts(t, sack+"+0 write(4, ..., 30000) = 30000\n+0 > P. 1:10001(10000) ack 1\n", []struct{ name, text, want string }{
		{"the window in recovery", "+.1 < . 1:1(0) ack 1 win 65535 <nop,nop,sack 7001:10001>\n+0 %{ assert tcpi_ca_state == TCP_CA_Recovery; assert sub_cwnd(0) == 7; assert tcpi_snd_cwnd < 7 }%", "pass"},
	})
}
