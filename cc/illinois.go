package cc

import (
	"time"

	"longhaul/mono"
)

var illinoisAlgorithm = Algorithm{
	Name:   "illinois",
	Title:  "Illinois",
	Source: "Liu, Basar and Srikant, TCP-Illinois, Performance Evaluation 65, 2008",
	New:    func(p Params) Controller { return newIllinois(p) },
	Signal: ByLoss | ByDelay,
	Constants: "+10 segments a round trip and 7/8 on loss without a queue, +0.3 and 1/2 with the longest; " +
		"Reno below 15 segments",
	Honours: honoursAll,
}

// The constants of Illinois.
const (
	illMost   = 10.0  // segments a round trip
	illLeast  = 0.3   //
	illGentle = 0.125 // the share of a window that a loss takes
	illHarsh  = 0.5
	illSmall  = 15 // segments, below which it is Reno
	illShort  = 0.01
	illMild   = 0.1 // shares of the longest queueing delay: up to here a loss is gentle,
	illLong   = 0.8 // and from here harsh
	illRounds = 5   // rounds in a row with the shortest delays, until it believes that the queue is gone
	illMemory = 10 * time.Minute
)

// illinois goes by loss, and by delay it decides how fast to grow and how much to give up.
type illinois struct {
	window
	delays delays
	most   [2]time.Duration // largest RTT of this and of the last memory
	since  mono.Time        // this one began
	pace   illPace
	before illPace // what an undo restores
}

// illPace is what the delays of the last round say.
type illPace struct {
	alpha, beta float64
	above       bool  // the queue was not empty lately
	low         uint8 // rounds in a row in which it was
}

func newIllinois(p Params) *illinois {
	return &illinois{window: newWindow(p), pace: illPace{alpha: illMost, beta: illHarsh}}
}

func (i *illinois) OnSent(s Sent) {
	if s.Idle > 0 {
		i.delays.forget()
	}
	i.window.OnSent(s)
}

func (i *illinois) OnAck(a Ack) {
	n := i.observe(&a)
	i.remember(&a)
	if i.delays.observe(&a, i.turned) {
		base := i.delays.base
		i.pace.judge(i.delays.mean-base, max(i.most[0], i.most[1])-base)
	}
	if a.State != Open {
		return
	}
	if n = i.slowStart(&a, n); n <= 0 || !a.CwndLimited {
		return
	}
	if i.cwnd < illSmall*i.mss {
		i.avoid(n)
		return
	}
	i.grow(n, i.pace.alpha)
}

// remember keeps the largest RTT of the last 10 to 20 minutes: one spike shall not flatten the curves for ever.
func (i *illinois) remember(a *Ack) {
	if i.since == 0 || a.Now.Sub(i.since) >= illMemory {
		i.since = a.Now
		i.most = [2]time.Duration{0, i.most[0]}
	}
	i.most[0] = max(i.most[0], a.RTT)
}

// judge takes in the mean queueing delay of a round and the longest one known.
func (p *illPace) judge(delay, longest time.Duration) {
	da, dm := float64(delay), float64(longest)
	p.beta = illBeta(da, dm)
	if da > float64(illShort*dm) {
		p.above, p.low = true, 0
		p.alpha = illAlpha(da, dm)
		return
	}
	if p.above {
		if p.low++; p.low < illRounds {
			return
		}
	}
	p.above, p.low, p.alpha = false, 0, illMost
}

// illAlpha returns the increase in segments a round trip: a hyperbola from 10, at a hundredth of the longest delay, to 0.3 there.
func illAlpha(da, dm float64) float64 {
	d1 := float64(illShort * dm)
	if da <= d1 {
		return illMost
	}
	k1 := float64((dm-d1)*illLeast*illMost) / (illMost - illLeast)
	k2 := float64((dm-d1)*illLeast)/(illMost-illLeast) - d1
	return max(k1/(k2+da), illLeast)
}

// illBeta returns the share of the window that a loss takes: straight between its two bounds.
func illBeta(da, dm float64) float64 {
	d2, d3 := float64(illMild*dm), float64(illLong*dm)
	switch {
	case da <= d2:
		return illGentle
	case da >= d3:
		return illHarsh
	}
	return illGentle + float64((illHarsh-illGentle)*(da-d2)/(d3-d2))
}

func (i *illinois) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if i.undo() {
			i.pace = i.before
		}
		return
	}
	b := i.base(&e)
	after := b / 2
	if i.cwnd >= illSmall*i.mss {
		after = b - int64(i.pace.beta*float64(b))
	}
	if i.cut(&e, after) {
		i.before = i.pace
	}
	if e.Kind == Timeout {
		i.pace = illPace{alpha: 1, beta: illHarsh} // Reno's
		i.delays.forget()
	}
}
