package cc_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// pipe drives a controller through a bottleneck, packet by packet: a paced sender that always has data, a rate, a queue and random
// loss, and a receiver that acknowledges every segment selectively. Losses are marked three deliveries later and sent again
// at once. It measures delivery rates as an engine does (draft-ietf-ccwg-bbr s.4.1).
type pipe struct {
	*bottleneck
	c     cc.Controller
	rtt   time.Duration // propagation
	loss  float64       // probability
	rng   *rand.Rand
	quiet func(now mono.Time) bool // the application has nothing to send
	onACK func(a cc.Ack)
	blind bool // there are no timestamps, so no one-way delays

	now, due           mono.Time // due is when the pacer lets the next segment out
	flight             []packet  // in the order of transmission
	inFlight           int64     // octets
	delivered, lost    int64     // octets
	deliveredAt, first mono.Time
	srtt, minRTT       time.Duration
	round              uint64
	roundEnd           int64
	limited            int64 // delivered count until which samples are limited by the application
	lastSent           mono.Time
	sent, dropped      int64 // segments
	recovery           int64 // delivered count that ends recovery; 0 if there is none
	maxQueue           time.Duration
	queueSum           float64
}

// bottleneck is what pipes may share.
type bottleneck struct {
	rate   float64   // segments per second
	buffer float64   // segments; 0 means no limit
	busy   mono.Time // it is busy until then
}

// packet is a segment in flight.
type packet struct {
	sentAt, arrives    mono.Time // arrives is when its ACK does
	gone               bool
	delivered, lost    int64
	deliveredAt, first mono.Time
	inFlight           int64
	limited            bool
}

// newPipe returns a pipe of that many segments of 1000 octets a second.
func newPipe(c cc.Controller, rate float64, rtt time.Duration) *pipe {
	start := mono.Time(time.Second)
	return (&pipe{bottleneck: &bottleneck{rate: rate, busy: start}, now: start}).join(c, rtt)
}

// join returns another flow through the same bottleneck, which begins now.
func (p *pipe) join(c cc.Controller, rtt time.Duration) *pipe {
	return &pipe{
		bottleneck: p.bottleneck, c: c, rtt: rtt, now: p.now, due: p.now, rng: rand.New(rand.NewPCG(1, 1)),
		quiet: func(mono.Time) bool { return false },
	}
}

// run goes on for d.
func (p *pipe) run(d time.Duration) { together(d, p) }

// together has flows through one bottleneck go on for d: always the one to which something happens first.
func together(d time.Duration, flows ...*pipe) {
	now := flows[0].now
	end := now.Add(d)
	for now < end {
		var first *pipe
		at, sends := mono.Never, false
		for _, p := range flows {
			if t, s := p.next(end); t < at {
				first, at, sends = p, t, s
			}
		}
		first.do(at, sends)
		now = at
	}
	for _, p := range flows {
		p.now = end
	}
}

// next returns when something happens next, but no later than end, and whether that is that a segment leaves.
func (p *pipe) next(end mono.Time) (at mono.Time, sends bool) {
	at = end
	if i := p.nextACK(); i >= 0 {
		at = min(at, max(p.flight[i].arrives, p.now))
	}
	if p.quiet(p.now) {
		p.limited = max(p.delivered+p.inFlight, 1)
		return min(at, p.now.Add(time.Millisecond)), false
	}
	if due := max(p.due, p.now); due <= at && p.inFlight+mss <= p.c.Output().Window {
		return due, true
	}
	return at, false
}

// do has it happen.
func (p *pipe) do(at mono.Time, sends bool) {
	p.now = at
	if sends {
		p.send()
	} else if i := p.nextACK(); i >= 0 && p.flight[i].arrives <= p.now {
		p.ack(i)
	}
}

// nextACK returns the index of the next segment to be acknowledged, or -1.
func (p *pipe) nextACK() int {
	for i := range p.flight {
		if !p.flight[i].gone {
			return i
		}
	}
	return -1
}

func (p *pipe) send() {
	var idle time.Duration
	if p.inFlight == 0 {
		p.first, p.deliveredAt = p.now, p.now
		if p.lastSent > 0 {
			idle = p.now.Sub(p.lastSent)
		}
	}
	p.inFlight += mss
	g := packet{sentAt: p.now, delivered: p.delivered, lost: p.lost, deliveredAt: p.deliveredAt, first: p.first, inFlight: p.inFlight, limited: p.limited > 0}
	waits := max(p.busy.Sub(p.now), 0)
	if p.sent++; p.loss > 0 && p.rng.Float64() < p.loss || p.buffer > 0 && waits.Seconds()*p.rate >= p.buffer {
		g.gone = true
		p.dropped++
	} else {
		p.busy = max(p.busy, p.now).Add(time.Duration(1e9 / p.rate))
		g.arrives = p.busy.Add(p.rtt)
		p.maxQueue = max(p.maxQueue, waits)
		p.queueSum += waits.Seconds() * p.rate
	}
	p.flight = append(p.flight, g)
	p.lastSent = p.now
	p.c.OnSent(cc.Sent{Now: p.now, Bytes: mss, InFlight: p.inFlight, Idle: idle, RTO: time.Second})
	rate := p.c.Output().PacingRate
	if rate == 0 && p.srtt > 0 { // as an engine paces a window
		rate = int64(1.2 * float64(p.c.Output().Window) / p.srtt.Seconds())
	}
	if rate > 0 {
		p.due = max(p.due, p.now.Add(-time.Millisecond)).Add(time.Duration(mss * 1e9 / float64(rate)))
	}
}

// ack takes in the arrival of flight[i]. Everything more than two segments before it that has not arrived is lost.
func (p *pipe) ack(i int) {
	g := p.flight[i]
	prior := p.inFlight
	fresh := false
	for k := 0; k+2 < i; k++ {
		l := p.flight[0]
		p.flight = p.flight[1:]
		i--
		p.lost += mss
		p.inFlight -= mss
		fresh = true
		p.c.OnLost(cc.Lost{Now: p.now, Bytes: mss, SentAt: l.sentAt, TxInFlight: l.inFlight, LostSince: p.lost - l.lost, AppLimited: l.limited})
	}
	p.flight = slices.Delete(p.flight, i, i+1)
	p.inFlight -= mss
	p.delivered += mss
	p.deliveredAt, p.first = p.now, g.sentAt
	if p.limited > 0 && p.delivered > p.limited {
		p.limited = 0
	}
	if g.delivered >= p.roundEnd {
		p.round++
		p.roundEnd = p.delivered
	}
	rtt := p.now.Sub(g.sentAt)
	if p.srtt == 0 {
		p.srtt, p.minRTT = rtt, rtt
	}
	p.srtt += (rtt - p.srtt) / 8
	p.minRTT = min(p.minRTT, rtt)
	state := cc.Open
	switch {
	case p.recovery == 0 && fresh:
		p.recovery = p.delivered + p.inFlight
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.now, InFlight: p.inFlight})
		state = cc.Recovery
	case fresh:
		p.recovery = p.delivered + p.inFlight // what was sent in recovery was lost too
		state = cc.Recovery
	case p.recovery > 0 && g.delivered >= p.recovery:
		p.recovery = 0
		state = cc.Exited
	case p.recovery > 0:
		state = cc.Recovery
	}
	r := cc.Rate{PriorDelivered: g.delivered, TotalDelivered: p.delivered, TxInFlight: g.inFlight, Lost: p.lost - g.lost, AppLimited: g.limited}
	if interval := max(g.sentAt.Sub(g.first), p.now.Sub(g.deliveredAt)); interval >= p.minRTT {
		r.Delivered, r.Interval = p.delivered-g.delivered, interval
	}
	a := cc.Ack{
		Now: p.now, Acked: mss, Delivered: mss, RTT: rtt, OneWayDelay: rtt - time.Hour, HasOWD: !p.blind, SRTT: p.srtt, MinRTT: p.minRTT, InFlight: p.inFlight, PriorFlight: prior,
		Rate: r, Round: p.round, CwndLimited: p.limited == 0, AppLimited: p.limited > 0, State: state,
	}
	p.c.OnAck(a)
	if p.onACK != nil {
		p.onACK(a)
	}
}

// shares has flows go on for d and returns the segments per second of each, and the mean queue that their segments found.
func shares(d time.Duration, flows ...*pipe) (rates []float64, queue float64) {
	var octets, sent []int64
	for _, p := range flows {
		octets, sent = append(octets, p.delivered), append(sent, p.sent)
		p.queueSum = 0
	}
	together(d, flows...)
	var sum, n float64
	for i, p := range flows {
		rates = append(rates, float64(p.delivered-octets[i])/mss/d.Seconds())
		sum += p.queueSum
		n += float64(p.sent - sent[i])
	}
	return rates, sum / n
}

// goodput runs for d and returns what arrives as a share of the bottleneck.
func (p *pipe) goodput(d time.Duration) float64 {
	before := p.delivered
	p.run(d)
	return float64(p.delivered-before) / mss / d.Seconds() / p.rate
}
