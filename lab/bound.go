package lab

import (
	"time"

	"longhaul/cc"
	"longhaul/tcp"
)

// BoundRule is the rule behind bound_by, for people.
const BoundRule = `The first of these that holds, over the time the flow ran:
link         the bottleneck was transmitting for at least 90 % of the second half of the time
timeout      at least 20 % of the time the sender waited for a retransmission timer
window       at least half of the time a socket buffer was full: the receiver's window, or the send buffer
startup      nothing was lost and the controller is still in its start-up phase
loss         segments were lost, and the congestion window that the losses left was full
controller   nothing was lost and the controller itself holds back`

// load is what bound judges: one flow, its streams added up.
type load struct {
	busy    float64       // share of the second half of the time that the bottleneck was transmitting
	time    time.Duration // that the streams ran, added up
	limited tcp.Limited   // added up
	lost    int64         // segments marked lost
	phase   cc.Phase      // of the first stream at the end
}

// bound applies BoundRule. An application of the lab always has data, so being limited by the application
// means that the send buffer was full.
func (l *load) bound() string {
	share := func(d time.Duration) float64 { return float64(d) / float64(max(l.time, 1)) }
	starting := l.phase == cc.SlowStart || l.phase == cc.ConservativeSlowStart || l.phase == cc.Startup
	switch {
	case l.busy >= 0.9:
		return BoundByLink
	case share(l.limited.Timeout) >= 0.2:
		return BoundByTimeout
	case share(l.limited.Receiver+l.limited.Application) >= 0.5:
		return BoundByWindow
	case l.lost == 0 && starting:
		return BoundByStartup
	case l.lost > 0:
		return BoundByLoss
	}
	return BoundByController
}
