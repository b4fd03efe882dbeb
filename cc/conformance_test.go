package cc_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"longhaul/cc"
	"longhaul/mono"
)

// each runs a test for every algorithm.
func each(t *testing.T, f func(t *testing.T, a cc.Algorithm)) {
	for _, a := range cc.All {
		t.Run(a.Name, func(t *testing.T) { f(t, a) })
	}
}

// eachWindow runs a test for every algorithm that keeps a congestion window, as opposed to a model of the path.
func eachWindow(t *testing.T, f func(t *testing.T, a cc.Algorithm)) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		if a.Model {
			t.Skip("follows a model of the path")
		}
		f(t, a)
	})
}

// byLossAlone reports whether nothing but loss shrinks a's window.
func byLossAlone(a cc.Algorithm) bool { return a.Signal&(cc.ByDelay|cc.ByOneWayDelay) == 0 && !a.Model }

// event is one call of a controller.
type event func(cc.Controller)

// history draws the events of a connection: sensible ones, and values that no engine should report.
type history struct {
	now   mono.Time
	round uint64
}

func (h *history) draw(t *rapid.T) (what string, e event) {
	octets := func(name string) int64 {
		return rapid.OneOf(rapid.Int64Range(0, 100*mss), rapid.SampledFrom([]int64{mss, 1, 1 << 30, 1e12, math.MaxInt64, -5})).Draw(t, name)
	}
	gap := rapid.SampledFrom([]time.Duration{0, time.Microsecond, time.Millisecond, 100 * time.Millisecond, time.Minute, 240 * time.Hour})
	h.now = h.now.Add(gap.Draw(t, "gap"))
	now := h.now
	switch what = rapid.SampledFrom([]string{"sent", "ack", "ack", "ack", "ack", "lost", "loss", "timeout", "repeated", "ecn", "local", "undo"}).Draw(t, "event"); what {
	case "sent":
		s := cc.Sent{Now: now, Bytes: mss, InFlight: octets("flight"), Idle: gap.Draw(t, "idle"), RTO: gap.Draw(t, "rto")}
		return what, func(c cc.Controller) { c.OnSent(s) }
	case "ack":
		h.round += rapid.Uint64Range(0, 1).Draw(t, "round")
		rtt := gap.Draw(t, "rtt")
		a := cc.Ack{
			Now: now, Acked: octets("acked"), Delivered: mss, RTT: rtt, SRTT: gap.Draw(t, "srtt"), MinRTT: rtt,
			OneWayDelay: gap.Draw(t, "owd") - time.Second, HasOWD: rapid.Bool().Draw(t, "has owd"),
			Rate:        cc.Rate{Delivered: octets("rate"), Interval: gap.Draw(t, "interval"), TotalDelivered: octets("total"), TxInFlight: octets("tx"), Lost: octets("rate lost"), AppLimited: rapid.Bool().Draw(t, "app")},
			PriorFlight: octets("prior"), Round: h.round, CwndLimited: rapid.Bool().Draw(t, "limited"),
			State: rapid.SampledFrom([]cc.State{cc.Open, cc.Open, cc.Open, cc.Recovery, cc.Exited, cc.Marked}).Draw(t, "state"),
		}
		return what, func(c cc.Controller) { c.OnAck(a) }
	case "lost":
		l := cc.Lost{Now: now, Bytes: mss, TxInFlight: octets("tx"), LostSince: octets("lost since"), Timer: rapid.Bool().Draw(t, "timer")}
		return what, func(c cc.Controller) { c.OnLost(l) }
	}
	g := cc.Congestion{Now: now, InFlight: octets("flight"), Repeated: what == "repeated", SentWindow: octets("sent window"), Kind: map[string]cc.Kind{
		"loss": cc.Loss, "timeout": cc.Timeout, "repeated": cc.Timeout, "ecn": cc.ECN, "local": cc.LocalDrop, "undo": cc.Undo}[what]}
	return what, func(c cc.Controller) { c.OnCongestion(g) }
}

// Whatever is reported, the window stays in its bounds, and the same events give the same outputs. Unless a model or delay
// rules it, only a cut shrinks the window; only an ACK or an undo widens it (F39).
func TestRandomEvents(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		rapid.Check(t, func(t *rapid.T) {
			p := cc.Params{
				MSS:             rapid.SampledFrom([]int64{1, 536, mss, 65495}).Draw(t, "mss"),
				MaxWindow:       rapid.SampledFrom([]int64{0, 1, 20 * mss, 1 << 30, 1 << 40}).Draw(t, "max"),
				InitialWindow:   rapid.SampledFrom([]int64{0, 1, 1 << 30, 1 << 50}).Draw(t, "initial"),
				InitialSsthresh: rapid.SampledFrom([]int64{0, 1, 30 * mss, math.MaxInt64}).Draw(t, "ssthresh"),
				Paced:           rapid.Bool().Draw(t, "paced"), PerACK: rapid.Bool().Draw(t, "perack"),
				SlowStart:      rapid.Int64Range(0, 20).Draw(t, "slowstart"),
				FlightSsthresh: rapid.Bool().Draw(t, "flightssthresh"), HyStart: rapid.Bool().Draw(t, "hystart"), LimitedSlowStart: rapid.Bool().Draw(t, "lss"),
				Rand: rand.New(rand.NewPCG(1, 2)),
			}
			q := p
			q.Rand = rand.New(rand.NewPCG(1, 2))
			c, twin := a.New(p), a.New(q)
			limit := cc.MaxWindow
			if p.MaxWindow > 0 && p.MaxWindow < limit {
				limit = max(p.MaxWindow, p.MSS)
			}
			var h history
			before := c.Output()
			for range rapid.IntRange(1, 200).Draw(t, "events") {
				what, e := h.draw(t)
				e(c)
				e(twin)
				o := c.Output()
				switch {
				case o != c.Output():
					t.Fatalf("%s: two readings of Output differ", what)
				case o != twin.Output():
					t.Fatalf("%s: the same events gave %+v and %+v", what, o, twin.Output())
				case o.Window < p.MSS || o.Window > limit:
					t.Fatalf("%s: window %d is outside %d to %d", what, o.Window, p.MSS, limit)
				case o.Ssthresh < 2*p.MSS || o.Ssthresh > cc.Infinite:
					t.Fatalf("%s: ssthresh %d is outside %d to %d", what, o.Ssthresh, 2*p.MSS, cc.Infinite)
				case o.PacingRate < 0:
					t.Fatalf("%s: pacing rate %d", what, o.PacingRate)
				case a.Model: // nor does it promise more
				case what == "lost" && o != before:
					t.Fatalf("a single loss changed %+v to %+v", before, o)
				case what == "undo" && o.Window < before.Window, what == "ack" && o.Window < before.Window && byLossAlone(a):
					t.Fatalf("%s shrank the window from %d to %d", what, before.Window, o.Window)
				case what != "ack" && what != "undo" && o.Window > before.Window:
					t.Fatalf("%s widened the window from %d to %d", what, before.Window, o.Window)
				case (what == "timeout" || what == "repeated") && o.Window != p.MSS:
					t.Fatalf("%s left a window of %d, want one segment of %d", what, o.Window, p.MSS)
				case what == "repeated" && o.Ssthresh != before.Ssthresh:
					t.Fatalf("a repeated timeout cut ssthresh from %d to %d (RFC 5681 s.3.1)", before.Ssthresh, o.Ssthresh)
				}
				before = o
			}
		})
	})
}

// grown returns a controller in congestion avoidance, with a window of n segments that is in use.
func grown(a cc.Algorithm, n int64, p cc.Params) *path {
	p.MSS, p.InitialWindow, p.InitialSsthresh, p.Paced = mss, n*mss, n*mss, true
	path := newPath(a.New(p), 100*time.Millisecond)
	path.rounds(3)
	return path
}

// One episode is one cut, however many segments were lost, and during recovery the window stays.
func TestOneCutPerEpisode(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		for _, kind := range []cc.Kind{cc.Loss, cc.ECN, cc.LocalDrop} {
			p := grown(a, 100, cc.Params{})
			w := p.c.Output().Window
			for range 50 {
				p.c.OnLost(cc.Lost{Now: p.start, Bytes: mss})
			}
			if got := p.c.Output().Window; got != w {
				t.Fatalf("%v: window %d after marks, want %d still", kind, got, w)
			}
			p.c.OnCongestion(cc.Congestion{Kind: kind, Now: p.start, InFlight: w})
			o := p.c.Output()
			most := w * 95 / 100
			if a.Signal&cc.ByRate != 0 {
				most = w // the rate may show that the window fits the path
			}
			if o.Ssthresh < w*4/10 || o.Ssthresh > most {
				t.Errorf("%v: ssthresh %d after one cut from %d", kind, o.Ssthresh, w)
			}
			for i := range int64(50) {
				p.c.OnLost(cc.Lost{Now: p.start, Bytes: mss})
				p.c.OnAck(cc.Ack{Now: p.start, Delivered: mss, Acked: mss * (i % 2), PriorFlight: w, Round: p.round, CwndLimited: true, State: cc.Recovery})
			}
			p.c.OnAck(cc.Ack{Now: p.start, Delivered: mss, Acked: 10 * mss, PriorFlight: w, Round: p.round, CwndLimited: true, State: cc.Exited})
			if got := p.c.Output(); !o.Direct && got != o || got.Window < o.Window {
				t.Errorf("%v: %+v after recovery, %+v at its start", kind, got, o)
			}
		}
	})
}

// What was lost may have left when the window was smaller: then that is what the cut is a fraction of. How large a fraction
// may itself depend on the window.
func TestSentWindow(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		for sent, part := range map[int64]int64{0: 1, 25: 4, 50: 2, 200: 1} {
			for _, flight := range []bool{false, true} {
				p, q := grown(a, 100, cc.Params{FlightSsthresh: flight}), grown(a, 100, cc.Params{FlightSsthresh: flight})
				w := p.c.Output().Window
				p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start, InFlight: w})
				q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start, InFlight: w, SentWindow: sent * w / 100})
				want, got := p.c.Output().Ssthresh/part, q.c.Output().Ssthresh
				if got < want*8/10 || got > max(want*11/10, w/part) || part == 1 && got != want {
					t.Errorf("lost with a window of %d %%: ssthresh %d, want %d", sent, got, want)
				}
			}
		}
	})
}

// RFC 5681 s.3.1: a timeout leaves one segment, and only the first in a row cuts ssthresh. Slow start follows, by one
// segment per ACK up to ssthresh (RFC 3465 s.2.3).
func TestTimeout(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		p := grown(a, 100, cc.Params{})
		p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start})
		first := p.c.Output()
		for range 5 {
			p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start, Repeated: true})
		}
		if got := p.c.Output(); got != first || got.Window != mss {
			t.Fatalf("%+v after repeated timeouts, %+v after the first", got, first)
		}
		w := first.Window
		for a.Honours.SlowStart && w+mss < first.Ssthresh {
			p.c.OnAck(cc.Ack{Now: p.start, Acked: 90 * mss, Delivered: mss, PriorFlight: 100 * mss, Round: p.round, CwndLimited: true})
			if got := p.c.Output().Window; got != w+mss {
				t.Fatalf("an ACK took the window from %d to %d, want one segment more", w, got)
			}
			w += mss
		}
	})
}

// An undo gives back what the latest loss, or row of timeouts, took. Marks are not undone.
func TestUndo(t *testing.T) {
	type cuts []cc.Congestion
	loss, timeout, again := cc.Congestion{Kind: cc.Loss}, cc.Congestion{Kind: cc.Timeout}, cc.Congestion{Kind: cc.Timeout, Repeated: true}
	for _, c := range []struct {
		name string
		cuts cuts
		back int // cuts that remain after the undo; they come first
	}{
		{"loss", cuts{loss}, 0},
		{"timeout", cuts{timeout}, 0},
		{"row of timeouts", cuts{timeout, again, again}, 0},
		{"loss, timeout", cuts{loss, timeout}, 1},
		{"loss, repeated timeout", cuts{loss, again}, 1},
		{"mark", cuts{{Kind: cc.ECN}}, 1},
		{"local drop", cuts{{Kind: cc.LocalDrop}}, 1},
		{"loss, mark", cuts{loss, {Kind: cc.ECN}}, 2},
	} {
		eachWindow(t, func(t *testing.T, a cc.Algorithm) {
			p := grown(a, 100, cc.Params{})
			want := p.c.Output()
			for i, g := range c.cuts {
				p.c.OnCongestion(g)
				if i < c.back {
					want = p.c.Output()
				}
			}
			for range 2 { // the second finds nothing to undo
				p.c.OnCongestion(cc.Congestion{Kind: cc.Undo})
				got := p.c.Output()
				if got.Ssthresh > want.Ssthresh && got.Ssthresh <= got.Window {
					got.Ssthresh = want.Ssthresh // one that a gentle cut raised may stay: below the window it rules nothing
				}
				if got != want {
					t.Errorf("%s: %+v after the undo, want %+v", c.name, got, want)
				}
			}
		})
	}
}

// An undone loss leaves a controller that goes on as if nothing had happened (RFC 9438 s.4.9.2).
func TestUndoRestoresGrowth(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		p, q := grown(a, 100, cc.Params{}), grown(a, 100, cc.Params{})
		q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start})
		q.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: q.start})
		p.rounds(30)
		q.rounds(30)
		if math.Abs(p.window()-q.window()) > 1 {
			t.Errorf("window %.2f, want %.2f", q.window(), p.window())
		}
	})
}

// An unused window does not grow (RFC 7661, F38): 30 days at a segment a second, with and without the congestion
// avoidance that a loss brings.
func TestUnusedWindow(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		c := a.New(cc.Params{MSS: mss, HyStart: true})
		start := c.Output().Window
		now := mono.Time(0)
		for i := range uint64(30 * 24 * 3600) {
			if i == 24*3600 {
				c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: now, InFlight: mss})
			}
			now = now.Add(time.Second)
			c.OnSent(cc.Sent{Now: now, Bytes: mss, InFlight: mss})
			c.OnAck(cc.Ack{Now: now, Acked: mss, Delivered: mss, PriorFlight: mss, RTT: time.Millisecond, SRTT: time.Millisecond, Round: i, AppLimited: true})
			if w := c.Output().Window; w > start {
				t.Fatalf("second %d: window %d, want at most %d", i, w, start)
			}
		}
		p := grown(a, 100, cc.Params{})
		start = p.c.Output().Window
		for range 1000 {
			p.start = p.start.Add(time.Second)
			p.c.OnAck(cc.Ack{Now: p.start, Acked: 50 * mss, PriorFlight: 50 * mss, SRTT: p.rtt, MinRTT: p.rtt, Round: p.round})
		}
		if w := p.c.Output().Window; w > start || w < start && byLossAlone(a) {
			t.Errorf("congestion avoidance took an unused window from %d to %d", start, w)
		}
		// Slow start with a flight of six segments goes to twelve and stops.
		c = a.New(cc.Params{MSS: mss})
		for i := range uint64(100) {
			c.OnAck(cc.Ack{Acked: 6 * mss, PriorFlight: 6 * mss, Round: i, AppLimited: true})
		}
		if w := c.Output().Window; w > 12*mss || w < 12*mss && a.Honours.SlowStart {
			t.Errorf("window %d with %d in flight, want twice that", w, 6*mss)
		}
	})
}

// Windows and times that never end saturate: a year without loss at the largest window, ACKs of 10^12 octets.
func TestSaturation(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		for _, per := range []bool{false, true} {
			c := a.New(cc.Params{MSS: mss, InitialWindow: 1_070_000 * mss, InitialSsthresh: 1e9, PerACK: per})
			for range 3 { // more than the arithmetic holds
				c.OnAck(cc.Ack{Acked: math.MaxInt64, PriorFlight: math.MaxInt64, CwndLimited: true})
			}
			for i := range uint64(20_000) {
				c.OnAck(cc.Ack{Now: mono.Time(0).Add(time.Duration(i) * 30 * time.Minute), Acked: 1e12, PriorFlight: 1 << 30, Round: i, SRTT: time.Hour, MinRTT: time.Hour, CwndLimited: true})
			}
			if w := c.Output().Window; w > cc.MaxWindow || !per && byLossAlone(a) && w != cc.MaxWindow {
				t.Errorf("window %d, want %d", w, cc.MaxWindow)
			}
			c.OnCongestion(cc.Congestion{Kind: cc.Loss, InFlight: math.MaxInt64})
			if s := c.Output().Ssthresh; s < 2*mss || s >= cc.MaxWindow && byLossAlone(a) {
				t.Errorf("ssthresh %d after a loss", s)
			}
		}
	})
}

// RFC 2861 s.2.1: idle time halves the window once per timeout, not below the initial window, and ssthresh keeps
// three quarters of it.
func TestIdleRestart(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		if !a.Honours.SlowStart {
			t.Skip("has a slow start of its own, or none")
		}
		for _, c := range []struct {
			idle time.Duration
			want int64 // segments, of 160
		}{
			{0, 160}, {900 * time.Millisecond, 160}, {time.Second, 80}, {2500 * time.Millisecond, 40}, {5 * time.Second, 10}, {1 << 62, 10},
		} {
			ctrl := a.New(cc.Params{MSS: mss, InitialWindow: 10 * mss, InitialSsthresh: 160 * mss, Paced: true})
			p := newPath(ctrl, 100*time.Millisecond)
			p.rounds(4) // 10 to 160
			ctrl.OnSent(cc.Sent{Now: p.start, Bytes: mss, InFlight: mss, Idle: c.idle, RTO: time.Second})
			if o := ctrl.Output(); o.Window != c.want*mss || o.Ssthresh < 120*mss {
				t.Errorf("after %v idle: window %d, ssthresh %d, want %d and at least %d", c.idle, o.Window, o.Ssthresh, c.want*mss, 120*mss)
			}
		}
	})
}

// byDelay is what only those heed who may leave slow start without a loss.
const byDelay = cc.ByDelay | cc.ByOneWayDelay

// An algorithm heeds the Params that it says it honours, and no others.
func TestHonours(t *testing.T) {
	// Slow start and congestion avoidance with two segments per ACK, a loss with a small flight, rising delay.
	trial := func(a cc.Algorithm, p cc.Params) (window, ssthresh int64, phase cc.Phase) {
		p.MSS, p.Paced = mss, true
		path := newPath(a.New(p), 100*time.Millisecond)
		path.perACK = 2
		path.rounds(3)
		path.rtt = 200 * time.Millisecond
		path.run()
		o := path.c.Output()
		window, phase = o.Window, o.Phase
		path.c.OnCongestion(cc.Congestion{Kind: cc.Loss, InFlight: 12 * mss})
		return window, path.c.Output().Ssthresh, phase
	}
	each(t, func(t *testing.T, a cc.Algorithm) {
		window, ssthresh, phase := trial(a, cc.Params{})
		if w, _, _ := trial(a, cc.Params{SlowStart: 2}); (w > window*3/2) != a.Honours.SlowStart {
			t.Errorf("window %d with two segments per acknowledged one, %d with one; Honours says %v", w, window, a.Honours.SlowStart)
		}
		if w, _, _ := trial(a, cc.Params{PerACK: true}); (w < window*3/4) != a.Honours.PerACK {
			t.Errorf("window %d growing per ACK, %d per octet; Honours says %v", w, window, a.Honours.PerACK)
		}
		if _, s, _ := trial(a, cc.Params{FlightSsthresh: true}); (s <= 12*mss*9/10) != a.Honours.FlightSsthresh {
			t.Errorf("ssthresh %d from a flight of %d, %d from the window; Honours says %v", s, 12*mss, ssthresh, a.Honours.FlightSsthresh)
		}
		// The delay that HyStart++ goes by may end the slow start of those who go by delay themselves, and then it has nothing left to do.
		if _, _, ph := trial(a, cc.Params{HyStart: true}); !(a.Signal&byDelay != 0 && phase != cc.SlowStart) && (ph != phase) != a.Honours.HyStart {
			t.Errorf("phase %v with HyStart, %v without; Honours says %v", ph, phase, a.Honours.HyStart)
		}
		if a.HyStart && !a.Honours.HyStart {
			t.Error("has HyStart of itself and does not heed it")
		}
		big := cc.Params{InitialWindow: 400 * mss}
		wide, _, _ := trial(a, big)
		big.LimitedSlowStart = true
		if w, _, _ := trial(a, big); (w < wide/2) != a.Honours.HyStart {
			t.Errorf("window %d in limited slow start, %d without; Honours says %v", w, wide, a.Honours.HyStart)
		}
	})
}

// Slow start opens the window by 8 segments per ACK at most if nothing spreads them, without limit under a pacer
// (RFC 9406 s.4.3), by one when it counts ACKs, and stops exactly at ssthresh. A faster opening multiplies all that, and
// goes as far as a round of it takes the flight of the last one.
func TestSlowStartLimit(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		if !a.Honours.SlowStart {
			t.Skip("has a slow start of its own, or none")
		}
		for _, c := range []struct {
			p    cc.Params
			want int64 // segments, from 30, all in flight, by an ACK of 20, or of one more than what reaches ssthresh
		}{
			{cc.Params{}, 38}, {cc.Params{Paced: true}, 50}, {cc.Params{Paced: true, PerACK: true}, 31},
			{cc.Params{Paced: true, InitialSsthresh: 42 * mss}, 42}, {cc.Params{InitialSsthresh: 35 * mss}, 35},
			{cc.Params{SlowStart: 2}, 46}, {cc.Params{SlowStart: 2, Paced: true}, 70}, {cc.Params{SlowStart: 2, PerACK: true}, 32},
			{cc.Params{SlowStart: 2, InitialSsthresh: 42 * mss}, 42}, {cc.Params{SlowStart: 5, Paced: true}, 130},
			{cc.Params{SlowStart: -1}, 38}, {cc.Params{SlowStart: math.MaxInt64}, 158},
		} {
			if a.Name == "cubic.linux" && !c.p.Paced && !c.p.PerACK {
				continue // Linux has no such limit
			}
			c.p.MSS, c.p.InitialWindow = mss, 30*mss
			ctrl := a.New(c.p)
			acked := int64(20)
			if c.p.InitialSsthresh > 0 {
				acked = (c.want-30)/max(c.p.SlowStart, 1) + 1 // the one counts for congestion avoidance
			}
			ctrl.OnAck(cc.Ack{Acked: acked * mss, PriorFlight: 30 * mss, CwndLimited: true, Round: 1})
			if got := ctrl.Output().Window; got/mss != c.want {
				t.Errorf("%+v: window %d, want %d segments", c.p, got, c.want)
			}
		}
	})
}

// TestLinuxStretchACK opens the window by all that one ACK acknowledges, without pacing too.
func TestLinuxStretchACK(t *testing.T) {
	a, _ := cc.Find("cubic.linux")
	c := a.New(cc.Params{MSS: mss, InitialWindow: 30 * mss})
	c.OnAck(cc.Ack{Acked: 20 * mss, PriorFlight: 30 * mss, CwndLimited: true, Round: 1})
	if got := c.Output().Window; got != 50*mss {
		t.Errorf("window %d, want 50 segments", got)
	}
}

// Params that are zero or impossible become usable (RFC 6928 s.2 for the initial window).
func TestDefaults(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		for _, c := range []struct {
			p    cc.Params
			want int64
		}{
			{cc.Params{MSS: 1460}, 14600}, {cc.Params{MSS: 536}, 5360}, {cc.Params{MSS: 8960}, 17920}, {cc.Params{MSS: 2000}, 14600},
			{cc.Params{}, 10}, {cc.Params{MSS: -1, InitialWindow: -1, MaxWindow: -1, InitialSsthresh: -1}, 10},
			{cc.Params{MSS: 1460, MaxWindow: 100}, 1460}, {cc.Params{MSS: math.MaxInt64}, cc.MaxWindow},
		} {
			want := c.want
			if strings.HasPrefix(a.Name, "ledbat") {
				want = min(want, 2*min(max(c.p.MSS, 1), cc.MaxWindow)) // RFC 6817 s.2.5, INIT_CWND
			}
			if o := a.New(c.p).Output(); o.Window != want || o.Ssthresh != cc.Infinite {
				t.Errorf("%+v: window %d, ssthresh %d, want %d and infinite", c.p, o.Window, o.Ssthresh, want)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		p := grown(a, 100, cc.Params{HyStart: true})
		if n := testing.AllocsPerRun(20, func() {
			p.run()
			p.c.OnLost(cc.Lost{Now: p.start})
			p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start})
			p.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: p.start})
		}); n != 0 {
			t.Errorf("%v allocations per round", n)
		}
	})
}

func TestFind(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range cc.All {
		got, ok := cc.Find(a.Name)
		if !ok || got.Title != a.Title || seen[a.Name] || a.Title == "" || a.Source == "" || a.Signal == 0 || a.Constants == "" {
			t.Errorf("%q is not found, found twice or lacks a title, source, signal or constants", a.Name)
		}
		seen[a.Name] = true
	}
	if _, ok := cc.Find("nonesuch"); ok {
		t.Error("found an algorithm that does not exist")
	}
}

// BenchmarkOnAck is the cost of one ACK in congestion avoidance with a reading of Output.
func BenchmarkOnAck(b *testing.B) {
	for _, a := range cc.All {
		b.Run(a.Name, func(b *testing.B) {
			p := grown(a, 1000, cc.Params{})
			ack := cc.Ack{Now: p.start, Acked: mss, Delivered: mss, RTT: p.rtt, SRTT: p.rtt, MinRTT: p.rtt, PriorFlight: 1000 * mss, Round: p.round, CwndLimited: true}
			var sum int64
			b.ReportAllocs()
			for b.Loop() {
				ack.Now = ack.Now.Add(time.Microsecond)
				p.c.OnAck(ack)
				sum += p.c.Output().Window
			}
			if sum == 0 {
				b.Fatal("no window")
			}
		})
	}
}

// A mark is answered as a loss is (RFC 3168 s.6.1.2), but of a small window it may leave one segment (RFC 9438 s.4.6); and an
// ACK that echoes one does not widen the window.
func TestMark(t *testing.T) {
	eachWindow(t, func(t *testing.T, a cc.Algorithm) {
		for _, n := range []int64{2, 3, 10, 100} {
			p, q := grown(a, n, cc.Params{}), grown(a, n, cc.Params{})
			before := p.c.Output().Window
			p.c.OnCongestion(cc.Congestion{Kind: cc.ECN, Now: p.start, InFlight: before})
			q.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: q.start, InFlight: before})
			mark, loss := p.c.Output(), q.c.Output()
			least := before
			if a.Signal&cc.ByRate == 0 || n < 4 {
				least--
			}
			if mark.Ssthresh != loss.Ssthresh || mark.Window > loss.Window || mark.Window > least {
				t.Errorf("%d octets: %+v after a mark, %+v after a loss", before, mark, loss)
			}
			for range 50 {
				p.c.OnAck(cc.Ack{Now: p.start, Delivered: mss, Acked: mss, PriorFlight: before, Round: p.round, CwndLimited: true, State: cc.Marked})
			}
			if got := p.c.Output(); got != mark {
				t.Errorf("%d octets: %+v became %+v on ACKs that echo the mark", before, mark, got)
			}
			p.rounds(20)
			if got := p.c.Output().Window; got <= mark.Window && byLossAlone(a) {
				t.Errorf("%d octets: window still %d, 20 rounds after a mark", before, got)
			}
		}
		small := a.New(cc.Params{MSS: mss, InitialWindow: 2 * mss, InitialSsthresh: 2 * mss})
		small.OnCongestion(cc.Congestion{Kind: cc.ECN, InFlight: 2 * mss})
		if got := small.Output().Window; got >= 2*mss {
			t.Errorf("window %d after a mark with two segments", got)
		}
	})
}
