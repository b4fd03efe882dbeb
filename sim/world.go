package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/wire"
)

// World is a virtual-time simulation. Not safe for concurrent use; different worlds are independent.
type World struct {
	// Wire makes every packet cross the links encoded: it is appended, decoded again, and a damaged one is
	// flipped and must fail to decode. Set it before the first packet is sent.
	Wire bool

	// Encoding is how RFC 1106's options are put on the wire. Set it before the first host is made.
	Encoding wire.Encoding

	seed    uint64
	now     mono.Time
	queue   heap
	pool    link.Pool
	steps   int // at the present instant
	stopped error
	hash    uint64
	codec   codec
}

// maxSteps is how much may happen at one instant before Run calls it a livelock: far more than the
// largest window holds segments (2^30 octets of 536).
const maxSteps = 20_000_000

// New returns an empty world at time 0.
func New(seed uint64) *World { return &World{seed: seed, hash: hashOffset} }

// Now returns the present instant.
func (w *World) Now() mono.Time { return w.now }

// Rand returns a new generator whose stream depends on the world's seed and on name only. Asking twice for one
// name gives two generators with equal streams, so every consumer needs a name of its own.
func (w *World) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

// TraceHash returns a hash of every TCP and UDP packet delivered so far: the time and the header fields that
// say what the ends did. Equal hashes mean equal runs.
func (w *World) TraceHash() uint64 { return w.hash }

// Undetected returns how many damaged packets decoded without an error in wire mode: those whose checksum held by
// chance.
func (w *World) Undetected() int64 { return w.codec.undetected }

// Add makes a known to the world and runs its first step at the given instant (mono.Never: not before Handle.Wake).
func (w *World) Add(a Actor, at mono.Time) *Handle {
	h := &Handle{w: w, actor: a, index: -1}
	w.queue.set(h, max(at, w.now))
	return h
}

// At runs f once at the given instant.
func (w *World) At(at mono.Time, f func(now mono.Time)) { w.Add(once(f), at) }

// once is an Actor that acts one time.
type once func(now mono.Time)

// Step acts.
func (f once) Step(now mono.Time) mono.Time {
	f(now)
	return mono.Never
}

// Run advances the world to until, inclusive, and leaves the clock there. It fails when the world does not get past
// one instant (some actor keeps asking to be run at once), when a codec check of wire mode fails, or when an actor
// called Stop with an error; the world is then of no further use.
func (w *World) Run(until mono.Time) error {
	for w.step(until) {
	}
	if w.stopped != nil {
		return w.stopped
	}
	if until != mono.Never {
		w.now = max(w.now, until)
	}
	return nil
}

// step runs the earliest event if it is due by until, and reports whether there may be another.
func (w *World) step(until mono.Time) bool {
	if len(w.queue.entries) == 0 {
		return false
	}
	e := &w.queue.entries[0]
	if e.at > until {
		return false
	}
	if e.at > w.now {
		w.now = e.at
		w.steps = 0
	}
	w.count()
	h := e.h
	next := h.actor.Step(w.now)
	w.queue.requeue(h, max(next, w.now))
	return w.stopped == nil
}

// Stop ends the present Run, which returns err. A nil err is ignored, and the first one stays.
func (w *World) Stop(err error) {
	if w.stopped == nil {
		w.stopped = err
	}
}

// count notes one unit of work at the present instant.
func (w *World) count() {
	w.steps++
	if w.steps > maxSteps {
		w.Stop(fmt.Errorf("sim: livelock: more than %d steps at %v", maxSteps, w.now))
	}
}

const (
	hashOffset = 14695981039346656037
	hashPrime  = 1099511628211
)

// mix folds one word into the trace hash: FNV-1a a word at a time, with a shift so that high bits reach low ones.
func (w *World) mix(v uint64) {
	h := (w.hash ^ v) * hashPrime
	w.hash = h ^ h>>29
}

// record folds a delivered packet into the trace hash.
func (w *World) record(now mono.Time, p *wire.Packet) {
	w.mix(uint64(now))
	w.mix(uint64(p.Seq)<<32 | uint64(p.Ack))
	w.mix(uint64(p.Flags)<<56 | uint64(p.ECN)<<48 | uint64(p.Window)<<32 | uint64(uint32(p.PayloadLen)))
	w.mix(uint64(p.Src.Port())<<32 | uint64(p.Dst.Port()))
}
