package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"longhaul/mono"
)

// TestHeapOrder sets and moves entries at random and checks that they come out by time and then by when they were
// set.
func TestHeapOrder(t *testing.T) {
	type key struct {
		at    mono.Time
		order int
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w := New(1)
		handles := make([]*Handle, 20)
		want := map[*Handle]key{}
		for i := range handles {
			handles[i] = &Handle{w: w, index: -1}
		}
		for i := range 300 {
			h := handles[rng.IntN(len(handles))]
			at := mono.Time(rng.IntN(10))
			if at == 9 {
				at = mono.Never
			}
			old, there := want[h]
			w.queue.set(h, at)
			switch {
			case at == mono.Never:
				delete(want, h)
			case !there || old.at != at:
				want[h] = key{at, i}
			}
		}
		sorted := slices.SortedFunc(func(yield func(*Handle) bool) {
			for h := range want {
				yield(h)
			}
		}, func(a, b *Handle) int {
			x, y := want[a], want[b]
			if x.at != y.at {
				return int(x.at - y.at)
			}
			return x.order - y.order
		})
		for i, h := range sorted {
			if top := w.queue.entries[0].h; top != h {
				t.Fatalf("entry %d of %d: the heap gives %v, want %v", i, len(sorted), want[top], want[h])
			}
			w.queue.set(h, mono.Never)
			if h.index != -1 {
				t.Fatalf("index %d after removal, want -1", h.index)
			}
		}
		if n := len(w.queue.entries); n != 0 {
			t.Fatalf("%d entries left", n)
		}
	}
}

// BenchmarkHeap is the event loop alone: eight actors that each act every 8 ns.
func BenchmarkHeap(b *testing.B) {
	w := New(1)
	for i := range 8 {
		w.Add(tick(8), mono.Time(i))
	}
	b.ReportAllocs()
	b.ResetTimer()
	if err := w.Run(mono.Time(b.N)); err != nil {
		b.Fatal(err)
	}
}

type tick int

func (k tick) Step(now mono.Time) mono.Time { return now + mono.Time(k) }
