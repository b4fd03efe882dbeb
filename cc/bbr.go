package cc

import (
	"math/rand/v2"
	"time"

	"longhaul/mono"
)

var bbrAlgorithm = Algorithm{
	Name:   "bbr",
	Title:  "BBR v1",
	Source: "Cardwell, Cheng, Gunn, Yeganeh and Jacobson, BBR: Congestion-based congestion control, ACM Queue 14(5) 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
	New:    newBBR,
	Signal: ByRate | ByDelay,
	Constants: "startup 2.885, drain 0.347, cycle 1.25, 0.75, 1 (x 6), window 2 BDP, bandwidth over 10 rounds, " +
		"probe of the round trip every 10 s: 200 ms with 4 segments",
	Model: true,
}

// The constants of BBR v1, gains in thousandths.
const (
	bbrHighGain    = 2885 // 2/ln 2: doubles the delivery rate every round
	bbrDrainGain   = 347  // its inverse
	bbrWindowGain  = 2 * gainUnit
	bbrMargin      = 990 // paces 1 % below the model, so that no queue stays
	bbrFullGrowth  = 1250
	bbrFullRounds  = 3
	bbrRounds      = 10 // length of the bandwidth filter
	bbrMinRTT      = 10 * time.Second
	bbrProbeRTT    = 200 * time.Millisecond
	bbrMinSegments = 4
	bbrExtraRounds = 5                      // of each of two slots
	bbrExtraTime   = 100 * time.Millisecond // of bandwidth is the most that bursts of ACKs add to the window
)

// bbrCycle are the pacing gains of the phases of ProbeBandwidth.
var bbrCycle = [8]int64{1250, 750, gainUnit, gainUnit, gainUnit, gainUnit, gainUnit, gainUnit}

// bbr paces at the bottleneck's bandwidth, the largest delivery rate of the last rounds, and keeps up to two bandwidth-delay
// products in flight. Loss tells it nothing about either, so it only lowers the window for a round. The published detector of
// token-bucket policers is left out.
type bbr struct {
	mss, initial, max int64
	cwnd, pacing      int64
	prior             int64 // the window before recovery or ProbeRTT
	inFlight          int64
	lost              int64 // octets marked lost since the last ACK
	early             int64 // octets of the initial window that have not been delivered yet
	rng               *rand.Rand

	bw       maxFilter
	minRTT   time.Duration
	minRTTAt mono.Time
	round    uint64
	turned   bool // this ACK began a round, or a timeout ended one

	phase      Phase
	cycle      uint8
	fullRounds uint8 // rounds without enough growth
	full       bool  // the pipe has been filled
	idle       bool  // sending began again after idle time, and nothing has been acknowledged since
	recovering bool
	conserving bool // the first round of recovery: what leaves is what has arrived
	probed     bool // a round has passed with the small window of ProbeRTT
	cycleAt    mono.Time
	fullBW     int64
	conserved  int64     // delivered count that ends conserving
	limited    int64     // samples of what was sent before this delivered count tell of ProbeRTT's small window
	probeEnd   mono.Time // of ProbeRTT; 0 before the flight is small enough
	probeRound int64     // delivered count that ends the round

	extra burstiness
}

// burstiness measures by how much ACKs come in bursts: what was acknowledged beyond the bandwidth.
type burstiness struct {
	since  mono.Time // the present epoch began
	acked  int64     // octets in it
	most   [2]int64  // octets, of this slot and of the one before
	rounds uint8     // that the slot has lasted
}

func newBBR(p Params) Controller {
	p = p.withDefaults()
	return &bbr{
		mss: p.MSS, initial: p.InitialWindow, max: p.MaxWindow, cwnd: p.InitialWindow, early: p.InitialWindow, rng: p.Rand, phase: Startup,
	}
}

// OnSent notes the flight, and after idle time paces at the bandwidth: there is no queue to drain and no need to probe.
func (b *bbr) OnSent(s Sent) {
	b.inFlight = volume(s.InFlight)
	if s.Idle <= 0 {
		return
	}
	b.idle = true
	b.extra.since, b.extra.acked = s.Now, 0
	switch {
	case b.phase == ProbeBandwidth && b.bandwidth() > 0:
		b.pacing = b.paceAt(gainUnit)
	case b.phase == ProbeRTT:
		b.endProbeRTT(s.Now)
	}
}

// OnLost notes what the next ACK answers.
func (b *bbr) OnLost(l Lost) {
	b.lost = volume(b.lost + volume(l.Bytes))
	b.inFlight = max(b.inFlight-volume(l.Bytes), 0)
}

// OnCongestion answers a timeout with what is still in flight and one segment. Losses are answered one by one, and a mark as the
// loss of a segment.
func (b *bbr) OnCongestion(e Congestion) {
	switch e.Kind {
	case Timeout:
		b.save()
		b.recovering, b.conserving = false, false
		b.fullBW, b.turned, b.lost = 0, true, 0
		b.set(b.inFlight + b.mss)
	case ECN, LocalDrop:
		b.lost = volume(b.lost + b.mss)
	case Undo:
		b.fullBW, b.fullRounds = 0, 0
		b.recovering, b.conserving, b.lost = false, false, 0
		b.set(max(b.cwnd, b.prior))
	}
}

// save keeps the window that recovery or ProbeRTT is about to lower, if neither has done so yet.
func (b *bbr) save() {
	if b.recovering || b.phase == ProbeRTT {
		b.prior = max(b.prior, b.cwnd)
		return
	}
	b.prior = b.cwnd
}

// set makes n the window, within its bounds.
func (b *bbr) set(n int64) { b.cwnd = min(max(n, b.mss), b.max) }

// OnAck updates the model, moves on the state, and derives rate and window from them.
func (b *bbr) OnAck(a Ack) {
	b.inFlight = volume(a.InFlight)
	b.turned = b.turned || a.Round != b.round
	b.round = a.Round
	b.learnBandwidth(&a)
	b.extra.update(&a, b.bandwidth(), b.cwnd, b.turned)
	b.moveCycle(&a)
	b.checkFull(&a)
	b.leaveStartup(&a)
	b.learnRTT(&a)
	b.setPacing(&a)
	b.setWindow(&a)
	b.lost, b.turned = 0, false
	if a.Delivered > 0 {
		b.idle = false
	}
}

// learnBandwidth takes in a rate sample. One that the application, or ProbeRTT, has held down counts only if it shows more
// than is known.
func (b *bbr) learnBandwidth(a *Ack) {
	sample := a.Rate.bandwidth()
	if sample > 0 && (!b.heldDown(a) || sample >= b.bandwidth()) {
		b.bw.update(sample, b.round, bbrRounds)
	}
}

func (b *bbr) heldDown(a *Ack) bool { return a.Rate.AppLimited || a.Rate.PriorDelivered < b.limited }

// update takes in an ACK. An epoch lasts as long as ACKs come faster than the bandwidth makes them.
func (x *burstiness) update(a *Ack, bw, cwnd int64, turned bool) {
	if turned {
		if x.rounds++; x.rounds >= bbrExtraRounds {
			x.rounds = 0
			x.most[0], x.most[1] = 0, x.most[0]
		}
	}
	expected := octetsIn(bw, a.Now.Sub(x.since))
	if x.acked <= expected || x.acked >= MaxWindow {
		x.since, x.acked, expected = a.Now, 0, 0
	}
	x.acked += volume(a.Delivered)
	x.most[0] = max(x.most[0], min(x.acked-expected, cwnd))
}

// moveCycle moves ProbeBandwidth to its next phase: after a minimum round trip, but when probing not before the flight shows it
// or is lost, and when draining as soon as the queue is gone.
func (b *bbr) moveCycle(a *Ack) {
	if b.phase != ProbeBandwidth {
		return
	}
	elapsed := a.Now.Sub(b.cycleAt) > b.minRTT
	prior := volume(a.PriorFlight)
	switch gain := bbrCycle[b.cycle]; {
	case gain > gainUnit:
		elapsed = elapsed && (b.lost > 0 || prior >= b.bdp(gain))
	case gain < gainUnit:
		elapsed = elapsed || prior <= b.bdp(gainUnit)
	}
	if elapsed {
		b.cycle = (b.cycle + 1) % uint8(len(bbrCycle))
		b.cycleAt = a.Now
	}
}

// checkFull notes that the pipe is full when three rounds have not brought a quarter more bandwidth.
func (b *bbr) checkFull(a *Ack) {
	if b.full || !b.turned || b.heldDown(a) {
		return
	}
	if bw := b.bandwidth(); b.fullBW == 0 || bw >= amplify(b.fullBW, bbrFullGrowth) {
		b.fullBW, b.fullRounds = bw, 0
		return
	}
	b.fullRounds++
	b.full = b.fullRounds >= bbrFullRounds
}

// leaveStartup goes by way of Drain to ProbeBandwidth.
func (b *bbr) leaveStartup(a *Ack) {
	if b.phase == Startup && b.full {
		b.phase = Drain
	}
	if b.phase == Drain && b.inFlight <= b.bdp(gainUnit) {
		b.probeBandwidth(a.Now)
	}
}

// probeBandwidth begins the cycle in a phase drawn at random, so that flows do not probe together, but not in the draining one.
func (b *bbr) probeBandwidth(now mono.Time) {
	b.phase, b.cycle, b.cycleAt = ProbeBandwidth, 2, now
	if b.rng != nil {
		if b.cycle = uint8(b.rng.IntN(len(bbrCycle) - 1)); b.cycle > 0 {
			b.cycle++
		}
	}
}

// learnRTT keeps the smallest round trip of the last 10 s. When nothing has confirmed it for so long, ProbeRTT empties the
// queue to see it anew.
func (b *bbr) learnRTT(a *Ack) {
	expired := b.minRTT > 0 && a.Now.Sub(b.minRTTAt) > bbrMinRTT
	if a.RTT > 0 && (b.minRTT == 0 || a.RTT <= b.minRTT || expired) {
		b.minRTT, b.minRTTAt = a.RTT, a.Now
	}
	if expired && !b.idle && b.phase != ProbeRTT {
		b.save()
		b.phase, b.probeEnd, b.probed = ProbeRTT, 0, false
	}
	if b.phase != ProbeRTT {
		return
	}
	b.limited = a.Rate.TotalDelivered + b.inFlight
	switch {
	case b.probeEnd == 0 && b.inFlight <= bbrMinSegments*b.mss:
		b.probeEnd = a.Now.Add(bbrProbeRTT)
		b.probeRound = a.Rate.TotalDelivered
	case b.probeEnd != 0:
		b.probed = b.probed || a.Rate.PriorDelivered >= b.probeRound && a.Rate.PriorDelivered > 0
		b.endProbeRTT(a.Now)
	}
}

// endProbeRTT ends ProbeRTT when it has lasted 200 ms and a round.
func (b *bbr) endProbeRTT(now mono.Time) {
	if b.probeEnd == 0 || !b.probed || now < b.probeEnd {
		return
	}
	b.minRTTAt = now
	b.set(max(b.cwnd, b.prior))
	if b.phase = Startup; b.full {
		b.probeBandwidth(now)
	}
}

// bandwidth returns the estimate, 0 before the first sample.
func (b *bbr) bandwidth() int64 { return b.bw.get() }

// gains returns the pacing and the window gain of the present state.
func (b *bbr) gains() (pacing, window int64) {
	switch b.phase {
	case Startup:
		return bbrHighGain, bbrHighGain
	case Drain:
		return bbrDrainGain, bbrHighGain
	case ProbeRTT:
		return gainUnit, gainUnit
	}
	return bbrCycle[b.cycle], bbrWindowGain
}

// paceAt returns the pacing rate of a gain.
func (b *bbr) paceAt(gain int64) int64 {
	return max(amplify(amplify(b.bandwidth(), gain), bbrMargin), 1)
}

// setPacing follows the model. Until the pipe has been filled the rate only rises, and before the first sample it makes a round
// of Startup of the window.
func (b *bbr) setPacing(a *Ack) {
	gain, _ := b.gains()
	switch {
	case b.bandwidth() > 0:
		if rate := b.paceAt(gain); b.full || rate > b.pacing {
			b.pacing = rate
		}
	case a.SRTT > 0 && b.pacing == 0:
		b.pacing = min(max(mulDiv(amplify(b.cwnd, bbrHighGain), int64(time.Second), int64(a.SRTT)), 1), maxBandwidth)
	}
}

// bdp returns gain bandwidth-delay products, or gain initial windows before there is a model.
func (b *bbr) bdp(gain int64) int64 {
	if b.minRTT == 0 || b.bandwidth() == 0 {
		return amplify(b.initial, gain)
	}
	return min(amplify(octetsIn(b.bandwidth(), b.minRTT), gain), MaxWindow)
}

// target returns the window that the model asks for: room for the product, for bursts of ACKs and for what the pacer and the
// receiver gather, in whole pairs of segments for delayed ACKs.
func (b *bbr) target() int64 {
	_, gain := b.gains()
	n := b.bdp(gain) + 3*sendQuantum(b.pacing, b.mss)
	if b.full {
		n += min(max(b.extra.most[0], b.extra.most[1]), octetsIn(b.bandwidth(), bbrExtraTime))
	}
	pair := 2 * b.mss
	n = (n + pair - 1) / pair * pair
	if b.phase == ProbeBandwidth && bbrCycle[b.cycle] > gainUnit {
		n += pair
	}
	return n
}

// setWindow moves the window towards the target. In the first round of recovery what leaves is what has arrived; the end of
// recovery brings back the window from before.
func (b *bbr) setWindow(a *Ack) {
	acked := volume(a.Delivered)
	enters := a.State == Recovery && !b.recovering
	if enters {
		b.save()
	}
	if b.lost > 0 {
		b.set(b.cwnd - b.lost)
	}
	switch {
	case enters:
		b.recovering, b.conserving = true, true
		b.conserved = a.Rate.TotalDelivered
		b.set(b.inFlight + acked)
	case b.recovering && a.State != Recovery:
		b.recovering, b.conserving = false, false
		b.set(max(b.cwnd, b.prior))
	}
	if b.conserving && a.Rate.PriorDelivered >= b.conserved && a.Rate.PriorDelivered > 0 {
		b.conserving = false
	}
	b.early = max(b.early-acked, 0)
	if b.conserving {
		b.set(max(b.cwnd, b.inFlight+acked))
	} else if target := b.target(); b.full {
		b.set(min(b.cwnd+acked, target))
	} else if b.cwnd < target || b.early > 0 {
		b.set(b.cwnd + acked)
	}
	b.set(max(b.cwnd, bbrMinSegments*b.mss))
	if b.phase == ProbeRTT {
		b.set(min(b.cwnd, bbrMinSegments*b.mss))
	}
}

// Output returns the window, which holds in recovery too, and the rate.
func (b *bbr) Output() Output {
	return Output{Window: b.cwnd, PacingRate: b.pacing, Ssthresh: Infinite, Phase: b.phase, Direct: true}
}
