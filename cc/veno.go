package cc

var venoAlgorithm = Algorithm{
	Name:   "veno",
	Title:  "Veno",
	Source: "Fu and Liew, TCP Veno, JSAC 21(2) 2003",
	New:    func(p Params) Controller { return &veno{window: newWindow(p)} },
	Signal: ByLoss | ByDelay, Constants: "beta 3 segments queued: below, +1 segment a round trip and 4/5 on loss; above, +1/2 and 1/2",
	Honours: honoursAll,
}

// venoBeta is the backlog in segments above which losses count as congestion.
const venoBeta = 3

// veno is Reno that asks Vegas' measure of the queue what a loss means: with a short queue it was noise, which takes only a fifth.
type veno struct {
	window
	delays delays
	queued float64 // segments, by the last round that had samples enough
	known  bool    // there was one
}

func (v *veno) OnSent(s Sent) {
	if s.Idle > 0 {
		v.delays.forget()
	}
	v.window.OnSent(s)
}

func (v *veno) OnAck(a Ack) {
	n := v.observe(&a)
	if over := v.delays.observe(&a, v.turned); a.State != Open {
		return // a loss is judged by what was before it
	} else if over {
		v.queued, v.known = v.delays.backlog(v.segments(v.cwnd)), true
	} else if v.turned {
		v.known = false
	}
	if n = v.slowStart(&a, n); n <= 0 || !a.CwndLimited {
		return
	}
	if v.known && v.queued >= venoBeta {
		v.grow(n, 0.5)
		return
	}
	v.avoid(n)
}

func (v *veno) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		v.undo()
		return
	}
	b := v.base(&e)
	if v.known && v.queued < venoBeta {
		v.cut(&e, b-b/5)
		return
	}
	v.cut(&e, b/2)
}
