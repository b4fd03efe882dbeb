package link

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"longhaul/model"
	"longhaul/mono"
)

// everything is a link that uses all it can, each part from a seed.
func everything(seed uint64) Config {
	return Config{
		Rate: 1_544_000, Delay: 25 * time.Millisecond, Overhead: 7, Queue: DropTail(20, 20_000),
		Loss:   []LossModel{Uniform(0.02, seeded(seed+1)), LossBursts(0.02, 3, seeded(seed+2)), Periodic(17, 100)},
		Errors: []LossModel{BitErrors(1e-6, seeded(seed+3)), Bursts(1e-5, 30, 0, seeded(seed+4))},
		Jitter: 9 * time.Millisecond, Reorder: 0.05, ReorderBy: 2 * time.Millisecond, Duplicate: 0.05,
		Outages: []Outage{{200 * ms, 260 * ms}, {1000 * ms, 1100 * ms}}, Rand: seeded(seed),
	}
}

// TestLazyTransmitter: the same seed gives the same arrivals and counters to the nanosecond (T1), and so it does when the link is
// asked more often than it wants: what a packet meets does not depend on when the link catches up.
func TestLazyTransmitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		var offers []offer
		at := mono.Time(0)
		for range 200 {
			at += mono.Time(rapid.SampledFrom([]int64{0, 1e3, 2e6, 6e6, 20e6, 90e6}).Draw(t, "pause"))
			offers = append(offers, offer{at, rapid.IntRange(0, 1500).Draw(t, "size")})
		}
		pool := new(Pool)
		l, err := New(everything(seed), pool)
		if err != nil {
			t.Fatal(err)
		}
		want := run(t, l, pool, offers)
		for _, most := range []int64{0, 2e6} {
			m, err := New(everything(seed), pool)
			if err != nil {
				t.Fatal(err)
			}
			step := func() mono.Time { return mono.Never }
			if most > 0 {
				step = func() mono.Time { return mono.Time(rapid.Int64Range(1, most).Draw(t, "step")) }
			}
			if got := runAsking(m, pool, offers, step); !slices.Equal(got, want) || m.Stats() != l.Stats() {
				t.Fatalf("asked each %d ns at most: %v, %+v, want %v, %+v", most, got, m.Stats(), want, l.Stats())
			}
		}
	})
}

// runAsking is run that also asks the link a step after each time it has asked.
func runAsking(l *Link, pool *Pool, offers []offer, step func() mono.Time) (out []arrival) {
	for i, now := 0, mono.Time(0); now != mono.Never; {
		for ; i < len(offers) && offers[i].at == now; i++ {
			p := pool.Get()
			p.Size, p.Flow, p.Corrupt = offers[i].size, uint32(i), false
			l.Send(now, p)
		}
		p, next := l.Poll(now)
		for ; p != nil; p, next = l.Poll(now) {
			out = append(out, arrival{now, int(p.Flow), p.Corrupt})
			pool.Put(p)
		}
		if i < len(offers) {
			next = min(next, offers[i].at)
		}
		if next != mono.Never {
			if s := step(); s < next-now {
				next = now + s
			}
		}
		now = next
	}
	return out
}

// TestUnlimitedAgainstLimited: the burst that an unlimited queue carries at any delay is more than one of 1000 packets
// holds (T1, F71).
func TestUnlimitedAgainstLimited(t *testing.T) {
	const n = 5000
	for _, delay := range []time.Duration{0, 25 * time.Millisecond, 300 * time.Millisecond} {
		for _, c := range []struct {
			name  string
			queue Queue
			drops int64
		}{{"none", nil, 0}, {"1000 packets", DropTail(1000, 0), n - 1001}, {"exactly enough octets", DropTail(0, 1500*(n-1)), 0}} {
			l, pool := must(t, Config{Rate: 100e6, Delay: delay, Queue: c.queue})
			got := run(t, l, pool, evenly(n, 1500, 0))
			if s := l.Stats(); s.QueueDrops != c.drops || int64(len(got)) != n-c.drops {
				t.Errorf("queue %s, delay %v: %d drops, %d arrived, want %d drops", c.name, delay, s.QueueDrops, len(got), c.drops)
			}
		}
	}
}

// TestSmallPackets: control packets are not spared (F81). Uniform loss takes them as often as full ones, bit errors less
// often, as their length says.
func TestSmallPackets(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name string
		m    LossModel
		p    [2]float64 // of 40 and of 1500 octets
	}{
		{"uniform", Uniform(0.1, seeded(1)), [2]float64{0.1, 0.1}},
		{"bit errors", BitErrors(1e-5, seeded(2)), [2]float64{model.PacketLoss(1e-5, 40), model.PacketLoss(1e-5, 1500)}},
		{"bursts of errors", Bursts(1e-5, 1, 1, seeded(3)), [2]float64{model.PacketLoss(1e-5, 40), model.PacketLoss(1e-5, 1500)}},
	} {
		offers := evenly(2*n, 40, time.Microsecond)
		for i := 1; i < len(offers); i += 2 {
			offers[i].size = 1500
		}
		l, pool := must(t, Config{Loss: []LossModel{c.m}})
		lost := [2]float64{n, n}
		for _, a := range run(t, l, pool, offers) {
			lost[a.n%2]--
		}
		for k, size := range []string{" 40", " 1500"} {
			within(t, c.name+size, lost[k], n*c.p[k], math.Sqrt(n*c.p[k]*(1-c.p[k])), 4)
		}
	}
}
