package model

import (
	"math"
	"time"
)

// The constants C of Mathis' law for periodic loss: the mean window of a sawtooth from W/2 to W is C/sqrt(p) segments. With
// independent losses it is some 7 % more (Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997: 1.31 and 0.93).
var (
	EveryACK   = math.Sqrt(3.0 / 2) // the window grows by a segment a round trip
	DelayedACK = math.Sqrt(3.0 / 4) // by half a segment: it grows per ACK, and every second segment is acknowledged
)

// MaxSquareRootLoss is the packet loss up to which the square-root law is meant: above it windows are so small that timeouts,
// which it leaves out, decide.
const MaxSquareRootLoss = 0.02

// InDomain reports whether the square-root law holds for that probability of packet loss.
func InDomain(p float64) bool { return p < MaxSquareRootLoss }

// Mathis returns the throughput of Reno in bits per second by the square-root law, C MSS / (RTT sqrt(p)), for a packet loss of p
// (Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997). It holds for p below MaxSquareRootLoss and knows no timeouts.
func Mathis(mss int, rtt time.Duration, p, c float64) float64 {
	return float64(8*mss) * c / (rtt.Seconds() * math.Sqrt(p))
}
