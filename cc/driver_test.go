package cc_test

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

const mss = 1000

// path drives a controller over a path of constant round-trip time and endless rate: each round sends a window,
// evenly spread, and the next one hears the ACKs. It is the whole of what package cc needs to run.
type path struct {
	c        cc.Controller
	rtt      time.Duration
	start    mono.Time // of the present round
	round    uint64
	sent     int64              // segments sent so far
	lose     func(n int64) bool // whether the n-th segment, from 0, is lost
	perACK   int                // segments an ACK covers; 0 is 1
	minRTT   time.Duration
	blind    bool  // there are no timestamps, so no one-way delays
	repair   int64 // segments the next ACK covers because a hole is filled
	recovers bool  // fast recovery lasts until the next ACK
	onACK    func(now mono.Time)
}

func newPath(c cc.Controller, rtt time.Duration) *path {
	return &path{c: c, rtt: rtt, minRTT: rtt, start: mono.Time(rtt), lose: func(int64) bool { return false }}
}

// window returns the controller's window in segments.
func (p *path) window() float64 { return float64(p.c.Output().Window) / mss }

// run sends one window and hears its ACKs. At most one segment of a window is lost.
func (p *path) run() {
	n := p.c.Output().Window / mss
	p.round++
	for i := range n {
		p.c.OnSent(cc.Sent{Now: p.start, Bytes: mss, InFlight: (i + 1) * mss, RTO: time.Second})
	}
	lost := int64(-1)
	gap := p.rtt / time.Duration(n)
	var held int
	for i := range n {
		now := p.start.Add(p.rtt + time.Duration(i)*gap)
		if lost < 0 && p.lose(p.sent) {
			lost = i
		}
		p.sent++
		switch {
		case lost == i:
			p.c.OnLost(cc.Lost{Now: now, Bytes: mss, SentAt: p.start})
			p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: now, InFlight: n * mss})
		case lost >= 0:
			p.ack(now, 0, 1, n-i, cc.Recovery)
		default:
			if held++; held < p.perACK && i < n-1 {
				continue
			}
			p.good(now, int64(held), n)
			held = 0
		}
	}
	if lost >= 0 {
		p.repair, p.recovers = n-lost-1, true
	}
	p.start = p.start.Add(p.rtt)
}

// good hears the ACK of k segments in order, which may also fill the hole of the last round.
func (p *path) good(now mono.Time, k, flight int64) {
	state := cc.Open
	if p.recovers {
		state = cc.Exited
	}
	p.ack(now, k+p.repair, k, flight, state)
	p.repair, p.recovers = 0, false
}

func (p *path) ack(now mono.Time, acked, delivered, flight int64, state cc.State) {
	p.c.OnAck(cc.Ack{
		Now: now, Acked: acked * mss, Delivered: delivered * mss, RTT: p.rtt, SRTT: p.rtt, MinRTT: p.minRTT, OneWayDelay: p.rtt - time.Hour, HasOWD: !p.blind,
		InFlight: (flight - delivered) * mss, PriorFlight: flight * mss, Round: p.round, CwndLimited: true, State: state,
	})
	if p.onACK != nil {
		p.onACK(now)
	}
}

// rounds runs n rounds.
func (p *path) rounds(n int) {
	for range n {
		p.run()
	}
}

// every returns a loss pattern that takes one segment in n.
func every(n int64) func(int64) bool { return func(i int64) bool { return i%n == n-1 } }

// mean returns the average window in segments over the loss cycles from skip to skip+cycles.
func (p *path) mean(period, skip, cycles int64) float64 {
	p.lose = every(period)
	for p.sent < skip*period {
		p.run()
	}
	var sum float64
	rounds := 0
	for p.sent < (skip+cycles)*period {
		sum += p.window()
		rounds++
		p.run()
	}
	return sum / float64(rounds)
}

// make1 returns a controller of the named algorithm with the lab's segment size.
func make1(name string, p cc.Params) cc.Controller {
	a, ok := cc.Find(name)
	if !ok {
		panic("no algorithm " + name)
	}
	p.MSS = mss
	return a.New(p)
}
