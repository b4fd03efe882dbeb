package link

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/mono"
)

const ms = mono.Time(time.Millisecond)

// TestNoDrift: a million packets take exactly their bits divided by the rate, to the nanosecond, whether they wait or
// each comes just as the one before has gone.
func TestNoDrift(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct {
		rate           int64
		size, overhead int
		clocked        bool // each packet is sent when the one before arrives
	}{
		{rate: 1_544_000, size: 1500}, {rate: 999_999_937, size: 1499, overhead: 38}, {rate: 10e9, size: 41}, {rate: 3, size: 7},
		{rate: 622_080_000, size: 577, clocked: true}, {rate: 7e9, size: 40, clocked: true},
	} {
		l, pool := must(t, Config{Rate: c.rate, Overhead: c.overhead})
		var now mono.Time
		for i := range n {
			p := pool.Get()
			p.Size = c.size
			l.Send(now, p)
			if i == 0 || c.clocked {
				_, now = l.Poll(now)
			}
			if c.clocked {
				p, _ = l.Poll(now)
				pool.Put(p)
			}
		}
		for p, next := l.Poll(now); l.Held() > 0; p, next = l.Poll(now) {
			if p != nil {
				pool.Put(p)
			}
			now = next
		}
		bits := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(c.size+c.overhead)*8*1e9))
		if want := bits.Div(bits, big.NewInt(c.rate)).Int64(); int64(now) != want {
			t.Errorf("%+v: took %d ns, want %d", c, int64(now), want)
		}
		if s := l.Stats(); s.Busy != time.Duration(now) || s.Delivered != n {
			t.Errorf("%+v: %+v, want to be busy for %v", c, s, now)
		}
	}
}

// TestIdleLinkForgetsFraction: after a pause transmissions begin at the instant of the packet.
func TestIdleLinkForgetsFraction(t *testing.T) {
	l, pool := must(t, Config{Rate: 3e9})
	got := run(t, l, pool, []offer{{0, 1}, {5, 1}, {10, 1}, {12, 1}})
	want := []arrival{{2, 0, false}, {7, 1, false}, {12, 2, false}, {15, 3, false}} // 2 2/3 ns each; the last begins at 12 2/3
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWaitingRoom: a packet leaves the waiting room when its transmission starts, at that very instant.
func TestWaitingRoom(t *testing.T) {
	for _, c := range []struct {
		name  string
		queue Queue
		at    []mono.Time
		drops int64
	}{
		{"one is transmitted, two wait", DropTail(2, 0), []mono.Time{0, 0, 0}, 0},
		{"no room for a third", DropTail(2, 0), []mono.Time{0, 0, 0, 0}, 1},
		{"just before the first has gone", DropTail(2, 0), []mono.Time{0, 0, 0, ms - 1}, 1},
		{"just as the first has gone", DropTail(2, 0), []mono.Time{0, 0, 0, ms}, 0},
		{"octets: two fit", DropTail(0, 250), []mono.Time{0, 0, 0}, 0},
		{"octets: three do not", DropTail(0, 250), []mono.Time{0, 0, 0, 0}, 1},
		{"octets: exactly", DropTail(0, 375), []mono.Time{0, 0, 0, 0}, 0},
		{"both limits", DropTail(5, 125), []mono.Time{0, 0, 0}, 1},
		{"a tiny queue and a burst of 15 KB (T1)", DropTail(0, 1500), make([]mono.Time, 120), 120 - 13},
		{"no queue given", nil, make([]mono.Time, 10_000), 0},
	} {
		// 125 octets at 1 Mbit/s: a millisecond each.
		l, pool := must(t, Config{Rate: 1e6, Delay: 300 * time.Millisecond, Queue: c.queue})
		var offers []offer
		for _, at := range c.at {
			offers = append(offers, offer{at, 125})
		}
		run(t, l, pool, offers)
		if got := l.Stats().QueueDrops; got != c.drops {
			t.Errorf("%s: %d drops, want %d", c.name, got, c.drops)
		}
	}
}

// TestQueueMeasures: peak and waiting time of the waiting room.
func TestQueueMeasures(t *testing.T) {
	l, pool := must(t, Config{Rate: 1e6, Delay: 300 * time.Millisecond, Queue: DropTail(3, 0)})
	run(t, l, pool, []offer{{0, 125}, {0, 125}, {0, 250}, {0, 125}, {0, 125}, {ms / 2, 1}})
	s := l.Stats()
	if s.PeakQueue != 3 || s.PeakOctets != 500 || s.QueueDrops != 2 {
		t.Errorf("peak of %d packets and %d octets, %d drops, want 3, 500 and 2", s.PeakQueue, s.PeakOctets, s.QueueDrops)
	}
	if want := (1 + 2 + 4) * time.Millisecond; s.Waited != want || s.Busy != 5*time.Millisecond {
		t.Errorf("waited %v, busy %v, want %v and 5ms", s.Waited, s.Busy, want)
	}
}

// watched is a discipline that checks when it is called.
type watched struct {
	DropTailQueue
	t      *testing.T
	last   mono.Time
	starts []mono.Time
}

func (w *watched) see(now mono.Time) {
	if now < w.last {
		w.t.Errorf("called with %v after %v", now, w.last)
	}
	w.last = now
}

func (w *watched) Enqueue(now mono.Time, p *Packet) bool {
	w.see(now)
	return w.DropTailQueue.Enqueue(now, p)
}

func (w *watched) Dequeue(now mono.Time) *Packet {
	w.see(now)
	p := w.DropTailQueue.Dequeue(now)
	if p != nil {
		w.starts = append(w.starts, now)
	}
	return p
}

// TestDisciplineSeesTrueTimes: Dequeue is called with the time at which the transmission starts, and never out of order,
// although the link is looked at only when packets come and go.
func TestDisciplineSeesTrueTimes(t *testing.T) {
	w := &watched{t: t}
	l, pool := must(t, Config{Rate: 1e6, Delay: 3 * time.Millisecond, Queue: w})
	run(t, l, pool, []offer{{0, 125}, {0, 125}, {0, 250}, {5*ms + 1, 125}, {5*ms + 2, 125}})
	if want := []mono.Time{0, ms, 2 * ms, 5*ms + 1, 6*ms + 1}; !slices.Equal(w.starts, want) {
		t.Errorf("transmissions start at %v, want %v", w.starts, want)
	}
}

// TestPerfectLink: without rate and delay packets arrive at once, in order, and none is dropped for a full queue.
func TestPerfectLink(t *testing.T) {
	for _, q := range []Queue{nil, DropTail(1, 0)} {
		l, pool := must(t, Config{Queue: q})
		got := run(t, l, pool, []offer{{5, 100}, {5, 100}, {5, 0}, {7, 1 << 20}})
		if want := []arrival{{5, 0, false}, {5, 1, false}, {5, 2, false}, {7, 3, false}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestLatePoll: a driver that comes late gets everything that is due, in order.
func TestLatePoll(t *testing.T) {
	l, pool := must(t, Config{Rate: 1e6, Delay: time.Second})
	for i := range 5 {
		p := pool.Get()
		p.Size, p.Flow = 125, uint32(i)
		l.Send(0, p)
	}
	for i := range 4 {
		if p, _ := l.Poll(1004 * ms); p == nil || p.Flow != uint32(i) {
			t.Fatalf("poll %d gave %+v", i, p)
		}
	}
	if p, next := l.Poll(1004 * ms); p != nil || next != 1005*ms {
		t.Errorf("got %v, next %v, want 1.005s", p, next)
	}
}

// TestJitterKeepsOrder: jitter delays by less than its size, never less than the delay, and keeps the order.
func TestJitterKeepsOrder(t *testing.T) {
	const n = 20_000
	offers := evenly(n, 125, 10*time.Microsecond)
	l, pool := must(t, Config{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond, Rand: seeded(1)})
	got := run(t, l, pool, offers)
	var sum time.Duration
	lo, hi := time.Duration(math.MaxInt64), time.Duration(0)
	for i, a := range got {
		if a.n != i {
			t.Fatalf("arrival %d is packet %d", i, a.n)
		}
		d := a.at.Sub(offers[i].at) - 20*time.Millisecond
		lo, hi, sum = min(lo, d), max(hi, d), sum+d
	}
	if len(got) != n || lo < 0 || hi >= 5*time.Millisecond || sum/n < 2*time.Millisecond {
		t.Errorf("%d arrived, extra delay %v to %v, mean %v", len(got), lo, hi, sum/n)
	}
	// Far apart, the order binds nothing and the extra delay is uniform: mean 2.5 ms, deviation 5/sqrt(12) ms.
	l, pool = must(t, Config{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond, Rand: seeded(2)})
	offers = evenly(n, 125, 10*time.Millisecond)
	sum = 0
	for i, a := range run(t, l, pool, offers) {
		sum += a.at.Sub(offers[i].at) - 20*time.Millisecond
	}
	if mean := sum.Seconds() / n; math.Abs(mean-2.5e-3) > 3*5e-3/math.Sqrt(12*n) {
		t.Errorf("mean extra delay %v s, want 2.5 ms", mean)
	}
}

// TestReorder: a chosen packet arrives exactly ReorderBy later than it would have, the others on time, also when it waited
// behind a busy transmitter when the link was last asked.
func TestReorder(t *testing.T) {
	const n = 10_000
	for _, jitter := range []time.Duration{0, 40 * time.Millisecond} {
		l, pool := must(t, Config{Rate: 1e6, Delay: 20 * time.Millisecond, Jitter: jitter, Reorder: 0.1, ReorderBy: 10500 * time.Microsecond, Rand: seeded(3)})
		got := run(t, l, pool, make125(n))
		if len(got) != n {
			t.Fatalf("%d arrived", len(got))
		}
		late, seen := 0, -1
		for _, a := range got {
			extra := a.at.Sub(mono.Time(a.n+1)*ms) - 20*time.Millisecond
			if extra < 0 || extra >= jitter+10500*time.Microsecond+1 {
				t.Fatalf("packet %d arrives %v late", a.n, extra)
			}
			if jitter == 0 && extra != 0 && extra != 10500*time.Microsecond {
				t.Fatalf("packet %d arrives %v late", a.n, extra)
			}
			if a.n < seen {
				late++
			}
			seen = max(seen, a.n)
		}
		if jitter == 0 && math.Abs(float64(late)-n*0.1) > 3*math.Sqrt(n*0.1*0.9) {
			t.Errorf("%d of %d overtaken, want a tenth", late, n)
		}
		if late == 0 {
			t.Errorf("jitter %v: nothing overtaken", jitter)
		}
	}
	// Held back by nothing, or just until its successor arrives, a packet is not overtaken.
	for rate, by := range map[int64]time.Duration{0: 0, 1e6: time.Millisecond} {
		l, pool := must(t, Config{Rate: rate, Delay: time.Millisecond, Reorder: 0.5, ReorderBy: by, Rand: seeded(4)})
		got := numbers(run(t, l, pool, make125(1000)))
		if len(got) != 1000 || !slices.IsSorted(got) {
			t.Errorf("held back by %v: out of order", by)
		}
	}
}

// TestComesBackInTime: the link does not sleep past the arrival of a packet that still waited when it was last asked, although
// those before it are lost or take longer.
func TestComesBackInTime(t *testing.T) {
	l, pool := must(t, Config{Rate: 1e6, Delay: 10 * time.Millisecond, Loss: []LossModel{&Script{Drop: []Window{{1, 3}}}}})
	if got, want := run(t, l, pool, make125(4)), (arrival{14 * ms, 3, false}); len(got) != 1 || got[0] != want {
		t.Errorf("%v, want %v", got, want)
	}
	for seed := range uint64(100) {
		cfg := func() Config {
			return Config{
				Rate: 1e6, Delay: 10 * time.Millisecond, Jitter: 40 * time.Millisecond, Reorder: 0.5, ReorderBy: time.Millisecond, Rand: seeded(seed),
			}
		}
		l, pool := must(t, cfg())
		got := run(t, l, pool, make125(3))
		// The same for a driver that asks each half millisecond as well.
		m, pool := must(t, cfg())
		for n := range 3 {
			p := pool.Get()
			p.Size, p.Flow, p.Corrupt = 125, uint32(n), false
			m.Send(0, p)
		}
		var want []arrival
		for now := mono.Time(0); m.Held() > 0; {
			p, next := m.Poll(now)
			if p == nil {
				now = min(next, now+ms/2)
				continue
			}
			want = append(want, arrival{now, int(p.Flow), false})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, asked more often %v", seed, got, want)
		}
	}
}

// make125 returns n offers at time 0, of a millisecond each at 1 Mbit/s.
func make125(n int) []offer { return evenly(n, 125, 0) }

// TestDuplicate: a duplicate arrives right behind its original, is a copy in memory of its own, and is counted.
func TestDuplicate(t *testing.T) {
	const n = 10_000
	l, pool := must(t, Config{Rate: 1e6, Duplicate: 0.05, Rand: seeded(5)})
	got := run(t, l, pool, make125(n))
	twice := 0
	for i := 1; i < len(got); i++ {
		if got[i].n == got[i-1].n {
			twice++
		} else if got[i].n != got[i-1].n+1 {
			t.Fatalf("packet %d behind %d", got[i].n, got[i-1].n)
		}
	}
	if s := l.Stats(); s.Duplicated != int64(twice) || len(got) != n+twice || math.Abs(float64(twice)-n*0.05) > 3*math.Sqrt(n*0.05*0.95) {
		t.Errorf("%d arrivals, %d twice, %+v", len(got), twice, s)
	}

	l, pool = must(t, Config{Duplicate: 1, Rand: seeded(6)})
	p := pool.Get()
	p.Size, p.Frame = 3, []byte{1, 2, 3}
	p.Wire.Payload = []byte{4}
	l.Send(0, p)
	a, _ := l.Poll(0)
	b, _ := l.Poll(0)
	if a == b || b.Size != 3 {
		t.Fatalf("original %p, copy %p", a, b)
	}
	a.Frame[0], a.Wire.Payload[0] = 9, 9
	if !slices.Equal(b.Frame, []byte{1, 2, 3}) || b.Wire.Payload[0] != 4 {
		t.Errorf("the copy changed with the original: %v, %v", b.Frame, b.Wire.Payload)
	}
}

// TestOutages: what is transmitted in whole or in part during an outage is lost; what flies is not.
func TestOutages(t *testing.T) {
	outages := []Outage{{0, 0}, {10*ms + 1, 20 * ms}, {25*ms + 1, 25*ms + 1}, {30 * ms, 30*ms + 1}}
	l, pool := must(t, Config{Rate: 1e6, Delay: time.Second, Outages: outages})
	got := run(t, l, pool, make125(40)) // packet i is transmitted from i to i+1 ms
	var want []int
	for i := range 40 {
		if i < 10 || i >= 20 && i != 30 {
			want = append(want, i)
		}
	}
	if s := l.Stats(); !slices.Equal(numbers(got), want) || s.OutageDrops != 11 || s.Lost != 0 {
		t.Errorf("arrived %v, want %v; %+v", numbers(got), want, s)
	}
	// An infinitely fast link transmits in no time: From is inside, To is not.
	l, pool = must(t, Config{Outages: []Outage{{5, 7}}})
	if got := numbers(run(t, l, pool, []offer{{4, 1}, {5, 1}, {6, 1}, {7, 1}})); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("arrived %v, want 0 and 3", got)
	}
}

func numbers(as []arrival) []int {
	var ns []int
	for _, a := range as {
		ns = append(ns, a.n)
	}
	return ns
}

// TestDropsAreTraced: one event per drop with its cause and what the packet was.
func TestDropsAreTraced(t *testing.T) {
	c := &causes{count: map[string]int64{}}
	l, pool := must(t, Config{
		Rate: 1e6, Delay: 30 * time.Millisecond, Queue: DropTail(60, 0), Trace: c,
		Loss: []LossModel{Periodic(3, 0)}, Outages: []Outage{{10 * ms, 20 * ms}},
	})
	run(t, l, pool, make125(100))
	s := l.Stats()
	if c.count[CauseQueue] != s.QueueDrops || c.count[CauseLoss] != s.Lost || c.count[CauseOutage] != s.OutageDrops || c.back {
		t.Errorf("traced %v (out of order: %v), counted %+v", c.count, c.back, s)
	}
	if s.QueueDrops != 39 || s.OutageDrops != 10 || s.Lost != 17 { // 61 transmitted, 20 of them third ones, 3 of those in the outage
		t.Errorf("%+v", s)
	}
}

// TestCorruptStays: a link marks what it damages and leaves the mark of one before.
func TestCorruptStays(t *testing.T) {
	l, pool := must(t, Config{Errors: []LossModel{Periodic(2, 0), Periodic(2, 0)}})
	for _, corrupt := range []bool{false, false, true} {
		p := pool.Get()
		p.Corrupt = corrupt
		l.Send(0, p)
	}
	var got []bool
	for p, _ := l.Poll(0); p != nil; p, _ = l.Poll(0) {
		got = append(got, p.Corrupt)
	}
	if s := l.Stats(); !slices.Equal(got, []bool{false, true, true}) || s.Corrupted != 2 || s.Delivered != 3 {
		t.Errorf("corrupt: %v, %+v", got, s)
	}
}

// TestSetRate: a new rate holds from the next transmission on; what is being transmitted is not hurried, even if nobody has
// asked the link since it began (F74, T1's rate trace).
func TestSetRate(t *testing.T) {
	l, pool := must(t, Config{Rate: 1e6, Delay: 10 * time.Millisecond})
	for range 4 {
		p := pool.Get()
		p.Size = 125
		l.Send(0, p)
	}
	if err := l.SetRate(ms+ms/2, 2e6); err != nil {
		t.Fatal(err)
	}
	if err := l.SetRate(ms+ms/2, -1); err == nil {
		t.Error("a negative rate passed")
	}
	var at []mono.Time
	for now := ms + ms/2; l.Held() > 0; {
		p, next := l.Poll(now)
		if p != nil {
			at = append(at, now)
		} else {
			now = next
		}
	}
	if want := []mono.Time{11 * ms, 12 * ms, 12*ms + ms/2, 13 * ms}; !slices.Equal(at, want) {
		t.Errorf("arrivals %v, want %v", at, want)
	}
}

// TestFarFuture: absurd times do not wrap around.
func TestFarFuture(t *testing.T) {
	l, pool := must(t, Config{Rate: 1, Delay: math.MaxInt64, Overhead: MaxSize, Jitter: math.MaxInt64, Rand: seeded(1)})
	for range 100 {
		p := pool.Get()
		p.Size = MaxSize
		l.Send(mono.Never-1, p)
		if p, next := l.Poll(mono.Never - 1); p != nil || next != mono.Never {
			t.Fatalf("got %v, next %v", p, next)
		}
	}
}

// TestImpossible: what cannot be is refused in one line that says what it is.
func TestImpossible(t *testing.T) {
	rng := seeded(1)
	loss := func(m LossModel) Config { return Config{Loss: []LossModel{m}} }
	for want, cfg := range map[string]Config{
		"rate of -1":                          {Rate: -1},
		"rate of 9223372036854775807":         {Rate: math.MaxInt64},
		"delay of -1ns":                       {Delay: -1},
		"jitter of -1ns":                      {Jitter: -1, Rand: rng},
		"reordering delay of -1ns":            {ReorderBy: -1},
		"framing of -1":                       {Overhead: -1},
		"MTU of -1":                           {MTU: -1},
		"reordering -0.1":                     {Reorder: -0.1, Duplicate: 2, Rand: rng},
		"duplication NaN":                     {Duplicate: math.NaN(), Rand: rng},
		"set Rand":                            {Jitter: 1},
		"a queue of 0":                        {Queue: DropTail(0, 0)},
		"a queue of -1 packets":               {Queue: DropTail(-1, 100)},
		"outage 1 ends at 1ns":                {Outages: []Outage{{2, 1}}},
		"outage 2 begins at 4ns":              {Outages: []Outage{{2, 5}, {4, 6}}},
		"loss model is nil":                   loss(nil),
		"probability of loss -1":              loss(Uniform(-1, rng)),
		"probability of loss 1.5":             {Errors: []LossModel{Uniform(1.5, rng)}},
		"probability of loss NaN":             loss(Uniform(math.NaN(), nil)),
		"uniform loss needs":                  loss(Uniform(0.5, nil)),
		"probability of a bit error -1":       loss(BitErrors(-1, rng)),
		"the bit error model needs":           loss(BitErrors(1e-3, nil)),
		"error bursts of 0.5 bits":            loss(Bursts(1e-7, 0.5, 0, rng)),
		"error bursts of NaN bits":            loss(Bursts(1e-7, math.NaN(), 0, rng)),
		"density -1":                          loss(Bursts(1e-7, 10, -1, rng)),
		"0 to the density of the bursts, 0.5": loss(Bursts(0.6, 10, 0, rng)),
		"the error burst model needs":         loss(Bursts(1e-7, 10, 0, nil)),
		"probability of going bad 2":          loss(GilbertElliott(2, 0, 0, 0, rng)),
		"bad state -1":                        loss(GilbertElliott(0, 0, 0, -1, rng)),
		"the Gilbert-Elliott model needs":     loss(LossBursts(0.1, 2, nil)),
		"runs of 0 packets":                   loss(LossBursts(0.1, 0, rng)),
		"is not in 0 to 0.75":                 loss(LossBursts(0.8, 3, rng)),
		"each 0-th":                           loss(Periodic(0, 0)),
		"each -3-th":                          loss(&Script{Every: -3}),
		"window 1 of a loss script":           loss(&Script{Drop: []Window{{0, 3}}}),
		"window 2 of a loss script":           loss(&Script{Drop: []Window{{1, 3}, {3, 4}}}),
		"time 1 of a loss script":             loss(&Script{Times: []Outage{{5, 3}}}),
	} {
		_, err := New(cfg, new(Pool))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "link: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
	for _, cfg := range []Config{{}, loss(Uniform(1, rng)), loss(LossBursts(0.75, 3, rng)), loss(Bursts(0.5, 10, 0, rng)), loss(&Script{})} {
		if _, err := New(cfg, new(Pool)); err != nil {
			t.Errorf("refused: %v", err)
		}
	}
}

// TestSteadyStateAllocatesNothing: sending and polling allocates nothing once the rings have grown.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	f := newFull(t, Config{
		Queue: DropTail(1000, 0), Loss: []LossModel{Uniform(0.01, seeded(1))}, Errors: []LossModel{BitErrors(1e-6, seeded(2))},
		Jitter: time.Millisecond, Reorder: 0.01, ReorderBy: time.Millisecond, Duplicate: 0.01, Rand: seeded(3),
	}, 1000)
	for range 10_000 {
		f.step()
	}
	if n := testing.AllocsPerRun(10_000, f.step); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}

// TestMTU: what is larger than the MTU is dropped as it comes, counted, traced and reported, and takes no room and no time; the MTU
// may change.
func TestMTU(t *testing.T) {
	c := &causes{count: map[string]int64{}}
	var told []int
	tell := func(_ mono.Time, p *Packet) { told = append(told, p.Size) }
	l, pool := must(t, Config{Rate: 8e6, Queue: DropTail(1, 0), MTU: 1400, TooBig: tell, Trace: c})
	got := run(t, l, pool, []offer{{0, 1401}, {0, 1400}, {0, 9000}, {1, 100}})
	if !slices.Equal(numbers(got), []int{1, 3}) || got[0].at != mono.Time(1400*time.Microsecond) {
		t.Errorf("arrived %v", got)
	}
	if s := l.Stats(); !slices.Equal(told, []int{1401, 9000}) || s.TooBig != 2 || c.count[CauseMTU] != 2 || s.QueueDrops != 0 {
		t.Errorf("told of %v, traced %v, counted %+v", told, c.count, s)
	}
	if l.SetMTU(-1, nil) == nil {
		t.Error("a negative MTU is taken")
	}
	if err := l.SetMTU(0, nil); err != nil {
		t.Fatal(err)
	}
	if got := run(t, l, pool, []offer{{got[1].at, 9000}}); len(got) != 1 {
		t.Errorf("no limit, and %v arrived", got)
	}
}
