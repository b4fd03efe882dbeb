package cc_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestContributing builds the worked example of CONTRIBUTING.md into the tree, as it stands there and with nothing else: its
// law test and the conformance suite pass, and the command line knows it.
func TestContributing(t *testing.T) {
	page, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of Go, want the controller, its line and its test", len(blocks))
	}
	for i := range blocks {
		blocks[i], _, _ = strings.Cut(blocks[i], "```")
	}
	all, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(string(all), "}")
	overlay := t.TempDir()
	replace := map[string]string{}
	for name, text := range map[string]string{
		"multcp.go": blocks[0], "multcp_test.go": blocks[2], "all.go": string(all[:end]) + blocks[1] + string(all[end:]),
	} {
		file := filepath.Join(overlay, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		here, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[here] = file
	}
	table, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(overlay, "overlay.json")
	if err := os.WriteFile(file, table, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"test -overlay " + file + " -v -run ^(TestMulTCPResponse|TestRandomEvents|TestOneCutPerEpisode|TestSentWindow|TestTimeout|" +
			"TestUndo|TestUndoRestoresGrowth|TestUnusedWindow|TestSaturation|TestIdleRestart|TestHonours|TestSlowStartLimit|TestMark)$/^multcp$ .",
			"--- PASS: TestMark/multcp"},
		{"run -overlay " + file + " ../cmd/longhaul compare --stacks reno,multcp --time 5s", "multcp"},
	} {
		out, err := exec.Command("go", strings.Fields(c.args)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("go %s: %v\n%s", c.args, err, out)
		}
	}
}
