package cc

var vegasAlgorithm = Algorithm{
	Name:   "vegas",
	Title:  "Vegas",
	Source: "Brakmo and Peterson, TCP Vegas, JSAC 13(8) 1995",
	New:    func(p Params) Controller { return &vegas{window: newWindow(p)} },
	Signal: ByDelay | ByLoss, Constants: "alpha 2, beta 4 and gamma 1 segments queued; +1 or -1 segment a round trip, 1/2 on loss",
	Honours: honoursAll,
}

// The constants of Vegas, in segments kept in the queue. The paper has 1 and 3 for the first two; 2 and 4 are what is in use.
const (
	vegasAlpha = 2 // below this it grows
	vegasBeta  = 4 // above this it shrinks
	vegasGamma = 1 // above this slow start ends
)

// vegas compares the rate that it would have without a queue with the one it has, once a round trip, and keeps the difference, which is
// in the queue, between two bounds. Losses halve, as Reno's.
type vegas struct {
	window
	delays delays
}

func (v *vegas) OnSent(s Sent) {
	if s.Idle > 0 {
		v.delays.forget()
	}
	v.window.OnSent(s)
}

func (v *vegas) OnAck(a Ack) {
	n := v.observe(&a)
	over := v.delays.observe(&a, v.turned)
	if a.State != Open {
		return
	}
	queued := v.delays.backlog(v.segments(v.cwnd))
	if v.cwnd < v.ssthresh {
		if over && queued > vegasGamma {
			v.leaveSlowStart()
			return
		}
		v.slowStart(&a, n)
		return
	}
	if !v.turned || !a.CwndLimited {
		return
	}
	switch {
	case !over || queued < vegasAlpha: // too few samples: Reno's growth
		v.set(v.cwnd + v.mss)
	case queued > vegasBeta:
		v.shrink(v.cwnd - v.mss)
	}
}

// leaveSlowStart leaves a window that fits the path, and a segment.
func (v *vegas) leaveSlowStart() {
	fits := float64(v.cwnd) * float64(v.delays.base) / float64(v.delays.least)
	v.shrink(int64(fits) + v.mss)
}

func (v *vegas) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		v.undo()
		return
	}
	v.cut(&e, v.base(&e)/2)
}
