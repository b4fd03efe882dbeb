package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// forwarded returns a controller that has heard of delays from 50 to 150 ms, smoothed, and is in congestion avoidance at n segments with the delay
// at the least of them.
func forwarded(t *testing.T, name string, n int64) *delayed {
	t.Helper()
	d := &delayed{path: newPath(make1(name, cc.Params{InitialWindow: n * mss, InitialSsthresh: n * mss, Paced: true}), 100*time.Millisecond)}
	return d
}

// delayed tells a controller of ACKs, a hundred each round trip of 100 ms, with one-way delays apart from the round trip.
type delayed struct {
	*path
	clock time.Duration // of the receiver, against the sender's
}

// round is a round trip with that one-way delay, in which a window is acknowledged.
func (d *delayed) roundOf(owd time.Duration) {
	d.path.round++
	w := d.c.Output().Window
	for range 100 {
		d.start = d.start.Add(d.rtt / 100)
		d.c.OnAck(cc.Ack{
			Now: d.start, Acked: w / 100, Delivered: w / 100, RTT: d.rtt, SRTT: d.rtt, MinRTT: d.rtt, OneWayDelay: owd + d.clock, HasOWD: true,
			PriorFlight: w, Round: d.path.round, CwndLimited: true,
		})
	}
}

// TCP-LP's threshold lies 0.15 of the way from the smallest to the largest one-way delay (ToN 14(4) 2006): 65 ms for 50 and 150. Where the
// span is that of the clock's ticks nothing is indicated.
func TestLPThreshold(t *testing.T) {
	for _, name := range []string{"lp", "hstcplp"} {
		for _, c := range []struct {
			most, owd time.Duration
			yields    bool
		}{{150, 64, false}, {150, 66, true}, {51, 51, false}} {
			d := forwarded(t, name, 64)
			d.roundOf(50 * time.Millisecond)
			d.roundOf(c.most * time.Millisecond)
			for range 5 {
				d.roundOf(50 * time.Millisecond) // whatever it did about that is over
			}
			w := d.window()
			d.roundOf(c.owd * time.Millisecond)
			d.roundOf(c.owd * time.Millisecond)
			if yields := d.window() < w; yields != c.yields {
				t.Errorf("%s: delays of 50 to %d ms, now %d: window %.1f, was %.1f", name, c.most, c.owd, d.window(), w)
			}
		}
	}
}

// An early indication halves the window, a second one within three round trips leaves one segment, and until these have passed it does not
// grow; then it does, by a segment a round trip.
func TestLPInference(t *testing.T) {
	learned := func(name string) *delayed {
		d := forwarded(t, name, 100)
		d.roundOf(50 * time.Millisecond)
		d.roundOf(150 * time.Millisecond)
		for range 60 {
			d.roundOf(50 * time.Millisecond)
		}
		return d
	}
	for _, name := range []string{"lp", "hstcplp"} {
		d := learned(name)
		w := d.window()
		d.roundOf(150 * time.Millisecond)
		d.roundOf(50 * time.Millisecond)
		near(t, name+": window after an indication", d.window(), w/2, .03)
		half := d.window()
		d.roundOf(50 * time.Millisecond)
		d.roundOf(50 * time.Millisecond)
		if d.window() != half {
			t.Errorf("%s: window went from %.2f to %.2f in the inference", name, half, d.window())
		}
		for range 4 {
			d.roundOf(50 * time.Millisecond)
		}
		if g := d.window() - half; g < 2 || g > 7 {
			t.Errorf("%s: grew by %.2f in four round trips after it", name, g)
		}
		d = learned(name)
		for range 4 {
			d.roundOf(150 * time.Millisecond)
		}
		near(t, name+": window after two indications", d.window(), 1, 1e-9)
	}
}

// Without a queue HSTCP-LP grows as HighSpeed TCP does, from 6503 segments to 8333 in 73 round trips after one loss.
func TestHSTCPLPGrowth(t *testing.T) {
	p := atWindow("hstcplp", 8333, nil)
	near(t, "window after the cut", p.window(), 6503, 1e-3)
	n := 0.
	for ; p.window() < 8333; n++ {
		p.run()
	}
	near(t, "round trips", n, 73, .03)
	a, _ := cc.Find("hstcplp")
	if !a.LimitedSlowStart {
		t.Error("has no limited slow start of itself")
	}
}

// LEDBAT's window moves by (target - queueing)/target segments a round trip (RFC 6817 s.2.4.2).
func TestLEDBATPace(t *testing.T) {
	for queueing, want := range map[time.Duration]float64{0: 1, 50: .5, 100: 0, 150: -.5, 200: -1} {
		d := forwarded(t, "ledbat", 100)
		d.roundOf(30 * time.Millisecond)
		d.roundOf((30 + queueing) * time.Millisecond)
		w := d.window()
		for range 10 {
			d.roundOf((30 + queueing) * time.Millisecond)
		}
		if got := (d.window() - w) / 10; math.Abs(got-want) > .03 {
			t.Errorf("%v ms queued: %.3f segments a round trip, want %v", int64(queueing), got, want)
		}
	}
}

// A single flow keeps the target in the queue: 10 Mbit/s, 50 ms, segments of 1500 octets, so 125 of them.
func TestLEDBATAlone(t *testing.T) {
	p := piped("ledbat", 833.3, 50*time.Millisecond)
	p.run(2 * time.Minute)
	_, mean, most, queue := queued(p, time.Minute)
	near(t, "window", mean, 125, .02)
	near(t, "queue", queue/833.3, .1, .03)
	if most > 130 {
		t.Errorf("window up to %v", most)
	}
	if got := p.goodput(30 * time.Second); got < .99 {
		t.Errorf("%.3f of the rate", got)
	}
}

// The present delay is the least of the last four, so that one ACK that was held up says nothing (RFC 6817 s.2.5, CURRENT_FILTER).
func TestLEDBATFilter(t *testing.T) {
	run := func(spikes bool) float64 {
		d := forwarded(t, "ledbat", 100)
		for i := range 2000 {
			owd := 50 * time.Millisecond
			if spikes && i%4 != 0 {
				owd = time.Second
			}
			d.start = d.start.Add(time.Millisecond)
			d.c.OnAck(cc.Ack{Now: d.start, Acked: mss, RTT: d.rtt, OneWayDelay: owd, HasOWD: true, PriorFlight: 200 * mss, Round: uint64(i / 100), CwndLimited: true})
		}
		return d.window()
	}
	near(t, "window with three ACKs in four held up", run(true), run(false), 1e-9)
}

// Delays of more than a round trip ago do not count among the last four.
func TestLEDBATFilterAge(t *testing.T) {
	d := forwarded(t, "ledbat", 100)
	d.roundOf(0)
	d.start = d.start.Add(2 * d.rtt)
	w := d.window()
	d.c.OnAck(cc.Ack{
		Now: d.start, Acked: 10 * mss, Delivered: 10 * mss, RTT: d.rtt, SRTT: d.rtt, OneWayDelay: time.Second, HasOWD: true,
		PriorFlight: 100 * mss, Round: d.path.round, CwndLimited: true,
	})
	if d.window() >= w {
		t.Errorf("window from %v to %v with a second queued", w, d.window())
	}
}

// Without timestamps there is no delay to go by: LEDBAT and TCP-LP are Reno.
func TestLEDBATOff(t *testing.T) {
	for _, name := range []string{"ledbat", "lp"} {
		p := atWindow(name, 200, nil)
		p.blind = true
		p.rounds(20)
		near(t, name, p.window(), 120, .01)
	}
}

// The window is at most a segment more than what is in flight (RFC 6817 s.2.4.2, ALLOWED_INCREASE), whether it was larger before or not.
func TestLEDBATUnused(t *testing.T) {
	for _, w := range []int64{20, 100} {
		d := forwarded(t, "ledbat", w)
		for i := range 1000 {
			d.start = d.start.Add(time.Millisecond)
			d.c.OnAck(cc.Ack{
				Now: d.start, Acked: 50 * mss, Delivered: 50 * mss, RTT: d.rtt, OneWayDelay: 0, HasOWD: true, PriorFlight: 50 * mss,
				Round: uint64(i), CwndLimited: true,
			})
		}
		near(t, "window with 50 in flight", d.window(), 51, 1e-9)
	}
}

// A single flow without slow start: 10 Mbit/s, 50 ms, segments of 1500 octets. In step with the formula of RFC 6817 s.2.4.2, with
// a round trip of 50 ms and the queue, the window is 52 segments after 51 rounds, 121 after 300 and 124.9 after 600. The formula's steps
// are rounds and the RFC's are ACKs, each of which divides by a larger window than the last: that takes half of 1/w off each round's segment.
func TestLEDBATSteady(t *testing.T) {
	const segment = 1200 * time.Microsecond
	d := &delayed{path: newPath(make1("ledbat", cc.Params{Paced: true}), 50*time.Millisecond)}
	if w := d.window(); w != 2 {
		t.Errorf("first window %v", w)
	}
	model := 2.
	for n := 1; n <= 600; n++ {
		queue := max(time.Duration(d.window()*float64(segment))-50*time.Millisecond, 0)
		d.rtt = 50*time.Millisecond + queue
		d.roundOf(queue)
		model += 1 - max(model*1.2-50, 0)/100
		if n == 51 || n == 300 || n == 600 {
			near(t, "window", d.window(), map[int]float64{51: 52, 300: 121, 600: 124.9}[n], .025)
			near(t, "formula", model, map[int]float64{51: 52, 300: 121, 600: 124.9}[n], .01)
		}
	}
	if ph := d.c.Output().Phase; ph != cc.Avoidance {
		t.Errorf("phase %v", ph)
	}
	d.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: d.start})
	if w := d.window(); w != 1 {
		t.Errorf("window %v after a timeout (RFC 6817 s.2.4.2)", w)
	}
	for range 10 {
		d.roundOf(0)
	}
	if w := d.window(); w < 10 || w > 12 {
		t.Errorf("window %v ten rounds after a timeout, want a segment a round", w)
	}
}

// The variant with slow start doubles its window each round until three quarters of the target are queued.
func TestLEDBATSlowStart(t *testing.T) {
	d := &delayed{path: newPath(make1("ledbat.ss", cc.Params{Paced: true}), 100*time.Millisecond)}
	for range 5 {
		d.roundOf(10 * time.Millisecond)
	}
	d.roundOf(80 * time.Millisecond)
	near(t, "window after five rounds and 70 ms queued in the sixth", d.window(), 128, .02)
	d.roundOf(90 * time.Millisecond)
	w := d.window()
	d.roundOf(90 * time.Millisecond)
	if d.window() > w+1 {
		t.Errorf("window from %v to %v with 80 ms queued", w, d.window())
	}
}

// On a slow link every ACK comes long after the last, and none of them was held back.
func TestForwardSlowLink(t *testing.T) {
	p := piped("ledbat", 20, 50*time.Millisecond)
	p.run(2 * time.Minute)
	if _, mean, _, _ := queued(p, time.Minute); mean > 5 {
		t.Errorf("window %.1f, where the target is 2 segments queued", mean)
	}
}

// A clock that does not tick in milliseconds tells no delay, and what goes by it is Reno: here it has 4 ms, then 0.5 ms.
func TestForwardForeignClock(t *testing.T) {
	for _, pace := range []float64{.25, 2} {
		d := forwarded(t, "ledbat", 100)
		begun := d.start
		for range 200 {
			d.clock = time.Duration(float64(d.start.Sub(begun)) * (pace - 1)).Truncate(time.Millisecond)
			d.roundOf(50 * time.Millisecond)
		}
		w := d.window()
		for range 20 {
			d.clock = time.Duration(float64(d.start.Sub(begun)) * (pace - 1)).Truncate(time.Millisecond)
			d.roundOf(50 * time.Millisecond)
		}
		near(t, "growth in 20 rounds", d.window()-w, 20, .06)
	}
}

// The two clocks may differ by anything, and their difference may wrap in the middle of a connection.
func TestForwardOddClock(t *testing.T) {
	window := func(name string, clock time.Duration) float64 {
		d := forwarded(t, name, 100)
		d.clock = clock
		for i := range 60 {
			owd := time.Duration(50+i%30) * time.Millisecond
			if owd+clock >= 1<<31*time.Millisecond { // as a difference of two 32-bit numbers of milliseconds
				d.clock = clock - 1<<32*time.Millisecond
			} else {
				d.clock = clock
			}
			d.roundOf(owd)
		}
		return d.window()
	}
	for _, name := range []string{"lp", "hstcplp", "ledbat"} {
		want := window(name, 0)
		for _, clock := range []time.Duration{-time.Hour, 5 * time.Hour, (1<<31 - 60) * time.Millisecond} {
			near(t, name+" with a clock "+clock.String()+" off", window(name, clock), want, 1e-9)
		}
	}
}

// The base delay is that of the last ten minutes: a path that has become longer costs no more (RFC 6817 s.3.4.2, BASE_HISTORY).
func TestForwardHistory(t *testing.T) {
	for _, c := range []struct {
		minutes int
		grows   bool
	}{{8, false}, {11, true}} {
		d := forwarded(t, "ledbat", 100)
		d.roundOf(0)
		for range c.minutes {
			d.start = d.start.Add(time.Minute)
			d.roundOf(300 * time.Millisecond)
		}
		w := d.window()
		d.roundOf(300 * time.Millisecond)
		if grows := d.window() > w; grows != c.grows {
			t.Errorf("%d minutes after the path grew by 300 ms: window from %.2f to %.2f", c.minutes, w, d.window())
		}
	}
}
