package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// queued runs a pipe for a while and returns the smallest, mean and largest window in segments, and the mean queue.
func queued(p *pipe, d time.Duration) (least, mean, most, queue float64) {
	least = math.Inf(1)
	n := 0.
	p.queueSum, p.onACK = 0, func(cc.Ack) {
		w := float64(p.c.Output().Window) / mss
		least, most, mean = min(least, w), max(most, w), mean+w
		n++
	}
	sent := p.sent
	p.run(d)
	p.onACK = nil
	return least, mean / n, most, p.queueSum / float64(p.sent-sent)
}

// Vegas keeps between alpha = 2 and beta = 4 segments in the queue (JSAC 13(8) 1995): 10 Mbit/s, segments of 1000 octets, 100 ms,
// so 125 of them fill the path.
func TestVegasEquilibrium(t *testing.T) {
	p := newPipe(make1("vegas", cc.Params{InitialSsthresh: 100 * mss, Paced: true}), 1250, 100*time.Millisecond)
	p.run(20 * time.Second)
	least, _, most, queue := queued(p, 30*time.Second)
	if least < 126 || most > 130 || queue < 1.5 || queue > 4.5 {
		t.Errorf("window %.1f to %.1f with %.2f segments queued, want 127 to 129 with 2 to 4", least, most, queue)
	}
	p.rate /= 2 // the path changes: half the window, and two to four in the queue again
	p.run(30 * time.Second)
	least, _, most, queue = queued(p, 20*time.Second)
	if least < 63 || most > 68 || queue < 1.5 || queue > 4.5 {
		t.Errorf("window %.1f to %.1f with %.2f segments queued, want 64.5 to 66.5 with 2 to 4", least, most, queue)
	}
}

// Flows each keep their own alpha to beta segments in the queue, and so share alike: four of them that begin together have 8 to 16
// (JSAC 13(8) 1995; Low, Peterson and Wang, JACM 49(2) 2002).
func TestVegasTogether(t *testing.T) {
	start := func() cc.Controller { return make1("vegas", cc.Params{InitialSsthresh: 25 * mss, Paced: true}) }
	flows := []*pipe{newPipe(start(), 1250, 100*time.Millisecond)}
	for range 3 {
		flows = append(flows, flows[0].join(start(), 100*time.Millisecond))
	}
	together(60*time.Second, flows...)
	rates, queue := shares(60*time.Second, flows...)
	if queue < 4*2-.5 || queue > 4*4+.5 {
		t.Errorf("%.1f segments queued, want 8 to 16", queue)
	}
	for i, r := range rates { // with 2 to 4 segments queued the shares are at most two to one
		if r < 1250./4/1.5 || r > 1250./4*1.5 {
			t.Errorf("flow %d of four: %.0f of 1250 segments per second; all %.0f", i, r, rates)
		}
	}
}

// Slow start ends when a segment is queued, with what fits the path and one.
func TestVegasSlowStart(t *testing.T) {
	p := newPath(make1("vegas", cc.Params{InitialWindow: 100 * mss, Paced: true}), 100*time.Millisecond)
	p.rounds(2)
	p.rtt = 125 * time.Millisecond
	p.rounds(1)
	w := p.window()
	near(t, "window in slow start", w, 800, .01)
	p.run()
	near(t, "window after it", p.window(), w/1.25+1, .003)
	if ph := p.c.Output().Phase; ph != cc.Avoidance {
		t.Errorf("phase %v", ph)
	}
}

// The segment is gamma: what slow start has queued ends it from there on, and not before.
func TestVegasGamma(t *testing.T) {
	for queue, want := range map[float64]cc.Phase{.7: cc.SlowStart, 1.4: cc.Avoidance} {
		p := newPath(make1("vegas", cc.Params{InitialWindow: 100 * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(2)
		p.rtt += time.Duration(queue / (800 - queue) * 1e8) // so many of the 800 segments that this round ends with
		p.rounds(2)
		if ph := p.c.Output().Phase; ph != want {
			t.Errorf("phase %v with %.1f segments queued, want %v", ph, queue, want)
		}
	}
}

// Vegas without RTT samples grows as Reno, a segment a round, and so it does below alpha.
func TestVegasGrowth(t *testing.T) {
	p := atWindow("vegas", 200, nil)
	w := p.window()
	p.rounds(20)
	near(t, "growth without a queue", p.window()-w, 20, .06)
}

// FAST's window goes to w(baseRTT/RTT) + alpha: alpha segments in the queue (ToN 14(6) 2006), half of the way each update, every other
// round trip. With an empty queue an update adds half of alpha.
func TestFASTEquilibrium(t *testing.T) {
	for name, alpha := range map[string]float64{"fast": 200, "fast.20": 20} {
		p := atWindow(name, 2000, nil)
		w := p.window()
		p.rounds(40)
		near(t, name+": growth over 20 updates with an empty queue", p.window()-w, 20*alpha/2, .06)
		q := piped(name, 20_000, 50*time.Millisecond)
		q.run(20 * time.Second)
		least, mean, most, queue := queued(q, 5*time.Second)
		near(t, name+": queue", queue, alpha, .05)
		near(t, name+": window", mean, 1000+alpha, .02)
		if most-least > .02*mean {
			t.Errorf("%s: window %.1f to %.1f", name, least, most)
		}
		q.rate *= 2
		q.run(10 * time.Second)
		_, mean, _, queue = queued(q, 5*time.Second)
		near(t, name+": queue at twice the rate", queue, alpha, .05)
		near(t, name+": window at twice the rate", mean, 2000+alpha, .02)
	}
}

// FAST flows share a bottleneck in proportion to their alphas, whatever their round trips, and together have the sum of them queued: in
// equilibrium each has alpha / rate of queueing delay (ToN 14(6) 2006, theorem 1).
func TestFASTTogether(t *testing.T) {
	type flow struct {
		name  string
		alpha float64
		rtt   time.Duration
	}
	for _, c := range [][]flow{
		{{"fast", 200, 50 * time.Millisecond}, {"fast", 200, 50 * time.Millisecond}},
		{{"fast", 200, 50 * time.Millisecond}, {"fast", 200, 150 * time.Millisecond}},
		{{"fast", 200, 50 * time.Millisecond}, {"fast.20", 20, 50 * time.Millisecond}},
		{{"fast.20", 20, 50 * time.Millisecond}, {"fast.20", 20, 50 * time.Millisecond}, {"fast.20", 20, 100 * time.Millisecond}},
	} {
		const rate = 10_000
		var flows []*pipe
		alphas := 0.
		for i, f := range c {
			alphas += f.alpha
			if i == 0 {
				flows = append(flows, piped(f.name, rate, f.rtt))
				continue
			}
			flows = append(flows, flows[0].join(make1(f.name, cc.Params{Paced: true}), f.rtt))
		}
		together(60*time.Second, flows...)
		rates, queue := shares(20*time.Second, flows...)
		near(t, "queue", queue, alphas, .05)
		for i, f := range c {
			near(t, f.name+": rate", rates[i], rate*f.alpha/alphas, .06)
		}
	}
}

// An update goes by an RTT smoothed with weight min(3/w, 1/4) for each ACK (ToN 14(6) 2006): of a step it has seen 1 - (1-3/w)^n.
func TestFASTSmoothing(t *testing.T) {
	for _, w0 := range []int64{100, 1000} {
		p := newPath(make1("fast.20", cc.Params{InitialWindow: w0 * mss, InitialSsthresh: w0 * mss, Paced: true}), 100*time.Millisecond)
		for w := p.window(); p.window()-w < 5; { // until a round has grown it: the next one watches
			p.run()
		}
		w := p.window()
		p.rtt += 50 * time.Millisecond
		p.run()
		if p.window() != w {
			t.Fatalf("window %.1f in a round that only watches, after %.1f", p.window(), w)
		}
		avg := 150 - 50*math.Pow(1-min(3/w, .25), math.Floor(w)+1)
		want := .5*w + .5*(w*100/avg+20)
		p.run()
		near(t, "window after the update", p.window(), want, .002)
	}
}

// A FAST window at most doubles in an update, and slow start ends with 0.75 ms of queue.
func TestFASTStart(t *testing.T) {
	p := atWindow("fast", 20, nil)
	w := p.window()
	p.rounds(2)
	if got := p.window(); got > 2*w || got < 1.9*w {
		t.Errorf("window %.1f after one update of %.1f", got, w)
	}
	q := piped("fast", 20_000, 50*time.Millisecond)
	q.onACK = func(cc.Ack) {
		if q.c.Output().Phase == cc.SlowStart && q.minRTT+40*time.Millisecond < q.srtt {
			t.Fatalf("slow start with %v of queue", q.srtt-q.minRTT)
		}
	}
	q.run(5 * time.Second)
}

// Veno takes a fifth for a loss with fewer than three segments queued, which gives a mean window of 2.1213/sqrt(p) where losses are noise
// (JSAC 21(2) 2003), and half for one with more.
func TestVenoResponse(t *testing.T) {
	for _, period := range []int64{1e4, 1e5, 1e6} {
		want := 2.1213 * math.Sqrt(float64(period))
		p := atWindow("veno", int64(want/.9), nil)
		p.perACK = int(period / 1e4)
		near(t, "mean window", p.mean(period, 5, 10), want, .05)
	}
}

func TestVenoQueue(t *testing.T) {
	for queue, c := range map[time.Duration]struct{ cut, grown float64 }{0: {.8, 10}, 2 * time.Millisecond: {.8, 10}, 10 * time.Millisecond: {.5, 5}} {
		p := newPath(make1("veno", cc.Params{InitialWindow: 100 * mss, InitialSsthresh: 100 * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(3)
		p.rtt += queue
		p.rounds(2)
		w := p.window()
		p.rounds(10)
		near(t, queue.String()+": growth in ten rounds", p.window()-w, c.grown, .11)
		w = p.window()
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
		near(t, queue.String()+": part that a loss leaves", p.window()/w, c.cut, .001)
	}
}

// Illinois' curves for a longest delay of 100 ms (Performance Evaluation 65, 2008).
func TestIllinoisCurves(t *testing.T) {
	for da, want := range map[float64][2]float64{
		0: {10, .125}, 1: {10, .125}, 5: {4.336, .125}, 10: {2.538, .125}, 20: {1.388, .1786}, 50: {.5881, .3393}, 80: {.3731, .5}, 100: {.3, .5},
	} {
		near(t, "alpha", cc.IllinoisAlpha(da*1e6, 1e8), want[0], 5e-4)
		near(t, "beta", cc.IllinoisBeta(da*1e6, 1e8), want[1], 5e-4)
	}
}

// Without a queue the mean window is that of an increase of 10 and a decrease of 1/8: 8.66/sqrt(p).
func TestIllinoisResponse(t *testing.T) {
	for _, period := range []int64{1e4, 1e5, 1e6} {
		want := 8.66 * math.Sqrt(float64(period))
		p := atWindow("illinois", int64(want/.9375), nil)
		p.perACK = int(period / 1e4)
		near(t, "mean window", p.mean(period, 5, 10), want, .08)
	}
}

// Delay slows Illinois down at once; that the queue is gone it believes after five rounds. Below 15 segments it is Reno, and a spike of
// delay is forgotten after 10 to 20 minutes.
func TestIllinoisDelay(t *testing.T) {
	grow := func(p *path) float64 {
		w := p.window()
		p.run()
		return p.window() - w
	}
	start := func(w int64) *path {
		p := newPath(make1("illinois", cc.Params{InitialWindow: w * mss, InitialSsthresh: w * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(3)
		return p
	}
	p := start(1000)
	near(t, "growth without a queue", grow(p), 10, .02)
	p.rtt = 200 * time.Millisecond
	p.rounds(2)
	near(t, "growth with the longest delay", grow(p), .3, .05)
	p.rtt = 100 * time.Millisecond
	p.rounds(1) // its samples are judged when it is over
	for i := range 4 {
		if g := grow(p); g > 1 {
			t.Errorf("growth of %.2f in round %d without a queue", g, i+1)
		}
	}
	p.run()
	near(t, "growth five rounds later", grow(p), 10, .02)
	p.rtt = 110 * time.Millisecond
	p.rounds(2)
	near(t, "growth with a tenth of the longest delay", grow(p), 2.538, .03)
	p.start = p.start.Add(21 * time.Minute)
	p.rounds(2)
	p.start = p.start.Add(21 * time.Minute)
	p.rounds(3)
	near(t, "growth when the spike is forgotten", grow(p), .3, .05)
	q := start(8)
	near(t, "growth of a small window", grow(q), 1, .01)
	w := q.window()
	q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start})
	near(t, "a small window after a cut", q.window(), w/2, .01)
}

// YeAH without a queue is Scalable TCP: 0.0749/p.
func TestYeAHResponse(t *testing.T) {
	for _, period := range []int64{1e4, 1e5, 1e6} {
		p := atWindow("yeah", int64(.08*float64(period)), nil)
		p.perACK = int(period / 1e4)
		near(t, "mean window", p.mean(period, 5, 10), .0749*float64(period), .15)
	}
}

// In a deep queue it keeps up to 80 segments and what three rounds of growth add until that is seen, and gives them up when there are more; a loss takes what was queued,
// but an eighth at least. Sixteen rounds of slow mode show that others are there, and a loss halves.
func TestYeAHQueue(t *testing.T) {
	p := newPipe(make1("yeah", cc.Params{InitialSsthresh: 900 * mss, Paced: true}), 20_000, 50*time.Millisecond)
	p.run(20 * time.Second)
	p.maxQueue = 0
	least, _, _, queue := queued(p, 20*time.Second)
	if most := p.maxQueue.Seconds() * p.rate; most > 80+3*11 || queue > 80 || least < 900 {
		t.Errorf("queue up to %.1f segments, %.1f in the mean, window from %.1f", most, queue, least)
	}
	w := p.c.Output().Window
	p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.now})
	near(t, "part that a loss leaves", float64(p.c.Output().Window)/float64(w), .875, .01)
	q := newPath(make1("yeah", cc.Params{InitialWindow: 50 * mss, InitialSsthresh: 50 * mss, Paced: true}), 100*time.Millisecond)
	q.rounds(3)
	q.rtt = 125 * time.Millisecond // over an eighth of delay, and fewer than 80 segments
	q.rounds(10)
	before := q.window()
	q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start})
	near(t, "part left after ten rounds of slow mode", q.window()/before, 1-.2, .02)
	q.c.OnCongestion(cc.Congestion{Kind: cc.Undo})
	q.rounds(10)
	before = q.window()
	q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start})
	near(t, "part left after twenty", q.window()/before, .5, .001)
}

// BFA holds its window once the RTT rises, for as long as the queue stands; when it falls, growth goes on.
func TestBFAHold(t *testing.T) {
	p := piped("bfa", 1250, 100*time.Millisecond)
	p.run(10 * time.Second)
	held := p.c.Output().Window
	p.run(60 * time.Second)
	if got := p.c.Output().Window; got != held || p.dropped > 0 {
		t.Errorf("window %d, %d a minute earlier", got, held)
	}
	if got := p.goodput(10 * time.Second); got < .99 {
		t.Errorf("%.3f of the rate", got)
	}
	if p.maxQueue > 350*time.Millisecond { // a round of slow start from the first window that queues, twice the path, and what is on its way
		t.Errorf("queue of %v", p.maxQueue)
	}
	p.rate *= 4 // others have left
	p.run(20 * time.Second)
	if got := p.c.Output().Window; got <= held {
		t.Errorf("window %d still after the RTT fell", got)
	}
}

// A step of the RTT by d makes the k-th round's smoothed change k (7/8)^(k-1) d/8, at most 0.393 d after eight rounds: over the larger of
// 2 ms and 1/20 of the smallest RTT it stops growth, in slow start too, and so much below zero it lets it go on; so do a loss and idle time.
func TestBFAThresholds(t *testing.T) {
	peak := math.Pow(7./8, 7)
	for _, base := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond} {
		limit := max(2*time.Millisecond, base/20)
		for _, c := range []struct {
			part float64 // of the step that reaches the threshold
			slow bool    // in slow start
			held bool
		}{{.95, false, false}, {1.05, false, true}, {1.05, true, true}} {
			params := cc.Params{InitialWindow: 100 * mss, InitialSsthresh: 100 * mss, Paced: true}
			if c.slow {
				params.InitialSsthresh, params.InitialWindow = 0, 2*mss
			}
			p := newPath(make1("bfa", params), base)
			p.rounds(3)
			p.rtt += time.Duration(c.part * float64(limit) / peak)
			p.rounds(10)
			w := p.window()
			p.rounds(10)
			if held := p.window() == w; held != c.held {
				t.Errorf("RTT %v, %.2f of the step, slow start %v: window %.1f after %.1f", base, c.part, c.slow, p.window(), w)
			}
			if !c.held || c.slow {
				continue
			}
			p.rounds(80) // the change is forgotten, and the queue still stands
			if p.window() != w {
				t.Errorf("RTT %v: window %.1f in a standing queue, held at %.1f", base, p.window(), w)
			}
			p.rtt = base + time.Duration(c.part*float64(limit)/peak*.1) // a fall by less than the threshold
			p.rounds(20)
			if p.window() != w {
				t.Errorf("RTT %v: window %.1f after a small fall, held at %.1f", base, p.window(), w)
			}
		}
	}
	held := func() *path {
		p := newPath(make1("bfa", cc.Params{InitialWindow: 100 * mss, InitialSsthresh: 100 * mss, Paced: true}), 100*time.Millisecond)
		p.rounds(3)
		p.rtt += 20 * time.Millisecond
		p.rounds(90)
		return p
	}
	for name, event := range map[string]func(p *path){
		"a fall": func(p *path) { p.rtt -= 20 * time.Millisecond; p.rounds(12) },
		"a loss": func(p *path) { p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start}) },
		"idle": func(p *path) {
			p.c.OnSent(cc.Sent{Now: p.start, Bytes: mss, InFlight: mss, Idle: 300 * time.Millisecond, RTO: time.Second})
		},
	} {
		p := held()
		event(p)
		w := p.window()
		p.rounds(5)
		near(t, "growth after "+name, p.window()-w, 5, .21)
	}
	p := newPath(make1("bfa", cc.Params{InitialWindow: 4 * mss, Paced: true}), 100*time.Millisecond)
	p.rounds(3)
	p.rtt += 20 * time.Millisecond
	p.rounds(90)
	p.rtt -= 20 * time.Millisecond
	p.rounds(12)
	w := p.window()
	p.rounds(5)
	near(t, "growth after a hold that ended slow start", p.window()-w, 5, .21)
}
