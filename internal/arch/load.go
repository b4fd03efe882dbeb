package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Tree is the source of a module.
type Tree struct {
	Module   string // its path
	Packages []Package
}

// Package is the Go files of one directory.
type Package struct {
	Dir   string // relative to the module's root, with slashes; "." is the root
	Files []File
}

// File is one parsed Go file.
type File struct {
	Path   string // relative to the module's root, with slashes
	Lines  int
	Fset   *token.FileSet
	Syntax *ast.File
}

// Test reports whether f is a test file.
func (f File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Parse parses one file's source. It fails when src is not Go.
func Parse(fset *token.FileSet, name string, src []byte) (File, error) {
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	lines := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		lines++
	}
	return File{Path: name, Lines: lines, Fset: fset, Syntax: syntax}, nil
}

// Load parses every package below root, which holds go.mod. Test data, hidden directories and modules of their own
// are left out, as the go command does.
func Load(root string) (Tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Tree{}, err
	}
	t := Tree{Module: modulePath(mod)}
	if t.Module == "" {
		return t, fmt.Errorf("%s: no module line", filepath.Join(root, "go.mod"))
	}
	fset := token.NewFileSet()
	source := os.DirFS(root)
	err = fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(source, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		f, err := Parse(fset, name, src)
		if err != nil {
			return err
		}
		t.add(f)
		return nil
	})
	return t, err
}

// add puts f into its package.
func (t *Tree) add(f File) {
	dir := path.Dir(f.Path)
	for i := range t.Packages {
		if t.Packages[i].Dir == dir {
			t.Packages[i].Files = append(t.Packages[i].Files, f)
			return
		}
	}
	t.Packages = append(t.Packages, Package{Dir: dir, Files: []File{f}})
}

// skipped reports whether the directory holds no package of this module.
func skipped(source fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	if base := path.Base(dir); base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(source, path.Join(dir, "go.mod"))
	return err == nil
}

// modulePath returns the path on the module line of a go.mod file, or "".
func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}
