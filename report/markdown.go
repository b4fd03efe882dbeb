package report

import (
	"io"
	"strings"

	"longhaul/lab"
)

// ReproductionMarkdown writes what ReproductionText does as Markdown with tables in GitHub's style, each experiment under a
// title and a line that says by which command the page was made. It fails only when w does.
func ReproductionMarkdown(w io.Writer, list []lab.Reproduction, command string) error {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeMarkdown(&b, &list[i], command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMarkdown writes one reproduction.
func writeMarkdown(b *strings.Builder, r *lab.Reproduction, command string) {
	b.WriteString("# " + escape(r.Title) + "\n\nMade by `" + command + "`.\n\n" +
		"Source: " + escape(r.Source) + ". " + seeding(r) + ".\n\n" + escape(r.Question) + "\n")
	items := func(heading string, sentences []string) {
		if len(sentences) > 0 {
			b.WriteString("\n" + heading + "\n\n")
		}
		for _, s := range sentences {
			b.WriteString("- " + escape(s) + "\n")
		}
	}
	items("## How it was run", r.Setup)
	for i := range r.Tables {
		t := &r.Tables[i]
		g := pivot(t)
		b.WriteString("\n## " + escape(t.Title) + "\n\n")
		pipes(b, g.rows, g.keys)
		items("Of single rows:", rowNotes(t))
	}
	if len(r.Claims) > 0 {
		b.WriteString("\n## Claims\n\n" + tally(r.Claims) + ".\n\n")
		rows := [][]string{{"number", "claim", "verdict", "measured", "why"}}
		for _, c := range r.Claims {
			rows = append(rows, []string{c.ID, c.Text, c.Verdict, c.Measured, c.Reason})
		}
		pipes(b, rows, len(rows[0]))
	}
	items("## Notes", r.Notes)
}

// pipes writes a table: the first left columns flush left, the others flush right.
func pipes(b *strings.Builder, rows [][]string, left int) {
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + escape(cell) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for k := range row {
			if k < left {
				b.WriteString("|---")
			} else {
				b.WriteString("|---:")
			}
		}
		b.WriteString("|\n")
	}
}

// escape keeps what Markdown would take for its own: the stars of reno*16, a bar within a table.
var escape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", `\<`, "|", `\|`, "\n", " ").Replace
