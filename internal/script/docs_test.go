package script

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocument checks that docs/scripts.md names everything that scripts can use, and that its example does what it says.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	var names []string
	for name := range infoNames {
		names = append(names, name)
	}
	for name := range sockopts {
		names = append(names, name)
	}
	for _, name := range names {
		if !strings.Contains(doc, "`"+name) {
			t.Errorf("it does not name %s", name)
		}
	}

	// The two indented blocks of the example: the script, and the report of a changed one.
	_, rest, _ := strings.Cut(doc, "## An example\n")
	example, _, _ := strings.Cut(rest, "\n## ")
	var blocks []string
	for _, block := range regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindAllString(example, -1) {
		blocks = append(blocks, regexp.MustCompile(`(?m)^    `).ReplaceAllString(block, ""))
	}
	if len(blocks) != 2 {
		t.Fatalf("the example has %d blocks, want a script and a report", len(blocks))
	}
	if r := play(t, blocks[0], Options{Exact: true, Quiet: true}); r.Verdict != Pass {
		t.Errorf("the example: %v, %+v", r.Verdict, r.Failure)
	}
	s, err := Parse("backoff.pkt", []byte(strings.Replace(blocks[0], "+0.6 >", "+0.5 >", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if err := NewReport([]Result{s.Run(Options{})}).WriteText(&report); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(report.String(), blocks[1]) {
		t.Errorf("the report of the changed example is\n%s\nand not\n%s", report.String(), blocks[1])
	}
}
