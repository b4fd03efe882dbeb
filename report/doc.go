// Package report writes what package lab measured: Text for people, JSON and CSV for programs.
//
// Every function is pure: the same data give the same octets. Text is a header that describes the path, a table
// with a line per stack, and under it a few sentences that say which stack fills the path and why the others do not;
// every word of these follows from a figure in the results, and where the figures do not tell, they say so. JSON is the
// document that the commands promise, with every digit; CSV has a line per stack and repeats the path on it, so
// that several files can be put together.
//
// A lab.Reproduction is written by functions of its own, in the same three forms and as a page of Markdown: every
// figure with the published one beside it, and a verdict per claim.
//
// A figure that a run was too short to give is "-" in the text, null in JSON and empty in CSV. The package neither
// measures nor judges: what each figure means is defined in package lab.
package report
