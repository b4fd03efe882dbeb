package tcp

import (
	"io"
	"net/netip"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// Conn is one connection. Its methods never block. It belongs to a Stack and, like it, to one goroutine at a time.
//
// Most connections of a large server are idle, so what they take decides how many there can be. A Conn itself is what the
// stack's tables and the driver need of any connection. Everything that segments and timers work on is its flow, which is laid
// out for speed. A connection at rest has none: what must outlive the rest, mostly small numbers and zeros, is packed into an
// eighth of the room, and its buffers and its scoreboard are gone as well (rest.go).
type Conn struct {
	stack *Stack
	key   connKey
	cfg   *Config // with defaults filled in; a listener's connections share it
	on    Feature // wanted before the handshake, in force after it
	state State
	*flow // nil at rest
	resting
	holding
}

// flow is all that segments and timers work on.
type flow struct {
	err     error
	want    wants
	granted int64 // octets of the stack's window memory that the buffers hold
	snd     sender
	rcv     receiver
	board   board
	subs    []subconn // at least one once established
	one     [1]subconn
	detect  detector
	rack    *rackDetector // detect, when that is RACK
	finds   detectors
	tlp     tailProbe
	rtt     rttEstimator
	pace    pacer
	ackp    ackPolicy
	timers  timerSet
	activity
	work   *ackWork // the stack's
	clock  chrono
	hand   handshake
	nak    nakSender
	ecn    ecn
	path   pathState
	honest honesty
	counters
}

// counters are what Info reports of both directions.
type counters struct {
	sent Sent
	got  Received
}

// holding is what the stack and the driver keep with a connection.
type holding struct {
	sched schedule
	user  any
}

// activity is when things last happened, and how often a silent peer was asked.
type activity struct {
	lastSentAt    mono.Time // a data segment left
	lastHeard     mono.Time // any acceptable segment arrived
	lastData      mono.Time // data arrived
	lastProgress  mono.Time // new data was acknowledged, or began to wait for that
	lastChallenge mono.Time
	persistAt     mono.Time // the window was probed
	persistFrom   mono.Time // for the first time since it closed
	persists      int
	keepProbes    int
	holdRTO       bool  // the latest ACK does not restart the retransmission timer
	idle          bool  // nothing has happened for the time of a retransmission
	turn          uint8 // the sub-connection that sent new data last
	expiries      int   // of the retransmission timer since lastProgress
}

// wants are segments that something other than the flow of data asks for.
type wants uint8

const (
	wantSYN         wants = 1 << iota // SYN or SYN-ACK
	wantRST                           // abort
	wantProbe                         // tail loss probe
	wantPart                          // whatever the closed-down window allows
	wantProbeWindow                   // an empty segment below the window, which the peer must answer
	wantTell                          // ACKs that tell the peer of the fallback from big windows
)

// sender is the send sequence space (RFC 9293 s.3.3.1) and what lies behind it.
type sender struct {
	iss, una, nxt wire.Seq
	wl1, wl2      wire.Seq
	edge          wire.Seq // first octet that the peer's window does not allow
	fack          wire.Seq // highest octet known to have arrived (RFC 8985 s.5.1)
	rttRound      wire.Seq // the RTT round ends when this is acknowledged
	small         wire.Seq // end of the latest short segment of new data (draft-minshall-nagle-01, snd.sml)
	window        int64    // SND.WND, octets
	maxWindow     int64
	scale         uint8 // shift of the peer's window field
	mss           int   // payload octets in a full segment, options taken off (RFC 6691)
	tsOffset      uint32
	buf           sendBuffer
	closing       bool // CloseWrite was called: a FIN follows the data
	finSent       bool
	finAcked      bool
}

// open moves the window to that many octets from ack on, of which the sender uses at most limit.
func (s *sender) open(ack wire.Seq, window, limit int64) {
	s.window = window
	s.maxWindow = max(s.maxWindow, window)
	s.edge = ack.Add(int(min(window, limit)))
}

// unsent returns the payload octets that have never been sent.
func (s *sender) unsent() int {
	sent := s.nxt.Sub(s.una)
	if s.finSent && !s.finAcked {
		sent--
	}
	return s.buf.size - sent
}

// usable returns how many octets past snd.nxt the peer's window allows.
func (s *sender) usable() int { return s.edge.Sub(s.nxt) }

// flight returns FlightSize (RFC 5681 s.2).
func (c *Conn) flight() int { return c.snd.nxt.Sub(c.snd.una) }

// Read moves received octets into p. It returns 0 and io.EOF at the end of the stream, 0 and nil when nothing has
// arrived, and the connection's error once everything received has been read.
func (c *Conn) Read(p []byte) (int, error) {
	defer c.glance(c.unpack())
	n := c.rcv.buf.read(p)
	return n, c.consumed(n, len(p))
}

// Discard drops up to n received octets without copying them. It returns what Read would.
func (c *Conn) Discard(n int) (int, error) {
	defer c.glance(c.unpack())
	got := c.rcv.buf.discard(n)
	return got, c.consumed(got, n)
}

// consumed accounts for octets that the application took.
func (c *Conn) consumed(n, asked int) error {
	if n > 0 {
		c.rcv.consumed += int64(n)
		if c.windowUpdateDue() {
			c.ackp.now = true
			c.stack.wake(c)
		}
		return nil
	}
	switch {
	case asked == 0:
		return nil
	case c.rcv.finDone:
		return io.EOF
	}
	return c.err
}

// Write appends octets to the stream and returns how many there was room for, perhaps 0.
func (c *Conn) Write(p []byte) (int, error) {
	defer c.glance(c.unpack())
	if err := c.writeError(); err != nil || len(p) == 0 && !c.snd.buf.short {
		return 0, err
	}
	c.resume()
	n := c.snd.buf.write(p)
	c.stack.wake(c)
	return n, nil
}

// WriteSynthetic appends up to n zero octets, which are never stored, and returns how many there was room for.
// The lab moves terabytes that way.
func (c *Conn) WriteSynthetic(n int) int {
	defer c.glance(c.unpack())
	if c.writeError() != nil || n <= 0 && !c.snd.buf.short {
		return 0
	}
	c.resume()
	n = c.snd.buf.writeSynthetic(n)
	c.stack.wake(c)
	return n
}

func (c *Conn) writeError() error {
	switch {
	case c.err != nil:
		return c.err
	case c.snd.closing || c.state == Closed:
		return ErrClosed
	}
	return nil
}

// CloseWrite ends our half of the stream: a FIN follows what was written, also when the handshake is still to be
// completed. Reading goes on. Close ends both halves, Abort gives up.
func (c *Conn) CloseWrite() {
	c.resume()
	if c.state == Closed || c.snd.closing {
		return
	}
	c.snd.closing = true
	c.snd.buf.short = false
	c.stack.wake(c)
}

// Abort ends the connection at once with a RST (RFC 9293 s.3.10.5). Unsent and unread data are lost.
func (c *Conn) Abort() {
	c.resume()
	if c.state == Closed {
		return
	}
	if c.state != SynSent && c.state != TimeWait {
		c.want |= wantRST
	}
	c.fail(ErrAborted)
}

// Ready returns what the application can do now.
func (c *Conn) Ready() Ready {
	defer c.glance(c.unpack())
	return Ready{
		Connected: c.synchronised(),
		Readable:  c.rcv.buf.ready > 0 || c.rcv.finDone || c.err != nil,
		Writable:  c.err != nil || c.synchronised() && !c.snd.closing && c.snd.buf.room() > 0,
		Closed:    c.state == Closed,
	}
}

// Err returns why the connection ended, or nil if it has not, or ended in order.
func (c *Conn) Err() error {
	if c.flow == nil { // at rest nothing has ended
		return nil
	}
	return c.err
}

// LocalAddr returns our end's address.
func (c *Conn) LocalAddr() netip.AddrPort { return c.key.local }

// RemoteAddr returns the peer's address.
func (c *Conn) RemoteAddr() netip.AddrPort { return c.key.remote }

// SetUser attaches a value of the driver's to the connection.
func (c *Conn) SetUser(v any) { c.user = v }

// User returns what SetUser attached.
func (c *Conn) User() any { return c.user }

// Info returns a snapshot of the connection.
func (c *Conn) Info() Info {
	defer c.glance(c.unpack())
	in := Info{
		State: c.state, Controller: c.cfg.Algorithm.Name, MSS: c.snd.mss, PathMTU: c.packetSize(c.snd.mss),
		PeerWindow: c.snd.window, RecvWindow: int64(c.rcv.edge.Sub(c.rcv.nxt)),
		SRTT: c.rtt.srtt, RTTVar: c.rtt.rttvar, MinRTT: c.rtt.minRTT, RTO: c.rtt.backedOff(),
		Sent: c.sent, Received: c.got, Limited: c.clock.total,
	}
	in.PacingRate = c.pace.rate
	in.SendQueue, in.RecvQueue = c.snd.buf.size, c.rcv.buf.ready
	in.Features = c.on
	for i := range c.subs {
		s := &c.subs[i]
		in.Window += s.out.Window
		in.Ssthresh = min(in.Ssthresh+s.out.Ssthresh, cc.Infinite)
		in.InFlight += s.outstanding()
		in.Phase = s.out.Phase
	}
	return in
}

// markWritable tells the driver that there is room again.
func (c *Conn) markWritable() {
	if c.snd.buf.room() > 0 {
		c.stack.changed(c)
	}
}

// fail ends the connection with an error.
func (c *Conn) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.finish(err)
}

// finish moves the connection to CLOSED. The stack forgets it once nothing remains to be sent.
func (c *Conn) finish(err error) {
	c.resume()
	c.share()
	c.state = Closed
	c.timers = newTimerSet()
	if err != nil {
		c.rcv.buf = recvBuffer{}
		c.snd.buf = sendBuffer{}
	}
	c.stack.changed(c)
	c.stack.wake(c)
}
