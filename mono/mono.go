package mono

import (
	"math"
	"time"
)

// Time is an instant in nanoseconds since an origin that the driver chose.
type Time int64

// Never is the latest instant: a deadline that is not set.
const Never Time = math.MaxInt64

// Add returns the instant d after t. It saturates at Never instead of wrapping, and Never plus anything is Never.
func (t Time) Add(d time.Duration) Time {
	if t == Never {
		return Never
	}
	sum := t + Time(d)
	if d > 0 && sum < t {
		return Never
	}
	return sum
}

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Seconds returns t in seconds since the origin.
func (t Time) Seconds() float64 { return time.Duration(t).Seconds() }

// String formats t as seconds since the origin, or "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return time.Duration(t).String()
}
