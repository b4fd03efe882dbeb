package experiments

import (
	"fmt"
	"time"

	"longhaul/lab"
	"longhaul/link"
	"longhaul/model"
	"longhaul/sim"
)

// Agarwal repeats the measurements of throughput against bit errors and what their author says of bursts (requirements R90 to R95).
var Agarwal = Experiment{
	Name:     "agarwal",
	Title:    "Throughput against bit error rate",
	Source:   "Agarwal, message to the tcpsat list with predictions and measurements, archived February 2000",
	Question: "What does one TCP connection carry over a satellite link of a given bit error rate, when do bursts of errors help or hurt it, and which bit error rate must be bought?",
	Cases:    func(o Options) []lab.Case { return planAgarwal(o).cases },
	Report: func(o Options, results [][]lab.Result) lab.Reproduction {
		return agarwalReport{findings{planAgarwal(o), results}}.reproduction()
	},
}

// The set-up of the measurements (R92); that of the predictions is model.AgarwalMSS and AgarwalRTT.
const (
	satelliteRate   = 8_000_000
	t1Rate          = 1_536_000 // bits per second of a T1's payload (C-47)
	satelliteMSS    = 1460
	satelliteWire   = 1500 // octets that bit errors can hit: payload and headers
	satelliteWindow = 256 << 10
)

// solaris is what Solaris 5.6 of 1997 did besides its recovery: delayed ACKs and growth per ACK, a 500 ms clock, no pacing, no timestamps.
const solaris = "-ts-pacing-frto+perack+coarse+iw1"

// The recoveries that bursts of errors tell apart. The measured host is taken for NewReno's.
var satelliteRecoveries = []struct{ name, stack string }{
	{"Reno", "reno:dupack-sack" + solaris},
	{"NewReno", newReno},
	{"SACK", "reno:sack" + solaris},
	{"NAK", newReno + "+nak"},
}

const newReno = "reno:newreno-sack" + solaris

// satellite is a long transfer over the link simulator, without its errors.
func satellite(name, stack string, rate int64, queue lab.QueueSize, o Options) lab.Case {
	c := lab.Case{
		Name:     name,
		Path:     lab.Path{Rate: rate, RTT: model.AgarwalRTT, Queue: queue},
		Flows:    []lab.Flow{{Stack: known(stack), Window: satelliteWindow}},
		Duration: 30 * time.Minute,
	}
	if o.Quick {
		c.Duration = 10 * time.Minute
	}
	return c
}

// independent is that transfer with independent bit errors in both directions (C-49).
func independent(ber float64, o Options) lab.Case {
	c := satellite(independentName(ber), newReno, satelliteRate, lab.QueueSize{BDP: 1}, o)
	c.Path.BER = ber
	return c
}

// t1Queues are what may have been before the T1: the usual room, or so much that the window fits.
var t1Queues = []struct {
	name string
	size lab.QueueSize
}{
	{"one BDP", lab.QueueSize{BDP: 1}},
	{"room for the window", lab.QueueSize{Octets: 2 * satelliteWindow}},
}

// The bursts of Viterbi decoders (R93): 40 to 100 bits with 10 to 20 wrong ones among them.
const viterbiBits = 70

var (
	viterbiErrors = []float64{10, 20}
	viterbiRates  = []float64{1e-6, 1e-7}
)

// The bursts of that bit error rate that spread ever wider, with at most so many wrong bits.
const (
	spreadRate   = 1e-6
	spreadErrors = 20
)

var (
	spreadBits = []float64{1, 10, 40, 100, 1000, 10_000, 30_000}
	denseBits  = []float64{100, 1000, 10_000} // with half their bits wrong
)

// bursty is the transfer with bursts of bit errors in the data's direction, in which that share of the bits is wrong.
func bursty(name, stack string, ber, bits, density float64, o Options) lab.Case {
	c := satellite(name, stack, satelliteRate, lab.QueueSize{BDP: 1}, o)
	c.Path.Adjust = func(w *sim.World, forward, _ *link.Config) {
		forward.Errors = []link.LossModel{link.Bursts(ber, bits, density, w.Rand("bursts"))}
	}
	return c
}

// spreadDensity is the share of wrong bits in bursts of that length. A "burst" of one bit is all wrong.
func spreadDensity(bits float64) float64 {
	if bits == 1 {
		return 1
	}
	return min(0.5, spreadErrors/bits)
}

func spreadName(recovery string, bits float64) string {
	return fmt.Sprintf("spread/%s/%g", recovery, bits)
}

// The targets of the planning inverse (R94), in bits per second.
var satelliteTargets = []float64{500e3, 1e6, 10e6}

// simulatedTargets are those that the measured window allows.
var simulatedTargets = satelliteTargets[:2]

// agarwalRuns is how many runs a figure is the mean of.
func agarwalRuns(o Options) int {
	if o.Quick {
		return 3
	}
	return 10
}

// planAgarwal lists every run.
func planAgarwal(o Options) *plan {
	p := &plan{o: o}
	runs := agarwalRuns(o)
	for _, row := range model.AgarwalTable[:6] { // beyond it the window decides
		p.add(independent(row.BER, o), 2*runs)
	}
	p.quietly()
	for _, q := range t1Queues {
		c := satellite("T1/"+q.name, newReno, t1Rate, q.size, o)
		c.Path.BER = 1e-8
		p.add(c, runs)
	}
	for _, ber := range viterbiRates {
		for _, errors := range viterbiErrors {
			p.add(bursty(viterbiName(ber, errors), newReno, ber, viterbiBits, errors/viterbiBits, o), runs)
		}
	}
	for _, r := range satelliteRecoveries {
		for _, bits := range spreadBits {
			p.add(bursty(spreadName(r.name, bits), r.stack, spreadRate, bits, spreadDensity(bits), o), runs)
		}
	}
	for _, bits := range denseBits {
		p.add(bursty(fmt.Sprintf("dense/%g", bits), newReno, spreadRate, bits, 0.5, o), runs)
	}
	for _, target := range simulatedTargets {
		c := independent(model.AgarwalBER(model.AgarwalMSS, model.AgarwalRTT, target), o)
		c.Name = targetName(target)
		p.add(c, runs)
	}
	c := independent(1e-7, o)
	c.Name, c.Flows[0].Stack = "selective", known("reno:sack"+solaris)
	p.add(c, 2*runs)
	return p
}
