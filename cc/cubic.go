package cc

import (
	"math"
	"time"

	"longhaul/mono"
)

var cubicAlgorithm = Algorithm{
	Name:   "cubic",
	Title:  "CUBIC",
	Source: "RFC 9438, RFC 9406",
	New:    func(p Params) Controller { return newCubic(p, false) },
	Signal: ByLoss, Constants: "C 0.4 segment/s^3, beta 0.7, alpha 0.529 then 1", HyStart: true,
	Honours: honoursAll,
}

// The constants of RFC 9438 s.4.
const (
	cubicC     = 0.4                                   // segments per second cubed
	cubicBeta  = 0.7                                   // what a cut leaves
	cubicAlpha = 3 * (1 - cubicBeta) / (1 + cubicBeta) // growth that is as fair to Reno as that cut (s.4.3)
)

// cubic grows along a cubic function of the time since the last cut, so that how fast it regains a window
// does not depend on the round-trip time. Windows are segments here, in float64.
type cubic struct {
	window
	last   mono.Time
	curve  curve
	linux  bool   // the deviations of cubic.linux
	alone  bool   // no fast convergence, as s.4.7 advises for a flow that has the path to itself
	before *curve // what an undo restores besides the window; few connections of a server ever need it, so the first cut makes it
}

// curve is the state of one congestion-avoidance stage and what it inherits from the last.
type curve struct {
	begun   bool
	unknown bool          // no cut told how large the window may get
	age     time.Duration // time spent growing: idle and application-limited time does not count (RFC 9438 s.4.2, s.5.8)
	wmax    float64       // window at the last cut, the plateau; 0 if unknown
	k       float64       // seconds until the curve is back at wmax
	est     float64       // W_est: the window Reno would have
	prior   float64       // window before the last cut
	alpha   float64       // W_est's growth per round
}

func newCubic(p Params, linux bool) *cubic {
	c := &cubic{window: newWindow(p), linux: linux}
	c.uncapped = linux
	return c
}

func (c *cubic) OnSent(s Sent) {
	if s.Idle > 0 {
		c.last = s.Now
	}
	c.window.OnSent(s)
}

func (c *cubic) OnAck(a Ack) {
	n := c.observe(&a)
	gap := max(a.Now.Sub(c.last), 0)
	c.last = a.Now
	if a.State != Open {
		return
	}
	if n = c.slowStart(&a, n); n > 0 && a.CwndLimited && c.cwnd >= c.ssthresh {
		c.climb(n, gap, &a)
	}
}

// climb grows the window for n acknowledged octets that came gap after the ACK before.
func (c *cubic) climb(n int64, gap time.Duration, a *Ack) {
	w := c.segments(c.cwnd)
	v := &c.curve
	if v.begun {
		v.age += gap
	} else {
		c.begin(w)
	}
	share := float64(n) / float64(c.cwnd) // of a window
	v.est += float64(v.alpha * share)
	if v.est >= v.prior && !c.linux {
		v.alpha = 1 // s.4.3: from here on as aggressive as Reno
	}
	t := seconds(v.age)
	var more float64 // segments
	switch {
	case c.linux:
		more = c.linuxGrowth(t, w, share, a)
	case v.at(t) < v.est:
		more = v.est - w // the Reno-friendly region, s.4.3
	default:
		more = float64(share * (v.at(t+seconds(a.SRTT)) - w))
	}
	// s.4.2: at most 1.5 windows per round, and an ACK never shrinks the window.
	more = min(max(more, 0), float64(0.5*share*w))
	c.widen(float64(more * float64(c.mss)))
}

// seconds is Duration.Seconds without its two divisions.
func seconds(d time.Duration) float64 { return float64(float64(d) * 1e-9) }

// begin starts a congestion-avoidance stage at w segments. Without a plateau above it, after a timeout or a
// slow start that ended without loss, the plateau is here (s.4.8, s.4.10).
func (c *cubic) begin(w float64) {
	v := &c.curve
	v.begun, v.age, v.est, v.alpha = true, 0, w, cubicAlpha
	if c.linux {
		v.alpha = linuxAlpha
	}
	v.unknown = v.wmax == 0
	v.k = 0
	if v.wmax > w {
		v.k = cbrt((v.wmax - w) / cubicC)
	} else {
		v.wmax = w
	}
}

// at returns the curve's window after t seconds (RFC 9438 equation 1).
func (v *curve) at(t float64) float64 {
	d := t - v.k
	return float64(cubicC*d*d*d) + v.wmax
}

func (c *cubic) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if c.undo() {
			c.curve = *c.before // s.4.9.2
		}
		return
	}
	w := c.segments(c.cwnd)
	if c.cut(&e, int64(cubicBeta*float64(c.base(&e)))) {
		if c.before == nil {
			c.before = new(curve)
		}
		*c.before = c.curve
	}
	switch {
	case e.Kind == Timeout && e.Repeated:
		c.curve = curve{prior: c.curve.prior}
	case e.Kind == Timeout:
		c.curve = curve{prior: w}
	case w < c.curve.wmax && !c.alone: // fast convergence, s.4.7: others have joined, leave them room
		c.curve = curve{prior: w, wmax: w * (1 + cubicBeta) / 2}
	default:
		c.curve = curve{prior: w, wmax: w}
	}
}

// cbrt returns the cube root of x > 0 to the last bit or two. Unlike math.Cbrt it has nothing that a processor
// may fuse: Newton's method from an estimate that divides the exponent by three.
func cbrt(x float64) float64 {
	y := math.Float64frombits(math.Float64bits(x)/3 + 0x2a9f7893782da1ce)
	for range 5 {
		y -= (y - x/float64(y*y)) / 3
	}
	return y
}
