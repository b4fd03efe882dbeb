package arch

import (
	"fmt"
	"go/token"
	"path"
	"sort"
)

// checker collects what breaks a rule.
type checker struct {
	module   string
	ranks    map[string]Zone
	problems []string
}

// Check returns what in t breaks a rule, one line each, sorted: "file:line: what is wrong and what would be right".
func Check(t Tree) []string {
	c := &checker{module: t.Module, ranks: Ranks}
	for _, p := range t.Packages {
		c.checkPackage(p)
	}
	sort.Strings(c.problems)
	return c.problems
}

// checkPackage applies the rules to one package.
func (c *checker) checkPackage(p Package) {
	zone, known := c.ranks[p.Dir]
	if !known {
		c.add(p.Dir, "package is not in the rank table; give it a rank in DESIGN.md and in internal/arch")
	}
	if drawers[path.Base(p.Dir)] {
		c.add(p.Dir, "package %q says nothing about what is inside; name it after what it provides", path.Base(p.Dir))
	}
	var source []File
	for _, f := range p.Files {
		if f.Test() {
			c.checkLines(f, maxTestLines)
			continue
		}
		source = append(source, f)
		c.checkLines(f, maxSourceLines)
		c.checkShapes(f)
		c.checkComments(f)
		c.checkExported(f)
		if known {
			c.checkImports(p.Dir, zone, f)
		}
		if zone.Pure {
			c.checkPure(f)
		}
	}
	if len(source) > maxSourceFiles {
		c.add(p.Dir, "%d source files, the cap is %d; split the package", len(source), maxSourceFiles)
	}
	if len(source) > 0 {
		c.checkPackageDoc(p.Dir, source)
	}
}

// add records a problem of a file or directory.
func (c *checker) add(where, format string, args ...any) {
	c.problems = append(c.problems, where+": "+fmt.Sprintf(format, args...))
}

// at records a problem at a position of f.
func (c *checker) at(f File, pos token.Pos, format string, args ...any) {
	c.add(fmt.Sprintf("%s:%d", f.Path, f.Fset.Position(pos).Line), format, args...)
}
