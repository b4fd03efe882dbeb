package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
)

// dumbbell returns a path, or fails the test.
func dumbbell(t testing.TB, w *World, forward, reverse link.Config) *Dumbbell {
	t.Helper()
	d, err := NewDumbbell(w, forward, reverse)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestProbeOnIdlePath: the round trip is twice the delay plus one serialisation each way, to the nanosecond (R70).
func TestProbeOnIdlePath(t *testing.T) {
	for _, wireMode := range []bool{false, true} {
		w := New(1)
		w.Wire = wireMode
		d := dumbbell(t, w,
			link.Config{Rate: 1e6, Delay: 30 * time.Millisecond},
			link.Config{Rate: 2e6, Delay: 30 * time.Millisecond})
		p := d.NewProbe(100 * time.Millisecond)
		if err := w.Run(mono.Time(time.Second)); err != nil {
			t.Fatal(err)
		}
		if p.Sent != 11 || len(p.RTTs) != 10 {
			t.Fatalf("%d sent, %d came back, want 11 and 10", p.Sent, len(p.RTTs))
		}
		want := 60*time.Millisecond + 512*time.Microsecond + 256*time.Microsecond
		for _, rtt := range p.RTTs {
			if rtt != want {
				t.Fatalf("RTT %v, want %v", rtt, want)
			}
		}
	}
}

// TestRuler is the simulator's part of T1: what a constant-rate source measures is what the link was told.
func TestRuler(t *testing.T) {
	for _, rate := range []int64{10e6, 100e6, 500e6, 1e9} {
		for _, delay := range []time.Duration{0, 25 * time.Millisecond, 300 * time.Millisecond} {
			for _, loss := range []float64{0, 1e-4, 1e-2} {
				t.Run(fmt.Sprintf("%dMbit/%v/%v", rate/1e6, delay, loss), func(t *testing.T) {
					ruler(t, rate, delay, loss)
				})
			}
		}
	}
}

func ruler(t *testing.T, rate int64, delay time.Duration, loss float64) {
	w := New(3)
	bdp := int(float64(rate) * 2 * delay.Seconds() / 8)
	cfg := link.Config{Rate: rate, Delay: delay, Queue: link.DropTail(0, max(bdp, 1500))}
	if loss > 0 {
		cfg.Loss = []link.LossModel{link.Uniform(loss, w.Rand("loss"))}
	}
	d := dumbbell(t, w, cfg, link.Config{})
	serial := time.Duration(1500 * 8 * 1e9 / rate)
	c := &Constant{Size: 1500, Interval: serial, Until: mono.Time(400 * time.Millisecond)}
	d.NewConstant(c)
	if err := w.Run(mono.Time(time.Second)); err != nil {
		t.Fatal(err)
	}
	lost := c.Sent - c.Received
	if sigma := math.Sqrt(float64(c.Sent) * loss * (1 - loss)); math.Abs(float64(lost)-float64(c.Sent)*loss) > 3*sigma {
		t.Errorf("%d of %d lost, want %v of them within %v", lost, c.Sent, loss, 3*sigma)
	}
	if took := c.Last.Sub(c.First); loss == 0 && took != time.Duration(c.Sent-1)*serial {
		t.Errorf("%d packets arrived over %v, want %v", c.Received, took, time.Duration(c.Sent-1)*serial)
	}
	if lo, hi := slices.Min(c.Delays), slices.Max(c.Delays); lo != delay+serial || hi != lo {
		t.Errorf("delays from %v to %v, want all %v", lo, hi, delay+serial)
	}
	if c.Reordered != 0 {
		t.Errorf("%d packets out of order", c.Reordered)
	}
	s := d.Forward()
	if got := c.Received + int(s.Lost+s.QueueDrops+s.Corrupted+s.OutageDrops); got != c.Sent {
		t.Errorf("offered %d, delivered and named drops %d", c.Sent, got)
	}
}

// TestRulerOverload: offered twice its rate, the link delivers exactly its rate and names every drop; with jitter
// the order holds and no delay is below the one set; without a queue size nothing is dropped at any delay (T1).
func TestRulerOverload(t *testing.T) {
	for _, c := range []struct {
		name  string
		queue link.Queue
		drops bool
	}{{"queue of 100 packets", link.DropTail(100, 0), true}, {"no limit", nil, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := New(4)
			d := dumbbell(t, w, link.Config{Rate: 100e6, Delay: 300 * time.Millisecond, Queue: c.queue}, link.Config{})
			s := &Constant{Size: 1500, Interval: 60 * time.Microsecond, Until: mono.Time(time.Second)}
			d.NewConstant(s)
			if err := w.Run(mono.Time(4 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if took := s.Last.Sub(s.First); took != time.Duration(s.Received-1)*120*time.Microsecond {
				t.Errorf("%d packets in %v: not the rate of the link", s.Received, took)
			}
			if drops := d.Forward().QueueDrops; (drops > 0) != c.drops || s.Received+int(drops) != s.Sent {
				t.Errorf("sent %d, received %d, dropped %d", s.Sent, s.Received, drops)
			}
		})
	}
}

func TestRulerJitter(t *testing.T) {
	w := New(5)
	d := dumbbell(t, w, link.Config{Rate: 100e6, Delay: 25 * time.Millisecond, Jitter: 5 * time.Millisecond, Rand: w.Rand("jitter")}, link.Config{})
	c := &Constant{Size: 1500, Interval: time.Millisecond, Until: mono.Time(time.Second)}
	d.NewConstant(c)
	if err := w.Run(mono.Time(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	lo, hi := slices.Min(c.Delays), slices.Max(c.Delays)
	if base := 25*time.Millisecond + 120*time.Microsecond; lo < base || hi <= base+4*time.Millisecond || hi > base+5*time.Millisecond {
		t.Errorf("delays from %v to %v", lo, hi)
	}
	if c.Reordered != 0 || c.Received != c.Sent {
		t.Errorf("%d sent, %d received, %d out of order", c.Sent, c.Received, c.Reordered)
	}
}

// TestDamage: damaged packets are dropped in both modes, and in wire mode the decoder rejects them.
func TestDamage(t *testing.T) {
	received := map[bool]int{}
	for _, wireMode := range []bool{false, true} {
		w := New(6)
		w.Wire = wireMode
		d := dumbbell(t, w, link.Config{Rate: 10e6, Errors: []link.LossModel{link.BitErrors(1e-5, w.Rand("errors"))}}, link.Config{})
		c := &Constant{Size: 1500, Interval: 2 * time.Millisecond, Until: mono.Time(10 * time.Second)}
		d.NewConstant(c)
		if err := w.Run(mono.Time(11 * time.Second)); err != nil {
			t.Fatal(err)
		}
		received[wireMode] = c.Received
		if c.Received == c.Sent || d.Forward().Corrupted != int64(c.Sent-c.Received) {
			t.Errorf("sent %d, received %d, damaged %d", c.Sent, c.Received, d.Forward().Corrupted)
		}
		if w.Undetected() != 0 {
			t.Errorf("%d single flips not detected", w.Undetected())
		}
	}
	if received[false] != received[true] {
		t.Errorf("received %d without and %d with wire mode", received[false], received[true])
	}
}
