package tcp_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"longhaul/internal/script"
)

// clause is a citation: an RFC or a draft with a section, or a document that docs/requirements.md knows.
var clause = regexp.MustCompile(`^// .*(RFC \d+ (s|sections?)\.? ?\w|draft-[a-z-]+\d\d s\.\d|R\d+|C-\d+)`)

// TestScripts runs every packet script in testdata. Each names in its first line the clause that it shows, expects at least
// one packet or asserts something, and must leave no packet unexpected; times are exact to a millisecond unless the script
// says otherwise.
func TestScripts(t *testing.T) {
	count := 0
	err := filepath.WalkDir("testdata", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".pkt" {
			return err
		}
		count++
		t.Run(strings.TrimSuffix(filepath.ToSlash(path[len("testdata/"):]), ".pkt"), func(t *testing.T) {
			t.Parallel()
			runScript(t, path)
		})
		return nil
	})
	if err != nil || count == 0 {
		t.Fatalf("%d scripts: %v", count, err)
	}
}

func runScript(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(text), "\n"); !clause.MatchString(first) {
		t.Errorf("%s:1: the first line cites no clause; write // RFC 9293 s.3.5: what the script shows", path)
	}
	s, err := script.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Run(script.Options{Quiet: true, Exact: true})
	switch {
	case r.Failure != nil:
		t.Error("\n" + r.Failure.Text(path))
	case r.Verdict != script.Pass:
		t.Errorf("%v: %v", r.Verdict, r.Reasons)
	case r.Packets+r.Asserts == 0:
		t.Error("the script expects no packet and asserts nothing, so it cannot fail")
	}
}
