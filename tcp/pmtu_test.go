package tcp

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// narrow is a filter that drops the packets of side 0 that exceed mtu octets, and reports them at once or not.
type narrow struct {
	w      *pair
	mtu    int
	report bool
	drops  int
	first  mono.Time // the first drop
}

func (f *narrow) filter(p *wire.Packet, from int) (bool, time.Duration) {
	octets := wire.EncodedLen(p, wire.Encoding{})
	if from != 0 || octets <= f.mtu {
		return false, 0
	}
	if f.drops++; f.drops == 1 {
		f.first = f.w.now
	}
	if f.report {
		hop := hopAddr
		if p.Src.Addr().Is6() {
			hop = netip.MustParseAddr("2001:db8::fe")
		}
		e := wire.TooBig(hop, p, octets, f.mtu)
		f.w.sides[0].InputICMP(f.w.now, &e)
	}
	return true, 0
}

// setMTU gives the way from side 0 an MTU.
func (w *pair) setMTU(mtu int, report bool) *narrow {
	f := &narrow{w: w, mtu: mtu, report: report}
	w.filter = f.filter
	return f
}

// recoveries returns a configuration for each way of recovery, and Tahoe.
func recoveries() map[string]Config {
	out := map[string]Config{}
	for name, r := range map[string]Recovery{"rack": RACK, "sack": SACK6675, "newreno": NewReno, "dupack": DupACK, "fack": FACK} {
		out[name] = reno(r)
	}
	tahoe := reno(DupACK)
	tahoe.Algorithm, _ = cc.Find("tahoe")
	out["tahoe"] = tahoe
	bare := reno(RACK)
	bare.Disable |= SACK | Timestamps
	out["no options"] = bare
	return out
}

// TestTooBigAtFirst: while nothing that long has arrived, a message that a packet is too big counts at once, and what is
// in flight is sent again without a timeout and without a smaller window (RFC 1191 s.6.4, RFC 5927 s.7.2).
func TestTooBigAtFirst(t *testing.T) {
	for name, cfg := range recoveries() {
		w := newPair(t, 20*time.Millisecond)
		f := w.setMTU(1400, true)
		w.connect(cfg, Config{})
		window := w.ends[0].Info().Window
		took := w.transfer(200_000, time.Minute)
		in := w.ends[0].Info()
		if in.PathMTU != 1400 || in.Sent.Timeouts != 0 || in.Sent.FastRetransmits != 0 || in.Window < window {
			t.Errorf("%s: %+v", name, in)
		}
		if f.drops != 1 || took > mono.Time(500*time.Millisecond) {
			t.Errorf("%s: %d packets lost, %v", name, f.drops, took)
		}
	}
}

// TestTooBigLater: when the path narrows under a connection, the message counts once the segment times out, and a second
// message, from a narrower hop behind, at once.
func TestTooBigLater(t *testing.T) {
	for name, cfg := range recoveries() {
		w := newPair(t, 20*time.Millisecond)
		cfg.SendBuffer = 60_000
		w.connect(cfg, Config{})
		w.transfer(300_000, time.Minute)
		f := w.setMTU(1400, true)
		w.transfer(300_000, time.Minute)
		f2 := w.setMTU(1006, true)
		w.transfer(300_000, time.Minute)
		in := w.ends[0].Info()
		if in.PathMTU != 1006 || in.Sent.Timeouts > 2 {
			t.Errorf("%s: %+v", name, in)
		}
		if most := 60_000/1348 + 5; f.drops > most || f2.drops > most { // a window, and what limited transmit and a probe add
			t.Errorf("%s: lost %d and %d packets", name, f.drops, f2.drops)
		}
	}
}

// TestTooBigDoubted: a message about a segment in flight on a connection whose segments of that size arrive changes nothing
// (RFC 5927 s.7.2), however often it comes, and the claim does not outlive the segment.
func TestTooBigDoubted(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	w.connect(reno(RACK), Config{})
	w.transfer(100_000, time.Minute)
	c := w.ends[0]
	forged := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.PayloadLen == 1448 {
			e := wire.TooBig(hopAddr, p, 1500, 600)
			w.sides[0].InputICMP(w.now, &e)
			forged++
		}
		return false, 0
	}
	w.transfer(500_000, time.Minute)
	in := c.Info()
	if in.MSS != 1448 || in.Sent.Retransmissions != 0 || forged < 300 || in.Received.ICMP != int64(forged) {
		t.Errorf("%d forged: %+v", forged, in)
	}
	w.apps = nil
	w.filter = nil
	w.run(time.Second)
	w.transfer(10_000, time.Minute)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return true, 0 }
	w.apps = nil
	c.WriteSynthetic(20_000)
	w.run(500 * time.Millisecond)
	if in := c.Info(); in.MSS != 1448 || in.Sent.Timeouts == 0 || c.path.claim != 0 {
		t.Errorf("after a real timeout: %+v, %+v", in, c.path)
	}
}

// TestTooBigSACKed: a claim about a segment that has arrived behind a hole is not believed when the hole times out.
func TestTooBigSACKed(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	w.connect(reno(RACK), Config{})
	c := w.settle(100_000)
	start := c.snd.nxt
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		return from == 0 && p.PayloadLen > 0 && p.Seq == start, 0
	}
	c.WriteSynthetic(10 * 1448)
	w.run(50 * time.Millisecond)
	e := wire.TooBig(hopAddr, &wire.Packet{Src: addrs[0], Dst: addrs[1], Seq: start + 1448}, 1500, 1000)
	w.sides[0].InputICMP(w.now, &e)
	if c.path.claim == 0 || c.board.sackedSegs != 9 {
		t.Fatalf("%+v, %d SACKed", c.path, c.board.sackedSegs)
	}
	w.run(400 * time.Millisecond)
	if in := c.Info(); in.Sent.Timeouts != 1 || in.MSS != 1448 || c.path.claim != 0 {
		t.Errorf("%+v, %+v", in, c.path)
	}
}

// TestMTUFloor: no message takes segments below what every host or link takes; one without an MTU means the base.
func TestMTUFloor(t *testing.T) {
	v4 := addrs
	defer func() { addrs = v4 }()
	v6 := [2]netip.AddrPort{netip.MustParseAddrPort("[2001:db8::1]:1"), netip.MustParseAddrPort("[2001:db8::2]:2")}
	for _, c := range []struct {
		addrs          [2]netip.AddrPort
		claimed, floor int
	}{{v4, 68, 576}, {v4, 1, 576}, {v4, 577, 577}, {v4, 0, 1200}, {v6, 68, 1280}, {v6, 1280, 1280}, {v6, 1400, 1400}, {v6, 0, 1280}} {
		addrs = c.addrs
		w := newPair(t, 20*time.Millisecond)
		w.connect(reno(RACK), Config{})
		w.run(time.Second)
		s := w.ends[0]
		s.WriteSynthetic(10_000)
		w.step(w.now)
		hop := hopAddr
		if addrs[0].Addr().Is6() {
			hop = netip.MustParseAddr("2001:db8::fe")
		}
		for range 3 {
			e := wire.TooBig(hop, &wire.Packet{Src: addrs[0], Dst: addrs[1], Seq: s.snd.una}, 1500, c.claimed)
			w.sides[0].InputICMP(w.now, &e)
		}
		if got := s.Info(); got.PathMTU != c.floor || got.Received.ICMPIgnored != 2 {
			t.Errorf("%v claims %d: %+v", hop, c.claimed, got)
		}
		w.transfer(20_000, time.Minute)
	}
}

// TestMTUFixed: a connection that is told not to, does not.
func TestMTUFixed(t *testing.T) {
	cfg := reno(RACK)
	cfg.PathMTU = MTUFixed
	w := newPair(t, 20*time.Millisecond)
	w.setMTU(1400, true)
	w.connect(cfg, Config{})
	w.ends[0].WriteSynthetic(10_000)
	w.run(time.Minute)
	if in := w.ends[0].Info(); in.MSS != 1448 || in.Sent.Acked != 0 || in.Received.ICMPIgnored != in.Received.ICMP {
		t.Errorf("%+v", in)
	}
}

// TestBlackHole: a path that swallows what is too big without a word is found out after three timeouts, seven times the first
// one in all, or, where it carries not even the base, after four, fifteen times the first (RFC 8899 s.4.3). Then the search
// comes near to what it carries.
func TestBlackHole(t *testing.T) {
	for name, cfg := range recoveries() {
		for _, c := range []struct{ mtu, rtos int }{{1400, 7}, {1006, 15}} {
			t.Run(fmt.Sprint(name, c.mtu), func(t *testing.T) {
				w := newPair(t, 20*time.Millisecond)
				cfg.SendBuffer = 60_000
				w.connect(cfg, Config{})
				w.transfer(300_000, time.Minute)
				f := w.setMTU(c.mtu, false)
				rto := w.ends[0].Info().RTO
				stall, last := time.Duration(0), w.now
				w.transfer(3_000_000, 2*time.Minute)
				for _, s := range w.seen { // the longest time without news from the receiver
					if s.from == 1 && s.at >= f.first {
						stall = max(stall, s.at.Sub(last))
						last = s.at
					}
				}
				in := w.ends[0].Info()
				if in.PathMTU > c.mtu || in.PathMTU < c.mtu-mtuStep {
					t.Errorf("path MTU %d of %d: %+v, %+v", in.PathMTU, c.mtu, w.ends[0].path, in.Sent)
				}
				if most := time.Duration(c.rtos)*rto + 200*time.Millisecond; stall > most {
					t.Errorf("a stall of %v, RTO %v: more than %v", stall, rto, most)
				}
				if int(in.Sent.MTUProbesLost) > 15 || f.drops > 60_000/1448+5+int(in.Sent.MTUProbesLost)+c.rtos {
					t.Errorf("%d packets lost, %d of them probes", f.drops, in.Sent.MTUProbesLost)
				}
			})
		}
	}
}

// TestOutageIsNoBlackHole: timeouts that have another cause cost the size of segments for a moment only: the first probe
// is of the old size.
func TestOutageIsNoBlackHole(t *testing.T) {
	for name, cfg := range recoveries() {
		w := newPair(t, 20*time.Millisecond)
		w.connect(cfg, Config{})
		w.transfer(300_000, time.Minute)
		w.apps = nil
		w.run(time.Second) // a short segment at the head would say nothing of size
		until := w.now.Add(5 * time.Second)
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return w.now < until, 0 }
		w.transfer(1_000_000, time.Minute)
		if in := w.ends[0].Info(); in.MSS != w.ends[0].path.full || in.Sent.MTUProbes != 1 || in.Sent.MTUProbesLost != 0 {
			t.Errorf("%s: %+v", name, in)
		}
	}
}

// TestShortSegmentsAccuseNothing: the timeouts of a segment that the base would carry too say nothing of size.
func TestShortSegmentsAccuseNothing(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	w.connect(reno(RACK), Config{})
	w.run(time.Second)
	until := w.now.Add(20 * time.Second)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return w.now < until, 0 }
	w.ends[0].WriteSynthetic(500)
	w.run(15 * time.Second)
	if in := w.ends[0].Info(); in.MSS != 1448 || in.Sent.Timeouts < 5 {
		t.Errorf("%+v", in)
	}
}

// TestMTUProbeDoesNotWaitForEver: what will never be enough for a probe leaves in a segment, also when the application has
// said that it has more.
func TestMTUProbeDoesNotWaitForEver(t *testing.T) {
	cfg := reno(RACK)
	cfg.PathMTU = MTUSearch
	w := newPair(t, 20*time.Millisecond)
	w.connect(cfg, Config{})
	w.run(time.Second)
	c := w.ends[0]
	c.WriteSynthetic(1300)
	c.snd.buf.short = true
	w.run(time.Second)
	if in := c.Info(); in.Sent.Acked != 1300 || in.Sent.MTUProbes != 0 {
		t.Errorf("%+v", in)
	}
}

// TestMTUProbeLossIsNoCongestion: a search that loses all its probes but one leaves the window as it is: nothing is called
// congestion, and no timer expires (RFC 8899 s.3, RFC 4821 s.7.6.1).
func TestMTUProbeLossIsNoCongestion(t *testing.T) {
	for name, cfg := range recoveries() {
		cfg.PathMTU = MTUSearch
		cfg.SendBuffer = 100_000
		w := newPair(t, 20*time.Millisecond)
		f := w.setMTU(1250, false)
		w.connect(cfg, Config{})
		window, cut := int64(0), 0
		apps := func() {
			if got := w.ends[0].Info().Window; got < window {
				cut++
			} else {
				window = got
			}
		}
		inner := w.filter
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { apps(); return inner(p, from) }
		w.transfer(2_000_000, time.Minute)
		in := w.ends[0].Info()
		if cut != 0 || in.Sent.FastRetransmits != 0 || in.Sent.Timeouts != 0 {
			t.Errorf("%s: window cut %d times, %+v", name, cut, in)
		}
		if f.drops != int(in.Sent.MTUProbesLost) || f.drops != 12 || in.PathMTU < 1250-mtuStep || in.PathMTU > 1250 {
			t.Errorf("%s: %d packets lost, %+v", name, f.drops, in)
		}
		if in.Sent.Retransmissions != 2*in.Sent.MTUProbesLost { // each is sent again in two
			t.Errorf("%s: %d retransmissions for %d probes", name, in.Sent.Retransmissions, in.Sent.MTUProbesLost)
		}
	}
}

// TestMTURaise: the path is asked again, not before the raise timer, and carries what it did at first (RFC 8899 s.5.1.1).
func TestMTURaise(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	w.setMTU(1400, true)
	w.connect(reno(RACK), Config{})
	w.transfer(100_000, time.Minute)
	w.filter = nil
	start := w.now
	for w.ends[0].Info().MSS < 1448 && w.now < mono.Time(time.Hour) {
		w.transfer(50_000, time.Minute)
		w.apps = nil
		w.run(10 * time.Second)
	}
	if took := w.now.Sub(start); took < 590*time.Second || took > 630*time.Second {
		t.Errorf("full size again after %v: %+v", took, w.ends[0].Info())
	}
	if in := w.ends[0].Info(); in.Sent.MTUProbes != 1 || in.Sent.Timeouts != 0 {
		t.Errorf("%+v", in)
	}
}

// TestResegment: whatever state segments are in, what becomes too long is cut with all that is known of it.
func TestResegment(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK} {
		w := newPair(t, 20*time.Millisecond)
		w.connect(reno(r), Config{})
		c := w.settle(100_000)
		base := c.snd.nxt.Sub(c.snd.iss + 1)
		w.filter = w.lose(base, base+1448, base+1448, base+5*1448, base+9*1448)
		c.WriteSynthetic(9*1448 + 1300)
		c.CloseWrite()
		w.run(42 * time.Millisecond)
		states := map[segFlags]int{}
		for n := c.board.head; n != c.board.tail; n++ {
			states[c.board.at(n).flags&(segSACKed|segLost|segRetrans|segFIN)]++
		}
		if len(states) < 3 {
			t.Fatalf("recovery %d: states %v", r, states)
		}
		pipe, lost, sacked := c.subs[0].pipe, c.subs[0].lostSize, c.board.sackedSegs
		first := c.board.at(c.board.order.first).seq
		c.shorten(500)
		if c.subs[0].pipe != pipe || c.subs[0].lostSize != lost || c.board.sackedSegs != 3*sacked || c.board.at(c.board.order.first).seq != first {
			t.Errorf("recovery %d: pipe %d, was %d; lost %d, was %d; %d SACKed, were %d", r, c.subs[0].pipe, pipe, c.subs[0].lostSize, lost, c.board.sackedSegs, sacked)
		}
		if err := c.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
		before := len(w.seen)
		w.run(5 * time.Second)
		for _, s := range w.seen[before:] {
			if s.from == 0 && s.p.PayloadLen > 500 {
				t.Errorf("recovery %d: %v", r, s)
			}
		}
		if c.state != FinWait2 || c.Info().Sent.Acked != 100_000+9*1448+1300 {
			t.Errorf("recovery %d: %v, %+v", r, c.state, c.Info().Sent)
		}
	}
}

// TestProbeACKedInPart: a probe whose front is acknowledged, so that what remains is no longer than other segments, is no probe
// any more once the size of segments has gone down.
func TestProbeACKedInPart(t *testing.T) {
	w := newPair(t, 20*time.Millisecond)
	cfg := reno(RACK)
	cfg.PathMTU = MTUSearch
	w.connect(cfg, Config{})
	c := w.ends[0]
	c.WriteSynthetic(100_000)
	w.run(time.Millisecond)
	n := c.board.head
	for n != c.board.tail && !c.board.at(n).has(segProbe) {
		n++
	}
	if n == c.board.tail {
		t.Fatal("no probe")
	}
	probe := c.board.at(n)
	w.inject(0, wire.ACK, 0, probe.end().Sub(c.snd.una)-100, nil)
	c.shorten(500)
	if c.board.at(c.board.head).has(segProbe) {
		t.Error("the rest of the probe counts as a probe")
	}
	w.run(10 * time.Second)
	if c.snd.mss < 500 || c.sent.Acked != 100_000 {
		t.Errorf("segments of %d octets, %d octets acknowledged", c.snd.mss, c.sent.Acked)
	}
}
