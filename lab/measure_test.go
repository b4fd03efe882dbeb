package lab

import (
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/stacks"
)

// alone returns a case of one stack by itself on a path.
func alone(t testing.TB, stack string, path Path, duration time.Duration) Case {
	t.Helper()
	return Case{Name: t.Name(), Seed: 1, Path: path, Duration: duration, Flows: []Flow{{Stack: parse(t, stack)}}}
}

// begin starts a case, or fails the test.
func begin(t testing.TB, c Case) *run {
	t.Helper()
	r, err := c.start()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// until advances r to an instant.
func (r *run) until(t testing.TB, at time.Duration) {
	t.Helper()
	if err := r.world.Run(mono.Time(at)); err != nil {
		t.Fatal(err)
	}
}

// goodputAfter runs c and returns its first flow's goodput in bits per second after the first skip, and its result.
func goodputAfter(t testing.TB, c Case, skip time.Duration) (float64, Result) {
	t.Helper()
	r := begin(t, c)
	r.until(t, skip)
	before := r.flows[0].total()
	r.until(t, c.Duration)
	return float64(r.flows[0].total()-before) * 8 / (c.Duration - skip).Seconds(), r.results()[0]
}

// hosts returns a host at each end of a path of its own, and their world.
func hosts(t testing.TB, forward, reverse link.Config) (w *sim.World, left, right *sim.Host) {
	t.Helper()
	w = sim.New(1)
	d, err := sim.NewDumbbell(w, forward, reverse)
	if err != nil {
		t.Fatal(err)
	}
	if left, err = d.Left("left"); err != nil {
		t.Fatal(err)
	}
	if right, err = d.Right("right"); err != nil {
		t.Fatal(err)
	}
	return w, left, right
}

// sent returns the counters of the flow's first connection.
func (r *run) sent() (lost, timeouts, acked, fresh int64) {
	s := r.flows[0].streams[0].conn.Info().Sent
	return s.Lost, s.Timeouts, s.Acked, s.Bytes - s.RetransBytes
}

// lossy adds a loss model to the data direction of p. Make is called once per run.
func lossy(p Path, make func(w *sim.World) link.LossModel) Path {
	p.Adjust = func(w *sim.World, forward, _ *link.Config) {
		forward.Loss = append(forward.Loss, make(w))
	}
	return p
}

// dropData loses chosen data packets: those of more than 100 octets, which no SYN, FIN or pure ACK reaches.
type dropData struct {
	lost  func(now mono.Time, n int) bool // n counts data packets from 0
	n     int
	Drops int
}

func (d *dropData) Lost(now mono.Time, octets int) bool {
	if octets <= 100 {
		return false
	}
	d.n++
	if !d.lost(now, d.n-1) {
		return false
	}
	d.Drops++
	return true
}

// compare runs a scenario, or fails the test.
func compare(t testing.TB, s Scenario, workers int) Results {
	t.Helper()
	r, err := Compare(s, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parseAll(t testing.TB, names ...string) []stacks.Stack {
	t.Helper()
	var list []stacks.Stack
	for _, n := range names {
		list = append(list, parse(t, n))
	}
	return list
}

// mbit is a rate in Mbit/s, for messages.
func mbit(bps float64) float64 { return bps / 1e6 }
