package cc

import (
	"math"
	"time"
)

var ledbatAlgorithm = Algorithm{
	Name:   "ledbat",
	Title:  "LEDBAT",
	Source: "RFC 6817",
	New:    func(p Params) Controller { return &ledbat{window: newWindow(p)} },
	Signal: ByOneWayDelay | ByLoss,
	Constants: "target 100 ms queued, gain 1: +1 segment a round trip with none, -1 with twice the target; slow start up to 3/4 of the target; " +
		"1/2 on loss; Reno without timestamps",
	Honours: honoursAll,
}

// The constants of RFC 6817 s.2.5.
const (
	ledbatTarget  = 100 * time.Millisecond
	ledbatLeave   = ledbatTarget * 3 / 4 // of queue ends slow start, which the RFC leaves open
	ledbatFilter  = 4                    // CURRENT_FILTER: the least of so many delays is the present one
	ledbatAllowed = 1                    // ALLOWED_INCREASE: segments by which the window may exceed the flight
)

// ledbat fills what others leave: it holds the queueing delay of the forward path at a target, and gives way before others that
// know only loss see one. The clocks' skew is not corrected; the history of ten minutes bounds what it does.
type ledbat struct {
	window
	delays  forward
	current [ledbatFilter]time.Duration
	n       uint8 // entries of current
	next    uint8
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
		l.current[l.next] = delay
		l.next = (l.next + 1) % ledbatFilter
		l.n = min(l.n+1, ledbatFilter)
	}
	if a.State != Open {
		return
	}
	queueing := l.queueing()
	if l.cwnd < l.ssthresh && queueing > ledbatLeave {
		l.ssthresh = max(l.cwnd, 2*l.mss)
	}
	if n = l.slowStart(&a, n); n <= 0 {
		return
	}
	switch {
	case l.delays.known:
		l.follow(&a, n, queueing)
	case a.CwndLimited:
		l.avoid(n)
	}
}

// queueing returns the present queueing delay.
func (l *ledbat) queueing() time.Duration {
	if l.n == 0 {
		return 0
	}
	least := l.current[0]
	for _, d := range l.current[1:l.n] {
		least = min(least, d)
	}
	return max(least-l.delays.base(), 0)
}

// follow moves the window for n acknowledged octets towards the target (RFC 6817 s.2.4.2).
func (l *ledbat) follow(a *Ack, n int64, queueing time.Duration) {
	off := float64(ledbatTarget-queueing) / float64(ledbatTarget)
	move := float64(off * float64(n) * float64(l.mss) / float64(l.cwnd))
	l.frac += min(max(move, -float64(MaxWindow)), float64(MaxWindow))
	whole := math.Floor(l.frac)
	l.frac -= whole
	allowed := max(volume(a.PriorFlight)+ledbatAllowed*l.mss, 2*l.mss)
	if n := l.cwnd + int64(whole); whole < 0 {
		l.shrink(n)
	} else if n <= allowed {
		l.set(n)
	}
}

func (l *ledbat) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		l.undo()
		return
	}
	l.cut(&e, l.base(&e)/2)
}
