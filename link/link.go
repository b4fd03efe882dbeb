package link

import (
	"slices"
	"time"

	"longhaul/mono"
	"longhaul/trace"
)

// Link is one direction of a path: a waiting room, a transmitter, and the way to the other end.
//
// The transmitter needs no events of its own. Before anything else happens at now, the link catches up on the
// transmissions that have started by then; each starts exactly when the one before it ended, so disciplines and
// loss models see true times in order.
type Link struct {
	cfg     Config
	pool    *Pool
	queue   Queue
	idle    bool      // nothing waits and nothing is known to be in transmission
	free    mono.Time // when the transmitter is done with what it has
	carry   int64     // part of a nanosecond that rounding free down has left out, in units of 1/Rate
	flying  lane
	late    lane // what Reorder holds back
	outages []Outage
	stats   Stats
	event   trace.Event
}

// New returns a link that takes its extra copies from pool and gives dropped packets back to it. The queue and the
// loss models of cfg belong to the link from now on. The error says what in cfg is impossible.
func New(cfg Config, pool *Pool) (*Link, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	l := &Link{cfg: cfg, pool: pool, queue: cfg.Queue, idle: true}
	if l.queue == nil {
		l.queue = &DropTailQueue{}
	}
	if cfg.ReorderBy == 0 {
		l.cfg.Reorder = 0 // held back by nothing
	}
	l.outages = slices.DeleteFunc(slices.Clone(cfg.Outages), func(o Outage) bool { return o.From == o.To })
	return l, nil
}

// Send puts p on the link, which owns it until Poll returns it or it is dropped. Now never goes back.
func (l *Link) Send(now mono.Time, p *Packet) {
	l.advance(now)
	l.stats.Offered++
	l.stats.OfferedOctets += int64(p.Size)
	if l.cfg.MTU > 0 && p.Size > l.cfg.MTU {
		l.stats.TooBig++
		if l.cfg.TooBig != nil {
			l.cfg.TooBig(now, p)
		}
		l.drop(now, p, CauseMTU)
		return
	}
	p.arrive = now
	if !l.queue.Enqueue(now, p) {
		l.stats.QueueDrops++
		l.drop(now, p, CauseQueue)
		return
	}
	if l.idle {
		l.idle = false
		// A packet that comes just as the one before has gone keeps the fraction of a nanosecond: a sender
		// clocked by what arrives must not gain on the rate.
		if l.free < now {
			l.free, l.carry = now, 0
		}
		l.advance(now)
		return
	}
	packets, octets := l.queue.Len()
	l.stats.PeakQueue = max(l.stats.PeakQueue, packets)
	l.stats.PeakOctets = max(l.stats.PeakOctets, octets)
}

// Poll returns a packet that has arrived at the far end, or nil and when to come back: later than now, and
// mono.Never if the link is empty.
func (l *Link) Poll(now mono.Time) (p *Packet, next mono.Time) {
	l.advance(now)
	from := &l.flying
	if l.late.len() > 0 && (l.flying.len() == 0 || l.late.front().at <= l.flying.front().at) {
		from = &l.late
	}
	next = mono.Never
	if from.len() > 0 {
		next = from.front().at
		if next <= now {
			p = from.pop()
			l.stats.Delivered++
			l.stats.DeliveredOctets += int64(p.Size)
			if p.Corrupt {
				l.stats.Corrupted++
			}
			return p, now
		}
	}
	// What still waits arrives no sooner than Delay after the transmitter is free, and, unless held back, behind what flies already.
	if !l.idle && (l.flying.len() == 0 || l.cfg.Reorder > 0) {
		if n, _ := l.queue.Len(); n > 0 {
			next = min(next, l.free.Add(l.cfg.Delay))
		}
	}
	return nil, next
}

// SetRate changes the rate in bits per second, 0 for infinitely fast, of the transmissions that start from now on.
// The error says what is wrong with rate; nothing changes then.
func (l *Link) SetRate(now mono.Time, rate int64) error {
	if err := checkRate(rate); err != nil {
		return err
	}
	l.advance(now)
	l.cfg.Rate, l.carry = rate, 0
	return nil
}

// SetMTU changes Config.MTU and Config.TooBig for the packets that come from now on. The error says what is wrong with octets;
// nothing changes then.
func (l *Link) SetMTU(octets int, tooBig func(now mono.Time, p *Packet)) error {
	cfg := Config{MTU: octets}
	if err := cfg.check(); err != nil {
		return err
	}
	l.cfg.MTU, l.cfg.TooBig = octets, tooBig
	return nil
}

// Stats returns the counters.
func (l *Link) Stats() Stats { return l.stats }

// Held returns how many packets are inside: waiting, being transmitted or on their way.
func (l *Link) Held() int {
	n, _ := l.queue.Len()
	return n + l.flying.len() + l.late.len()
}

// advance starts every transmission that is due by now.
func (l *Link) advance(now mono.Time) {
	for !l.idle && l.free <= now {
		p := l.queue.Dequeue(l.free)
		if p == nil {
			l.idle = true
			return
		}
		l.transmit(now, p)
	}
}

// transmit serialises p from l.free on and sends it on its way.
func (l *Link) transmit(now mono.Time, p *Packet) {
	start, octets := l.free, p.Size+l.cfg.Overhead
	l.stats.Waited += start.Sub(p.arrive)
	if l.cfg.Rate > 0 {
		// Exact: what the division leaves over is carried to the next packet, so that n packets take n times
		// their time to within a nanosecond.
		amount := int64(octets)*8*int64(time.Second) + l.carry
		took := amount / l.cfg.Rate
		l.carry = amount - took*l.cfg.Rate
		l.free = start.Add(time.Duration(took))
		l.stats.Busy += time.Duration(took)
	}
	end := l.free
	if cause := l.lose(start, end, octets, p); cause != "" {
		l.drop(now, p, cause)
		return
	}
	p.arrive = end.Add(l.cfg.Delay)
	if l.cfg.Rand == nil {
		l.flying.push(p)
		return
	}
	l.disturb(p)
}

// disturb applies jitter, reordering and duplication. What is held back keeps an order of its own.
func (l *Link) disturb(p *Packet) {
	if l.cfg.Jitter > 0 {
		p.arrive = p.arrive.Add(time.Duration(l.cfg.Rand.Int64N(int64(l.cfg.Jitter))))
	}
	to := &l.flying
	if l.cfg.Reorder > 0 && l.cfg.Rand.Float64() < l.cfg.Reorder {
		p.arrive = p.arrive.Add(l.cfg.ReorderBy)
		to = &l.late
	}
	to.push(p)
	if l.cfg.Duplicate > 0 && l.cfg.Rand.Float64() < l.cfg.Duplicate {
		l.stats.Duplicated++
		to.push(l.pool.copy(p))
	}
}

// lose returns the cause if p, transmitted from start to end, vanishes, or an empty string; it marks p if it is damaged.
func (l *Link) lose(start, end mono.Time, octets int, p *Packet) (cause string) {
	for _, m := range l.cfg.Loss {
		if m.Lost(end, octets) {
			cause = CauseLoss
		}
	}
	for _, m := range l.cfg.Errors {
		if m.Lost(end, octets) {
			p.Corrupt = true
		}
	}
	for len(l.outages) > 0 && l.outages[0].To <= start {
		l.outages = l.outages[1:]
	}
	// Touching an outage with any part of the frame is enough.
	if len(l.outages) > 0 && (l.outages[0].From < end || l.outages[0].From == start) {
		cause = CauseOutage
	}
	switch cause {
	case CauseLoss:
		l.stats.Lost++
	case CauseOutage:
		l.stats.OutageDrops++
	}
	return cause
}

// drop gives p, already counted, back to the pool.
func (l *Link) drop(now mono.Time, p *Packet, cause string) {
	if l.cfg.Trace != nil {
		l.event = trace.Event{
			Time: now, Kind: trace.Drop, Flow: p.Flow, Cause: cause,
			Seq: uint32(p.Wire.Seq), Bytes: int64(p.Wire.PayloadLen), Length: p.Size,
		}
		l.cfg.Trace.Record(&l.event)
	}
	l.pool.Put(p)
}
