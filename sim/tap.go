package sim

import (
	"longhaul/mono"
	"longhaul/trace"
	"longhaul/wire"
)

// snap is how many octets of a packet a tap records.
const snap = 128

// tap records packets at a host's interface.
type tap struct {
	sink     trace.Sink
	encoding wire.Encoding
	flow     uint32
	buf      []byte
	event    trace.Event
}

// Tap makes s see every packet that the host sends and receives, cut to its first 128 octets, as flow number
// flow. A packet that cannot be encoded is not recorded.
func (h *Host) Tap(s trace.Sink, flow uint32) {
	h.tap = &tap{sink: s, encoding: h.w.Encoding, flow: flow}
}

// observe records p.
func (t *tap) observe(now mono.Time, p *wire.Packet) {
	var err error
	t.buf, err = wire.AppendHeaders(t.buf[:0], p, t.encoding)
	if err != nil {
		return
	}
	length := len(t.buf) + p.PayloadLen
	if room := min(snap-len(t.buf), p.PayloadLen); room > 0 {
		if len(p.Payload) > 0 {
			t.buf = append(t.buf, p.Payload[:room]...)
		} else {
			var zeros [snap]byte
			t.buf = append(t.buf, zeros[:room]...)
		}
	}
	t.event = trace.Event{Time: now, Kind: trace.Packet, Flow: t.flow, Frame: t.buf, Length: length}
	t.sink.Record(&t.event)
}
