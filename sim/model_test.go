package sim

import (
	"errors"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"longhaul/capture"
	"longhaul/cc"
	"longhaul/link"
	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/trace"
)

// talker is an application at one end: it writes pseudo-random octets and closes, and hashes what it reads.
type talker struct {
	rng      *rand.Rand
	left     int // octets still to write
	buf      []byte
	unsent   []byte
	wrote    hash.Hash64
	read     hash.Hash64
	received int
	eof      bool
	err      error
	closed   bool // our side
}

func newTalker(rng *rand.Rand, octets int) *talker {
	return &talker{rng: rng, left: octets, buf: make([]byte, 3000), wrote: fnv.New64a(), read: fnv.New64a()}
}

func (a *talker) Ready(_ mono.Time, c *tcp.Conn) {
	for !a.eof && a.err == nil {
		n, err := c.Read(a.buf)
		a.read.Write(a.buf[:n])
		a.received += n
		switch {
		case errors.Is(err, io.EOF):
			a.eof = true
		case err != nil:
			a.err = err
		}
		if n == 0 {
			break
		}
	}
	for a.err == nil && c.Ready().Connected && !a.closed {
		if len(a.unsent) == 0 {
			if a.left == 0 {
				c.CloseWrite()
				a.closed = true
				return
			}
			a.unsent = make([]byte, min(a.left, 1+a.rng.IntN(5000)))
			for i := range a.unsent {
				a.unsent[i] = byte(a.rng.Uint32())
			}
			a.left -= len(a.unsent)
			a.wrote.Write(a.unsent)
		}
		n, err := c.Write(a.unsent)
		a.unsent = a.unsent[n:]
		if err != nil {
			a.err = err
		}
		if n == 0 {
			return
		}
	}
}

// seeds is how many worlds TestModel tries; a nightly run tries more.
var seeds = flag.Int("seeds", 1000, "worlds that TestModel tries")

// TestModel runs two stacks over a hostile link, both ways, with everything that a link can do: every octet
// arrives, both sides close, and the engine's invariants hold after every step.
func TestModel(t *testing.T) {
	n := *seeds
	if testing.Short() || raceEnabled {
		n = 50
	}
	failures := 0
	for seed := range uint64(n) {
		if err := model(seed, nil); err != nil {
			t.Errorf("seed %d: %v; packets in %s", seed, err, capturedModel(t, seed))
			if failures++; failures == 3 {
				t.FailNow()
			}
		}
	}
}

// capturedModel runs a failed seed again and returns the file that has its packets.
func capturedModel(t *testing.T, seed uint64) string {
	f, err := os.CreateTemp("", fmt.Sprintf("model-%d-*.pcapng", seed))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := capture.NewPcapNG(f)
	_ = model(seed, s)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// limit is the virtual time by which a model run must be over, TIME-WAIT included: ample for backed-off timers.
const limit = mono.Time(4 * time.Hour)

func model(seed uint64, packets trace.Sink) error {
	w := New(seed)
	rng := w.Rand("model")
	w.Wire = rng.IntN(4) == 0
	w.Encoding.Literal = rng.IntN(2) == 0
	d, err := NewDumbbell(w, hostile(w, rng, "forward"), hostile(w, rng, "reverse"))
	if err != nil {
		return err
	}
	a, err := d.Left("a")
	if err != nil {
		return err
	}
	b, err := d.Right("b")
	if err != nil {
		return err
	}
	if packets != nil {
		a.Tap(packets, 0)
		b.Tap(packets, 1)
	}
	mode := flipMTU(w, d)
	active := newTalker(w.Rand("a's octets"), rng.IntN(100_000))
	passive := newTalker(w.Rand("b's octets"), rng.IntN(100_000))
	var server *tcp.Conn
	passiveConfig := anyConfig(rng)
	passiveConfig.PathMTU = mode
	err = b.Listen(80, 1, passiveConfig, func(c *tcp.Conn) App { server = c; return passive })
	if err != nil {
		return err
	}
	activeConfig := anyConfig(rng)
	activeConfig.PathMTU = mode
	activeConfig.Timers.MTURaise = 5 * time.Second
	client, err := a.Dial(b.AddrPort(80), activeConfig, active)
	if err != nil {
		return err
	}
	if rng.IntN(3) == 0 {
		interpose(w, d.forward, rng)
		interpose(w, d.reverse, rng)
	}
	for w.step(limit) {
		if err := client.CheckInvariants(); err != nil {
			return fmt.Errorf("at %v, client: %w", w.now, err)
		}
		if server == nil {
			continue
		}
		if err := server.CheckInvariants(); err != nil {
			return fmt.Errorf("at %v, server: %w", w.now, err)
		}
	}
	if w.stopped != nil {
		return w.stopped
	}
	if server == nil {
		return errors.New("no connection was accepted")
	}
	return judge(client, server, active, passive)
}

// flipMTU changes the MTU of every other path a few times, with a word to the senders or without, and returns how the
// connections find it.
func flipMTU(w *World, d *Dumbbell) tcp.PathMTU {
	rng := w.Rand("mtu")
	if rng.IntN(2) == 0 {
		return tcp.MTUFollow
	}
	at := mono.Time(0)
	for range 1 + rng.IntN(4) {
		octets, report := 576+rng.IntN(1000), rng.IntN(2) == 0
		w.At(at, func(mono.Time) { w.Stop(d.SetMTU(octets, report)) })
		at = at.Add(time.Duration(rng.IntN(2000)) * time.Millisecond)
	}
	return []tcp.PathMTU{tcp.MTUFollow, tcp.MTUSearch}[rng.IntN(2)]
}

// judge returns an error unless both directions are complete and closed.
func judge(client, server *tcp.Conn, active, passive *talker) error {
	if active.err != nil || passive.err != nil {
		return fmt.Errorf("client error %v, server error %v", active.err, passive.err)
	}
	for _, e := range []struct {
		name     string
		from, to *talker
	}{{"client to server", active, passive}, {"server to client", passive, active}} {
		if e.from.left > 0 || !e.from.closed || !e.to.eof {
			return fmt.Errorf("%s: %d octets not written, closed %v, end of stream seen %v after %d octets",
				e.name, e.from.left, e.from.closed, e.to.eof, e.to.received)
		}
		if e.from.wrote.Sum64() != e.to.read.Sum64() {
			return fmt.Errorf("%s: other octets arrived than were sent", e.name)
		}
	}
	if !client.Ready().Closed || !server.Ready().Closed {
		return fmt.Errorf("client state %v, server state %v: not closed", client.Info().State, server.Info().State)
	}
	if n := client.Info().Received.FalseACKs + server.Info().Received.FalseACKs; n > 0 {
		return fmt.Errorf("%d ACKs of honest ends seem to be lies", n)
	}
	return nil
}

// hostile returns one direction of a path with a bit of everything.
func hostile(w *World, rng *rand.Rand, name string) link.Config {
	ms := func(n int) time.Duration { return time.Duration(rng.IntN(n)) * time.Millisecond }
	cfg := link.Config{
		Rate:  int64(1+rng.IntN(50)) * 1e6,
		Delay: ms(200),
		Rand:  w.Rand(name),
	}
	if rng.IntN(2) == 0 {
		cfg.Queue = link.DropTail(3+rng.IntN(50), 0)
	}
	if rng.IntN(3) > 0 {
		cfg.Loss = append(cfg.Loss, link.Uniform(0.1*rng.Float64(), w.Rand(name+" loss")))
	}
	if rng.IntN(3) == 0 {
		cfg.Errors = append(cfg.Errors, link.BitErrors(1e-5*rng.Float64(), w.Rand(name+" errors")))
	}
	if rng.IntN(3) == 0 {
		cfg.Jitter = ms(30)
	}
	if rng.IntN(3) == 0 {
		cfg.Reorder, cfg.ReorderBy = 0.1*rng.Float64(), ms(100)
	}
	if rng.IntN(3) == 0 {
		cfg.Duplicate = 0.1 * rng.Float64()
	}
	from := mono.Time(0)
	for range rng.IntN(3) {
		from = from.Add(ms(2000))
		to := from.Add(ms(3000))
		cfg.Outages = append(cfg.Outages, link.Outage{From: from, To: to})
		from = to
	}
	return cfg
}

// anyConfig returns a connection's configuration from all over the place.
func anyConfig(rng *rand.Rand) tcp.Config {
	cfg := tcp.Config{
		Algorithm:      cc.All[rng.IntN(len(cc.All))],
		Recovery:       []tcp.Recovery{tcp.RACK, tcp.SACK6675, tcp.NewReno, tcp.DupACK, tcp.FACK, tcp.NACK, tcp.NACKConn, tcp.NoFACK}[rng.IntN(8)],
		SubConnections: rng.IntN(6), // for the recoveries that know of them
		Disable:        tcp.Feature(rng.Uint32()) & tcp.Defaults,
		Enable:         tcp.Feature(rng.Uint32()) & (tcp.Nagle | tcp.Minshall | tcp.PerACK | tcp.CoarseClock | tcp.BigWindow | tcp.NAK | tcp.ACKCheck),
		NAKs:           tcp.NAKOptions{Threshold: rng.IntN(3), Repeat: rng.IntN(3), Ignore: rng.IntN(8) == 0, CountACKs: rng.IntN(8) == 0},
		SlowStart:      rng.IntN(4),
	}
	if rng.IntN(3) == 0 {
		cfg.Disable = 0
	}
	if rng.IntN(2) == 0 {
		cfg.MSS = 200 + rng.IntN(1300)
	}
	if rng.IntN(2) == 0 {
		cfg.SendBuffer = 2000 + rng.IntN(100_000)
	}
	if rng.IntN(2) == 0 {
		cfg.RecvBuffer = 2000 + rng.IntN(100_000)
	}
	if rng.IntN(4) == 0 {
		cfg.Policy = []tcp.Policy{tcp.LossIsNoise, tcp.TimeoutIsCongestion}[rng.IntN(2)]
	}
	return cfg
}
