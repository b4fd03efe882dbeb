package tcp

import (
	"encoding/binary"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// packer writes a flow as integers of variable length (encoding/binary), and reads it again. Both go through the same list of
// fields, the methods below, so that they cannot disagree.
type packer struct {
	out     []byte
	in      string // what is left to read
	reading bool
}

// begin starts to write, or to read from in.
func (k *packer) begin(in string) {
	k.out, k.in, k.reading = k.out[:0], in, in != ""
}

func (k *packer) result() string { return string(k.out) }

// number is an integer with a sign.
func (k *packer) number(v int64) int64 {
	if !k.reading {
		k.out = binary.AppendVarint(k.out, v)
		return v
	}
	var u uint64
	for shift := 0; ; shift += 7 {
		b := k.in[0]
		k.in = k.in[1:]
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return int64(u>>1) ^ -int64(u&1)
}

// integers are numbers of one type.
func integers[T ~int | ~int64 | ~uint | ~uint8 | ~uint32 | ~uint64](k *packer, all ...*T) {
	for _, v := range all {
		*v = T(k.number(int64(*v)))
	}
}

// flags are up to 62 truths in one number.
func (k *packer) flags(all ...*bool) {
	bits := int64(0)
	for i, b := range all {
		if *b {
			bits |= 1 << i
		}
	}
	bits = k.number(bits)
	for i, b := range all {
		*b = bits>>i&1 != 0
	}
}

// sequences are sequence numbers near base.
func (k *packer) sequences(base wire.Seq, all ...*wire.Seq) {
	for _, q := range all {
		*q = base.Add(int(k.number(int64(q.Sub(base)))))
	}
}

// moments are times near base.
func (k *packer) moments(base mono.Time, all ...*mono.Time) {
	for _, t := range all {
		*t = base + mono.Time(k.number(int64(*t-base)))
	}
}

// flow goes through what a quiet connection must remember. What quiet finds to be zero is not in it, nor is scratch or what
// matters only in a handshake or an episode.
func (k *packer) flow(c *Conn) {
	integers(k, &c.lastHeard)
	now := c.lastHeard
	k.sender(&c.snd)
	k.receiver(&c.rcv, now)
	k.sequences(c.rcv.nxt, &c.snd.wl1)
	k.sub(&c.subs[0])
	k.recovery(&c.finds, now)
	k.activity(&c.activity, now)
	k.estimates(c, now)
	k.path(&c.path)
	k.honesty(&c.honest)
	k.sent(&c.sent)
	k.received(&c.got)
	k.flags(&c.tlp.active, &c.tlp.retrans, &c.tlp.sampled, &c.nak.seen, &c.ecn.plain, &c.ecn.echo, &c.ecn.tell, &c.hand.passive)
	integers(k, &c.tlp.end)
	k.moments(now, &c.hand.synAt)
	integers(k, &c.hand.retries, &c.hand.bare, &c.hand.tell, &c.ackp.quick)
	integers(k, &c.board.head)
	integers(k, &c.granted)
	c.board.tail, c.board.hint = c.board.head, c.board.head
	for _, t := range []timerKind{timerKeepAlive, timerLinger, timerUser} {
		k.timer(&c.timers, t, now)
	}
}

func (k *packer) timer(t *timerSet, kind timerKind, now mono.Time) {
	at, running := t.at[kind], t.running(kind)
	if k.flags(&running); running {
		k.moments(now, &at)
		t.set(kind, at)
	}
}

func (k *packer) sender(s *sender) {
	integers(k, &s.una)
	s.nxt = s.una
	k.sequences(s.una, &s.iss, &s.wl2, &s.edge, &s.fack, &s.rttRound, &s.small)
	integers(k, &s.window, &s.maxWindow)
	integers(k, &s.scale)
	integers(k, &s.mss, &s.buf.limit)
	integers(k, &s.tsOffset)
	k.flags(&s.closing, &s.finSent, &s.finAcked, &s.buf.short)
}

func (k *packer) receiver(r *receiver, now mono.Time) {
	integers(k, &r.nxt)
	k.sequences(r.nxt, &r.irs, &r.edge, &r.lastACK)
	integers(k, &r.finSeq, &r.dup.Start, &r.dup.End)
	k.flags(&r.hasFIN, &r.finDone, &r.shut)
	integers(k, &r.scale)
	integers(k, &r.most, &r.mss, &r.limit, &r.limitMax)
	integers(k, &r.tsRecent)
	integers(k, &r.consumed, &r.mark, &r.last)
	k.moments(now, &r.tsRecentAt, &r.start)
	integers(k, &r.tuning.rtt)
}

func (k *packer) sub(s *subconn) {
	m, ep := &s.meter, &s.ep
	integers(k, &s.dupacked, &s.burstCap, &m.delivered, &m.lost, &m.appLimited, &m.roundEnd)
	integers(k, &m.round, &s.round)
	integers(k, &ep.point, &ep.cutEnd, &ep.undo.marker)
	integers(k, &ep.cutAt)
	k.flags(&s.limited[0], &s.limited[1], &ep.force, &ep.answer, &s.rescued, &s.full, &ep.reduced, &ep.undo.armed, &ep.undo.sent)
	integers(k, &ep.undo.kind)
	integers(k, &ep.undo.retrans)
	integers(k, &ep.undo.stamp)
	integers(k, &ep.undo.frto)
}

func (k *packer) recovery(d *detectors, now mono.Time) {
	k.flags(&d.dup.partial, &d.dup.partialSeen, &d.dup.reducing, &d.rack.valid, &d.rack.reordered)
	integers(k, &d.dup.dups, &d.sack.dups, &d.fack.dups, &d.rack.mult, &d.rack.persist)
	integers(k, &d.dup.old, &d.sack.next)
	integers(k, &d.dup.markedAt, &d.fack.newest)
	k.moments(now, &d.rack.sentAt)
	integers(k, &d.rack.rtt)
	integers(k, &d.rack.dsackRound)
}

func (k *packer) activity(a *activity, now mono.Time) {
	k.moments(now, &a.lastSentAt, &a.lastData, &a.lastProgress)
	integers(k, &a.lastChallenge, &a.persistAt, &a.persistFrom)
	integers(k, &a.persists, &a.keepProbes, &a.expiries)
}

func (k *packer) estimates(c *Conn, now mono.Time) {
	e, p, l := &c.rtt, &c.pace, &c.clock
	integers(k, &e.srtt, &e.rttvar, &e.mdev, &e.mdevMax, &e.minRTT, &e.latest, &e.prior, &p.quantum)
	integers(k, &e.backoff)
	k.flags(&e.cautious)
	integers(k, &p.rate)
	if p.rate > 0 {
		p.perOctet = float64(time.Second) / float64(p.rate)
	}
	integers(k, &l.now)
	k.moments(now, &p.next, &l.since)
	integers(k, &l.busySince)
	integers(k, &l.busy, &l.total.Congestion, &l.total.Receiver, &l.total.Application, &l.total.Timeout)
}

func (k *packer) path(p *pathState) {
	integers(k, &p.full, &p.acked, &p.high, &p.probe, &p.tries, &p.claim)
	k.flags(&p.untried, &p.split, &p.hasSoft)
	integers(k, &p.raiseAt, &p.softAt)
	integers(k, &p.claimSeq)
}

func (k *packer) honesty(h *honesty) {
	integers(k, &h.hole.Start, &h.hole.End)
	integers(k, &h.number)
	k.flags(&h.asking, &h.held, &h.due, &h.distrust)
	integers(k, &h.doubts, &h.undone)
	integers(k, &h.askedAt, &h.next, &h.caughtAt)
	integers(k, &h.floor)
}

func (k *packer) sent(s *Sent) {
	integers(k, &s.Segments, &s.DataSegments, &s.Bytes, &s.Acked, &s.Retransmissions, &s.RetransBytes, &s.Lost, &s.Timeouts,
		&s.FastRetransmits, &s.Probes, &s.MTUProbes, &s.MTUProbesLost, &s.NAKs, &s.Withheld, &s.Spurious, &s.MarkCuts, &s.MaxInFlight)
}

func (k *packer) received(r *Received) {
	integers(k, &r.Segments, &r.Bytes, &r.Duplicates, &r.OutOfOrder, &r.Refused, &r.OutOfWindow, &r.PAWSRejected, &r.FalseACKs,
		&r.Marked, &r.Echoes, &r.ICMP, &r.ICMPIgnored, &r.NAKs, &r.NAKsIgnored, &r.Bare, &r.WindowsClamped)
}
