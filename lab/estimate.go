package lab

import (
	"errors"
	"fmt"
	"math"
	"time"

	"longhaul/model"
	"longhaul/stacks"
	"longhaul/tcp"
)

// The defaults of a Question.
const (
	DefaultMSS      = 1460
	DefaultModelRTT = model.AgarwalRTT
	DefaultModelBER = 1e-7
)

const (
	packetHeaders   = 40 // octets of IPv4 and TCP headers without options
	timestampOctets = 12 // of the timestamps option, in every segment
	maxMSS          = 65535 - packetHeaders
)

// Question asks the literature what a connection gets from a path, or what a path must be for a connection to get so much.
type Question struct {
	MSS    int           // octets of payload in a segment without options
	RTT    time.Duration // propagation both ways
	BER    float64       // rate of independent bit errors
	Loss   float64       // probability that a packet is lost; at most one of the two is set
	Rate   int64         // bits per second of the link; 0 means no limit
	Window int           // octets of socket buffer; 0 means no limit
	Stacks []stacks.Stack
}

// check returns an error for a question without an answer.
func (q Question) check() error {
	switch {
	case q.MSS < 1 || q.MSS > maxMSS:
		return fmt.Errorf("an MSS of %d octets: must be from 1 to %d", q.MSS, maxMSS)
	case q.RTT <= 0:
		return errors.New("no round trip: must be positive, for example 600ms")
	case q.BER > 0 && q.Loss > 0:
		return errors.New("both a loss probability and a bit error rate: give one of them")
	case !(q.BER >= 0 && q.BER < 1) || !(q.Loss >= 0 && q.Loss < 1):
		return errors.New("a loss or a bit error rate outside 0 to 1: must be at least 0 and less than 1")
	case q.Rate < 0 || q.Window < 0:
		return errors.New("a negative rate or window: must be positive, or left out for no limit")
	}
	return nil
}

// wire is the packet that bit errors can hit, in octets.
func (q Question) wire() int { return q.MSS + packetHeaders }

// at returns the conditions at that bit error rate.
func (q Question) at(ber float64) model.Conditions {
	return model.Conditions{MSS: q.MSS, RTT: q.RTT, BER: ber, Loss: model.PacketLoss(ber, q.wire())}
}

// conditions returns those that the question names.
func (q Question) conditions() model.Conditions {
	if q.Loss > 0 {
		c := q.at(model.BitErrorRate(q.Loss, q.wire()))
		c.Loss = q.Loss
		return c
	}
	return q.at(q.BER)
}

// limits returns what caps a sender of segments with that much payload.
func (q Question) limits(payload int) model.Limits {
	var l model.Limits
	if q.Rate > 0 {
		l.Link = model.LinkPayload(float64(q.Rate), payload, q.wire())
	}
	if q.Window > 0 {
		l.Window = model.WindowRate(q.Window, q.RTT)
	}
	return l
}

// Estimate is what the literature expects of a path. It is plain data and marshals to the JSON document of the command.
type Estimate struct {
	MSS        int          `json:"mss"`                    // octets
	Packet     int          `json:"packet_bytes"`           // that bit errors can hit: the MSS and 40 octets of headers
	RTT        float64      `json:"rtt_ms"`                 // milliseconds
	BER        float64      `json:"ber"`                    // of independent bit errors
	Loss       float64      `json:"loss"`                   // probability that a packet is lost
	Rate       int64        `json:"rate_bps,omitempty"`     // of the link
	Window     int          `json:"window_bytes,omitempty"` // octets of socket buffer
	Laws       []Prediction `json:"laws"`                   // of one Reno connection
	Stacks     []Prediction `json:"stacks"`                 // of the stacks that have a response function
	WithoutLaw []string     `json:"without_law,omitempty"`  // the stacks that have none
}

// Prediction is what a formula says.
type Prediction struct {
	Name       string   `json:"name"` // of the law or the stack
	Formula    string   `json:"formula"`
	Source     string   `json:"source"`
	Throughput *float64 `json:"throughput_bps"` // of payload; nil means that nothing limits it
	BoundBy    string   `json:"bound_by"`       // loss, link, window or nothing
	InDomain   bool     `json:"in_domain"`      // the loss is one that the formula is meant for
}

// predict applies limits to a formula's rate.
func predict(name, formula, source string, rate float64, l model.Limits, domain bool) Prediction {
	rate, bound := l.Apply(rate)
	p := Prediction{Name: name, Formula: formula, Source: source, BoundBy: string(bound), InDomain: domain}
	if !math.IsInf(rate, 1) {
		p.Throughput = &rate
	}
	return p
}

// Answer says what the laws and the stacks' response functions expect.
func (q Question) Answer() (Estimate, error) {
	if err := q.check(); err != nil {
		return Estimate{}, err
	}
	c := q.conditions()
	e := Estimate{MSS: q.MSS, Packet: q.wire(), RTT: float64(q.RTT) / 1e6, BER: c.BER, Loss: c.Loss, Rate: q.Rate, Window: q.Window, Stacks: []Prediction{}}
	for _, law := range model.Laws {
		e.Laws = append(e.Laws, predict(law.Name, law.Formula, law.Source, law.Rate(c), q.limits(q.MSS), c.Loss < law.Most))
	}
	for _, s := range q.Stacks {
		r, ok := lawOf(s)
		if !ok {
			e.WithoutLaw = append(e.WithoutLaw, s.Name)
			continue
		}
		e.Stacks = append(e.Stacks, predict(s.Name, r.Formula, r.Source, r.rate(q, c.Loss), q.limits(r.payload(q)), c.Loss < r.Most))
	}
	return e, nil
}

// stackLaw is the response function of a stack.
type stackLaw struct {
	model.Response
	stack stacks.Stack
}

// lawOf returns the response function of a stack whose controller has one and hears of losses.
func lawOf(s stacks.Stack) (stackLaw, bool) {
	r, ok := model.FindResponse(s.Config.Algorithm.Name)
	return stackLaw{r, s}, ok && s.Config.Policy == tcp.LossIsCongestion
}

// payload is what the stack's segments carry.
func (r stackLaw) payload(q Question) int {
	if r.stack.Config.Features()&tcp.Timestamps != 0 {
		return max(q.MSS-timestampOctets, 1)
	}
	return q.MSS
}

// rate returns the stack's throughput in bits per second; each stream and each sub-connection has a window of its own (C-36).
func (r stackLaw) rate(q Question, loss float64) float64 {
	every := 1.0
	if r.stack.Config.Features()&(tcp.PerACK|tcp.DelayedACK) == tcp.PerACK|tcp.DelayedACK {
		every = 2
	}
	return r.Rate(r.payload(q), q.RTT, loss, every, r.stack.Streams*max(r.stack.Config.SubConnections, 1))
}
