package model

import (
	"math"
	"time"
)

// Response is the response function of a congestion controller: its mean window under a steady loss of packets, with room in link
// and socket buffers.
type Response struct {
	Algorithm string  // as package cc names it
	Formula   string  // for people, in segments; p is the loss of packets
	Source    string  // RFC or paper
	Most      float64 // loss up to which it is meant

	// Window returns the mean window in segments for a loss of p, a round trip, and that many segments per ACK by which the window
	// grows: 2 where it grows per ACK and ACKs are delayed, else 1. Algorithms that are not Reno's heirs ignore the last. +Inf
	// means that losses do not hold it back.
	Window func(p float64, rtt time.Duration, ackEvery float64) float64
}

// aimd returns the mean window of a sawtooth that grows by a segments a round trip and is cut by the share b (Floyd, Handley,
// Padhye and Widmer, ICSI TR-00-002; RFC 3649 s.5).
func aimd(a, b, p float64) float64 { return math.Sqrt(a * (2 - b) / (2 * b * p)) }

// reno is Mathis' law as a window.
func reno(p float64, _ time.Duration, ackEvery float64) float64 { return aimd(1/ackEvery, 0.5, p) }

// withoutLoss is the response of a controller that heeds no loss.
func withoutLoss(float64, time.Duration, float64) float64 { return math.Inf(1) }

// cubic is RFC 9438 equation 5, with C = 0.4 and beta = 0.7, and no less than Reno (s.4.3).
func cubic(p float64, rtt time.Duration, ackEvery float64) float64 {
	return max(1.054*math.Pow(rtt.Seconds()/p, 0.75), reno(p, rtt, ackEvery))
}

// highSpeed is RFC 3649 s.5, 0.12/p^0.835 from 38 segments on, and Reno below.
func highSpeed(p float64, rtt time.Duration, ackEvery float64) float64 {
	if w := 0.12 / math.Pow(p, 0.835); w > 38 {
		return w
	}
	return reno(p, rtt, ackEvery)
}

// scalable grows by a hundredth a round trip and is cut by an eighth: 12.5 W segments from cut to cut, and the mean over time of
// an exponential from 7/8 W to W. Below 16 segments it is Reno.
func scalable(p float64, rtt time.Duration, ackEvery float64) float64 {
	if w := 0.01 / p / -math.Log(1-0.125); w > 16 {
		return w
	}
	return reno(p, rtt, ackEvery)
}

// yeah is Scalable TCP where no queue is, with Reno's growth below a hundred segments, which is more there, and a cut by an eighth all along.
func yeah(p float64, rtt time.Duration, ackEvery float64) float64 {
	if w := scalable(p, rtt, ackEvery); w > 100 {
		return w
	}
	return min(aimd(1/ackEvery, 1.0/8, p), 100)
}

// hybla is Reno with a round trip of 25 ms.
func hybla(p float64, rtt time.Duration, ackEvery float64) float64 {
	return max(rtt.Seconds()/0.025, 1) * reno(p, rtt, ackEvery)
}

// Responses lists the response functions that are known in closed form. Controllers without one are simulated only.
var Responses = []Response{
	{"reno", "sqrt(3/(2 b p)), b = 1, or 2 where the window grows per ACK and ACKs are delayed", "Mathis et al., CCR 27(3), 1997", MaxSquareRootLoss, reno},
	{"cubic", "1.054 (RTT/p)^0.75, at least Reno's", "RFC 9438 s.5.1", MaxSquareRootLoss, cubic},
	{"cubic.linux", "1.054 (RTT/p)^0.75, at least Reno's", "RFC 9438 s.5.1", MaxSquareRootLoss, cubic},
	{"highspeed", "0.12/p^0.835 above 38 segments, else Reno's", "RFC 3649 s.5", MaxSquareRootLoss, highSpeed},
	{"scalable", "0.0749/p above 16 segments, else Reno's", "Kelly, CCR 33(2), 2003", MaxSquareRootLoss, scalable},
	{"hybla", "RTT/25 ms times Reno's", "Caini and Firrincieli, IJSCN 2004", MaxSquareRootLoss, hybla},
	{"illinois", "sqrt(75/p): a = 10, b = 1/8, the queue empty", "Liu, Basar and Srikant, Perf. Eval. 65, 2008", MaxSquareRootLoss,
		func(p float64, _ time.Duration, _ float64) float64 { return aimd(10, 1.0/8, p) }},
	{"veno", "sqrt(4.5/p): a = 1, b = 1/5, the queue empty", "Fu and Liew, JSAC 21(2), 2003", MaxSquareRootLoss,
		func(p float64, _ time.Duration, _ float64) float64 { return aimd(1, 1.0/5, p) }},
	{"yeah", "0.0749/p above 100 segments, else sqrt(7.5/p): a = 1, b = 1/8; the queue empty",
		"Baiocchi, Castellani and Vacirca, PFLDnet 2007; Kelly, CCR 33(2), 2003", MaxSquareRootLoss, yeah},
	{"bbr", "the path's, up to a loss of 20 %", "Cardwell et al., ACM Queue 14(5), 2016", 0.2, withoutLoss},
	{"bbr3", "the path's, up to a loss of 2 %", "draft-ietf-ccwg-bbr", 0.02, withoutLoss},
}

// FindResponse returns the response function of the algorithm that package cc has under that name.
func FindResponse(algorithm string) (Response, bool) {
	for _, r := range Responses {
		if r.Algorithm == algorithm {
			return r, true
		}
	}
	return Response{}, false
}

// Rate returns the throughput in bits per second of that many streams side by side, each with the whole loss: n times a stream's.
func (r Response) Rate(mss int, rtt time.Duration, p, ackEvery float64, streams int) float64 {
	return float64(streams) * r.Window(p, rtt, ackEvery) * float64(8*mss) / rtt.Seconds()
}
