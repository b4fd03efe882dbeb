package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/mono"
)

// sawtooth returns the mean window of a flow that grows by grow(w) segments a round trip and gives up a share of its window for loss p,
// and that does what the published laws leave out: a lost segment is missed a round trip after it was sent, in which the window
// still grows and further losses make no second cut, and the round trip of the repair has no growth.
func sawtooth(grow func(w float64) float64, share, p float64, random bool) float64 {
	const (
		step   = .02 // round trips
		settle = 100
	)
	rng := rand.New(rand.NewPCG(1, 1))
	w, time, segments := 2/math.Sqrt(p), 0., 0.
	for cycle := range 6000 {
		if cycle == settle {
			time, segments = 0, 0
		}
		until := 1 / p // segments from cut to cut
		if random {
			until = rng.ExpFloat64() / p // segments from a cut to the next that is lost
		}
		sent, left := 0., -1. // left is when it left
		for at := 0.; ; at += step {
			if at >= 1 {
				w += grow(w) * step
			}
			if left < 0 && sent >= until {
				left = at
			}
			if left >= 0 && at >= 1 && (!random || at >= left+1) {
				time += at
				segments += sent
				break
			}
			sent += w * step
		}
		w *= 1 - share
	}
	return segments / time
}

// TestHybridResponse: the mean window that loss p leaves those who go by loss and delay, at 100 ms and with an empty queue. Published are
// 2.12/sqrt(p) for Veno, which is +1 segment a round trip and a cut by a fifth; 8.66/sqrt(p) for Illinois, +10 and an eighth; and for
// YeAH Scalable TCP's 0.0749/p. Each is met within 15 %, and with sawtooth's corrections within 8 %. YeAH has up to 22 % more with
// random loss of 1e-3: below 100 segments a hundredth of the window is less than Reno's segment a round trip, which it takes instead.
//
// The laws suppose that the delay is short against the longest one known, so the losses begin when slow start has filled a queue.
// TestIllinoisUnseenQueue has what happens otherwise.
func TestHybridResponse(t *testing.T) {
	constant := func(a float64) func(float64) float64 { return func(float64) float64 { return a } }
	for _, c := range []struct {
		stack     string
		p         float64
		published float64
		grow      func(w float64) float64
		share     float64
	}{
		{"veno", 1e-3, 2.1213 / math.Sqrt(1e-3), constant(1), 1. / 5},
		{"veno", 1e-4, 2.1213 / math.Sqrt(1e-4), constant(1), 1. / 5},
		{"illinois", 1e-3, 8.66 / math.Sqrt(1e-3), constant(10), 1. / 8},
		{"illinois", 1e-4, 8.66 / math.Sqrt(1e-4), constant(10), 1. / 8},
		{"yeah", 1e-3, .0749 / 1e-3, func(w float64) float64 { return max(1, w/100) }, 1. / 8},
		{"yeah", 1e-4, .0749 / 1e-4, func(w float64) float64 { return max(1, w/100) }, 1. / 8},
	} {
		for _, random := range []bool{false, true} {
			runs, within := 1, .15
			if random && c.p >= 1e-3 {
				runs = 4 // no single one is to decide
				if c.stack == "yeah" {
					within = .22
				}
			}
			for run := range runs {
				t.Run(fmt.Sprintf("%s/random=%v/%v/%d", c.stack, random, c.p, run), func(t *testing.T) {
					if c.p < 1e-3 && (testing.Short() || raceEnabled) {
						t.Skip("several million packets")
					}
					t.Parallel()
					const quiet = mono.Time(5 * time.Second)
					ratio := underLoss(t, c.stack, random, c.p, c.published, QueueSize{BDP: .5},
						func(now mono.Time, _ int) (lost, over bool) { return false, now >= quiet })
					corrected := sawtooth(c.grow, c.share, c.p, random) / c.published
					t.Logf("%.3f of the published law, which corrected is %.3f of it", ratio, corrected)
					if math.Abs(ratio-1) > within || math.Abs(ratio/corrected-1) > .08 {
						t.Errorf("%.3f of the published law, which corrected is %.3f of it", ratio, corrected)
					}
				})
			}
		}
	}
}

// TestIllinoisUnseenQueue: where no queue has ever been seen, Illinois takes noise for delay. The longest delay is then a tick of the
// timestamp clock, 1 ms, of which the 0.1 ms that a segment takes on the link, and waits behind another, is a tenth: of alpha's curve that
// gives 2.46 segments a round trip in place of 10, and half of the published window.
func TestIllinoisUnseenQueue(t *testing.T) {
	const (
		p, published  = 1e-3, 273.9
		da, dm        = .104, 1.
		d1            = .01 * dm
		k1            = (dm - d1) * .3 * 10 / 9.7
		k2            = (dm-d1)*.3/9.7 - d1
		d2, d3        = .1 * dm, .8 * dm
		alpha, share  = k1 / (k2 + da), .125 + .375*(da-d2)/(d3-d2)
		within, early = .15, 30 // the segment whose loss ends slow start
	)
	corrected := sawtooth(func(float64) float64 { return alpha }, share, p, true) / published
	for run := range 4 {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			ratio := underLoss(t, "illinois", true, p, published, QueueSize{},
				func(_ mono.Time, n int) (lost, over bool) { return n == early, n > early })
			t.Logf("%.3f of the published law, %.3f by its curves", ratio, corrected)
			if ratio > .6 || math.Abs(ratio/corrected-1) > within {
				t.Errorf("%.3f of the published law, %.3f by its curves", ratio, corrected)
			}
		})
	}
}
