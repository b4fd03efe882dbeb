package lab

import (
	"time"

	"longhaul/link"
	"longhaul/sim"
	"longhaul/stacks"
	"longhaul/trace"
)

// Scenario is a comparison: several stacks, each alone on its own copy of one path. The zero value of a field takes
// the default that its comment gives.
type Scenario struct {
	Path     Path
	Stacks   []stacks.Stack // in report order
	Duration time.Duration  // virtual time per run; 0 means 60 s
	Window   int            // octets of socket buffer per stack at each end, shared evenly by its streams; 0 means autotuned
	Bytes    int64          // octets each stack moves, shared evenly by its streams; 0 means endless
	Start    time.Duration  // when the flows begin; probes run from 0
	Seed     uint64
	Repeat   int           // runs per stack, each with its own random streams; 0 means 1
	Probe    time.Duration // between two RTT probes; 0 means 100 ms, or 1 % of a slower path; negative means no probe
	Wire     bool          // encode and re-parse every packet
	Packets  trace.Sink    // takes every packet at the sender's interface; nil means none
	Trace    trace.Sink    // takes the connections' own events; nil means none
}

// Path is the bottleneck of a dumbbell. The zero value is not usable: Rate must be positive.
type Path struct {
	Rate        int64         // bits per second, data direction
	ReverseRate int64         // bits per second, ACK direction; 0 means Rate
	RTT         time.Duration // propagation both ways; half in each direction
	Loss        float64       // probability that a packet is lost, data direction only (as a lossy forward link with clean ACKs)
	BER         float64       // bit error rate, both directions: ACKs are hit too
	Queue       QueueSize     // of each direction's waiting room; a BDP is of that direction's own rate
	Jitter      time.Duration // extra delay uniform in [0, Jitter), data direction, order kept

	// Adjust, if set, changes the two directions' links before they are made: scripted drops, outages,
	// reordering. It may draw from w.Rand. It runs once per run and must not keep state between runs.
	Adjust func(w *sim.World, forward, reverse *link.Config)
}

// QueueSize is the room in a link's queue; at most one field is set. The zero value is unlimited.
type QueueSize struct {
	Packets int
	Octets  int
	BDP     float64 // multiples of rate x RTT
}

// Case is one run: one world, one path, any number of flows.
type Case struct {
	Name     string // with Seed, names the run's random streams
	Seed     uint64
	Path     Path
	Flows    []Flow
	Duration time.Duration // virtual time
	Probe    time.Duration // between two RTT probes; 0 means none
	Curve    time.Duration // between two points of each Result's Curve; 0 means no curve
	Sequence bool          // record each Result's Sequence
	Wire     bool
	Packets  trace.Sink // used by this run alone, or by a sequence of runs that do not overlap
	Trace    trace.Sink
}

// Flow is one stack at work in a case: Streams connections from one host on the left to one on the right.
type Flow struct {
	Stack  stacks.Stack
	Window int   // octets of socket buffer at each end, shared evenly by the streams; 0 means autotuned
	Bytes  int64 // octets to move, shared evenly by the streams; 0 means endless
	Rate   int64 // bits per second of payload that the application produces, shared likewise; 0 means all is there at once
	Start  time.Duration
	ID     uint32 // number of the first stream in traces; stream k has ID + k
}
