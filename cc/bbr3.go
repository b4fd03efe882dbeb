package cc

import (
	"math/rand/v2"
	"time"

	"longhaul/mono"
)

var bbr3Algorithm = Algorithm{
	Name:   "bbr3",
	Title:  "BBRv3",
	Source: "draft-ietf-ccwg-bbr",
	New:    newBBR3,
	Signal: ByRate | ByDelay | ByLoss,
	Constants: "startup 2.77, drain 0.5, probing 1.25 every 2 to 3 s or 63 rounds, window 2 BDP; over 2 % loss while probing bounds the flight, " +
		"otherwise losses take 0.7; probe of the round trip every 5 s: 200 ms with half a BDP",
	Model: true,
}

// The constants of draft-ietf-ccwg-bbr, gains in thousandths.
const (
	bbr3StartupGain  = 2773 // 4 ln 2
	bbr3DrainGain    = 500
	bbr3DownGain     = 900
	bbr3UpGain       = 1250
	bbr3WindowGain   = 2 * gainUnit
	bbr3UpWindowGain = 2250
	bbr3ProbeRTTGain = 500
	bbr3Beta         = 700 // what a loss leaves of the short-term bounds
	bbr3Headroom     = 150 // of the flight that the path bears is left to others
	bbr3LossThresh   = 0.02
	bbr3StartupLoss  = 6 // ACKs that tell of losses, in a round, end Startup
	bbr3MinRTT       = 10 * time.Second
	bbr3ProbeRTTGap  = 5 * time.Second
	bbr3DrainRounds  = 3
	bbr3ExtraRounds  = 10
	bbr3ProbeWait    = 2 * time.Second // and up to another second
	bbr3RenoRounds   = 63              // the longest time between probes, for Reno's sake
)

// bbr3Step is where the cycle of ProbeBandwidth stands.
type bbr3Step uint8

const (
	stepDown bbr3Step = iota
	stepCruise
	stepRefill
	stepUp
)

// bbr3Feedback says what the ACKs that arrive tell of probing.
type bbr3Feedback uint8

const (
	feedbackNone     bbr3Feedback = iota
	feedbackRefill                // of what was sent before it, with the pipe being filled
	feedbackStarting              // of what was sent before it
	feedbackProbing               // of what it sent
	feedbackStopping              // of the last of that
)

// bbr3 is BBR that also keeps how much the path bears: a long-term bound, found by probing until more than 2 % is lost, and short-term
// bounds, which losses between probes lower.
type bbr3 struct {
	mss, initial, max int64
	cwnd, pacing      int64
	prior             int64 // the window before recovery or ProbeRTT
	inFlight          int64
	delivered         int64 // octets, on the connection
	early             int64 // octets of the initial window that have not been delivered yet
	rng               *rand.Rand
	now               mono.Time

	bw       [2]int64 // largest delivery rate of this probing cycle and of the last
	minRTT   time.Duration
	minRTTAt mono.Time
	probeMin time.Duration // smallest RTT of the last 5 s
	probedAt mono.Time

	rounds  bbr3Rounds
	bounds  bbr3Bounds
	undone  bbr3Undo
	recent  bbr3Recent
	fullBW  bbr3Full
	probe   bbr3Probe
	extra   burstiness3
	phase   Phase
	step    bbr3Step
	resting bbr3Rest

	recovering bool
	restarted  bool // sending began again after idle time, and nothing has been acknowledged since
}

// bbr3Rounds counts packet-timed rounds, of which a state may begin one of its own.
type bbr3Rounds struct {
	end    int64 // delivered count
	began  bool  // this ACK began a round
	count  uint64
	drain  uint64 // count at the start of Drain
	probes uint64 // rounds since the last probe for bandwidth
}

// bbr3Bounds is what losses have shown of the path; Infinite if they have shown nothing.
type bbr3Bounds struct {
	long      int64 // octets in flight that the path bears
	short     int64 // octets, until the next probe
	shortRate int64 // octets per second, likewise
}

// bbr3Undo is what a spurious recovery gives back.
type bbr3Undo struct {
	bounds bbr3Bounds
	left   Phase    // the phase at its start
	step   bbr3Step // likewise
	valid  bool
}

// bbr3Recent are the largest samples of the present round, and its losses.
type bbr3Recent struct {
	rate, volume int64
	end          int64 // delivered count that ends the round
	began        bool  // this ACK began one
	lost         bool  // something was lost in it
	events       int   // ACKs that told of losses in it
	last         mono.Time
	recovery     bool // all of it was in recovery
}

// bbr3Full finds that probing brings no more bandwidth.
type bbr3Full struct {
	bw      int64
	count   uint8
	now     bool // three rounds without a quarter more
	reached bool // once
}

// bbr3Rest is the state of ProbeRTT.
type bbr3Rest struct {
	end     mono.Time // 0 before the flight is small enough
	rounded bool      // a round has passed since
	limited int64     // samples of what was sent before this delivered count tell of the small window
}

func newBBR3(p Params) Controller {
	p = p.withDefaults()
	return &bbr3{
		mss: p.MSS, initial: p.InitialWindow, max: p.MaxWindow, cwnd: p.InitialWindow, early: p.InitialWindow, rng: p.Rand, phase: Startup,
		bounds: bbr3Bounds{Infinite, Infinite, Infinite},
	}
}

// OnSent notes the flight, and after idle time paces at the bandwidth.
func (b *bbr3) OnSent(s Sent) {
	b.inFlight = volume(s.InFlight)
	if s.Idle <= 0 {
		return
	}
	b.restarted = true
	b.extra.since, b.extra.acked = s.Now, 0
	switch {
	case b.phase == ProbeBandwidth && b.bandwidth() > 0:
		b.pacing = b.paceAt(gainUnit)
	case b.phase == ProbeRTT:
		b.endProbeRTT(s.Now)
	}
}

// OnCongestion answers a timeout with what is in flight and one segment. A mark counts as the loss of a segment.
func (b *bbr3) OnCongestion(e Congestion) {
	switch e.Kind {
	case Timeout:
		b.save()
		b.recovering = false
		b.set(b.inFlight + b.mss)
	case ECN, LocalDrop:
		b.noteLoss(e.Now)
	case Undo:
		b.undo()
	}
}

// undo takes back what a recovery that was needless has done (draft-ietf-ccwg-bbr s.5.6.4.4).
func (b *bbr3) undo() {
	b.recovering, b.recent.lost = false, false
	b.fullBW = bbr3Full{reached: b.fullBW.reached}
	b.set(max(b.cwnd, b.prior))
	u := &b.undone
	if !u.valid {
		return
	}
	u.valid = false
	b.bounds.long = max(b.bounds.long, u.bounds.long)
	b.bounds.short = max(b.bounds.short, u.bounds.short)
	b.bounds.shortRate = max(b.bounds.shortRate, u.bounds.shortRate)
	switch {
	case u.left == Startup && b.phase != ProbeRTT && b.phase != Startup:
		b.phase, b.fullBW.reached = Startup, false
	case u.left == ProbeBandwidth && u.step == stepUp && b.phase == ProbeBandwidth && b.step != stepUp:
		b.refill(b.now)
	}
}

// save keeps the window that recovery or ProbeRTT is about to lower.
func (b *bbr3) save() {
	if b.recovering || b.phase == ProbeRTT {
		b.prior = max(b.prior, b.cwnd)
		return
	}
	b.prior = b.cwnd
}

// set makes n the window, within its bounds.
func (b *bbr3) set(n int64) { b.cwnd = min(max(n, b.mss), b.max) }

// OnAck updates the model, moves on the state, and derives rate and window from them, in the order of draft-ietf-ccwg-bbr s.5.2.3.
func (b *bbr3) OnAck(a Ack) {
	b.now = a.Now
	b.inFlight = volume(a.InFlight)
	b.delivered = a.Rate.TotalDelivered
	b.countRound(&a)
	b.learnSignals(&a)
	b.extra.update(&a, b.bandwidth(), b.cwnd, b.rounds.count, b.fullBW.reached)
	b.checkFull(&a)
	b.leaveStartup(&a)
	b.moveCycle(&a)
	b.learnRTT(&a)
	if b.recent.began {
		b.recent.rate, b.recent.volume, b.recent.events = a.Rate.bandwidth(), volume(a.Rate.Delivered), 0
		b.recent.recovery = a.State == Recovery
	}
	b.setPacing(&a)
	b.setWindow(&a)
	if a.Delivered > 0 {
		b.restarted = false
	}
}

// countRound notes whether the ACK begins a round.
func (b *bbr3) countRound(a *Ack) {
	r := &b.rounds
	if r.began = a.Rate.Delivered > 0 && a.Rate.PriorDelivered >= r.end; r.began {
		b.startRound()
		r.count++
		r.probes++
	}
}

// startRound begins a round with what is sent from now on.
func (b *bbr3) startRound() { b.rounds.end = b.delivered }

// checkFull notes whether three rounds have not brought a quarter more bandwidth.
func (b *bbr3) checkFull(a *Ack) {
	f := &b.fullBW
	if f.now || !b.rounds.began || b.heldDown(a) {
		return
	}
	sample := a.Rate.bandwidth()
	if sample >= amplify(f.bw, 1250) {
		f.bw, f.count = sample, 0
		return
	}
	f.count++
	if f.now = f.count >= 3; f.now {
		f.reached = true
	}
}

// leaveStartup goes by way of Drain to ProbeBandwidth.
func (b *bbr3) leaveStartup(a *Ack) {
	if b.phase == Startup && !b.fullBW.reached && b.recent.began && b.recent.recovery && a.State == Recovery &&
		b.recent.events >= bbr3StartupLoss && float64(a.Rate.Lost) > float64(bbr3LossThresh*float64(a.Rate.TxInFlight)) {
		b.fullBW.reached = true
		b.bounds.long = max(b.bdp(gainUnit), b.recent.volume)
	}
	if b.phase == Startup && b.fullBW.reached {
		b.phase = Drain
		b.rounds.drain = b.rounds.count
	}
	if b.phase == Drain && (b.inFlight <= b.bdp(gainUnit) || b.rounds.count-b.rounds.drain > bbr3DrainRounds) {
		b.goDown(a.Now)
	}
}

// learnRTT keeps the smallest round trip of the last 10 s, and of the last 5 s. When nothing has confirmed that for so long, ProbeRTT
// empties the queue to see it anew.
func (b *bbr3) learnRTT(a *Ack) {
	expired := b.probeMin > 0 && a.Now.Sub(b.probedAt) > bbr3ProbeRTTGap
	if a.RTT > 0 && (b.probeMin == 0 || a.RTT < b.probeMin || expired) {
		b.probeMin, b.probedAt = a.RTT, a.Now
	}
	if b.probeMin > 0 && (b.minRTT == 0 || b.probeMin < b.minRTT || a.Now.Sub(b.minRTTAt) > bbr3MinRTT) {
		b.minRTT, b.minRTTAt = b.probeMin, b.probedAt
	}
	r := &b.resting
	if expired && !b.restarted && b.phase != ProbeRTT {
		b.save()
		b.phase, b.probe.feedback = ProbeRTT, feedbackStopping
		r.end = 0
		b.startRound()
	}
	if b.phase != ProbeRTT {
		return
	}
	r.limited = b.delivered + b.inFlight
	switch {
	case r.end == 0 && b.inFlight <= b.restWindow():
		r.end, r.rounded = a.Now.Add(bbrProbeRTT), false
		b.startRound()
	case r.end != 0:
		r.rounded = r.rounded || b.rounds.began
		if r.rounded {
			b.endProbeRTT(a.Now)
		}
	}
}

// restWindow returns the window of ProbeRTT.
func (b *bbr3) restWindow() int64 { return max(b.bdp(bbr3ProbeRTTGain), bbrMinSegments*b.mss) }

// endProbeRTT ends ProbeRTT when it has lasted 200 ms and a round.
func (b *bbr3) endProbeRTT(now mono.Time) {
	if b.resting.end == 0 || !b.resting.rounded || now < b.resting.end {
		return
	}
	b.probedAt = now
	b.set(max(b.cwnd, b.prior))
	b.bounds.short, b.bounds.shortRate = Infinite, Infinite
	if b.phase = Startup; b.fullBW.reached {
		b.goDown(now)
		b.step = stepCruise
	}
}

// bandwidth returns the estimate that rate and window follow, 0 before the first sample.
func (b *bbr3) bandwidth() int64 { return min(b.maxBandwidth(), b.bounds.shortRate) }

// maxBandwidth returns the largest delivery rate of the last two cycles.
func (b *bbr3) maxBandwidth() int64 { return max(b.bw[0], b.bw[1]) }

// heldDown reports whether the sample is of data that the application, or ProbeRTT, held back.
func (b *bbr3) heldDown(a *Ack) bool {
	return a.Rate.AppLimited || a.Rate.PriorDelivered < b.resting.limited
}

// gains returns the pacing and the window gain of the present state.
func (b *bbr3) gains() (pacing, window int64) {
	switch b.phase {
	case Startup:
		return bbr3StartupGain, bbr3WindowGain
	case Drain:
		return bbr3DrainGain, bbr3WindowGain
	case ProbeRTT:
		return gainUnit, bbr3ProbeRTTGain
	}
	switch b.step {
	case stepDown:
		return bbr3DownGain, bbr3WindowGain
	case stepUp:
		return bbr3UpGain, bbr3UpWindowGain
	}
	return gainUnit, bbr3WindowGain
}

// paceAt returns the pacing rate of a gain.
func (b *bbr3) paceAt(gain int64) int64 {
	return max(amplify(amplify(b.bandwidth(), gain), bbrMargin), 1)
}

// setPacing follows the model. Until the pipe has been filled the rate only rises, and before the first sample it makes a round
// of Startup of the window.
func (b *bbr3) setPacing(a *Ack) {
	gain, _ := b.gains()
	switch {
	case b.bandwidth() > 0:
		if rate := b.paceAt(gain); b.fullBW.reached || rate > b.pacing {
			b.pacing = rate
		}
	case a.SRTT > 0 && b.pacing == 0:
		b.pacing = min(max(mulDiv(amplify(b.cwnd, bbr3StartupGain), int64(time.Second), int64(a.SRTT)), 1), maxBandwidth)
	}
}

// bdp returns gain bandwidth-delay products, or gain initial windows before there is a model.
func (b *bbr3) bdp(gain int64) int64 {
	if b.minRTT == 0 || b.bandwidth() == 0 {
		return amplify(b.initial, gain)
	}
	return min(amplify(octetsIn(b.bandwidth(), b.minRTT), gain), MaxWindow)
}

// target returns the window that the model of bandwidth and round trip asks for.
func (b *bbr3) target() int64 {
	_, gain := b.gains()
	n := b.bdp(gain) + b.extra.most.get()
	n = max(n, 3*sendQuantum(b.pacing, b.mss), bbrMinSegments*b.mss)
	if b.phase == ProbeBandwidth && b.step == stepUp {
		n += 2 * b.mss
	}
	return n
}

// setWindow moves the window towards the target, and keeps it within what the path bears.
func (b *bbr3) setWindow(a *Ack) {
	acked := volume(a.Delivered)
	switch recovering := a.State == Recovery; {
	case recovering && !b.recovering:
		b.save()
		b.recovering = true
	case !recovering && b.recovering:
		b.recovering = false
		b.set(max(b.cwnd, b.prior))
	}
	b.early = max(b.early-acked, 0)
	if target := b.target(); b.fullBW.reached {
		b.set(min(b.cwnd+acked, target))
	} else if b.cwnd < target || b.early > 0 {
		b.set(b.cwnd + acked)
	}
	least := bbrMinSegments * b.mss
	limit := b.bounds.short
	switch {
	case b.phase == ProbeRTT:
		limit = min(limit, b.withHeadroom(), b.restWindow())
	case b.phase == ProbeBandwidth && b.step == stepCruise:
		limit = min(limit, b.withHeadroom())
	case b.phase == ProbeBandwidth:
		limit = min(limit, b.bounds.long)
	}
	b.set(max(min(b.cwnd, limit), least))
}

// Output returns the window, which holds in recovery too, and the rate.
func (b *bbr3) Output() Output {
	return Output{Window: b.cwnd, PacingRate: b.pacing, Ssthresh: Infinite, Phase: b.phase, Direct: true}
}
