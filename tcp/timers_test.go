package tcp

import (
	"slices"
	"testing"

	"longhaul/mono"
	"pgregory.net/rapid"
)

// TestTimerSet compares the set's earliest deadline with a plain minimum.
func TestTimerSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newTimerSet()
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			k := timerKind(rapid.IntRange(0, int(numTimers)-1).Draw(t, "kind"))
			at := mono.Time(rapid.IntRange(0, 9).Draw(t, "at"))
			if at == 0 {
				s.stop(k)
			} else {
				s.set(k, at)
			}
			want := slices.Min(s.at[:])
			if s.first > want {
				t.Fatalf("lower bound %v above the earliest deadline %v", s.first, want)
			}
			if rapid.Bool().Draw(t, "ask") && s.next() != want {
				t.Fatalf("next %v, want %v", s.next(), want)
			}
		}
	})
}
