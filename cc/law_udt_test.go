package cc_test

import (
	"testing"
	"time"

	"longhaul/cc"
)

// The increase of the rate, in segments of 1500 octets every 10 ms, by what is free (Computer Networks 51(7) 2007, table 1): ten for 1 to 10
// Gbit/s, a tenth for each power of ten below, and 0.01 at least.
func TestUDTIncrease(t *testing.T) {
	for free, want := range map[float64]float64{9e9: 10, 1e10: 10, 9e8: 1, 1.1e8: 1, 9e7: .1, 1e6: .01, 1e5: .01, -1e9: .01} {
		near(t, "segments", cc.UDTIncrease(free, 1500)/1500, want, 1e-9)
	}
}

// Slow start ends at the first loss with the rate at which data arrives, and the capacity is that of the bottleneck.
func TestUDTCapacity(t *testing.T) {
	for _, rate := range []float64{1000, 20_000} {
		p := piped("udt", rate, 50*time.Millisecond)
		p.buffer = rate * .05
		p.run(20 * time.Second)
		near(t, "capacity", float64(cc.Bandwidth(p.c))/mss, rate, .05)
		if got := p.goodput(30 * time.Second); got < .9 {
			t.Errorf("%.3f of the rate", got)
		}
	}
}

// A loss takes a ninth of the rate, whatever it was; more of the same window take at most four ninths more.
func TestUDTCut(t *testing.T) {
	p := piped("udt", 10_000, 50*time.Millisecond)
	p.buffer = 500
	p.run(20 * time.Second)
	before := float64(p.c.Output().PacingRate)
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: mss, SentAt: p.now.Add(-time.Millisecond)})
	near(t, "rate after a loss", float64(p.c.Output().PacingRate), before*8/9, .001)
	for i := range 100 {
		p.c.OnLost(cc.Lost{Now: p.now.Add(time.Duration(i+1) * time.Microsecond), Bytes: mss, SentAt: p.now.Add(-time.Millisecond)})
	}
	least := before
	for range 5 {
		least = least * 8 / 9
	}
	if got := float64(p.c.Output().PacingRate); got < least*.999 || got > before*8/9*.999 {
		t.Errorf("rate %.0f after a hundred more of the same window, want down to %.0f", got, least)
	}
}

// After a cut the rate grows back at the pace of a ninth of the capacity, every 10 ms: 150 octets for 8.9 Mbit/s, which is 10,000 segments'.
func TestUDTGrowth(t *testing.T) {
	p := piped("udt", 10_000, 50*time.Millisecond)
	p.buffer = 500
	p.run(20 * time.Second)
	p.c.OnLost(cc.Lost{Now: p.now, Bytes: mss, SentAt: p.now.Add(-time.Millisecond)})
	before := float64(p.c.Output().PacingRate)
	dropped := p.dropped
	p.run(500 * time.Millisecond)
	if p.dropped != dropped {
		t.Fatal("the buffer overflowed")
	}
	near(t, "octets per second of growth in half a second", float64(p.c.Output().PacingRate)-before, 49*cc.UDTIncrease(80e6/9, mss)*100, .1)
}
