package script

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"

	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/wire"
)

// Options are what a run demands beyond what the script says.
type Options struct {
	Quiet    bool // a packet that no event expects makes the script fail, as --quiet has it
	Exact    bool // times are exact to a millisecond, or to --tolerance_usecs where the script has it, as --exact has it
	Segments bool // an expected packet is one segment, never several in a row, as --strict_segments has it
}

// start is the virtual time at which a script begins.
const start = mono.Time(1000 * time.Second)

// How long past its time an expected packet is waited for, and one that may come at any time.
const (
	patience     = 2 * time.Second
	longPatience = 24 * time.Hour
)

// runner runs one script.
type runner struct {
	script  *Script
	set     settings
	stack   *tcp.Stack
	now     mono.Time
	next    mono.Time // the engine's next deadline
	base    mono.Time // relative times count from here
	line    int       // of the event
	sent    []*segment
	recent  []string
	lastAt  mono.Time // of the latest entry of recent
	flows   []*flow
	under   *flow // of the socket under test
	sockets map[int64]*socket
	last    *socket // made last
	port    uint16  // next one to give away
	blocked *blockedCall
	failure *Failure
	missing []Reason // found while running
	result  Result
	polls   int

	variables map[string]int64 // of %{ }%

	packet wire.Packet
	octets []byte
}

// addresses of the two ends.
var (
	local4, remote4 = netip.MustParseAddr("192.168.0.1"), netip.MustParseAddr("192.0.2.1")
	local6, remote6 = netip.MustParseAddr("fd3d:fa7b:d17d::1"), netip.MustParseAddr("2001:db8::1")
)

// scriptPort is the port of every listener and of every peer that is connected to.
const scriptPort = 8080

// Run runs a script that Parse returned, in virtual time.
func (s *Script) Run(o Options) Result {
	set, err := newSettings(s)
	if err != nil { // Parse has seen to it
		return Result{Name: s.Name, Verdict: Fail, Failure: &Failure{What: err.Error()}}
	}
	set.quiet = set.quiet || o.Quiet
	set.exact = set.exact || o.Exact
	set.segments = set.segments || o.Segments
	if len(set.missing) > 0 {
		return Result{Name: s.Name, Verdict: NotApplicable, Reasons: set.missing}
	}
	stack, err := tcp.NewStack(tcp.StackConfig{Encoding: set.encoding}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return Result{Name: s.Name, Verdict: Fail, Failure: &Failure{What: err.Error()}}
	}
	r := &runner{
		script: s, set: set, stack: stack, now: start, next: mono.Never, base: start, lastAt: start,
		sockets: map[int64]*socket{}, variables: map[string]int64{}, port: 32768, result: Result{Name: s.Name},
	}
	for i := range s.Events {
		r.event(i)
		if r.failure != nil || len(r.missing) > 0 {
			break
		}
	}
	if len(r.missing) > 0 {
		return Result{Name: s.Name, Verdict: NotApplicable, Reasons: r.missing}
	}
	r.finish()
	r.result.Failure = r.failure
	switch {
	case r.failure != nil:
		r.result.Verdict = Fail
	case len(r.result.Reasons) > 0:
		r.result.Verdict = PartlyJudged
	}
	return r.result
}

// event lets event i happen.
func (r *runner) event(i int) {
	e := &r.script.Events[i]
	r.line = e.Line
	from, to := r.times(e.When)
	distance := from.Sub(r.base)
	switch a := e.Action.(type) {
	case *Packet:
		if a.Inbound {
			r.inject(a, from, distance)
		} else {
			r.expect(a, e.When, from, to, distance)
		}
	case *ICMP:
		r.injectICMP(a, from, distance)
	case *Call:
		r.advance(from)
		r.poll()
		if r.onTime(from, distance) {
			r.call(a, e.When, from, to)
		}
	case *Python:
		r.advance(from)
		r.poll()
		r.judge(a)
	}
	r.base = r.now
	// Two injected packets in a row: the second one's time counts from when the first one was due.
	if a, ok := e.Action.(*Packet); ok && a.Inbound && i+1 < len(r.script.Events) {
		if b, ok := r.script.Events[i+1].Action.(*Packet); ok && b.Inbound {
			r.base = from
		}
	}
}

// times returns when an event is due: between from and to.
func (r *runner) times(w When) (from, to mono.Time) {
	base := start
	if w.Relative {
		base = r.base
	}
	switch {
	case w.Any:
		return r.now, r.now
	case w.Range:
		return base.Add(w.From), base.Add(w.To)
	case w.Span:
		return base.Add(w.From), base.Add(w.End)
	}
	return base.Add(w.From), base.Add(w.From)
}

// tolerance returns how far the time of an event may be off that lies that far from the event before.
func (r *runner) tolerance(distance time.Duration) time.Duration {
	if r.set.exact {
		if r.set.hasTolerance {
			return r.set.tolerance
		}
		return time.Millisecond
	}
	return max(r.set.tolerance, distance/8)
}

// onTime reports whether the event that was due at that time can still happen in time.
func (r *runner) onTime(due mono.Time, distance time.Duration) bool {
	if t := r.tolerance(distance); r.now.Sub(due) > t {
		r.fail("the event comes too late: what was expected before it took until "+r.clock(r.now), "at "+r.clock(due), "at "+r.clock(r.now))
		return false
	}
	return true
}

// clock formats a time since the script's start.
func (r *runner) clock(t mono.Time) string { return seconds(t.Sub(start)) }

// poll lets the engine and a call that blocks do all they can now.
func (r *runner) poll() {
	for {
		for {
			if r.polls++; r.polls > maxPolls {
				r.fail(fmt.Sprintf("the engine was asked %d times what to do next; make the script shorter", maxPolls), "", "")
				return
			}
			ok, next := r.stack.Poll(r.now, &r.packet)
			if r.next = next; !ok {
				break
			}
			r.record()
		}
		for r.stack.Changed() != nil {
		}
		if r.blocked == nil || !r.tryBlocked() {
			return
		}
	}
}

// maxPolls bounds the work of a script.
const maxPolls = 300_000

// advance moves time to t. What the engine does before happens; what it does at t happens after what the script does.
func (r *runner) advance(t mono.Time) {
	for r.next < t && r.failure == nil {
		r.now = max(r.now, r.next)
		r.poll()
	}
	r.now = max(r.now, t)
}

// record queues the packet that the engine sent.
func (r *runner) record() {
	p := &r.packet
	var err error
	r.octets, err = wire.AppendPacket(r.octets[:0], p, r.set.encoding)
	if err != nil {
		r.fail("the engine's packet cannot be encoded: "+err.Error(), "", "")
		return
	}
	for _, f := range r.flows {
		if f.local != p.Src || f.remote != p.Dst {
			continue
		}
		s := f.read(r.octets, r.set.encoding)
		s.at = r.now
		other := ""
		if f == r.under {
			r.sent = append(r.sent, &s)
		} else {
			other = " // of another connection"
		}
		r.note(f.shown(&s) + other)
		return
	}
	r.note(fmt.Sprintf("// a packet from %v to %v", p.Src, p.Dst))
}

// shown returns the segment as the script would have it.
func (f *flow) shown(s *segment) string {
	p := s.Packet
	if p.Flags.Has(wire.SYN) {
		p.Seq += f.scriptISN
	}
	return p.String()
}

// maxRecent is how many packets a failure shows.
const maxRecent = 10

// note adds a line to what a failure shows.
func (r *runner) note(text string) {
	line := fmt.Sprintf("+%s %s  // %s", seconds(r.now.Sub(r.lastAt)), text, r.clock(r.now))
	r.lastAt = r.now
	if len(r.recent) == maxRecent {
		r.recent = r.recent[:copy(r.recent, r.recent[1:])]
	}
	r.recent = append(r.recent, line)
}

// fail ends the script, unless it has ended.
func (r *runner) fail(what, expected, got string) { r.failAt(r.line, what, expected, got) }

func (r *runner) failAt(line int, what, expected, got string) {
	if r.failure == nil {
		r.failure = &Failure{Line: line, What: what, Expected: expected, Got: got, Packets: append([]string(nil), r.recent...)}
	}
}

// inject gives the engine a packet at its time.
func (r *runner) inject(p *Packet, at mono.Time, distance time.Duration) {
	if !r.arrive(at, distance) {
		return
	}
	f := r.flowOf(p)
	if f == nil {
		r.fail("there is no socket that the packet could belong to; make one before", "", "")
		return
	}
	b, err := f.write(p, r.set.encoding)
	if err == nil {
		r.note(p.String())
		err = wire.Decode(b, &r.packet, r.set.encoding)
	}
	if err != nil {
		r.fail(err.Error(), "", "")
		return
	}
	r.stack.Input(r.now, &r.packet)
	r.poll()
}

// arrive moves time to when something is injected and reports whether it can be.
func (r *runner) arrive(at mono.Time, distance time.Duration) bool {
	r.advance(at)
	if r.set.quiet && len(r.sent) > 0 {
		r.leftOver()
	}
	return r.failure == nil && r.onTime(at, distance)
}

// leftOver fails because the engine sent what no event expected.
func (r *runner) leftOver() {
	s := r.sent[0]
	r.fail("the engine sent a packet that no event expects", "no packet", seconds(s.at.Sub(start))+" "+r.under.shown(s))
}

// expect takes the next packet that the engine sends and compares it.
func (r *runner) expect(p *Packet, w When, from, to mono.Time, distance time.Duration) {
	r.result.Packets++
	limit := to.Add(patience)
	if w.Any {
		limit = r.now.Add(longPatience)
	}
	s := r.take(p, limit)
	if r.failure != nil {
		return
	}
	f := r.under
	wanted := w.String() + " " + p.String()
	if s == nil {
		r.fail("no packet came", wanted, "nothing until "+r.clock(r.now))
		return
	}
	if p.Flags.Has(wire.SYN) && s.Flags.Has(wire.SYN) && !f.hasScript {
		f.hasScript, f.scriptISN = true, p.Seq
	}
	shown := r.clock(s.at) + " " + f.shown(s)
	if what := f.difference(p, s, r.set.tick, s.at.Sub(start), r.set.tolerance); what != "" {
		r.fail("the packet differs in "+what, wanted, shown)
		return
	}
	f.learn(p, s)
	if w.Any {
		return
	}
	off := max(from.Sub(s.at), s.at.Sub(to), 0)
	if off > time.Millisecond {
		r.result.Deviations = append(r.result.Deviations, Deviation{r.line, off})
	}
	if t := r.tolerance(distance); off > t {
		r.fail(fmt.Sprintf("the packet came %s s off its time, with a tolerance of %s s", seconds(off), seconds(t)), wanted, shown)
	}
}

// take removes the next packet from what the engine sent, running it until limit if need be, and joins others to it up to
// the length that p has. It returns nil if none comes.
func (r *runner) take(p *Packet, limit mono.Time) *segment {
	s := r.await(limit)
	if s == nil {
		return nil
	}
	r.sent = r.sent[1:]
	for unit := s.Len; !r.set.segments && unit > 0 && s.Len < p.Len; {
		more := r.await(limit)
		if more == nil || !joins(s, more, unit, p.Len) {
			break
		}
		s = join(s, more)
		r.sent = r.sent[1:]
	}
	return s
}

// await returns the next packet that the engine sent, running it until limit if need be, or nil.
func (r *runner) await(limit mono.Time) *segment {
	if r.under == nil {
		r.fail("there is no socket that a packet could belong to; make one before", "", "")
		return nil
	}
	for len(r.sent) == 0 && r.failure == nil {
		if r.next > limit {
			r.now = max(r.now, limit)
			return nil
		}
		r.now = max(r.now, r.next)
		r.poll()
	}
	if r.failure != nil {
		return nil
	}
	return r.sent[0]
}

// finish waits for a call that blocks and looks for what no event expected.
func (r *runner) finish() {
	if b := r.blocked; b != nil && r.failure == nil {
		r.advance(b.due.Add(b.tolerance))
		r.poll()
		if r.blocked != nil {
			r.failAt(b.line, "the call still blocks", b.call.String()+" at "+r.clock(b.due), "nothing until "+r.clock(r.now))
		}
	}
	if r.set.quiet && len(r.sent) > 0 {
		r.leftOver()
	}
}

// flowOf returns the flow of an injected packet. The first one to a socket that is not connected makes it.
func (r *runner) flowOf(p *Packet) *flow {
	if r.under == nil && r.last != nil { // a listener, or a socket that is not even that
		local := r.last.local
		if !local.IsValid() {
			local = netip.AddrPortFrom(r.local(), scriptPort)
		}
		r.focus(r.last, r.newFlow(local, netip.AddrPortFrom(r.remote(), r.freshPort())))
	}
	f := r.under
	if f != nil && p.Flags.Has(wire.SYN) {
		r.noteSYN(f, p.Seq)
	}
	return f
}

// noteSYN takes the peer's initial sequence number from an injected SYN that may begin something. In TIME-WAIT that is
// not certain before the engine answers with a SYN of its own.
func (r *runner) noteSYN(f *flow, seq uint32) {
	state := tcp.Closed
	if c := r.stack.Conn(f.local, f.remote); c != nil {
		state = c.Info().State
	}
	switch {
	case state == tcp.TimeWait:
		f.renew, f.nextISN = true, seq
	case state == tcp.SynSent:
		f.hasRemote, f.remoteISN = true, seq
	case state == tcp.Closed:
		f.hasRemote, f.remoteISN = true, seq
		f.renew, f.nextISN = true, seq
		f.hasLocal = false // a reset in answer counts from nothing
	}
}

// newFlow returns a flow that packets can belong to.
func (r *runner) newFlow(local, remote netip.AddrPort) *flow {
	f := &flow{local: local, remote: remote, stamps: map[uint32]uint32{}}
	r.flows = append(r.flows, f)
	return f
}

func (r *runner) local() netip.Addr {
	if r.set.ipv6 {
		return local6
	}
	return local4
}

func (r *runner) remote() netip.Addr {
	if r.set.ipv6 {
		return remote6
	}
	return remote4
}

func (r *runner) freshPort() uint16 {
	r.port++
	return r.port
}

// judge evaluates a block about the connection under test.
func (r *runner) judge(p *Python) {
	for _, st := range p.Statements {
		if st.wrong != "" {
			r.doubt(st.Line, st.wrong)
			continue
		}
		r.statement(&st)
		if r.failure != nil {
			return
		}
	}
}

// doubt records something that could not be judged.
func (r *runner) doubt(line int, why string) {
	r.result.Reasons = append(r.result.Reasons, Reason{line, why})
}

// statement evaluates one statement.
func (r *runner) statement(st *Statement) {
	env := &environment{value: r.value, sub: r.subValue}
	v, err := st.value(env)
	switch {
	case err != nil:
		r.doubt(st.Line, err.Error())
	case st.assign != "":
		r.variables[st.assign] = v
	case v == 0:
		r.failAt(st.Line, "the assertion does not hold", st.Text, strings.Join(env.asked, ", "))
	default:
		r.result.Asserts++
	}
}
