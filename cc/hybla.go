package cc

import "time"

var hyblaAlgorithm = Algorithm{
	Name:   "hybla",
	Title:  "Hybla",
	Source: "Caini and Firrincieli, TCP Hybla, International Journal of Satellite Communications and Networking 22, 2004",
	New:    func(p Params) Controller { return &hybla{window: newWindow(p), rho: 1} },
	Signal: ByLoss,
	Constants: "rho = RTT/25 ms, at least 1; +rho^2 segments a round trip, 2^rho - 1 for each acknowledged one in slow start, at most 3, " +
		"or 1 without pacing; 1/2 on loss",
	Honours: Honours{PerACK: true, FlightSsthresh: true, HyStart: true},
}

// The constants of Hybla.
const (
	hyblaRTT     = 25 * time.Millisecond // of the path that all others shall equal
	hyblaOpening = 3                     // segments for each acknowledged one: 2^rho takes a satellite's first round to thousands
)

// hybla gives a long path the window growth, in segments a second, that Reno has at a round trip of 25 ms.
type hybla struct {
	window
	rho float64 // how many times longer the round trip is
}

func (h *hybla) OnAck(a Ack) {
	n := h.observe(&a)
	if a.MinRTT > 0 {
		h.rho = max(1, float64(a.MinRTT)/float64(hyblaRTT))
	}
	if a.State != Open {
		return
	}
	if h.rate = gainUnit; h.paced && !h.relearn {
		h.rate = int64(gainUnit * hyblaRate(h.rho))
	}
	if n = h.slowStart(&a, n); n > 0 && a.CwndLimited {
		h.grow(n, float64(h.rho*h.rho))
	}
}

// hyblaRate returns the segments by which slow start opens the window for each acknowledged one.
func hyblaRate(rho float64) float64 {
	if rho >= 2 {
		return hyblaOpening
	}
	return float64(2*pow2(rho-1)) - 1
}

// pow2 returns 2^x for 0 <= x <= 1, to within 1e-12 and the same on every processor.
func pow2(x float64) float64 {
	const ln2 = 0.6931471805599453
	sum, term := 1.0, 1.0
	for i := 1.0; i < 15; i++ {
		term = float64(term * x * ln2 / i)
		sum += term
	}
	return sum
}

func (h *hybla) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		h.undo()
		return
	}
	h.cut(&e, h.base(&e)/2)
}
