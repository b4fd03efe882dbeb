package cc

// window is what controllers that keep a congestion window have in common: RFC 5681's two ways of growing,
// the guard against growing a window that is not used, the restart after idle time and the undo of a
// spurious cut. A controller embeds it by value and adds when and how far to cut. It is octets throughout.
type window struct {
	mss, initial, max int64
	cwnd, ssthresh    int64
	credit            int64    // progress towards the next increase; see avoid and slowStart
	frac              float64  // octets of growth not yet in cwnd, below 1; see widen
	perMSS            float64  // 1/MSS
	flight            [2]int64 // largest flight seen in the present round, and in the one before
	round             uint64
	rate              int64 // thousandths of an octet by which slow start opens the window for each acknowledged one
	step              int64 // with perACK, the octets for which the present ACK counts
	turned            bool  // the latest ACK began a round
	paced             bool
	perACK            bool
	flightSsthresh    bool
	uncapped          bool // one ACK may count for any number of segments, as in Linux
	relearn           bool // in the slow start after a timeout: one segment per ACK, times rate, until ssthresh (RFC 3465 s.2.3)
	limited           bool // the initial slow start goes on, and is limited (RFC 3742)
	hy                hystart
	saved             savedWindow
}

// lssThreshold is the max_ssthresh of RFC 3742 in segments, above which limited slow start opens the window by half of that
// a round.
const lssThreshold = 100

// honoursAll is for algorithms that leave slow start, avoid and the base of cuts to window.
var honoursAll = Honours{SlowStart: true, PerACK: true, FlightSsthresh: true, HyStart: true}

// savedWindow is what an undo restores.
type savedWindow struct {
	valid          bool
	kind           Kind
	relearn        bool
	limited        bool
	hyOn, css      bool
	cwnd, ssthresh int64
}

// newWindow returns the window that a connection starts with.
func newWindow(p Params) window {
	p = p.withDefaults()
	return window{
		mss: p.MSS, initial: p.InitialWindow, max: p.MaxWindow,
		cwnd: p.StartWindow, ssthresh: p.InitialSsthresh,
		rate: gainUnit * p.SlowStart, paced: p.Paced, perACK: p.PerACK, flightSsthresh: p.FlightSsthresh,
		perMSS: 1 / float64(p.MSS), limited: p.LimitedSlowStart, hy: newHystart(p.HyStart),
	}
}

// OnSent notes the flight, and shrinks the window that an idle connection no longer knows to be right.
func (w *window) OnSent(s Sent) {
	w.flight[0] = max(w.flight[0], min(s.InFlight, MaxWindow))
	if s.Idle > 0 && s.RTO > 0 && s.Idle >= s.RTO {
		w.restart(uint64(s.Idle / s.RTO))
	}
}

// OnLost does nothing: a window reacts to episodes, not to single losses.
func (w *window) OnLost(Lost) {}

// Output returns the window, its threshold and which of the two kinds of growth is on.
func (w *window) Output() Output {
	o := Output{Window: w.cwnd, Ssthresh: w.ssthresh, Phase: Avoidance}
	switch {
	case w.cwnd >= w.ssthresh:
	case w.hy.css:
		o.Phase = ConservativeSlowStart
	default:
		o.Phase = SlowStart
	}
	return o
}

// set makes n the window, within its bounds.
func (w *window) set(n int64) { w.cwnd = min(max(n, w.mss), w.max) }

// shrink lowers the window to n octets, but not below two segments, and the threshold with it, so that slow start does not take it
// back: for controllers that go by delay.
func (w *window) shrink(n int64) {
	w.set(min(max(n, 2*w.mss), w.cwnd))
	w.ssthresh = min(w.ssthresh, max(w.cwnd, 2*w.mss))
}

// observe takes in an ACK and returns the octets of it that count for growth.
func (w *window) observe(a *Ack) int64 {
	if w.turned = a.Round != w.round; w.turned {
		w.round = a.Round
		w.flight = [2]int64{0, w.flight[0]}
	}
	w.flight[0] = max(w.flight[0], min(a.PriorFlight, MaxWindow))
	switch {
	case a.Acked <= 0:
		return 0
	case w.perACK:
		// Not a segment for every ACK: a receiver that acknowledges segments in pieces gains nothing (RFC 5681 s.3.1).
		w.step = min(a.Acked, w.mss)
		return w.step
	}
	return min(a.Acked, MaxWindow)
}

// slowStart grows the window by rate thousandths of n octets, and returns the octets left for congestion avoidance,
// which is 0 as long as slow start goes on. The rate is that of one octet, or RFC 1106 s.4.2's faster opening; HyStart++ and limited slow
// start divide it. Of one ACK no more counts than what the pacer spreads, or 8 segments without pacing (RFC 9406 s.4.3). The
// window does not grow beyond what a round of this makes of the flight that the last round showed to be used, which is twice
// that with the standard rate (RFC 2861 s.2, RFC 7661 s.4.3), nor beyond ssthresh.
func (w *window) slowStart(a *Ack, n int64) int64 {
	if w.cwnd >= w.ssthresh {
		return n
	}
	if w.hy.on && w.hy.onAck(a) {
		w.ssthresh = max(w.cwnd, 2*w.mss) // RFC 9406 s.4.2
		return w.slowStart(a, n)
	}
	d := n
	switch {
	case w.relearn:
		d = min(d, w.mss)
	case !w.paced && !w.uncapped:
		d = min(d, 8*w.mss)
	}
	div := gainUnit * max(w.hy.growth(), w.limit())
	w.credit += w.rate * d
	d = min(w.credit/div, w.ssthresh-w.cwnd, (gainUnit+w.rate)*max(w.flight[0], w.flight[1])/gainUnit-w.cwnd)
	w.credit %= div
	if d <= 0 {
		return 0
	}
	w.set(w.cwnd + d)
	if w.cwnd < w.ssthresh {
		return 0
	}
	w.relearn, w.credit = false, 0
	return max(n-d*div/w.rate, 0)
}

// limit returns the divisor by which limited slow start slows the opening of a large window (RFC 3742 s.2).
func (w *window) limit() int64 {
	if !w.limited || w.cwnd <= lssThreshold*w.mss {
		return 1
	}
	return w.cwnd / (lssThreshold / 2 * w.mss)
}

// segments returns octets in segments.
func (w *window) segments(octets int64) float64 { return float64(float64(octets) * w.perMSS) }

// widen grows the window by that many octets, which need not be whole. It does nothing for less than none.
func (w *window) widen(octets float64) {
	if !(octets > 0) {
		return
	}
	w.frac += min(octets, float64(MaxWindow))
	whole := int64(w.frac)
	w.frac -= float64(whole)
	w.set(w.cwnd + whole)
}

// grow is avoid at another pace: so many segments per window of acknowledged octets, of which there are n.
func (w *window) grow(n int64, segments float64) {
	w.widen(float64(segments * float64(n) * float64(w.mss) / float64(w.cwnd)))
}

// avoid grows the window by one segment per window of acknowledged octets (RFC 5681 s.3.1). Counting per ACK
// it adds MSS*MSS/cwnd instead, with the remainder kept, and less for an ACK of less than a segment.
func (w *window) avoid(n int64) {
	if w.perACK {
		w.credit += w.mss * w.step
		d := w.credit / w.cwnd
		w.credit -= d * w.cwnd
		w.set(w.cwnd + d)
		return
	}
	w.credit += n
	if w.credit < w.cwnd {
		return
	}
	k := w.credit / w.cwnd
	w.credit -= k * w.cwnd
	w.set(w.cwnd + k*w.mss)
}

// base returns the octets that a cut is a fraction of: the window, or FlightSize (RFC 5681 equation 4), or what the
// window was when what is lost was sent.
func (w *window) base(e *Congestion) int64 {
	b := w.cwnd
	if w.flightSsthresh {
		b = min(max(e.InFlight, 0), w.max)
	}
	if e.SentWindow > 0 {
		b = min(b, e.SentWindow)
	}
	return b
}

// cut answers an episode that lowers the threshold to ssthresh. A timeout leaves one segment, and a repeated
// one leaves the threshold alone (RFC 5681 s.3.1); anything else leaves the threshold as the window, of which a mark may
// leave a single segment (RFC 3168 s.6.1.2, RFC 9438 s.4.6). It reports whether it saved the state before the cut for an
// undo, in which case the caller saves its own.
func (w *window) cut(e *Congestion, ssthresh int64) (saved bool) {
	saved = w.save(e)
	w.credit, w.frac = 0, 0
	w.limited, w.hy.on, w.hy.css = false, false, false // RFC 3742 and RFC 9406 are for the initial slow start
	if e.Kind != Timeout || !e.Repeated {
		w.ssthresh = max(ssthresh, 2*w.mss)
	}
	switch e.Kind {
	case Timeout:
		w.collapse()
	case ECN:
		w.set(min(w.cwnd, ssthresh))
	default:
		w.set(min(w.cwnd, w.ssthresh))
	}
	return saved
}

// collapse leaves one segment to slow-start from.
func (w *window) collapse() {
	w.set(w.mss)
	w.relearn = true
}

// save keeps what undo restores: the state before the first of a row of timeouts, or before a loss. Marks and
// local drops are no guesses, so they are never undone, nor is anything that came before them.
func (w *window) save(e *Congestion) bool {
	if e.Kind == ECN || e.Kind == LocalDrop {
		w.saved.valid = false
		return false
	}
	if e.Kind == Timeout && e.Repeated && w.saved.valid && w.saved.kind == Timeout {
		return false
	}
	w.saved = savedWindow{
		valid: true, kind: e.Kind, relearn: w.relearn, limited: w.limited, hyOn: w.hy.on, css: w.hy.css,
		cwnd: w.cwnd, ssthresh: w.ssthresh,
	}
	return true
}

// undo takes back the latest cut and reports whether there was one to take back. What has grown since stays.
func (w *window) undo() bool {
	s := w.saved
	w.saved.valid = false
	if !s.valid {
		return false
	}
	w.cwnd = max(w.cwnd, s.cwnd)
	w.ssthresh = max(w.ssthresh, s.ssthresh)
	w.relearn, w.limited, w.hy.on, w.hy.css = s.relearn, s.limited, s.hyOn, s.css
	w.frac = 0
	if w.cwnd < w.ssthresh {
		w.credit = 0 // avoid and slowStart do not count in the same coin
	}
	return true
}

// restart halves the window once for each of n timeouts spent idle, down to the initial window, and remembers
// three quarters of what it was in ssthresh (RFC 2861 s.2).
func (w *window) restart(n uint64) {
	w.ssthresh = max(w.ssthresh, w.cwnd-w.cwnd/4)
	w.cwnd = max(w.cwnd>>min(n, 62), min(w.initial, w.cwnd))
	w.credit = 0
}
