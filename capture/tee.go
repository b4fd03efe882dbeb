package capture

import "longhaul/trace"

// Tee is a sink that hands every event to each of its sinks in order.
type Tee []trace.Sink

// Record hands e on.
func (t Tee) Record(e *trace.Event) {
	for _, s := range t {
		s.Record(e)
	}
}
