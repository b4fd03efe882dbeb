package units

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// FormatRate writes a measured rate in bits per second, e.g. "155 Mbit/s".
func FormatRate(bitsPerSecond float64) string {
	return withUnit(bitsPerSecond, []string{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"})
}

// FormatBytes writes a measured number of octets in powers of 1000, e.g. "1.36 MB".
func FormatBytes(octets float64) string {
	return withUnit(octets, []string{"B", "kB", "MB", "GB", "TB"})
}

// FormatDuration writes a measured time, e.g. "70.2 ms".
func FormatDuration(d time.Duration) string {
	if s := math.Abs(d.Seconds()); s >= 1 || s == 0 {
		return Significant(d.Seconds()) + " s"
	}
	return withUnit(float64(d), []string{"ns", "us", "ms", "s"})
}

// FormatPercent writes a share, where 1 is all, in percent, e.g. "0.12%".
func FormatPercent(share float64) string { return Significant(100*share) + "%" }

// FormatCount writes a whole number with its thousands separated, e.g. "12,345".
func FormatCount(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, r := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Significant writes x with three significant digits and without needless zeros: 0.0123, 1.36, 155, 12300, 1e-5.
func Significant(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if size := math.Abs(x); size < 1e-4 || size >= 1e12 {
		return shortExponent(strconv.FormatFloat(x, 'g', 3, 64))
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	text := strconv.FormatFloat(round(x, digits), 'f', max(0, digits), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// withUnit writes x in the unit of the thousandfold series in which it has one to three digits before the point.
func withUnit(x float64, units []string) string {
	i := 0
	for math.Abs(round(x, 2-int(math.Floor(math.Log10(max(math.Abs(x), 1)))))) >= 1000 && i < len(units)-1 {
		x /= 1000
		i++
	}
	return Significant(x) + " " + units[i]
}

// round rounds x to that many digits after the decimal point; negative digits round before it.
func round(x float64, digits int) float64 {
	p := math.Pow(10, math.Abs(float64(digits)))
	if math.IsInf(p, 0) {
		return x
	}
	if digits < 0 {
		return math.Round(x/p) * p
	}
	return math.Round(x*p) / p
}
