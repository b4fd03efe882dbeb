package script

import (
	"testing"

	"longhaul/tcp"
)

// TestShell checks which commands are recognised, what they set, and that nothing else passes.
func TestShell(t *testing.T) {
	event := "\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
	for _, c := range []struct {
		init string
		want Verdict
	}{
		{"../common/defaults.sh", Pass},
		{"../../common/defaults.sh\nsysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_fastopen=0x70403", Pass},
		{"sysctl -q net.ipv4.tcp_timestamps=2", NotApplicable},
		{"../common/set_sysctls.py /proc/sys/net/ipv4/tcp_congestion_control=reno /proc/sys/net/ipv4/tcp_tso_win_divisor=0", Pass},
		{"sysctl -q net.ipv4.tcp_congestion_control=\"cubic\"", Pass},
		{"sysctl -q net.ipv4.tcp_congestion_control=vegas2", NotApplicable},
		{"sysctl -q net.ipv4.tcp_slow_start_after_idle=1; sysctl net.ipv4.tcp_min_tso_segs=4 # yes", Pass},
		{"sysctl -q net.ipv4.tcp_slow_start_after_idle=0", NotApplicable},
		{"sysctl -q net.ipv4.tcp_ecn=0", Pass},
		{"sysctl -q net.ipv4.tcp_ecn=2", Pass},
		{"sysctl -q net.ipv4.tcp_ecn=3", NotApplicable},
		{"sysctl -q net.ipv4.tcp_rmem=\"4096 8192 16384\"", NotApplicable},
		{"echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect", Pass},
		{"echo 2 > /sys/module/tcp_cubic/parameters/hystart_detect", NotApplicable},
		{"ethtool -K tun0 tso off gso off", Pass},
		{"ethtool -K tun0 tso on", NotApplicable},
		{"sleep 1", NotApplicable},
		{"rm -rf /", NotApplicable},
	} {
		r := play(t, "`"+c.init+"`"+event+"`/tmp/sysctl_restore_${PPID}.sh`", Options{})
		if r.Verdict != c.want {
			t.Errorf("`%s`: %v, want %v: %v", c.init, r.Verdict, c.want, r.Reasons)
		}
	}
	if r := play(t, event+"`sleep 1`", Options{}); r.Verdict != NotApplicable {
		t.Errorf("a last command: %v", r.Verdict)
	}
	r := play(t, event+"+0 `sleep 1\nsleep 2`\n", Options{})
	if r.Verdict != NotApplicable || len(r.Reasons) != 1 || r.Reasons[0].String() != "line 3: shell commands are not executed: `sleep 1`" {
		t.Errorf("a command as an event: %v, %v", r.Verdict, r.Reasons)
	}
	if r := play(t, event+"+0 `sysctl -q net.ipv4.tcp_fastopen=0`\n", Options{}); r.Verdict != Pass {
		t.Errorf("a command as an event that makes no difference: %v", r.Verdict)
	}
}

// TestTrust checks that the default profile does not doubt a peer whose round trips shrink, and a stack that is named does.
func TestTrust(t *testing.T) {
	text := handshake + "+0 write(4, ..., 60000) = 60000\n+0 > . 1:10001(10000) ack 1\n+.001 < . 1:1(0) ack 10001 win 65535\n+0 > . 10001:30001(20000) ack 1\n"
	for stack, want := range map[string]Verdict{"": Pass, "--stack=" + profile + "-hystart\n": Fail} {
		if r := play(t, stack+text, Options{}); r.Verdict != want {
			t.Errorf("%q: %v, want %v: %+v", stack, r.Verdict, want, r.Failure)
		}
	}
}

// TestSettings checks what commands and options do to the engine's configuration.
func TestSettings(t *testing.T) {
	get := func(text string) settings {
		t.Helper()
		s, err := Parse("x", []byte(text+"\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3"))
		if err != nil {
			t.Fatal(err)
		}
		set, err := newSettings(s)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	const nagle = tcp.Nagle | tcp.Minshall
	plain := get("")
	if c := plain.config; c.Algorithm.Name != "cubic.linux" || c.Enable != nagle || c.Disable != tcp.Pacing || c.Recovery != tcp.RACK {
		t.Errorf("the default profile is %s, with %b, without %b, recovery %d", c.Algorithm.Name, c.Enable, c.Disable, c.Recovery)
	}
	for _, c := range []struct {
		text string
		has  func(s settings) bool
	}{
		{"`sysctl tcp_timestamps=0`", func(s settings) bool { return s.config.Disable&tcp.Timestamps != 0 }},
		{"`sysctl tcp_timestamps=0\nsysctl tcp_timestamps=1`", func(s settings) bool { return s.config.Disable&tcp.Timestamps == 0 }},
		{"`sysctl tcp_congestion_control=reno`", func(s settings) bool { return s.config.Algorithm.Name == "reno" }},
		{"`sysctl tcp_congestion_control=cubic`", func(s settings) bool { return s.config.Algorithm.Name == "cubic.linux" }},
		{"`sysctl tcp_ecn=1`", func(s settings) bool { return s.config.Enable == nagle|tcp.ECN }},
		{"`sysctl tcp_ecn=1\nsysctl tcp_ecn=2`", func(s settings) bool { return s.config.Enable == nagle|tcp.ECNPassive }},
		{"`sysctl tcp_ecn=1\nsysctl tcp_ecn=0`", func(s settings) bool { return s.config.Enable == nagle }},
		{"--stack=tahoe:dupack+literal", func(s settings) bool { return s.config.Recovery == tcp.DupACK && s.encoding.Literal }},
		{"--tolerance_usecs=7", func(s settings) bool { return s.tolerance == 7000 && s.hasTolerance }},
		{"--local_ip=10.0.0.1\n--remote_ip=10.0.0.2", func(s settings) bool { return !s.ipv6 }},
		{"--ip_version=ipv6", func(s settings) bool { return s.ipv6 }},
	} {
		if s := get(c.text); !c.has(s) {
			t.Errorf("%s: %+v", c.text, s.config)
		}
	}
}
