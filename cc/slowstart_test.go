package cc_test

import (
	"testing"
	"time"

	"longhaul/cc"
)

// Limited slow start (RFC 3742 s.2) from a window of two segments: doubling up to 100, then some 50 segments a round. The RFC's
// text says 836 rounds to 83,000 segments, which belongs to 100 a round; its rule and its formula log2(100) + (w - 100)/50
// give 1,664.
func TestLimitedSlowStart(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		if !a.Honours.HyStart || !a.Honours.SlowStart {
			t.Skip("has a slow start of its own, or none")
		}
		p := newPath(a.New(cc.Params{MSS: mss, InitialWindow: 2 * mss, Paced: true, LimitedSlowStart: true}), 100*time.Millisecond)
		rounds := 0
		for _, c := range []struct{ window, rounds float64 }{{200, 8}, {1000, 24}, {10_000, 204}, {83_000, 1664}} {
			if c.window > 10_000 {
				if a.Name != "reno" {
					break // that takes long and says nothing new
				}
				p.perACK = 16 // octets count, so it is the same and quicker
			}
			for p.window() < c.window {
				p.run()
				rounds++
			}
			near(t, "rounds", float64(rounds), c.rounds, .04)
		}
		p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start})
		p.perACK = 0
		for rounds = 0; p.window() < 1000; rounds++ {
			p.run()
		}
		if rounds > 12 {
			t.Errorf("%d rounds to 1000 segments after a timeout, want the standard 10: it is for the initial slow start", rounds)
		}
	})
}

// HyStart++ ends the initial slow start of any algorithm that keeps the common one.
func TestHystartOfAny(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		if !a.Honours.HyStart {
			t.Skip("has a slow start of its own, or none")
		}
		risen := func(on bool) *path {
			p := newPath(a.New(cc.Params{MSS: mss, InitialWindow: 16 * mss, Paced: true, HyStart: on}), 100*time.Millisecond)
			p.rounds(3)
			p.rtt += 20 * time.Millisecond
			p.rounds(2)
			return p
		}
		if risen(false).c.Output().Ssthresh < cc.Infinite {
			if a.Signal&byDelay == 0 {
				t.Fatalf("leaves slow start on delay, and goes by %v", a.Signal)
			}
			t.Skip("leaves slow start on delay of itself")
		}
		p := risen(true)
		if ph := p.c.Output().Phase; ph != cc.ConservativeSlowStart {
			t.Fatalf("phase %v after a rise of 20 ms", ph)
		}
		p.rounds(5)
		if o := p.c.Output(); o.Ssthresh == cc.Infinite || o.Phase != cc.Avoidance {
			t.Errorf("%+v after five rounds of conservative slow start (RFC 9406 s.4.2)", o)
		}
	})
}
