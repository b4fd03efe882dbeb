package tcp

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"longhaul/mono"
	"longhaul/wire"
)

// forgotten are the fields of a flow that a rest does not keep: what quiet finds to be zero or what is made anew, scratch, and
// what matters only in a handshake, in an episode, to the watch for idleness or while something is in flight.
var forgotten = []string{
	"err", "want", "work", "subs", "detect", "rack", "rtt.timers",
	"snd.nxt", "snd.buf.bytes", "snd.buf.size", "rcv.buf", "rcv.ooo", "rcv.recent", "rcv.numRecent", "rcv.naked", "ackp.now", "ackp.pending",
	"board.ring", "board.tail", "board.hint", "board.sacked", "board.sackedSegs", "board.order",
	"one.0.ctrl", "one.0.out", "one.0.pipe", "one.0.lost", "one.0.lostSize", "one.0.share", "one.0.beyond", "one.0.id",
	"one.0.meter.deliveredAt", "one.0.meter.firstSentAt", "one.0.meter.newest", "one.0.meter.newestSentAt", "one.0.meter.newestFlags", "one.0.meter.have", "one.0.meter.ahead",
	"one.0.ep.state", "one.0.ep.opener", "one.0.ep.prr", "one.0.ep.ramp",
	"pace.perOctet", "pace.blocked", "timers", "activity.holdRTO", "activity.turn", "activity.idle", "ecn.paused",
	"hand.listener", "hand.cookie", "hand.again", "hand.spurious", "hand.firstTS", "hand.begun", "hand.opts", "hand.bigWindow",
}

// eachField calls f for every field of v that has no fields of its own, and for those that are forgotten.
func eachField(v reflect.Value, path string, forgotten map[string]bool, f func(path string, v reflect.Value)) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // also what is not exported
	switch {
	case forgotten[path]:
		forgotten[path] = false // seen
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			eachField(v.Field(i), name, forgotten, f)
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			eachField(v.Index(i), fmt.Sprintf("%s.%d", path, i), forgotten, f)
		}
	default:
		f(path, v)
	}
}

// TestRestKeepsAll: every field of a flow that is not known to be of no use later outlives a rest, whatever its value.
func TestRestKeepsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w := newPair(t, time.Millisecond)
		w.connect(Config{}, Config{})
		c := w.ends[0]
		want := map[string]uint64{}
		skip := map[string]bool{}
		for _, path := range forgotten {
			skip[path] = true
		}
		eachField(reflect.ValueOf(c.flow).Elem(), "", skip, func(path string, v reflect.Value) {
			n := rng.Uint64() >> rng.IntN(64)
			switch {
			case v.CanUint():
				v.SetUint(n & (1<<v.Type().Bits() - 1))
				want[path] = v.Uint()
			case v.CanInt():
				v.SetInt(int64(n))
				want[path] = uint64(v.Int())
			case v.Kind() == reflect.Bool:
				v.SetBool(n&1 != 0)
				want[path] = n & 1
			default:
				t.Fatalf("%s is a %v: pack must know what to do with it", path, v.Kind())
			}
		})
		for path, unseen := range skip {
			if unseen {
				t.Fatalf("there is no %s", path)
			}
		}
		k := &c.stack.packer
		k.begin("")
		k.flow(c)
		c.packed, c.ctrl = k.result(), c.subs[0].ctrl
		c.dropFlow()
		c.resume()
		for _, path := range forgotten {
			skip[path] = true
		}
		eachField(reflect.ValueOf(c.flow).Elem(), "", skip, func(path string, v reflect.Value) {
			got := uint64(0)
			switch {
			case v.CanUint():
				got = v.Uint()
			case v.CanInt():
				got = uint64(v.Int())
			case v.Bool():
				got = 1
			}
			if got != want[path] {
				t.Errorf("%s was %#x and is %#x", path, want[path], got)
			}
		})
		if rate := c.pace.rate; rate > 0 && c.pace.perOctet != 1e9/float64(rate) {
			t.Errorf("a rate of %d, and %v ns for an octet", rate, c.pace.perOctet)
		}
		c.stack.forget(c)
	}
}

// restful runs requests and answers over a path that loses, delays and doubles packets, and returns every packet that was sent. With
// often the ends rest whenever they can, else only as they do by themselves.
func restful(t *testing.T, cfg Config, seed uint64, often bool) (sent []seen, rests int) {
	w := newPair(t, 5*time.Millisecond)
	rng := rand.New(rand.NewPCG(seed, 7))
	w.filter = func(*wire.Packet, int) (bool, time.Duration) {
		if rng.IntN(10) == 0 {
			return true, 0
		}
		return false, time.Duration(rng.IntN(10)/9*rng.IntN(20)) * time.Millisecond
	}
	w.connect(cfg, cfg)
	settled := func() {
		for _, c := range w.ends {
			if often && c.flow != nil && !c.sched.ready {
				if c.rest(); c.flow == nil {
					rests++
				}
			}
		}
	}
	var buf [100_000]byte
	for range 30 {
		for _, c := range w.ends {
			c.Write(buf[:rng.IntN(1+rng.IntN(60_000))])
		}
		w.apps = func() {
			for _, c := range w.ends {
				c.Read(buf[:])
			}
		}
		for end := w.now.Add(time.Duration(rng.IntN(3000)) * time.Millisecond); ; settled() {
			if !w.step(end) {
				w.now = end
				break
			}
		}
	}
	w.wake()
	for _, c := range w.ends {
		w.seen = append(w.seen, seen{at: mono.Time(c.sent.Bytes), from: int(c.got.Bytes)})
	}
	return w.seen, rests
}

// TestRestChangesNothing: a connection that rests at every opportunity sends to the nanosecond and the bit what it would send otherwise,
// whatever it does before and after.
func TestRestChangesNothing(t *testing.T) {
	for name, cfg := range map[string]Config{
		"RACK": {}, "RFC 6675": {Recovery: SACK6675}, "FACK": {Recovery: FACK}, "NewReno": {Recovery: NewReno}, "Reno": {Recovery: DupACK, Disable: SACK | Timestamps},
		"RFC 1106": {Enable: BigWindow | NAK, Policy: LossIsNoise, NAKs: NAKOptions{Repeat: 2}}, "ECN": {Enable: ECN | ACKCheck | Nagle},
		"slow timers": {UserTimeout: time.Minute, KeepAlive: KeepAlive{Idle: 300 * time.Millisecond, Interval: time.Second}},
	} {
		total := 0
		for seed := range uint64(10) {
			want, _ := restful(t, cfg, seed, false)
			got, rests := restful(t, cfg, seed, true)
			total += rests
			if len(got) != len(want) {
				t.Fatalf("%s, seed %d: %d packets, want %d", name, seed, len(got), len(want))
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("%s, seed %d, packet %d: %v, want %v", name, seed, i, got[i], want[i])
				}
			}
		}
		if total < 100 {
			t.Errorf("%s: only %d rests", name, total)
		}
	}
}
