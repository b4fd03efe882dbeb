package mono

import (
	"testing"
	"time"
)

func TestAddSaturates(t *testing.T) {
	for _, c := range []struct {
		t    Time
		d    time.Duration
		want Time
	}{
		{0, time.Second, 1e9},
		{5, -3, 2},
		{Never, time.Hour, Never},
		{Never, -time.Hour, Never},
		{Never - 1, 10, Never},
		{Never - 10, 5, Never - 5},
	} {
		if got := c.t.Add(c.d); got != c.want {
			t.Errorf("%d.Add(%d) = %d, want %d", int64(c.t), int64(c.d), int64(got), int64(c.want))
		}
	}
}

func TestNeverIsLatest(t *testing.T) {
	if got := min(Never, Time(7)); got != 7 {
		t.Errorf("min(Never, 7) = %v, want 7ns", got)
	}
	if Never.String() != "never" || Time(1500*time.Millisecond).String() != "1.5s" {
		t.Errorf("String: %v, %v", Never, Time(1500*time.Millisecond))
	}
}
