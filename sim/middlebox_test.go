package sim

import (
	"math/rand/v2"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// middlebox stands before a host and cuts some of its segments in two, as a box with a smaller MTU does, and joins others that follow each
// other, as a network card does.
type middlebox struct {
	to     Node
	rng    *rand.Rand
	handle *Handle
	held   wire.Packet // waits for the next segment; no payload if there is none
	until  mono.Time
}

// interpose puts a middlebox before every node that p delivers to.
func interpose(w *World, p *pipe, rng *rand.Rand) {
	for i := range p.ports {
		m := &middlebox{to: p.ports[i].node, rng: rng, until: mono.Never}
		m.handle = w.Add(m, mono.Never)
		p.ports[i].node = m
	}
}

// Deliver passes p on, whole, in two parts, or later together with the next one.
func (m *middlebox) Deliver(now mono.Time, p *wire.Packet) {
	q := *p
	q.Payload = append([]byte(nil), p.Payload...)
	if m.joins(&q) {
		q.Seq = m.held.Seq
		q.PayloadLen += m.held.PayloadLen
		q.Payload = append(m.held.Payload, q.Payload...)
		m.held = wire.Packet{}
	}
	m.release(now)
	plain := q.PayloadLen > 1 && len(q.Payload) == q.PayloadLen && q.Flags&(wire.SYN|wire.RST|wire.FIN) == 0
	switch how := m.rng.IntN(8); {
	case plain && how == 0:
		at := 1 + m.rng.IntN(q.PayloadLen-1)
		first := q
		first.PayloadLen, first.Payload = at, q.Payload[:at]
		m.to.Deliver(now, &first)
		q.Seq = q.Seq.Add(at)
		q.PayloadLen, q.Payload = q.PayloadLen-at, q.Payload[at:]
	case plain && how < 3 && q.PayloadLen < 20_000:
		m.held, m.until = q, now.Add(time.Millisecond)
		m.handle.Wake(m.until)
		return
	}
	m.to.Deliver(now, &q)
}

// joins reports whether q goes on where the held segment ends.
func (m *middlebox) joins(q *wire.Packet) bool {
	h := &m.held
	return h.PayloadLen > 0 && q.PayloadLen > 0 && len(q.Payload) == q.PayloadLen && q.Src == h.Src && q.Dst == h.Dst &&
		q.Seq == h.Seq.Add(h.PayloadLen) && q.Flags&(wire.SYN|wire.RST) == 0
}

// release passes on what is held.
func (m *middlebox) release(now mono.Time) {
	m.until = mono.Never
	if h := m.held; h.PayloadLen > 0 {
		m.held = wire.Packet{}
		m.to.Deliver(now, &h)
	}
}

// Step passes on what has been held long enough.
func (m *middlebox) Step(now mono.Time) mono.Time {
	if now >= m.until {
		m.release(now)
	}
	return m.until
}
