package experiments

import "longhaul/lab"

// plan is the runs of an experiment, by the names of their cases, so that a report finds what they gave.
type plan struct {
	o     Options
	cases []lab.Case
	at    map[string]span
}

// span is where the runs of a case are.
type span struct{ first, runs int }

// quietly has the sinks see nothing of what is planned from here on.
func (p *plan) quietly() { p.o.Packets, p.o.Trace = nil, nil }

// add plans that many runs of c.
func (p *plan) add(c lab.Case, runs int) {
	if p.at == nil {
		p.at = map[string]span{}
	}
	p.at[c.Name] = span{len(p.cases), runs}
	p.cases = append(p.cases, p.o.Repeat(c, runs)...)
}

// findings are a plan and what its runs gave, in their order.
type findings struct {
	*plan
	results [][]lab.Result
}

// each returns a figure of the first flow in each run of a case.
func (f findings) each(name string, figure func(r *lab.Result) float64) []float64 {
	s := f.at[name]
	x := make([]float64, s.runs)
	for i := range x {
		x[i] = figure(&f.results[s.first+i][0])
	}
	return x
}

// The figures that experiments ask for.

func octetsPerSecond(r *lab.Result) float64 { return r.GoodputBps / 8 }

func sentAgain(r *lab.Result) float64 { return r.RetransShare }

func timeouts(r *lab.Result) float64 { return r.Timeouts }

func queueDrops(r *lab.Result) float64 { return r.LinkDrops.Queue }

// completion is in seconds; 0 when the transfer did not end.
func completion(r *lab.Result) float64 {
	if r.Completion == nil {
		return 0
	}
	return *r.Completion
}
