package link

import (
	"math"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// TestREDProbability checks the drop probability at a given average: nothing below a sixth of the limit, 0.1 at half of it, 1 at
// all of it, and straight lines between.
func TestREDProbability(t *testing.T) {
	for _, unit := range []struct {
		name            string
		packets, octets int
	}{{"packets", 60, 0}, {"octets", 0, 60}, {"both", 1000, 60}} {
		q := RED(unit.packets, unit.octets, seeded(1))
		for _, c := range []struct{ average, want float64 }{
			{0, 0}, {9.99, 0}, {10, 0}, {15, 0.025}, {20, 0.05}, {29.9999, 0.1}, {30, 0.1}, {45, 0.55}, {59.9999, 1}, {60, 1}, {1e9, 1},
		} {
			q.average = c.average
			if p := q.probability(); math.Abs(p-c.want) > 1e-5 {
				t.Errorf("limit in %s: probability %v at an average of %v, want %v", unit.name, p, c.average, c.want)
			}
		}
	}
}

// TestREDSpacing checks that the packets between two drops are uniform from 1 to 1/p: each distance as often as another.
func TestREDSpacing(t *testing.T) {
	q := RED(60, 0, seeded(2))
	q.average = 20
	const distances, drops = 20, 20000 // p is 0.05
	var seen [distances + 1]int
	for range drops {
		n := 1
		for !q.unlucky() {
			if n++; n > distances {
				t.Fatalf("no drop in %d packets at a probability of 1/%d", n-1, distances)
			}
		}
		seen[n]++
	}
	for n := 1; n <= distances; n++ {
		if x := float64(seen[n]) * distances / drops; math.Abs(x-1) > 0.15 { // five standard deviations
			t.Errorf("distance %d: %.2f times as often as it should be", n, x)
		}
	}
}

// TestREDAverage checks the average against its closed forms: it comes up to a constant length as 1-(1-w)^n, and what the link
// could have transmitted while it idled brings it down.
func TestREDAverage(t *testing.T) {
	q := RED(1000, 0, seeded(3))
	now := mono.Time(0)
	for range 11 {
		q.Enqueue(now, &Packet{Size: 1500})
	}
	const service = time.Millisecond
	q.Dequeue(now)
	q.average = 0
	for n := 1; n <= 300; n++ { // one comes as one goes: ten wait
		q.Enqueue(now, &Packet{Size: 1500})
		now = now.Add(service)
		q.Dequeue(now)
		if want := 10 * (1 - math.Pow(0.998, float64(n))); math.Abs(q.average-want) > 1e-9 {
			t.Fatalf("average %v after %d packets, want %v", q.average, n, want)
		}
	}
	for n := 10; n >= 0; n-- {
		now = now.Add(service)
		q.Dequeue(now)
	}
	before := q.average
	q.Enqueue(now.Add(500*service), &Packet{Size: 1500})
	if want := before * math.Pow(0.998, 501); math.Abs(q.average-want) > 1e-9 {
		t.Errorf("average %v after 500 idle times of a packet, want %v", q.average, want)
	}
	q.idle = true // as if that one had been dropped: the idle time counts once
	before = q.average
	q.measure(now.Add(500 * service))
	if want := before + 0.002*(1-before); math.Abs(q.average-want) > 1e-9 {
		t.Errorf("average %v after another packet at the same time, want %v", q.average, want)
	}
	if _, err := New(Config{Queue: RED(10, 0, nil)}, new(Pool)); err == nil {
		t.Error("RED without a random source passed")
	}
}

// TestREDKeepsQueueShort offers a little more than the link carries: the average settles where as much is dropped as exceeds the
// rate, far below the limit, which drop-tail fills.
func TestREDKeepsQueueShort(t *testing.T) {
	wait := func(q Queue) (packets float64, s Stats) {
		l, pool := must(t, Config{Rate: 12e6, Queue: q})
		const n, interval = 60000, 950 * time.Microsecond // a packet takes 1 ms
		run(t, l, pool, evenly(n, 1500, interval))
		s = l.Stats()
		return float64(s.Waited) / float64(n*interval), s
	}
	early, s := wait(RED(200, 0, seeded(4)))
	late, _ := wait(DropTail(200, 0))
	// Uniform distances up to 1/p make a drop in (1+1/p)/2 packets: a share of 0.05 is p = 0.0256, at an average of 50.4.
	if math.Abs(early-50.4) > 4 || late < 180 || s.PeakQueue >= 120 {
		t.Errorf("%.1f packets wait on average, at most %d, want 50.4; with drop-tail %.1f", early, s.PeakQueue, late)
	}
	if drops := float64(s.QueueDrops) / float64(s.Offered); math.Abs(drops-0.05) > 0.005 {
		t.Errorf("a share of %.4f is dropped, want what exceeds the rate, 0.05", drops)
	}
}

// TestREDMarks checks that an ECN-capable packet is marked up to the upper threshold and dropped beyond it, and that one which is
// not is dropped.
func TestREDMarks(t *testing.T) {
	type fate struct {
		taken bool
		ecn   wire.ECN
	}
	for _, c := range []struct {
		ecn     wire.ECN
		average float64
		unlucky fate
	}{
		{wire.ECT0, 29, fate{true, wire.CE}},
		{wire.ECT1, 29, fate{true, wire.CE}},
		{wire.NotECT, 29, fate{false, wire.NotECT}},
		{wire.ECT0, 40, fate{false, wire.ECT0}},
	} {
		q := RED(60, 0, seeded(5))
		got := map[fate]bool{}
		for range 1000 {
			q.average, q.idle = c.average, false
			p := &Packet{Size: 1500, Wire: wire.Packet{ECN: c.ecn}}
			got[fate{q.Enqueue(0, p), p.Wire.ECN}] = true
			q.Dequeue(0)
		}
		if len(got) != 2 || !got[fate{true, c.ecn}] || !got[c.unlucky] {
			t.Errorf("%v at an average of %v: %v, want it taken as it is, or %v", c.ecn, c.average, got, c.unlucky)
		}
	}
}
