package lab

import "longhaul/trace"

// sequence is a sink that keeps what a sequence plot shows, and passes everything on.
type sequence struct {
	next   trace.Sink
	acked  int64
	points []SequencePoint
}

// Record keeps segments as they are sent, and what ACKs acknowledge.
func (s *sequence) Record(e *trace.Event) {
	switch {
	case e.Kind == trace.Send:
		s.points = append(s.points, SequencePoint{Time: e.Time.Seconds(), Octet: int64(e.Seq) - 1, Sub: int(e.Sub), Again: e.Cause != ""})
	case e.Kind == trace.Window && e.Bytes > 0:
		s.acked += e.Bytes
		s.points = append(s.points, SequencePoint{Time: e.Time.Seconds(), Octet: s.acked, ACK: true})
	}
	if s.next != nil {
		s.next.Record(e)
	}
}
