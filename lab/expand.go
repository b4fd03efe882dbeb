package lab

import (
	"errors"
	"fmt"
	"math"
	"time"

	"longhaul/link"
	"longhaul/sim"
	"longhaul/tcp"
)

// The defaults of a Scenario, and of the command without flags.
const (
	DefaultDuration = 60 * time.Second
	DefaultProbe    = 100 * time.Millisecond // longer on a path below 512 kbit/s, see Path.probe
)

// MaxWindow is the largest socket buffer that a scenario may ask for, in octets (RFC 7323 s.2.3).
const MaxWindow = 1 << 30

const (
	maxRate  = 1e15    // bits per second that a link takes
	maxBDP   = 1 << 53 // octets in flight and in the queue, a whole number in a float64 too
	minQueue = 1500    // octets of room that one full packet needs
)

// DefaultPath is the path of a comparison without flags: 155 Mbit/s, 70 ms, a queue of one BDP and a loss
// probability of 1e-5.
func DefaultPath() Path {
	return Path{Rate: 155e6, RTT: 70 * time.Millisecond, Loss: 1e-5, Queue: QueueSize{BDP: 1}}
}

// Cases expands s into one case per stack and repetition, all repetitions of a stack side by side. The error says
// which value is wrong and what would be right.
func (s Scenario) Cases() ([]Case, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var cases []Case
	var id uint32
	for _, k := range s.Stacks {
		for rep := range max(s.Repeat, 1) {
			c := Case{
				Name:     fmt.Sprintf("%s/%d", k.Name, rep),
				Seed:     s.Seed,
				Path:     s.Path,
				Flows:    []Flow{{Stack: k, Window: s.Window, Bytes: s.Bytes, Start: s.Start, ID: id}},
				Duration: s.duration(),
				Probe:    max(s.Probe, 0),
				Wire:     s.Wire,
			}
			if s.Probe == 0 {
				c.Probe = s.Path.probe()
			}
			if rep == 0 {
				c.Packets, c.Trace = s.Packets, s.Trace
			}
			cases = append(cases, c)
		}
		id += uint32(k.Streams)
	}
	return cases, nil
}

func (s Scenario) duration() time.Duration {
	if s.Duration == 0 {
		return DefaultDuration
	}
	return s.Duration
}

// check returns an error for a scenario that cannot be run as it stands.
func (s Scenario) check() error {
	if len(s.Stacks) == 0 {
		return errors.New("no stacks: name at least one, for example cubic")
	}
	if s.Repeat < 0 {
		return fmt.Errorf("%d repetitions: must be at least 1", s.Repeat)
	}
	if s.Window < 0 || s.Window > MaxWindow {
		return fmt.Errorf("a window of %d octets: must be between 1 octet and 1 GiB (2^30 octets, RFC 7323 s.2.3)", s.Window)
	}
	if s.Bytes < 0 {
		return fmt.Errorf("%d octets to move: must be positive", s.Bytes)
	}
	if s.Duration < 0 || s.Start < 0 || s.Start >= s.duration() {
		return fmt.Errorf("flows that start at %v of %v: the duration must be positive and the start before its end", s.Start, s.duration())
	}
	for _, k := range s.Stacks {
		if s.Window > 0 && s.Window < k.Streams {
			return fmt.Errorf("a window of %d octets for the %d streams of %s: must be at least one octet per stream", s.Window, k.Streams, k.Name)
		}
		if s.Bytes > 0 && s.Bytes < int64(k.Streams) {
			return fmt.Errorf("%d octets for the %d streams of %s: must be at least one octet per stream", s.Bytes, k.Streams, k.Name)
		}
	}
	return s.Path.check()
}

// check returns an error for a path that cannot be built.
func (p Path) check() error {
	probability := func(what string, v float64) error {
		if !(v >= 0 && v < 1) {
			return fmt.Errorf("a %s of %v: must be at least 0 and less than 1", what, v)
		}
		return nil
	}
	switch q := p.Queue; {
	case p.Rate <= 0 || p.ReverseRate < 0:
		return errors.New("a rate of 0 or less: must be positive, for example 155mbit")
	case max(p.Rate, p.ReverseRate) > maxRate:
		return errors.New("a rate above 1000tbit: must be at most that, for example 155mbit")
	case p.RTT < 0 || p.Jitter < 0:
		return errors.New("a negative delay: must be 0 or more, for example 70ms")
	case p.Loss > 0 && p.BER > 0:
		return errors.New("both a loss probability and a bit error rate: give one of them")
	case q.Packets < 0 || q.Octets < 0 || !(q.BDP >= 0) || math.IsInf(q.BDP, 0):
		return errors.New("a negative queue: must be at least 1 packet, or left out for an unlimited one")
	case q.Octets > 0 && q.Octets < minQueue:
		return fmt.Errorf("a queue of %d octets: no full packet would pass; must be at least %d", q.Octets, minQueue)
	case max(q.BDP, 1)*float64(max(p.Rate, p.ReverseRate))*p.RTT.Seconds()/8 > maxBDP:
		return errors.New("a path that holds more than 2^53 octets: lower the rate, the round trip or the queue")
	}
	if err := probability("loss probability", p.Loss); err != nil {
		return err
	}
	return probability("bit error rate", p.BER)
}

// reverseRate returns the rate of the ACK direction in bits per second.
func (p Path) reverseRate() int64 {
	if p.ReverseRate == 0 {
		return p.Rate
	}
	return p.ReverseRate
}

// bdp returns what a path of that rate holds in flight, in octets.
func (p Path) bdp(rate int64) int64 { return int64(math.Round(float64(rate) * p.RTT.Seconds() / 8)) }

// room returns the queue of a direction of that rate: packets, or octets, or neither for an unlimited one.
func (p Path) room(rate int64) (packets, octets int) {
	if p.Queue.BDP > 0 {
		return 0, int(max(math.Ceil(p.Queue.BDP*float64(p.bdp(rate))), minQueue))
	}
	return p.Queue.Packets, p.Queue.Octets
}

// probe returns the time between two RTT probes: DefaultProbe, or on a slow path so much that probes take no more than
// a hundredth of it. What is measured must not be shaped by the measuring.
func (p Path) probe() time.Duration {
	const bits = 100 * 8 * sim.ProbeSize
	return max(DefaultProbe, time.Duration(bits*int64(time.Second)/min(p.Rate, p.reverseRate())))
}

// links returns the configurations of both directions in w.
func (p Path) links(w *sim.World) (forward, reverse link.Config) {
	forward = link.Config{
		Rate: p.Rate, Delay: p.RTT - p.RTT/2, Queue: p.queue(p.Rate),
		Jitter: p.Jitter, Rand: w.Rand("link forward"),
	}
	reverse = link.Config{
		Rate: p.reverseRate(), Delay: p.RTT / 2, Queue: p.queue(p.reverseRate()), Rand: w.Rand("link reverse"),
	}
	if p.Loss > 0 {
		forward.Loss = append(forward.Loss, link.Uniform(p.Loss, w.Rand("loss forward")))
	}
	if p.BER > 0 {
		forward.Errors = append(forward.Errors, link.BitErrors(p.BER, w.Rand("errors forward")))
		reverse.Errors = append(reverse.Errors, link.BitErrors(p.BER, w.Rand("errors reverse")))
	}
	if p.Adjust != nil {
		p.Adjust(w, &forward, &reverse)
	}
	return forward, reverse
}

func (p Path) queue(rate int64) link.Queue {
	packets, octets := p.room(rate)
	if packets == 0 && octets == 0 {
		return nil
	}
	return link.DropTail(packets, octets)
}

// result returns the path as results show it.
func (p Path) result() PathResult {
	r := PathResult{
		Rate: p.Rate, ReverseRate: p.reverseRate(), RTT: float64(p.RTT) / 1e6,
		Loss: p.Loss, BER: p.BER, BDP: p.bdp(p.Rate),
	}
	r.QueuePackets, r.QueueBytes = p.room(p.Rate)
	return r
}

// config returns the configuration of one stream of f.
func (f Flow) config() tcp.Config {
	cfg := f.Stack.Config
	if f.Window > 0 {
		cfg.SendBuffer = f.Window / f.Stack.Streams
		cfg.RecvBuffer = cfg.SendBuffer
	}
	return cfg
}
