package trace

import (
	"time"

	"longhaul/mono"
)

// Kind says what an Event records.
type Kind uint8

// The kinds of event.
const (
	Window  Kind = iota + 1 // a connection's congestion state after an ACK or a timer changed it
	Loss                    // a segment was marked lost
	Episode                 // a congestion episode began or was undone
	Packet                  // a packet passed an observation point; Frame holds its octets
	Drop                    // a packet was dropped: Cause, Seq, Bytes of payload, Length of the whole packet
	Send                    // a connection sent a data segment: Seq, Bytes of payload; Cause is "again" if it had been sent before
)

// Event is one record of a trace: a flat struct, of which each kind uses some fields. A sink must copy what it
// keeps; the producer reuses the Event and the array behind Frame.
type Event struct {
	Time mono.Time
	Kind Kind
	Flow uint32 // flow number, from 0
	Sub  uint16 // sub-connection number, from 0

	// Window, Loss, Episode
	Window     int64         // octets: what the controller allows in flight
	Ssthresh   int64         // octets
	InFlight   int64         // octets: pipe (RFC 6675 s.2)
	PacingRate int64         // octets per second, 0 when not paced
	RTT        time.Duration // latest sample, 0 if none
	SRTT       time.Duration
	Phase      string // the controller's phase, e.g. "slow start"
	Seq        uint32 // first sequence number concerned
	Bytes      int64  // octets concerned

	// Episode, Drop
	Cause string // e.g. "loss", "timeout", "undo"; "queue", "outage"

	// Packet
	Frame  []byte // IP packet, perhaps cut short
	Length int    // octets of the whole IP packet
}

// Sink takes the events of a trace, in time order.
type Sink interface{ Record(e *Event) }
