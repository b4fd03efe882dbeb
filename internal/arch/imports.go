package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// forbidden are the import paths that no pure package has, and neither anything below them.
var forbidden = []string{"os", "net", "sync", "context", "log", "syscall", "crypto/rand", "golang.org/x/sys"}

// clocks are the functions of package time that read a clock or wait for one.
var clocks = map[string]bool{
	"Now": true, "Sleep": true, "After": true, "AfterFunc": true, "Tick": true, "NewTimer": true, "NewTicker": true,
	"Since": true, "Until": true,
}

// seeded are the names of math/rand and math/rand/v2 that do not draw from the process-wide source.
var seeded = map[string]bool{
	"Rand": true, "Source": true, "Source64": true, "PCG": true, "ChaCha8": true, "Zipf": true,
	"New": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true, "NewSource": true,
}

// importPath returns the path that s imports.
func importPath(s *ast.ImportSpec) string {
	name, _ := strconv.Unquote(s.Path.Value) // the parser accepts only quoted paths
	return name
}

// checkImports checks the order of ranks.
func (c *checker) checkImports(dir string, zone Zone, f File) {
	for _, s := range f.Syntax.Imports {
		if s.Name != nil && s.Name.Name == "." {
			c.at(f, s.Pos(), "dot import of %s hides where names come from; import it by name", s.Path.Value)
		}
		other, inside := strings.CutPrefix(importPath(s), c.module+"/")
		if !inside {
			continue
		}
		z, known := c.ranks[other]
		if known && z.Rank >= zone.Rank {
			c.at(f, s.Pos(), "%s (rank %d) imports %s (rank %d); a package imports only lower ranks", dir, zone.Rank, other, z.Rank)
		}
		for _, pair := range apart {
			if pair == [2]string{dir, other} || pair == [2]string{other, dir} {
				c.at(f, s.Pos(), "%s imports %s; virtual time and real time never meet", dir, other)
			}
		}
	}
}

// checkPure checks that f, of a pure package, touches neither clock, goroutine, system nor unseeded randomness.
func (c *checker) checkPure(f File) {
	local := map[string]string{} // name in this file -> import path
	for _, s := range f.Syntax.Imports {
		name := importPath(s)
		for _, bad := range forbidden {
			if name != "net/netip" && (name == bad || strings.HasPrefix(name, bad+"/")) {
				c.at(f, s.Pos(), "import of %q in a pure package; take values in and give values back", name)
			}
		}
		short := path.Base(strings.TrimSuffix(name, "/v2"))
		if s.Name != nil {
			short = s.Name.Name
		}
		local[short] = name
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			c.at(f, n.Pos(), "go statement in a pure package; a driver does that")
		case *ast.SelectStmt:
			c.at(f, n.Pos(), "select statement in a pure package; a driver does that")
		case *ast.ChanType:
			c.at(f, n.Pos(), "channel in a pure package; a driver does that")
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			switch pkg := local[x.Name]; {
			case pkg == "time" && clocks[n.Sel.Name]:
				c.at(f, n.Pos(), "time.%s in a pure package; take now as a parameter", n.Sel.Name)
			case (pkg == "math/rand" || pkg == "math/rand/v2") && !seeded[n.Sel.Name]:
				c.at(f, n.Pos(), "rand.%s draws from the process-wide source; take a *rand.Rand as a parameter", n.Sel.Name)
			}
		}
		return true
	})
}
