package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"longhaul/lab"
)

// ReproductionJSON writes r as one JSON document with a newline at its end. It fails only when w does, or for a figure
// that JSON cannot hold.
func ReproductionJSON(w io.Writer, r lab.Reproduction) error { return document(w, r) }

// ReproductionsJSON writes several as one document, {"experiments":[...]}.
func ReproductionsJSON(w io.Writer, list []lab.Reproduction) error {
	return document(w, struct {
		Experiments []lab.Reproduction `json:"experiments"`
	}{append([]lab.Reproduction{}, list...)}) // never null
}

// ReproductionCSV writes a line of column names and a line per row of all tables. A case is written as
// window=64K;ber=1e-7; what a row does not have is empty. It fails only when w does.
func ReproductionCSV(w io.Writer, list []lab.Reproduction) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"experiment", "table", "case", "reference", "measured", "ci95", "unit", "note"}) // an error stays in out and shows below
	for _, r := range list {
		for _, t := range r.Tables {
			for _, row := range t.Rows {
				_ = out.Write([]string{r.Experiment, t.ID, place(row.Case, ";"), maybe(row.Reference), number(row.Measured), maybe(row.CI95), row.Unit, row.Note})
			}
		}
	}
	out.Flush()
	return out.Error()
}

// ReproductionText writes list for people: of each experiment the question, how it was run, the tables with the published
// figures beside those that were measured, the claims and the notes. It fails only when w does.
func ReproductionText(w io.Writer, list []lab.Reproduction) error {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteString("\n\n")
		}
		writeText(&b, &list[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeText writes one reproduction.
func writeText(b *strings.Builder, r *lab.Reproduction) {
	b.WriteString(wrap("", r.Experiment+": "+r.Title) + wrap("", "Source: "+r.Source) + seeding(r) + "\n\n" + wrap("", r.Question))
	items := func(heading string, sentences []string) {
		if len(sentences) > 0 {
			b.WriteString("\n" + heading + "\n")
		}
		for _, s := range sentences {
			b.WriteString(wrap("- ", s))
		}
	}
	items("How it was run", r.Setup)
	for i := range r.Tables {
		t := &r.Tables[i]
		g := pivot(t)
		left := make([]int, g.keys)
		for k := range left {
			left[k] = k
		}
		b.WriteString("\n" + wrap("", t.ID+": "+t.Title) + align(g.rows, left...))
		for _, note := range rowNotes(t) {
			b.WriteString(wrap("- ", note))
		}
	}
	if len(r.Claims) > 0 {
		b.WriteString("\nClaims: " + tally(r.Claims) + "\n")
	}
	verdict, id := 0, 0
	for _, c := range r.Claims {
		verdict, id = max(verdict, len(c.Verdict)), max(id, len(c.ID))
	}
	for _, c := range r.Claims {
		text := c.Text + " Measured: " + c.Measured
		if c.Reason != "" {
			text += " Why: " + c.Reason
		}
		b.WriteString(wrap(fmt.Sprintf("%-*s  %-*s  ", verdict, c.Verdict, id, c.ID), text))
	}
	items("Notes", r.Notes)
}

// seeding says which runs these are.
func seeding(r *lab.Reproduction) string {
	s := fmt.Sprintf("Seed %d", r.Seed)
	if r.Quick {
		s += ", quick: fewer and shorter runs than the full experiment"
	}
	return s
}

// rowNotes are the notes of the rows, each with its place.
func rowNotes(t *lab.Table) []string {
	var notes []string
	for _, row := range t.Rows {
		if row.Note != "" {
			notes = append(notes, place(row.Case, ", ")+": "+row.Note)
		}
	}
	return notes
}

// tally counts the verdicts: "3 reproduced, 1 not reproduced".
func tally(claims []lab.Claim) string {
	var parts []string
	for _, verdict := range []string{lab.Reproduced, lab.NotReproduced, lab.NotComparable} {
		n := len(slices.DeleteFunc(slices.Clone(claims), func(c lab.Claim) bool { return c.Verdict != verdict }))
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	return strings.Join(parts, ", ")
}
