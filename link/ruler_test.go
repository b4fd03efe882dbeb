package link

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/mono"
)

// reading is what a constant-rate source of 1500-octet packets measures of a link (T1).
type reading struct {
	offered, delivered, misordered int
	first, last                    mono.Time // arrivals
	lo, hi                         time.Duration
	stats                          Stats
	hash                           uint64
}

// ruler sends n packets, one each interval.
func ruler(t *testing.T, cfg Config, n int, interval time.Duration) reading {
	t.Helper()
	l, pool := must(t, cfg)
	offers := evenly(n, 1500, interval)
	got := run(t, l, pool, offers)
	return read(offers, got, l.Stats())
}

func read(offers []offer, got []arrival, s Stats) reading {
	r := reading{offered: len(offers), delivered: len(got), lo: math.MaxInt64, stats: s}
	seen := -1
	for i, a := range got {
		if i == 0 {
			r.first = a.at
		}
		r.last = a.at
		d := a.at.Sub(offers[a.n].at)
		r.lo, r.hi = min(r.lo, d), max(r.hi, d)
		if a.n < seen {
			r.misordered++
		}
		seen = max(seen, a.n)
		r.hash = (r.hash^uint64(a.at)*31^uint64(a.n))*1099511628211 + 1
	}
	return r
}

// faults compares a reading with what the link was told: no queueing, jitter or reordering is expected.
func (r *reading) faults(delay, serial time.Duration, loss float64) (faults []string) {
	add := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	s := r.stats
	add(r.lo == delay+serial && r.hi == delay+serial, "delays %v to %v, want %v", r.lo, r.hi, delay+serial)
	add(r.misordered == 0, "%d packets out of order", r.misordered)
	n := float64(r.offered)
	add(math.Abs(float64(s.Lost)-n*loss) <= 3*math.Sqrt(n*loss*(1-loss)), "%d of %d lost, want %v", s.Lost, r.offered, n*loss)
	add(s.QueueDrops == 0, "%d dropped for lack of room", s.QueueDrops)
	add(r.offered == r.delivered+int(s.QueueDrops+s.Lost+s.OutageDrops) && s.Delivered == int64(r.delivered),
		"offered %d, delivered %d, counters %+v", r.offered, r.delivered, s)
	if loss == 0 {
		add(r.last.Sub(r.first) == time.Duration(r.offered-1)*serial, "%d packets in %v", r.delivered, r.last.Sub(r.first))
	}
	return faults
}

// TestRuler is the link's part of T1: a constant-rate source finds rate, delay, loss and order as set.
func TestRuler(t *testing.T) {
	const n = 100_000
	seed := uint64(0)
	for _, rate := range []int64{10e6, 100e6, 500e6, 1e9} {
		for _, delay := range []time.Duration{0, 25 * time.Millisecond, 300 * time.Millisecond} {
			for _, loss := range []float64{0, 1e-4, 1e-2} {
				seed++
				serial := time.Duration(12_000 * int64(time.Second) / rate)
				cfg := func() Config {
					return Config{
						Rate: rate, Delay: delay, Queue: DropTail(0, max(1500, int(float64(rate)/8*2*delay.Seconds()))),
						Loss: []LossModel{Uniform(loss, seeded(seed))},
					}
				}
				r := ruler(t, cfg(), n, serial)
				if f := r.faults(delay, serial, loss); f != nil {
					t.Errorf("%d bit/s, %v, %v: %s", rate, delay, loss, strings.Join(f, "; "))
				}
				if again := ruler(t, cfg(), n, serial); again != r {
					t.Errorf("%d bit/s, %v, %v: same seed, %+v and %+v", rate, delay, loss, r, again)
				}
			}
		}
	}
}

// TestRulerOverload: offered 1.5 times its rate, the link delivers its rate exact to the packet, with a delay of at most a full
// queue more.
func TestRulerOverload(t *testing.T) {
	const rate, delay = 100e6, 25 * time.Millisecond
	const serial = 120 * time.Microsecond
	const queue = 2 * 208 // a BDP in packets
	r := ruler(t, Config{Rate: rate, Delay: delay, Queue: DropTail(queue, 0)}, 30_000, serial*2/3)
	if r.last.Sub(r.first) != time.Duration(r.delivered-1)*serial || r.lo != delay+serial || r.hi <= delay+queue*serial || r.hi > delay+(queue+1)*serial {
		t.Errorf("%d packets in %v, delays %v to %v", r.delivered, r.last.Sub(r.first), r.lo, r.hi)
	}
	if r.stats.PeakQueue != queue || r.stats.QueueDrops != int64(r.offered-r.delivered) || r.stats.QueueDrops == 0 {
		t.Errorf("%+v", r.stats)
	}
}

// TestNoQueueNeverDrops: without a queue nothing is dropped for lack of room, whatever delay, rate and burst (F71).
func TestNoQueueNeverDrops(t *testing.T) {
	for _, delay := range []time.Duration{0, 25 * time.Millisecond, 300 * time.Millisecond, time.Hour} {
		for _, rate := range []int64{0, 64_000, 1e9} {
			l, pool := must(t, Config{Rate: rate, Delay: delay})
			if got := run(t, l, pool, make125(50_000)); len(got) != 50_000 || l.Stats().QueueDrops != 0 {
				t.Errorf("%v, %d bit/s: %d of 50000 arrived, %+v", delay, rate, len(got), l.Stats())
			}
		}
	}
}

// total is the fault of F71: a queue whose limit also counts what flies.
type total struct {
	DropTailQueue
	link  *Link
	limit int
}

func (q *total) Enqueue(now mono.Time, p *Packet) bool {
	return q.link.Held() < q.limit && q.DropTailQueue.Enqueue(now, p)
}

// TestRulerFindsFaults: the faults of the field are seen by the very comparison that passes the sound link (T1, must fail).
func TestRulerFindsFaults(t *testing.T) {
	const rate, serial = 100e6, 120 * time.Microsecond
	for _, c := range []struct {
		name  string
		cfg   Config
		burst bool
		delay time.Duration
		want  string
	}{
		{"a 1000-packet limit on everything at 300 ms", Config{Queue: &total{limit: 1000}}, false, 300 * time.Millisecond, "for lack of room"},
		{"the same at 25 ms passes", Config{Queue: &total{limit: 1000}}, false, 25 * time.Millisecond, ""},
		{"a burst of 15 KB into a queue of one packet", Config{Queue: DropTail(1, 0)}, true, 25 * time.Millisecond, "for lack of room"},
		{"one timer per packet", Config{Reorder: 0.5, ReorderBy: time.Millisecond}, false, 25 * time.Millisecond, "out of order"},
		{"jitter", Config{Jitter: time.Millisecond}, false, 25 * time.Millisecond, "delays"},
		{"more loss than set", Config{Loss: []LossModel{Uniform(2e-2, seeded(2))}}, false, 25 * time.Millisecond, "lost"},
		{"sound", Config{}, false, 25 * time.Millisecond, ""},
	} {
		c.cfg.Rate, c.cfg.Delay, c.cfg.Rand = rate, c.delay, seeded(1)
		if c.cfg.Loss == nil {
			c.cfg.Loss = []LossModel{Uniform(1e-2, seeded(3))}
		}
		l, pool := must(t, c.cfg)
		if q, ok := c.cfg.Queue.(*total); ok {
			q.link = l
		}
		offers := evenly(20_000, 1500, serial)
		if c.burst {
			for i := range 10 {
				offers[i].at = 0
			}
			slices.SortFunc(offers, func(a, b offer) int { return int(a.at - b.at) })
		}
		r := read(offers, run(t, l, pool, offers), l.Stats())
		faults := strings.Join(r.faults(c.delay, serial, 1e-2), "; ")
		if !strings.Contains(faults, c.want) || c.want == "" && faults != "" {
			t.Errorf("%s: faults %q, want %q", c.name, faults, c.want)
		}
	}
}
