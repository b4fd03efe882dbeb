package model

import "math"

// PacketLoss returns the probability that a packet of that many octets on the wire is hit by at least one of independent bit
// errors at rate ber: 1-(1-ber)^(8L) (RFC 3819 s.8.5.3), exact also when it is small. L counts all that the frame check covers:
// payload and headers.
func PacketLoss(ber float64, octets int) float64 {
	if octets <= 0 {
		return 0
	}
	return -math.Expm1(float64(8*octets) * math.Log1p(-ber))
}

// BitErrorRate is the inverse of PacketLoss: the rate of independent bit errors that loses packets of that many octets, at least 1,
// with probability loss.
func BitErrorRate(loss float64, octets int) float64 {
	return -math.Expm1(math.Log1p(-loss) / float64(8*octets))
}

// BurstLoss returns the probability that a packet of that many octets is hit by a burst of bit errors (Gilbert 1960, on bits):
// bursts are geometric with a mean of bits, at least 1, each of their bits is wrong with probability density, in (0, 1], and they
// begin so often that the bit error rate is ber. That is lambda (8L + bits) (1 - q0), where lambda = ber / (density bits) and q0 is
// the probability that a burst leaves all its bits right. It holds while bursts do not overlap: ber far below density.
func BurstLoss(ber, bits, density float64, octets int) float64 {
	begin := ber / (density * bits)
	end := 1 / bits
	harmless := end * (1 - density) / (1 - (1-end)*(1-density))
	return -math.Expm1(-begin * (float64(8*octets) + bits) * (1 - harmless))
}
