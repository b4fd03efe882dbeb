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
	{"newreno", "three duplicate ACKs, then one hole a round trip (RFC 6582)", tcp.NewReno},
	{"dupack", "three duplicate ACKs; any new ACK ends recovery (RFC 5681 before RFC 6582)", tcp.DupACK},
}

// Feature is something that a stack can have or lack.
type Feature struct {
	Name  string
	Title string      // for people, with the source
	Bit   tcp.Feature // 0 for noise, which is a loss policy and not a protocol feature
}

// Features lists every feature, in the order of canonical names.
var Features = []Feature{
	{"ts", "timestamps and protection against old segments (RFC 7323 s.3)", tcp.Timestamps},
	{"sack", "selective acknowledgements on the wire (RFC 2018, RFC 2883)", tcp.SACK},
	{"wscale", "windows beyond 64 KiB (RFC 7323 s.2)", tcp.WindowScaling},
	{"delack", "delayed ACKs (RFC 1122 s.4.2.3.2)", tcp.DelayedACK},
	{"pacing", "segments spread over the round trip", tcp.Pacing},
	{"frto", "detection of spurious timeouts (RFC 5682)", tcp.FRTO},
	{"hystart", "slow start ends on rising delay, where the algorithm knows how (RFC 9406)", tcp.HyStart},
	{"nagle", "small segments wait for the ACK (RFC 9293 s.3.7.4)", tcp.Nagle},
	{"perack", "the window grows per ACK and not per octet, as in 4.3BSD", tcp.PerACK},
	{"coarse", "500 ms clock and a retransmission timeout of at least 1 s, as in 4.3BSD", tcp.CoarseClock},
	{"noise", "a loss is repaired and does not shrink the window (RFC 1106 s.4.2): for your own noisy link only", 0},
}

// Default reports whether stacks have the feature unless they say otherwise.
func (f Feature) Default() bool { return tcp.Defaults&f.Bit != 0 }

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
	"fack": true, "nack": true, "nackconn": true, "nofack": true,
	"bigwindow": true, "nak": true, "ss2": true, "ecn": true, "lss": true, "literal": true,
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
