package sim

import (
	"runtime"
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/tcp"
)

// traceHash runs three flows and a probe over a path with loss, damage, jitter, reordering and duplication and
// returns the hash of everything that was delivered.
func traceHash(t *testing.T, seed uint64, wireMode bool) uint64 {
	w := New(seed)
	w.Wire = wireMode
	direction := func(name string) link.Config {
		return link.Config{
			Rate: 20e6, Delay: 20 * time.Millisecond, Queue: link.DropTail(50, 0),
			Loss:   []link.LossModel{link.Uniform(0.005, w.Rand("loss "+name))},
			Errors: []link.LossModel{link.BitErrors(1e-7, w.Rand("errors "+name))},
			Jitter: time.Millisecond, Reorder: 0.01, ReorderBy: 5 * time.Millisecond, Duplicate: 0.01,
			Rand: w.Rand("link " + name),
		}
	}
	d := dumbbell(t, w, direction("forward"), direction("reverse"))
	d.NewProbe(100 * time.Millisecond)
	for _, name := range []string{"x", "y", "z"} {
		a, b := pair(t, d, name)
		var sink Sink
		if err := b.Listen(80, 1, tcp.Config{}, func(*tcp.Conn) App { return &sink }); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Dial(b.AddrPort(80), tcp.Config{}, &Source{Total: 5e6}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Run(mono.Time(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return w.TraceHash()
}

// pair returns a host on each side of d.
func pair(t testing.TB, d *Dumbbell, name string) (a, b *Host) {
	t.Helper()
	a, err := d.Left(name + " left")
	if err != nil {
		t.Fatal(err)
	}
	if b, err = d.Right(name + " right"); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TestDeterminism: one seed, one trace: twice, on 1 and on 8 processors, decoded and encoded.
func TestDeterminism(t *testing.T) {
	want := traceHash(t, 1, false)
	if got := traceHash(t, 1, false); got != want {
		t.Errorf("second run: %x, first %x", got, want)
	}
	if got := traceHash(t, 1, true); got != want {
		t.Errorf("wire mode: %x, struct mode %x", got, want)
	}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		if got := traceHash(t, 1, false); got != want {
			t.Errorf("GOMAXPROCS %d: %x, want %x", n, got, want)
		}
	}
	if got := traceHash(t, 2, false); got == want {
		t.Error("another seed gives the same trace")
	}
}
