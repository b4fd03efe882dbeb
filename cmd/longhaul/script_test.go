package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScript checks the exit status and the output of longhaul script.
func TestScript(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.pkt", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 9:9(0) win 1\n+0 > R. 0:0(0) ack 1\n")
	bad := write("bad.pkt", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 9:9(0) win 1\n+0 > R. 0:0(0) ack 2\n")
	loud := write("loud.pkt", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 9:9(0) win 1\n")
	slow := write("slow.pkt", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 9:9(0) win 1\n+0.003 > R. 0:0(0) ack 1\n")
	broken := write("broken.pkt", "0 < S\n")
	other := write("other.pkt", "`sleep 1`\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
	for _, c := range []struct {
		args     []string
		status   int
		out, err string
	}{
		{[]string{good}, 0, "pass            " + good + "\n1 script: 1 pass, 0 fail, 0 partly judged, 0 not applicable\n", ""},
		{[]string{other, good}, 0, "2 scripts: 1 pass, 0 fail, 0 partly judged, 1 not applicable\n", ""},
		{[]string{bad, good}, 1, bad + ":3: the packet differs in ack\n    expected  +0 > R. 0:0(0) ack 2\n", "longhaul: 1 of 2 scripts failed\n"},
		{[]string{loud}, 0, "1 pass", ""},
		{[]string{"--quiet", loud}, 1, "the engine sent a packet that no event expects", "1 of 1 scripts failed"},
		{[]string{slow}, 0, "(1 packet more than 1 ms off", ""},
		{[]string{"--exact", slow}, 1, "0.003 s off its time", "1 of 1 scripts failed"},
		{[]string{broken, good}, 2, "1 pass", "longhaul: " + broken + ":2: expected the sequence number"},
		{[]string{broken, broken}, 2, "0 scripts: 0 pass", "longhaul: " + broken},
		{[]string{"--json", good}, 0, "{\n  \"scripts\": [\n", ""},
		{[]string{"--json", broken}, 2, "\"scripts\": [],", broken},
		{nil, 2, "", "longhaul: longhaul script needs a script or a directory of scripts; see longhaul script --help\n"},
		{[]string{filepath.Join(dir, "gone")}, 2, "", "gone: no such file or directory; name a script that can be read\n"},
		{[]string{dir}, 2, "", broken},
	} {
		var out, errs strings.Builder
		status := run(append([]string{"script"}, c.args...), console{out: &out, err: &errs})
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.err) || (c.err == "") != (errs.Len() == 0) {
			t.Errorf("script %v: status %d\n%s%s\nwant %d\n%s%s", c.args, status, out.String(), errs.String(), c.status, c.out, c.err)
		}
	}
}
