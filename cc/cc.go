package cc

import (
	"math/rand/v2"
	"strings"
	"time"

	"longhaul/mono"
)

// Controller decides how much may be in flight. The engine tells it what happened, in values, and reads one
// value back; it never sees the engine. Windows and byte counts are octets of payload.
//
// For one arriving ACK the order of calls is: OnLost for each segment newly marked lost, OnCongestion if that
// begins an episode, then OnAck. Output may be read at any time.
type Controller interface {
	// OnSent reports that a data segment left.
	OnSent(Sent)
	// OnAck reports an ACK that acknowledged something new, cumulatively or selectively.
	OnAck(Ack)
	// OnLost reports one segment marked lost, whatever the loss policy says about it.
	OnLost(Lost)
	// OnCongestion reports a congestion episode, at most one per window of data.
	OnCongestion(Congestion)
	// Output returns what the controller asks for now.
	Output() Output
}

// Params are what a controller is born with. Zero fields take the default that New applies.
type Params struct {
	MSS             int64 // octets of payload in a full segment; at least 1
	InitialWindow   int64 // octets; 0 means RFC 6928's
	InitialSsthresh int64 // octets; 0 means Infinite
	MaxWindow       int64 // octets; 0 means 2^30, which is also the largest allowed
	Paced           bool  // the engine spreads segments over the round trip, so slow start need not limit its bursts
	SlowStart       int64 // segments by which slow start opens the window for each acknowledged one; 0 means 1, the standard, at most MaxSlowStart
	PerACK          bool  // grow once per ACK, as 4.3BSD did, and not per acknowledged octet (RFC 5681 s.3.1)
	FlightSsthresh  bool  // cut from the flight size, not from the window (RFC 5681 equation 4)
	HyStart         bool  // leave the initial slow start on rising delay (RFC 9406)
	Rand            *rand.Rand

	LimitedSlowStart bool // open the window by at most 50 segments a round in the initial slow start (RFC 3742)

	// StartWindow is the first window in octets where earlier connections have shown that the path takes more than InitialWindow
	// (RFC 9040), which stays what an idle connection returns to; 0 means InitialWindow. Controllers with a model begin with that.
	StartWindow int64
}

// withDefaults returns p with zero and impossible fields replaced. It is the only place that knows them.
func (p Params) withDefaults() Params {
	p.MSS = min(max(p.MSS, 1), MaxWindow)
	if p.MaxWindow <= 0 {
		p.MaxWindow = MaxWindow
	}
	p.MaxWindow = min(max(p.MaxWindow, p.MSS), MaxWindow)
	if p.InitialWindow <= 0 {
		p.InitialWindow = InitialWindow(p.MSS)
	}
	p.InitialWindow = min(max(p.InitialWindow, p.MSS), p.MaxWindow)
	p.StartWindow = min(max(p.StartWindow, p.InitialWindow), p.MaxWindow)
	if p.InitialSsthresh <= 0 {
		p.InitialSsthresh = Infinite
	}
	p.InitialSsthresh = min(max(p.InitialSsthresh, 2*p.MSS), Infinite)
	p.SlowStart = min(max(p.SlowStart, 1), MaxSlowStart)
	return p
}

// InitialWindow returns the first window of RFC 6928 s.2, in octets, for segments of that many.
func InitialWindow(mss int64) int64 { return min(10*mss, max(2*mss, 14600)) }

// Infinite is an ssthresh that no window reaches.
const Infinite int64 = 1 << 62

// MaxWindow is the largest window in octets: RFC 7323 s.2.3 and RFC 1106 s.3 allow 2^30.
const MaxWindow int64 = 1 << 30

// MaxSlowStart is the largest Params.SlowStart. RFC 1106 s.4.2 proposes 2 and leaves the best rate to experiment.
const MaxSlowStart int64 = 16

// Sent describes a data segment that has just left.
type Sent struct {
	Now            mono.Time
	Bytes          int64         // payload octets
	InFlight       int64         // octets in flight including this segment
	Idle           time.Duration // how long nothing had been sent while nothing was in flight; 0 if something was
	RTO            time.Duration // the retransmission timeout now in force
	Retransmission bool
}

// State says where loss recovery stands when an ACK has been processed.
type State uint8

// The recovery states.
const (
	Open     State = iota // no recovery: the window may grow. Also the slow start after a timeout
	Recovery              // fast recovery: the engine governs sending, the window stays
	Exited                // this very ACK ended fast recovery
	Marked                // no recovery, but this ACK echoes a congestion mark: the window must not grow (RFC 3168 s.6.1.2)
)

// Ack describes an ACK and what the engine knows after processing it.
type Ack struct {
	Now         mono.Time
	Acked       int64         // octets newly acknowledged cumulatively
	Delivered   int64         // octets newly known to be received, cumulatively or selectively
	RTT         time.Duration // sample of this ACK; 0 if none
	SRTT        time.Duration // smoothed RTT; 0 before the first sample
	MinRTT      time.Duration // smallest sample of the connection; 0 before the first
	OneWayDelay time.Duration // forward delay plus an unknown constant (RFC 6817 s.3.4.2); meaningful if HasOWD
	HasOWD      bool
	InFlight    int64 // octets in flight after this ACK
	PriorFlight int64 // octets in flight before this ACK
	Rate        Rate
	Round       uint64 // packet-timed rounds so far; it rises by one when data sent after the last rise is acknowledged
	CwndLimited bool   // the window, not the application or the receiver, bound the sender during the last round
	AppLimited  bool   // the application is not filling the window now
	State       State
}

// Rate is a delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation s.3).
type Rate struct {
	Delivered      int64         // octets delivered over Interval; 0 means no sample
	Interval       time.Duration // the longer of the send and the ACK interval
	PriorDelivered int64         // octets delivered on the connection when the sampled segment was sent
	TotalDelivered int64         // octets delivered on the connection now
	TxInFlight     int64         // octets in flight just after the sampled segment was sent
	Lost           int64         // octets marked lost since the sampled segment was sent
	AppLimited     bool          // the sampled segment was sent while the application limited the sender
}

// Lost describes one segment newly marked lost.
type Lost struct {
	Now            mono.Time
	Bytes          int64     // payload octets
	SentAt         mono.Time // its latest transmission
	TxInFlight     int64     // octets in flight just after that transmission
	Retransmission bool      // the lost copy was itself a retransmission
	Timer          bool      // a timer marked it, not an ACK
	LostSince      int64     // octets marked lost since that transmission, these included
	AppLimited     bool      // it left while the application limited the sender
}

// Kind is the kind of a congestion episode.
type Kind uint8

// The kinds of episode.
const (
	Loss      Kind = iota // segments were marked lost and the loss policy calls that congestion
	Timeout               // the retransmission timer expired
	ECN                   // the receiver echoed a congestion mark (RFC 3168)
	LocalDrop             // the sender's own interface queue was full
	Undo                  // the latest Loss or Timeout was spurious: restore what it cut
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"loss", "timeout", "ecn", "local drop", "undo"}[k]
}

// Congestion describes a congestion episode.
type Congestion struct {
	Kind       Kind
	Now        mono.Time
	InFlight   int64 // FlightSize (RFC 5681 s.2): octets sent and not cumulatively acknowledged
	SentWindow int64 // octets: the window when what was lost was sent, where that was less than now; 0 if nothing is known
	Repeated   bool  // Timeout only: the timer backed off, the same data timed out before (ssthresh stays, RFC 5681 s.3.1)
}

// Phase is what a controller is doing, for traces and reports.
type Phase uint8

// The phases.
const (
	SlowStart Phase = iota
	ConservativeSlowStart
	Avoidance
	Startup
	Drain
	ProbeBandwidth
	ProbeRTT
)

// String names the phase.
func (p Phase) String() string {
	return [...]string{"slow start", "conservative slow start", "congestion avoidance", "startup", "drain", "probe bandwidth", "probe RTT"}[p]
}

// Output is what a controller asks of the engine.
type Output struct {
	Window     int64 // octets that may be in flight, at least one MSS
	PacingRate int64 // octets per second; 0 leaves the rate to the engine
	Ssthresh   int64 // octets; Infinite before the first cut
	Phase      Phase
	Direct     bool // obey Window as it is also during recovery: no PRR
	Restart    bool // with Direct: a loss ends the flight, and sending goes on from the first hole
}

// Algorithm is one way of controlling congestion.
type Algorithm struct {
	Name   string // as in a stack name: lower case, no hyphen; variants are dotted, e.g. "cubic.linux"
	Title  string // for people, e.g. "CUBIC"
	Source string // RFC or paper
	New    func(Params) Controller

	Signal    Signal // what it goes by
	Constants string // for people: its parameters with their units, as shipped
	HyStart   bool   // it has Params.HyStart unless a configuration says otherwise

	LimitedSlowStart bool // likewise Params.LimitedSlowStart

	// Model says that window and rate follow from a model of the path, to which losses are but one input: a congestion episode need
	// not cut the window, nor is there an ssthresh.
	Model bool

	Honours Honours
}

// Signal is a set of the signals that an algorithm goes by.
type Signal uint8

// The signals.
const (
	ByLoss        Signal = 1 << iota // lost segments and congestion marks
	ByDelay                          // the round-trip time
	ByOneWayDelay                    // the forward delay, from timestamps (RFC 6817 s.3.4.2)
	ByRate                           // the delivery rate
)

// String lists the signals, separated by commas.
func (s Signal) String() string {
	var names []string
	for i, name := range [...]string{"loss", "delay", "one-way delay", "rate"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Honours says which optional Params an algorithm heeds; it ignores the others.
type Honours struct {
	SlowStart      bool
	PerACK         bool
	FlightSsthresh bool
	HyStart        bool // and LimitedSlowStart
}

// Find returns the algorithm of that name from All.
func Find(name string) (Algorithm, bool) {
	for _, a := range All {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}
