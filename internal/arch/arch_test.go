package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestProject is the architecture test itself.
func TestProject(t *testing.T) {
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 10 {
		t.Fatalf("found only %d packages; the rules would hold for want of code", len(tree.Packages))
	}
	for _, p := range Check(tree) {
		t.Error(p)
	}
}

// TestDesignTable checks that Ranks and the table in DESIGN.md say the same.
func TestDesignTable(t *testing.T) {
	text, err := os.ReadFile("../../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| ([0-9]) \\| (`[^|]*) \\|")
	name := regexp.MustCompile("`([^`]+)`")
	documented := map[string]int{"internal/arch": Ranks["internal/arch"].Rank} // there without a rank
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		rank, _ := strconv.Atoi(m[1])
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			documented[n[1]] = rank
		}
	}
	ranks := map[string]int{}
	for dir, z := range Ranks {
		ranks[dir] = z.Rank
	}
	if !maps.Equal(documented, ranks) {
		t.Errorf("DESIGN.md's table and Ranks differ:\n%v\n%v", documented, ranks)
	}
}

// project loads the project and returns its tests, by package directory and name.
func project(t *testing.T) (Tree, map[string]bool) {
	t.Helper()
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, p := range tree.Packages {
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && f.Test() {
					tests[p.Dir+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return tree, tests
}

// TestRequirements checks that docs/requirements.md names tests and packet scripts that exist, one for each of its lines, and that it has a
// line for each number that a comment cites.
func TestRequirements(t *testing.T) {
	tree, tests := project(t)
	cited := map[string]string{} // number -> a file that cites it
	number := regexp.MustCompile(`\b(R[0-9]{1,3}|C-[0-9]+|F[0-9]{2}|T[0-9])\b`)
	for _, p := range tree.Packages {
		for _, f := range p.Files {
			for _, group := range f.Syntax.Comments {
				for _, n := range number.FindAllString(group.Text(), -1) {
					cited[n] = f.Path
				}
			}
		}
	}
	text, err := os.ReadFile("../../docs/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([A-Z]-?[0-9]+) \| .* \| (.*) \|$`).FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		t.Error("no requirements")
	}
	for _, m := range rows {
		delete(cited, m[1])
		for name := range strings.SplitSeq(m[2], ", ") {
			_, err := os.Stat("../../tcp/testdata/" + name)
			if script := strings.HasSuffix(name, ".pkt") && err == nil; !script && !tests[name] {
				t.Errorf("%s: there is no test or script %q", m[1], name)
			}
		}
	}
	for n, path := range cited {
		t.Errorf("%s cites %s, which docs/requirements.md does not explain", path, n)
	}
}

// TestDocumentsNameWhatExists checks that the tests and packet scripts that DESIGN.md and docs name are there.
func TestDocumentsNameWhatExists(t *testing.T) {
	_, tests := project(t)
	test := regexp.MustCompile(`\b([a-z][a-z/]*\.(?:Test|Fuzz|Example|Benchmark)[A-Z][A-Za-z0-9]*)\b`)
	script := regexp.MustCompile(`\b((?:rfc[0-9]+|draft-[a-z-]+|yakura)/[a-z0-9_]+\.pkt)\b`)
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, "../../DESIGN.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range test.FindAllString(string(text), -1) {
			dir, _, _ := strings.Cut(name, ".")
			if _, ours := Ranks[dir]; ours && !tests[name] {
				t.Errorf("%s: there is no test %s", path, name)
			}
		}
		for _, name := range script.FindAllString(string(text), -1) {
			if _, err := os.Stat("../../tcp/testdata/" + name); err != nil {
				t.Errorf("%s: there is no script %s", path, name)
			}
		}
	}
}

// doc is a doc.go for a package in memory.
const doc = "// Package p is for a test.\npackage p\n"

// check runs the rules over files in memory, given as path and source in turn.
func check(t *testing.T, files ...string) []string {
	t.Helper()
	tree := Tree{Module: "longhaul"}
	fset := token.NewFileSet()
	for i := 0; i < len(files); i += 2 {
		f, err := Parse(fset, files[i], []byte(files[i+1]))
		if err != nil {
			t.Fatal(err)
		}
		tree.add(f)
	}
	return Check(tree)
}

func TestRulesBite(t *testing.T) {
	lines := strings.Repeat("//\n", 70)
	for _, c := range []struct {
		rule, path, src string
		want            string // part of the one problem; empty for none
	}{
		{"lower rank", "sim/a.go", `import "longhaul/link"`, ""},
		{"same rank", "tcp/a.go", `import "longhaul/link"`, "tcp (rank 2) imports link (rank 2)"},
		{"higher rank", "cc/a.go", `import "longhaul/tcp"`, "cc (rank 1) imports tcp (rank 2)"},
		{"itself", "cc/a.go", `import "longhaul/cc"`, "only lower ranks"},
		{"apart", "host/a.go", `import "longhaul/sim"`, "virtual time and real time"},
		{"apart, other pair", "emulate/a.go", `import "longhaul/sim"`, "virtual time and real time"},
		{"outside the module", "cmd/longhaul/a.go", `import "longhaulier/x"`, ""},
		{"unknown package", "gadget/a.go", ``, "not in the rank table"},
		{"dot import", "lab/a.go", `import . "strings"`, "dot import"},

		{"os", "tcp/a.go", `import "os"`, `"os" in a pure`},
		{"below os", "cc/a.go", `import "os/exec"`, `"os/exec" in a pure`},
		{"net", "wire/a.go", `import "net"`, `"net" in a pure`},
		{"net/netip", "wire/a.go", `import "net/netip"`, ""},
		{"net/http", "report/a.go", `import "net/http"`, `"net/http" in a pure`},
		{"sync", "sim/a.go", `import "sync"`, `"sync" in a pure`},
		{"sync/atomic", "sim/a.go", `import "sync/atomic"`, `"sync/atomic" in a pure`},
		{"context", "stacks/a.go", `import "context"`, `"context" in a pure`},
		{"log", "link/a.go", `import "log"`, `"log" in a pure`},
		{"log/slog", "trace/a.go", `import "log/slog"`, `"log/slog" in a pure`},
		{"crypto/rand", "tcp/a.go", `import "crypto/rand"`, "in a pure"},
		{"os where allowed", "lab/a.go", `import "os"`, ""},
		{"clock", "tcp/a.go", "import \"time\"\nvar x = time.Now()", "time.Now in a pure"},
		{"renamed clock", "tcp/a.go", "import w \"time\"\nvar x = w.Since", "time.Since in a pure"},
		{"timer", "sim/a.go", "import \"time\"\nvar x = time.NewTimer", "time.NewTimer"},
		{"duration", "tcp/a.go", "import \"time\"\nvar x = 3 * time.Second", ""},
		{"clock where allowed", "host/a.go", "import \"time\"\nvar x = time.Now()", ""},
		{"another Now", "tcp/a.go", "var s struct{ Now int }\nvar x = s.Now", ""},
		{"goroutine", "link/a.go", "func f() { go f() }", "go statement"},
		{"channel", "cc/a.go", "var c chan int", "channel in a pure"},
		{"select", "mono/a.go", "func f() { select {} }", "select statement"},
		{"goroutine where allowed", "lab/a.go", "func f() { go f() }", ""},
		{"global random number", "cc/a.go", "import \"math/rand/v2\"\nvar x = rand.IntN(3)", "rand.IntN draws"},
		{"global random number, v1", "cc/a.go", "import \"math/rand\"\nvar x = rand.Float64()", "rand.Float64 draws"},
		{"seeded random numbers", "cc/a.go", "import \"math/rand/v2\"\nvar x *rand.Rand = rand.New(rand.NewPCG(1, 2))", ""},

		{"long file", "lab/a.go", strings.Repeat("\n", 601), "lines, the cap is 600"},
		{"long test file", "lab/a_test.go", strings.Repeat("\n", 1001), "lines, the cap is 1000"},
		{"test file as long as allowed", "lab/a_test.go", strings.Repeat("\n", 900), ""},
		{"long function", "lab/a.go", "func f() {" + strings.Repeat("\n", 80) + "}", "function f has 81 lines"},
		{"function as long as allowed", "lab/a.go", "func f() {" + strings.Repeat("\n", 79) + "}", ""},
		{"wide struct", "lab/a.go", "type s struct { a" + strings.Repeat(", a", 30) + " int }", "struct of 31 fields"},
		{"wide struct inside", "lab/a.go", "var s struct { b struct { a" + strings.Repeat(", a", 30) + " int } }", "struct of 31 fields"},
		{"struct as wide as allowed", "lab/a.go", "type s struct { int; a" + strings.Repeat(", a", 28) + " int }", ""},
		{"wide interface", "lab/a.go", "type i interface { A(); B(); C(); D(); E(); F() }", "interface of 6 methods"},
		{"interface as wide as allowed", "lab/a.go", "type i interface { A(); B(); C(); D(); E() }", ""},

		{"function without comment", "lab/a.go", "func F() {}", "exported F has no comment"},
		{"method without comment", "lab/a.go", "type t[T any] struct{}\n\n// T is.\ntype T struct{}\nfunc (t *T) M() {}", "exported M"},
		{"method of a hidden type", "lab/a.go", "type t[T any] struct{}\nfunc (t *t[T]) M() {}", ""},
		{"type without comment", "lab/a.go", "type T int", "exported T has no comment"},
		{"type in a group", "lab/a.go", "// Group.\ntype (\n\tT int\n)", "exported T has no comment"},
		{"constant without comment", "lab/a.go", "const C = 1", "exported C has no comment"},
		{"constant in a group", "lab/a.go", "// Constants.\nconst (\n\tC = 1\n\tD = 2\n)", ""},
		{"constant in a bare group", "lab/a.go", "const (\n\tC = 1 // why\n\tD = 2\n)", "exported D has no comment"},
		{"variable without comment", "lab/a.go", "var V int", "exported V has no comment"},
		{"with comments", "lab/a.go", "// F does.\nfunc F() {}\n\n// T is.\ntype T int\n\n// V is.\nvar V int", ""},
		{"test without comments", "lab/a_test.go", "func F() {}", ""},

		{"note", "lab/a.go", "// TODO: later", "TODO without the number"},
		{"note in a body", "lab/a.go", "func f() {\n\t/* FIXME */\n}", "FIXME without the number"},
		{"note with an issue", "lab/a.go", "// TODO(#12): later", ""},
		{"note with a name", "lab/a.go", "// TODO(me): later", "TODO without the number"},
		{"no note", "lab/a.go", "var mastodon = `TODO` // the mastodon's TODOs", ""},
		{"long package documentation", "lab/doc.go", lines, "package documentation of 71 lines"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			files := []string{c.path, "package p\n" + c.src}
			dir, name, _ := strings.Cut(c.path, "/a")
			switch {
			case strings.HasSuffix(c.path, "doc.go"):
				files[1] = c.src + "package p\n"
			case name != "":
				files = append(files, dir+"/doc.go", doc)
			}
			got := check(t, files...)
			if c.want == "" && len(got) > 0 {
				t.Errorf("got %q, want no problem", got)
			}
			if c.want != "" && !bites(got, c.want) {
				t.Errorf("got %q, want a problem with %q", got, c.want)
			}
		})
	}
}

// bites reports whether one of the problems says what was wanted.
func bites(problems []string, want string) bool {
	return slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, want) })
}

func TestPackageRulesBite(t *testing.T) {
	many := []string{"cc/doc.go", doc}
	for i := range 45 {
		many = append(many, fmt.Sprintf("cc/f%d.go", i), "package p")
	}
	for _, c := range []struct {
		rule  string
		files []string
		want  string
	}{
		{"no doc.go", []string{"cc/a.go", doc}, "cc: no package documentation"},
		{"doc.go without a comment", []string{"cc/doc.go", "package p"}, "no package documentation"},
		{"command in main.go", []string{"cmd/longhaul/main.go", "// Longhaul is.\npackage main"}, ""},
		{"command without a comment", []string{"cmd/longhaul/main.go", "package main"}, "no package documentation"},
		{"tests only", []string{"cc/a_test.go", "package p"}, ""},
		{"drawer", []string{"lab/util/doc.go", doc}, `"util" says nothing`},
		{"too many files", many, "46 source files, the cap is 45"},
		{"as many files as allowed", many[:90], ""},
	} {
		got := check(t, c.files...)
		if c.want == "" && len(got) > 0 || c.want != "" && !bites(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.rule, got, c.want)
		}
	}
}

// TestEveryPureZone checks that purity holds in each pure package of the table and in no other.
func TestEveryPureZone(t *testing.T) {
	for dir, z := range Ranks {
		got := check(t, dir+"/doc.go", doc, dir+"/a.go", "package p\nimport \"os\"")
		if impure := len(got) > 0; impure != z.Pure {
			t.Errorf("%s: pure %v, importing os gives %q", dir, z.Pure, got)
		}
	}
}

func TestSkipped(t *testing.T) {
	source := fstest.MapFS{"bench/go.mod": {}, "lab/a.go": {}, "lab/testdata/a.go": {}}
	for dir, want := range map[string]bool{
		".": false, "lab": false, "bench": true, "lab/testdata": true, ".git": true, "_old": true, "vendor": true,
	} {
		if got := skipped(source, dir); got != want {
			t.Errorf("skipped(%q) = %v, want %v", dir, got, want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("Load of a directory without go.mod: no error")
	}
}
