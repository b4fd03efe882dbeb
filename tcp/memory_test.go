package tcp

import (
	"runtime"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// heapInUse returns the octets of heap that live objects take.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// settleAll moves packets between two stacks without delay until none has any more to send.
func settleAll(now mono.Time, sides [2]*Stack) {
	for moved := true; moved; {
		moved = false
		for i, s := range sides {
			var p wire.Packet
			for {
				if ok, _ := s.Poll(now, &p); !ok {
					break
				}
				moved = true
				sides[1-i].Input(now, &p)
			}
			for s.Changed() != nil {
			}
		}
	}
}

// TestIdleMemory: what an established connection costs that has carried data and is idle, both tables of its stack included:
// the heap of 4,000 pairs of ends, divided by 8,000.
func TestIdleMemory(t *testing.T) {
	for _, algorithm := range []string{"reno", "cubic"} {
		a, _ := cc.Find(algorithm)
		const pairs = 4000
		sides := [2]*Stack{newTestStack(t, 1), newTestStack(t, 2)}
		before := heapInUse()
		l, err := sides[1].Listen(addrs[1], 128, Config{Algorithm: a})
		if err != nil {
			t.Fatal(err)
		}
		now := mono.Time(0)
		for range pairs {
			now = now.Add(time.Millisecond)
			c, err := sides[0].Dial(now, netipWithPort(addrs[0], 0), addrs[1], Config{Algorithm: a})
			if err != nil {
				t.Fatal(err)
			}
			settleAll(now, sides)
			s := l.Accept()
			var buf [1000]byte
			for range 3 {
				c.Write(buf[:])
				s.Write(buf[:])
				now = now.Add(time.Millisecond)
				settleAll(now, sides)
				c.Read(buf[:])
				s.Read(buf[:])
			}
		}
		now = now.Add(time.Minute)
		settleAll(now, sides)
		each := (heapInUse() - before) / (2 * pairs)
		if len(sides[0].conns) != pairs || len(sides[1].conns) != pairs {
			t.Fatalf("%d and %d connections", len(sides[0].conns), len(sides[1].conns))
		}
		t.Logf("%s: %d octets for each end", algorithm, each)
		if each > idleLimit {
			t.Errorf("%s: %d octets for each end, want at most %d", algorithm, each, idleLimit)
		}
		runtime.KeepAlive(sides)
	}
}

// idleLimit is what doc.go promises.
const idleLimit = 1024

// TestIdleHoldsNoRing: the record of what is outstanding, which a large flight makes large, goes when the connection is idle, and
// not between the requests of a busy one.
func TestIdleHoldsNoRing(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.transfer(10_000_000, time.Minute)
	c := w.ends[0]
	if w.run(50 * time.Millisecond); len(c.board.ring) < 100 {
		t.Errorf("a ring of %d segments just after the transfer", len(c.board.ring))
	}
	for limit := w.now.Add(time.Second); w.step(limit); {
	}
	if c.flow != nil || w.ends[1].flow != nil {
		t.Error("no rest when idle")
	}
	w.transfer(1_000_000, time.Minute)
}

// TestTimeWaitRests: what is in TIME-WAIT takes no more than what is idle, and still answers, and ends when it should.
func TestTimeWaitRests(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	c := w.ends[0]
	c.CloseWrite()
	w.run(100 * time.Millisecond)
	w.ends[1].CloseWrite()
	for limit := w.now.Add(time.Second); w.step(limit); {
	}
	if c.state != TimeWait || c.flow != nil {
		t.Fatalf("in %v; at rest: %v", c.state, c.flow == nil)
	}
	for limit := w.now.Add(time.Minute); w.step(limit); {
	}
	if c.state != Closed || len(w.sides[0].conns) != 0 {
		t.Errorf("in %v after a minute", c.state)
	}
}

// TestSparesAreBounded: connections that go to rest together leave no more memory behind than maxSpares flows.
func TestSparesAreBounded(t *testing.T) {
	w := newPair(t, time.Millisecond)
	l, _ := w.sides[1].Listen(addrs[1], 0, Config{})
	for range 3 * maxSpares {
		if _, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(time.Second)
	for l.Accept() != nil {
	}
	w.run(10 * time.Second)
	for i, s := range w.sides {
		if len(s.spares) != maxSpares {
			t.Errorf("side %d: %d spare flows", i, len(s.spares))
		}
		for _, c := range s.conns {
			if c.flow != nil {
				t.Errorf("side %d: a connection is not at rest", i)
			}
		}
	}
}

// TestTimeWaitIsBounded: of more connections in TIME-WAIT than StackConfig.MaxTimeWait the oldest ends at once.
func TestTimeWaitIsBounded(t *testing.T) {
	const most = 10
	w := newPairOf(t, time.Millisecond, StackConfig{MaxTimeWait: most})
	l, err := w.sides[1].Listen(addrs[1], 0, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var clients []*Conn
	for i := range 30 {
		c, err := w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		w.run(10 * time.Millisecond)
		c.CloseWrite()
		l.Accept().CloseWrite()
		w.run(10 * time.Millisecond)
		if n := len(w.sides[0].conns); n != min(i+1, most) {
			t.Fatalf("%d connections after %d were closed", n, i+1)
		}
	}
	for i, c := range clients {
		if want := i >= 30-most; (c.state == TimeWait) != want || c.err != nil {
			t.Errorf("connection %d: %v, %v", i, c.state, c.err)
		}
	}
	w.run(2 * time.Minute)
	if n := len(w.sides[0].conns); n != 0 {
		t.Errorf("%d connections are left", n)
	}
}
