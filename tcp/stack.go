package tcp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/trace"
	"longhaul/wire"
)

// StackConfig configures a Stack.
type StackConfig struct {
	TTL uint8 // of every packet sent; 0 means 64

	// Encoding is how the options of RFC 1106 are put on the wire. The stack needs it to know how long they are;
	// what encodes and decodes its packets must use the same.
	Encoding wire.Encoding

	// WindowMemory is how many octets of socket buffer, both directions and all connections together, the stack gives out
	// beyond the first 64 KiB of each buffer; 0 means no limit. A connection that asks for more gets smaller windows
	// (RFC 1106 s.5 warns of big windows that take all memory).
	WindowMemory int64

	// MaxTimeWait is how many connections may be in TIME-WAIT; 0 means 16,384. Beyond that the oldest ends early, and an old
	// duplicate may then reach a new incarnation, against which timestamps protect (RFC 7323 s.5).
	MaxTimeWait int

	// SharedHosts is how many remote hosts the stack remembers the paths to, so that new connections begin with what earlier
	// ones have learnt (RFC 9040 s.6); 0 means none. One takes at most 300 octets.
	SharedHosts int
}

// Stack is one host's TCP: it gives arriving packets to connections, listens, answers what belongs to nobody with
// a reset, and collects what its connections want to send. It belongs to one goroutine at a time.
type Stack struct {
	ttl         uint8
	encoding    wire.Encoding
	memory      windowMemory
	hosts       hosts
	rng         *rand.Rand
	secret      secret
	ports       portCounters
	conns       map[connKey]*Conn
	listeners   map[netip.AddrPort]*Listener
	timeWait    queue // connections in TIME-WAIT, oldest first, and some that were
	maxTimeWait int
	last        *Conn // the connection of the latest packet: most packets come in runs
	ready       queue // to be polled now
	deadlines   deadlineHeap
	changes     queue         // Ready may have changed
	replies     []wire.Packet // resets to send
	cookies     []wire.Packet // SYN-ACKs with SYN cookies to send
	resets      budget
	challenges  budget
	spares      []*flow     // for connections that resume or begin
	packer      packer      // scratch of a connection that goes to rest
	work        ackWork     // scratch of the ACK being processed
	event       trace.Event // scratch of its connections' traces
}

// connKey identifies a connection at its stack.
type connKey struct{ local, remote netip.AddrPort }

// maxReplies bounds the resets that wait to be sent, and so it does the SYN cookies; more are not worth their memory.
const maxReplies = 64

// NewStack returns a stack whose controllers draw from rng, and that takes from it the key of all numbers that
// nobody may guess: initial sequence numbers, timestamp offsets, ports and cookies.
func NewStack(cfg StackConfig, rng *rand.Rand) (*Stack, error) {
	if rng == nil {
		return nil, fmt.Errorf("tcp: a stack needs a random source")
	}
	if err := cfg.Encoding.Validate(); err != nil {
		return nil, err
	}
	return &Stack{
		ttl: cfg.TTL, encoding: cfg.Encoding, memory: windowMemory{limit: cfg.WindowMemory}, hosts: newHosts(cfg.SharedHosts), rng: rng, secret: newSecret(rng),
		maxTimeWait: orDefault(cfg.MaxTimeWait, 16384),
		challenges:  budget{kind: challengeBudget}, resets: budget{kind: resetBudget},
		conns: make(map[connKey]*Conn), listeners: make(map[netip.AddrPort]*Listener),
	}, nil
}

// Dial starts to open a connection. A local port of 0 has one chosen. The connection is usable when its Ready says
// Connected; ErrInUse and ErrAddress are the errors.
func (s *Stack) Dial(now mono.Time, local, remote netip.AddrPort, cfg Config) (*Conn, error) {
	if !local.Addr().IsValid() || !oneHost(remote.Addr()) || remote.Port() == 0 {
		return nil, ErrAddress
	}
	local, err := s.choosePort(local, remote)
	if err != nil {
		return nil, err
	}
	full := cfg.withDefaults(remote.Addr().Is6())
	c, err := s.newConn(now, connKey{local, remote}, &full)
	if err != nil {
		return nil, err
	}
	c.takeQuota()
	c.open(now)
	s.wake(c)
	return c, nil
}

// newConn returns a closed connection that the stack knows. Its buffers have no quota yet (takeQuota).
func (s *Stack) newConn(now mono.Time, key connKey, cfg *Config) (*Conn, error) {
	if cfg.Algorithm.New == nil {
		return nil, fmt.Errorf("tcp: no congestion controller")
	}
	c := &Conn{stack: s, key: key, cfg: cfg, on: cfg.Features()}
	c.newFlow()
	c.snd.iss = s.isn(now, key)
	c.snd.una, c.snd.nxt = c.snd.iss, c.snd.iss
	c.snd.tsOffset = s.tsOffset(key)
	c.snd.buf.limit = cfg.SendBuffer
	if cfg.SendBuffer == 0 {
		c.snd.buf.limit = min(max(initialSendBuffer, 4*cfg.InitialWindow*cfg.MSS), cfg.SendBufferMax)
	}
	c.rcv = newReceiver(cfg, c.on)
	c.sched.heapIndex = -1
	s.conns[key] = c
	return c, nil
}

// initialSendBuffer is where a growing send buffer starts, in octets, unless four initial windows are more.
const initialSendBuffer = 128 << 10

// Input takes a packet that arrived. It keeps no reference to p.
func (s *Stack) Input(now mono.Time, p *wire.Packet) {
	if p.Protocol != wire.ProtocolTCP {
		return
	}
	key := connKey{p.Dst, p.Src}
	c := s.last
	if c == nil || c.key != key {
		c = s.conns[key]
	}
	if c != nil && c.state == TimeWait && c.replacedBy(p) {
		s.reopen(now, c, p)
		return
	}
	if c == nil {
		s.inputUnknown(now, p)
		return
	}
	s.last = c
	c.resume()
	c.input(now, p)
	s.wake(c)
}

// replacedBy reports whether p opens a new incarnation of a connection in TIME-WAIT: its SYN is newer by sequence
// number or timestamp (RFC 9293 s.3.10.7.4, RFC 6191).
func (c *Conn) replacedBy(p *wire.Packet) bool {
	if p.Flags&(wire.SYN|wire.ACK|wire.RST) != wire.SYN || c.stack.listeners[c.key.local] == nil {
		return false
	}
	defer c.glance(c.unpack())
	newer := c.on&Timestamps != 0 && p.Options.Has(wire.OptTimestamps) && int32(p.Options.TSVal-c.rcv.tsRecent) > 0
	return newer || c.rcv.nxt.LessEq(p.Seq)
}

// reopen gives p, a SYN, to the listener in place of a connection in TIME-WAIT. Our sequence numbers begin above all that the
// old one used, which may have sent faster than their clock goes (RFC 9293 s.3.6.1).
func (s *Stack) reopen(now mono.Time, old *Conn, p *wire.Packet) {
	old.finish(nil)
	s.forget(old)
	s.inputUnknown(now, p)
	if c := s.conns[old.key]; c != nil && c.snd.iss.Less(old.snd.nxt) {
		c.startAt(old.snd.nxt)
	}
}

// oneHost reports whether a is the address of one host: not of a group, of everyone or of nobody. A broadcast to one
// subnet cannot be told without its mask.
func oneHost(a netip.Addr) bool {
	return a.IsValid() && !a.IsMulticast() && !a.IsUnspecified() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// inputUnknown handles a packet for no connection: a listener may take it, anything else is reset
// (RFC 9293 s.3.10.7.1 and 3.10.7.2). To or from an address that is not one host's there is no connection, and no
// answer (s.3.9.2.3, MUST-57 and MUST-63).
func (s *Stack) inputUnknown(now mono.Time, p *wire.Packet) {
	if p.Flags&wire.RST != 0 || !oneHost(p.Src.Addr()) || !oneHost(p.Dst.Addr()) {
		return
	}
	l := s.listeners[p.Dst]
	switch {
	case l == nil, p.Flags&wire.ACK != 0 && l.cookiesEnd <= now:
		s.reset(now, p)
	case p.Flags&wire.ACK != 0:
		l.takeCookie(now, p)
	case p.Flags&wire.SYN != 0:
		l.takeSYN(now, p)
	}
}

// reset queues the RST that answers p (RFC 9293 s.3.5.2), as long as the budget lasts.
func (s *Stack) reset(now mono.Time, p *wire.Packet) {
	if p.Flags&wire.RST != 0 || len(s.replies) >= maxReplies || !s.spend(now, &s.resets) {
		return
	}
	r := wire.Packet{Src: p.Dst, Dst: p.Src, Protocol: wire.ProtocolTCP, TTL: s.ttl, Flags: wire.RST}
	if p.Flags&wire.ACK != 0 {
		r.Seq = p.Ack
	} else {
		r.Flags |= wire.ACK
		r.Ack = p.Seq.Add(p.SegLen())
	}
	s.replies = append(s.replies, r)
}

// LocalDrop reports that the sender's own interface queue had no room for p, which the stack had sent. Its
// connection treats that as congestion, once a round trip, as Linux 2.4 did; the loss itself is found as any other.
func (s *Stack) LocalDrop(now mono.Time, p *wire.Packet) {
	c := s.conns[connKey{p.Src, p.Dst}]
	if c == nil || !c.synchronised() {
		return
	}
	c.resume()
	sub := &c.subs[0]
	if sub.ep.state == epOpen && now.Sub(sub.ep.cutAt) > c.rtt.srtt {
		sub.ep.undo.armed = false
		c.cut(now, sub, cc.LocalDrop)
	}
}

// Poll fills in p with the next packet to send and reports true, or reports false and says when to come back:
// mono.Never if only an arriving packet or an application's call can change anything.
func (s *Stack) Poll(now mono.Time, p *wire.Packet) (ok bool, next mono.Time) {
	if popReply(&s.cookies, p) || popReply(&s.replies, p) {
		return true, now
	}
	for {
		for len(s.deadlines) > 0 && s.deadlines[0].sched.deadline <= now {
			s.wake(s.deadlines[0])
		}
		c := s.ready.front()
		if c == nil {
			break
		}
		ok, at := c.poll(now, p)
		if ok {
			return true, now
		}
		s.ready.pop()
		c.sched.ready = false
		if c.state == Closed {
			s.forget(c)
			continue
		}
		s.deadlines.put(c, at)
	}
	if len(s.deadlines) == 0 {
		return false, mono.Never
	}
	return false, s.deadlines[0].sched.deadline
}

// popReply moves the first packet of q into p, which keeps its array, and reports whether there was one.
func popReply(q *[]wire.Packet, p *wire.Packet) bool {
	if len(*q) == 0 {
		return false
	}
	payload := p.Payload[:0]
	*p = (*q)[0]
	p.Payload = payload
	*q = (*q)[:copy(*q, (*q)[1:])]
	return true
}

// Changed returns a connection whose Ready may have changed since it was last returned, or nil. A driver drains it
// after Input and Poll.
func (s *Stack) Changed() *Conn {
	c := s.changes.front()
	if c != nil {
		s.changes.pop()
		c.sched.changed = false
	}
	return c
}

// wake has c polled before time goes on.
func (s *Stack) wake(c *Conn) {
	if !c.sched.ready {
		c.sched.ready = true
		s.deadlines.remove(c)
		s.ready.push(c)
	}
}

// changed has Changed return c.
func (s *Stack) changed(c *Conn) {
	if !c.sched.changed {
		c.sched.changed = true
		s.changes.push(c)
	}
}

// forget drops a connection that is over. It does no harm a second time.
func (s *Stack) forget(c *Conn) {
	s.deadlines.remove(c)
	if s.conns[c.key] == c {
		delete(s.conns, c.key)
	}
	if s.last == c {
		s.last = nil
	}
	c.ungrant()
	if c.hand.listener != nil {
		c.hand.listener.gone(c)
		c.hand.listener = nil
	}
}
