package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeSession runs the commands of the README's session and compares their output with what it shows: a reader
// who repeats them sees the same.
func TestReadmeSession(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes under the race detector")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(readme), "\n## A session\n")
	session, _, ended := strings.Cut(session, "\n## ")
	if !found || !ended {
		t.Fatal("the README has no session")
	}
	const prompt = "    $ go run ./cmd/longhaul "
	blocks := strings.Split(session, prompt)[1:]
	if len(blocks) == 0 {
		t.Fatal("the session has no commands")
	}
	for _, b := range blocks {
		command, shown, _ := strings.Cut(b, "\n")
		var want []string
		for line := range strings.Lines(shown) {
			line = strings.TrimRight(line, "\n")
			if text, ok := strings.CutPrefix(line, "    "); ok || line == "" {
				want = append(want, text)
			}
		}
		status, out, stderr := longhaul(strings.Fields(command)...)
		if status != 0 {
			t.Errorf("%s: exit status %d: %s", command, status, stderr)
		}
		if got, want := strings.TrimSpace(out), strings.TrimSpace(strings.Join(want, "\n")); got != want {
			t.Errorf("%s prints\n%s\nand the README shows\n%s", command, got, want)
		}
	}
}
