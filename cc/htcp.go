package cc

import (
	"time"

	"longhaul/mono"
)

var htcpAlgorithm = Algorithm{
	Name:   "htcp",
	Title:  "H-TCP",
	Source: "Leith and Shorten, H-TCP, PFLDnet 2004; draft-leith-tcp-htcp-06",
	New:    func(p Params) Controller { return &htcp{window: newWindow(p), epoch: htcpEpoch{beta: htcpLeast}} },
	Signal: ByLoss | ByDelay,
	Constants: "+1 segment a round trip for 1 s after a loss, then 1 + 10(t-1) + ((t-1)/2)^2, times 2(1-beta); " +
		"on loss to beta = RTTmin/RTTmax in 0.5 to 0.8, or 0.5 where throughput changed by a fifth",
	Honours: honoursAll,
}

// The constants of H-TCP.
const (
	htcpReno   = time.Second // so long after a cut it grows as Reno does
	htcpLeast  = 0.5         // the bounds of beta
	htcpMost   = 0.8
	htcpChange = 0.2                   // of throughput, from one cut to the next, makes beta the least
	htcpJump   = 20 * time.Millisecond // RTTs that exceed the largest one by more are not believed
	htcpFade   = 0.95                  // what a cut leaves of the span from the smallest to the largest RTT
	htcpKeep   = 0.75                  // weight of the throughput known so far, per round trip
)

// htcp grows the faster the longer the last cut is past, and cuts by as much as empties the queue.
type htcp struct {
	window
	meter  meter
	minRTT time.Duration
	epoch  htcpEpoch
	before htcpEpoch // what an undo restores
}

// htcpEpoch is what one cut leaves to the growth after it, and to the next cut.
type htcpEpoch struct {
	since  mono.Time     // the cut; idle time moves it on
	begun  bool          // since is known
	beta   float64       // what the cut left of the window
	rate   float64       // octets per second at the cut; 0 if none has been measured
	maxRTT time.Duration // largest smoothed RTT; 0 before the first
}

func (h *htcp) OnSent(s Sent) {
	if s.Idle > 0 {
		h.epoch.since = h.epoch.since.Add(s.Idle)
		h.meter.idle()
	}
	h.window.OnSent(s)
}

func (h *htcp) OnAck(a Ack) {
	n := h.observe(&a)
	h.meter.observe(&a, h.turned, htcpKeep)
	if !h.epoch.begun {
		h.epoch.since, h.epoch.begun = a.Now, true
	}
	if a.MinRTT > 0 {
		h.minRTT = a.MinRTT
	}
	if a.State != Open {
		return
	}
	if v := &h.epoch; a.SRTT > v.maxRTT && (v.maxRTT == 0 || a.SRTT <= v.maxRTT+htcpJump) {
		v.maxRTT = a.SRTT
	}
	if n = h.slowStart(&a, n); n > 0 && a.CwndLimited {
		h.grow(n, htcpIncrease(a.Now.Sub(h.epoch.since), h.epoch.beta))
	}
}

// htcpIncrease returns the segments a round trip by which a window grows that long after a cut to beta. The factor 2(1-beta) keeps
// the mean rate what it would be with half the window cut.
func htcpIncrease(d time.Duration, beta float64) float64 {
	alpha := 1.0
	if t := seconds(d - htcpReno); t > 0 {
		alpha += float64(10*t) + float64(t/2*t/2)
	}
	return max(1, float64(2*(1-beta)*alpha))
}

func (h *htcp) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if h.undo() {
			h.epoch = h.before
		}
		return
	}
	v := h.epoch
	if !e.Repeated {
		v.beta = h.backoff()
		v.rate = h.meter.rate
		if v.maxRTT > h.minRTT {
			v.maxRTT = h.minRTT + time.Duration(htcpFade*float64(v.maxRTT-h.minRTT))
		}
	}
	v.since, v.begun = e.Now, true
	if h.cut(&e, int64(v.beta*float64(h.base(&e)))) {
		h.before = h.epoch
	}
	h.epoch = v
}

// backoff returns the part of the window that a cut now leaves: so much that the queue runs empty and the link does not. Where
// throughput differs from that at the cut before, the path or the company has changed, and half is safe.
func (h *htcp) backoff() float64 {
	v := &h.epoch
	change := h.meter.rate - v.rate
	if v.rate == 0 || v.maxRTT == 0 || max(change, -change) > float64(htcpChange*v.rate) {
		return htcpLeast
	}
	return min(max(float64(h.minRTT)/float64(v.maxRTT), htcpLeast), htcpMost)
}
