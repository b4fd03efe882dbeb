package lab

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sampleInterval is the width of a throughput sample, as iperf's reports had in the measurements that are
// reproduced here (requirement R70).
const sampleInterval = 5 * time.Second

// startup is how much of a run stability leaves out (C-43).
const startup = 60 * time.Second

// Jain returns the fairness index (sum x)^2 / (n sum x^2) of Jain, Chiu and Hawe (DEC-TR-301), from 1/n to 1. It is
// NaN when x is empty or all zero.
func Jain(x []float64) float64 {
	var sum, squares float64
	for _, v := range x {
		sum += v
		squares += float64(v * v)
	}
	return sum * sum / (float64(len(x)) * squares)
}

// Asymmetry returns (a - b) / (a + b), from -1 to 1, or NaN when both are 0 (requirement R75).
func Asymmetry(a, b float64) float64 { return (a - b) / (a + b) }

// Stability returns the sample standard deviation of x over its mean (requirement R74, C-43), or NaN with fewer
// than two samples or a mean of 0.
func Stability(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return sd / mean
}

// Convergence returns the time from which all later samples lie within 10 % of the final mean, which is the
// mean of the second half of the samples. Samples are interval long each, the first beginning at time 0. It
// reports false when fewer than two samples stay that close to the end.
func Convergence(x []float64, interval time.Duration) (time.Duration, bool) {
	if len(x) < 2 {
		return 0, false
	}
	final := stat.Mean(x[len(x)/2:], nil)
	from := len(x)
	for from > 0 && math.Abs(x[from-1]-final) <= 0.1*final {
		from--
	}
	if from > len(x)-2 {
		return 0, false
	}
	return time.Duration(from) * interval, true
}

// Interval95 returns half the width of the 95 % confidence interval of the mean of x (Student's t), or NaN with
// fewer than two values.
func Interval95(x []float64) float64 {
	n := float64(len(x))
	if n < 2 {
		return math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return t * stat.StdDev(x, nil) / math.Sqrt(n)
}

// summarize returns the distribution of the round-trip times, or nil when there is none. Percentiles are those of
// the nearest rank.
func summarize(rtts []time.Duration) *RTT {
	if len(rtts) == 0 {
		return nil
	}
	ms := make([]float64, len(rtts))
	for i, d := range rtts {
		ms[i] = float64(d) / 1e6
	}
	slices.Sort(ms)
	q := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, ms, nil) }
	return &RTT{Min: ms[0], Mean: stat.Mean(ms, nil), P50: q(0.5), P95: q(0.95), P99: q(0.99)}
}

// optional returns &x, or nil for NaN: JSON has no NaN, and a figure that does not exist is null.
func optional(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
