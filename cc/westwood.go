package cc

import "time"

var westwoodAlgorithm = Algorithm{
	Name:   "westwood",
	Title:  "Westwood+",
	Source: "Grieco and Mascolo, Performance evaluation and comparison of Westwood+, New Reno and Vegas, CCR 34(2) 2004",
	New:    func(p Params) Controller { return &westwood{window: newWindow(p)} },
	Signal: ByLoss | ByRate,
	Constants: "+1 segment a round trip; on loss to bandwidth x RTTmin, the bandwidth being a mean of a sample each round trip, " +
		"weighted 0.9 for the past",
	Honours: Honours{SlowStart: true, PerACK: true, HyStart: true},
}

// The constants of Westwood+.
const (
	westwoodKeep  = 0.9 // weight of the bandwidth known so far against a round's
	westwoodSmall = 4   // segments, below which a cut halves: a round's sample says little there
)

// westwood is Reno that cuts to what the path has been seen to carry without a queue: random losses then cost little.
type westwood struct {
	window
	meter  meter
	minRTT time.Duration
}

func (w *westwood) OnSent(s Sent) {
	if s.Idle > 0 {
		w.meter.idle()
	}
	w.window.OnSent(s)
}

func (w *westwood) OnAck(a Ack) {
	n := w.observe(&a)
	w.meter.observe(&a, w.turned, westwoodKeep)
	if a.MinRTT > 0 {
		w.minRTT = a.MinRTT
	}
	if a.State != Open {
		return
	}
	if n = w.slowStart(&a, n); n > 0 && a.CwndLimited {
		w.avoid(n)
	}
}

func (w *westwood) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		w.undo()
		return
	}
	base := w.base(&e)
	after := w.meter.product(w.minRTT)
	if after == 0 || base < westwoodSmall*w.mss {
		after = base / 2
	}
	w.cut(&e, min(after, base)) // a cut is no occasion to grow
}
