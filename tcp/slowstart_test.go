package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// opening connects with a first window of n segments, slow start opening by k, growth per ACK and a round trip of 100 ms
// on a path without limit, so that a round lasts exactly that long and its window is what slow start made of the last.
func opening(t *testing.T, k, n int, delayed bool) *pair {
	w := newPair(t, 50*time.Millisecond)
	cfg, server := reno(RACK), Config{RecvBuffer: 64 << 20}
	cfg.SlowStart, cfg.InitialWindow, cfg.SendBuffer = k, n, 64<<20
	cfg.Enable |= PerACK
	cfg.Disable |= FRTO
	if !delayed {
		server.Disable = DelayedACK
	}
	w.connect(cfg, server)
	w.ends[1].ackp.quick = 0 // no ACKs beyond those of RFC 5681 s.4.2 at the start
	w.ends[0].WriteSynthetic(64 << 20)
	w.apps = func() { w.ends[1].Discard(64 << 20) }
	w.run(time.Millisecond)
	return w
}

// grows runs rounds round trips and checks that each multiplies the window, which is from segments, by num/den.
func (w *pair) grows(what string, rounds, from, num, den int) {
	w.t.Helper()
	c := w.ends[0]
	for i := 0; ; i++ {
		if got := c.Info(); got.Window != int64(from*c.snd.mss) || got.InFlight != got.Window {
			w.t.Errorf("%s: window %.2f and flight %.2f segments after %d round trips, want %d", what,
				float64(got.Window)/float64(c.snd.mss), float64(got.InFlight)/float64(c.snd.mss), i, from)
			return
		}
		if i == rounds {
			return
		}
		w.run(100 * time.Millisecond)
		from = from * num / den
	}
}

// TestR20FasterSlowStart: opened by two segments for each acknowledged one, the window triples in a round trip where the
// standard doubles it, and with delayed ACKs it doubles instead of growing by half (RFC 1106 s.4.2). The words of the RFC
// are taken, and not its formula of 2 R log2 W round trips, which would be slower than the standard (C-9).
func TestR20FasterSlowStart(t *testing.T) {
	opening(t, 1, 4, false).grows("standard", 9, 4, 2, 1)
	opening(t, 2, 4, false).grows("faster", 6, 4, 3, 1)
	opening(t, 1, 32, true).grows("standard, delayed ACKs", 4, 32, 3, 2)
	opening(t, 2, 32, true).grows("faster, delayed ACKs", 5, 32, 2, 1)
	opening(t, 0, 4, false).grows("default", 9, 4, 2, 1)
}

// TestR21SlowStartRates: the rate is a parameter, and the slow start after a loss of everything opens as the first one
// does, by a factor of 1+k in a round trip (RFC 1106 s.4.2).
func TestR21SlowStartRates(t *testing.T) {
	for k := 1; k <= 4; k++ {
		w := opening(t, k, 1, false)
		w.grows("start", 4, 1, 1+k, 1)
		c := w.ends[0]
		for c.Info().Window < int64(2000*c.snd.mss) {
			w.run(100 * time.Millisecond)
		}
		w.filter = func(*wire.Packet, int) (bool, time.Duration) { return c.sent.Timeouts == 0, 0 }
		w.flying = nil
		for c.sent.Timeouts == 0 {
			w.step(w.now.Add(time.Minute))
		}
		w.run(0)
		w.grows("after a timeout", 4, 1, 1+k, 1)
	}
}
