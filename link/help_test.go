package link

import (
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/trace"
)

// seeded returns a random source.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// causes counts traced drops by cause, and checks that they come in order.
type causes struct {
	count map[string]int64
	last  mono.Time
	back  bool
}

func (c *causes) Record(e *trace.Event) {
	c.count[e.Cause]++
	c.back = c.back || e.Time < c.last || e.Kind != trace.Drop
	c.last = e.Time
}

// offer is a packet to send.
type offer struct {
	at   mono.Time
	size int
}

// arrival is a packet that came out. N is the number of its offer.
type arrival struct {
	at      mono.Time
	n       int
	corrupt bool
}

// evenly returns n offers of a constant-rate source.
func evenly(n, size int, interval time.Duration) []offer {
	offers := make([]offer, n)
	for i := range offers {
		offers[i] = offer{mono.Time(i) * mono.Time(interval), size}
	}
	return offers
}

// must returns a link, or fails the test.
func must(t testing.TB, cfg Config) (*Link, *Pool) {
	t.Helper()
	pool := new(Pool)
	l, err := New(cfg, pool)
	if err != nil {
		t.Fatal(err)
	}
	return l, pool
}

// failer is a test that can stop: testing's and rapid's.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// run sends the offers and collects what arrives, going only where the link says, and checks that it always names a
// later instant and that the counters add up.
func run(t failer, l *Link, pool *Pool, offers []offer) []arrival {
	t.Helper()
	var out []arrival
	var next mono.Time
	for i, now := 0, mono.Time(0); ; now = next {
		for ; i < len(offers) && offers[i].at == now; i++ {
			p := pool.Get()
			p.Size, p.Flow, p.Corrupt = offers[i].size, uint32(i), false
			l.Send(now, p)
		}
		for {
			var p *Packet
			if p, next = l.Poll(now); p == nil {
				break
			}
			out = append(out, arrival{now, int(p.Flow), p.Corrupt})
			pool.Put(p)
		}
		if next <= now {
			t.Fatalf("at %v: come back at %v", now, next)
		}
		balanced(t, l)
		if i < len(offers) {
			next = min(next, offers[i].at)
		}
		if next == mono.Never {
			break
		}
	}
	if l.Held() != 0 {
		t.Fatalf("%d packets stay inside", l.Held())
	}
	return out
}

// balanced checks that packets in are packets out, dropped or held.
func balanced(t failer, l *Link) {
	t.Helper()
	if s := l.Stats(); s.Offered+s.Duplicated != s.Delivered+s.QueueDrops+s.TooBig+s.Lost+s.OutageDrops+int64(l.Held()) {
		t.Fatalf("%+v and %d held do not add up", s, l.Held())
	}
}
