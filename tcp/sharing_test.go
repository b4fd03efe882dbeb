package tcp

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"runtime"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// sharing is a pair whose side 0 remembers hosts.
func sharing(t *testing.T, hosts int) *pair {
	return newPairOf(t, 25*time.Millisecond, StackConfig{SharedHosts: hosts})
}

// tell has side 0 remember a path to side 1.
func (w *pair) tell(window int64, full bool, srtt, rttvar time.Duration) {
	w.sides[0].hosts.learn(host{addr: addrs[1].Addr(), at: w.now, window: window, full: full, srtt: srtt, rttvar: rttvar})
}

// next opens another connection, from a port that was not used before.
func (w *pair) next(cfg Config) *Conn {
	w.t.Helper()
	w.ends = [2]*Conn{}
	l := w.sides[1].listeners[addrs[1]]
	if l == nil {
		l, _ = w.sides[1].Listen(addrs[1], 0, Config{})
	}
	c, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.ends[0] = c
	for end := w.now.Add(time.Minute); w.ends[1] == nil && w.step(end); {
		w.ends[1] = l.Accept()
	}
	if w.ends[1] == nil {
		w.t.Fatal("no connection")
	}
	return c
}

// finish closes both ends in order and lets time pass until nothing is left of them.
func (w *pair) finish() {
	w.ends[0].CloseWrite()
	w.ends[1].CloseWrite()
	w.run(2 * time.Minute)
	w.apps = nil
}

// bottleneck is a filter: a queue that is emptied at rate octets a second and drops what would wait for longer than most.
func (w *pair) bottleneck(rate float64, most time.Duration) func(*wire.Packet, int) (bool, time.Duration) {
	var busy mono.Time
	return func(p *wire.Packet, from int) (bool, time.Duration) {
		if from != 0 {
			return false, 0
		}
		busy = max(busy, w.now)
		if busy.Sub(w.now) > most {
			return true, 0
		}
		busy = busy.Add(time.Duration(1e9 * float64(p.PayloadLen+52) / rate))
		return false, busy.Sub(w.now)
	}
}

// knows returns what side 0 remembers of side 1.
func (w *pair) knows() *host { return w.sides[0].hosts.find(w.now, addrs[1].Addr()) }

// TestSharedWindow: what a new connection begins with: half of the known window, at least what is usual, at most ten times
// that, and only if it is paced; slow start up to three quarters, if the path is known to have been full. The window ages by a
// factor of e in ten minutes, and after those nothing counts.
func TestSharedWindow(t *testing.T) {
	const mss = 1448
	e := math.E
	for _, c := range []struct {
		name          string
		window        int64 // segments
		full          bool
		age           time.Duration
		cfg           Config
		first, thresh float64 // segments; 0 is what is usual
	}{
		{"a hundred segments", 100, true, 0, Config{}, 50, 75},
		{"less than usual", 16, true, 0, Config{}, 10, 12},
		{"bounded", 4000, true, 0, Config{}, 100, 3000},
		{"ten times the configured", 4000, true, 0, Config{InitialWindow: 2}, 20, 3000},
		{"without a sign that the path was full", 100, false, 0, Config{}, 50, 0},
		{"a threshold of its own", 100, true, 0, Config{InitialSsthresh: 20 * mss}, 50, 20},
		{"without pacing", 100, true, 0, Config{Disable: Pacing}, 10, 75},
		{"after five minutes", 100, true, 5 * time.Minute, Config{}, 50 / math.Sqrt(e), 75 / math.Sqrt(e)},
		{"just before ten", 100, true, 10*time.Minute - time.Second, Config{}, 50 / e, 75 / e},
		{"four sub-connections", 100, true, 0, Config{Recovery: NACK, SubConnections: 4}, 50, 75},
		{"sixteen", 20, true, 0, Config{Recovery: NACK, SubConnections: 16}, 16, 2 * 16},
		{"after ten", 100, true, 10 * time.Minute, Config{}, 10, 0},
	} {
		w := sharing(t, 8)
		w.tell(c.window*mss, c.full, 80*time.Millisecond, 10*time.Millisecond)
		w.now = w.now.Add(c.age)
		s := w.next(c.cfg)
		near := func(octets int64, segments float64) bool {
			return math.Abs(float64(octets)/mss-segments) <= 0.002*segments
		}
		if in := s.Info(); !near(in.Window, c.first) || c.thresh > 0 && !near(in.Ssthresh, c.thresh) || c.thresh == 0 && in.Ssthresh < 1<<60 {
			t.Errorf("%s: begins with %.1f segments up to %.1f, want %.1f and %.1f", c.name, float64(in.Window)/mss, float64(in.Ssthresh)/mss, c.first, c.thresh)
		}
	}
}

// TestSharedSpread: a first window that is larger than usual is spread over a round trip as known; the usual one leaves at once.
func TestSharedSpread(t *testing.T) {
	type variant struct {
		known int64
		subs  int
	}
	for _, v := range []variant{{100, 1}, {20, 1}, {100, 4}} {
		known := v.known
		w := sharing(t, 8)
		w.tell(known*1448, true, 80*time.Millisecond, 10*time.Millisecond)
		cfg := Config{}
		if v.subs > 1 {
			cfg = Config{Recovery: NACK, SubConnections: v.subs}
		}
		w.next(cfg)
		w.seen = nil
		w.ends[0].WriteSynthetic(1 << 20)
		w.run(49 * time.Millisecond) // nothing is acknowledged before 50 ms
		sent := w.data(0)
		last := sent[len(sent)-1].at.Sub(sent[0].at)
		if known == 20 {
			if len(sent) != 10 || last != 0 {
				t.Errorf("%d segments in %v", len(sent), last)
			}
			continue
		}
		// 50 segments in 80 ms: 31 in 49 ms.
		if len(sent) < 29 || len(sent) > 33 {
			t.Errorf("%d segments in 49 ms, want 31", len(sent))
		}
		for i := 3; i < len(sent); i++ {
			if sent[i].at == sent[i-3].at {
				t.Fatalf("four segments at %v", sent[i].at)
			}
		}
	}
}

// TestSharedLostSYN: a lost SYN has the connection begin with one segment, whatever is known (RFC 5681 s.3.1).
func TestSharedLostSYN(t *testing.T) {
	w := sharing(t, 8)
	w.tell(100*1448, true, 80*time.Millisecond, 10*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return w.count == 1, 0 }
	if in := w.next(Config{}).Info(); in.Window != 1448 {
		t.Errorf("a first window of %d octets", in.Window)
	}
}

// TestSharedIdleRestart: after idle time a connection returns to the usual first window, not to the one that it began with.
func TestSharedIdleRestart(t *testing.T) {
	w := sharing(t, 8)
	w.tell(100*1448, true, 50*time.Millisecond, 10*time.Millisecond)
	w.next(Config{})
	w.settle(200_000)
	w.run(time.Minute)
	w.transfer(1000, time.Second)
	if got := w.ends[0].Info().Window; got > 11*1448 {
		t.Errorf("%d octets after a minute", got)
	}
}

// TestSharedRTT: a known round trip lengthens the timeout of the SYN and never shortens it; the first sample goes on from it.
func TestSharedRTT(t *testing.T) {
	for _, c := range []struct {
		srtt, rttvar time.Duration // known
		syn          time.Duration // the timeout of the SYN
		after        time.Duration // SRTT after a sample of 50 ms
	}{
		{0, 0, time.Second, 50 * time.Millisecond},
		{90 * time.Millisecond, 10 * time.Millisecond, time.Second, 85 * time.Millisecond},
		{1300 * time.Millisecond, 100 * time.Millisecond, 1700 * time.Millisecond, 1143750 * time.Microsecond},
	} {
		w := sharing(t, 8)
		if c.srtt > 0 {
			w.tell(20*1448, true, c.srtt, c.rttvar)
		}
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return w.count == 1, 0 }
		w.next(Config{Disable: Timestamps})
		if again := w.seen[1].at.Sub(w.seen[0].at); again != c.syn {
			t.Errorf("%v: the SYN goes again after %v, want %v", c.srtt, again, c.syn)
		}
		w.filter = nil
		s := w.next(Config{Disable: Timestamps})
		if s.rtt.srtt != c.after {
			t.Errorf("%v: SRTT is %v after 50 ms, want %v", c.srtt, s.rtt.srtt, c.after)
		}
	}
	// A round trip that has become longer is still waited for.
	e := rttEstimator{timers: &Timers{RTOMax: time.Minute, RTOInitial: time.Second}}
	e.begin(100*time.Millisecond, time.Millisecond)
	if e.sample(2*time.Second, true); e.rto() < 2*time.Second {
		t.Errorf("a timeout of %v", e.rto())
	}
}

// TestSharedMerge: the example of RFC 2140: round trips of 100 and then 60 ms make 90.
func TestSharedMerge(t *testing.T) {
	w := sharing(t, 8)
	w.tell(100_000, true, 100*time.Millisecond, 20*time.Millisecond)
	w.tell(60_000, false, 60*time.Millisecond, 40*time.Millisecond)
	k := w.knows()
	if k.srtt != 90*time.Millisecond || k.rttvar != 25*time.Millisecond || k.window != 90_000 || k.full {
		t.Errorf("%+v", k)
	}
	w.now = w.now.Add(10 * time.Minute)
	w.tell(40_000, true, 60*time.Millisecond, 40*time.Millisecond)
	if k := w.knows(); k.srtt != 60*time.Millisecond || k.window != 40_000 {
		t.Errorf("what is too old counts: %+v", k)
	}
	// A connection that ends long after its last data has nothing to say.
	w.sides[0].hosts.learn(host{addr: addrs[1].Addr(), window: 1})
	if k := w.knows(); k.window != 40_000 {
		t.Errorf("an old connection counts: %+v", k)
	}
}

// TestSharedFrom: which connections say what of a path of 20 Mbit/s x 50 ms, whose window is 125 kB.
func TestSharedFrom(t *testing.T) {
	noise := func(w *pair) func(*wire.Packet, int) (bool, time.Duration) {
		n := 0
		return func(p *wire.Packet, from int) (bool, time.Duration) {
			if from == 0 && p.PayloadLen > 0 {
				n++
			}
			return n%100 == 99 && p.PayloadLen > 0, 0
		}
	}
	queue := func(w *pair) func(*wire.Packet, int) (bool, time.Duration) {
		return w.bottleneck(2.5e6, 50*time.Millisecond)
	}
	nothing := func(w *pair) func(*wire.Packet, int) (bool, time.Duration) { return nil }
	for _, c := range []struct {
		name   string
		filter func(*pair) func(*wire.Packet, int) (bool, time.Duration)
		octets int
		cfg    Config
		end    func(*pair)
		told   bool
		full   bool
	}{
		{"a queue that overflows", queue, 5_000_000, Config{}, (*pair).finish, true, true},
		{"losses without a queue", noise, 2_000_000, Config{}, (*pair).finish, true, false},
		{"losses as noise", queue, 5_000_000, Config{Policy: LossIsNoise}, (*pair).finish, true, false},
		{"a short exchange", nothing, 100_000, Config{}, (*pair).finish, false, false},
		{"no data", nothing, 0, Config{}, (*pair).finish, false, false},
		{"ten round trips", nothing, 20_000_000, Config{}, (*pair).finish, true, false},
		{"ended with a reset", queue, 5_000_000, Config{}, func(w *pair) { w.ends[0].Abort(); w.run(time.Second) }, true, true},
		{"ended by the peer's", queue, 5_000_000, Config{}, func(w *pair) { w.ends[1].Abort(); w.run(time.Second) }, true, true},
		{"ended by silence", queue, 5_000_000, Config{UserTimeout: 10 * time.Second}, func(w *pair) {
			w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
			w.ends[0].WriteSynthetic(1000)
			w.run(time.Minute)
		}, false, false},
		{"nothing acknowledged", nothing, 0, Config{}, func(w *pair) {
			w.ends[0].resume()
			w.ends[0].subs[0].ep.cutAt = 1 // a local drop
			w.ends[0].Abort()
			w.run(time.Second)
		}, false, false},
		{"a peer that is doubted", queue, 5_000_000, Config{}, func(w *pair) { w.ends[0].resume(); w.ends[0].honest.distrust = true; w.finish() }, false, false},
	} {
		w := sharing(t, 8)
		w.filter = c.filter(w)
		w.next(c.cfg)
		if c.octets > 0 {
			w.transfer(c.octets, time.Minute)
		}
		w.run(time.Second)
		c.end(w)
		k := w.knows()
		if (k != nil) != c.told || k != nil && k.full != c.full {
			t.Errorf("%s: %+v", c.name, k)
		}
		if c.full && k != nil && (k.window < 125_000*6/10 || k.window > 250_000*11/10 || k.srtt < 50*time.Millisecond || k.srtt > 101*time.Millisecond) {
			t.Errorf("%s: %+v", c.name, k) // between the path and the path with its queue, cut by CUBIC to 0.7
		}
		if other := w.sides[1].hosts.find(w.now, addrs[0].Addr()); other != nil {
			t.Errorf("%s: the receiver has learnt %+v", c.name, other)
		}
	}
}

// TestSharedOnce: a connection tells when it has ended for its application, and not again when TIME-WAIT is over.
func TestSharedOnce(t *testing.T) {
	w := sharing(t, 8)
	w.next(Config{})
	w.transfer(20_000_000, time.Minute)
	w.ends[0].CloseWrite()
	w.run(200 * time.Millisecond)
	w.ends[1].CloseWrite()
	w.run(200 * time.Millisecond)
	if w.ends[0].state != TimeWait || w.knows() == nil {
		t.Fatalf("in %v, and %+v is known", w.ends[0].state, w.knows())
	}
	w.sides[0].hosts.forget(addrs[1].Addr())
	if w.run(2 * time.Minute); w.ends[0].state != Closed || w.knows() != nil {
		t.Errorf("in %v, and %+v is known", w.ends[0].state, w.knows())
	}
}

// TestSharedByHost: what is known of one host is nothing to another.
func TestSharedByHost(t *testing.T) {
	w := sharing(t, 8)
	w.tell(100*1448, true, 80*time.Millisecond, 10*time.Millisecond)
	w.next(Config{})
	other := netip.MustParseAddrPort("10.0.0.3:2000")
	w.sides[1].Listen(other, 0, Config{})
	c, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), other, Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	if in := c.Info(); in.Window != 10*1448 || in.Ssthresh < 1<<60 || in.SRTT != 50*time.Millisecond {
		t.Errorf("begins with %d octets up to %d, and a round trip of %v", in.Window, in.Ssthresh, in.SRTT)
	}
}

// TestSharedAfterTimeout: a connection that ends in the slow start after a timeout does not leave one segment behind.
func TestSharedAfterTimeout(t *testing.T) {
	w := sharing(t, 8)
	w.next(Config{})
	w.filter = w.bottleneck(2.5e6, 50*time.Millisecond)
	w.transfer(5_000_000, time.Minute)
	w.run(200 * time.Millisecond)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	w.ends[0].WriteSynthetic(100_000)
	w.run(3 * time.Second)
	w.filter = nil
	for w.ends[0].sent.Timeouts == 0 || !w.ends[0].board.empty() {
		w.run(50 * time.Millisecond)
	}
	w.ends[0].Abort()
	w.run(time.Second)
	if k := w.knows(); k == nil || k.window < 20_000 {
		t.Errorf("%+v", k)
	}
}

// TestSharedPacketSize: a new connection begins with the packet size that an earlier one found, and looks for more no sooner than
// that one would have.
func TestSharedPacketSize(t *testing.T) {
	for _, how := range []PathMTU{MTUFollow, MTUSearch, MTUReported, MTUFixed} {
		w := sharing(t, 8)
		w.setMTU(1300, true)
		w.next(Config{})
		w.transfer(10_000_000, time.Minute)
		w.finish()
		k := w.knows()
		if k == nil || k.packet > 1300 || k.packet < 1268 {
			t.Fatalf("%+v", k)
		}
		path := w.setMTU(1300, false)
		if how == MTUFixed {
			w.filter = nil
		}
		s := w.next(Config{PathMTU: how})
		want := k.packet
		if how == MTUFixed {
			want = 1500
		}
		if got := s.Info().PathMTU; got != want {
			t.Errorf("way %d: begins with packets of %d octets, want %d", how, got, want)
		}
		w.transfer(1_000_000, time.Minute)
		if path.drops > 0 {
			t.Errorf("way %d: %d packets were too big", how, path.drops)
		}
		w.run(k.raiseAt.Sub(w.now))
		w.filter = nil
		w.transfer(3_000_000, time.Minute)
		if got := s.Info().PathMTU; got != 1500 {
			t.Errorf("way %d: packets of %d octets when it is time to look for more", how, got)
		}
	}
}

// TestSharedBound: a stack remembers as many hosts as it may, those that it was told about last, in at most 300 octets each.
func TestSharedBound(t *testing.T) {
	const most = 10_000
	before := heapInUse()
	s := newHosts(most)
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}) }
	for i := range 3 * most {
		if i == 2*most+1 { // it is the next to be forgotten
			s.learn(host{addr: addr(most + 1), window: 10_000})
		}
		s.learn(host{addr: addr(i), window: 10_000})
	}
	each := (heapInUse() - before) / most
	t.Logf("%d octets for each host", each)
	if len(s.known) != most || s.recent.Len() != most || each > 300 {
		t.Errorf("%d hosts, %d octets each", len(s.known), each)
	}
	for i, want := range map[int]bool{0: false, most: false, most + 1: true, 2 * most: false, 2*most + 1: true, 3*most - 1: true} {
		if got := s.find(0, addr(i)) != nil; got != want {
			t.Errorf("host %d remembered: %v", i, got)
		}
	}
	runtime.KeepAlive(s)
}

// TestSharedFlood: SYNs from forged addresses leave nothing behind and push nothing out.
func TestSharedFlood(t *testing.T) {
	w := sharing(t, 2)
	w.sides[0].Listen(addrs[0], 0, Config{})
	w.tell(100_000, true, time.Second, 0)
	for i := range 1000 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 1)
		p := wire.Packet{Src: from, Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.SYN, Seq: wire.Seq(i)}
		w.sides[0].Input(w.now, &p)
	}
	for range 200 {
		w.run(time.Second)
	}
	if n := len(w.sides[0].hosts.known); n != 1 || w.knows() == nil {
		t.Errorf("%d hosts", n)
	}
}

// TestSharedOff: without SharedHosts, and with it while nothing is known, a second connection sends what a first one would.
func TestSharedOff(t *testing.T) {
	record := func(hosts, before int) (out []string) {
		w := sharing(t, hosts)
		w.filter = w.bottleneck(2.5e6, 50*time.Millisecond)
		for range before {
			w.next(Config{})
			w.transfer(3_000_000, time.Minute)
			w.finish()
		}
		w.now = (w.now/mono.Time(time.Second) + 1) * mono.Time(time.Second) // timestamps have whole milliseconds
		w.seen = nil
		start := w.now
		w.next(Config{})
		w.transfer(3_000_000, time.Minute)
		for _, s := range w.seen {
			out = append(out, fmt.Sprint(s.at.Sub(start), s.from, s.p.Flags, s.p.PayloadLen, s.p.Window, s.p.Options.NumSACK))
		}
		return out
	}
	alone := record(0, 0)
	if !reflect.DeepEqual(record(0, 2), alone) || !reflect.DeepEqual(record(8, 0), alone) {
		t.Error("another trace")
	}
	known := record(8, 2)
	if reflect.DeepEqual(known, alone) {
		t.Error("the same trace when the host is known")
	}
	t.Logf("%d packets, and %d when the host is known", len(alone), len(known))
}
