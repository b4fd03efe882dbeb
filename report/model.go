package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"longhaul/lab"
	"longhaul/units"
)

// EstimateJSON writes e as one JSON document. It fails only when w does.
func EstimateJSON(w io.Writer, e lab.Estimate) error { return document(w, e) }

// EstimateText writes e for people: the path, a line per law and per stack, and what to make of them.
func EstimateText(w io.Writer, e lab.Estimate) error {
	var b strings.Builder
	b.WriteString(wrap("", fmt.Sprintf("Round trip %s, segments of %d octets in packets of %d, bit error rate %s: packet loss %s",
		milliseconds(e.RTT), e.MSS, e.Packet, units.Significant(e.BER), units.FormatPercent(e.Loss))))
	b.WriteString(limits(e.Rate, e.Window))
	b.WriteString("\n" + predictions("law for one Reno connection", e.Laws))
	if len(e.Stacks) > 0 {
		b.WriteString("\n" + predictions("stack", e.Stacks))
	}
	b.WriteByte('\n')
	for _, line := range formulas(slices.Concat(e.Laws, e.Stacks)) {
		b.WriteString(wrap("- ", line))
	}
	b.WriteByte('\n')
	for _, sentence := range estimateVerdict(&e) {
		b.WriteString(wrap("", sentence))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// limits is a line with what else caps a transfer, or nothing.
func limits(rate int64, window int) string {
	var list []string
	if rate > 0 {
		list = append(list, "link "+units.FormatRate(float64(rate)))
	}
	if window > 0 {
		list = append(list, "window "+units.Size(window).String())
	}
	if list == nil {
		return ""
	}
	return enumerate(list) + "\n"
}

// predictions is a table of formulas.
func predictions(what string, list []lab.Prediction) string {
	rows := [][]string{{what, "throughput", "bound by"}}
	for _, p := range list {
		x := "unlimited"
		if p.Throughput != nil {
			x = units.FormatRate(*p.Throughput)
		}
		if !p.InDomain {
			x += " ?"
		}
		rows = append(rows, []string{p.Name, x, p.BoundBy})
	}
	return align(rows, 0, 2)
}

// formulas is a line for each formula, with all that it is for.
func formulas(list []lab.Prediction) []string {
	var lines []string
	names := map[string][]string{}
	for _, p := range list {
		line := p.Formula + " (" + p.Source + ")"
		if names[line] == nil {
			lines = append(lines, line)
		}
		names[line] = append(names[line], p.Name)
	}
	for i, line := range lines {
		lines[i] = enumerate(names[line]) + ": " + line
	}
	return lines
}

// estimateVerdict says what the figures mean.
func estimateVerdict(e *lab.Estimate) []string {
	var list []string
	doubtful := func(p lab.Prediction) bool { return !p.InDomain }
	if slices.ContainsFunc(e.Laws, doubtful) || slices.ContainsFunc(e.Stacks, doubtful) {
		list = append(list, fmt.Sprintf("A figure with ? is beyond what its formula is meant for: a packet loss of %s. Simulate it: longhaul compare.", units.FormatPercent(e.Loss)))
	}
	if len(e.WithoutLaw) > 0 {
		list = append(list, "No formula is known for "+enumerate(e.WithoutLaw)+": longhaul compare simulates what has none.")
	}
	law := e.Laws[0]
	if law.Throughput == nil {
		return append(list, "Without errors only the link and the window limit a transfer.")
	}
	if law.BoundBy == "loss" {
		list = append(list, "By the square root of the error rate, ten times the throughput of Reno takes a hundredth of the errors; "+
			"SACK helps where several losses come in one round trip, and beyond that another stack does.")
	}
	return list
}

// PlanJSON writes p as one JSON document. It fails only when w does.
func PlanJSON(w io.Writer, p lab.Plan) error { return document(w, p) }

// PlanText writes p for people: the target, the bit error rate that each law and each stack needs for it, and what to make of them.
func PlanText(w io.Writer, p lab.Plan) error {
	var b strings.Builder
	b.WriteString(wrap("", fmt.Sprintf("To move %s over a round trip of %s, segments of %d octets in packets of %d",
		units.FormatRate(p.Target), milliseconds(p.RTT), p.MSS, p.Packet)))
	b.WriteString(limits(0, p.Window))
	rows := [][]string{{"law for one Reno connection", "bit error rate", "packet loss"}}
	for _, x := range p.Laws {
		rows = append(rows, append([]string{x.Name}, bought(&x)...))
	}
	b.WriteString("\n" + align(rows, 0))
	if len(p.Stacks) > 0 {
		rows = [][]string{{"stack", "by formula", "packet loss", "by simulation", "packet loss", "moves there"}}
		for _, s := range p.Stacks {
			row := append([]string{s.Stack}, bought(s.Model)...)
			row = append(row, bought(s.Simulated)...)
			there := "-"
			if s.Simulated != nil && s.Simulated.BER != nil {
				there = units.FormatRate(s.Simulated.Goodput)
			}
			rows = append(rows, append(row, there))
		}
		b.WriteString("\n" + align(rows, 0))
	}
	b.WriteByte('\n')
	for _, sentence := range planVerdict(&p) {
		b.WriteString(wrap("", sentence))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bought is the two cells of a purchase.
func bought(x *lab.Purchase) []string {
	switch {
	case x == nil:
		return []string{"-", "-"}
	case x.BER == nil:
		return []string{"out of reach", "-"}
	case x.Worse:
		return []string{units.Significant(*x.BER) + " or worse", units.FormatPercent(*x.Loss)}
	}
	return []string{units.Significant(*x.BER), units.FormatPercent(*x.Loss)}
}

// planVerdict says what the figures mean.
func planVerdict(p *lab.Plan) []string {
	var list []string
	if p.Runs > 0 && len(p.Stacks) > 0 {
		list = append(list, fmt.Sprintf("Simulated over a link of %s with a queue of one BDP: the mean of %d runs of %s, a tenth of a decade apart, seed %d.",
			units.FormatRate(float64(p.Rate)), p.Runs, units.Duration(time.Duration(math.Round(p.Duration*1e9))), p.Seed))
	}
	if p.NotSimulated != "" && len(p.Stacks) > 0 {
		list = append(list, "Not simulated: "+p.NotSimulated+".")
	}
	if strictest, easiest := extremes(p); easiest != nil && strictest != easiest {
		list = append(list, fmt.Sprintf("Buy %s for %s; %s is content with %s, %s times as many errors.", units.Significant(*rateOf(strictest)), strictest.Stack,
			easiest.Stack, units.Significant(*rateOf(easiest)), multiple(*rateOf(easiest) / *rateOf(strictest))))
	}
	return append(list, "For more than that buy a better bit error rate, by the square of the factor with Reno, or take a stack that needs less. "+
		"SACK alone helps where several losses come in one round trip.")
}

// multiple writes how many times as much something is, with two digits.
func multiple(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return count(math.Round(x/unit) * unit)
}

// rateOf is the bit error rate that a stack needs: as simulated, or else by its formula; nil if there is none.
func rateOf(s *lab.StackPurchase) *float64 {
	switch {
	case s.Simulated != nil:
		return s.Simulated.BER
	case s.Model != nil:
		return s.Model.BER
	}
	return nil
}

// extremes returns the stacks that need the best and the worst bit error rate.
func extremes(p *lab.Plan) (strictest, easiest *lab.StackPurchase) {
	for i := range p.Stacks {
		s := &p.Stacks[i]
		x := rateOf(s)
		if x == nil {
			continue
		}
		if strictest == nil || *x < *rateOf(strictest) {
			strictest = s
		}
		if easiest == nil || *x > *rateOf(easiest) {
			easiest = s
		}
	}
	return strictest, easiest
}
