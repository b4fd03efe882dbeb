package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"longhaul/lab"
	"longhaul/trace"
)

// Experiment is a published experiment that can be run again.
type Experiment struct {
	Name     string // on the command line
	Title    string // in a few words
	Source   string // where it was published
	Question string // what it asks, in words

	// Cases lists the runs, most of them made with o.Repeat. Within an experiment no two have the same name.
	Cases func(o Options) []lab.Case

	// Report tells what the runs gave: results has one element per case, in that order, with one Result per flow. It
	// fills in Setup, Tables, Claims and Notes.
	Report func(o Options, results [][]lab.Result) lab.Reproduction
}

// Options say how to run an experiment.
type Options struct {
	Quick   bool // fewer and shorter runs, for a first look
	Seed    uint64
	Wire    bool       // encode and re-parse every packet
	Packets trace.Sink // takes the packets at the sender's interface in the first run of each case that the experiment captures; nil means none
	Trace   trace.Sink // takes the connections' own events in the same runs; nil means none
}

// Repeat returns that many runs of c, side by side, which differ in their randomness only. The sinks see the first.
func (o Options) Repeat(c lab.Case, runs int) []lab.Case {
	list := make([]lab.Case, runs)
	for i := range list {
		list[i] = c
		list[i].Name = fmt.Sprintf("%s/%d", c.Name, i)
		list[i].Seed = o.Seed
	}
	list[0].Packets, list[0].Trace = o.Packets, o.Trace
	return list
}

// All are the experiments, in the order in which they were published.
var All = []Experiment{RFC1106, Agarwal, Yakura}

// Everything is the name that stands for all experiments.
const Everything = "all"

// Find returns the experiment of that name, or all for Everything. The error lists the names there are.
func Find(name string) ([]Experiment, error) {
	if name == Everything {
		return All, nil
	}
	for _, e := range All {
		if e.Name == name {
			return []Experiment{e}, nil
		}
	}
	return nil, fmt.Errorf("no experiment %q; there are: %s", name, Names())
}

// Names returns what Find takes, separated by spaces.
func Names() string {
	var names []string
	for _, e := range All {
		names = append(names, e.Name)
	}
	return strings.Join(append(names, Everything), " ")
}

// Run runs the experiments of list, on at most workers processors, and returns what each gave. Progress, if not nil, is
// told after each run how many of how many are done, never by two goroutines at once. The results do not depend on
// workers, nor on which other experiments are in the list. Flows that a sink sees are numbered from 0 in the order of the
// cases. The error is that of a run that failed, or of a figure that is not a number.
func Run(list []Experiment, o Options, workers int, progress func(done, total int)) ([]lab.Reproduction, error) {
	var cases []lab.Case
	counts := make([]int, len(list))
	var flow uint32
	for i, e := range list {
		for _, c := range e.Cases(o) {
			c.Name, c.Wire = e.Name+"/"+c.Name, o.Wire
			if c.Packets != nil || c.Trace != nil {
				c.Flows = slices.Clone(c.Flows) // the other runs of the case have the same
				for k := range c.Flows {
					c.Flows[k].ID = flow
					flow += uint32(c.Flows[k].Stack.Streams)
				}
			}
			cases = append(cases, c)
			counts[i]++
		}
	}
	results, err := lab.Run(cases, workers, progress)
	if err != nil {
		return nil, err
	}
	reproductions := make([]lab.Reproduction, len(list))
	for i, e := range list {
		r := e.Report(o, results[:counts[i]])
		results = results[counts[i]:]
		if err := checkFigures(r); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		r.Experiment, r.Title, r.Source, r.Question, r.Seed, r.Quick = e.Name, e.Title, e.Source, e.Question, o.Seed, o.Quick
		r.Setup, r.Notes = append([]string{}, r.Setup...), append([]string{}, r.Notes...) // [] in JSON, never null
		r.Tables, r.Claims = append([]lab.Table{}, r.Tables...), append([]lab.Claim{}, r.Claims...)
		reproductions[i] = r
	}
	return reproductions, nil
}

// checkFigures returns an error for a figure that cannot be printed: the runs did not give it.
func checkFigures(r lab.Reproduction) error {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if x := row.Measured; math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("table %s, %v: measured %v, which is no number", t.ID, row.Case, x)
			}
		}
	}
	return nil
}
