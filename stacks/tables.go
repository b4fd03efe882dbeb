package stacks

import (
	"longhaul/cc"
	"longhaul/tcp"
)

// Recovery is one way of detecting and repairing loss.
type Recovery struct {
	Name   string
	Title  string // for people, with the source
	Config tcp.Recovery
}

// Recoveries lists every recovery; the first is the default.
var Recoveries = []Recovery{
	{"rack", "time-based detection and tail loss probes with proportional rate reduction (RFC 8985, RFC 9937)", tcp.RACK},
	{"sack", "selective acknowledgements, conservative (RFC 6675)", tcp.SACK6675},
	{"fack", "selective acknowledgements, forward: what left before the newest data that arrived is lost (Mathis and Mahdavi, SIGCOMM 1996)", tcp.FACK},
	{"newreno", "three duplicate ACKs, then one hole a round trip (RFC 6582)", tcp.NewReno},
	{"dupack", "three duplicate ACKs; any new ACK ends recovery (RFC 5681 before RFC 6582)", tcp.DupACK},
	{"nack", "three SACKs of what the sub-connection sent later, also for what was sent again (Yakura's split-and-control)", tcp.NACK},
	{"nackconn", "the same, counted over the whole connection", tcp.NACKConn},
	{"nofack", "the same without forward acknowledgement: window inflation and partial ACKs", tcp.NoFACK},
}

// Feature is something that a stack can have or lack.
type Feature struct {
	Name  string
	Title string // for people, with the source
	field
}

// field is the part of a stack that a feature is.
type field struct {
	set func(s *Stack, on bool)
	has func(s *Stack) bool
}

// bit is the field of a protocol feature.
func bit(f tcp.Feature) field {
	return field{
		func(s *Stack, on bool) {
			if on {
				s.Config.Enable |= f &^ s.Config.Defaults()
			} else {
				s.Config.Disable |= f & s.Config.Defaults()
			}
		},
		func(s *Stack) bool { return s.Config.Features()&f != 0 },
	}
}

// value is the field of a feature that gives some part of a stack a value other than zero.
func value[T comparable](part func(s *Stack) *T, v T) field {
	return field{
		func(s *Stack, on bool) {
			if on {
				*part(s) = v
			}
		},
		func(s *Stack) bool { return *part(s) == v },
	}
}

var (
	flightcut = value(func(s *Stack) *bool { return &s.Config.FlightSsthresh }, true)
	noise     = value(func(s *Stack) *tcp.Policy { return &s.Config.Policy }, tcp.LossIsNoise)
	ss2       = value(func(s *Stack) *int { return &s.Config.SlowStart }, 2)
	iw1       = value(func(s *Stack) *int { return &s.Config.InitialWindow }, 1)
	literal   = value(func(s *Stack) *bool { return &s.Encoding.Literal }, true)
)

// Features lists every feature, in the order of canonical names.
var Features = []Feature{
	{"ts", "timestamps and protection against old segments (RFC 7323 s.3)", bit(tcp.Timestamps)},
	{"sack", "selective acknowledgements on the wire (RFC 2018, RFC 2883)", bit(tcp.SACK)},
	{"wscale", "windows beyond 64 KiB (RFC 7323 s.2)", bit(tcp.WindowScaling)},
	{"delack", "delayed ACKs (RFC 1122 s.4.2.3.2)", bit(tcp.DelayedACK)},
	{"pacing", "segments spread over the round trip", bit(tcp.Pacing)},
	{"frto", "detection of spurious timeouts (RFC 5682)", bit(tcp.FRTO)},
	{"hystart", "the initial slow start ends on rising delay (RFC 9406); CUBIC has it of itself", bit(tcp.HyStart)},
	{"lss", "the initial slow start opens the window by at most 50 segments a round trip (RFC 3742)", bit(tcp.LimitedSlowStart)},
	{"flightcut", "a cut halves what is in flight and not the window (RFC 5681 equation 4), as 4.3BSD did", flightcut},
	{"nagle", "small segments wait for the ACK (RFC 9293 s.3.7.4)", bit(tcp.Nagle)},
	{"minshall", "with nagle: they wait only while another small one is unacknowledged (draft-minshall-nagle-01)", bit(tcp.Minshall)},
	{"perack", "the window grows per ACK and not per octet, as in 4.3BSD", bit(tcp.PerACK)},
	{"coarse", "500 ms clock and a retransmission timeout of at least 1 s, as in 4.3BSD", bit(tcp.CoarseClock)},
	{"iw1", "the first window is one segment, as in 4.3BSD", iw1},
	{"ss2", "slow start opens the window by two segments for each acknowledged one (RFC 1106 s.4.2)", ss2},
	{"bigwindow", "windows of 30 bits, where both ends want them in place of wscale (RFC 1106 s.3)", bit(tcp.BigWindow)},
	{"nak", "the receiver asks for what is missing at the left edge of the window (RFC 1106 s.2)", bit(tcp.NAK)},
	{"literal", "those two as RFC 1106 draws them, under option kinds that nobody assigned: for a laboratory", literal},
	{"ecn", "congestion marks in place of losses, where both ends want them and a queue sets them (RFC 3168)", bit(tcp.ECN)},
	{"ackcheck", "a segment sent out of turn now and then shows whether the receiver acknowledges only what it has (Sherwood et al., CCS 2005)", bit(tcp.ACKCheck)},
	{"noise", "a loss is repaired and does not shrink the window (RFC 1106 s.4.2): for your own noisy link only", noise},
}

// Default reports whether a stack has the feature unless it says otherwise, whatever its algorithm.
func (f Feature) Default() bool { return f.defaultFor(&Stack{}) }

// defaultFor reports whether a stack of s's algorithm has the feature unless it says otherwise.
func (f Feature) defaultFor(s *Stack) bool {
	return f.has(&Stack{Config: tcp.Config{Algorithm: s.Config.Algorithm}})
}

// Preset is a short name for a whole stack.
type Preset struct {
	Name  string
	Stack string // what it stands for
	Title string // for people, with the source
}

// bsd43 is 4.3BSD Tahoe with RFC 1106's big windows, in its own encoding.
const bsd43 = "tahoe:dupack-ts-sack-wscale-delack-pacing-frto+flightcut+perack+coarse+iw1+bigwindow+literal"

// Presets lists every preset.
var Presets = []Preset{
	{"bsd43", bsd43, "4.3BSD Tahoe with big windows: the host of RFC 1106 figure 1 (R24)"},
	{"fox", bsd43 + "+nak+noise", "the same with NAKs, and losses taken for noise: figure 2 (R24)"},
	{"yakura", "reno:nack/4", "split-and-control: one connection that is steered as four (Yakura's thesis; R30)"},
	{"ptcp", "reno*16", "P-TCP: sixteen parallel Reno streams (Cottrell and Bullot 2003; R60)"},
}

// documented are the stacks of the literature that this project starts from, and then today's yardsticks.
var documented = []string{
	"bsd43",        // RFC 1106's appendix, figure 1 (R24)
	"fox",          // and figure 2
	"reno:newreno", // the one window of Yakura's and Agarwal's measurements (R48, R92)
	"yakura",       // and its four (R30)
	"vegas",        // the mechanisms that the thesis compares with (R56)
	"bfa",
	"westwood",
	"reno", // the stacks of Cottrell and Bullot, "Reno-1" with today's loss detection (R60)
	"ptcp", // sixteen streams of it
	"scalable",
	"fast",
	"highspeed",
	"hstcplp",
	"bic",
	"htcp",
	"cubic", // RFC 9438
	"bbr",
}

// Documented returns the stacks that a comparison takes when none is named: those of the literature that the project
// starts from, CUBIC and BBR.
func Documented() []Stack {
	list := make([]Stack, len(documented))
	for i, name := range documented {
		list[i] = mustParse(name)
	}
	return list
}

// All returns every algorithm of cc.All with the default recovery, then every preset, and what Documented adds to those. What
// is new in one of the tables is in it.
func All() []Stack {
	var list []Stack
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, mustParse(name))
		}
	}
	for _, a := range cc.All {
		add(a.Name)
	}
	for _, p := range Presets {
		add(p.Name)
	}
	for _, name := range documented {
		add(name)
	}
	return list
}

// mustParse parses a name from this package's own tables.
func mustParse(name string) Stack {
	s, err := Parse(name)
	if err != nil {
		panic("stacks: the package's own table has a bad name: " + err.Error())
	}
	return s
}
