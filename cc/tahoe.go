package cc

var tahoeAlgorithm = Algorithm{
	Name:   "tahoe",
	Title:  "Tahoe",
	Source: "Jacobson, Congestion avoidance and control, SIGCOMM 1988",
	New:    func(p Params) Controller { return &tahoe{newWindow(p)} },
	Signal: ByLoss, Constants: "+1 segment a round trip, to 1 segment on loss, then slow start to 1/2",
	Honours: honoursAll,
}

// tahoe answers every episode as if the timer had expired: it has no fast recovery, so it grows in slow start
// while the engine repairs the loss, and the engine obeys its window directly. A congestion mark is treated
// just as a loss (RFC 3168 s.5).
type tahoe struct{ window }

func (t *tahoe) OnAck(a Ack) {
	n := t.observe(&a)
	if a.State == Marked {
		return
	}
	if n = t.slowStart(&a, n); n > 0 && a.CwndLimited {
		t.avoid(n)
	}
}

func (t *tahoe) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		t.undo()
		return
	}
	t.cut(&e, t.base(&e)/2)
	t.collapse()
}

func (t *tahoe) Output() Output {
	o := t.window.Output()
	o.Direct, o.Restart = true, true
	return o
}
