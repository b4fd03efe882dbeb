package cc

import (
	"math"
	"math/rand/v2"
	"time"

	"longhaul/mono"
)

var udtAlgorithm = Algorithm{
	Name:   "udt",
	Title:  "UDT4's rate control",
	Source: "Gu and Grossman, UDT, Computer Networks 51(7) 2007; draft-gg-udt-03",
	New:    newUDT,
	Signal: ByLoss | ByRate,
	Constants: "every 10 ms the rate grows by 10^ceil(log10 B) x 1.5e-6 octets, B the bits per second that are free; 8/9 on loss, once and at most " +
		"four times more in a window; window rate x (RTT + 10 ms) + 16 segments",
	Model: true,
}

// The constants of UDT4.
const (
	udtTick     = 10 * time.Millisecond // SYN: the rate changes at most so often
	udtExtra    = 16                    // segments of window beyond the rate's
	udtBeta     = 1.5e-6                // octets a tick for each free bit per second, rounded up to a power of ten
	udtLeast    = 0.01                  // segments a tick: the slowest growth
	udtCuts     = 5                     // in one epoch of losses
	udtSmoothed = 8                     // a sample counts for one part in so many
	udtMemory   = 100                   // round trips for which the capacity is known
)

// udt steers a rate: it grows by an amount that depends on the free capacity, in steps of powers of ten, and shrinks by a ninth on loss. The
// window only keeps it from sending what the network has no room for. UDT's receiver measures capacity and arrival rate; here the ACKs tell
// both. Two of them that come further apart than the segments left show what the bottleneck makes of a pair, and others less, so that the most of
// many round trips is the capacity.
type udt struct {
	mss, max int64
	cwnd     int64
	rate     float64 // octets per second; 0 in slow start
	rng      *rand.Rand

	capacity    maxFilter // octets per second
	arrival     float64   // octets per second, smoothed; 0 before the first sample
	heard, left mono.Time
	tick        mono.Time // of the latest increase
	cut         udtCut
	srtt        time.Duration
}

// udtCut is an epoch of losses: of segments that left before the rate was cut.
type udtCut struct {
	began    mono.Time // the latest cut
	rate     float64   // octets per second before the epoch
	reports  float64   // ACKs that tell of losses, in this epoch
	usual    float64   // in past ones, smoothed
	every    float64   // so many of them make a cut
	n        int       // cuts in this epoch
	reported mono.Time // the latest of them
	skip     bool      // there was one since the latest increase
}

func newUDT(p Params) Controller {
	p = p.withDefaults()
	return &udt{mss: p.MSS, max: p.MaxWindow, cwnd: p.InitialWindow, rng: p.Rand, cut: udtCut{usual: 1}}
}

func (u *udt) OnSent(s Sent) {
	if s.Idle > 0 {
		u.heard = 0
	}
}

// OnLost is UDT's loss report: one for each ACK that tells of losses.
func (u *udt) OnLost(l Lost) {
	if l.Now == u.cut.reported {
		return
	}
	u.cut.reported, u.cut.skip = l.Now, true
	u.lost(l.Now, l.SentAt >= u.cut.began)
}

// lost answers a report, which may begin an epoch.
func (u *udt) lost(now mono.Time, fresh bool) {
	c := &u.cut
	if u.rate == 0 {
		u.leaveSlowStart()
		c.began, c.rate, c.reports, c.every, c.n = now, u.rate, 1, 1, udtCuts // of what slow start did there is one answer
		return
	}
	if fresh {
		c.rate = u.rate
		c.usual = float64(0.875*c.usual) + float64(0.125*c.reports)
		c.reports, c.n, c.every = 1, 1, 1
		if u.rng != nil {
			c.every = max(math.Ceil(float64(c.usual*u.rng.Float64())), 1)
		}
		c.began = now
		u.slow()
		return
	}
	if c.reports++; c.n < udtCuts && c.reports == float64(float64(c.n)*c.every) {
		c.n++
		c.began = now
		u.slow()
	}
}

// slow takes a ninth of the rate.
func (u *udt) slow() { u.rate = max(u.rate*8/9, float64(u.mss)) }

// leaveSlowStart goes on at the rate at which data arrives.
func (u *udt) leaveSlowStart() {
	if u.rate = u.arrival; u.rate == 0 {
		u.rate = float64(u.cwnd) / seconds(max(u.srtt, 0)+udtTick)
	}
	u.rate = min(max(u.rate, float64(u.mss)), float64(maxBandwidth))
}

// OnCongestion takes a timeout or a mark for a report of loss. Losses have been answered one by one.
func (u *udt) OnCongestion(e Congestion) {
	if e.Kind == Timeout || e.Kind == ECN || e.Kind == LocalDrop {
		u.lost(e.Now, !e.Repeated)
	}
}

func (u *udt) OnAck(a Ack) {
	u.measure(&a)
	if a.SRTT > 0 {
		u.srtt = a.SRTT
	}
	if u.rate == 0 {
		if a.State == Open && a.CwndLimited {
			u.cwnd = min(u.cwnd+volume(a.Acked), u.max)
		}
		return
	}
	if u.arrival > 0 {
		window := float64(u.arrival*seconds(u.srtt+udtTick)) + float64(udtExtra*u.mss)
		u.cwnd = min(max(int64(min(window, float64(u.max))), u.mss), u.max)
	}
	if a.Now.Sub(u.tick) < udtTick || a.AppLimited || a.State == Marked {
		return
	}
	u.tick = a.Now
	if u.cut.skip { // a tick with a cut has no increase
		u.cut.skip = false
		return
	}
	u.rate = min(u.rate+float64(u.increase()/seconds(udtTick)), float64(maxBandwidth))
}

// increase returns the octets a tick by which the rate grows: by what is free, but after a cut, until the rate is back where it was, by no more
// than a ninth of the capacity.
func (u *udt) increase() float64 {
	capacity := float64(u.bandwidth())
	free := capacity - u.rate
	if u.rate < u.cut.rate {
		free = min(free, capacity/9)
	}
	return udtIncrease(8*free, float64(u.mss))
}

// udtIncrease returns the octets a tick by which the rate grows with so many bits per second free.
func udtIncrease(free, mss float64) float64 {
	power := 1.0
	for power < free {
		power *= 10
	}
	if free <= 0 {
		power = 0
	}
	return max(float64(udtBeta*power), float64(udtLeast*mss))
}

// measure takes in what an ACK says of the capacity and of the rate at which data arrives.
func (u *udt) measure(a *Ack) {
	if a.RTT > 0 {
		left := a.Now.Add(-a.RTT) // when the newest segment left
		if gap := max(a.Now.Sub(u.heard), left.Sub(u.left)); u.heard > 0 && gap > 0 && a.Delivered > 0 {
			u.capacity.update(min(mulDiv(volume(a.Delivered), int64(time.Second), int64(gap)), maxBandwidth), a.Round, udtMemory)
		}
		u.heard, u.left = a.Now, left
	}
	if sample := a.Rate.bandwidth(); sample > 0 && !a.Rate.AppLimited {
		u.arrival = udtSmooth(u.arrival, float64(sample))
	}
}

func udtSmooth(known, sample float64) float64 {
	if known == 0 {
		return sample
	}
	return known + (sample-known)/udtSmoothed
}

// bandwidth returns the estimate of the capacity in octets per second.
func (u *udt) bandwidth() int64 { return u.capacity.get() }

// Output returns window and rate. In slow start the pace is the engine's.
func (u *udt) Output() Output {
	o := Output{Window: u.cwnd, PacingRate: int64(u.rate), Ssthresh: Infinite, Phase: ProbeBandwidth, Direct: true}
	if u.rate == 0 {
		o.Phase = SlowStart
	}
	return o
}
