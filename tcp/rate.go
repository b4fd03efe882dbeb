package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// sendSnapshot is what a segment remembers of its sub-connection at its latest transmission
// (draft-cheng-iccrg-delivery-rate-estimation s.3.3).
type sendSnapshot struct {
	delivered   int64 // octets delivered so far
	deliveredAt mono.Time
	firstSentAt mono.Time // start of the sampling interval's send side
	lost        int64     // octets marked lost so far
	txInFlight  uint32    // octets in flight, this segment included
}

// rateMeter measures a sub-connection's delivery rate.
type rateMeter struct {
	delivered   int64
	deliveredAt mono.Time
	firstSentAt mono.Time
	lost        int64
	ahead       int64 // octets in delivered for which only duplicate ACKs without SACK vouch so far
	appLimited  int64 // the delivered count at which the present application limit is over; 0 if none

	round    uint64
	roundEnd int64 // delivered count that ends the round

	// The newest segment that the ACK being processed delivered.
	newest       sendSnapshot
	newestSentAt mono.Time
	newestFlags  segFlags
	have         bool
}

// onSent records the state at g's transmission; inFlight includes g. Nothing in flight before restarts the
// interval.
func (m *rateMeter) onSent(now mono.Time, g *segment, inFlight int64, idle bool) {
	if idle {
		m.firstSentAt, m.deliveredAt = now, now
	}
	g.rate = sendSnapshot{
		delivered: m.delivered, deliveredAt: m.deliveredAt, firstSentAt: m.firstSentAt,
		lost: m.lost, txInFlight: uint32(inFlight),
	}
	g.flags &^= segAppLimit
	if m.appLimited != 0 {
		g.flags |= segAppLimit
	}
}

// onDelivered counts g as delivered. Of all segments that one ACK delivers, the sample comes from the one sent last.
func (m *rateMeter) onDelivered(now mono.Time, g *segment) {
	m.deliveredAt = now
	m.count(g.bytes())
	if !m.have || g.sentAt >= m.newestSentAt {
		m.have = true
		m.newest, m.newestSentAt, m.newestFlags = g.rate, g.sentAt, g.flags
	}
}

// count counts octets as delivered, except those that duplicate ACKs have counted before.
func (m *rateMeter) count(octets int64) {
	known := min(m.ahead, octets)
	m.ahead -= known
	m.delivered += octets - known
}

// onDuplicate counts octets that a duplicate ACK without SACK says have arrived. Otherwise the ACK that fills the hole would
// deliver in an instant what arrived over a round trip or more.
func (m *rateMeter) onDuplicate(now mono.Time, octets int64) {
	m.ahead += octets
	m.delivered += octets
	m.deliveredAt = now
}

// finish ends the processing of an ACK and returns its sample.
func (m *rateMeter) finish(now mono.Time, minRTT time.Duration) cc.Rate {
	r := cc.Rate{TotalDelivered: m.delivered}
	if m.appLimited != 0 && m.delivered > m.appLimited {
		m.appLimited = 0
	}
	if !m.have {
		return r
	}
	m.have = false
	n := &m.newest
	if n.delivered >= m.roundEnd {
		m.round++
		m.roundEnd = m.delivered
	}
	m.firstSentAt = m.newestSentAt
	r.PriorDelivered = n.delivered
	r.TxInFlight = int64(n.txInFlight)
	r.Lost = m.lost - n.lost
	r.AppLimited = m.newestFlags&segAppLimit != 0
	interval := max(m.newestSentAt.Sub(n.firstSentAt), now.Sub(n.deliveredAt))
	if interval > 0 && interval >= minRTT {
		r.Delivered, r.Interval = m.delivered-n.delivered, interval
	}
	return r
}

// limitedByApp marks everything in flight now as sent while the application limited the sender.
func (m *rateMeter) limitedByApp(inFlight int64) {
	m.appLimited = max(m.delivered+inFlight, 1)
}
