package cc

var renoAlgorithm = Algorithm{
	Name:   "reno",
	Title:  "Reno",
	Source: "RFC 5681, RFC 6582",
	New:    func(p Params) Controller { return &reno{newWindow(p)} },
	Signal: ByLoss, Constants: "+1 segment a round trip, 1/2 on loss",
	Honours: honoursAll,
}

// reno is the standard controller: one segment more per round trip, half the window per episode. What is sent
// during fast recovery is the engine's.
type reno struct{ window }

func (r *reno) OnAck(a Ack) {
	n := r.observe(&a)
	if a.State != Open {
		return
	}
	if n = r.slowStart(&a, n); n > 0 && a.CwndLimited {
		r.avoid(n)
	}
}

func (r *reno) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		r.undo()
		return
	}
	r.cut(&e, r.base(&e)/2)
}
