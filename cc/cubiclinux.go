package cc

var cubicLinuxAlgorithm = Algorithm{
	Name:   "cubic.linux",
	Title:  "CUBIC as in Linux",
	Source: "Ha, Rhee and Xu, CUBIC, 2008; Linux 5.10 to 6.x",
	New:    func(p Params) Controller { return newCubic(p, true) },
	Signal: ByLoss, Constants: "C 0.4 segment/s^3, beta 0.7, alpha 0.533", HyStart: true,
	Honours: honoursAll,
}

// linuxAlpha is RFC 9438's alpha in Linux's integers. Linux never raises it to 1.
const linuxAlpha = 8.0 / 15

// linuxGrowth returns the segments to add, t seconds into the stage, to a window of w of which share was
// acknowledged. Linux looks ahead by the smallest RTT, not by the smoothed one; it approaches the Reno-friendly
// window within a round instead of jumping to it; and while it knows no plateau it grows by at least 5 % per
// round.
func (c *cubic) linuxGrowth(t, w, share float64, a *Ack) float64 {
	more := max(c.curve.at(t+seconds(a.MinRTT)), c.curve.est) - w
	if c.curve.unknown {
		more = max(more, float64(0.05*w))
	}
	return float64(share * more)
}
