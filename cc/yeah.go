package cc

var yeahAlgorithm = Algorithm{
	Name:   "yeah",
	Title:  "YeAH",
	Source: "Baiocchi, Castellani and Vacirca, YeAH-TCP, PFLDnet 2007",
	New:    func(p Params) Controller { return &yeah{window: newWindow(p), pace: yeahPace{reno: 2}} },
	Signal: ByLoss | ByDelay,
	Constants: "Scalable TCP's growth, Reno's with over 80 segments or 1/8 RTTmin queued, which it then gives up; " +
		"on loss what was queued, 1/8 to 1/2",
	Honours: honoursAll,
}

// The constants of YeAH.
const (
	yeahQueue  = 80  // segments of its own in the queue,
	yeahDelay  = 8   // or that part of the smallest RTT, make the slow mode
	yeahLosses = 16  // rounds of slow mode, after which a loss halves
	yeahFast   = 50  // rounds of fast mode, after which there is no Reno to be fair to
	yeahScale  = 100 // fast mode: one segment in so many acknowledged ones
)

// yeah grows as Scalable TCP while the queue is short. When it is not, it drains what it has put there, but not below the window that
// a Reno flow beside it would have, and grows as Reno.
type yeah struct {
	window
	delays delays
	queued float64 // segments, by the last round
	pace   yeahPace
	before yeahPace // what an undo restores
}

// yeahPace says which of the two modes is on.
type yeahPace struct {
	slow uint8   // rounds of slow mode so far; 0 is fast mode
	fast uint8   // rounds of fast mode since the last loss or since it last forgot Reno
	reno float64 // segments: the window of the Reno flow that it imagines beside itself
}

func (y *yeah) OnSent(s Sent) {
	if s.Idle > 0 {
		y.delays.forget()
	}
	y.window.OnSent(s)
}

func (y *yeah) OnAck(a Ack) {
	n := y.observe(&a)
	over := y.delays.observe(&a, y.turned)
	if a.State != Open {
		return
	}
	if over {
		y.judge()
	}
	if n = y.slowStart(&a, n); n <= 0 || !a.CwndLimited {
		return
	}
	if y.pace.slow > 0 || y.cwnd <= yeahScale*y.mss { // 1/100 is less than Reno's 1/w here
		y.avoid(n)
		return
	}
	y.widen(float64(n) / yeahScale)
}

// judge chooses the mode after a round, and drains the queue.
func (y *yeah) judge() {
	w := y.segments(y.cwnd)
	y.queued = y.delays.backlog(w)
	p := &y.pace
	if y.queued <= yeahQueue && y.delays.least-y.delays.base <= y.delays.base/yeahDelay {
		p.slow = 0
		if p.fast++; p.fast > yeahFast {
			p.fast, p.reno = 0, 2
		}
		return
	}
	if y.queued > yeahQueue && w > p.reno {
		w = max(w-min(y.queued, w/2), p.reno)
		y.shrink(int64(w * float64(y.mss)))
	}
	if p.reno <= 2 {
		p.reno = max(w/2, 2)
	} else {
		p.reno++
	}
	p.slow = min(p.slow, 254) + 1
}

func (y *yeah) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if y.undo() {
			y.pace = y.before
		}
		return
	}
	b := y.base(&e)
	after := b / 2
	if y.pace.slow < yeahLosses && e.Kind != Timeout {
		less := int64(min(y.queued, y.segments(b)) * float64(y.mss))
		after = b - min(max(less, b/8), b/2)
	}
	if y.cut(&e, after) {
		y.before = y.pace
	}
	y.pace.fast, y.pace.reno = 0, max(y.pace.reno/2, 2)
}
