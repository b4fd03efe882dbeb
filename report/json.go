package report

import (
	"encoding/json"
	"io"

	"longhaul/lab"
)

// JSON writes r as one JSON document with a newline at its end. It fails only when w does.
func JSON(w io.Writer, r lab.Results) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
