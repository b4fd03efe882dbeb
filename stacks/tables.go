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
}

// Feature is something that a stack can have or lack.
type Feature struct {
	Name  string
	Title string // for people, with the source
	field
}

// field is the part of a configuration that a feature is.
type field struct {
	set func(c *tcp.Config, on bool)
	has func(c *tcp.Config) bool
}

// bit is the field of a protocol feature.
func bit(f tcp.Feature) field {
	return field{
		func(c *tcp.Config, on bool) {
			if on {
				c.Enable |= f &^ tcp.Defaults
			} else {
				c.Disable |= f & tcp.Defaults
			}
		},
		func(c *tcp.Config) bool { return (tcp.Defaults&^c.Disable|c.Enable)&f != 0 },
	}
}

// noise is the loss policy.
var noise = field{
	func(c *tcp.Config, on bool) {
		if on {
			c.Policy = tcp.LossIsNoise
		}
	},
	func(c *tcp.Config) bool { return c.Policy == tcp.LossIsNoise },
}

// fasterStart is slow start's rate.
var fasterStart = field{
	func(c *tcp.Config, on bool) {
		if on {
			c.SlowStart = 2
		}
	},
	func(c *tcp.Config) bool { return c.SlowStart == 2 },
}

// Features lists every feature, in the order of canonical names.
var Features = []Feature{
	{"ts", "timestamps and protection against old segments (RFC 7323 s.3)", bit(tcp.Timestamps)},
	{"sack", "selective acknowledgements on the wire (RFC 2018, RFC 2883)", bit(tcp.SACK)},
	{"wscale", "windows beyond 64 KiB (RFC 7323 s.2)", bit(tcp.WindowScaling)},
	{"delack", "delayed ACKs (RFC 1122 s.4.2.3.2)", bit(tcp.DelayedACK)},
	{"pacing", "segments spread over the round trip", bit(tcp.Pacing)},
	{"frto", "detection of spurious timeouts (RFC 5682)", bit(tcp.FRTO)},
	{"hystart", "slow start ends on rising delay, where the algorithm knows how (RFC 9406)", bit(tcp.HyStart)},
	{"nagle", "small segments wait for the ACK (RFC 9293 s.3.7.4)", bit(tcp.Nagle)},
	{"perack", "the window grows per ACK and not per octet, as in 4.3BSD", bit(tcp.PerACK)},
	{"coarse", "500 ms clock and a retransmission timeout of at least 1 s, as in 4.3BSD", bit(tcp.CoarseClock)},
	{"noise", "a loss is repaired and does not shrink the window (RFC 1106 s.4.2): for your own noisy link only", noise},
	{"ss2", "slow start opens the window by two segments for each acknowledged one (RFC 1106 s.4.2)", fasterStart},
}

// Default reports whether stacks have the feature unless they say otherwise.
func (f Feature) Default() bool { return f.has(&tcp.Config{}) }

// Preset is a short name for a whole stack.
type Preset struct {
	Name  string
	Stack string // what it stands for
	Title string // for people, with the source
}

// Presets lists every preset.
var Presets = []Preset{
	{"ptcp", "reno*16", "P-TCP: sixteen parallel Reno streams (Cottrell and Bullot 2003; R60)"},
}

// unbuilt are the recoveries and features whose names are reserved and which are not available yet.
var unbuilt = map[string]bool{
	"nack": true, "nackconn": true, "nofack": true,
	"bigwindow": true, "nak": true, "ecn": true, "lss": true, "literal": true,
}

// documented are the stacks of the literature that this project starts from, oldest first, as far as their parts
// exist, and then today's yardstick.
var documented = []string{
	"tahoe:dupack-pacing", // RFC 1106's appendix: 4.3BSD Tahoe (R24)
	"reno:newreno",        // the one window of Yakura's and Agarwal's measurements (R48, R92)
	"reno",                // "Reno-1" of Cottrell and Bullot, with today's loss detection (R60)
	"ptcp",                // their sixteen streams
	"cubic",               // RFC 9438
}

// Documented returns the stacks that a comparison takes when none is named: those of the literature that the project
// starts from, and CUBIC.
func Documented() []Stack {
	list := make([]Stack, len(documented))
	for i, name := range documented {
		list[i] = mustParse(name)
	}
	return list
}

// All returns every algorithm of cc.All with the default recovery, and then what Documented adds to that.
func All() []Stack {
	var list []Stack
	seen := map[string]bool{}
	for _, a := range cc.All {
		list = append(list, mustParse(a.Name))
		seen[a.Name] = true
	}
	for _, s := range Documented() {
		if !seen[s.Name] {
			list = append(list, s)
		}
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
