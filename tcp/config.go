package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/trace"
	"longhaul/wire"
)

// Feature is a set of protocol features that a connection may use.
type Feature uint32

// The features. Defaults says which are on when nothing else is said.
const (
	Timestamps       Feature = 1 << iota // RFC 7323 s.3, with PAWS
	SACK                                 // RFC 2018, with D-SACK (RFC 2883)
	WindowScaling                        // RFC 7323 s.2
	DelayedACK                           // RFC 1122 s.4.2.3.2, RFC 5681 s.4.2
	Pacing                               // segments spread over the round trip
	FRTO                                 // RFC 5682: detect a spurious timeout
	HyStart                              // RFC 9406: the initial slow start ends on rising delay; on where the algorithm has it of itself
	Nagle                                // RFC 9293 s.3.7.4
	PerACK                               // the window grows per ACK, not per octet
	CoarseClock                          // 500 ms timer granularity and an RTO of at least 1 s, as in 4.3BSD
	BigWindow                            // RFC 1106 s.3; where both ends want it, it takes the place of window scaling
	NAK                                  // RFC 1106 s.2
	ECN                                  // RFC 3168: ask for it, and accept it when asked
	ECNPassive                           // accept ECN when asked, and do not ask
	ACKCheck                             // check now and then that the peer acknowledges only what it has (Sherwood et al., CCS 2005)
	Minshall                             // Nagle waits only for what was itself short (draft-minshall-nagle-01)
	LimitedSlowStart                     // RFC 3742: the initial slow start opens the window by at most 50 segments a round
)

// Defaults are the features that are on unless Config.Disable takes them away. Config.Defaults adds what an algorithm brings.
const Defaults = Timestamps | SACK | WindowScaling | DelayedACK | Pacing | FRTO

// Recovery names a way of detecting loss and of sending while it is repaired.
type Recovery uint8

// The recoveries.
const (
	RACK     Recovery = iota // RFC 8985 RACK-TLP with PRR (RFC 9937)
	SACK6675                 // RFC 6675
	NewReno                  // RFC 6582
	DupACK                   // three duplicate ACKs; any new ACK ends it (RFC 5681 s.3.2 before RFC 6582)
	FACK                     // Mathis and Mahdavi, SIGCOMM 1996, with rampdown and overdamping
	NACK                     // Yakura's: NACKs counted in each sub-connection, and trigger segments
	NACKConn                 // the same, counted over the whole connection
	NoFACK                   // the same without FACK: inflation and partial ACKs, as NewReno
)

// MaxSubConnections is the largest Config.SubConnections.
const MaxSubConnections = 64

// Policy says what a detected loss means to the controller (RFC 1106 s.4.2).
type Policy uint8

// The loss policies.
const (
	LossIsCongestion    Policy = iota // a loss starts a congestion episode
	LossIsNoise                       // a loss is repaired and the window stays; only timeouts in a row count as congestion (C-17)
	TimeoutIsCongestion               // as LossIsNoise, but each timeout counts as congestion
)

// Config is one connection's configuration. The zero value is a modern TCP with sensible defaults.
type Config struct {
	Algorithm cc.Algorithm // congestion controller; the zero value is CUBIC
	Recovery  Recovery
	Policy    Policy
	Enable    Feature // features on besides Defaults
	Disable   Feature // features off

	MSS             int  // largest segment to accept, octets of payload without options; 0 means 1460 (IPv4) or 1440 (IPv6)
	SendBuffer      int  // octets, fixed; 0 means grown as needed up to SendBufferMax
	RecvBuffer      int  // octets, fixed; 0 means grown as needed up to RecvBufferMax
	SendBufferMax   int  // octets; 0 means 64 MiB
	RecvBufferMax   int  // octets; 0 means 64 MiB
	InitialWindow   int  // segments; 0 means RFC 6928's ten
	InitialSsthresh int  // octets; 0 means no limit
	SubConnections  int  // windows that one connection is steered by (Yakura's split-and-control); 0 means 1, most MaxSubConnections
	SlowStart       int  // segments that slow start adds for each acknowledged one; 0 means 1, most cc.MaxSlowStart (RFC 1106 s.4.2)
	FlightSsthresh  bool // cut from the flight size (RFC 5681 equation 4), not from the window
	NAKs            NAKOptions
	PathMTU         PathMTU
	Timers          Timers
	KeepAlive       KeepAlive

	// UserTimeout is how long data may stay unacknowledged before the connection is given up (RFC 9293 s.3.8.3); 0 means 15 minutes
	// and at least three retransmissions (R2 of RFC 1122 s.4.2.3.5), less than 0 for ever. PersistTimeout is how long the peer may
	// keep its window closed although it answers probes (RFC 6429); 0 means for ever, but 15 minutes after Close.
	UserTimeout    time.Duration
	PersistTimeout time.Duration

	TrustPeer bool       // do not check what the peer acknowledges when there is doubt; the feature ACKCheck does all the same
	Trace     trace.Sink // nil means no trace
	Flow      uint32     // flow number for Trace
}

// Timers are a connection's time constants. Zero fields take the defaults given.
type Timers struct {
	Granularity time.Duration // G of RFC 6298 s.2; default 1 ms
	RTOInitial  time.Duration // default 1 s (RFC 6298 s.2.1)
	RTOMin      time.Duration // default 200 ms; RFC 6298 s.2.4 asks for 1 s
	RTOVarMin   time.Duration // floor of the 4*RTTVAR term; default 200 ms, as Linux has it
	RTOMax      time.Duration // default 120 s
	DelayedACK  time.Duration // default 40 ms; at most 500 ms (RFC 1122 s.4.2.3.2)
	TimeWait    time.Duration // 2 MSL (RFC 9293 s.3.4.1); default 60 s
	FinWait2    time.Duration // longest wait for the peer's FIN after Close; default 60 s
	MTURaise    time.Duration // until a path is asked whether it carries larger packets now; default 600 s (RFC 8899 s.5.1.1)
	PersistMax  time.Duration // longest time between zero-window probes; default 60 s
}

// NAKOptions vary what the feature NAK does. The zero value is RFC 1106 s.2.1 and s.4.3.
type NAKOptions struct {
	Threshold int  // segments' worth of data that must lie beyond a hole before it is NAKed; 0 is at once (C-22)
	Repeat    int  // how often a hole is NAKed again, each time 1.5 round trips after the last; 0 is never (C-8)
	Ignore    bool // NAKs that arrive change nothing: they are advisory (C-23)
	CountACKs bool // go on counting duplicate ACKs after a NAK, which RFC 1106 s.4.3 gives up
}

// KeepAlive configures probes of an idle connection (RFC 1122 s.4.2.3.6). Idle 0 turns them off.
type KeepAlive struct {
	Idle     time.Duration // silence before the first probe
	Interval time.Duration // between probes; default 75 s
	Count    int           // unanswered probes before the connection is dropped; default 9
}

// withDefaults returns the configuration with every zero field filled in.
func (c Config) withDefaults(ipv6 bool) Config {
	if c.Algorithm.New == nil {
		c.Algorithm, _ = cc.Find("cubic")
	}
	if c.MSS == 0 {
		c.MSS = 1460
		if ipv6 {
			c.MSS = 1440
		}
	}
	c.MSS = min(max(c.MSS, minMSS), 65495)
	c.SendBuffer = clampBuffer(c.SendBuffer)
	c.RecvBuffer = clampBuffer(c.RecvBuffer)
	c.SendBufferMax = clampBuffer(orDefault(c.SendBufferMax, defaultBufferMax))
	c.RecvBufferMax = clampBuffer(orDefault(c.RecvBufferMax, defaultBufferMax))
	c.InitialWindow = max(c.InitialWindow, 0)
	if c.SubConnections = min(max(c.SubConnections, 1), MaxSubConnections); !c.Recovery.Splits() {
		c.SubConnections = 1 // the other recoveries know of one window
	}
	c.SlowStart = min(max(c.SlowStart, 1), int(cc.MaxSlowStart))
	t := &c.Timers
	t.Granularity = orDefault(t.Granularity, time.Millisecond)
	t.RTOInitial = orDefault(t.RTOInitial, time.Second)
	t.RTOMin = orDefault(t.RTOMin, 200*time.Millisecond)
	t.RTOVarMin = orDefault(t.RTOVarMin, 200*time.Millisecond)
	t.RTOMax = orDefault(t.RTOMax, 120*time.Second)
	t.DelayedACK = min(orDefault(t.DelayedACK, 40*time.Millisecond), 500*time.Millisecond)
	t.TimeWait = orDefault(t.TimeWait, 60*time.Second)
	t.FinWait2 = orDefault(t.FinWait2, 60*time.Second)
	t.MTURaise = orDefault(t.MTURaise, defaultMTURaise)
	t.PersistMax = orDefault(t.PersistMax, 60*time.Second)
	if c.Features()&CoarseClock != 0 {
		t.Granularity = 500 * time.Millisecond
		t.RTOMin = max(t.RTOMin, time.Second)
		t.RTOVarMin = t.Granularity
	}
	c.KeepAlive = c.KeepAlive.withDefaults()
	return c
}

func (k KeepAlive) withDefaults() KeepAlive {
	k.Interval = orDefault(k.Interval, 75*time.Second)
	k.Count = orDefault(k.Count, 9)
	return k
}

// defaultBufferMax is how far a buffer grows by itself.
const defaultBufferMax = 64 << 20

// Defaults returns the features that are on unless Disable takes them away: the constant Defaults and what the algorithm
// has of itself.
func (c *Config) Defaults() Feature {
	f := Defaults
	if c.Algorithm.HyStart {
		f |= HyStart
	}
	if c.Algorithm.LimitedSlowStart {
		f |= LimitedSlowStart
	}
	return f
}

// Features returns what the configuration wants.
func (c *Config) Features() Feature { return c.Defaults()&^c.Disable | c.Enable }

// DataOptions returns the octets of options in every data segment between two ends that have this configuration.
func (c Config) DataOptions(e wire.Encoding) int { return c.Features().dataOptions(e) }

// clampBuffer keeps a buffer size within what windows can express: 2^30 octets (RFC 7323 s.2.3, RFC 1106 s.3).
func clampBuffer(n int) int { return min(max(n, 0), int(cc.MaxWindow)) }

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}
