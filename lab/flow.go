package lab

import (
	"fmt"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/tcp"
)

// flow is one Flow of a run: its hosts and its streams.
type flow struct {
	Flow
	run     *run
	from    mono.Time
	left    *sim.Host
	right   *sim.Host
	streams []*stream

	curve     []CurvePoint
	sequence  *sequence
	halfBusy  time.Duration // the bottleneck's busy time until the middle of the flow
	halfTotal int64         // octets delivered until then
}

// stream is one connection of a flow.
type stream struct {
	source sim.Source
	sink   sim.Sink
	conn   *tcp.Conn
	info   *tcp.Info // when the transfer was complete, nil while it is not
}

// port is where receivers listen.
const port = 5001

// listen makes the flow's hosts.
func (f *flow) listen(number int) error {
	d := f.run.path
	var err error
	if f.left, err = d.Left(fmt.Sprintf("sender %d", number)); err != nil {
		return err
	}
	if f.right, err = d.Right(fmt.Sprintf("receiver %d", number)); err != nil {
		return err
	}
	if f.run.Packets != nil {
		f.left.Tap(f.run.Packets, f.ID)
	}
	for i := range f.Stack.Streams {
		s := &stream{source: sim.Source{Total: f.share(i)}}
		if f.Rate > 0 { // a segment at a time
			s.source.Chunk = f.segment()
			s.source.Interval = time.Duration(int64(s.source.Chunk) * 8 * int64(f.Stack.Streams) * int64(time.Second) / f.Rate)
		}
		s.sink = sim.Sink{Interval: sampleInterval, From: f.from}
		f.streams = append(f.streams, s)
		cfg := f.config()
		cfg.Flow = f.ID + uint32(i)
		accept := func(*tcp.Conn) sim.App { return &receiver{&s.sink, s} }
		if err := f.right.Listen(port+uint16(i), 1, cfg, accept); err != nil {
			return err
		}
	}
	return nil
}

// share returns how many octets stream i moves; 0 means endless.
func (f *flow) share(i int) int64 {
	n := int64(f.Stack.Streams)
	share := f.Bytes / n
	if int64(i) < f.Bytes%n {
		share++
	}
	return share
}

// begin dials every stream.
func (f *flow) begin(mono.Time) {
	for i, s := range f.streams {
		cfg := f.config()
		cfg.Flow = f.ID + uint32(i)
		if f.run.Trace != nil {
			cfg.Trace = f.run.Trace
		}
		if f.run.Sequence && i == 0 {
			f.sequence = &sequence{next: cfg.Trace}
			cfg.Trace = f.sequence
		}
		c, err := s.source.Start(f.left, f.right.AddrPort(port+uint16(i)), cfg)
		if err != nil {
			f.run.world.Stop(err)
			return
		}
		s.conn = c
	}
}

// receiver is the sink of a stream that notes the sender's state when the transfer is complete.
type receiver struct {
	*sim.Sink
	s *stream
}

// Ready takes what there is.
func (r *receiver) Ready(now mono.Time, c *tcp.Conn) {
	r.Sink.Ready(now, c)
	if r.s.info == nil && r.s.source.Total > 0 && r.Total == r.s.source.Total {
		info := r.s.conn.Info()
		r.s.info = &info
	}
}

// Step takes a point of the curve.
func (f *flow) Step(now mono.Time) mono.Time {
	p := CurvePoint{Time: now.Seconds()}
	for _, s := range f.streams {
		if s.conn != nil {
			in := s.conn.Info()
			p.Window += in.Window
			p.InFlight += in.InFlight
		}
	}
	f.curve = append(f.curve, p)
	return now.Add(f.run.Curve)
}

// middle returns the instant in the middle of the flow's time.
func (f *flow) middle() mono.Time { return f.from + (mono.Time(f.run.Duration)-f.from)/2 }

// atMiddle notes how far the flow and its link are.
func (f *flow) atMiddle(mono.Time) {
	f.halfBusy = f.run.path.Forward().Busy
	f.halfTotal = f.total()
}

// total returns the octets delivered so far.
func (f *flow) total() int64 {
	var n int64
	for _, s := range f.streams {
		n += s.sink.Total
	}
	return n
}

// done reports whether every stream delivered all it had to, and when the last octet arrived.
func (f *flow) done() (mono.Time, bool) {
	var last mono.Time
	for _, s := range f.streams {
		if s.info == nil {
			return 0, false
		}
		last = max(last, s.sink.Last)
	}
	return last, true
}

// result returns what the flow did until now.
func (f *flow) result() Result {
	now := f.run.world.Now()
	end := now
	completed, complete := f.done()
	if complete {
		end = completed
	}
	r := Result{Stack: f.Stack.Name, Streams: f.Stack.Streams}
	r.GoodputBps = float64(f.total()) * 8 / seconds(end.Sub(f.from))
	r.SteadyBps = float64(f.total()-f.halfTotal) * 8 / seconds(now.Sub(f.middle()))
	if complete {
		r.SteadyBps = r.GoodputBps
		d := completed.Sub(f.from).Seconds()
		r.Completion = &d
	}
	r.LimitBps = f.limit()
	r.FractionOfLimit = r.GoodputBps / r.LimitBps
	r.Samples = f.samples(end)
	r.StabilityWhole = optional(Stability(r.Samples))
	if skip := int(startup / sampleInterval); len(r.Samples) > skip {
		r.Stability = optional(Stability(r.Samples[skip:]))
	}
	if d, ok := Convergence(r.Samples, sampleInterval); ok {
		s := d.Seconds()
		r.Convergence = &s
	}
	r.Curve = f.curve
	if f.sequence != nil {
		r.Sequence = f.sequence.points
	}
	r.Fairness = f.fairness()
	if p := f.run.probe; p != nil {
		r.RTT = summarize(p.RTTs)
	}
	r.Connect = f.connect()
	r.LinkDrops = drops(f.run.path.Forward())
	f.count(&r, now, complete)
	return r
}

// count fills in what the senders counted and what bound them.
func (f *flow) count(r *Result, now mono.Time, complete bool) {
	var sent tcp.Sent
	l := load{}
	for i, s := range f.streams {
		if s.conn == nil {
			continue
		}
		info := s.info
		end := s.sink.Last
		if info == nil {
			latest := s.conn.Info()
			info, end = &latest, now
		}
		sent.DataSegments += info.Sent.DataSegments
		sent.Bytes += info.Sent.Bytes
		sent.Retransmissions += info.Sent.Retransmissions
		sent.RetransBytes += info.Sent.RetransBytes
		sent.Timeouts += info.Sent.Timeouts
		sent.FastRetransmits += info.Sent.FastRetransmits
		sent.Spurious += info.Sent.Spurious
		l.lost += info.Sent.Lost
		l.time += end.Sub(f.from)
		l.limited.Receiver += info.Limited.Receiver
		l.limited.Application += info.Limited.Application
		l.limited.Timeout += info.Limited.Timeout
		if i == 0 {
			l.phase = info.Phase
		}
	}
	r.Retransmitted = float64(sent.Retransmissions)
	if sent.Bytes > 0 {
		r.RetransShare = float64(sent.RetransBytes) / float64(sent.Bytes)
	}
	r.Timeouts = float64(sent.Timeouts)
	if l.time > 0 {
		r.TimeoutShare = float64(l.limited.Timeout) / float64(l.time)
	}
	r.FastRetransmits = float64(sent.FastRetransmits)
	r.Spurious = float64(sent.Spurious)
	busy := f.run.path.Forward().Busy - f.halfBusy
	l.busy = float64(busy) / float64(max(now.Sub(f.middle()), 1))
	if complete && r.FractionOfLimit >= 0.9 {
		l.busy = 1
	}
	r.BoundBy = l.bound()
}

// samples returns the flow's goodput in each full sample interval until end, in bits per second.
func (f *flow) samples(end mono.Time) []float64 {
	x := make([]float64, int(end.Sub(f.from)/sampleInterval))
	for _, s := range f.streams {
		for i := range min(len(x), len(s.sink.Series)) {
			x[i] += float64(s.sink.Series[i]) * 8 / sampleInterval.Seconds()
		}
	}
	return x
}

// fairness returns Jain's index over the streams, or nil if there is only one.
func (f *flow) fairness() *float64 {
	if len(f.streams) < 2 {
		return nil
	}
	x := make([]float64, len(f.streams))
	for i, s := range f.streams {
		x[i] = float64(s.sink.Total)
	}
	return optional(Jain(x))
}

// connect returns how long the slowest handshake took, in seconds, or nil if one did not end.
func (f *flow) connect() *float64 {
	var slowest float64
	for _, s := range f.streams {
		if s.source.Opened == 0 {
			return nil
		}
		slowest = max(slowest, s.source.Opened.Sub(f.from).Seconds())
	}
	return &slowest
}

// limit returns the most goodput that the bottleneck can carry, in bits per second: its rate times payload over
// octets on the wire of a full segment.
func (f *flow) limit() float64 {
	cfg := f.Stack.Config
	headers := 40 + cfg.DataOptions(f.Stack.Encoding)
	return float64(f.run.Path.Rate) * float64(f.segment()) / float64(f.segment()+headers)
}

// segment returns the payload octets of a full segment: options take their room from it (RFC 6691 s.3).
func (f *flow) segment() int {
	cfg := f.Stack.Config
	mss := cfg.MSS
	if mss == 0 {
		mss = 1460
	}
	return mss - cfg.DataOptions(f.Stack.Encoding)
}

// drops returns what the data direction lost.
func drops(s link.Stats) LinkDrops {
	return LinkDrops{
		Queue: float64(s.QueueDrops), Loss: float64(s.Lost), Error: float64(s.Corrupted), Outage: float64(s.OutageDrops),
	}
}
