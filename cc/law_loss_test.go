package cc_test

import (
	"testing"
	"time"

	"longhaul/cc"
)

// Scalable TCP's mean window is 0.0749/p where its legacy part plays no role (Kelly, CCR 33(2) 2003): it rises from 7/8 of 0.08/p.
func TestScalableResponse(t *testing.T) {
	for _, period := range []int64{1e4, 1e5, 1e6} {
		w := int64(.08 * float64(period))
		p := atWindow("scalable", w, nil)
		p.perACK = int(period / 1e4)
		near(t, "mean window", p.mean(period, 5, 10), .0749*float64(period), .15)
	}
}

// It regains any window after one loss in 13.4 round trips, and doubles a window in 69.7.
func TestScalableRecovery(t *testing.T) {
	for _, w := range []int64{1000, 8000, 20_000} {
		p := atWindow("scalable", w, nil)
		near(t, "window after the cut", p.window(), float64(w)*7/8, 1e-4)
		n := 0.
		for ; p.window() < float64(w); n++ {
			p.run()
		}
		near(t, "round trips", n, 13.42, .06)
	}
	p := newPath(make1("scalable", cc.Params{InitialWindow: 1000 * mss, InitialSsthresh: 1000 * mss, Paced: true}), 100*time.Millisecond)
	p.rounds(71)
	near(t, "window after 70 rounds of growth", p.window(), 2007, .02)
}

// Up to 16 segments a loss halves, and up to 100 the window grows as Reno's.
func TestScalableLegacy(t *testing.T) {
	p := atWindow("scalable", 16, nil)
	near(t, "window after the cut", p.window(), 8, 1e-9)
	p.rounds(10)
	near(t, "window ten rounds later", p.window(), 18, .02)
	near(t, "17 segments after a cut", atWindow("scalable", 17, nil).window(), 17*7./8, 1e-3)
}
