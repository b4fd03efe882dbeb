package cc

import "time"

var fastAlgorithm = Algorithm{
	Name:   "fast",
	Title:  "FAST TCP",
	Source: "Jin, Wei and Low, FAST TCP, INFOCOM 2004; Wei et al., ToN 14(6) 2006",
	New:    func(p Params) Controller { return newFast(p, 200) },
	Signal: ByDelay | ByLoss, Constants: "alpha 200 segments queued, gamma 0.5, every other round trip; 1/2 on loss",
	Honours: honoursAll,
}

var fast20Algorithm = Algorithm{
	Name:   "fast.20",
	Title:  "FAST TCP, for 100 Mbit/s",
	Source: "Jin, Wei and Low, FAST TCP, INFOCOM 2004; Wei et al., ToN 14(6) 2006",
	New:    func(p Params) Controller { return newFast(p, 20) },
	Signal: ByDelay | ByLoss, Constants: "alpha 20 segments queued, gamma 0.5, every other round trip; 1/2 on loss",
	Honours: honoursAll,
}

// The constants of FAST. Alpha is fixed and not found from the path: flows share a bottleneck in proportion to their alphas, so that one
// measured by each flow for itself would settle who came first gets more.
const (
	fastGamma = 0.5
	fastQueue = 750 * time.Microsecond // of queueing delay ends slow start
)

// fast moves the window half of the way to where alpha segments of it are queued: w * baseRTT/RTT + alpha. One round trip it changes
// the window, the next one it watches what came of it.
type fast struct {
	window
	alpha  float64 // segments
	delays delays
	avg    float64 // smoothed RTT in ns; 0 before the first sample
	old    int64   // octets: the window a round trip ago
	now    int64   // octets: the window when this round began
	inc    float64 // segments by which the window grows in this round
	watch  bool    // this round only watches
}

func newFast(p Params, alpha float64) *fast { return &fast{window: newWindow(p), alpha: alpha} }

func (f *fast) OnAck(a Ack) {
	n := f.observe(&a)
	f.delays.observe(&a, f.turned)
	if f.turned {
		f.old, f.now = f.now, f.cwnd
	}
	if a.RTT > 0 && a.State == Open {
		weight := min(3/f.segments(f.cwnd), 0.25)
		if f.avg == 0 {
			f.avg = float64(a.RTT)
		}
		f.avg += float64(weight * (float64(a.RTT) - f.avg))
	}
	if a.State != Open {
		f.inc, f.watch = 0, false
		return
	}
	if f.cwnd < f.ssthresh {
		if !f.relearn && f.avg-float64(f.delays.base) > float64(fastQueue) {
			f.ssthresh = max(f.cwnd, 2*f.mss)
			return
		}
		f.slowStart(&a, n)
		return
	}
	if f.turned {
		f.update(&a)
	}
	if a.CwndLimited {
		f.widen(float64(f.inc*float64(n)) / float64(f.now) * float64(f.mss)) // all of it by the end of the round
	}
}

// update sets out the round that has begun.
func (f *fast) update(a *Ack) {
	f.inc = 0
	if f.watch = !f.watch; !f.watch || f.avg == 0 {
		return
	}
	w, old := f.segments(f.cwnd), f.segments(f.old)
	if f.old == 0 {
		old = w
	}
	next := float64((1-fastGamma)*w) + float64(fastGamma*(old*float64(f.delays.base)/f.avg+f.alpha))
	if next = min(next, 2*w); next >= w {
		f.inc = next - w
		return
	}
	if a.CwndLimited {
		f.shrink(int64(next * float64(f.mss)))
	}
}

func (f *fast) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		f.undo()
		return
	}
	f.cut(&e, f.base(&e)/2)
	f.inc = 0
}
