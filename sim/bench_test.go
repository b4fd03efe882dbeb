package sim

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/link"
	"longhaul/tcp"
)

// transfer is one endless flow over one path.
type transfer struct {
	w    *World
	conn *tcp.Conn
	sink Sink
}

func startTransfer(b testing.TB, forward, reverse link.Config, w *World, cfg tcp.Config) *transfer {
	x := &transfer{w: w}
	d := dumbbell(b, w, forward, reverse)
	left, right := pair(b, d, "bulk")
	if err := right.Listen(80, 1, cfg, func(*tcp.Conn) App { return &x.sink }); err != nil {
		b.Fatal(err)
	}
	c, err := left.Dial(right.AddrPort(80), cfg, &Source{})
	if err != nil {
		b.Fatal(err)
	}
	x.conn = c
	return x
}

// run advances by d and returns how many data packets were sent meanwhile.
func (x *transfer) run(b testing.TB, d time.Duration) int64 {
	before := x.conn.Info().Sent.DataSegments
	if err := x.w.Run(x.w.Now().Add(d)); err != nil {
		b.Fatal(err)
	}
	return x.conn.Info().Sent.DataSegments - before
}

// BenchmarkFlow simulates one CUBIC flow: data packets per second of one processor and allocations per packet once
// the flow has started up. ns-3 3.37 does 58,400 and 2,300 to 3,100 packets per second on the same two paths.
func BenchmarkFlow(b *testing.B) {
	for _, c := range []struct {
		rate int64
		rtt  time.Duration
		loss float64
	}{{155e6, 50 * time.Millisecond, 1e-4}, {1e9, 100 * time.Millisecond, 0}} {
		b.Run(fmt.Sprintf("%dMbit-%v-%v", c.rate/1e6, c.rtt, c.loss), func(b *testing.B) {
			var packets, mallocs int64
			var spent time.Duration
			for b.Loop() {
				b.StopTimer()
				w := New(1)
				forward := link.Config{Rate: c.rate, Delay: c.rtt / 2, Queue: link.DropTail(0, int(float64(c.rate)*c.rtt.Seconds()/8))}
				if c.loss > 0 {
					forward.Loss = []link.LossModel{link.Uniform(c.loss, w.Rand("loss"))}
				}
				cubic, _ := cc.Find("cubic")
				x := startTransfer(b, forward, link.Config{Rate: c.rate, Delay: c.rtt / 2}, w, tcp.Config{Algorithm: cubic})
				x.run(b, 5*time.Second)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				elapsed := b.Elapsed()
				b.StartTimer()
				packets += x.run(b, 10*time.Second)
				b.StopTimer()
				spent += b.Elapsed() - elapsed
				runtime.ReadMemStats(&after)
				mallocs += int64(after.Mallocs - before.Mallocs)
				b.StartTimer()
			}
			b.ReportMetric(float64(packets)/spent.Seconds(), "packets/s")
			b.ReportMetric(float64(mallocs)/float64(packets), "allocs/packet")
		})
	}
}

// BenchmarkInFlight is the cost of a packet with few and with many in flight; ns/packet should hardly differ.
func BenchmarkInFlight(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const serial = 12 * time.Microsecond // of 1500 octets at 1 Gbit/s
			rtt := time.Duration(n) * serial * 10 / 9
			cfg := tcp.Config{SendBuffer: n * 1448, RecvBuffer: n * 1448}
			x := startTransfer(b, link.Config{Rate: 1e9, Delay: rtt / 2}, link.Config{Rate: 1e9, Delay: rtt / 2}, New(1), cfg)
			x.run(b, 25*rtt+time.Second)
			if got := int(x.conn.Info().Sent.MaxInFlight) / 1448; got < n*95/100 {
				b.Fatalf("%d packets in flight, want %d", got, n)
			}
			var packets int64
			b.ResetTimer()
			for packets < int64(b.N) {
				packets += x.run(b, time.Millisecond)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(packets), "ns/packet")
		})
	}
}
