package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"longhaul/lab"
	"longhaul/units"
)

// width is the length at which the sentences under the table are broken.
const width = 110

// Text writes r for people: the path, a table with a line per stack, and what the table says in words. It fails only
// when w does.
func Text(w io.Writer, r lab.Results) error {
	var b strings.Builder
	b.WriteString(header(&r) + "\n\n")
	b.WriteString(table(&r) + "\n")
	for _, sentence := range Verdict(r) {
		b.WriteString(wrap("", sentence))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// header describes the path and the runs.
func header(r *lab.Results) string {
	p := &r.Path
	s := fmt.Sprintf("%s x %s, BDP %s, queue %s", units.FormatRate(float64(p.Rate)), milliseconds(p.RTT), units.FormatBytes(float64(p.BDP)), queue(p))
	if p.ReverseRate != p.Rate {
		s += ", ACKs at " + units.FormatRate(float64(p.ReverseRate))
	}
	switch {
	case p.BER > 0:
		s += fmt.Sprintf(", bit error rate %v", units.Probability(p.BER))
	case p.Loss > 0:
		s += fmt.Sprintf(", loss %v", units.Probability(p.Loss))
	default:
		s += ", no loss"
	}
	if r.Window > 0 {
		s += fmt.Sprintf(", window %v", units.Size(r.Window))
	}
	if r.Bytes > 0 {
		s += ", " + units.FormatBytes(float64(r.Bytes)) + " to move"
	}
	s += fmt.Sprintf("\n%s of virtual time per stack, seed %d", units.Duration(time.Duration(math.Round(r.Duration*1e9))), r.Seed)
	if r.Repeat > 1 {
		s += fmt.Sprintf(", means of %d runs with the 95%% confidence interval", r.Repeat)
	}
	return s
}

// queue describes the waiting room at the bottleneck.
func queue(p *lab.PathResult) string {
	switch {
	case p.QueuePackets > 0:
		if p.QueuePackets == 1 {
			return "1 packet"
		}
		return units.FormatCount(int64(p.QueuePackets)) + " packets"
	case p.QueueBytes > 0:
		s := units.FormatBytes(float64(p.QueueBytes))
		if p.BDP > 0 {
			s += " (" + units.Significant(float64(p.QueueBytes)/float64(p.BDP)) + " BDP)"
		}
		return s
	}
	return "unlimited"
}

// table is a line of headings and a line per stack.
func table(r *lab.Results) string {
	steadiness := func(s *lab.Result) *float64 { return s.Stability }
	heading := "stability"
	if !slices.ContainsFunc(r.Results, func(s lab.Result) bool { return s.Stability != nil }) {
		// The run is too short for the figure that leaves the first minute out (C-43).
		steadiness = func(s *lab.Result) *float64 { return s.StabilityWhole }
		heading = "stability (whole)"
	}
	rows := [][]string{{"stack", "goodput", "of limit", heading, "RTT p50", "RTT p95", "sent again", "timeouts", "bound by"}}
	for i := range r.Results {
		s := &r.Results[i]
		stability, p50, p95 := "-", "-", "-"
		if x := steadiness(s); x != nil {
			stability = fmt.Sprintf("%.3f", *x)
		}
		if s.RTT != nil {
			p50, p95 = milliseconds(s.RTT.P50), milliseconds(s.RTT.P95)
		}
		goodput := units.FormatRate(s.GoodputBps)
		if half, ok := s.CI95["goodput_bps"]; ok && s.GoodputBps > 0 {
			goodput += " ±" + percent(half/s.GoodputBps)
		}
		rows = append(rows, []string{s.Stack, goodput, percent(s.FractionOfLimit), stability, p50, p95,
			units.FormatPercent(s.RetransShare), count(s.Timeouts), s.BoundBy})
	}
	return align(rows, 0, len(rows[0])-1)
}

// align sets rows in columns: those in left flush left, the others flush right.
func align(rows [][]string, left ...int) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if slices.Contains(left, i) {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// wrap breaks a sentence into lines no longer than width where it can. The first line begins with label, and the others
// are indented by as much.
func wrap(label, sentence string) string {
	indent := utf8.RuneCountInString(label)
	var b strings.Builder
	b.WriteString(label)
	column := indent
	for i, word := range strings.Fields(sentence) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
	return b.String()
}

// milliseconds writes a time given in milliseconds.
func milliseconds(ms float64) string {
	return units.FormatDuration(time.Duration(math.Round(ms * 1e6)))
}

// percent writes a share with one decimal, so that 99.6% is not 100%.
func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// count writes a count, or the mean of several.
func count(n float64) string {
	if n == math.Trunc(n) {
		return units.FormatCount(int64(n))
	}
	return units.Significant(n)
}
