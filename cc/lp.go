package cc

import (
	"time"

	"longhaul/mono"
)

var lpAlgorithm = Algorithm{
	Name:   "lp",
	Title:  "TCP-LP",
	Source: "Kuzmanovic and Knightly, TCP-LP, ToN 14(4) 2006; RFC 6297 s.2",
	New:    func(p Params) Controller { return &lp{window: newWindow(p)} },
	Signal: ByOneWayDelay | ByLoss,
	Constants: "congestion is a delay over 0.15 of the way from the smallest to the largest: 1/2, then one segment within 3 RTT, " +
		"in which it does not grow; otherwise Reno",
	Honours: honoursAll,
}

// The constants of TCP-LP.
const (
	lpShare   = 0.15 // of the span of delays is the threshold
	lpWeight  = 8    // a delay counts for one part in so many of the smoothed one
	lpInfer   = 3    // round trips of inference after an early indication
	lpMaximum = time.Minute
	lpNoise   = 4 * forwardTick // either clock is off by up to a tick, and a segment on a slow link takes one or two
)

// lp is Reno that yields to any queue: what it calls congestion is there before anybody else loses.
type lp struct {
	window
	early early
}

// early finds congestion before loss shows it, and says how long not to grow for it.
type early struct {
	delays forward
	smooth time.Duration    // smoothed delay
	known  bool             // there is one
	fresh  bool             // and it has changed in this round
	cut    bool             // this round hears of what was sent before a cut, and so says nothing new
	most   [2]time.Duration // largest smoothed delay of this minute and of the last
	since  mono.Time        // this minute began
	infer  mono.Time        // until then an indication means that others are there, and the window must not grow
	now    mono.Time        // of the latest ACK
}

// observe takes in an ACK.
func (e *early) observe(a *Ack, mss int64) {
	e.now = a.Now
	delay, ok := e.delays.observe(a, mss)
	if !ok {
		return
	}
	if !e.known {
		e.smooth, e.known = delay, true
		e.most, e.since = [2]time.Duration{delay, delay}, a.Now
	}
	e.fresh = true
	e.smooth += (delay - e.smooth) / lpWeight
	if a.Now.Sub(e.since) >= lpMaximum {
		e.most, e.since = [2]time.Duration{e.smooth, e.most[0]}, a.Now
	}
	e.most[0] = max(e.most[0], e.smooth)
}

// threshold returns the smoothed delay above which there is congestion. Less than lpNoise says nothing.
func (e *early) threshold() time.Duration {
	base := e.delays.base()
	span := max(e.most[0], e.most[1]) - base
	return base + max(time.Duration(lpShare*float64(span)), lpNoise)
}

// indicated reports whether there is congestion now.
func (e *early) indicated() bool { return e.known && e.smooth > e.threshold() }

// inferring reports whether an indication is recent.
func (e *early) inferring() bool { return e.now < e.infer }

// forget begins to learn the largest delay anew: idle time has ended.
func (e *early) forget() { e.known = false }

// yield takes in an ACK of an open window and gives way if the delay says so, once for what was sent
// since it last did. It reports whether the window may grow.
func (w *window) yield(e *early, a *Ack) bool {
	if !w.turned {
		return !e.inferring()
	}
	indicated := e.fresh && e.indicated() && !e.cut
	if e.fresh, e.cut = false, false; !indicated {
		return !e.inferring()
	}
	n := w.cwnd / 2
	if e.inferring() {
		n = w.mss
	}
	e.infer, e.cut = a.Now.Add(lpInfer*max(a.SRTT, 0)), true
	w.set(min(n, w.cwnd))
	w.ssthresh = min(w.ssthresh, max(w.cwnd, 2*w.mss))
	w.credit, w.frac = 0, 0
	return false
}

func (l *lp) OnSent(s Sent) {
	if s.Idle > 0 {
		l.early.forget()
	}
	l.window.OnSent(s)
}

func (l *lp) OnAck(a Ack) {
	n := l.observe(&a)
	l.early.observe(&a, l.mss)
	if a.State != Open || !l.yield(&l.early, &a) {
		return
	}
	if n = l.slowStart(&a, n); n > 0 && a.CwndLimited {
		l.avoid(n)
	}
}

func (l *lp) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		l.undo()
		return
	}
	l.cut(&e, l.base(&e)/2)
}
