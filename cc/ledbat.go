package cc

import (
	"math"
	"time"

	"longhaul/mono"
)

const ledbatConstants = "target 100 ms queued, gain 1: +1 segment a round trip with none, -1 with twice the target; 1/2 on loss; " +
	"first window 2 segments; Reno's growth without timestamps"

var ledbatAlgorithm = Algorithm{
	Name:      "ledbat",
	Title:     "LEDBAT",
	Source:    "RFC 6817",
	New:       func(p Params) Controller { return newLedbat(p, true) },
	Signal:    ByOneWayDelay | ByLoss,
	Constants: ledbatConstants + "; no slow start",
	Honours:   Honours{FlightSsthresh: true},
}

var ledbatSSAlgorithm = Algorithm{
	Name:      "ledbat.ss",
	Title:     "LEDBAT with slow start",
	Source:    "RFC 6817, RFC 5681; it leaves slow start open",
	New:       func(p Params) Controller { return newLedbat(p, false) },
	Signal:    ByOneWayDelay | ByLoss,
	Constants: ledbatConstants + "; slow start up to 3/4 of the target",
	Honours:   honoursAll,
}

// The constants of RFC 6817 s.2.5.
const (
	ledbatTarget  = 100 * time.Millisecond
	ledbatLeave   = ledbatTarget * 3 / 4 // of queue ends slow start, which the RFC leaves open
	ledbatFilter  = 4                    // CURRENT_FILTER: the least of so many delays is the present one
	ledbatAllowed = 1                    // ALLOWED_INCREASE: segments by which the window may exceed the flight
	ledbatFirst   = 2                    // INIT_CWND and MIN_CWND, in segments
)

// ledbat fills what others leave: it holds the queueing delay of the forward path at a target, and gives way before others that
// know only loss see one. The clocks' skew is not corrected; the history of ten minutes bounds what it does.
type ledbat struct {
	window
	steady  bool // there is no slow start, neither at first nor after a timeout or idle time
	delays  forward
	current [ledbatFilter]struct {
		delay time.Duration
		at    mono.Time
	}
	n    uint8 // entries of current
	last uint8 // the latest of them
}

func newLedbat(p Params, steady bool) *ledbat {
	if p.InitialWindow <= 0 {
		p.InitialWindow = ledbatFirst * min(max(p.MSS, 1), MaxWindow)
	}
	p.PerACK = p.PerACK && !steady
	return &ledbat{window: newWindow(p), steady: steady}
}

// Output is the window's, but for the phase where there is but one.
func (l *ledbat) Output() Output {
	o := l.window.Output()
	if l.steady {
		o.Phase = Avoidance
	}
	return o
}

// OnSent forgets the delays before idle time: the queue has changed.
func (l *ledbat) OnSent(s Sent) {
	if s.Idle > 0 {
		l.n = 0
	}
	l.window.OnSent(s)
}

func (l *ledbat) OnAck(a Ack) {
	n := l.observe(&a)
	if delay, ok := l.delays.observe(&a, l.mss); ok {
		l.last = (l.last + 1) % ledbatFilter
		l.current[l.last].delay, l.current[l.last].at = delay, a.Now
		l.n = min(l.n+1, ledbatFilter)
	}
	if a.State != Open {
		return
	}
	queueing := l.queueing(&a)
	if !l.steady {
		if l.cwnd < l.ssthresh && queueing > ledbatLeave {
			l.ssthresh = max(l.cwnd, 2*l.mss)
		}
		n = l.slowStart(&a, n)
	}
	switch {
	case n <= 0:
	case l.delays.known():
		l.follow(&a, n, queueing)
	case a.CwndLimited:
		l.avoid(n)
	}
}

// queueing returns the present queueing delay: the least of the latest delays, none of them older than a round trip but the last.
func (l *ledbat) queueing(a *Ack) time.Duration {
	if l.n == 0 {
		return 0
	}
	least := l.current[l.last].delay
	for i := range l.n - 1 {
		d := &l.current[(l.last+ledbatFilter-1-i)%ledbatFilter]
		if a.SRTT > 0 && a.Now.Sub(d.at) > a.SRTT {
			break
		}
		least = min(least, d.delay)
	}
	return max(least-l.delays.base(), 0)
}

// follow moves the window for n acknowledged octets towards the target (RFC 6817 s.2.4.2), and lets it exceed by a segment what is in
// flight. That is the largest flight of this round and the last: between the segments of a paced sender there is always less.
func (l *ledbat) follow(a *Ack, n int64, queueing time.Duration) {
	off := float64(ledbatTarget-queueing) / float64(ledbatTarget)
	if off > 0 && !a.CwndLimited {
		off = 0 // as in every other controller, what is not used does not grow
	}
	move := float64(off * float64(n) * float64(l.mss) / float64(l.cwnd))
	l.frac += min(max(move, -float64(MaxWindow)), float64(MaxWindow))
	whole := math.Floor(l.frac)
	l.frac -= whole
	allowed := max(l.flight[0], l.flight[1]) + ledbatAllowed*l.mss
	switch w := max(min(l.cwnd+int64(whole), allowed), ledbatFirst*l.mss); {
	case w > l.cwnd:
		l.set(w)
	case w < l.cwnd:
		l.shrink(w)
	}
}

func (l *ledbat) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		l.undo()
		return
	}
	l.cut(&e, l.base(&e)/2)
}
