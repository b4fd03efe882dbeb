package sim

import (
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/link"
	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/wire"
)

// TestR7OptionsOff checks that a connection that does not ask for RFC 1106's options behaves as it did before the engine
// knew them: the trace hashes were taken then. A change of the engine that is meant to change traces replaces
// them, and its commit says why.
func TestR7OptionsOff(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		cfg       tcp.Config
		want      uint64
	}{
		{"tahoe", tcp.Config{Recovery: tcp.DupACK, Disable: tcp.Pacing}, 0x3898ba56eb44ae9e},
		{"tahoe", tcp.Config{Recovery: tcp.DupACK, Enable: tcp.PerACK | tcp.CoarseClock, SendBuffer: 60000, RecvBuffer: 60000,
			Disable: tcp.Pacing | tcp.Timestamps | tcp.SACK | tcp.WindowScaling | tcp.DelayedACK}, 0xab4b3a366b8e9889},
		{"reno", tcp.Config{Recovery: tcp.NewReno}, 0x5cf107890f853d8f},
		{"reno", tcp.Config{Recovery: tcp.SACK6675, Disable: tcp.Timestamps}, 0x9906f1cdb019df55},
		{"reno", tcp.Config{Recovery: tcp.DupACK, Disable: tcp.SACK, RecvBuffer: 1 << 20}, 0xe7ebcdc2933e2f92},
		{"cubic", tcp.Config{}, 0xba060e3125a25ce9},
		{"cubic.linux", tcp.Config{MSS: 512, Enable: tcp.Nagle}, 0x8df9ea3d78f240e9},
	} {
		c.cfg.Algorithm, _ = cc.Find(c.algorithm)
		if got := oneFlow(t, c.cfg, wire.Encoding{}, false); got != c.want {
			t.Errorf("%s, recovery %d, on %b, off %b: trace %#x, was %#x",
				c.algorithm, c.cfg.Recovery, c.cfg.Enable, c.cfg.Disable, got, c.want)
		}
	}
}

// TestR2SameTraceUnderOtherKinds checks that the kinds of RFC 1106's options are a matter of encoding alone: other bare kinds
// give the same trace, and so does a world that encodes every packet. The experimental kinds are longer, so theirs
// is another one.
func TestR2SameTraceUnderOtherKinds(t *testing.T) {
	reno, _ := cc.Find("reno")
	cfg := tcp.Config{Algorithm: reno, Policy: tcp.LossIsNoise, Enable: tcp.BigWindow | tcp.NAK, RecvBuffer: 200_000}
	literal := wire.Encoding{Literal: true}
	other := wire.Encoding{Literal: true, NAK: 200, BigWindow: 201, UpperWindow: 202, NAKPermitted: 203}
	want := oneFlow(t, cfg, literal, false)
	for _, e := range []wire.Encoding{literal, other} {
		for _, encode := range []bool{false, true} {
			if got := oneFlow(t, cfg, e, encode); got != want {
				t.Errorf("%+v, encoded %v: trace %#x, want %#x", e, encode, got, want)
			}
		}
	}
	short, long := oneFlow(t, cfg, wire.Encoding{}, false), oneFlow(t, cfg, wire.Encoding{}, true)
	if short != long || short == want {
		t.Errorf("experimental kinds: trace %#x, encoded %#x, literal %#x", short, long, want)
	}
}

// oneFlow moves 3 MB over a lossy path one way and 1 MB the other, and returns the trace's hash.
func oneFlow(t *testing.T, cfg tcp.Config, e wire.Encoding, encode bool) uint64 {
	t.Helper()
	w := New(7)
	w.Encoding, w.Wire = e, encode
	direction := func(name string) link.Config {
		return link.Config{
			Rate: 10e6, Delay: 30 * time.Millisecond, Queue: link.DropTail(40, 0),
			Loss:   []link.LossModel{link.Uniform(0.004, w.Rand("loss "+name))},
			Errors: []link.LossModel{link.BitErrors(1e-7, w.Rand("errors "+name))},
			Jitter: time.Millisecond, Reorder: 0.002, ReorderBy: 4 * time.Millisecond, Duplicate: 0.002,
			Rand: w.Rand("link " + name),
		}
	}
	d := dumbbell(t, w, direction("forward"), direction("reverse"))
	a, b := pair(t, d, "x")
	there := newTalker(w.Rand("there"), 3e6)
	back := newTalker(w.Rand("back"), 1e6)
	if err := b.Listen(80, 1, cfg, func(*tcp.Conn) App { return back }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Dial(b.AddrPort(80), cfg, there); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(mono.Time(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if there.received != 1e6 || back.received != 3e6 || there.read.Sum64() != back.wrote.Sum64() || back.read.Sum64() != there.wrote.Sum64() {
		t.Fatalf("received %d and %d octets", back.received, there.received)
	}
	return w.TraceHash()
}
