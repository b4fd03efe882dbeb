package cc

import (
	"time"

	"longhaul/mono"
)

// bbr3Probe is the cycle of probing for bandwidth.
type bbr3Probe struct {
	feedback bbr3Feedback
	sampling bool // what is acknowledged was sent while probing, so that its losses bound the flight
	tooHigh  bool // the last probe found the flight too high
	risky    bool // this one stopped at that flight, to be safe
	since    mono.Time
	wait     time.Duration
	raises   uint8 // rounds in which it has raised the bound
	acked    int64 // octets towards the next raise
	price    int64 // acknowledged octets for which the bound is raised by a segment
}

// OnLost notes the loss, and while probing judges whether the flight was too high: more than 2 % of it lost.
func (b *bbr3) OnLost(l Lost) {
	size := volume(l.Bytes)
	b.inFlight = max(b.inFlight-size, 0)
	b.noteLoss(l.Now)
	if !b.probe.sampling {
		return
	}
	tx, lost := float64(volume(l.TxInFlight)), float64(volume(l.LostSince))
	if lost <= float64(bbr3LossThresh*tx) {
		return
	}
	// How much was in flight when 2 % of it was lost, which this segment may have exceeded by far (draft-ietf-ccwg-bbr s.5.5.10.2).
	before := tx - float64(size)
	prefix := (float64(bbr3LossThresh*before) - (lost - float64(size))) / (1 - bbr3LossThresh)
	b.flightTooHigh(int64(max(before+max(prefix, 0), 0)), l.AppLimited)
}

// noteLoss notes that something was lost in this round.
func (b *bbr3) noteLoss(now mono.Time) {
	if !b.recent.lost {
		b.recent.lost, b.recent.end = true, b.delivered
		b.undone = bbr3Undo{bounds: b.bounds, left: b.phase, step: b.step, valid: true}
	}
	if now != b.recent.last {
		b.recent.last = now
		b.recent.events++
	}
}

// flightTooHigh bounds the flight by what was safe, once in a probe.
func (b *bbr3) flightTooHigh(safe int64, appLimited bool) {
	b.probe.tooHigh, b.probe.sampling = true, false
	if !appLimited {
		b.bounds.long = max(safe, amplify(min(b.bdp(gainUnit), b.cwnd), bbr3Beta))
	}
	if b.phase == ProbeBandwidth && b.step == stepUp {
		b.goDown(b.now)
	}
}

// learnSignals takes in a rate sample, and once a round what was lost in it.
func (b *bbr3) learnSignals(a *Ack) {
	r := &b.recent
	sample := a.Rate.bandwidth()
	r.rate, r.volume = max(r.rate, sample), max(r.volume, volume(a.Rate.Delivered))
	if r.began = a.Rate.Delivered > 0 && a.Rate.PriorDelivered >= r.end; r.began {
		r.end = b.delivered
	}
	if sample > 0 && (sample >= b.maxBandwidth() || !b.heldDown(a)) {
		b.bw[0] = max(b.bw[0], sample)
	}
	if !r.began {
		return
	}
	probing := b.phase == Startup || b.phase == ProbeBandwidth && (b.step == stepRefill || b.step == stepUp)
	if r.lost && !probing {
		v := &b.bounds
		if v.shortRate == Infinite {
			v.shortRate = b.maxBandwidth()
		}
		if v.short == Infinite {
			v.short = b.cwnd
		}
		v.shortRate = max(r.rate, amplify(v.shortRate, bbr3Beta))
		v.short = max(r.volume, amplify(v.short, bbr3Beta))
	}
	r.lost = false
}

// withHeadroom returns the flight that leaves room for others.
func (b *bbr3) withHeadroom() int64 {
	long := b.bounds.long
	if long == Infinite {
		return long
	}
	return max(long-max(b.mss, amplify(long, bbr3Headroom)), bbrMinSegments*b.mss)
}

// moveCycle moves ProbeBandwidth to its next step.
func (b *bbr3) moveCycle(a *Ack) {
	if !b.fullBW.reached || b.adaptLong(a) || b.phase != ProbeBandwidth {
		return
	}
	switch b.step {
	case stepDown, stepCruise:
		if b.timeToProbe(a.Now) {
			b.refill(a.Now)
		} else if b.step == stepDown && b.inFlight <= b.withHeadroom() && b.inFlight <= b.bdp(gainUnit) {
			b.step = stepCruise
		}
	case stepRefill:
		if b.rounds.began {
			b.probe.sampling = true
			b.goUp(a)
		}
	case stepUp:
		b.watchProbe(a)
	}
}

// timeToProbe reports whether the wait is over, or so many rounds as Reno would take to notice the same (s.5.3.3.5.2).
func (b *bbr3) timeToProbe(now mono.Time) bool {
	reno := min(bbr3RenoRounds, min(b.bdp(gainUnit), b.cwnd)/b.mss)
	return now.Sub(b.probe.since) > b.probe.wait || int64(b.rounds.probes) >= reno
}

// goDown drains the queue that probing has made, and draws the time until the next probe.
func (b *bbr3) goDown(now mono.Time) {
	b.recent.lost, b.recent.rate, b.recent.volume = false, 0, 0
	p := &b.probe
	p.price, p.acked = Infinite, 0
	p.wait, b.rounds.probes = bbr3ProbeWait+time.Second/2, 0
	if b.rng != nil {
		p.wait = bbr3ProbeWait + time.Duration(b.rng.Int64N(int64(time.Second)))
		b.rounds.probes = uint64(b.rng.IntN(2))
	}
	p.since, p.feedback = now, feedbackStopping
	b.startRound()
	b.phase, b.step = ProbeBandwidth, stepDown
}

// refill fills the pipe for a round at the bandwidth, without the short-term bounds.
func (b *bbr3) refill(mono.Time) {
	b.bounds.short, b.bounds.shortRate = Infinite, Infinite
	p := &b.probe
	p.raises, p.acked, p.risky, p.feedback = 0, 0, false, feedbackRefill
	b.startRound()
	b.phase, b.step = ProbeBandwidth, stepRefill
}

// goUp begins to probe: faster, until the bandwidth grows no more or too much is lost.
func (b *bbr3) goUp(a *Ack) {
	b.probe.feedback = feedbackStarting
	b.startRound()
	b.fullBW.bw, b.fullBW.count, b.fullBW.now = a.Rate.bandwidth(), 0, false
	b.step = stepUp
	b.raiseSlope()
}

// watchProbe ends the probe when there is no more bandwidth to be had, or at the flight that was too high last time.
func (b *bbr3) watchProbe(a *Ack) {
	p := &b.probe
	switch {
	case p.tooHigh && b.inFlight >= b.bounds.long:
		p.risky = true
	case a.CwndLimited && b.cwnd >= b.bounds.long:
		b.fullBW.bw, b.fullBW.count, b.fullBW.now = a.Rate.bandwidth(), 0, false // the bound, not the path, holds it down
		return
	case !b.fullBW.now:
		return
	}
	p.tooHigh = false // as far as is known
	b.goDown(a.Now)
}

// adaptLong moves on what the ACKs tell of probing, and raises the long-term bound as long as little is lost. It reports whether it has begun a
// probe.
func (b *bbr3) adaptLong(a *Ack) (begun bool) {
	p := &b.probe
	switch {
	case !b.rounds.began:
	case p.feedback == feedbackStarting:
		p.feedback = feedbackProbing
	case p.feedback == feedbackStopping:
		p.feedback, p.sampling = feedbackNone, false
		if b.phase == ProbeBandwidth && !b.heldDown(a) {
			b.bw = [2]int64{0, b.bw[0]}
		}
		if b.phase == ProbeBandwidth && p.risky && !p.tooHigh {
			b.refill(a.Now) // a round of it has shown that the flight is safe
			return true
		}
	}
	if float64(a.Rate.Lost) > float64(bbr3LossThresh*float64(a.Rate.TxInFlight)) {
		if p.sampling {
			b.flightTooHigh(volume(a.Rate.TxInFlight), a.Rate.AppLimited)
		}
		return false
	}
	if b.bounds.long == Infinite {
		return false
	}
	b.bounds.long = max(b.bounds.long, volume(a.Rate.TxInFlight))
	if b.phase == ProbeBandwidth && b.step == stepUp {
		b.raiseLong(a)
	}
	return false
}

// raiseLong raises the bound by 1, 2, 4, ... segments in successive rounds.
func (b *bbr3) raiseLong(a *Ack) {
	p := &b.probe
	if !a.CwndLimited || b.cwnd < b.bounds.long {
		return
	}
	p.acked += volume(a.Delivered)
	if n := p.acked / p.price; n > 0 {
		p.acked -= n * p.price
		b.bounds.long = min(b.bounds.long+n*b.mss, MaxWindow)
	}
	if b.rounds.began {
		b.raiseSlope()
	}
}

func (b *bbr3) raiseSlope() {
	p := &b.probe
	p.price = max(b.cwnd>>p.raises, 1)
	p.raises = min(p.raises+1, 30)
}

// burstiness3 measures by how much ACKs come in bursts: what was acknowledged beyond the bandwidth.
type burstiness3 struct {
	since mono.Time // the present epoch began
	acked int64     // octets in it
	most  maxFilter // octets, over 10 rounds, or one before the pipe has been filled
}

// update takes in an ACK. An epoch lasts as long as ACKs come faster than the bandwidth makes them.
func (x *burstiness3) update(a *Ack, bw, cwnd int64, round uint64, full bool) {
	expected := octetsIn(bw, a.Now.Sub(x.since))
	if x.acked <= expected || x.acked >= MaxWindow {
		x.since, x.acked, expected = a.Now, 0, 0
	}
	x.acked += volume(a.Delivered)
	window := uint64(1)
	if full {
		window = bbr3ExtraRounds
	}
	x.most.update(min(x.acked-expected, cwnd), round, window)
}
