package lab

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"longhaul/model"
	"longhaul/units"
)

// What a plan tries: bit error rates from 10^-12 to 10^-4, ten a decade; a formula is asked for better ones too.
const (
	lawsBER      = 1e-18
	bestBER      = 1e-12
	worstBER     = 1e-4
	stepsADecade = 10
	planSteps    = 8 * stepsADecade
)

// What a plan simulates: so many runs at each bit error rate, over a link of so many times the target.
const (
	planRuns     = 3
	planHeadroom = 2
	minPlanMSS   = 88 // octets: the engine takes no smaller one
)

// The length of a run in packets of the target's: some ten cycles of Reno's window, at least fewestPackets. Where that needs more than
// mostPackets, there is no simulation.
const (
	fewestPackets = 60_000
	mostPackets   = 1_500_000
)

// Plan is the bit error rate that a throughput needs. It is plain data and marshals to the JSON document of the command.
type Plan struct {
	Target       float64         `json:"target_bps"`              // payload that one transfer is to move
	MSS          int             `json:"mss"`                     // octets
	Packet       int             `json:"packet_bytes"`            // that bit errors can hit: the MSS and 40 octets of headers
	RTT          float64         `json:"rtt_ms"`                  // milliseconds
	Rate         int64           `json:"rate_bps"`                // of the link that is simulated: as asked for, or twice what the target takes
	Window       int             `json:"window_bytes,omitempty"`  // octets of socket buffer; 0 means autotuned
	Duration     float64         `json:"duration_s"`              // virtual time of each of the runs; 0 means that none were made
	Runs         int             `json:"runs"`                    // at each bit error rate
	Seed         uint64          `json:"seed"`                    // of the runs
	Laws         []Purchase      `json:"laws"`                    // for one Reno connection
	Stacks       []StackPurchase `json:"stacks"`                  // in the order asked for
	NotSimulated string          `json:"not_simulated,omitempty"` // why no runs were made

	question Question
}

// Purchase is the largest bit error rate that gives the target.
type Purchase struct {
	Name    string   `json:"name,omitempty"` // of the law; left out for a stack
	BER     *float64 `json:"ber"`            // nil when not even the best that was tried gives the target
	Loss    *float64 `json:"loss"`           // the packet loss that goes with it
	Worse   bool     `json:"or_worse"`       // the formula is meant for no more, or no more was tried, and it still gives the target
	Goodput float64  `json:"goodput_bps"`    // what the law or the simulation has there; 0 when BER is nil
}

// StackPurchase is that of a stack.
type StackPurchase struct {
	Stack     string    `json:"stack"`
	Model     *Purchase `json:"by_model"`      // nil when the stack has no response function
	Simulated *Purchase `json:"by_simulation"` // nil when nothing was simulated
}

// Plan finds the largest bit error rate at which each law and each response function still gives target bits per second. BER and Loss of q
// are not used. What is missing is Simulate's.
func (q Question) Plan(target float64, seed uint64) (*Plan, error) {
	if err := q.checkTarget(target); err != nil {
		return nil, err
	}
	if q.Rate == 0 {
		q.Rate = int64(math.Ceil(planHeadroom * target * float64(q.wire()) / float64(q.MSS)))
	}
	p := &Plan{Target: target, MSS: q.MSS, Packet: q.wire(), RTT: float64(q.RTT) / 1e6, Rate: q.Rate, Window: q.Window, Seed: seed, Stacks: []StackPurchase{}, question: q}
	for _, law := range model.Laws {
		x := p.buy(q.MSS, law.Most, law.Rate)
		x.Name = law.Name
		p.Laws = append(p.Laws, x)
	}
	for _, s := range q.Stacks {
		row := StackPurchase{Stack: s.Name}
		if r, ok := lawOf(s); ok {
			x := p.buy(r.payload(q), r.Most, func(c model.Conditions) float64 { return r.rate(q, c.Loss) })
			row.Model = &x
		}
		p.Stacks = append(p.Stacks, row)
	}
	return p, nil
}

// checkTarget returns an error for a target that no bit error rate gives.
func (q Question) checkTarget(target float64) error {
	q.BER, q.Loss = 0, 0
	if err := q.check(); err != nil {
		return err
	}
	if q.MSS < minPlanMSS {
		return fmt.Errorf("an MSS of %d octets is less than the engine sends: must be at least %d to be simulated", q.MSS, minPlanMSS)
	}
	if !(target > 0 && target <= maxRate) {
		return fmt.Errorf("a target of %v bit/s: must be positive and at most 1000tbit", target)
	}
	if x, bound := q.limits(q.MSS).Apply(math.Inf(1)); x < target {
		return fmt.Errorf("a target of %s is more than the %s allows, %s: make that larger", units.FormatRate(target), bound, units.FormatRate(x))
	}
	for _, s := range q.Stacks {
		if q.Window > 0 && q.Window < s.Streams {
			return fmt.Errorf("a window of %d octets for the %d streams of %s: must be at least one octet per stream", q.Window, s.Streams, s.Name)
		}
	}
	return nil
}

// buy finds the bit error rate up to which a formula for segments of that payload and packet losses up to most gives the target.
func (p *Plan) buy(payload int, most float64, rate func(c model.Conditions) float64) Purchase {
	limits := p.question.limits(payload)
	worst := min(model.BitErrorRate(most, p.Packet), worstBER)
	at := func(ber float64) float64 {
		x, _ := limits.Apply(rate(p.question.at(ber)))
		return x
	}
	ber, ok := model.Largest(p.Target, lawsBER, worst, at)
	if !ok {
		return Purchase{}
	}
	loss := p.question.at(ber).Loss
	x := Purchase{BER: &ber, Loss: &loss, Worse: ber == worst}
	if g := at(ber); !math.IsInf(g, 1) {
		x.Goodput = g
	}
	return x
}

// search is the bisection for one stack: step low gives the target and step high does not.
type search struct {
	low, high int // steps; -1 stands for a bit error rate that would do, planSteps+1 for one that would not
	goodput   float64
}

// ber is the bit error rate of a step.
func ber(step int) float64 {
	return bestBER * math.Pow(10, float64(step)/stepsADecade)
}

// rounds is how many bit error rates a bisection tries at most.
func rounds() int { return int(math.Ceil(math.Log2(planSteps + 2))) }

// PlanRuns returns how many runs Simulate makes at most for that many stacks.
func PlanRuns(stacks int) int { return rounds() * planRuns * stacks }

// Simulate finds the bit error rates of the stacks by bisection, each round of all stacks side by side, on at most workers processors; if
// the runs were too long it says so in p and makes none. Progress, if not nil, is told after each run how many of how many are done.
func (p *Plan) Simulate(workers int, progress func(done, total int)) error {
	duration := p.duration()
	if duration == 0 {
		p.NotSimulated = fmt.Sprintf("a window of %.0f segments takes more than %d packets a run to show what errors do to it", p.segments(), mostPackets)
		return nil
	}
	p.Duration, p.Runs = duration.Seconds(), planRuns
	found := make([]search, len(p.Stacks))
	for i := range found {
		found[i] = search{low: -1, high: planSteps + 1}
	}
	for round := range rounds() {
		var cases []Case
		var open []int
		for i := range found {
			if s := found[i]; s.high-s.low > 1 {
				open = append(open, i)
				cases = append(cases, p.cases(i, (s.low+s.high)/2, duration)...)
			}
		}
		results, err := Run(cases, workers, func(done, _ int) {
			if progress != nil {
				progress(round*planRuns*len(found)+done, PlanRuns(len(found)))
			}
		})
		if err != nil {
			return err
		}
		for k, i := range open {
			var x []float64
			for _, flows := range results[k*planRuns : (k+1)*planRuns] {
				x = append(x, flows[0].SteadyBps)
			}
			found[i].try(stat.Mean(x, nil), p.Target)
		}
	}
	for i, s := range found {
		p.Stacks[i].Simulated = p.purchase(s)
	}
	return nil
}

// try takes in what the middle step gave.
func (s *search) try(goodput, target float64) {
	middle := (s.low + s.high) / 2
	if goodput >= target {
		s.low, s.goodput = middle, goodput
	} else {
		s.high = middle
	}
}

// purchase is where a bisection ended.
func (p *Plan) purchase(s search) *Purchase {
	if s.low < 0 {
		return &Purchase{}
	}
	x := ber(s.low)
	loss := p.question.at(x).Loss
	return &Purchase{BER: &x, Loss: &loss, Worse: s.low == planSteps, Goodput: s.goodput}
}

// segments is the window that the target takes.
func (p *Plan) segments() float64 { return p.Target * p.question.RTT.Seconds() / float64(8*p.MSS) }

// duration is the virtual time of a run, or 0 when it would be too long.
func (p *Plan) duration() time.Duration {
	// Reno's window takes W/2 round trips from W/2 to W: 3/8 W^2 packets a cycle.
	packets := max(10*3.0/8*p.segments()*p.segments(), fewestPackets)
	if packets > mostPackets {
		return 0
	}
	seconds := packets * float64(8*p.MSS) / p.Target
	return time.Duration(max(math.Ceil(seconds), 60)) * time.Second
}

// cases are the runs of stack i at a step.
func (p *Plan) cases(i, step int, duration time.Duration) []Case {
	s := p.question.Stacks[i]
	s.Config.MSS = p.MSS
	list := make([]Case, planRuns)
	for k := range list {
		list[k] = Case{
			Name: fmt.Sprintf("%s/%d/%d", s.Name, step, k), Seed: p.Seed, Duration: duration,
			Path:  Path{Rate: p.Rate, RTT: p.question.RTT, BER: ber(step), Queue: QueueSize{BDP: 1}},
			Flows: []Flow{{Stack: s, Window: p.Window}},
		}
	}
	return list
}
