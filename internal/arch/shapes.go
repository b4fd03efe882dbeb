package arch

import (
	"go/ast"
	"regexp"
)

// note is a to-do note; numbered is one that names its issue.
var (
	note     = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b(\(#\d+\))?`)
	numbered = regexp.MustCompile(`^TODO\(#\d+\)$`)
)

// checkLines checks a file's length.
func (c *checker) checkLines(f File, limit int) {
	if f.Lines > limit {
		c.add(f.Path, "%d lines, the cap is %d; split the file by concern", f.Lines, limit)
	}
}

// checkShapes checks the sizes of functions, structs and interfaces.
func (c *checker) checkShapes(f File) {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			lines := f.Fset.Position(n.End()).Line - f.Fset.Position(n.Pos()).Line + 1
			if lines > maxFuncLines {
				c.at(f, n.Pos(), "function %s has %d lines, the cap is %d", n.Name.Name, lines, maxFuncLines)
			}
		case *ast.StructType:
			if k := members(n.Fields); k > maxFields {
				c.at(f, n.Pos(), "struct of %d fields, the cap is %d; group them into values", k, maxFields)
			}
		case *ast.InterfaceType:
			if k := members(n.Methods); k > maxMethods {
				c.at(f, n.Pos(), "interface of %d methods, the cap is %d", k, maxMethods)
			}
		}
		return true
	})
}

// members counts names in a list; what is embedded counts once.
func members(list *ast.FieldList) int {
	n := 0
	for _, field := range list.List {
		n += max(1, len(field.Names))
	}
	return n
}

// checkComments looks for to-do notes without an issue's number.
func (c *checker) checkComments(f File) {
	for _, group := range f.Syntax.Comments {
		for _, comment := range group.List {
			for _, found := range note.FindAllString(comment.Text, -1) {
				if !numbered.MatchString(found) {
					c.at(f, comment.Pos(), "%s without the number of an issue; do it, or write it with the number in the form (#12)", found)
				}
			}
		}
	}
}
