package cc

import "math"

var highspeedAlgorithm = Algorithm{
	Name:   "highspeed",
	Title:  "HighSpeed TCP",
	Source: "RFC 3649",
	New:    func(p Params) Controller { return &highspeed{window: newWindow(p)} },
	Signal: ByLoss, Constants: "Reno up to 38 segments; at 83000 segments +71 a round trip, 0.1 on loss",
	Honours: honoursAll,
}

// The constants of RFC 3649 s.5. Windows are in segments.
const (
	hsLow   = 38                  // Low_Window: up to here it is Reno
	hsSlope = 0.4 / 7.68900972705 // (0.5 - High_Decrease) / ln(High_Window / Low_Window), which are 0.1 and 83000
	hsLeast = 0.09                // the smallest decrease of appendix B, which ends a little above High_Window
)

// highspeed is Reno with an increase and a decrease that depend on the window, such that the response to loss is one straight
// line in logarithms, from Reno's 38 segments at 1e-3 to 83000 at 1e-7. Nothing but the window decides, so there is no state
// of its own to undo.
type highspeed struct {
	window
	pace hsPace
}

func (h *highspeed) OnAck(a Ack) {
	if n := h.observe(&a); a.State == Open {
		h.open(&a, n)
	}
}

// open grows the window for n octets of an ACK.
func (h *highspeed) open(a *Ack, n int64) {
	if n = h.slowStart(a, n); n > 0 && a.CwndLimited {
		h.grow(n, h.pace.at(&h.window))
	}
}

func (h *highspeed) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		h.undo()
		return
	}
	h.cut(&e, hsCut(&h.window, &e))
}

// hsCut returns the threshold that HighSpeed TCP's cut leaves.
func hsCut(w *window, e *Congestion) int64 {
	base := float64(w.base(e))
	return int64(base - float64(base*hsDecrease(float64(base*w.perMSS))))
}

// hsPace keeps the increase that goes with a window, until that has changed by a segment.
type hsPace struct {
	cwnd     int64
	increase float64
}

// at returns the increase, in segments a round trip, for the present window.
func (p *hsPace) at(w *window) float64 {
	if d := w.cwnd - p.cwnd; p.increase == 0 || d >= w.mss || d <= -w.mss {
		*p = hsPace{w.cwnd, hsIncrease(w.segments(w.cwnd))}
	}
	return p.increase
}

// hsIncrease returns a(w): the segments by which a window of w segments grows in a round trip (RFC 3649 s.5). It is
// w^2 * p(w) * 2b / (2-b), where p(w) = 0.078/w^1.2, as the table of appendix B has it, is the loss at which w is the mean.
func hsIncrease(w float64) float64 {
	if w <= hsLow {
		return 1
	}
	b := hsDecrease(w)
	r := root5(w)
	return max(1, 0.156*r*r*r*r*b/(2-b))
}

// hsDecrease returns b(w): the share of a window of w segments that a loss takes (RFC 3649 s.5).
func hsDecrease(w float64) float64 {
	if w <= hsLow {
		return 0.5
	}
	return max(hsLeast, 0.5-float64(hsSlope*ln(w/hsLow)))
}

// root5 returns the fifth root of x > 0, as cbrt does the third.
func root5(x float64) float64 {
	y := math.Float64frombits(math.Float64bits(x)/5 + 0x3326666666666667)
	for range 6 {
		s := float64(y * y)
		y -= (y - x/float64(s*s)) / 5
	}
	return y
}

// ln returns the natural logarithm of x > 0 to within some 1e-15. Unlike math.Log it is the same on every processor: the
// series of the inverse hyperbolic tangent.
func ln(x float64) float64 {
	m, e := math.Frexp(x) // m is 0.5 to 1
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	t := (m - 1) / (m + 1) // at most 0.172, so that 11 terms are enough
	s := float64(t * t)
	sum := 0.0
	for i := 21; i > 0; i -= 2 {
		sum = float64(sum*s) + 1/float64(i)
	}
	return float64(2*t*sum) + float64(float64(e)*math.Ln2)
}
