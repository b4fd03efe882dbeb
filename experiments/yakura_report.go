package experiments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"longhaul/lab"
)

// yakuraReport turns what the runs of Yakura gave into tables, figures, claims and notes.
type yakuraReport struct{ findings }

func (y yakuraReport) reproduction() lab.Reproduction {
	return lab.Reproduction{
		Setup: []string{
			"The path is the thesis's test bed: Ethernet of 100 Mbit/s, a round trip of 50 ms, a queue that takes all. Losses are independent and hit data only, at the " +
				"sender, sent again or not (C-34).",
			"The hosts are of 1999: Reno, a 500 ms clock with a timeout of at least 1 s, a first window of one segment, delayed ACKs, no pacing, no timestamps, 128 KiB of socket buffer (R50). " +
				"Standard is Reno without SACK, and of n it is n connections that share buffer and data (C-31). Proposed is split-and-control with NACKs per sub-connection and growth " +
				"by octets; no FACK is the same with inflation and partial ACKs.",
			"The thesis's tables are lost (C-24), so that no cell has a published figure beside it; its claims are what can be compared.",
			fmt.Sprintf("Cells with losses are means of %d runs with their 95 %% confidence interval; sizes are in units of 1024 octets.", yakuraRuns(y.o)),
		},
		Tables:  y.tables(),
		Figures: y.figures(),
		Claims:  y.claims(),
		Notes: []string{
			"256 kB is run although the thesis's figures may lack it (C-33). What tables 5 to 10 of the thesis showed is not known (C-32): timeouts, fast retransmits and the " +
				"share of time spent waiting for a timeout are given.",
			"With n windows a loss takes 1/(2n) of the whole, so that n sub-connections take about the shares of n connections where losses hit them one by one. That is a gain on a path of " +
				"one's own and a harm to others on a shared one (C-36): the tables of fairness say how much.",
		},
	}
}

// figureOf numbers the thesis's figures by loss.
var figureOf = map[float64]string{0: "fig16", 0.03: "fig17", 0.05: "fig18"}

func (y yakuraReport) tables() []lab.Table {
	var tables []lab.Table
	for _, loss := range yakuraLosses {
		tables = append(tables, y.times(loss))
	}
	for _, loss := range yakuraLosses[1:] {
		tables = append(tables, y.repairs(loss))
	}
	return append(tables, y.scope(), y.slow(), y.fairness())
}

// times is one of figures 16 to 18: transfer time by size.
func (y yakuraReport) times(loss float64) lab.Table {
	t := lab.Table{ID: figureOf[loss], Title: fmt.Sprintf("Transfer time at %g %% loss", 100*loss), Across: "kB"}
	for _, subject := range yakuraSubjects {
		for _, n := range yakuraParts {
			for _, size := range yakuraSizes {
				t.Rows = append(t.Rows, lab.NewRow(at("sender", subject, "n", n, "kB", size), nil, y.each(yakuraName(subject, n, size, loss), completion), "s"))
			}
		}
	}
	return t
}

// repairs is what became of the losses of the largest transfer (tables 3 to 6 of the thesis).
func (y yakuraReport) repairs(loss float64) lab.Table {
	t := lab.Table{ID: fmt.Sprintf("repairs%.0f", 100*loss), Title: fmt.Sprintf("Of 512 kB at %g %% loss, means a run: timeouts, fast retransmits and the share of time spent waiting for a timeout (R51)", 100*loss), Across: "figure"}
	for _, subject := range yakuraSubjects {
		for _, n := range yakuraParts {
			name := yakuraName(subject, n, 512, loss)
			place := func(figure string) lab.Coordinates { return at("sender", subject, "n", n, "figure", figure) }
			t.Rows = append(t.Rows,
				count(place("timeouts"), y.each(name, timeouts)),
				count(place("fast retransmits"), y.each(name, fastRetransmits)),
				lab.NewRow(place("waiting for a timeout"), nil, y.each(name, waiting), "%"))
		}
	}
	return t
}

// scope compares the two readings of how NACKs count (C-29).
func (y yakuraReport) scope() lab.Table {
	t := lab.Table{ID: "scope", Title: "NACKs counted in the sub-connection or over the whole connection (C-29): 512 kB", Across: "figure"}
	for _, loss := range yakuraLosses[1:] {
		for _, subject := range []string{"proposed", "whole connection"} {
			for _, n := range yakuraParts {
				name := yakuraName(subject, n, 512, loss)
				place := func(figure string) lab.Coordinates {
					return at("loss", fmt.Sprintf("%g %%", 100*loss), "NACKs", subject, "n", n, "figure", figure)
				}
				t.Rows = append(t.Rows, lab.NewRow(place("time"), nil, y.each(name, completion), "s"), count(place("timeouts"), y.each(name, timeouts)))
			}
		}
	}
	return t
}

// slow is the slow link (R53).
func (y yakuraReport) slow() lab.Table {
	t := lab.Table{ID: "slow", Title: "A link of 64 kbit/s with a queue of 3,200 octets, no losses but its own: 64 kB (R53)", Across: "figure"}
	for _, subject := range yakuraSubjects {
		for _, n := range yakuraParts {
			name := fmt.Sprintf("slow/%s/%d", subject, n)
			place := func(figure string) lab.Coordinates { return at("sender", subject, "n", n, "figure", figure) }
			percent := func(r *lab.Result) float64 { return 100 * sentAgain(r) }
			t.Rows = append(t.Rows,
				lab.NewRow(place("time"), nil, y.each(name, completion), "s"),
				lab.NewRow(place("sent again"), nil, y.each(name, percent), "%"),
				count(place("timeouts"), y.each(name, timeouts)))
		}
	}
	return t
}

// shares returns what a connection of n took of the two flows' goodput, in each run.
func (y yakuraReport) shares(queue string, n int) []float64 {
	var x []float64
	for run := range yakuraRuns(y.o) {
		r := y.results[y.at[sharedName(queue, n, run)].first]
		x = append(x, r[0].SteadyBps/(r[0].SteadyBps+r[1].SteadyBps))
	}
	return x
}

// fairness is what the thesis left to do: a connection of n beside one of Reno (R54, R55).
func (y yakuraReport) fairness() lab.Table {
	t := lab.Table{ID: "fairness", Title: "A connection of n beside one of Reno through 10 Mbit/s, 50 ms and a queue of one BDP: its share, beside n/(n+1), and the asymmetry (R54, R55)", Across: "figure"}
	for _, queue := range sharedQueues {
		for _, n := range yakuraParts {
			x := y.shares(queue, n)
			a := make([]float64, len(x))
			for i := range x {
				a[i] = lab.Asymmetry(x[i], 1-x[i])
			}
			t.Rows = append(t.Rows,
				lab.NewRow(at("queue", queue, "n", n, "figure", "share"), new(float64(n)/float64(n+1)), x, ""),
				lab.NewRow(at("queue", queue, "n", n, "figure", "asymmetry"), nil, a, ""))
		}
	}
	return t
}

func fastRetransmits(r *lab.Result) float64 { return r.FastRetransmits }

func waiting(r *lab.Result) float64 { return 100 * r.TimeoutShare }

// mean returns the mean over the runs of a transfer of 512 kB.
func (y yakuraReport) mean(subject string, n int, loss float64, figure func(*lab.Result) float64) float64 {
	return stat.Mean(y.each(yakuraName(subject, n, 512, loss), figure), nil)
}

// figures are the thesis's figures 16 to 18 and the sequence plots 19 to 21.
func (y yakuraReport) figures() []lab.Figure {
	var list []lab.Figure
	for _, loss := range yakuraLosses {
		f := lab.Figure{ID: figureOf[loss], Title: fmt.Sprintf("Transfer time at %g %% loss", 100*loss), X: "size (kB)", Y: "time (s)"}
		for _, subject := range yakuraSubjects {
			for _, n := range []int{1, 4, 16} {
				s := lab.Series{Name: fmt.Sprintf("%s, n = %d", subject, n), Line: true}
				for _, size := range yakuraSizes {
					s.Points = append(s.Points, lab.Point{X: float64(size), Y: stat.Mean(y.each(yakuraName(subject, n, size, loss), completion), nil)})
				}
				f.Series = append(f.Series, s)
			}
		}
		list = append(list, f)
	}
	for i, subject := range []string{"standard", "proposed"} {
		list = append(list, y.sequencePlot(fmt.Sprintf("fig%d", 19+i), subject, false))
	}
	return append(list, y.sequencePlot("fig21", "proposed", true))
}

// sequencePlot draws what a run of 512 kB at 3 % loss sent and what was acknowledged, by sub-connection if asked for.
func (y yakuraReport) sequencePlot(id, subject string, bySub bool) lab.Figure {
	f := lab.Figure{ID: id, Title: "Sequence numbers of 512 kB at 3 % loss, " + subject + ", n = 4", X: "time (s)", Y: "offset in the stream (kB)"}
	sent := map[string]*lab.Series{}
	add := func(name string, line bool, p lab.Point) {
		if sent[name] == nil {
			sent[name] = &lab.Series{Name: name, Line: line}
		}
		sent[name].Points = append(sent[name].Points, p)
	}
	for _, p := range y.results[y.at["drawn/"+subject].first][0].Sequence {
		at := lab.Point{X: p.Time, Y: float64(p.Octet) / 1024}
		switch {
		case p.ACK:
			add("acknowledged", true, at)
		case p.Again:
			add("sent again", false, at)
		case bySub:
			add(fmt.Sprintf("sub-connection %d", p.Sub), false, at)
		default:
			add("sent", false, at)
		}
	}
	for _, name := range []string{"acknowledged", "sent", "sub-connection 0", "sub-connection 1", "sub-connection 2", "sub-connection 3", "sent again"} {
		if s := sent[name]; s != nil {
			f.Series = append(f.Series, *s)
		}
	}
	return f
}

// span returns the extent of a figure over the larger n of the thesis: 4, 8 and 16.
func (y yakuraReport) span(subject string, loss float64, figure func(*lab.Result) float64) extent {
	larger := yakuraParts[2:]
	return extentOf(len(larger), func(i int) float64 { return y.mean(subject, larger[i], loss, figure) })
}

func (y yakuraReport) claims() []lab.Claim {
	claims := []lab.Claim{y.harmless()}
	for _, loss := range yakuraLosses[1:] {
		claims = append(claims, y.faster(loss), y.repaired(loss), y.between(loss))
	}
	return append(claims, y.slowLink(), y.cost())
}

// harmless: without loss splitting costs nothing.
func (y yakuraReport) harmless() lab.Claim {
	worst := extentOf(len(yakuraParts), func(i int) float64 {
		return y.mean("proposed", yakuraParts[i], 0, completion) / y.mean("standard", 1, 0, completion)
	})
	holds := worst.most <= 1.05
	return lab.Claim{ID: "R52-i", Text: "Without loss the proposal does no harm: it takes at most 5 % longer than one standard connection.", Verdict: verdict(holds),
		Measured: fmt.Sprintf("%.2f to %.2f times the time.", worst.least, worst.most),
		Reason:   unless(holds, "Growth is by octets and by each window, see the table of figure 16.")}
}

// faster: with loss, four sub-connections and more beat one, and standard TCP.
func (y yakuraReport) faster(loss float64) lab.Claim {
	one, standard := y.mean("proposed", 1, loss, completion), y.mean("standard", 1, loss, completion)
	many := y.span("proposed", loss, completion)
	holds := many.most < one && many.most < standard
	return lab.Claim{ID: fmt.Sprintf("R52-ii at %g %%", 100*loss), Text: "With n of 4 and more 512 kB take less time than with one sub-connection, and than with standard TCP.", Verdict: verdict(holds),
		Measured: fmt.Sprintf("%.1f to %.1f s; %.1f s with n = 1 and %.1f s with standard TCP.", many.least, many.most, one, standard),
		Reason:   unless(holds, "See the tables: what is waited for is the timer.")}
}

// repaired: timeouts fall and fast retransmits rise.
func (y yakuraReport) repaired(loss float64) lab.Claim {
	before, after := y.mean("proposed", 1, loss, timeouts), y.span("proposed", loss, timeouts)
	fast, faster := y.mean("standard", 1, loss, fastRetransmits), y.span("proposed", loss, fastRetransmits)
	standard := y.mean("standard", 1, loss, timeouts)
	holds := after.most < before && after.most < standard && faster.least > fast
	return lab.Claim{ID: fmt.Sprintf("R52-iii at %g %%", 100*loss), Text: "With n of 4 and more there are fewer timeouts than with one sub-connection and than with standard TCP, and more losses are repaired by fast retransmit.", Verdict: verdict(holds),
		Measured: fmt.Sprintf("%.1f to %.1f timeouts a run, %.1f with n = 1 and %.1f with standard TCP; %.1f to %.1f fast retransmits, %.1f with standard TCP.",
			after.least, after.most, before, standard, faster.least, faster.most, fast),
		Reason: unless(holds, fmt.Sprintf("What splits the window also splits what can be counted: at n = 16 a sub-connection has hardly the three later segments that show a loss. Timeouts at n = 4, 8 and 16: %.1f, %.1f, %.1f.",
			y.mean("proposed", 4, loss, timeouts), y.mean("proposed", 8, loss, timeouts), y.mean("proposed", 16, loss, timeouts)))}
}

// between: the variant without FACK lies between the proposal and standard TCP.
func (y yakuraReport) between(loss float64) lab.Claim {
	proposed, middle, standard := y.mean("proposed", 4, loss, completion), y.mean("no FACK", 4, loss, completion), y.mean("standard", 1, loss, completion)
	holds := proposed <= middle && middle <= standard
	return lab.Claim{ID: fmt.Sprintf("R52-iv at %g %%", 100*loss), Text: "Without FACK four sub-connections take longer than with it, and less long than standard TCP.", Verdict: verdict(holds),
		Measured: fmt.Sprintf("%.1f s with FACK, %.1f s without, %.1f s with standard TCP.", proposed, middle, standard),
		Reason:   unless(holds, "Without FACK a lost retransmission waits for the timer, and so does every loss that comes too close to the one before.")}
}

// slowLink: on a slow link with a small queue the proposal does no worse.
func (y yakuraReport) slowLink() lab.Claim {
	time := func(subject string, n int) float64 {
		return y.each(fmt.Sprintf("slow/%s/%d", subject, n), completion)[0]
	}
	worst := extentOf(len(yakuraParts), func(i int) float64 { return time("proposed", yakuraParts[i]) / time("standard", 1) })
	holds := worst.most <= 1.05
	return lab.Claim{ID: "R53", Text: "On a slow link with a small queue the proposal takes at most 5 % longer than one standard connection.", Verdict: verdict(holds),
		Measured: fmt.Sprintf("%.2f to %.2f times the time.", worst.least, worst.most),
		Reason:   unless(holds, "n windows of at least a segment overfill a queue that holds two, see the table.")}
}

// cost: what n sub-connections take from others grows with n.
func (y yakuraReport) cost() lab.Claim {
	rises, last := true, 0.0
	var text string
	for i, n := range yakuraParts {
		tail, red := stat.Mean(y.shares("tail drop", n), nil), stat.Mean(y.shares("RED", n), nil)
		rises = rises && tail > last
		last = tail
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("n = %d: %.2f and %.2f", n, tail, red)
	}
	holds := rises && math.Abs(stat.Mean(y.shares("tail drop", 1), nil)-0.5) < 0.1
	return lab.Claim{ID: "R54", Text: "One sub-connection shares a bottleneck evenly with Reno, and n take more the larger n is.", Verdict: verdict(holds),
		Measured: "shares with tail drop and with RED, " + text + ".",
		Reason:   unless(holds, "See the table of fairness.")}
}
