package report

import (
	"encoding/json"
	"io"

	"longhaul/lab"
)

// JSON writes r as one JSON document with a newline at its end. It fails only when w does.
func JSON(w io.Writer, r lab.Results) error { return document(w, r) }

// document writes v as JSON for people and programs: indented, and < as <.
func document(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
