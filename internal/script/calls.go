package script

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"longhaul/mono"
	"longhaul/tcp"
)

// socket is what a descriptor of the script stands for.
type socket struct {
	config   tcp.Config
	local    netip.AddrPort // from bind
	listener *tcp.Listener
	conn     *tcp.Conn
	flow     *flow
	nonblock bool
	shut     bool // for reading
	told     bool // the error has been returned once
	abort    bool // on close (SO_LINGER)
	keep     keepAlive
	wrote    uint32 // octets of the stream
	read     uint32
}

// outcome is what a call has done so far.
type outcome struct {
	result  int64
	errno   string
	blocks  bool   // it has to wait
	wrong   string // what is wrong with the script, or what was read
	missing string // what the interpreter lacks
}

func done(n int64) outcome                     { return outcome{result: n} }
func failed(errno string) outcome              { return outcome{result: -1, errno: errno} }
func blocked() outcome                         { return outcome{blocks: true} }
func wrong(format string, args ...any) outcome { return outcome{wrong: fmt.Sprintf(format, args...)} }

// blockedCall is a call that waits while other events happen.
type blockedCall struct {
	line      int
	call      *Call
	try       func() outcome
	due       mono.Time
	tolerance time.Duration
}

// attempt is a call in the making. One that blocks is made again until it does not.
type attempt struct {
	*Call
	written int // octets, by earlier attempts
}

// syscall makes a call and returns what has been done so far.
type syscall func(r *runner, c *attempt) outcome

// call makes a system call and compares its result, now or when it no longer blocks.
func (r *runner) call(c *Call, w When, from, end mono.Time) {
	a, do := &attempt{Call: c}, findCall(c.Name).do
	try := func() outcome { return do(r, a) }
	if w.Span && r.blocked != nil {
		r.fail("two calls would block at the same time; only one may", "", "")
		return
	}
	b := &blockedCall{line: r.line, call: c, try: try, due: end, tolerance: r.tolerance(end.Sub(from))}
	out := try()
	if out.blocks && w.Span {
		r.blocked = b
	} else {
		r.compareCall(b, out, w.Span)
	}
	r.poll()
}

// tryBlocked makes the call that blocks again and reports whether it has returned.
func (r *runner) tryBlocked() bool {
	b := r.blocked
	out := b.try()
	if out.blocks {
		return false
	}
	r.blocked = nil
	r.compareCall(b, out, true)
	return true
}

// compareCall compares what a call returned, and when if it may block.
func (r *runner) compareCall(b *blockedCall, out outcome, span bool) {
	c := b.call
	switch off := r.now.Sub(b.due).Abs(); {
	case out.missing != "":
		r.missing = append(r.missing, Reason{b.line, out.missing})
	case out.wrong != "":
		r.failAt(b.line, c.Name+": "+out.wrong, "", "")
	case out.blocks:
		r.failAt(b.line, "the call blocks; give it the time at which it ends, as in +0...0.2, if it may", c.String(), "")
	case out.result != c.Result || !sameErrno(c.Errno, out.errno):
		r.failAt(b.line, "the call returned something else", c.String(), resultText(out))
	case span && off > b.tolerance:
		r.failAt(b.line, fmt.Sprintf("the call returned %s s off its time, with a tolerance of %s s", seconds(off), seconds(b.tolerance)),
			"at "+r.clock(b.due), "at "+r.clock(r.now))
	}
}

func resultText(out outcome) string {
	text := strconv.FormatInt(out.result, 10)
	if out.errno != "" {
		text += " " + out.errno
	}
	return text
}

// sameErrno reports whether two errors are the same one.
func sameErrno(a, b string) bool {
	alias := func(e string) string {
		if e == "EWOULDBLOCK" {
			return "EAGAIN"
		}
		return e
	}
	return alias(a) == alias(b)
}

// errnoOf names an error of the engine.
func errnoOf(err error) string {
	switch {
	case errors.Is(err, tcp.ErrUnreachable):
		return "EHOSTUNREACH" // pendingError knows better
	case errors.Is(err, tcp.ErrRefused):
		return "ECONNREFUSED"
	case errors.Is(err, tcp.ErrReset):
		return "ECONNRESET"
	case errors.Is(err, tcp.ErrTimeout):
		return "ETIMEDOUT"
	case errors.Is(err, tcp.ErrClosed):
		return "EPIPE"
	case errors.Is(err, tcp.ErrAborted):
		return "ECONNABORTED"
	case errors.Is(err, tcp.ErrInUse):
		return "EADDRINUSE"
	}
	return "EINVAL"
}

// pendingError returns the error of a connection that no call has returned yet, and marks it returned.
func (s *socket) pendingError() string {
	if s.conn == nil || s.conn.Err() == nil || s.told {
		return ""
	}
	s.told = true
	if s.flow != nil && s.flow.icmp != "" && errors.Is(s.conn.Err(), tcp.ErrUnreachable) {
		return icmpCodes[s.flow.icmp].errno
	}
	return errnoOf(s.conn.Err())
}

// onSocket makes a call out of a function of the socket that the first argument names.
func onSocket(do func(r *runner, s *socket, c *attempt) outcome) syscall {
	return func(r *runner, c *attempt) outcome {
		s := r.sockets[c.Args[0].Int]
		if s == nil {
			return failed("EBADF")
		}
		return do(r, s, c)
	}
}

// would returns the outcome of an operation that can do nothing now.
func (s *socket) would() outcome {
	if s.nonblock {
		return failed("EAGAIN")
	}
	return blocked()
}

// open is socket(): the new one is the socket under test.
func (r *runner) open(c *attempt) outcome {
	if r.sockets[c.Result] != nil {
		return wrong("descriptor %d is in use; close it or give this socket another number", c.Result)
	}
	s := &socket{config: r.set.config, keep: defaultKeepAlive}
	s.nonblock = strings.Contains(c.Args[1].String(), "SOCK_NONBLOCK")
	r.sockets[c.Result] = s
	r.focus(s, nil)
	return done(c.Result)
}

// focus makes s the socket under test, and f its connection, if it has one.
func (r *runner) focus(s *socket, f *flow) {
	if r.set.quiet && len(r.sent) > 0 {
		r.leftOver()
	}
	r.last, r.under, r.sent = s, f, nil
}

func (r *runner) bind(s *socket, _ *attempt) outcome {
	s.local = netip.AddrPortFrom(r.local(), scriptPort)
	return done(0)
}

func (r *runner) listen(s *socket, c *attempt) outcome {
	if s.listener == nil {
		if !s.local.IsValid() {
			s.local = netip.AddrPortFrom(r.local(), scriptPort)
		}
		l, err := r.stack.Listen(s.local, int(c.Args[1].Int), s.config)
		if err != nil {
			return failed(errnoOf(err))
		}
		s.listener = l
	}
	r.focus(s, nil) // also a second time: the next SYN is for the listener
	return done(0)
}

func (r *runner) accept(s *socket, c *attempt) outcome {
	if s.listener == nil {
		return failed("EINVAL")
	}
	conn := s.listener.Accept()
	if conn == nil {
		return s.would()
	}
	if r.sockets[c.Result] != nil || c.Result < 0 {
		return wrong("a connection was accepted, and %d is no free descriptor for it", c.Result)
	}
	child := &socket{conn: conn, config: s.config, keep: s.keep}
	for _, f := range r.flows {
		if f.local == conn.LocalAddr() && f.remote == conn.RemoteAddr() {
			child.flow = f
		}
	}
	r.sockets[c.Result] = child
	return done(c.Result)
}

func (r *runner) connect(s *socket, _ *attempt) outcome {
	switch {
	case s.conn == nil:
		if !s.local.IsValid() {
			s.local = netip.AddrPortFrom(r.local(), r.freshPort())
		}
		remote := netip.AddrPortFrom(r.remote(), scriptPort)
		r.focus(s, r.newFlow(s.local, remote))
		s.flow = r.under
		conn, err := r.stack.Dial(r.now, s.local, remote, s.config)
		if err != nil {
			return failed(errnoOf(err))
		}
		s.conn = conn
		if s.nonblock {
			return failed("EINPROGRESS")
		}
		return blocked()
	case s.conn.Ready().Connected:
		if s.nonblock {
			return failed("EISCONN")
		}
		return done(0)
	case s.conn.Err() != nil:
		return failed(s.pendingError())
	case s.nonblock:
		return failed("EALREADY")
	}
	return blocked()
}

// maxCount is the largest number of octets that a call may move.
const maxCount = 1 << 24

func (r *runner) read(s *socket, c *attempt) outcome {
	if s.conn == nil {
		return failed("ENOTCONN")
	}
	n := int(c.Args[2].Int)
	b := make([]byte, min(n, max(s.conn.Info().RecvQueue, 1))) // one octet asks for an end or an error, too
	got, err := s.conn.Read(b)
	for i, octet := range b[:got] {
		if octet != pattern(s.read+uint32(i)) {
			return wrong("octet %d of what was read is not octet %d of the peer's stream", i, s.read+uint32(i))
		}
	}
	s.read += uint32(got)
	switch {
	case got > 0 || n == 0 || err == io.EOF || s.shut:
		return done(int64(got))
	case err != nil:
		if errno := s.pendingError(); errno != "" {
			return failed(errno)
		}
		return done(0)
	}
	return s.would()
}

func (r *runner) write(s *socket, c *attempt) outcome {
	n := int(c.Args[2].Int)
	switch {
	case s.conn == nil:
		return failed("EPIPE")
	case s.conn.Err() == nil && !s.conn.Ready().Connected && !s.conn.Ready().Closed:
		return s.would()
	}
	got, err := s.conn.Write(patternAt(s.wrote, n-c.written))
	s.wrote += uint32(got)
	c.written += got
	switch {
	case c.written == n || c.written > 0 && (s.nonblock || err != nil):
		return done(int64(c.written))
	case err == nil:
		return s.would()
	}
	if errno := s.pendingError(); errno != "" {
		return failed(errno)
	}
	return failed("EPIPE")
}
