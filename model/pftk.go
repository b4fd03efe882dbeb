package model

import (
	"math"
	"time"
)

// Flow is what the formulas of Padhye, Firoiu, Towsley and Kurose (SIGCOMM 1998) know of a sender: Reno, a sawtooth that
// timeouts interrupt. The loss they take is that of loss indications, one a round trip: they have everything behind a loss in the same
// round lost too.
type Flow struct {
	RTT       time.Duration
	RTO       time.Duration // the first retransmission timeout; it doubles
	ACKEvery  float64       // segments per ACK: 2 with delayed ACKs and growth per ACK, else 1
	MaxWindow float64       // segments that the receiver allows; 0 means no limit
}

// Short returns packets per second by the short formula (equation 30; RFC 5348 s.3.1 without the limit of the timeout term to 1).
func (f Flow) Short(p float64) float64 {
	rate := 1 / (f.RTT.Seconds()*math.Sqrt(2*f.ACKEvery*p/3) +
		f.RTO.Seconds()*min(1, 3*math.Sqrt(3*f.ACKEvery*p/8))*p*(1+32*p*p))
	if f.MaxWindow > 0 {
		rate = min(rate, f.MaxWindow/f.RTT.Seconds())
	}
	return rate
}

// Full returns packets per second by the full formula (equation 31).
func (f Flow) Full(p float64) float64 {
	if p <= 0 {
		return f.Short(0)
	}
	b, rtt := f.ACKEvery, f.RTT.Seconds()
	k := (2 + b) / (3 * b)
	window := k + math.Sqrt(8*(1-p)/(3*b*p)+k*k)
	growth := rtt * (b*window/2 + 1)
	if f.MaxWindow > 0 && window >= f.MaxWindow {
		window = f.MaxWindow
		growth = rtt * (b*window/8 + (1-p)/(p*window) + 2)
	}
	timeout := endsInTimeout(p, window)
	backoff := 1 + p + 2*p*p + 4*math.Pow(p, 3) + 8*math.Pow(p, 4) + 16*math.Pow(p, 5) + 32*math.Pow(p, 6)
	return ((1-p)/p + window + timeout/(1-p)) / (growth + timeout*f.RTO.Seconds()*backoff/(1-p))
}

// endsInTimeout returns the probability that a loss in a window of w segments is found by the timer and not by duplicate ACKs.
func endsInTimeout(p, w float64) float64 {
	q := 1 - p
	return min(1, (1-math.Pow(q, 3))*(1+math.Pow(q, 3)*(1-math.Pow(q, w-3)))/(1-math.Pow(q, w)))
}

// TypicalRTO is a timeout to assume where none is known: two round trips, and at least the second of RFC 6298 s.2.4.
func TypicalRTO(rtt time.Duration) time.Duration { return max(2*rtt, time.Second) }

// RFC3819 returns the throughput in bits per second of RFC 3819 s.8.5.1, which adds timeouts to Mathis' law: the short formula
// with delayed ACKs, for a packet loss of p. The RFC rounds 4/3 to 1.33.
func RFC3819(mss int, rtt, rto time.Duration, p float64) float64 {
	return float64(8*mss) * Flow{RTT: rtt, RTO: rto, ACKEvery: 2}.Short(p)
}
