package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// After a loss at the maximum BIC halves the way to it each round trip (Xu, Harfoush and Rhee, INFOCOM 2004), by at most 32 segments, and Linux's
// variant goes a quarter of it, by at most 16.
func TestBICSearch(t *testing.T) {
	p := atWindow("bic", 1000, nil)
	p.run() // the growth of a round is there when the next one begins
	for i, want := range []float64{875 + 32, 939, 969.5, 984.75, 992.4, 996.2, 998.1} {
		if got := p.window(); math.Abs(got-want) > 1.5 {
			t.Errorf("round %d: window %.2f, want %.2f", i+1, got, want)
		}
		p.run()
	}
	for _, c := range []struct {
		name   string
		w      int64
		rounds float64
		within float64 // segments of the maximum
	}{{"bic", 1000, 15, .02}, {"bic", 8333, 44, .02}, {"bic.linux", 1000, 30, 1}, {"bic.linux", 8333, 125, 1}} {
		p := atWindow(c.name, c.w, nil)
		n := 0.
		for ; p.window() < float64(c.w)-c.within; n++ {
			p.run()
		}
		near(t, c.name+": rounds to the maximum", n, c.rounds, .03+1/c.rounds)
	}
}

// Beyond the maximum the steps double, from 0.01 segments to 32; Linux's go by a third of the way come to 16.
func TestBICProbe(t *testing.T) {
	for _, c := range []struct {
		name string
		most float64
	}{{"bic", 32}, {"bic.linux", 16}} {
		p := atWindow(c.name, 1000, nil)
		for p.window() < 1005 {
			p.run()
		}
		last := p.window()
		p.run()
		step := p.window() - last
		last = p.window()
		for range 30 {
			p.run()
			grown := p.window() - last
			if grown < step*.95-.1 || grown > 2.2*step+2 || grown > c.most+.01 {
				t.Errorf("%s: step of %.2f after one of %.2f at %.2f", c.name, grown, step, last)
			}
			last, step = p.window(), grown
		}
		near(t, c.name+": largest step", step, c.most, .02)
	}
}

// A loss below the last maximum leaves room: the next maximum lies half way between that window and what the cut leaves of it. After a
// timeout there is none, and up to 14 segments BIC is Reno.
func TestBICCuts(t *testing.T) {
	for name, keep := range map[string]float64{"bic": 7. / 8, "bic.linux": 819. / 1024} {
		p := atWindow(name, 1000, nil)
		near(t, name+": window after the cut", p.window(), 1000*keep, 1e-3)
		w := p.window()
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
		near(t, name+": window after a second cut", p.window(), w*keep, 1e-3)
		target := w * (1 + keep) / 2
		rest := func() float64 { p.rounds(60); return p.window() }
		for p.window() < target-1 {
			p.run()
		}
		step := p.window()
		p.run()
		if d := p.window() - step; d > 1.1 {
			t.Errorf("%s: a step of %.2f at the lowered maximum %.1f", name, d, target)
		}
		if got := rest(); got < target {
			t.Errorf("%s: window %.1f, want over %.1f", name, got, target)
		}
		q := atWindow(name, 14, nil)
		near(t, name+": window of 14 after the cut", q.window(), 7, 1e-9)
		q.rounds(5)
		near(t, name+": window of 14, five rounds later", q.window(), 12, 1e-9)
		r := newPath(make1(name, cc.Params{InitialWindow: 1000 * mss, InitialSsthresh: 1000 * mss}), 100*time.Millisecond)
		r.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: r.start})
		for r.window() < 1000*keep {
			r.run()
		}
		last := r.window()
		r.run()
		want := 32.
		if name == "bic.linux" {
			want = max(16, last/20)
		}
		near(t, name+": step after a timeout", r.window()-last, want, .1)
	}
}
