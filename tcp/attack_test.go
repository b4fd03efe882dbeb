package tcp

import (
	"math/rand/v2"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// lane is a pair whose data crosses a bottleneck to a receiver that may cheat: the harness of the attacks on a sender's
// congestion control. Time, losses and the receiver's tricks are the same in every run.
type lane struct {
	*pair
	rate    float64       // octets a second of payload, from side 0 to side 1
	queue   time.Duration // the longest wait for the bottleneck; what would wait longer is dropped
	loss    float64
	busy    mono.Time // the bottleneck is, until then
	rng     *rand.Rand
	peer    receiverTrick
	offered int64 // octets of payload that the sender has put on the path
}

// receiverTrick is what a receiver makes of the traffic. Every method may be nil: then the receiver is honest.
type receiverTrick struct {
	answer  func(l *lane, p *wire.Packet) (drop bool)                   // its own stack is about to send p
	sent    func(l *lane, p *wire.Packet, arrives mono.Time, lost bool) // the sender has sent p
	elapsed func(l *lane)                                               // something has happened
}

// newLane connects a lane of 10 Mbit/s and 100 ms, with a queue of one bandwidth-delay product, that loses that share of the
// data. What the sender writes is synthetic and never ends; what arrives is read.
func newLane(t *testing.T, cfg Config, loss float64, peer receiverTrick) *lane {
	return newLaneTo(t, cfg, Config{Disable: DelayedACK, RecvBuffer: 4 << 20}, loss, peer)
}

func newLaneTo(t *testing.T, cfg, server Config, loss float64, peer receiverTrick) *lane {
	t.Helper()
	l := &lane{
		pair: newPair(t, 50*time.Millisecond), rate: 1.25e6, queue: 100 * time.Millisecond, loss: loss,
		rng: rand.New(rand.NewPCG(1, 2)),
	}
	l.lax = true
	cfg.SendBuffer = 8 << 20
	l.connect(cfg, server)
	l.peer = peer
	l.filter = l.cross
	l.apps = func() {
		l.ends[0].WriteSynthetic(1 << 20)
		l.ends[1].Discard(1 << 30)
		if peer.elapsed != nil {
			peer.elapsed(l)
		}
	}
	return l
}

// cross is the path's filter.
func (l *lane) cross(p *wire.Packet, from int) (drop bool, extra time.Duration) {
	if from == 1 {
		return l.peer.answer != nil && l.peer.answer(l, p), 0
	}
	if p.PayloadLen == 0 {
		return false, 0
	}
	l.offered += int64(p.PayloadLen)
	wait := max(l.busy.Sub(l.now), 0)
	drop = wait > l.queue || l.rng.Float64() < l.loss
	if wait <= l.queue {
		l.busy = l.now.Add(wait + time.Duration(float64(p.PayloadLen)/l.rate*1e9))
		extra = l.busy.Sub(l.now)
	}
	if l.peer.sent != nil {
		l.peer.sent(l, p, l.now.Add(l.delay+extra), drop)
	}
	return drop, extra
}

// arrive has a packet of the receiver's arrive at the sender at that time.
func (l *lane) arrive(at mono.Time, p wire.Packet) {
	i := len(l.flying)
	for i > 0 && l.flying[i-1].at > at {
		i--
	}
	l.flying = append(l.flying, flying{})
	copy(l.flying[i+1:], l.flying[i:])
	l.flying[i] = flying{at, 0, p}
}

// ack is an ACK of the receiver's for everything below seq, with the timestamps that its stack would give it.
func (l *lane) ack(seq wire.Seq) wire.Packet {
	c, e := l.ends[0], l.ends[1]
	l.wake()
	p := wire.Packet{
		Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.ACK, Seq: e.snd.nxt, Ack: seq,
		Window: uint16(min(4<<20>>c.snd.scale, 65535)),
	}
	if c.on&Timestamps != 0 {
		p.Options = wire.Options{Set: wire.OptTimestamps, TSVal: e.tsVal(l.now), TSEcr: e.rcv.tsRecent}
	}
	return p
}

// sends runs the lane for a while and returns the octets that the sender put on the path meanwhile.
func (l *lane) sends(d time.Duration) int64 {
	l.t.Helper()
	before := l.offered
	l.run(d)
	if err := l.ends[0].CheckInvariants(); err != nil {
		l.t.Fatal(err)
	}
	return l.offered - before
}
