package report

import (
	"fmt"
	"io"
	"strings"

	"longhaul/cc"
	"longhaul/stacks"
)

// part is one part of a stack's name, as the JSON document has it.
type part struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Source    string `json:"source,omitempty"`
	Signal    string `json:"signal,omitempty"`
	Constants string `json:"constants,omitempty"`
	Stack     string `json:"stack,omitempty"`
	Default   bool   `json:"default,omitempty"`
}

// parts are all parts that a stack's name can be made of.
type parts struct {
	Algorithms []part   `json:"algorithms"`
	Recoveries []part   `json:"recoveries"`
	Features   []part   `json:"features"`
	Presets    []part   `json:"presets"`
	Documented []string `json:"documented"`
}

// allParts gathers the tables.
func allParts() parts {
	var p parts
	for _, a := range cc.All {
		p.Algorithms = append(p.Algorithms, part{Name: a.Name, Title: a.Title, Source: a.Source, Signal: a.Signal.String(), Constants: a.Constants})
	}
	for i, r := range stacks.Recoveries {
		p.Recoveries = append(p.Recoveries, part{Name: r.Name, Title: r.Title, Default: i == 0})
	}
	for _, f := range stacks.Features {
		p.Features = append(p.Features, part{Name: f.Name, Title: f.Title, Default: f.Default()})
	}
	for _, s := range stacks.Presets {
		p.Presets = append(p.Presets, part{Name: s.Name, Title: s.Title, Stack: s.Stack})
	}
	for _, s := range stacks.Documented() {
		p.Documented = append(p.Documented, s.Name)
	}
	return p
}

// StacksJSON writes everything that a stack's name can be made of as one JSON document. It fails only when w does.
func StacksJSON(w io.Writer) error { return document(w, allParts()) }

// StacksText writes the same for people.
func StacksText(w io.Writer) error {
	p := allParts()
	var b strings.Builder
	b.WriteString("A stack is named " + stacks.Grammar + "\n")
	for _, group := range []struct {
		title string
		list  []part
	}{
		{"Algorithms", p.Algorithms},
		{"Recoveries, after a colon", p.Recoveries},
		{"Features, after + to have them or - to lack them", p.Features},
		{"Presets, in place of a whole name", p.Presets},
	} {
		fmt.Fprintf(&b, "\n%s\n", group.title)
		for _, m := range group.list {
			b.WriteString(wrap(fmt.Sprintf("  %-12s ", m.Name), m.describe()))
			if m.Signal != "" {
				b.WriteString(wrap(fmt.Sprintf("  %-12s ", ""), "by "+m.Signal+"; "+m.Constants))
			}
		}
	}
	b.WriteString("\ncompare takes these when none is named\n" + wrap("  ", strings.Join(p.Documented, " ")))
	_, err := io.WriteString(w, b.String())
	return err
}

// describe is what a line says about a part beside its name.
func (p part) describe() string {
	text := p.Title
	if p.Source != "" {
		text += " (" + p.Source + ")"
	}
	if p.Stack != "" {
		text = "= " + p.Stack + ": " + text
	}
	if p.Default {
		text += " [default]"
	}
	return text
}
