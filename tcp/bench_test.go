package tcp

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// ring is a first-in, first-out delay line for benchmarks.
type ring struct {
	at         []mono.Time
	p          []wire.Packet
	head, tail int
}

func (r *ring) slot() *wire.Packet { return &r.p[r.tail&(len(r.p)-1)] }
func (r *ring) next() mono.Time {
	if r.head == r.tail {
		return mono.Never
	}
	return r.at[r.head&(len(r.p)-1)]
}

// BenchmarkEngine measures both ends of one connection with a fixed window and nothing but a delay line between
// them: nanoseconds per data packet.
func BenchmarkEngine(b *testing.B) {
	for _, window := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("inflight=%d", window), func(b *testing.B) { benchEngine(b, window) })
	}
}

func benchEngine(b *testing.B, window int) {
	var sides [2]*Stack
	var lines [2]ring
	for i := range sides {
		sides[i], _ = NewStack(StackConfig{}, rand.New(rand.NewPCG(1, uint64(i))))
		lines[i] = ring{at: make([]mono.Time, 1<<18), p: make([]wire.Packet, 1<<18)}
	}
	buffer := window * 1448
	sides[1].Listen(addrs[1], 0, Config{RecvBuffer: buffer})
	cfg := reno(RACK)
	cfg.Disable = 0
	cfg.SendBuffer = buffer
	c, _ := sides[0].Dial(0, addrs[0], addrs[1], cfg)
	now := mono.Time(0)
	const delay = 50 * time.Millisecond
	spacing := mono.Time(2 * delay / time.Duration(window)) // the line's rate is one window a round trip
	var free mono.Time
	run := func(packets int64) {
		for c.sent.DataSegments < packets {
			next := mono.Never
			for i, s := range sides {
				l := &lines[i]
				for {
					ok, at := s.Poll(now, l.slot())
					if !ok {
						next = min(next, at)
						break
					}
					free = max(free, now)
					if i == 0 {
						free += spacing
					}
					l.at[l.tail&(len(l.p)-1)] = max(free, now).Add(delay)
					l.tail++
				}
			}
			l := &lines[0]
			if lines[1].next() < l.next() {
				l = &lines[1]
			}
			if at := l.next(); at <= next {
				now = at
				to := 1
				if l == &lines[1] {
					to = 0
				}
				sides[to].Input(now, &l.p[l.head&(len(l.p)-1)])
				l.head++
			} else {
				now = next
			}
			c.WriteSynthetic(1 << 30)
			for _, s := range sides {
				for {
					e := s.Changed()
					if e == nil {
						break
					}
					e.Discard(1 << 30)
				}
			}
		}
	}
	run(int64(3 * window))
	start := c.sent.DataSegments
	b.ReportAllocs()
	b.ResetTimer()
	run(start + int64(b.N))
	b.StopTimer()
	if c.sent.Retransmissions > 0 {
		b.Fatalf("%d retransmissions", c.sent.Retransmissions)
	}
	b.ReportMetric(float64(c.Info().InFlight)/1448, "inflight")
}
