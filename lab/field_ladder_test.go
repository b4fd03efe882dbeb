package lab

import (
	"testing"
	"time"
)

// TestT4LossLadder (T4): reno and cubic under random loss lie where the Linux kernel does on the same link; too low
// is a fault of recovery, too high a controller that ignores loss. Every seed must pass.
func TestT4LossLadder(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("half an hour of virtual time at 200 Mbit/s")
	}
	a := Path{Rate: 100e6, RTT: 200 * time.Millisecond, Queue: QueueSize{Octets: 2_500_000}, Loss: 0.002}
	b := Path{Rate: 200e6, RTT: 90 * time.Millisecond, Queue: QueueSize{Octets: 2_250_000}, Loss: 1. / 22000}
	mbit := func(stack string, p Path, d time.Duration, seed uint64) float64 {
		c := alone(t, stack, p, d)
		c.Seed = seed
		g, r := goodputAfter(t, c, 0)
		if waste := 1 / (1 - r.RetransShare); waste > 1.1 {
			t.Errorf("%s at %v loss: payload sent %.3f times", stack, p.Loss, waste)
		}
		return g / 1e6
	}
	for seed := range uint64(5) {
		reno, cubic := mbit("reno", a, time.Minute, seed), mbit("cubic", a, time.Minute, seed)
		if reno < 1.3 || reno > 2.6 || cubic < 1.7 || cubic > 4 {
			t.Errorf("A, seed %d: reno %.2f, want 1.3 to 2.6; cubic %.2f, want 1.7 to 4.0 Mbit/s", seed, reno, cubic)
		}
	}
	for seed := range uint64(3) {
		reno, cubic := mbit("reno", b, 5*time.Minute, seed), mbit("cubic", b, 5*time.Minute, seed)
		if reno < 18 || reno > 35 || cubic < 1.5*reno {
			t.Errorf("B, seed %d: reno %.1f, want 18 to 35; cubic %.1f, want 1.5 times that Mbit/s", seed, reno, cubic)
		}
	}
}

// TestT7ShallowQueue (T7 A): cubic at 100 Mbit/s and 150 ms with queues of 64, 469 and 1875 KB.
func TestT7ShallowQueue(t *testing.T) {
	for _, c := range []struct {
		octets int
		want   float64
	}{{64_000, 14}, {469_000, 65}, {1_875_000, 85}} {
		p := Path{Rate: 100e6, RTT: 150 * time.Millisecond, Queue: QueueSize{Octets: c.octets}}
		if g, _ := goodputAfter(t, alone(t, "cubic", p, 20*time.Second), 0); g < c.want*1e6 {
			t.Errorf("queue of %d octets: %.1f Mbit/s, want %v", c.octets, g/1e6, c.want)
		}
	}
}
