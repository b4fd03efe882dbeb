package tcp

import (
	"cmp"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// nakReceiver is what the receiver remembers of its latest NAK (RFC 1106 s.2.1). A hole is NAKed once: also when it has been
// filled in part, what is left of it has been asked for.
type nakReceiver struct {
	asked  wire.Range // empty if nothing asked for is missing
	left   int        // segments of it still to come
	at     mono.Time  // when it was sent
	repeat int        // NAKs for it so far, without the first
}

// nakRepaired is told that a segment has moved the left edge. The record goes when all that was asked for has come. It also
// goes when the segments that the NAK counted have come and were smaller than it took them for, or when they come later
// than a repair would: then the NAK was lost, a timeout has sent the first of them, and its answer has to say what else
// is missing. That is another NAK, for its first octet is another (C-8).
func (c *Conn) nakRepaired(now mono.Time) {
	k := &c.rcv.naked
	k.left--
	if k.asked.End.LessEq(c.rcv.nxt) || k.left <= 0 || now.Sub(k.at) > c.nakPatience() {
		*k = nakReceiver{}
	}
}

// nakPatience is how long after a NAK its repair is no longer expected: 1.5 round trips (C-8), or RTOs while the round trip
// is not known.
func (c *Conn) nakPatience() time.Duration {
	return max(cmp.Or(c.rcv.rtt, c.rtt.rto())*3/2, c.cfg.Timers.Granularity)
}

// nakSender is what the sender knows about the peer's NAKs.
type nakSender struct {
	seen bool // one has arrived, and no timeout has come since: something may keep them from us now
}

// dupACKsCount reports whether duplicate and partial ACKs still mean a loss. The first NAK shows that the peer will say so itself,
// and on a long path its hundreds of duplicates would only have the same segment sent again (RFC 1106 s.4.3, C-4).
func (c *Conn) dupACKsCount() bool { return !c.nak.seen || c.cfg.NAKs.CountACKs }

// nakDue reports whether the hole at the left edge of the window is to be NAKed in the next ACK: at once when it is noticed
// (RFC 1106 s.2.1), or as NAKOptions say.
func (c *Conn) nakDue() bool {
	r := &c.rcv
	if c.on&NAK == 0 || len(r.ooo) == 0 || r.naked.asked.Len() > 0 {
		return false
	}
	return c.cfg.NAKs.Threshold == 0 || r.holds(c.cfg.NAKs.Threshold*r.mss)
}

// holds reports whether at least that many octets have arrived beyond holes.
func (r *receiver) holds(octets int) bool {
	for i := range r.ooo {
		octets -= r.ooo[i].Len()
	}
	return octets <= 0
}

// fillNAK writes option A if a hole is to be NAKed: its first octet, and how many of the peer's largest segments are
// missing. What a count of one octet cannot say is NAKed when the left edge gets there (C-7).
func (c *Conn) fillNAK(now mono.Time, o *wire.Options) {
	if !c.nakDue() {
		return
	}
	r := &c.rcv
	hole := wire.Range{Start: r.nxt, End: r.ooo[0].Start}
	count := min((hole.Len()+r.mss-1)/r.mss, 255)
	o.Set |= wire.OptNAK
	o.NAKSeq, o.NAKCount = hole.Start, uint8(count)
	r.naked.asked = wire.Range{Start: hole.Start, End: wire.MinSeq(hole.End, hole.Start.Add(count*r.mss))}
	r.naked.left, r.naked.at = count, now
	c.sent.NAKs++
	c.timers.stop(timerNAK)
	if c.cfg.NAKs.Repeat > 0 {
		c.timers.set(timerNAK, now.Add(c.nakPatience()))
	}
}

// onNAKTimer lets the hole that was NAKed be NAKed again if it is still there (C-8).
func (c *Conn) onNAKTimer() {
	k := &c.rcv.naked
	if k.asked.Len() == 0 || k.repeat >= c.cfg.NAKs.Repeat {
		return
	}
	k.repeat++
	k.asked = wire.Range{}
	c.ackp.now = true
}

// takeNAK marks what a NAK says is missing, so that it is sent again at once and sending goes on where it was
// (RFC 1106 s.2.1). The rest of the segment has been found acceptable. The count is in our own segments, and only what is
// outstanding can be missing (C-7). What was sent again, or late, less than a round trip ago cannot have been missed yet, so
// whoever forges NAKs gets no segment sent again more than once a round trip (C-21).
func (c *Conn) takeNAK(now mono.Time, o *wire.Options) {
	if c.cfg.Features()&NAK == 0 || c.cfg.NAKs.Ignore {
		return
	}
	if o.NAKCount == 0 || o.NAKSeq.Less(c.snd.una) || !o.NAKSeq.Less(c.snd.nxt) {
		c.got.NAKsIgnored++
		return
	}
	c.got.NAKs++
	c.nak.seen = true
	c.work.nak = true
	roundTrip := cmp.Or(c.rtt.minRTT, c.rtt.rto())
	n := c.board.find(o.NAKSeq)
	for last := n + uint32(o.NAKCount); n != c.board.tail && n != last; n++ {
		g := c.board.at(n)
		ep := &c.subs[g.sub].ep
		ep.undo.frto = frtoOff // no more doubt: this is missing
		if late := g.has(segRetrans) || c.honest.late(n); g.inFlight() && !(late && now.Sub(g.sentAt) < roundTrip) {
			c.markLost(now, n, false)
			ep.force = true // the repair goes out at once, whatever the window has become
		}
	}
}
