package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"longhaul/cc"
	"longhaul/lab"
)

// longhaul runs a command line in this process.
func longhaul(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, console{out: &out, err: &err})
	return status, out.String(), err.String()
}

// TestBadInput checks that a wrong command line gives exit status 2, nothing on standard output, and one line that
// says what is wrong and how to mend it.
func TestBadInput(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "file")
	same := filepath.Join(t.TempDir(), "same")
	for _, c := range []struct{ line, want string }{
		{"compare --stacks nosuch", `--stacks: stack "nosuch": unknown algorithm "nosuch"; algorithms: tahoe reno `},
		{"compare --stacks reno,", `stack "": unknown algorithm`},
		{"compare --stacks reno/4", "write reno:nack/4"},
		{"compare --stacks reno,reno", "given twice"},
		{"compare --rate 155", `--rate: rate "155": no unit; write 155mbit`},
		{"compare --rate fast", "no number"},
		{"compare --rate 0bit", "must be positive, for example 155mbit"},
		{"compare --rate 10mbps", "the units are bit, kbit"},
		{"compare --rtt 70", `--rtt: time "70": no unit; write 70ms`},
		{"compare --rtt -70ms", "negative"},
		{"compare --loss -0.1", `--loss: probability "-0.1": negative; write a number from 0 to 1`},
		{"compare --loss 2", "more than 1"},
		{"compare --loss 1", "less than 1"},
		{"compare --ber 1", "less than 1"},
		{"compare --loss 1e-5 --ber 1e-7", "leave the other out"},
		{"compare --window 2GiB", "a window is from 1B to 1GiB"},
		{"compare --window 1073741825", "a window is from 1B to 1GiB"},
		{"compare --window 0", "leave it out for autotuning"},
		{"compare --window big", "no number"},
		{"compare --window 3 --stacks reno*4", "at least one octet per stream"},
		{"compare --queue 0", `--queue: queue "0": no packet would pass; write packets as 100`},
		{"compare --queue -5", "write packets as 100, octets as 1MB, or bdp"},
		{"compare --queue 0bdp", "not a factor"},
		{"compare --queue 1000B", "no full packet would pass; must be at least 1500"},
		{"compare --rate 9000000tbit", "a rate above 1000tbit"},
		{"compare --rtt 2000000h", "more than 2^53 octets"},
		{"compare --queue infbdp", "not a factor"},
		{"compare --queue 4GiB", "more than 2^31-1"},
		{"compare --time 0", "a run needs time"},
		{"compare --time 10", "no unit"},
		{"compare --seed -1", `--seed "-1": not a value of that flag; see longhaul compare --help`},
		{"compare --repeat 0", "write 1 or more"},
		{"compare --repeat many", "see longhaul compare --help"},
		{"compare --workers 0", "write 1 or more"},
		{"compare --json=perhaps", "not a value of that flag"},
		{"compare --rate", "flag needs an argument: --rate; see longhaul compare --help"},
		{"compare --colour", "unknown flag: --colour; see longhaul compare --help"},
		{"compare reno", `takes flags only, not "reno"`},
		{"compare --csv " + nowhere, "--csv"},
		{"compare --pcap " + nowhere, "no such file or directory"},
		{"compare --trace " + nowhere, "name one in a directory that exists"},
		{"compare --csv " + same + " --pcap " + same, "names the same file"},
		{"compare --pcap " + same + " --trace " + filepath.Dir(same) + "/./same", "names the same file"},
		{"reproduce", "takes the name of one experiment; there are: "},
		{"reproduce windowlaw all", "there are: "},
		{"reproduce nosuch", `no experiment "nosuch"; there are: `},
		{"reproduce windowlaw --workers 0", "write 1 or more"},
		{"reproduce windowlaw --seed x", "see longhaul reproduce --help"},
		{"reproduce windowlaw --rate 1mbit", "unknown flag: --rate; see longhaul reproduce --help"},
		{"reproduce windowlaw --markdown " + nowhere, "--markdown"},
		{"reproduce windowlaw --csv " + same + " --markdown " + same, "--markdown"},
		{"model --ber 1e-7 --loss 1e-3", "a question has one of them"},
		{"model --ber 1e-7 --target 1mbit", "a question has one of them"},
		{"model --ber 2", "more than 1"},
		{"model --mss 0", "from 1 to 65495"},
		{"model --mss big", "not a value of that flag; see longhaul model --help"},
		{"model --rtt 0s", "for example 600ms"},
		{"model --rtt 600", "no unit; write 600ms"},
		{"model --target 500", "no unit; write 500mbit"},
		{"model --target 10mbit --rate 10mbit", "more than the link allows, 9.73 Mbit/s: make that larger"},
		{"model --target 10mbit --window 256K", "more than the window allows, 3.5 Mbit/s: make that larger"},
		{"model --window 0", "leave it out for no limit"},
		{"model --stacks nosuch", "unknown algorithm"},
		{"model --target 1mbit --workers 0", "write 1 or more"},
		{"model 600ms", "takes flags only"},
		{"stacks all", "takes flags only"},
		{"explain nosuch", `no metric "nosuch"; there are: goodput_bps`},
		{"explain a b", "takes one metric"},
		{"compair", `unknown command "compair"; did you mean compare?`},
		{"frobnicate", `unknown command "frobnicate"; see longhaul --help`},
		{"frobnicate --colour", "unknown flag: --colour"},
		{"help compair", `unknown command "compair"; did you mean compare?`},
		{"help compare x", `unknown command "compare x"`},
		{"--colour", "unknown flag"},
	} {
		status, out, err := longhaul(strings.Fields(c.line)...)
		if status != 2 || out != "" || strings.Count(err, "\n") != 1 || !strings.Contains(err, c.want) {
			t.Errorf("longhaul %s: status %d, stdout %q, stderr %q; want status 2 and one line with %q", c.line, status, out, err, c.want)
		}
	}
}

// quick is a comparison that takes no time worth mentioning.
var quick = []string{"compare", "--rate", "10mbit", "--rtt", "20ms", "--loss", "0.001", "--time", "12s", "--stacks", "reno,reno*2"}

func TestCompareTable(t *testing.T) {
	status, out, err := longhaul(quick...)
	if status != 0 || err != "" {
		t.Fatalf("status %d, stderr %q", status, err)
	}
	for _, want := range []string{"10 Mbit/s x 20 ms", "loss 0.001", "12s of virtual time", "bound by", "\nreno ", "\nreno*2 ", "the path"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestCompareFiles checks every output at once (R102, R103): the table's figures are those of JSON and CSV, and the
// captures are there.
func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	status, out, err := longhaul(append(quick, "--json", "--csv", name("c"), "--pcap", name("p"), "--trace", name("t"), "--repeat", "2", "--seed", "7")...)
	if status != 0 || err != "" {
		t.Fatalf("status %d, stderr %q", status, err)
	}
	var r lab.Results
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("not one JSON document: %v\n%s", err, out)
	}
	if len(r.Results) != 2 || r.Seed != 7 || r.Repeat != 2 || r.Path.RTT != 20 || r.Duration != 12 || r.Path.QueueBytes != int(r.Path.BDP) {
		t.Errorf("results of another comparison: %+v", r)
	}
	for _, s := range r.Results {
		if !(s.GoodputBps > 1e5 && s.GoodputBps < 1e7) || s.BoundBy == "" || s.CI95["goodput_bps"]+s.CI95["retransmitted"] <= 0 { // one of them may be the same twice
			t.Errorf("%s: goodput %v, bound by %q, intervals %v", s.Stack, s.GoodputBps, s.BoundBy, s.CI95)
		}
	}
	table, _ := os.ReadFile(name("c"))
	if lines := strings.Count(string(table), "\n"); lines != 3 {
		t.Errorf("CSV of %d lines, want 3", lines)
	}
	capture, _ := os.ReadFile(name("p"))
	if !bytes.HasPrefix(capture, []byte{0x0a, 0x0d, 0x0d, 0x0a}) || len(capture) < 1e5 {
		t.Errorf("capture of %d octets does not begin as pcapng does", len(capture))
	}
	trace, _ := os.ReadFile(name("t"))
	lines := bytes.Split(bytes.TrimSpace(trace), []byte("\n"))
	if len(lines) < 100 {
		t.Errorf("trace of %d lines", len(lines))
	}
	for _, line := range lines {
		if !json.Valid(line) {
			t.Fatalf("trace line %q is not JSON", line)
		}
	}
}

// TestCompareSame checks that a seed fixes every octet of the output, whatever the workers and the packets' form.
func TestCompareSame(t *testing.T) {
	_, want, _ := longhaul(append(quick, "--json", "--repeat", "2", "--workers", "1")...)
	for _, more := range [][]string{{"--workers", "3"}, {"--wire"}} {
		if _, got, err := longhaul(append(append(quick, "--json", "--repeat", "2"), more...)...); got != want || err != "" {
			t.Errorf("with %v the output differs: %s", more, err)
		}
	}
	if _, got, _ := longhaul(append(quick, "--json", "--repeat", "2", "--seed", "2")...); got == want {
		t.Error("another seed gives the same output")
	}
}

// TestCompareDefaults checks the promised defaults without running them.
func TestCompareDefaults(t *testing.T) {
	status, out, _ := longhaul("compare", "--help")
	if status != 0 {
		t.Fatalf("--help: status %d", status)
	}
	for _, want := range []string{"(default 155mbit)", "(default 70ms)", "(default 1e-5)", "(default bdp)", "(default 1m)", "bsd43,fox,reno:newreno,yakura,vegas,bfa,westwood,reno,ptcp,scalable,fast,highspeed,hstcplp,bic,htcp,cubic,bbr"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestQueue(t *testing.T) {
	for text, want := range map[string]lab.QueueSize{
		"100": {Packets: 100}, "1500B": {Octets: 1500}, "1MB": {Octets: 1e6}, "bdp": {BDP: 1}, "0.5bdp": {BDP: 0.5}, "unlimited": {},
	} {
		var q queueFlag
		if err := q.Set(text); err != nil || q.size != want || q.String() != text {
			t.Errorf("queue %q = %+v, %v, want %+v", text, q.size, err, want)
		}
	}
}

func TestStacks(t *testing.T) {
	status, out, err := longhaul("stacks")
	if status != 0 || err != "" {
		t.Fatalf("status %d, %q", status, err)
	}
	status, doc, _ := longhaul("stacks", "--json")
	if status != 0 || !json.Valid([]byte(doc)) {
		t.Fatalf("--json: status %d\n%s", status, doc)
	}
	for _, a := range cc.All {
		if !strings.Contains(out, a.Title) || !strings.Contains(doc, `"`+a.Name+`"`) {
			t.Errorf("%s is not listed", a.Name)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, d := range lab.Definitions {
		if status, out, err := longhaul("explain", d.Name); status != 0 || !strings.HasPrefix(out, d.Name) || err != "" {
			t.Errorf("explain %s: status %d, %q, %q", d.Name, status, out, err)
		}
	}
	if _, out, _ := longhaul("explain"); strings.Count(out, "Source: ") != len(lab.Definitions) {
		t.Errorf("explain alone does not print every definition:\n%s", out)
	}
}

// broken is a writer that fails, like a full disk.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestFailure checks that what goes wrong in a good command line gives exit status 1.
func TestFailure(t *testing.T) {
	for _, args := range [][]string{quick, {"reproduce", "windowlaw", "--quick"}, {"stacks"}, {"stacks", "--json"}, {"explain"}, {"explain", "stability"}} {
		var err bytes.Buffer
		if status := run(args, console{out: broken{}, err: &err}); status != 1 || strings.Count(err.String(), "\n") != 1 {
			t.Errorf("%v to a full disk: status %d, %q; want 1 and one line", args, status, err.String())
		}
	}
}

// TestFullDisk checks that each file that cannot be written is named, once.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no " + full + " here")
	}
	reproduce := []string{"reproduce", "windowlaw", "--quick"}
	for _, c := range []struct {
		command, flags []string
		want           int // complaints
	}{{quick, []string{"--csv", full}, 1}, {quick, []string{"--pcap", full}, 1}, {quick, []string{"--trace", full, "--pcap", full}, 2},
		{reproduce, []string{"--csv", full, "--markdown", full}, 2}} {
		status, out, err := longhaul(append(slices.Clone(c.command), c.flags...)...)
		if status != 1 || out == "" || strings.Count(err, "\n") != 1 || len(strings.Split(err, "; ")) != c.want ||
			strings.Count(err, "no space") != c.want {
			t.Errorf("%v: status %d, %q, want 1 and %d complaints on one line", c.flags, status, err, c.want)
		}
	}
}

// TestProgress checks that a bar is drawn for a long comparison on a terminal, that it counts, and that it is gone at the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := startProgress(console{err: &out, terminal: true}, 4)
	p.step(1, 4)
	if out.Len() > 0 {
		t.Errorf("a bar before its time: %q", out.String())
	}
	p.show()
	p.step(2, 4)
	p.stop()
	if !strings.Contains(out.String(), "2/4") {
		t.Errorf("no count of 2/4 in %q", out.String())
	}
	out.Reset()
	p.show() // its timer ran out while stop held the lock
	if out.Len() > 0 {
		t.Errorf("a bar after the end: %q", out.String())
	}
	if p := startProgress(console{err: &out}, 4); p != nil {
		t.Error("a bar without a terminal")
	}
	var none *progress
	none.step(1, 2)
	none.stop()
}
