package link

import (
	"fmt"
	"testing"
	"time"

	"longhaul/mono"
)

// full is a link of 1 Gbit/s in steady state: packets of 1500 octets enter as fast as it carries them, and each step takes one
// out and puts one in.
type full struct {
	l    *Link
	pool Pool
	now  mono.Time
}

// newFull fills the link until inFlight packets are on their way.
func newFull(t testing.TB, cfg Config, inFlight int) *full {
	const serial = 12 * time.Microsecond
	f := &full{}
	cfg.Rate, cfg.Delay = 1e9, time.Duration(inFlight-1)*serial
	l, err := New(cfg, &f.pool)
	if err != nil {
		t.Fatal(err)
	}
	f.l = l
	for range inFlight {
		f.send()
		f.now = f.now.Add(serial)
	}
	return f
}

func (f *full) send() {
	p := f.pool.Get()
	p.Size, p.Corrupt = 1500, false
	f.l.Send(f.now, p)
}

// step sends one packet and takes out what has arrived, up to the next instant at which the link is idle.
func (f *full) step() {
	for {
		p, _ := f.l.Poll(f.now)
		if p == nil {
			break
		}
		f.pool.Put(p)
	}
	f.send()
	f.now = f.now.Add(12 * time.Microsecond)
}

func BenchmarkLink(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  func() Config
	}{
		{"plain", func() Config { return Config{} }},
		{"queue", func() Config { return Config{Queue: DropTail(1000, 0)} }},
		{"loss", func() Config {
			return Config{Queue: DropTail(1000, 0), Loss: []LossModel{Uniform(1e-5, seeded(1))}, Errors: []LossModel{BitErrors(1e-9, seeded(2))}}
		}},
		{"all", func() Config {
			return Config{
				Queue: DropTail(1000, 0), Loss: []LossModel{LossBursts(1e-3, 5, seeded(1))}, Errors: []LossModel{Bursts(1e-7, 10, 0, seeded(2))},
				Jitter: time.Millisecond, Reorder: 0.01, ReorderBy: time.Millisecond, Duplicate: 0.001, Rand: seeded(3),
			}
		}},
	} {
		for _, n := range []int{100, 100_000} {
			b.Run(fmt.Sprintf("%s/flying=%d", c.name, n), func(b *testing.B) {
				f := newFull(b, c.cfg(), n)
				for range 2 * n {
					f.step()
				}
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					f.step()
				}
			})
		}
	}
}
