package tcp

import (
	"slices"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// flightOf connects with a first window of n segments and no room for more, RTT 100 ms.
func flightOf(t *testing.T, r Recovery, n int, disable Feature) (*pair, int) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(r)
	cfg.InitialWindow = n
	cfg.Disable |= disable
	w.connect(cfg, Config{Disable: DelayedACK})
	return w, w.ends[0].snd.mss
}

// TestNewRenoPartialACKs: three holes in a window of 20 take three round trips and one window cut, without a
// timeout (RFC 6582 s.3.2; R101).
func TestNewRenoPartialACKs(t *testing.T) {
	w, mss := flightOf(t, NewReno, 20, SACK)
	w.filter = w.lose(0, 4*mss, 8*mss)
	w.transfer(60*mss, time.Minute)
	in := w.ends[0].Info()
	if in.Sent.Timeouts != 0 || in.Sent.FastRetransmits != 1 || in.Sent.Retransmissions != 3 || in.Ssthresh != int64(10*mss) {
		t.Errorf("%d timeouts, %d episodes, %d retransmissions, ssthresh %d", in.Sent.Timeouts, in.Sent.FastRetransmits, in.Sent.Retransmissions, in.Ssthresh/int64(mss))
	}
	var at []time.Duration
	seen := map[int]bool{}
	for _, s := range w.data(0) {
		if o := w.offset(s); seen[o] {
			at = append(at, s.at.Sub(w.data(0)[0].at))
		} else {
			seen[o] = true
		}
	}
	for i, a := range at {
		if want := time.Duration(i+1) * 100 * time.Millisecond; a.Round(time.Millisecond) != want {
			t.Errorf("retransmission %d after %v, want %v", i, a, want)
		}
	}
}

// TestSACKRecoveryHalfWindowSilence: with one loss in 20, RFC 6675 has pipe 18 at the third duplicate ACK and a
// window of 10, so that after the retransmission nothing leaves for about half a window of ACKs.
func TestSACKRecoveryHalfWindowSilence(t *testing.T) {
	w, mss := flightOf(t, SACK6675, 20, 0)
	w.filter = w.lose(0)
	w.ends[0].WriteSynthetic(60 * mss)
	w.run(120 * time.Millisecond) // every duplicate ACK has arrived
	first := w.data(0)[0].at
	var script []int
	for _, s := range w.data(0) {
		if s.at > first {
			script = append(script, w.offset(s)/mss)
		}
	}
	// Two segments by limited transmit, the retransmission, and then one for each ACK once pipe is under 10:
	// ACKs 12 to 19.
	want := []int{20, 21, 0, 22, 23, 24, 25, 26, 27, 28, 29}
	if len(script) < 3 || script[0] != 20 || script[1] != 21 || script[2] != 0 || len(script) > len(want) || len(script) < len(want)-2 {
		t.Errorf("sent on 19 duplicate ACKs: %v, want about %v", script, want)
	}
	if got := w.ends[0].Info().InFlight / int64(mss); got != 10 {
		t.Errorf("%d segments in flight, want 10", got)
	}
}

// TestPRRPaces: the same loss under PRR lets one segment out for every second ACK (RFC 9937 s.6.2).
func TestPRRPaces(t *testing.T) {
	w, mss := flightOf(t, RACK, 20, 0)
	w.filter = w.lose(0)
	w.ends[0].WriteSynthetic(60 * mss)
	w.run(120 * time.Millisecond)
	sent := len(w.data(0)) - 20
	if got := w.ends[0].Info().InFlight / int64(mss); got != 10 || sent != 10 {
		t.Errorf("%d segments sent in recovery and %d in flight, want 10 (2 by limited transmit, R, 7 N) and 10", sent, got)
	}
}

// TestTailLossProbe: of four segments the last three are lost. The probe goes out two smoothed round trips later,
// the two before it are sent again from one round trip after that on, and no timeout happens (RFC 8985 s.7).
func TestTailLossProbe(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, 0)
	w.filter = w.lose(1*mss, 2*mss, 3*mss)
	start := w.now
	w.transfer(4*mss, time.Minute)
	d := w.data(0)
	in := w.ends[0].Info()
	if in.Sent.Timeouts != 0 || in.Sent.Probes != 1 || len(d) != 7 {
		t.Fatalf("%d timeouts, %d probes, %d data segments", in.Sent.Timeouts, in.Sent.Probes, len(d))
	}
	if w.offset(d[4]) != 3*mss {
		t.Errorf("the probe repeats octet %d, want the last segment", w.offset(d[4]))
	}
	// The ACK of the first segment restarts the probe timer: 100 ms + 2*100 ms.
	if got := d[4].at.Sub(start).Round(time.Millisecond); got != 300*time.Millisecond {
		t.Errorf("probe after %v", got)
	}
	for i, s := range d[5:] {
		// The probe's SACK marks both; PRR lets one out for the one segment delivered, the other for the next ACK.
		if got, want := s.at.Sub(start).Round(time.Millisecond), time.Duration(4+i)*100*time.Millisecond; got != want {
			t.Errorf("repair %d after %v, want %v", i, got, want)
		}
	}
}

// TestReorderingWindow: a quarter of the minimum RTT, one more quarter for each round with a D-SACK, capped by
// SRTT; zero in recovery while no reordering was seen (RFC 8985 s.6.2 step 4).
func TestReorderingWindow(t *testing.T) {
	w, _ := flightOf(t, RACK, 10, 0)
	c := w.ends[0]
	c.rtt.minRTT, c.rtt.srtt = 100*time.Millisecond, 120*time.Millisecond
	r := c.rack
	for dsacks, want := range []time.Duration{25, 50, 75, 100, 120, 120} {
		r.mult = 1 + dsacks
		if got := r.window(c); got != want*time.Millisecond {
			t.Errorf("after %d rounds with D-SACK: %v, want %v ms", dsacks, got, int64(want))
		}
	}
	r.mult = 1
	c.subs[0].ep.state = epRecovery
	if got := r.window(c); got != 0 {
		t.Errorf("in recovery: %v", got)
	}
	r.reordered = true
	if got := r.window(c); got != 25*time.Millisecond {
		t.Errorf("in recovery with reordering seen: %v", got)
	}
}

// TestReorderingIsNotLoss: one segment late by less than the reordering window is not sent again under RACK; three
// duplicate ACKs take it for lost, and the D-SACK or timestamp echo gives the window back (RFC 3522, RFC 3708).
func TestReorderingIsNotLoss(t *testing.T) {
	for _, c := range []struct {
		recovery Recovery
		disable  Feature
		resent   int64
	}{{RACK, 0, 0}, {SACK6675, 0, 1}, {SACK6675, Timestamps, 1}, {FACK, 0, 1}, {FACK, Timestamps, 1}, {NewReno, SACK, 1}, {DupACK, SACK, 1}} {
		w, mss := flightOf(t, c.recovery, 20, c.disable)
		late := 40 * mss
		if c.recovery == RACK {
			w.ends[0].rack.reordered = true
		}
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 0 && p.PayloadLen > 0 && p.Seq.Sub(w.ends[0].snd.iss+1) == late {
				late = -1
				return false, 20 * time.Millisecond
			}
			return false, 0
		}
		w.transfer(300*mss, time.Minute)
		in := w.ends[0].Info()
		if in.Sent.Retransmissions != c.resent || in.Sent.Spurious != c.resent || in.Sent.Timeouts != 0 {
			t.Errorf("%+v: %d sent again, %d undone, %d timeouts", c, in.Sent.Retransmissions, in.Sent.Spurious, in.Sent.Timeouts)
		}
	}
}

// TestTahoeGoesBack: after three duplicate ACKs Tahoe's window is one segment; it sends again from the hole on, as
// the window opens, and skips what a later ACK covers (Jacobson 1988; R101).
func TestTahoeGoesBack(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(DupACK)
	cfg.Algorithm, _ = cc.Find("tahoe")
	cfg.InitialWindow = 20
	cfg.Disable |= SACK
	w.connect(cfg, Config{Disable: DelayedACK})
	mss := w.ends[0].snd.mss
	w.filter = w.lose(0, 10*mss)
	w.transfer(200*mss, time.Minute)
	in := w.ends[0].Info()
	if in.Sent.Timeouts != 0 || in.Sent.FastRetransmits != 1 || in.Ssthresh != int64(10*mss) {
		t.Errorf("%d timeouts, %d episodes, ssthresh %d", in.Sent.Timeouts, in.Sent.FastRetransmits, in.Ssthresh/int64(mss))
	}
	// Segment 0 again fills the first hole; the ACK of 10 segments opens the window to 2: segments 10 and 11 again,
	// of which the first fills the second hole and the ACK covers all the rest.
	if in.Sent.Retransmissions < 2 || in.Sent.Retransmissions > 3 {
		t.Errorf("%d segments sent again, want 0, 10 and at most 11", in.Sent.Retransmissions)
	}
}

// TestLossBeforeFIN: the last segment carries the FIN and arrives, the one before it is lost. The SACK covers the
// FIN, so that the hole is found by time, without a probe or a timeout (T6 C of the field reports, F26).
func TestLossBeforeFIN(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, 0)
	w.filter = w.lose(8 * mss)
	w.ends[0].WriteSynthetic(9*mss + 500)
	w.ends[0].CloseWrite()
	w.run(260 * time.Millisecond) // two round trips, the reordering window, and half a round trip
	in := w.ends[0].Info()
	if in.Sent.Probes != 0 || in.Sent.Timeouts != 0 || in.Sent.Retransmissions != 1 || w.ends[1].state != CloseWait {
		t.Errorf("%d probes, %d timeouts, %d sent again, receiver in %v", in.Sent.Probes, in.Sent.Timeouts, in.Sent.Retransmissions, w.ends[1].state)
	}
}

// TestNewRenoImpatient: with a hundred holes in a window NewReno does not repair one a round trip for ten seconds:
// only the first partial ACK restarts the timer, which then expires, and slow start does the rest (RFC 6582 s.4).
func TestNewRenoImpatient(t *testing.T) {
	w, mss := flightOf(t, NewReno, 300, 0)
	var holes []int
	for i := range 100 {
		holes = append(holes, 2*i*mss)
	}
	w.filter = w.lose(holes...)
	start := w.now
	end := w.transfer(400*mss, time.Minute)
	if in := w.ends[0].Info(); end.Sub(start) > 3*time.Second || in.Sent.Timeouts < 1 || in.Sent.Timeouts > 2 {
		t.Errorf("%v with %d timeouts, want one or two and under 3 s", end.Sub(start), in.Sent.Timeouts)
	}
}

// TestRescueRetransmission: RFC 6675 s.4 NextSeg rules 3 and 4. With no new data to send, recovery sends the hole
// that is not yet called lost, and once the last segment: three losses, two of them in the last four segments, need no
// timeout.
func TestRescueRetransmission(t *testing.T) {
	w, mss := flightOf(t, SACK6675, 20, 0)
	w.filter = w.lose(5*mss, 16*mss, 19*mss)
	w.transfer(20*mss, time.Minute)
	in := w.ends[0].Info()
	if in.Sent.Timeouts != 0 || in.Sent.Retransmissions != 3 || in.Sent.FastRetransmits != 1 {
		t.Errorf("%d timeouts, %d sent again, %d episodes", in.Sent.Timeouts, in.Sent.Retransmissions, in.Sent.FastRetransmits)
	}
}

// TestReorderingIsLearnt: two of a hundred segments are late by 45 ms on a path of 100 ms. The first undone episode
// tells RACK that the path reorders, D-SACK widens its window, and from then on nothing is sent again for nothing
// (RFC 8985 s.6.2 step 4).
func TestReorderingIsLearnt(t *testing.T) {
	w, mss := flightOf(t, RACK, 20, 0)
	n := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.PayloadLen > 0 {
			if n++; n%50 == 0 {
				return false, 45 * time.Millisecond
			}
		}
		return false, 0
	}
	w.transfer(3000*mss, time.Minute)
	in := w.ends[0].Info()
	if in.Sent.Retransmissions > 3 || in.Sent.Spurious == 0 || in.Ssthresh != cc.Infinite {
		t.Errorf("%d sent again, %d undone, ssthresh %d", in.Sent.Retransmissions, in.Sent.Spurious, in.Ssthresh)
	}
}

// TestRACKWithoutSACK: a peer that offers no SACK gets NewReno's recovery, and so it does from FACK; window inflation included:
// the flight does not fall silent for a round trip.
func TestRACKWithoutSACK(t *testing.T) {
	var took [3]mono.Time
	for i, r := range []Recovery{RACK, NewReno, FACK} {
		w, mss := flightOf(t, r, 20, SACK)
		w.filter = w.lose(0, 30*mss)
		start := w.now
		took[i] = w.transfer(200*mss, time.Minute) - start
	}
	if took[0] != took[1] || took[2] != took[1] {
		t.Errorf("RACK without SACK took %v, NewReno %v, FACK without SACK %v", took[0], took[1], took[2])
	}
}

// TestFastRetransmitAfter2GiB: a connection that has moved more than 2^31 octets since its last episode, which by its
// sequence number then seems to lie ahead, still answers three duplicate ACKs.
func TestFastRetransmitAfter2GiB(t *testing.T) {
	for _, r := range []Recovery{DupACK, NewReno} {
		w := newPair(t, time.Millisecond)
		cfg := reno(r)
		cfg.MSS = 65495
		cfg.Disable |= SACK
		w.connect(cfg, Config{MSS: 65495, Disable: DelayedACK})
		w.filter = w.lose(30 * w.ends[0].snd.mss) // the last episode
		w.transfer(20<<20, time.Hour)
		w.filter = nil
		c := w.ends[0]
		c.subs[0].ep.point = c.snd.una.Add(100<<20 - 1<<31) // as if nearly that much had been moved since
		w.transfer(200<<20, time.Hour)
		at := c.snd.nxt.Add(65495 * 30)
		lost := false
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 0 && !lost && p.PayloadLen > 0 && !p.Seq.Less(at) {
				lost = true
				return true, 0
			}
			return false, 0
		}
		w.transfer(20<<20, time.Hour)
		if in := c.Info(); !lost || in.Sent.Timeouts != 0 || in.Sent.FastRetransmits != 2 {
			t.Errorf("recovery %d: lost %v, %d timeouts, %d episodes", r, lost, in.Sent.Timeouts, in.Sent.FastRetransmits)
		}
	}
}

// TestKarn: without timestamps the round trip jumps above the timeout. The timeout stays backed off until a segment
// that was sent once has been timed, so that it cannot expire for ever (RFC 6298 s.5.7, Karn's algorithm).
func TestKarn(t *testing.T) {
	w, mss := flightOf(t, DupACK, 1, SACK|Timestamps|FRTO)
	w.run(time.Second)
	c := w.ends[0]
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return false, time.Second }
	for range 20 {
		c.WriteSynthetic(mss)
		w.run(10 * time.Second)
	}
	if c.sent.Timeouts > 4 || c.rtt.srtt < 500*time.Millisecond {
		t.Errorf("%d timeouts for 20 segments, smoothed round trip %v", c.sent.Timeouts, c.rtt.srtt)
	}
}

// TestProbeNotLost: a tail loss probe sent for nothing is answered by a duplicate ACK, also by a receiver without
// D-SACK; the window stays (RFC 8985 s.7.4.2).
func TestProbeNotLost(t *testing.T) {
	for _, dsack := range []bool{true, false} {
		w, mss := flightOf(t, RACK, 10, Timestamps)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from != 1 {
				return false, 0
			}
			if !dsack {
				p.Options.Set &^= wire.OptSACK
				p.Options.NumSACK = 0
			}
			if c := w.ends[0]; c != nil && c.sent.Probes == 0 && p.Flags&wire.SYN == 0 && w.now.Seconds() > 1 {
				return false, 250 * time.Millisecond // later than the probe, earlier than the timeout
			}
			return false, 0
		}
		w.run(time.Second)
		w.transfer(4*mss, time.Minute)
		w.run(time.Second)
		w.transfer(8*mss, time.Minute)
		w.run(time.Second)
		if in := w.ends[0].Info(); in.Sent.Probes != 1 || in.Ssthresh != cc.Infinite {
			t.Errorf("D-SACK %v: %d probes, %d timeouts, ssthresh %d", dsack, in.Sent.Probes, in.Sent.Timeouts, in.Ssthresh)
		}
	}
}

// TestProbeOfFirstFlight: the round trip of the handshake is a sample, so that the first flight of a connection is
// probed too (RFC 8985 s.7.3).
func TestProbeOfFirstFlight(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, 0)
	w.ends[0].WriteSynthetic(4 * mss)
	w.filter = w.lose(0, mss, 2*mss, 3*mss)
	w.run(5 * time.Second)
	if in := w.ends[0].Info(); in.Sent.Probes != 1 || in.Sent.Timeouts != 0 {
		t.Errorf("%d probes, %d timeouts", in.Sent.Probes, in.Sent.Timeouts)
	}
}

// TestSACKedDuplicatesCountOnce: with SACK on, a duplicate ACK takes one segment out of the flight, not one for the block
// and another one for being a duplicate.
func TestSACKedDuplicatesCountOnce(t *testing.T) {
	for _, r := range []Recovery{NewReno, DupACK} {
		w, mss := flightOf(t, r, 20, 0)
		w.filter = w.lose(0)
		w.ends[0].WriteSynthetic(60 * mss)
		w.run(120 * time.Millisecond)
		// Two by limited transmit, the retransmission, and one for each ACK once ten are out: 12 to 19.
		if sent := len(w.data(0)) - 20; sent > 11 {
			t.Errorf("recovery %d: %d segments sent on 19 duplicate ACKs", r, sent)
		}
	}
}

// TestTimeoutBesideSACK: a hole that Reno does not see brings a timeout while SACKs of later data go on arriving. That
// data arrives proves nothing about the hole (RFC 5682 s.3.1).
func TestTimeoutBesideSACK(t *testing.T) {
	for _, disable := range []Feature{0, Timestamps} {
		w, mss := flightOf(t, DupACK, 20, disable)
		w.filter = w.lose(20*mss, 24*mss, 28*mss)
		w.transfer(600*mss, time.Minute)
		if in := w.ends[0].Info(); in.Sent.Timeouts == 0 || in.Sent.Spurious != 0 {
			t.Errorf("%d timeouts, %d of them taken for spurious", in.Sent.Timeouts, in.Sent.Spurious)
		}
	}
}

// TestDuplicatesAfterTimeout: duplicate ACKs that arrive after a timeout do not inflate the window (RFC 5681 s.3.2 does
// so in fast recovery only), and outside an episode they let out two segments (RFC 3042).
func TestDuplicatesAfterTimeout(t *testing.T) {
	w, mss := flightOf(t, NewReno, 20, SACK|Timestamps|FRTO)
	c := w.ends[0]
	c.WriteSynthetic(100 * mss)
	w.run(time.Millisecond)
	w.flying = nil
	w.run(400 * time.Millisecond)
	w.flying = nil
	if c.subs[0].ep.state != epLoss {
		t.Fatalf("no timeout")
	}
	w.inject(0, wire.ACK, 0, 2*mss, nil)
	w.run(0)
	w.flying = nil
	before := c.sent.DataSegments
	for range 10 {
		w.inject(0, wire.ACK, 0, 0, nil)
		w.run(0)
	}
	if got := c.sent.DataSegments - before; got != 0 {
		t.Errorf("%d segments sent on 10 duplicate ACKs in slow start after a timeout", got)
	}
}

// TestRetransmissionIsNotIdle: a controller hears of idle time only when nothing was outstanding; waiting for a timeout
// is not idle.
func TestRetransmissionIsNotIdle(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := reno(RACK)
	spy := &idleSpy{}
	cfg.Algorithm = cc.Algorithm{Name: "spy", New: func(cc.Params) cc.Controller { return spy }}
	w.connect(cfg, Config{})
	w.transfer(10_000, time.Minute)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.ends[0].WriteSynthetic(100)
	w.run(time.Minute)
	if w.ends[0].sent.Timeouts < 3 || spy.idle > 0 {
		t.Errorf("%d timeouts, %v idle", w.ends[0].sent.Timeouts, spy.idle)
	}
}

type idleSpy struct {
	deaf
	idle time.Duration
}

func (s *idleSpy) OnSent(e cc.Sent) {
	if e.Retransmission {
		s.idle += e.Idle
	}
}

// TestPartialDuplicate: a D-SACK reports exactly the octets that came twice (RFC 2883 s.4), whether the rest of the
// segment fills the hole or lies beyond it.
func TestPartialDuplicate(t *testing.T) {
	for _, c := range []struct{ seq, size, from, to int }{
		{1000, 600, 1000, 1500}, {900, 600, 1000, 1500}, {900, 700, 1000, 1500}, {1100, 100, 1100, 1200}, {0, 1200, 1000, 1200}, {0, 1000, 0, 0},
	} {
		w := newPair(t, time.Millisecond)
		w.connect(reno(RACK), Config{})
		w.run(time.Second)
		e := w.ends[1]
		nxt := e.rcv.nxt
		w.inject(1, wire.ACK, 1000, 0, make([]byte, 500))
		w.run(0)
		w.inject(1, wire.ACK, c.seq, 0, make([]byte, c.size))
		want := wire.Range{}
		if c.to > 0 {
			want = wire.Range{Start: nxt.Add(c.from), End: nxt.Add(c.to)}
		}
		if got := e.rcv.dup; got != want {
			t.Errorf("[%d, %d) after [1000, 1500): reports [%d, %d), want [%d, %d)", c.seq, c.seq+c.size, got.Start.Sub(nxt), got.End.Sub(nxt), c.from, c.to)
		}
	}
}

// TestSACKRoomIsUsed: when the most recent blocks join up, older ones that had no more place in the option are reported again:
// as many distinct blocks as fit (RFC 2018 s.4).
func TestSACKRoomIsUsed(t *testing.T) {
	w := newPair(t, time.Millisecond)
	w.connect(Config{}, Config{Disable: Timestamps})
	w.run(time.Second)
	e := w.ends[1]
	for _, at := range []int{1000, 3000, 5000, 7000, 9000, 8000, 6000} { // five blocks; the last two join the upper three
		w.inject(1, wire.ACK, at, 0, make([]byte, 1000))
		w.run(0)
	}
	r := func(a, b int) wire.Range { return wire.Range{Start: e.rcv.nxt.Add(a), End: e.rcv.nxt.Add(b)} }
	last := w.seen[len(w.seen)-1].p
	if got, want := last.Options.SACKBlocks(), []wire.Range{r(5000, 10_000), r(3000, 4000), r(1000, 2000)}; !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
}

// TestAppLimitedMark: a window filled to the last octet with nothing left to send is limited by the window, not by the
// application (draft-cheng-iccrg-delivery-rate-estimation s.3.4).
func TestAppLimitedMark(t *testing.T) {
	w, mss := flightOf(t, RACK, 10, 0)
	c := w.ends[0]
	c.WriteSynthetic(10 * mss)
	w.run(time.Millisecond)
	if m := &c.subs[0]; m.meter.appLimited > 1 || !m.limited[0] { // 1 is from before there was anything to send
		t.Errorf("full window: limited by the application until %d, by the window %v", m.meter.appLimited, m.limited[0])
	}
	w.run(time.Second)
	c.WriteSynthetic(2 * mss)
	w.run(time.Millisecond)
	if m := &c.subs[0]; m.meter.appLimited == 0 {
		t.Error("two of many segments: not limited by the application")
	}
}
