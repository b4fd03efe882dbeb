// Package arch is the architecture test: it holds the project's rank table and fails the build when the code departs
// from the shape that DESIGN.md describes.
//
// Load parses a source tree with the standard library alone, and Check returns what breaks a rule:
//
//   - imports: a package imports only packages of strictly lower rank; sim and the real-time drivers never meet;
//   - purity: protocol code reads no clock, starts no goroutine, opens nothing and draws no unseeded random number;
//   - sizes: lines of a file and of a function, fields of a struct, methods of an interface, files of a package;
//   - documentation: every exported name, and a doc.go in every package;
//   - names: no drawer packages, and no to-do note without the number of an issue.
//
// Files are looked at whatever their build constraints, so a file for one system cannot hide. Test files are exempt
// from all but the cap on their own length. There is no list of exceptions, and there shall be none: what a rule
// forbids is changed in the code, or the rule is changed in DESIGN.md.
package arch
