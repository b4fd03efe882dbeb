package lab

import "gonum.org/v1/gonum/stat"

// figure is one number of a Result: its key, and where it is. Field returns nil when the Result does not have it.
type figure struct {
	key   string
	field func(r *Result) *float64
}

// figures are the numbers that repeated runs average.
var figures = []figure{
	{"goodput_bps", func(r *Result) *float64 { return &r.GoodputBps }},
	{"steady_bps", func(r *Result) *float64 { return &r.SteadyBps }},
	{"fraction_of_limit", func(r *Result) *float64 { return &r.FractionOfLimit }},
	{"stability", func(r *Result) *float64 { return r.Stability }},
	{"stability_whole", func(r *Result) *float64 { return r.StabilityWhole }},
	{"fairness", func(r *Result) *float64 { return r.Fairness }},
	{"rtt_ms.min", rtt(func(t *RTT) *float64 { return &t.Min })},
	{"rtt_ms.mean", rtt(func(t *RTT) *float64 { return &t.Mean })},
	{"rtt_ms.p50", rtt(func(t *RTT) *float64 { return &t.P50 })},
	{"rtt_ms.p95", rtt(func(t *RTT) *float64 { return &t.P95 })},
	{"rtt_ms.p99", rtt(func(t *RTT) *float64 { return &t.P99 })},
	{"convergence_s", func(r *Result) *float64 { return r.Convergence }},
	{"connect_s", func(r *Result) *float64 { return r.Connect }},
	{"completion_s", func(r *Result) *float64 { return r.Completion }},
	{"retransmitted", func(r *Result) *float64 { return &r.Retransmitted }},
	{"retransmitted_share", func(r *Result) *float64 { return &r.RetransShare }},
	{"timeouts", func(r *Result) *float64 { return &r.Timeouts }},
	{"timeout_share", func(r *Result) *float64 { return &r.TimeoutShare }},
	{"fast_retransmits", func(r *Result) *float64 { return &r.FastRetransmits }},
	{"spurious", func(r *Result) *float64 { return &r.Spurious }},
	{"link_drops.queue", func(r *Result) *float64 { return &r.LinkDrops.Queue }},
	{"link_drops.loss", func(r *Result) *float64 { return &r.LinkDrops.Loss }},
	{"link_drops.error", func(r *Result) *float64 { return &r.LinkDrops.Error }},
	{"link_drops.outage", func(r *Result) *float64 { return &r.LinkDrops.Outage }},
}

// rtt lifts a field of RTT to a field of Result.
func rtt(field func(*RTT) *float64) func(*Result) *float64 {
	return func(r *Result) *float64 {
		if r.RTT == nil {
			return nil
		}
		return field(r.RTT)
	}
}

// aggregate returns the mean of the results of one stack's runs with confidence intervals. A figure that
// some runs lack is the mean over those that have it, and bound_by is the most frequent, of two equally frequent
// the one seen first.
func aggregate(runs []Result) Result {
	if len(runs) == 1 {
		return runs[0]
	}
	mean := blank(runs)
	mean.CI95 = map[string]float64{}
	for _, f := range figures {
		var x []float64
		for i := range runs {
			if v := f.field(&runs[i]); v != nil {
				x = append(x, *v)
			}
		}
		if len(x) == 0 {
			continue
		}
		*f.field(&mean) = stat.Mean(x, nil)
		if len(x) > 1 {
			mean.CI95[f.key] = Interval95(x)
		}
	}
	for i := range runs {
		for j := range mean.Samples {
			mean.Samples[j] += runs[i].Samples[j] / float64(len(runs))
		}
	}
	mean.BoundBy = mostFrequent(runs)
	return mean
}

// blank returns a Result with room for every figure that one of the runs has, and for the samples that all have.
func blank(runs []Result) Result {
	first := &runs[0]
	b := Result{Stack: first.Stack, Streams: first.Streams, LimitBps: first.LimitBps}
	samples := len(first.Samples)
	for i := range runs {
		r := &runs[i]
		room(&b.Stability, r.Stability)
		room(&b.StabilityWhole, r.StabilityWhole)
		room(&b.Fairness, r.Fairness)
		room(&b.Convergence, r.Convergence)
		room(&b.Connect, r.Connect)
		room(&b.Completion, r.Completion)
		room(&b.RTT, r.RTT)
		samples = min(samples, len(r.Samples))
	}
	b.Samples = make([]float64, samples)
	return b
}

// room makes *to point at a new value if from points at one.
func room[T any](to **T, from *T) {
	if *to == nil && from != nil {
		*to = new(T)
	}
}

func mostFrequent(runs []Result) string {
	counts := map[string]int{}
	best := ""
	for i := range runs {
		counts[runs[i].BoundBy]++
	}
	for i := range runs {
		if b := runs[i].BoundBy; counts[b] > counts[best] {
			best = b
		}
	}
	return best
}
