package experiments

import (
	"fmt"
	"time"

	"longhaul/lab"
	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/stacks"
)

// Yakura repeats the measurements of the thesis on split-and-control and what it left to do (requirements R50 to R55).
var Yakura = Experiment{
	Name:     "yakura",
	Title:    "One TCP connection steered as n sub-connections",
	Source:   "Yakura, master's thesis on split control of a TCP connection, NAIST, February 2000",
	Question: "When losses are frequent, what does a sender gain that splits its window in n and controls each part by itself, and what does that cost others?",
	Cases:    func(o Options) []lab.Case { return planYakura(o).cases },
	Report: func(o Options, results [][]lab.Result) lab.Reproduction {
		return yakuraReport{findings{planYakura(o), results}}.reproduction()
	},
}

// The thesis's test bed: Ethernet, ATM with a delay of 25 ms each way, Ethernet.
const (
	yakuraRate   = 100_000_000 // bits per second, of the Ethernet
	yakuraRTT    = 50 * time.Millisecond
	yakuraBuffer = 128 << 10 // octets of socket buffer
)

var (
	yakuraLosses = []float64{0, 0.03, 0.05}
	yakuraSizes  = []int{32, 64, 128, 256, 512} // kB; 256 may be missing in the thesis (C-33)
	yakuraParts  = []int{1, 2, 4, 8, 16}        // sub-connections, or parallel connections
)

// yakuraSubjects are what the thesis compares. A standard sender of n is n connections that share data and buffer (C-31).
var yakuraSubjects = []string{"standard", "no FACK", "proposed"}

// bsd33 is what FreeBSD 3.3 of 1999 did: no pacing, a 500 ms clock, a first window of one segment.
const bsd33 = "-ts-pacing-frto+coarse+iw1"

// yakuraStack returns a subject that is split into n.
func yakuraStack(subject string, n int) stacks.Stack {
	switch subject {
	case "standard":
		return known(fmt.Sprintf("reno:dupack-ts-sack-pacing-frto+flightcut+perack+coarse+iw1*%d", n))
	case "no FACK":
		return known(fmt.Sprintf("reno:nofack%s/%d", bsd33, n))
	case "proposed":
		return known(fmt.Sprintf("reno:nack%s/%d", bsd33, n))
	}
	return known(fmt.Sprintf("reno:nackconn%s/%d", bsd33, n))
}

// dataLoss loses what another model says of packets with data: the thesis's senders dropped between TCP and IP (C-34).
type dataLoss struct{ link.LossModel }

func (d dataLoss) Lost(now mono.Time, octets int) bool {
	return octets > 100 && d.LossModel.Lost(now, octets)
}

// yakuraCase is a transfer over the test bed.
func yakuraCase(subject string, n, size int, loss float64) lab.Case {
	c := lab.Case{
		Name:     yakuraName(subject, n, size, loss),
		Path:     lab.Path{Rate: yakuraRate, RTT: yakuraRTT},
		Flows:    []lab.Flow{{Stack: yakuraStack(subject, n), Window: yakuraBuffer, Bytes: int64(size) << 10}},
		Duration: time.Hour,
	}
	if loss > 0 {
		c.Path.Adjust = func(w *sim.World, forward, _ *link.Config) {
			forward.Loss = []link.LossModel{dataLoss{link.Uniform(loss, w.Rand("loss"))}}
		}
	}
	return c
}

func yakuraName(subject string, n, size int, loss float64) string {
	return fmt.Sprintf("%s/%d/%dk/%g", subject, n, size, loss)
}

// The slow link of the thesis: PPP at 64 kbit/s, where a queue of some 3 kB takes the round trip from 100 to 500 ms.
const (
	slowRate  = 64_000
	slowRTT   = 100 * time.Millisecond
	slowQueue = 3200 // octets
	slowSize  = 64   // kB
)

func slowCase(subject string, n int) lab.Case {
	return lab.Case{
		Name:     fmt.Sprintf("slow/%s/%d", subject, n),
		Path:     lab.Path{Rate: slowRate, RTT: slowRTT, Queue: lab.QueueSize{Octets: slowQueue}},
		Flows:    []lab.Flow{{Stack: yakuraStack(subject, n), Window: yakuraBuffer, Bytes: slowSize << 10}},
		Duration: time.Hour,
	}
}

// The shared bottleneck on which fairness is found, which the thesis left to do.
const (
	sharedRate = 10_000_000
	sharedBDP  = 62_500 // octets, of that rate and the bed's round trip: the room in the queue
	sharedTime = 40 * time.Second
)

// sharedQueues are the queues of that bottleneck.
var sharedQueues = []string{"tail drop", "RED"}

// sharedCase is a proposed connection of n beside one of Reno, which begins run x 37 ms later so that no two runs are alike.
func sharedCase(queue string, n, run int) lab.Case {
	reno := known("reno:sack-ts-pacing-frto")
	split := known(fmt.Sprintf("reno:nack-ts-pacing-frto/%d", n))
	c := lab.Case{
		Name:     sharedName(queue, n, run),
		Path:     lab.Path{Rate: sharedRate, RTT: yakuraRTT, Queue: lab.QueueSize{BDP: 1}},
		Flows:    []lab.Flow{{Stack: split}, {Stack: reno, Start: time.Duration(run+1) * 37 * time.Millisecond}},
		Duration: sharedTime,
	}
	if queue == "RED" {
		c.Path.Adjust = func(w *sim.World, forward, _ *link.Config) {
			forward.Queue = link.RED(0, sharedBDP, w.Rand("RED"))
		}
	}
	return c
}

func sharedName(queue string, n, run int) string {
	return fmt.Sprintf("shared/%s/%d/%d", queue, n, run)
}

// yakuraRuns is how many runs a cell is the mean of.
func yakuraRuns(o Options) int {
	if o.Quick {
		return 5
	}
	return 30
}

// planYakura lists every run.
func planYakura(o Options) *plan {
	p := &plan{o: o}
	p.quietly()
	runs := yakuraRuns(o)
	for _, loss := range yakuraLosses {
		n := runs
		if loss == 0 {
			n = 1 // nothing is random
		}
		for _, subject := range yakuraSubjects {
			for _, parts := range yakuraParts {
				for _, size := range yakuraSizes {
					p.add(yakuraCase(subject, parts, size, loss), n)
				}
			}
		}
		if loss > 0 {
			for _, parts := range yakuraParts {
				p.add(yakuraCase("whole connection", parts, 512, loss), n)
			}
		}
	}
	p.o.Packets, p.o.Trace = o.Packets, o.Trace // the captures are of the runs that are drawn
	for _, subject := range []string{"standard", "proposed"} {
		c := yakuraCase(subject, 4, 512, 0.03)
		c.Name = "drawn/" + subject
		c.Sequence = true
		p.add(c, 1)
	}
	p.quietly()
	for _, subject := range yakuraSubjects {
		for _, parts := range yakuraParts {
			p.add(slowCase(subject, parts), 1)
		}
	}
	for _, queue := range sharedQueues {
		for _, parts := range yakuraParts {
			for run := range runs {
				p.add(sharedCase(queue, parts, run), 1)
			}
		}
	}
	return p
}
