package experiments

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"longhaul/lab"
	"longhaul/link"
	"longhaul/sim"
	"longhaul/stacks"
	"longhaul/tcp"
)

// RFC1106 repeats the appendix of RFC 1106 and the arithmetic of its section 4 (requirements R22 to R25).
var RFC1106 = Experiment{
	Name:     "rfc1106",
	Title:    "Big windows and NAKs over a T1 satellite link",
	Source:   "R. Fox, TCP Big Window and NAK Options, RFC 1106, June 1989",
	Question: "What do big windows, NAKs and calling a loss noise gain on a noisy satellite link, and which of the three gains it?",
	Cases:    func(o Options) []lab.Case { return planRFC1106(o).cases },
	Report: func(o Options, results [][]lab.Result) lab.Reproduction {
		return foxReport{findings{planRFC1106(o), results}}.reproduction()
	},
}

// The path of the RFC's appendix: a T1 over a geostationary satellite. The sender is the link's own host, so its
// queue takes every window.
const (
	foxRate  = 1_544_000 // bits per second, framing included
	foxRTT   = 580 * time.Millisecond
	foxQueue = 256 << 10 // octets
	foxMSS   = 1024      // octets, options included; the RFC does not say (C-15)
	foxPath  = foxRate / 8 * 0.58
)

// foxWindows are the RFC's windows in KiB, and foxBERs its error rates, which it prints as 10e-7 and 10e-6 (C-11).
var (
	foxWindows = []int{64, 72, 80, 92, 100, 112, 124, 136, 156}
	foxBERs    = []float64{0, 1e-7, 1e-6}
)

// foxPrinted are the RFC's figures 1 and 2 in units of 1000 octets per second, by window and error rate (C-13).
var foxPrinted = map[string][][]float64{
	"fig1": {{94, 53, 14}, {106, 51, 15}, {115, 42, 14}, {115, 43, 14}, {135, 66, 15}, {126, 53, 17}, {154, 45, 14}, {160, 66, 15}, {167, 45, 14}},
	"fig2": {{95, 83, 43}, {104, 87, 49}, {117, 96, 62}, {124, 119, 39}, {140, 124, 35}, {151, 126, 53}, {160, 140, 36}, {167, 148, 38}, {167, 160, 38}},
}

// foxHost returns the RFC's host, 4.3BSD Tahoe with big windows, with NAKs or without, under a loss policy.
func foxHost(nak bool, policy tcp.Policy) stacks.Stack {
	s := known("bsd43")
	s.Config.MSS = foxMSS
	s.Config.Policy = policy
	if nak {
		s.Config.Enable |= tcp.NAK
	}
	return s
}

// known returns the stack of a name that is known to parse.
func known(name string) stacks.Stack {
	s, err := stacks.Parse(name)
	if err != nil {
		panic("experiments: " + err.Error())
	}
	return s
}

// foxStack is a stack under the name of its table.
type foxStack struct {
	name  string
	stack stacks.Stack
}

// foxHosts are the hosts of the RFC's two figures.
func foxHosts() []foxStack {
	return []foxStack{{"fig1", foxHost(false, tcp.LossIsCongestion)}, {"fig2", foxHost(true, tcp.LossIsNoise)}}
}

// foxStacks are those, the two combinations that the figures leave out (C-16), and two of today's under their defaults:
// MSS 1460, delayed ACKs, pacing.
func foxStacks() []foxStack {
	return append(foxHosts(),
		foxStack{"noise only", foxHost(false, tcp.LossIsNoise)},
		foxStack{"NAK only", foxHost(true, tcp.LossIsCongestion)},
		foxStack{"cubic", known("cubic")},
		foxStack{"modern", known("reno+bigwindow+nak+noise")})
}

// foxVariant is a change to the set-up, to see what hangs on what the RFC does not say (C-15).
type foxVariant struct {
	name  string
	stack func(s *stacks.Stack)
	path  func(p *lab.Path)
}

var foxVariants = []foxVariant{
	{"as above", nil, nil},
	{"MSS 512", func(s *stacks.Stack) { s.Config.MSS = 512 }, nil},
	{"MSS 1460", func(s *stacks.Stack) { s.Config.MSS = 1460 }, nil},
	{"delayed ACKs", func(s *stacks.Stack) { s.Config.Disable &^= tcp.DelayedACK }, nil},
	{"bursts of 70 bits", nil, func(p *lab.Path) { bursts(p, 70) }},
	{"packets, not bits", nil, perPacket},
	{"queue of 1 BDP", nil, func(p *lab.Path) { p.Queue = lab.QueueSize{BDP: 1} }},
}

// bursts makes p's bit errors come in bursts of that many bits on average, in both directions.
func bursts(p *lab.Path, bits float64) {
	ber := p.BER
	p.BER = 0
	p.Adjust = func(w *sim.World, forward, reverse *link.Config) {
		forward.Errors = []link.LossModel{link.Bursts(ber, bits, 0, w.Rand("errors forward"))}
		reverse.Errors = []link.LossModel{link.Bursts(ber, bits, 0, w.Rand("errors reverse"))}
	}
}

// perPacket makes p lose every packet with the probability that a full segment has, ACKs too: an error simulator that works by
// the packet loses as many NAKs as segments (C-12).
func perPacket(p *lab.Path) {
	lost := 1 - math.Pow(1-p.BER, 8*(foxMSS+40))
	p.BER = 0
	p.Adjust = func(w *sim.World, forward, reverse *link.Config) {
		forward.Loss = []link.LossModel{link.Uniform(lost, w.Rand("loss forward"))}
		reverse.Loss = []link.LossModel{link.Uniform(lost, w.Rand("loss reverse"))}
	}
}

// foxSensitive are the windows in KiB that the variants are run with: the smallest and the largest.
var foxSensitive = []int{64, 156}

// foxSingle are the windows for the cost of one loss, as parts of the path Z (R23).
var foxSingle = []struct {
	name   string
	window int // octets
}{{"Z/2", foxPath / 2}, {"Z", foxPath}, {"1.43Z", 156 << 10}, {"2Z", 2 * foxPath}}

// foxRates are the rates of slow start that are tried: segments by which an acknowledged one opens the window (R21).
var foxRates = []int{1, 2, 3, 4}

// foxBurst are the ways of sending a repaired window into a queue of 1 BDP.
var foxBurst = []struct {
	name   string
	queue  lab.QueueSize
	pacing bool
}{
	{"queue 256 KiB, no pacing", lab.QueueSize{Octets: foxQueue}, false},
	{"queue 1 BDP, no pacing", lab.QueueSize{BDP: 1}, false},
	{"queue 1 BDP, pacing", lab.QueueSize{BDP: 1}, true},
}

// foxCase is a transfer over the RFC's link.
func foxCase(name string, s stacks.Stack, window int, ber float64, octets int64) lab.Case {
	return lab.Case{
		Name:  name,
		Path:  lab.Path{Rate: foxRate, RTT: foxRTT, BER: ber, Queue: lab.QueueSize{Octets: foxQueue}},
		Flows: []lab.Flow{{Stack: s, Window: window, Bytes: octets}},
		// The slowest cell moves 10 MB in about ten minutes.
		Duration: 3 * time.Hour,
	}
}

// cell names a case of the tables: the table, the window in KiB, and the bit error rate.
func cell(table string, window int, ber float64) string {
	return fmt.Sprintf("%s/%dK/%s", table, window, berName(ber))
}

// berName writes a bit error rate as 0 or 1e-7.
func berName(ber float64) string {
	if ber == 0 {
		return "0"
	}
	return fmt.Sprintf("1e%.0f", math.Log10(ber))
}

// planRFC1106 lists every run.
func planRFC1106(o Options) *plan {
	p := &plan{o: o}
	const octets = 10e6
	runs := 20
	if o.Quick {
		runs = 4
	}
	for i, t := range foxStacks() {
		if i == len(foxHosts()) {
			p.quietly() // the RFC's own figures make captures of 100 MB, all cells 600 MB
		}
		for _, w := range foxWindows {
			for _, ber := range foxBERs {
				n := runs
				if ber == 0 {
					n = 1 // nothing is random
				}
				p.add(foxCase(cell(t.name, w, ber), t.stack, w<<10, ber, octets), n)
			}
		}
	}
	p.planVariants(runs/2, octets)
	p.planStart(runs/2, octets)
	p.planBursts(runs/2, octets)
	p.planSingle(octets)
	return p
}

// planVariants lists the runs of the sensitivity table.
func (p *plan) planVariants(runs int, octets int64) {
	for _, v := range foxVariants {
		for _, w := range foxSensitive {
			for _, ber := range foxBERs[1:] {
				for _, h := range foxHosts() {
					if v.stack != nil {
						v.stack(&h.stack)
					}
					c := foxCase(cell(v.name+"/"+h.name, w, ber), h.stack, w<<10, ber, octets)
					if v.path != nil {
						v.path(&c.Path)
					}
					p.add(c, runs)
				}
			}
		}
	}
}

// planStart lists the runs about the rate of slow start: its curve on a link that is no bottleneck, and what it is worth on
// the RFC's after each loss.
func (p *plan) planStart(runs int, octets int64) {
	for _, k := range foxRates {
		s := foxHost(true, tcp.LossIsCongestion)
		s.Config.SlowStart = k
		p.add(lab.Case{
			Name: "curve/" + strconv.Itoa(k), Path: lab.Path{Rate: 10e9, RTT: foxRTT},
			Flows:    []lab.Flow{{Stack: s, Window: 4 << 20}},
			Duration: 12 * foxRTT, Curve: foxRTT / 20,
		}, 1)
		for _, ber := range foxBERs[1:] {
			p.add(foxCase(cell("start "+strconv.Itoa(k), 156, ber), s, 156<<10, ber, octets), runs)
		}
	}
}

// planBursts lists the runs about the burst that a repair releases.
func (p *plan) planBursts(runs int, octets int64) {
	for _, b := range foxBurst {
		for _, w := range []int{100, 156} {
			s := foxHost(true, tcp.LossIsNoise)
			if b.pacing {
				s.Config.Disable &^= tcp.Pacing
			}
			c := foxCase(cell(b.name, w, 1e-7), s, w<<10, 1e-7, octets)
			c.Path.Queue = b.queue
			p.add(c, runs)
		}
	}
}

// foxPayload is the payload of a full segment, and foxLimit how much of it the link carries, in octets per second.
const (
	foxPayload = foxMSS - 4                               // option C takes 4 octets
	foxLimit   = foxRate / 8 * foxPayload / (foxMSS + 40) // 40 octets of headers
)

// paced is the RFC's host with NAKs whose application sends at the link's rate, with nothing to hold it back but the window.
const paced = "paced"

// planSingle lists the runs about the cost of a single loss, of a segment far from either end, with their likes
// without the loss.
func (p *plan) planSingle(octets int64) {
	for _, w := range foxSingle {
		for _, h := range append(foxHosts(), foxStack{paced, foxHost(true, tcp.LossIsNoise)}) {
			for _, lost := range []bool{false, true} {
				c := foxCase(singleName(h.name, w.name, lost), h.stack, w.window, 0, octets)
				if h.name == paced {
					c.Flows[0].Rate = foxLimit * 8
					c.Flows[0].Stack.Config.InitialWindow = w.window/foxPayload + 1
				}
				if lost {
					c.Path.Adjust = func(_ *sim.World, forward, _ *link.Config) {
						n := octets / foxMSS / 2
						forward.Loss = []link.LossModel{&link.Script{MinSize: foxMSS / 2, Drop: []link.Window{{First: n, Last: n}}}}
					}
				}
				p.add(c, 1)
			}
		}
	}
}

func singleName(host, window string, lost bool) string {
	return fmt.Sprintf("single/%s/%s/%v", host, window, lost)
}
