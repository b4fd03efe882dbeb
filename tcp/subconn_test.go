package tcp

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// split returns a configuration of n sub-connections of Reno; no pacing and no delayed ACK.
func split(r Recovery, n int) Config {
	cfg := reno(r)
	cfg.SubConnections = n
	return cfg
}

// windows returns the windows of c's sub-connections, in segments.
func windows(c *Conn) (list []int64) {
	for i := range c.subs {
		list = append(list, c.subs[i].out.Window/int64(c.snd.mss))
	}
	return list
}

// TestSubConnectionCut (R43, R44): when m of n sub-connections with windows of eight segments lose one, the window falls by four segments
// each, so by m/(2n), and the others keep theirs.
func TestSubConnectionCut(t *testing.T) {
	for _, r := range []Recovery{NACK, NACKConn, NoFACK} {
		for _, n := range []int{1, 2, 4, 8, 16} {
			for _, m := range []int{1, n/2 + 1, n} {
				w := newPair(t, 50*time.Millisecond)
				cfg := split(r, n)
				cfg.InitialWindow, cfg.SendBuffer, cfg.MSS = 8*n, 1<<20, 500 // all within the first 64 KiB that the peer offers
				w.connect(cfg, Config{Disable: DelayedACK, RecvBuffer: 1 << 20})
				c := w.ends[0]
				mss := c.snd.mss
				var offsets []int
				for i := range m {
					offsets = append(offsets, i*mss) // the first segment of each of the first m
				}
				w.filter = w.lose(offsets...)
				c.WriteSynthetic(8 * n * mss)
				w.run(time.Millisecond)
				if got, want := c.Info().Window, int64(8*n*mss); got != want || c.flight() != int(want) {
					t.Fatalf("n = %d: window %d and flight %d, want %d", n, got, c.flight(), want)
				}
				w.run(110 * time.Millisecond)
				if got, want := c.Info().Window, int64((8*n-4*m)*mss); got != want {
					t.Errorf("recovery %d, %d of %d hit: windows %v, in all %d, want %d", r, m, n, windows(c), got, want)
				}
			}
		}
	}
}

// TestSubConnectionsOfOne (R30): a connection of one sub-connection is an ordinary one, to the packet, whatever the recovery.
func TestSubConnectionsOfOne(t *testing.T) {
	trace := func(cfg Config) (out []string) {
		w := newPair(t, 50*time.Millisecond)
		w.connect(cfg, Config{})
		rng := rand.New(rand.NewPCG(3, 3))
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return p.PayloadLen > 0 && rng.IntN(30) == 0, 0 }
		w.transfer(300_000, time.Hour)
		for _, s := range w.seen {
			out = append(out, s.String())
		}
		return out
	}
	for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, NACK} {
		plain, one, ignored := trace(split(r, 0)), trace(split(r, 1)), trace(split(r, 4))
		if fmt.Sprint(plain) != fmt.Sprint(one) {
			t.Errorf("recovery %d: one sub-connection differs from none", r)
		}
		if same := fmt.Sprint(plain) == fmt.Sprint(ignored); same == r.Splits() {
			t.Errorf("recovery %d: four sub-connections have the same trace: %v", r, same)
		}
	}
}

// TestSubConnectionStart (R37 to R39, C-25): each begins with its share of the first window and of the first threshold, but at least a segment,
// and the first flight is ten segments at most, or what the configuration says.
func TestSubConnectionStart(t *testing.T) {
	for _, c := range []struct{ n, iw, window, flight int }{
		{1, 0, 10, 10}, {2, 0, 10, 10}, {4, 0, 8, 8}, {16, 0, 16, 10}, {4, 1, 4, 4}, {16, 1, 16, 10}, {16, 32, 32, 32},
	} {
		w := newPair(t, 50*time.Millisecond)
		cfg := split(NACK, c.n)
		cfg.InitialWindow, cfg.InitialSsthresh = c.iw, 64*1460
		w.connect(cfg, Config{})
		w.ends[0].WriteSynthetic(1 << 20)
		w.run(time.Millisecond)
		in := w.ends[0].Info()
		if got := int(in.Window) / in.MSS; got != c.window || in.Ssthresh != int64(max(64*1460/c.n, 2*in.MSS)*c.n) {
			t.Errorf("%+v: window of %d segments, ssthresh %d", c, got, in.Ssthresh)
		}
		if got := len(w.data(0)); got != c.flight {
			t.Errorf("%+v: %d segments in the first flight", c, got)
		}
	}
}

// TestSubConnectionTurns (R33, R34): new segments go round those whose windows have room, and a segment keeps its sub-connection when it is sent again.
func TestSubConnectionTurns(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := split(NACK, 4)
	cfg.InitialWindow = 16
	w.connect(cfg, Config{Disable: DelayedACK})
	c := w.ends[0]
	mss := c.snd.mss
	w.filter = w.lose(2 * mss)
	c.WriteSynthetic(64 * mss)
	w.run(time.Millisecond)
	for i := range 16 {
		if got := c.board.at(c.board.head + uint32(i)).sub; got != uint8(i%4) {
			t.Errorf("segment %d belongs to sub-connection %d", i, got)
		}
	}
	w.run(110 * time.Millisecond) // the third has been sent again
	if g := c.board.at(c.board.head); !g.has(segRetrans) || g.sub != 2 || g.seq != c.snd.iss.Add(1+2*mss) {
		t.Errorf("the first segment is %+v", *g)
	}
	if c.subs[2].ep.state != epRecovery || c.subs[0].ep.state != epOpen {
		t.Errorf("states %d and %d", c.subs[2].ep.state, c.subs[0].ep.state)
	}
}

// TestNACKReference (R40, R41, R46): over random losses each segment's NACKs and its loss are what a count by the letter gives: an ACK that newly SACKs
// something sent later, and never sent again, by the same sub-connection, counts once, and three are a loss.
func TestNACKReference(t *testing.T) {
	for _, r := range []Recovery{NACK, NACKConn} {
		for seed := range uint64(20) {
			w := newPair(t, 50*time.Millisecond)
			cfg := split(r, 1+int(seed%5))
			w.connect(cfg, Config{})
			rng := rand.New(rand.NewPCG(seed, 3))
			w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
				return from == 0 && p.PayloadLen > 0 && rng.IntN(12) == 0 || rng.IntN(100) == 0, 0
			}
			c, left, counted := w.ends[0], 400_000, 0
			w.apps = func() { left -= c.WriteSynthetic(left); w.ends[1].Discard(1 << 20) }
			w.apps()
			for limit := w.now.Add(time.Hour); c.snd.buf.size > 0; {
				before, timeouts := snapshot(c), c.sent.Timeouts
				if !w.step(limit) {
					t.Fatalf("recovery %d, seed %d: stuck at %v", r, seed, w.now)
				}
				if c.flow == nil {
					break
				}
				if c.sent.Timeouts == timeouts {
					counted += compareNACKs(t, c, r == NACKConn, before)
				}
			}
			if counted < 20 {
				t.Errorf("recovery %d, seed %d: only %d NACKs", r, seed, counted)
			}
		}
	}
}

// snapshot returns what is outstanding, by sequence number.
func snapshot(c *Conn) map[wire.Seq]segment {
	m := map[wire.Seq]segment{}
	for n := c.board.head; n != c.board.tail; n++ {
		m[c.board.at(n).seq] = *c.board.at(n)
	}
	return m
}

// compareNACKs compares the segments after an event with those before it, and returns how many NACKs there were.
func compareNACKs(t *testing.T, c *Conn, whole bool, before map[wire.Seq]segment) (n int) {
	t.Helper()
	newest := map[uint8]mono.Time{}
	after := snapshot(c)
	for q, g := range after {
		if old, ok := before[q]; ok && g.has(segSACKed) && !old.has(segSACKed) && !old.has(segRetrans) {
			scope := g.sub
			if whole {
				scope = 0
			}
			newest[scope] = max(newest[scope], old.sentAt)
		}
	}
	for q, g := range after {
		old, ok := before[q]
		if !ok || !old.inFlight() || g.has(segSACKed) {
			continue
		}
		scope := g.sub
		if whole {
			scope = 0
		}
		want := old.nacks
		if old.sentAt < newest[scope] {
			want++
			n++
		}
		lost := g.has(segLost) || g.sentAt != old.sentAt
		if lost != (want >= 3) || !lost && g.nacks != want {
			t.Errorf("segment %d of sub-connection %d: %d NACKs and lost %v, want %d", q.Sub(c.snd.iss), g.sub, g.nacks, lost, want)
		}
	}
	return n
}

// TestLostRetransmission (R46): a segment lost twice is repaired in two round trips by NACKs of what left after it, without a timeout;
// without trigger segments, as NewReno does it, there is one.
func TestLostRetransmission(t *testing.T) {
	for _, c := range []struct {
		r        Recovery
		timeouts int64
	}{{NACK, 0}, {NACKConn, 0}, {NoFACK, 1}} {
		for _, n := range []int{1, 2, 4} {
			w := newPair(t, 50*time.Millisecond)
			cfg := split(c.r, n)
			cfg.InitialWindow = 8 * n
			w.connect(cfg, Config{Disable: DelayedACK, RecvBuffer: 1 << 20})
			mss := w.ends[0].snd.mss
			w.filter = w.lose(0, 0)
			w.transfer(60*n*mss, time.Minute)
			if got := w.ends[0].Info().Sent; got.Timeouts != c.timeouts {
				t.Errorf("recovery %d, n = %d: %d timeouts, want %d", c.r, n, got.Timeouts, c.timeouts)
			}
		}
	}
}

// TestSubConnectionTimeout (R47, C-35): a timeout leaves every sub-connection a segment and half the threshold.
func TestSubConnectionTimeout(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	cfg := split(NACK, 4)
	cfg.InitialWindow = 32
	w.connect(cfg, Config{})
	c := w.ends[0]
	mss := int64(c.snd.mss)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return p.PayloadLen > 0, 0 }
	c.WriteSynthetic(int(32 * mss))
	for c.sent.Timeouts == 0 {
		w.step(mono.Never)
	}
	for i := range c.subs {
		if o := c.subs[i].out; o.Window != mss || o.Ssthresh != 4*mss {
			t.Errorf("sub-connection %d: window %d, ssthresh %d", i, o.Window, o.Ssthresh)
		}
	}
}

// TestSubConnectionsWithoutSACK (R31, R42): a receiver without SACK gets everything; duplicate ACKs count for the first segment, which with one
// sub-connection is NewReno.
func TestSubConnectionsWithoutSACK(t *testing.T) {
	var want Sent
	for _, r := range []Recovery{NewReno, NACK, NACKConn, NoFACK} {
		for _, n := range []int{1, 4, 16} {
			w := newPair(t, 50*time.Millisecond)
			w.connect(split(r, n), Config{Disable: SACK | DelayedACK})
			mss := w.ends[0].snd.mss
			w.filter = w.lose(40*mss, 60*mss, 90*mss, 91*mss)
			w.transfer(200*mss, time.Minute)
			got := w.ends[0].Info().Sent
			if r == NewReno {
				want = got
			}
			if got.FastRetransmits == 0 || got.Timeouts > want.Timeouts || n == 1 && got != want {
				t.Errorf("recovery %d, n = %d: %+v, NewReno %+v", r, n, got, want)
			}
		}
	}
}

// TestSubConnectionsOfAnything: every controller steers sub-connections, over a path that loses and reorders, with invariants checked at each
// step, and a steady state allocates nothing that does not grow.
func TestSubConnectionsOfAnything(t *testing.T) {
	for _, a := range cc.All {
		for _, r := range []Recovery{NACK, NACKConn, NoFACK} {
			w := newPair(t, 20*time.Millisecond)
			w.connect(Config{Algorithm: a, Recovery: r, SubConnections: 5, Enable: ECN}, Config{Enable: ECN})
			rng := rand.New(rand.NewPCG(5, 5))
			w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
				if p.ECN == wire.ECT0 && rng.IntN(200) == 0 {
					p.ECN = wire.CE
				}
				return rng.IntN(40) == 0, time.Duration(rng.IntN(20)/19) * 3 * time.Millisecond
			}
			w.transfer(200_000, time.Hour)
			w.run(time.Minute)
			if c := w.ends[0]; c.board.len() > 0 || c.subs[3].pipe != 0 {
				t.Errorf("%s, recovery %d: %d segments outstanding at the end", a.Name, r, c.board.len())
			}
		}
	}
}
