package arch

import (
	"go/ast"
	"path"
)

// checkPackageDoc checks that the package says what it is: in doc.go, or for a command in main.go.
func (c *checker) checkPackageDoc(dir string, source []File) {
	for _, f := range source {
		name := path.Base(f.Path)
		command := name == "main.go" && f.Syntax.Name.Name == "main"
		if name != "doc.go" && !command || f.Syntax.Doc == nil {
			continue
		}
		lines := f.Lines
		if command {
			lines = f.Fset.Position(f.Syntax.Doc.End()).Line - f.Fset.Position(f.Syntax.Doc.Pos()).Line + 1
		}
		if lines > maxPackageLines {
			c.add(f.Path, "package documentation of %d lines, the cap is %d", lines, maxPackageLines)
		}
		return
	}
	c.add(dir, "no package documentation; write doc.go with a package comment")
}

// checkExported checks that every exported name has a comment. A comment on a group of constants or variables
// documents its members.
func (c *checker) checkExported(f File) {
	for _, decl := range f.Syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				c.undocumented(f, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				c.checkSpec(f, d, spec)
			}
		}
	}
}

// checkSpec checks one specification of a declaration.
func (c *checker) checkSpec(f File, d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		single := !d.Lparen.IsValid()
		if s.Name.IsExported() && s.Doc == nil && (!single || d.Doc == nil) {
			c.undocumented(f, s.Name)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				c.undocumented(f, name)
			}
		}
	}
}

// undocumented records an exported name without a comment.
func (c *checker) undocumented(f File, name *ast.Ident) {
	c.at(f, name.Pos(), "exported %s has no comment; say what it is, its units, errors and source", name.Name)
}

// receiver returns the name of a method's receiver type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}
