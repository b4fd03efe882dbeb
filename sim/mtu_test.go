package sim

import (
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/tcp"
)

// narrowing is a change of a path's MTU.
type narrowing struct {
	at     time.Duration
	octets int
	report bool
}

// mtuRun sends 20 MB over a path of 10 Mbit/s and 40 ms whose MTU changes, with every packet encoded, and returns the sender's end,
// the forward link's counters, and when the last octet arrived.
func mtuRun(t *testing.T, cfg tcp.Config, changes ...narrowing) (tcp.Info, link.Stats, time.Duration) {
	t.Helper()
	const octets = 20e6
	w := New(1)
	w.Wire = true
	l := link.Config{Rate: 10e6, Delay: 20 * time.Millisecond, Queue: link.DropTail(100, 0)}
	back := l
	back.Queue = link.DropTail(100, 0)
	d := dumbbell(t, w, l, back)
	a, b := pair(t, d, "x")
	var sink Sink
	if err := b.Listen(80, 1, tcp.Config{}, func(*tcp.Conn) App { return &sink }); err != nil {
		t.Fatal(err)
	}
	c, err := a.Dial(b.AddrPort(80), cfg, &Source{Total: octets})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range changes {
		w.At(mono.Time(n.at), func(mono.Time) {
			if err := d.SetMTU(n.octets, n.report); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := w.Run(mono.Time(10 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if sink.Total != octets || sink.Ended != 1 || c.Err() != nil {
		t.Fatalf("%d octets arrived, %d ended, %v; %+v", sink.Total, sink.Ended, c.Err(), c.Info())
	}
	return c.Info(), d.Forward(), time.Duration(sink.Last)
}

// TestPathMTU: a flow whose path narrows under it, with a word or without, arrives whole, and loses no more than it must: what it
// had in flight, and what it looked for the right size with. The first case is what the others are measured by.
func TestPathMTU(t *testing.T) {
	follow, search := tcp.Config{}, tcp.Config{PathMTU: tcp.MTUSearch}
	const s = time.Second
	for _, c := range []struct {
		name    string
		cfg     tcp.Config
		changes []narrowing
		mtu     int           // the connection's at the end, at most 32 less
		dropped int64         // packets too big for the path, at most
		late    time.Duration // the end of the transfer, at most
		timeout int64
	}{
		{"no limit", follow, nil, 1500, 0, 17 * s, 0},
		{"tunnel", follow, []narrowing{{0, 1400, true}}, 1400, 10, 17 * s, 0},
		{"twice narrower", follow, []narrowing{{5 * s, 1400, true}, {10 * s, 1006, true}}, 1006, 240, 19 * s, 2},
		{"black hole", follow, []narrowing{{5 * s, 1400, false}}, 1400, 140, 21 * s, 3},
		{"deep black hole", follow, []narrowing{{5 * s, 1006, false}}, 1006, 140, 25 * s, 4},
		{"black hole from the start", follow, []narrowing{{0, 1400, false}}, 1400, 25, 20 * s, 3},
		{"search without limit", search, nil, 1500, 0, 17 * s, 0},
		{"search in a black hole", search, []narrowing{{0, 1400, false}}, 1400, 12, 17 * s, 0},
		{"search with ICMP", search, []narrowing{{0, 1400, true}}, 1400, 1, 17 * s, 0},
		{"wide again", tcp.Config{Timers: tcp.Timers{MTURaise: 4 * s}}, []narrowing{{2 * s, 1400, true}, {5 * s, 0, true}}, 1500, 110, 18 * s, 1},
	} {
		in, f, took := mtuRun(t, c.cfg, c.changes...)
		if in.PathMTU > c.mtu || in.PathMTU < c.mtu-32 || f.TooBig > c.dropped || took > c.late || in.Sent.Timeouts != c.timeout {
			t.Errorf("%s: path MTU %d, %d too big, %v, %d timeouts; %+v", c.name, in.PathMTU, f.TooBig, took, in.Sent.Timeouts, in)
		}
		t.Logf("%s: path MTU %d, %d too big, %.2f s, %d timeouts, %d of %d probes lost", c.name, in.PathMTU, f.TooBig, took.Seconds(), in.Sent.Timeouts, in.Sent.MTUProbesLost, in.Sent.MTUProbes)
		if len(c.changes) > 0 && c.changes[0].report && in.Received.ICMP != f.TooBig {
			t.Errorf("%s: %d messages for %d packets", c.name, in.Received.ICMP, f.TooBig)
		}
	}
}
