package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"longhaul/lab"
	"longhaul/stacks"
	"longhaul/tcp"
	"longhaul/units"
)

// full is the share of the limit from which a stack counts as filling the path.
const full = 0.9

// Verdict says in sentences what the figures of r say: which stacks fill the path, what that costs, and for the
// others what keeps them from it. There is no sentence for results without stacks.
func Verdict(r lab.Results) []string {
	if len(r.Results) == 0 {
		return nil
	}
	var filling, falling []*lab.Result
	best := &r.Results[0]
	for i := range r.Results {
		s := &r.Results[i]
		if s.GoodputBps > best.GoodputBps {
			best = s
		}
		if s.FractionOfLimit >= full {
			filling = append(filling, s)
		} else {
			falling = append(falling, s)
		}
	}
	var sentences []string
	switch {
	case len(filling) == 0:
		sentences = append(sentences, fmt.Sprintf("No stack fills the path: the best, %s, reaches %s of the %s that are possible.",
			best.Stack, percent(best.FractionOfLimit), units.FormatRate(best.LimitBps)))
	default:
		sentences = append(sentences, fmt.Sprintf("%s the path (%s of the %s that are possible)%s.",
			subject(filling, "fills", "fill"), each(filling, func(s *lab.Result) float64 { return s.FractionOfLimit }, percent),
			units.FormatRate(filling[0].LimitBps), standing(&r, filling)))
	}
	wasting := slices.DeleteFunc(filling, func(s *lab.Result) bool { return s.RetransShare < 0.05 })
	if len(wasting) > 0 {
		sentences = append(sentences, fmt.Sprintf("%s much of it twice: %s of the octets sent had been sent before.",
			subject(wasting, "sends", "send"), each(wasting, retransShare, percent)))
	}
	if len(falling) > 0 {
		sentences = append(sentences, reasons(&r, falling))
	}
	if deaf := deafToLoss(&r); len(deaf) > 0 {
		sentences = append(sentences, subject(deaf, "takes", "take")+" every loss for noise, making way for nobody: for a path of one's own only (RFC 1106 s.4.2).")
	}
	return sentences
}

// deafToLoss returns the stacks that do not take losses for congestion.
func deafToLoss(r *lab.Results) (list []*lab.Result) {
	for i := range r.Results {
		s, err := stacks.Parse(r.Results[i].Stack)
		if err == nil && s.Config.Policy != tcp.LossIsCongestion {
			list = append(list, &r.Results[i])
		}
	}
	return list
}

// standing tells which of the filling stacks keep a queue at the bottleneck, and how long.
func standing(r *lab.Results, filling []*lab.Result) string {
	longer := func(s *lab.Result) float64 { return s.RTT.P50 / r.Path.RTT }
	var queueing []*lab.Result
	for _, s := range filling {
		switch {
		case s.RTT == nil || r.Path.RTT <= 0:
			return ""
		case longer(s) >= 1.2:
			queueing = append(queueing, s)
		}
	}
	times := func() string { return each(queueing, longer, units.Significant) }
	switch len(queueing) {
	case 0:
		return " without a standing queue"
	case len(filling):
		return fmt.Sprintf(", and the queue there makes the median round trip %s times as long as the path", times())
	}
	return fmt.Sprintf(", and with %s the queue there makes the median round trip %s times as long as the path",
		names(queueing), times())
}

// The finer causes of stacks that are bound by the link and yet do not fill it, and of those that never started.
const (
	linkLater = lab.BoundByLink + ", later"
	linkAgain = lab.BoundByLink + ", again"
	unopened  = lab.BoundByStartup + ", unopened"
	repairs   = lab.BoundByWindow + ", repairs"
)

// windowLaw returns the most that the window of r lets through the path, in bits per second, or 0 if it has none.
func windowLaw(r *lab.Results) float64 {
	if r.Window == 0 || r.Path.RTT <= 0 {
		return 0
	}
	return float64(r.Window) * 8 / (r.Path.RTT / 1000)
}

// cause returns what keeps s from filling the path: its BoundBy, or what explains a busy link, a start without end or a full window.
func cause(r *lab.Results, s *lab.Result) string {
	switch {
	case s.BoundBy == lab.BoundByWindow && s.Retransmitted > 0 && s.GoodputBps < 0.8*windowLaw(r):
		return repairs
	case s.BoundBy == lab.BoundByStartup && s.Connect == nil:
		return unopened
	case s.BoundBy == lab.BoundByLink && s.SteadyBps >= full*s.LimitBps:
		return linkLater
	case s.BoundBy == lab.BoundByLink && s.RetransShare >= 0.05:
		return linkAgain
	}
	return s.BoundBy
}

// reasons is one sentence about the stacks that do not fill the path, those with the same cause together.
func reasons(r *lab.Results, falling []*lab.Result) string {
	var causes []string
	byCause := map[string][]*lab.Result{}
	for _, s := range falling {
		c := cause(r, s)
		if byCause[c] == nil {
			causes = append(causes, c)
		}
		byCause[c] = append(byCause[c], s)
	}
	clauses := make([]string, len(causes))
	for i, c := range causes {
		clauses[i] = reason(r, c, byCause[c])
	}
	return strings.Join(clauses, "; ") + "."
}

// reason says what holds back stacks that have the same cause.
func reason(r *lab.Results, cause string, list []*lab.Result) string {
	switch cause {
	case lab.BoundByLoss:
		return fmt.Sprintf("%s back by loss: %s left %s in flight on average, and the path holds %s",
			subject(list, "is held", "are held"), episodes(list), each(list, inFlight, octets), units.FormatBytes(float64(r.Path.BDP)))
	case lab.BoundByTimeout:
		return fmt.Sprintf("%s for the retransmission timer (%s times)",
			subject(list, "sat waiting", "sat waiting"), each(list, func(s *lab.Result) float64 { return s.Timeouts }, count))
	case lab.BoundByWindow:
		if most := windowLaw(r); most > 0 {
			return fmt.Sprintf("%s back by the window: %v in a round trip of %s is %s at most",
				subject(list, "is held", "are held"), units.Size(r.Window), milliseconds(r.Path.RTT), units.FormatRate(most))
		}
		return subject(list, "is held", "are held") + " back by the window: a socket buffer was full most of the time"
	case repairs:
		return fmt.Sprintf("%s back by the window of %v, which is full whenever a repair is on its way (%s segments sent again)",
			subject(list, "is held", "are held"), units.Size(r.Window), each(list, func(s *lab.Result) float64 { return s.Retransmitted }, count))
	case lab.BoundByStartup:
		return fmt.Sprintf("%s starting up after %s, without any loss",
			subject(list, "is still", "are still"), units.Duration(time.Duration(r.Duration*1e9)))
	case unopened:
		return fmt.Sprintf("%s waiting for a connection to open after %s",
			subject(list, "is still", "are still"), units.Duration(time.Duration(r.Duration*1e9)))
	case lab.BoundByLink:
		return fmt.Sprintf("%s the link busy in the second half of the run (%s of what is possible was delivered then)",
			subject(list, "keeps", "keep"), each(list, func(s *lab.Result) float64 { return s.SteadyBps / s.LimitBps }, percent))
	case linkLater:
		return fmt.Sprintf("%s the path only once under way (%s)", subject(list, "fills", "fill"),
			// More than all is data that had waited behind a hole since the first half.
			each(list, func(s *lab.Result) float64 { return min(s.SteadyBps/s.LimitBps, 1) }, percent))
	case linkAgain:
		return fmt.Sprintf("%s the link busy, in part with data sent again (%s)", subject(list, "keeps", "keep"),
			each(list, retransShare, units.FormatPercent))
	case lab.BoundByController:
		return subject(list, "holds itself", "hold themselves") + " back: nothing was lost and no buffer was full"
	}
	return fmt.Sprintf("%s by %s", subject(list, "is bound", "are bound"), cause)
}

// episodes counts the cuts of the window: fast retransmits and timeouts.
func episodes(list []*lab.Result) string {
	counts := each(list, func(s *lab.Result) float64 { return s.FastRetransmits + s.Timeouts }, count)
	if counts == "1" {
		return "1 cut of the window"
	}
	return counts + " cuts of the window"
}

func retransShare(s *lab.Result) float64 { return s.RetransShare }

// inFlight estimates the mean number of octets in flight: goodput times round trip (Little's law). It is negative when that is not known.
func inFlight(s *lab.Result) float64 {
	if s.RTT == nil {
		return -1
	}
	return s.GoodputBps / 8 * s.RTT.Mean / 1000
}

// octets writes what inFlight returns.
func octets(n float64) string {
	if n < 0 {
		return "an unknown amount"
	}
	return units.FormatBytes(n)
}

// subject joins the stacks' names with the verb in the right number.
func subject(list []*lab.Result, one, many string) string {
	if len(list) == 1 {
		return names(list) + " " + one
	}
	return names(list) + " " + many
}

// names joins the stacks' names.
func names(list []*lab.Result) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = s.Stack
	}
	return enumerate(all)
}

// mostFigures is how many figures of one kind a sentence holds.
const mostFigures = 4

// each joins a figure of each stack: "1, 2 and 3", the figure alone when all have the same, or of many the least and the most.
func each(list []*lab.Result, value func(*lab.Result) float64, format func(float64) string) string {
	figures := make([]string, len(list))
	least, most, same := value(list[0]), value(list[0]), true
	for i, s := range list {
		x := value(s)
		least, most = min(least, x), max(most, x)
		figures[i] = format(x)
		same = same && figures[i] == figures[0]
	}
	switch {
	case same:
		return figures[0]
	case len(list) > mostFigures:
		return format(least) + " to " + format(most)
	}
	return enumerate(figures)
}

// enumerate joins names: "a, b and c". There is at least one.
func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
