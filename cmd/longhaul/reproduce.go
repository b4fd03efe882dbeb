package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"longhaul/experiments"
	"longhaul/lab"
	"longhaul/report"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	runFlags
	quick bool
	svg   string // directory
}

// reproduceCommand makes "longhaul reproduce".
func reproduceCommand(c console) *cobra.Command {
	var f reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce NAME|all",
		Short: "Repeat a published experiment and say which of its claims hold",
		Long: `reproduce runs a published experiment again, in virtual time, and prints its tables with the published figure
beside each that was measured, a verdict on each of its claims (reproduced, not reproduced, not comparable), and why
what does not match does not.

Experiments
` + experimentList() + `
A claim that was not reproduced is a finding and no failure: the exit status is 0 when the runs were done.
--json prints the document of the experiment; with "all" it is {"experiments":[...]}, one document for each.`,
		Example: `  longhaul reproduce all --quick
  longhaul reproduce all --json --csv cells.csv
  longhaul reproduce all --markdown report.md
  longhaul reproduce yakura --svg figures`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s takes the name of one experiment; there are: %s", cmd.CommandPath(), experiments.Names())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := experiments.Find(args[0])
			if err == nil {
				err = f.check(cmd.Flags())
			}
			if err != nil {
				return err
			}
			return f.run(c, args[0], list)
		},
	}
	p := cmd.Flags()
	p.SortFlags = false
	p.BoolVar(&f.quick, "quick", false, "fewer and shorter runs, for a first look")
	f.add(p, "row of the tables", "cell of the published tables")
	p.StringVar(&f.svg, "svg", "", "draw the figures of the experiment, each as an SVG file in this `directory`, which is made if need be")
	p.StringVar(&f.files.markdown, "markdown", "", "write the same as a page of Markdown to this `file`")
	return cmd
}

// experimentList is a line per experiment for the help.
func experimentList() string {
	var b strings.Builder
	for _, e := range experiments.All {
		fmt.Fprintf(&b, "  %-10s %s (%s)\n", e.Name, e.Title, e.Source)
	}
	return b.String()
}

// run runs the experiments that name stands for and writes what they gave.
func (f *reproduceFlags) run(c console, name string, list []experiments.Experiment) error {
	if err := f.makeDirectory(); err != nil {
		return err
	}
	o := experiments.Options{Quick: f.quick, Seed: f.seed, Wire: f.wire}
	total := 0
	for _, e := range list {
		total += len(e.Cases(o))
	}
	return f.do(c, total, func(j job) (findings, error) {
		o.Packets, o.Trace = j.packets, j.events
		r, err := experiments.Run(list, o, j.workers, j.progress)
		if err == nil {
			err = f.draw(r)
		}
		return findings{
			out: func(w io.Writer) error {
				switch {
				case !f.json:
					return report.ReproductionText(w, r)
				case name == experiments.Everything:
					return report.ReproductionsJSON(w, r)
				}
				return report.ReproductionJSON(w, r[0])
			},
			csv:      func(w io.Writer) error { return report.ReproductionCSV(w, r) },
			markdown: func(w io.Writer) error { return f.page(w, name, r) },
		}, err
	})
}

// makeDirectory makes the directory for drawings, if one was asked for.
func (f *reproduceFlags) makeDirectory() error {
	if f.svg == "" {
		return nil
	}
	if err := os.MkdirAll(f.svg, 0o755); err != nil {
		return fmt.Errorf("--svg %q: cannot make that directory (%w); name one that is yours", f.svg, reason(err))
	}
	return nil
}

// draw writes the figures of r as EXPERIMENT-FIGURE.svg.
func (f *reproduceFlags) draw(list []lab.Reproduction) error {
	if f.svg == "" {
		return nil
	}
	for _, r := range list {
		for _, figure := range r.Figures {
			var b bytes.Buffer
			if err := report.FigureSVG(&b, figure); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(f.svg, r.Experiment+"-"+figure.ID+".svg"), b.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// page writes r as Markdown. The command line that the page shows has every flag that changes what is in it.
func (f *reproduceFlags) page(w io.Writer, name string, r []lab.Reproduction) error {
	command := "go run ./cmd/longhaul reproduce " + name
	if f.quick {
		command += " --quick"
	}
	return report.ReproductionMarkdown(w, r, fmt.Sprintf("%s --seed %d --markdown %s", command, f.seed, f.files.markdown))
}
