package tcp

import (
	"testing"
	"time"
)

func testTimers() *Timers {
	c := Config{}.withDefaults(false)
	return &c.Timers
}

// TestRTOFormulas follows RFC 6298 s.2: the first sample, the second, and the floors.
func TestRTOFormulas(t *testing.T) {
	timers := testTimers()
	timers.RTOMin, timers.RTOVarMin = time.Second, 0
	e := rttEstimator{timers: timers}
	if got := e.rto(); got != time.Second { // s.2.1
		t.Errorf("RTO without a sample: %v, want 1 s", got)
	}
	e.sample(400*time.Millisecond, true) // s.2.2: SRTT = R, RTTVAR = R/2
	if e.srtt != 400*time.Millisecond || e.rttvar != 200*time.Millisecond || e.rto() != 1200*time.Millisecond {
		t.Errorf("after 400 ms: SRTT %v, RTTVAR %v, RTO %v", e.srtt, e.rttvar, e.rto())
	}
	e.sample(600*time.Millisecond, true) // s.2.3: RTTVAR = 3/4*200 + 1/4*200, SRTT = 7/8*400 + 1/8*600
	if e.srtt != 425*time.Millisecond || e.rttvar != 200*time.Millisecond {
		t.Errorf("after 600 ms: SRTT %v, RTTVAR %v", e.srtt, e.rttvar)
	}
	timers.RTOMin = 200 * time.Millisecond
	for range 100 {
		e.sample(100*time.Millisecond, true)
	}
	timers.RTOVarMin = 200 * time.Millisecond
	if got := e.rto(); got < 300*time.Millisecond || got > 302*time.Millisecond {
		t.Errorf("steady 100 ms: RTO %v, want SRTT + 200 ms", got)
	}
}

// TestRTTVarKeptWithinRound: many samples a round trip must not wash out the variance (RFC 7323 appendix G).
func TestRTTVarKeptWithinRound(t *testing.T) {
	e := rttEstimator{timers: testTimers()}
	for round := range 20 {
		for i := range 1000 {
			r := 100 * time.Millisecond
			if i == 500 && round%2 == 0 {
				r = 160 * time.Millisecond
			}
			e.sample(r, i == 0)
		}
	}
	if e.rttvar < 10*time.Millisecond {
		t.Errorf("RTTVAR %v after rounds with a deviation of 60 ms in each second one", e.rttvar)
	}
}

// TestBackoff doubles up to the cap (RFC 6298 s.5.5), and does not overflow.
func TestBackoff(t *testing.T) {
	e := rttEstimator{timers: testTimers()}
	for n, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 120, 120} {
		e.backoff = uint(n)
		if got := e.backedOff(); got != want*time.Second {
			t.Errorf("backoff %d: %v, want %v", n, got, want*time.Second)
		}
	}
	e.backoff = 1 << 20
	if got := e.backedOff(); got != 120*time.Second {
		t.Errorf("backoff 2^20: %v", got)
	}
}

// TestCoarseClock rounds deadlines up to half seconds, as 4.3BSD's slow timer did.
func TestCoarseClock(t *testing.T) {
	c := Config{Enable: CoarseClock}.withDefaults(false)
	e := rttEstimator{timers: &c.Timers}
	e.sample(580*time.Millisecond, true)
	if got := e.rto(); got < 1080*time.Millisecond {
		t.Errorf("RTO %v, want at least SRTT + 500 ms", got)
	}
	if got := e.expire(1_200_000_001); got != 1_500_000_000 {
		t.Errorf("1.200000001 s expires at %v, want 1.5 s", got)
	}
}
