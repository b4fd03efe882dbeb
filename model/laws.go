package model

import "time"

// Conditions are what a law needs to know of one connection on a path.
type Conditions struct {
	MSS  int           // octets of payload in a segment
	RTT  time.Duration // round trip
	BER  float64       // rate of independent bit errors
	Loss float64       // probability that a packet is lost
}

// Law is a formula for the throughput of one Reno connection with an unlimited window on an unlimited link.
type Law struct {
	Name    string
	Formula string                     // for people
	Source  string                     // RFC or paper
	Most    float64                    // packet loss below which it is meant
	Rate    func(c Conditions) float64 // bits per second of payload; +Inf without loss
}

// MaxTimeoutLoss is the packet loss up to which the laws with timeouts are meant here: above it timeouts follow timeouts, and the longest
// timeout decides, which they leave out.
const MaxTimeoutLoss = 0.2

// Laws lists the laws, from the simplest.
var Laws = []Law{
	{"Agarwal", "sqrt(6 MSS)/(RTT sqrt(BER))", "Agarwal, tcpsat list, February 2000", MaxSquareRootLoss,
		func(c Conditions) float64 { return Agarwal(c.MSS, c.RTT, c.BER) }},
	{"Mathis", "MSS sqrt(3/2)/(RTT sqrt(p)), growth by a segment a round trip", "Mathis et al., CCR 27(3), 1997", MaxSquareRootLoss,
		func(c Conditions) float64 { return Mathis(c.MSS, c.RTT, c.Loss, EveryACK) }},
	{"Mathis delayed", "MSS sqrt(3/4)/(RTT sqrt(p)), with growth per delayed ACK", "Mathis et al., CCR 27(3), 1997", MaxSquareRootLoss,
		func(c Conditions) float64 { return Mathis(c.MSS, c.RTT, c.Loss, DelayedACK) }},
	{"RFC 3819", "the same with timeouts", "RFC 3819 s.8.5.1", MaxTimeoutLoss,
		func(c Conditions) float64 { return RFC3819(c.MSS, c.RTT, TypicalRTO(c.RTT), c.Loss) }},
	{"PFTK", "with timeouts, in full", "Padhye et al., SIGCOMM 1998, equation 31", MaxTimeoutLoss,
		func(c Conditions) float64 {
			return float64(8*c.MSS) * Flow{RTT: c.RTT, RTO: TypicalRTO(c.RTT), ACKEvery: 2}.Full(c.Loss)
		}},
}
