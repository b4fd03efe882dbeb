package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/mono"
)

// TestEqualTimesRunFIFO: events of one instant run in the order in which they were set, and one that asks for the
// same instant again goes behind the others.
func TestEqualTimesRunFIFO(t *testing.T) {
	w := New(1)
	var got []string
	w.Add(script{func(now mono.Time) mono.Time { got = append(got, "a"); return now },
		func(mono.Time) mono.Time { got = append(got, "a again"); return mono.Never }}.actor(), 5)
	w.At(5, func(mono.Time) {
		got = append(got, "b")
		w.At(5, func(mono.Time) { got = append(got, "d") })
	})
	w.At(5, func(mono.Time) { got = append(got, "c") })
	w.At(4, func(mono.Time) { got = append(got, "first") })
	if err := w.Run(5); err != nil {
		t.Fatal(err)
	}
	want := []string{"first", "a", "b", "c", "a again", "d"}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// script is a list of steps.
type script []func(now mono.Time) mono.Time

func (s script) actor() Actor { return &s }

func (s *script) Step(now mono.Time) mono.Time {
	f := (*s)[0]
	*s = (*s)[1:]
	return f(now)
}

// TestRunStopsInTime: Run is inclusive, leaves the clock at its end, and goes on where it stopped.
func TestRunStopsInTime(t *testing.T) {
	w := New(1)
	n := 0
	w.Add(counter{&n}, 0)
	for _, c := range []struct {
		until mono.Time
		want  int
	}{{0, 1}, {9, 1}, {10, 2}, {35, 4}, {35, 4}} {
		if err := w.Run(c.until); err != nil {
			t.Fatal(err)
		}
		if n != c.want || w.Now() != c.until {
			t.Errorf("until %d: %d steps at %d, want %d", c.until, n, w.Now(), c.want)
		}
	}
}

// counter counts and acts every 10 ns.
type counter struct{ n *int }

func (c counter) Step(now mono.Time) mono.Time { *c.n++; return now + 10 }

func TestWake(t *testing.T) {
	w := New(1)
	n := 0
	h := w.Add(counter{&n}, mono.Never)
	if err := w.Run(100); err != nil || n != 0 {
		t.Fatalf("an actor that sleeps: %d steps, error %v", n, err)
	}
	h.Wake(50) // the past means now
	if err := w.Run(100); err != nil || n != 1 {
		t.Fatalf("woken: %d steps, error %v, want 1", n, err)
	}
	h.Wake(mono.Never)
	if err := w.Run(1000); err != nil || n != 1 {
		t.Fatalf("sent to sleep: %d steps, error %v, want 1", n, err)
	}
}

func TestLivelock(t *testing.T) {
	w := New(1)
	w.Add(tick(0), 7)
	w.Add(tick(1), 0)
	err := w.Run(mono.Time(time.Second))
	if err == nil || !strings.Contains(err.Error(), "livelock") {
		t.Fatalf("error %v, want a livelock", err)
	}
	if w.Now() != 7 {
		t.Errorf("stopped at %v, want 7ns", w.Now())
	}
}

func TestStop(t *testing.T) {
	w := New(1)
	want := errors.New("enough")
	w.At(3, func(mono.Time) { w.Stop(want); w.Stop(errors.New("later")) })
	w.Add(tick(1), 0)
	if err := w.Run(10); err != want {
		t.Errorf("error %v, want %v", err, want)
	}
	if w.Now() != 3 {
		t.Errorf("stopped at %v, want 3ns", w.Now())
	}
}

// TestRandStreams: a stream depends on the seed and on its own name, not on who else asks or when.
func TestRandStreams(t *testing.T) {
	draw := func(w *World, name string) [4]uint64 {
		r := w.Rand(name)
		return [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	}
	w := New(7)
	a, b := draw(w, "a"), draw(w, "b")
	v := New(7)
	draw(v, "someone new")
	if draw(v, "b") != b || draw(v, "a") != a {
		t.Error("a new consumer shifted another's stream")
	}
	if a == b {
		t.Error("two names share one stream")
	}
	if draw(New(8), "a") == a {
		t.Error("two seeds share one stream")
	}
}
