package lab

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/tcp"
)

// TestF01FixedWindow (F01, T2a): at 1 Gbit/s and 100 ms a fixed window of W at both ends gives 0.95 to 1.00 of
// W/RTT, and one above the BDP fills the link.
func TestF01FixedWindow(t *testing.T) {
	if raceEnabled {
		t.Skip("millions of packets")
	}
	for _, c := range []struct {
		mib    int
		lo, hi float64 // Mbit/s
	}{{1, 80, 84}, {4, 319, 336}, {8, 638, 672}, {16, 917, 966}} {
		t.Run(fmt.Sprintf("%d MiB", c.mib), func(t *testing.T) {
			k := alone(t, "cubic", Path{Rate: 1e9, RTT: 100 * time.Millisecond}, 30*time.Second)
			k.Flows[0].Window = c.mib << 20
			got, r := goodputAfter(t, k, 5*time.Second)
			if mbit(got) < c.lo || mbit(got) > c.hi {
				t.Errorf("%.1f Mbit/s, want %v to %v; result %+v", mbit(got), c.lo, c.hi, r)
			}
		})
	}
}

// TestF02Autotuning (F02, T2b): with default buffers 100 Mbit/s is filled at every RTT.
func TestF02Autotuning(t *testing.T) {
	if raceEnabled {
		t.Skip("millions of packets")
	}
	for _, rtt := range []time.Duration{10, 50, 100, 200, 600} {
		t.Run(fmt.Sprintf("%d ms", rtt), func(t *testing.T) {
			p := Path{Rate: 100e6, RTT: rtt * time.Millisecond, Queue: QueueSize{BDP: 1}}
			got, r := goodputAfter(t, alone(t, "cubic", p, 60*time.Second), 30*time.Second)
			if mbit(got) < 90 {
				t.Errorf("%.1f Mbit/s, want 90; result %+v", mbit(got), r)
			}
		})
	}
}

// TestT2Monotone (T2c): with a shallow queue, no window gives less than 0.9 of the best smaller one.
func TestT2Monotone(t *testing.T) {
	if raceEnabled {
		t.Skip("millions of packets")
	}
	best := 0.0
	for _, kib := range []int{256, 512, 1024, 2048, 4096, 8192, 16384} {
		k := alone(t, "cubic", Path{Rate: 100e6, RTT: 150 * time.Millisecond, Queue: QueueSize{Octets: 64 << 10}}, 60*time.Second)
		k.Flows[0].Window = kib << 10
		got, _ := goodputAfter(t, k, 10*time.Second)
		if got < 0.9*best {
			t.Errorf("%d KiB: %.1f Mbit/s, a smaller window gives %.1f", kib, mbit(got), mbit(best))
		}
		best = max(best, got)
	}
}

// TestIdleConnections (F02, T2): a thousand idle connections hold less than 64 KiB each, both ends together.
func TestIdleConnections(t *testing.T) {
	w, a, b := hosts(t, link.Config{Delay: time.Millisecond}, link.Config{Delay: time.Millisecond})
	const n = 1000
	var sink sim.Sink
	if err := b.Listen(port, n, tcp.Config{}, func(*tcp.Conn) sim.App { return &sink }); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	conns := make([]*tcp.Conn, n)
	for i := range conns {
		c, err := a.Dial(b.AddrPort(port), tcp.Config{}, &sink)
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = c
	}
	if err := w.Run(mono.Time(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for _, c := range conns {
		if !c.Ready().Connected {
			t.Fatal("not connected")
		}
	}
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; each > 64<<10 {
		t.Errorf("%d octets of heap per idle connection", each)
	}
	runtime.KeepAlive(w)
}

// TestF38LongIdle (F38): thirty days at 1 kB/s do not grow the window beyond use, and the burst of 1 GB after
// them begins with at most one initial window at once.
func TestF38LongIdle(t *testing.T) {
	days := 30
	if testing.Short() || raceEnabled {
		days = 1
	}
	until := mono.Time(time.Duration(days) * 24 * time.Hour)
	cfg := link.Config{Rate: 1e9, Delay: 25 * time.Millisecond}
	w, a, b := hosts(t, cfg, cfg)
	var sink sim.Sink
	if err := b.Listen(port, 1, tcp.Config{}, func(*tcp.Conn) sim.App { return &sink }); err != nil {
		t.Fatal(err)
	}
	app := &sim.Paced{Octets: 1000, Interval: time.Second, Until: until, Burst: 1e9}
	c, err := app.Start(a, b.AddrPort(port), tcp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(until - 1); err != nil {
		t.Fatal(err)
	}
	initial := int64(10 * segment)
	if i := c.Info(); i.Window > max(2*i.Sent.MaxInFlight, initial) {
		t.Errorf("a window of %d octets with never more than %d in flight", i.Window, i.Sent.MaxInFlight)
	}
	before := c.Info().Sent.Bytes
	if err := w.Run(until); err != nil {
		t.Fatal(err)
	}
	if n := c.Info().Sent.Bytes - before; n > initial {
		t.Errorf("%d octets left at once after the pause, want at most %d", n, initial)
	}
	if err := w.Run(until.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if want := int64(days)*86400*1000 + 1e9; sink.Total != want || sink.Err != nil {
		t.Errorf("%d octets arrived, want %d; error %v", sink.Total, want, sink.Err)
	}
}
