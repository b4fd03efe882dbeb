package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles checks directories, the order of results, and what becomes of files that cannot be read.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("b/good.pkt", handshake)
	bad := write("a/bad.pkt", handshake+"+0 write(4, ..., 5) = 6\n")
	partly := write("c.pkt", handshake+"+0 %{ assert tcpi_fackets == 3 }%\n")
	not := write("d.pkt", "`sleep 1`\n"+handshake)
	broken := write("e/broken.pkt", "0 x")
	write("notes.txt", "not a script")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}

	files, err := Files([]string{good, dir})
	want := []string{good, bad, good, partly, not, broken}
	if err != nil || strings.Join(files, " ") != strings.Join(want, " ") {
		t.Fatalf("%v, %v, want %v", files, err, want)
	}
	results, unreadable := RunFiles(append(files, filepath.Join(dir, "gone.pkt")), Options{}, 4)
	var verdicts []string
	for _, r := range results {
		verdicts = append(verdicts, r.Verdict.String())
	}
	if got := strings.Join(verdicts, ", "); got != "pass, fail, pass, partly judged, not applicable" {
		t.Errorf("verdicts %s", got)
	}
	if len(unreadable) != 2 || !strings.HasPrefix(unreadable[0].Error(), broken+":1: ") || !strings.Contains(unreadable[1].Error(), "gone.pkt: no such file") {
		t.Errorf("unreadable: %v", unreadable)
	}
	for _, c := range []struct{ arg, want string }{{"gone", "no such file or directory"}, {"empty", "there is no *.pkt in this directory"}} {
		if _, err := Files([]string{filepath.Join(dir, c.arg)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.arg, err)
		}
	}
}

// TestReport pins the text and the JSON document of some results.
func TestReport(t *testing.T) {
	r := NewReport([]Result{
		{Name: "a.pkt", Packets: 3, Deviations: []Deviation{{4, 2e6}, {9, 5e6}}},
		{Name: "b.pkt", Verdict: Fail, Failure: &Failure{Line: 7, What: "no packet came", Expected: "+0 > . 1:1(0) ack 1", Got: "nothing", Packets: []string{"+0 < . 1:1(0)"}}},
		{Name: "c.pkt", Verdict: PartlyJudged, Reasons: []Reason{{5, "x is not offered by the engine"}}},
		{Name: "d.pkt", Verdict: NotApplicable, Reasons: []Reason{{1, "why"}}},
	})
	const text = `pass            a.pkt (2 packets more than 1 ms off, at most 0.005 s in line 9)
fail            b.pkt
b.pkt:7: no packet came
    expected  +0 > . 1:1(0) ack 1
    got       nothing
    the latest packets, each with the time since the one before:
      +0 < . 1:1(0)
partly judged   c.pkt
    line 5: x is not offered by the engine
not applicable  d.pkt
    line 1: why
4 scripts: 1 pass, 1 fail, 1 partly judged, 1 not applicable
`
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || b.String() != text {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), text)
	}
	b.Reset()
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"file": "a.pkt",`, `"verdict": "partly judged",`, `"off_ns": 5000000`, `"got": "nothing",`, `"+0 < . 1:1(0)"`,
		`"counts": {
    "pass": 1,
    "fail": 1,
    "partly_judged": 1,
    "not_applicable": 1
  }`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the document lacks %s:\n%s", want, b.String())
		}
	}
}
