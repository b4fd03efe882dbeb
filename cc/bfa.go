package cc

import "time"

var bfaAlgorithm = Algorithm{
	Name:   "bfa",
	Title:  "TCP-BFA (reconstructed)",
	Source: "Awadallah and Rai, TCP-BFA: Buffer Fill Avoidance, HPN 1998; what the abstract and the talk leave open is ours",
	New:    func(p Params) Controller { return &bfa{window: newWindow(p)} },
	Signal: ByDelay | ByLoss,
	Constants: "Reno, held while the smoothed change of the RTT has risen over max(2 ms, 0.05 RTTmin) and not yet fallen below minus that; " +
		"weights 1/8",
	Honours: honoursAll,
}

// The constants of BFA, all ours: what is published names a gain and two thresholds and gives no figures.
const (
	bfaWeight = 8 // a sample counts for one part in so many, of the RTT and of its change
	bfaLeast  = 2 * time.Millisecond
	bfaShare  = 20 // of the smallest RTT is the threshold, if that is more
)

// bfa is Reno that stops growing while the round-trip time rises. In a queue that stands the RTT does not rise any more, so only a
// fall, a loss or idle time lets it go on.
type bfa struct {
	window
	delays delays
	srtt   time.Duration // smoothed over round trips
	srv    time.Duration // smoothed change, with its sign
	hold   bool
	before bool // hold that an undo restores
}

func (b *bfa) OnSent(s Sent) {
	if s.Idle > 0 {
		b.delays.forget()
		b.release()
	}
	b.window.OnSent(s)
}

func (b *bfa) release() { b.hold, b.srtt, b.srv = false, 0, 0 }

func (b *bfa) OnAck(a Ack) {
	n := b.observe(&a)
	if b.delays.observe(&a, b.turned) {
		b.judge(b.delays.mean)
	}
	if a.State != Open || b.hold {
		return
	}
	if n = b.slowStart(&a, n); n > 0 && a.CwndLimited {
		b.avoid(n)
	}
}

// judge takes in the RTT of a round. A sample is a round trip's mean, as of one timed segment a round trip: smoothed over every ACK of a large
// window the change would be that of a few segments, which no threshold tells from noise.
func (b *bfa) judge(rtt time.Duration) {
	if b.srtt == 0 {
		b.srtt = rtt
	}
	change := rtt - b.srtt
	b.srtt += change / bfaWeight
	b.srv += (change - b.srv) / bfaWeight
	limit := max(bfaLeast, b.delays.base/bfaShare)
	switch {
	case b.srv > limit && !b.hold:
		b.hold = true
		b.ssthresh = min(b.ssthresh, max(b.cwnd, 2*b.mss))
	case b.srv < -limit:
		b.hold = false
	}
}

func (b *bfa) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if b.undo() {
			b.hold = b.before
		}
		return
	}
	if b.cut(&e, b.base(&e)/2) {
		b.before = b.hold
	}
	b.hold = false
}
