package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"longhaul/lab"
)

// column is one column of the CSV file: a name, which is the JSON key, and how to fill it in.
type column struct {
	name  string
	value func(r *lab.Results, s *lab.Result) string
}

// columns are the columns of the CSV file.
var columns = []column{
	{"rate_bps", func(r *lab.Results, _ *lab.Result) string { return strconv.FormatInt(r.Path.Rate, 10) }},
	{"path_rtt_ms", func(r *lab.Results, _ *lab.Result) string { return number(r.Path.RTT) }},
	{"loss", func(r *lab.Results, _ *lab.Result) string { return number(r.Path.Loss) }},
	{"ber", func(r *lab.Results, _ *lab.Result) string { return number(r.Path.BER) }},
	{"queue_packets", func(r *lab.Results, _ *lab.Result) string { return nonzero(r.Path.QueuePackets) }},
	{"queue_bytes", func(r *lab.Results, _ *lab.Result) string { return nonzero(r.Path.QueueBytes) }},
	{"window_bytes", func(r *lab.Results, _ *lab.Result) string { return nonzero(int(r.Window)) }},
	{"duration_s", func(r *lab.Results, _ *lab.Result) string { return number(r.Duration) }},
	{"seed", func(r *lab.Results, _ *lab.Result) string { return strconv.FormatUint(r.Seed, 10) }},
	{"repeat", func(r *lab.Results, _ *lab.Result) string { return strconv.Itoa(r.Repeat) }},

	{"stack", func(_ *lab.Results, s *lab.Result) string { return s.Stack }},
	{"streams", func(_ *lab.Results, s *lab.Result) string { return strconv.Itoa(s.Streams) }},
	{"goodput_bps", func(_ *lab.Results, s *lab.Result) string { return number(s.GoodputBps) }},
	{"goodput_bps.ci95", func(_ *lab.Results, s *lab.Result) string { return interval(s, "goodput_bps") }},
	{"steady_bps", func(_ *lab.Results, s *lab.Result) string { return number(s.SteadyBps) }},
	{"limit_bps", func(_ *lab.Results, s *lab.Result) string { return number(s.LimitBps) }},
	{"fraction_of_limit", func(_ *lab.Results, s *lab.Result) string { return number(s.FractionOfLimit) }},
	{"stability", func(_ *lab.Results, s *lab.Result) string { return maybe(s.Stability) }},
	{"stability_whole", func(_ *lab.Results, s *lab.Result) string { return maybe(s.StabilityWhole) }},
	{"fairness", func(_ *lab.Results, s *lab.Result) string { return maybe(s.Fairness) }},
	{"rtt_ms.min", rtt(func(d *lab.RTT) float64 { return d.Min })},
	{"rtt_ms.mean", rtt(func(d *lab.RTT) float64 { return d.Mean })},
	{"rtt_ms.p50", rtt(func(d *lab.RTT) float64 { return d.P50 })},
	{"rtt_ms.p95", rtt(func(d *lab.RTT) float64 { return d.P95 })},
	{"rtt_ms.p99", rtt(func(d *lab.RTT) float64 { return d.P99 })},
	{"convergence_s", func(_ *lab.Results, s *lab.Result) string { return maybe(s.Convergence) }},
	{"connect_s", func(_ *lab.Results, s *lab.Result) string { return maybe(s.Connect) }},
	{"completion_s", func(_ *lab.Results, s *lab.Result) string { return maybe(s.Completion) }},
	{"retransmitted", func(_ *lab.Results, s *lab.Result) string { return number(s.Retransmitted) }},
	{"retransmitted_share", func(_ *lab.Results, s *lab.Result) string { return number(s.RetransShare) }},
	{"timeouts", func(_ *lab.Results, s *lab.Result) string { return number(s.Timeouts) }},
	{"timeout_share", func(_ *lab.Results, s *lab.Result) string { return number(s.TimeoutShare) }},
	{"fast_retransmits", func(_ *lab.Results, s *lab.Result) string { return number(s.FastRetransmits) }},
	{"spurious", func(_ *lab.Results, s *lab.Result) string { return number(s.Spurious) }},
	{"link_drops.queue", func(_ *lab.Results, s *lab.Result) string { return number(s.LinkDrops.Queue) }},
	{"link_drops.loss", func(_ *lab.Results, s *lab.Result) string { return number(s.LinkDrops.Loss) }},
	{"link_drops.error", func(_ *lab.Results, s *lab.Result) string { return number(s.LinkDrops.Error) }},
	{"link_drops.outage", func(_ *lab.Results, s *lab.Result) string { return number(s.LinkDrops.Outage) }},
	{"bound_by", func(_ *lab.Results, s *lab.Result) string { return s.BoundBy }},
}

// CSV writes a line of column names, which are the keys of the JSON document, and a line per stack. It fails only
// when w does.
func CSV(w io.Writer, r lab.Results) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	_ = out.Write(line) // an error stays in out and shows below
	for k := range r.Results {
		for i, c := range columns {
			line[i] = c.value(&r, &r.Results[k])
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// rtt makes a column of one figure of the probe.
func rtt(figure func(*lab.RTT) float64) func(*lab.Results, *lab.Result) string {
	return func(_ *lab.Results, s *lab.Result) string {
		if s.RTT == nil {
			return ""
		}
		return number(figure(s.RTT))
	}
}

// number writes x with every digit.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// maybe writes a figure that may be missing.
func maybe(x *float64) string {
	if x == nil {
		return ""
	}
	return number(*x)
}

// nonzero writes n, or nothing for 0, which stands for "none given".
func nonzero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// interval writes half the width of the confidence interval of the figure of that key, if there is one.
func interval(s *lab.Result, key string) string {
	if half, ok := s.CI95[key]; ok {
		return number(half)
	}
	return ""
}
