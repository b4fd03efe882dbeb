package link

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"longhaul/mono"
)

// chooser is where a run of hostile takes its decisions from: rapid, or the octets of the fuzzer.
type chooser interface {
	failer
	choose(name string, n int64) int64 // 0 to n-1
}

// drawn is the chooser of a property test.
type drawn struct{ *rapid.T }

func (d drawn) choose(name string, n int64) int64 { return rapid.Int64Range(0, n-1).Draw(d.T, name) }

// among returns one of the values.
func among[T any](c chooser, name string, values ...T) T {
	return values[c.choose(name, int64(len(values)))]
}

// smallOrAny returns a number of 0 to most, as often as not one of at most small.
func smallOrAny(c chooser, name string, small, most int64) int64 {
	return c.choose(name, among(c, name+"'s range", small, most)+1)
}

// draw returns any configuration with that discipline; limits are small so that they matter. Error bursts are rare enough that the
// largest packet has hundreds, not tens of thousands.
func draw(c chooser, d Discipline) Config {
	rng := func() *rand.Rand { return seeded(uint64(c.choose("seed", math.MaxInt64))) }
	p := func(name string) float64 {
		if v := among(c, name, 0, 1e-9, 0.01, 0.5, 1, -1); v >= 0 {
			return v
		}
		return float64(c.choose(name+"'s value", 1<<32)) / (1<<32 - 1)
	}
	span := func(name string) time.Duration {
		return time.Duration(smallOrAny(c, name, 100, int64(10*time.Second)))
	}
	cfg := Config{
		Rate:     among[int64](c, "rate", 0, 1, 64_000, 1_544_000, 1e9, maxRate, -1),
		Delay:    span("delay"),
		Overhead: among(c, "overhead", 0, 38),
	}
	if cfg.Rate < 0 {
		cfg.Rate = 1 + c.choose("rate's value", 1e10)
	}
	if c.choose("narrow", 2) == 1 {
		cfg.MTU = 1 + int(c.choose("mtu", 70_000))
	}
	if c.choose("limited", 2) == 1 {
		packets := int(c.choose("packets", 11))
		least := int64(0)
		if packets == 0 {
			least = 1
		}
		cfg.Queue = d.New(packets, int(least+c.choose("octets", 10_000)), rng())
	}
	models := []func() LossModel{
		func() LossModel { return Uniform(p("loss"), rng()) },
		func() LossModel { return BitErrors(p("ber"), rng()) },
		func() LossModel { return Bursts(p("ber")/1000, 10+1000*p("length"), 0, rng()) },
		func() LossModel { return GilbertElliott(p("bad"), p("good"), p("lossGood"), p("lossBad"), rng()) },
		func() LossModel { return LossBursts(p("loss")/2, 1+p("burst"), rng()) },
		func() LossModel { return Periodic(1+c.choose("period", 10), 100) },
		func() LossModel { return &Script{Drop: []Window{{2, 4}, {9, 9}}, Times: []Outage{{1000, 5000}}} },
	}
	for _, list := range []*[]LossModel{&cfg.Loss, &cfg.Errors} {
		for range c.choose("models", 3) {
			*list = append(*list, models[c.choose("model", int64(len(models)))]())
		}
	}
	if c.choose("disturbed", 2) == 1 {
		cfg.Jitter, cfg.Reorder, cfg.ReorderBy, cfg.Duplicate, cfg.Rand = span("jitter"), p("reorder"), span("by"), p("duplicate"), rng()
	}
	at := mono.Time(0)
	for range c.choose("outages", 3) {
		from := at.Add(span("gap"))
		at = from.Add(span("length"))
		cfg.Outages = append(cfg.Outages, Outage{from, at})
	}
	return cfg
}

// hostile is what holds for any link under any traffic: every packet sent comes out, is dropped by a named cause, or is
// inside; the link names a later instant as long as something is inside, and then gives something or gets on; nothing arrives
// before its delay; without reordering the order holds.
func hostile(t chooser, d Discipline) {
	cfg := draw(t, d)
	drops := &causes{count: map[string]int64{}}
	cfg.Trace = drops
	pool := new(Pool)
	l, err := New(cfg, pool)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	var now mono.Time
	var sent []mono.Time
	newest, quiet := 0, 0
	for i := 0; ; i++ {
		sending := i < 100
		if sending && t.choose("send", 4) > 0 {
			p := pool.Get()
			p.Size, p.Flow, p.Corrupt = int(smallOrAny(t, "size", 100, 65_535)), uint32(len(sent)), false
			sent = append(sent, now)
			l.Send(now, p)
			balanced(t, l)
		}
		held := l.Held()
		p, next := l.Poll(now)
		balanced(t, l)
		switch {
		case p != nil:
			if now < sent[p.Flow].Add(cfg.Delay) {
				t.Fatalf("packet %d arrives %v after it was sent, the delay is %v", p.Flow, now.Sub(sent[p.Flow]), cfg.Delay)
			}
			if cfg.Reorder == 0 && int(p.Flow) < newest {
				t.Fatalf("packet %d behind %d", p.Flow, newest)
			}
			newest, quiet = int(p.Flow), 0
			pool.Put(p)
			continue
		case next <= now:
			t.Fatalf("nothing at %v, and come back at %v", now, next)
		case (next == mono.Never) != (l.Held() == 0):
			t.Fatalf("%d inside, and come back at %v", l.Held(), next)
		}
		if quiet++; quiet > 2*held+200 {
			t.Fatalf("no progress: %d inside, nothing for %d polls", held, quiet)
		}
		if sending {
			now = now.Add(time.Duration(among[int64](t, "pause", 0, 1, 1000, 1e6, 1e9, 1e13)))
			if next < now && t.choose("punctual", 2) == 1 {
				now = next
			}
		} else if now = next; now == mono.Never {
			break
		}
	}
	s := l.Stats()
	if s.Offered != int64(len(sent)) || drops.count[CauseQueue] != s.QueueDrops || drops.count[CauseMTU] != s.TooBig || drops.count[CauseLoss] != s.Lost || drops.count[CauseOutage] != s.OutageDrops || drops.back {
		t.Fatalf("sent %d, traced %+v, counted %+v", len(sent), drops, s)
	}
	if cfg.Queue == nil && s.QueueDrops != 0 || s.Busy > time.Duration(now) || s.Waited < 0 {
		t.Fatalf("at %v: %+v", now, s)
	}
}

// TestConformance holds every discipline to the same invariants.
func TestConformance(t *testing.T) {
	for _, d := range Queues {
		t.Run(d.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { hostile(drawn{t}, d) })
			if d.Title == "" {
				t.Error("no title")
			}
			for _, c := range [][2]int{{0, 0}, {-1, 0}, {0, -1}, {-1, 10}} {
				if _, err := New(Config{Queue: d.New(c[0], c[1], seeded(1))}, new(Pool)); err == nil {
					t.Errorf("a queue of %d packets and %d octets passed", c[0], c[1])
				}
			}
			q := d.New(3, 250, seeded(1))
			a, b := &Packet{Size: 100}, &Packet{Size: 150}
			if !q.Enqueue(0, a) || !q.Enqueue(0, b) || q.Enqueue(0, &Packet{Size: 1}) {
				t.Error("250 octets do not fit in 250, or 251 do")
			}
			if n, octets := q.Len(); n != 2 || octets != 250 {
				t.Errorf("%d packets and %d octets wait, want 2 and 250", n, octets)
			}
			if q.Dequeue(0) != a || q.Dequeue(0) != b || q.Dequeue(0) != nil {
				t.Error("not first in, first out")
			}
			if n, octets := q.Len(); n != 0 || octets != 0 {
				t.Errorf("%d packets and %d octets wait, want none", n, octets)
			}
		})
	}
}

// oracle computes arrivals and drops of a drop-tail link in exact fractions: a packet starts when it has come and the one
// before has ended, and waits until the nanosecond in which it starts.
func oracle(cfg Config, packets, octets int, offers []offer) (out []arrival, drops int64) {
	type waiting struct {
		start mono.Time
		size  int
	}
	var room []waiting
	end := new(big.Rat)
	floor := func(r *big.Rat) mono.Time { return mono.Time(new(big.Int).Quo(r.Num(), r.Denom()).Int64()) }
	for n, o := range offers {
		room = slices.DeleteFunc(room, func(w waiting) bool { return w.start <= o.at })
		inside := o.size
		for _, w := range room {
			inside += w.size
		}
		if packets > 0 && len(room) >= packets || octets > 0 && inside > octets {
			drops++
			continue
		}
		if at := new(big.Rat).SetInt64(int64(o.at)); end.Cmp(at) < 0 {
			end.Set(at)
		}
		room = append(room, waiting{floor(end), o.size})
		if cfg.Rate > 0 {
			end.Add(end, big.NewRat(int64(o.size+cfg.Overhead)*8*1e9, cfg.Rate))
		}
		out = append(out, arrival{floor(end).Add(cfg.Delay), n, false})
	}
	return out, drops
}

// TestAgainstOracle compares arrivals and drops with the exact model, to the nanosecond.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Rate:     rapid.OneOf(rapid.SampledFrom([]int64{0, 8e9, 1_544_000}), rapid.Int64Range(1, 1e11)).Draw(t, "rate"),
			Delay:    time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "delay")),
			Overhead: rapid.IntRange(0, 40).Draw(t, "overhead"),
		}
		packets, octets := rapid.IntRange(0, 5).Draw(t, "packets"), rapid.IntRange(1, 6000).Draw(t, "octets")
		cfg.Queue = DropTail(packets, octets)
		pause := int64(1e5)
		if cfg.Rate > 0 {
			pause = min(2*8*1000*1e9/cfg.Rate, math.MaxInt64/1000)
		}
		var offers []offer
		at := mono.Time(0)
		for range rapid.IntRange(1, 100).Draw(t, "offers") {
			at += mono.Time(rapid.Int64Range(0, pause).Draw(t, "pause"))
			offers = append(offers, offer{at, rapid.IntRange(0, 2000).Draw(t, "size")})
		}
		pool := new(Pool)
		l, err := New(cfg, pool)
		if err != nil {
			t.Fatal(err)
		}
		want, drops := oracle(cfg, packets, octets, offers)
		if got := run(t, l, pool, offers); !slices.Equal(got, want) {
			t.Fatalf("arrivals %v, want %v", got, want)
		}
		if s := l.Stats(); s.QueueDrops != drops {
			t.Fatalf("%d drops, want %d", s.QueueDrops, drops)
		}
	})
}
