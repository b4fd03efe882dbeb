package script

import (
	"fmt"
	"math"
	"time"

	"longhaul/tcp"
)

// entry is a call with the numbers of arguments that it may have.
type entry struct {
	do       syscall
	min, max int
}

// findCall returns the call of that name; its do is nil if there is none.
func findCall(name string) entry {
	switch name {
	case "socket":
		return entry{(*runner).open, 3, 3}
	case "bind":
		return entry{onSocket((*runner).bind), 3, 3}
	case "listen":
		return entry{onSocket((*runner).listen), 2, 2}
	case "accept":
		return entry{onSocket((*runner).accept), 3, 3}
	case "connect":
		return entry{onSocket((*runner).connect), 3, 3}
	case "read":
		return entry{onSocket((*runner).read), 3, 3}
	case "recv":
		return entry{onSocket((*runner).read), 4, 4}
	case "write":
		return entry{onSocket((*runner).write), 3, 3}
	case "send":
		return entry{onSocket((*runner).write), 4, 4}
	case "close":
		return entry{onSocket((*runner).close), 1, 1}
	case "shutdown":
		return entry{onSocket((*runner).shutdown), 2, 2}
	case "fcntl":
		return entry{onSocket((*runner).fcntl), 2, 3}
	case "ioctl":
		return entry{onSocket((*runner).ioctl), 3, 3}
	case "setsockopt":
		return entry{onSocket((*runner).setsockopt), 5, 5}
	case "getsockopt":
		return entry{onSocket((*runner).getsockopt), 5, 5}
	}
	return entry{}
}

// checkCall returns what is wrong with the arguments of a call that the interpreter has, or "".
func checkCall(c *Call) string {
	e := findCall(c.Name)
	if e.do == nil {
		return ""
	}
	if n := len(c.Args); n < e.min || n > e.max {
		return fmt.Sprintf("%s takes %d arguments, not %d", c.Name, e.max, n)
	}
	number := func(i int, what string, most int64) string {
		if a := c.Args[i]; a.Kind != ExprInt || a.Int < 0 || a.Int > most {
			return fmt.Sprintf("argument %d of %s is %s, a number from 0 to %d", i+1, c.Name, what, most)
		}
		return ""
	}
	if c.Name == "socket" {
		return ""
	}
	if why := number(0, "the socket", math.MaxInt32); why != "" {
		return why
	}
	switch c.Name {
	case "listen":
		return number(1, "the backlog", math.MaxInt32)
	case "read", "recv", "write", "send":
		return number(2, "the octets to move", maxCount)
	case "setsockopt":
		if _, ok := c.Args[3].value(); !ok && sockopts[c.Args[2].String()].set != nil {
			return fmt.Sprintf("the value of %v is a number, in brackets or not, such as [1]", c.Args[2])
		}
	}
	return ""
}

// sockopt is a socket option. A nil set means that the value makes no difference, a nil get that it is not kept.
type sockopt struct {
	set func(r *runner, s *socket, v int)
	get func(s *socket) int
}

// sockopts are the options of integer value.
var sockopts = map[string]sockopt{
	"SO_REUSEADDR": {}, "IP_TOS": {}, "IP_MTU_DISCOVER": {},
	"SO_SNDBUF": {
		func(_ *runner, s *socket, v int) {
			s.config.SendBuffer = v
			if s.conn != nil {
				s.conn.SetSendBuffer(v)
			}
		},
		func(s *socket) int { return s.config.SendBuffer },
	},
	"SO_RCVBUF": {
		func(_ *runner, s *socket, v int) { s.config.RecvBuffer = v },
		func(s *socket) int { return s.config.RecvBuffer },
	},
	"TCP_MAXSEG": {
		func(_ *runner, s *socket, v int) { s.config.MSS = v },
		func(s *socket) int {
			if s.conn != nil {
				return s.conn.Info().MSS
			}
			return s.config.MSS
		},
	},
	"TCP_NODELAY": {
		func(_ *runner, s *socket, v int) {
			s.config.Enable &^= tcp.Nagle
			if v == 0 {
				s.config.Enable |= tcp.Nagle
			}
			if s.conn != nil {
				s.conn.SetNagle(v == 0)
			}
		},
		func(s *socket) int { return int(truth(s.config.Enable&tcp.Nagle == 0)) },
	},
	"TCP_USER_TIMEOUT": {
		func(r *runner, s *socket, v int) {
			s.config.UserTimeout = time.Duration(v) * time.Millisecond
			if s.conn != nil {
				s.conn.SetUserTimeout(r.now, s.config.UserTimeout)
			}
		},
		func(s *socket) int { return int(s.config.UserTimeout / time.Millisecond) },
	},
	"SO_KEEPALIVE":  keepOption(func(k *keepAlive) *int { return &k.on }),
	"TCP_KEEPIDLE":  keepOption(func(k *keepAlive) *int { return &k.idle }),
	"TCP_KEEPINTVL": keepOption(func(k *keepAlive) *int { return &k.interval }),
	"TCP_KEEPCNT":   keepOption(func(k *keepAlive) *int { return &k.count }),
}

// keepAlive is what the four options of keep-alives say, times in seconds.
type keepAlive struct{ on, idle, interval, count int }

// defaultKeepAlive are the values of RFC 1122 s.4.2.3.6, two hours, and of common hosts.
var defaultKeepAlive = keepAlive{idle: 7200, interval: 75, count: 9}

// keepOption is the option that is one of the four values.
func keepOption(part func(*keepAlive) *int) sockopt {
	return sockopt{
		func(r *runner, s *socket, v int) {
			*part(&s.keep) = v
			s.config.KeepAlive = tcp.KeepAlive{}
			if s.keep.on != 0 {
				s.config.KeepAlive = tcp.KeepAlive{
					Idle:     time.Duration(s.keep.idle) * time.Second,
					Interval: time.Duration(s.keep.interval) * time.Second, Count: s.keep.count,
				}
			}
			if s.conn != nil {
				s.conn.SetKeepAlive(r.now, s.config.KeepAlive)
			}
		},
		func(s *socket) int { return *part(&s.keep) },
	}
}

// early are options that mean something only before there is a connection.
var early = map[string]bool{"SO_RCVBUF": true, "TCP_MAXSEG": true}

// unsupportedCall returns why a call cannot be made, or "".
func unsupportedCall(c *Call) string {
	switch c.Name {
	case "socket":
		return unsupportedSocket(c)
	case "fcntl":
		if op := c.Args[1].String(); op != "F_GETFL" && (op != "F_SETFL" || len(c.Args) != 3) {
			return fmt.Sprintf("fcntl %s is not in the interpreter", exprTexts(c.Args[1:], ", "))
		}
	case "setsockopt", "getsockopt":
		name := c.Args[2].String()
		_, known := sockopts[name]
		if !known && name != "SO_ERROR" && name != "SO_LINGER" {
			return fmt.Sprintf("the socket option %s is not in the interpreter", name)
		}
	case "ioctl":
		if c.Args[1].String() != "SIOCINQ" && c.Args[1].String() != "FIONREAD" && c.Args[1].String() != "SIOCOUTQ" {
			return fmt.Sprintf("ioctl %v is not in the interpreter", c.Args[1])
		}
	case "send", "recv":
		if c.Args[3].String() != "0" && c.Args[3].String() != "MSG_NOSIGNAL" {
			return fmt.Sprintf("%s with the flags %v is not in the interpreter", c.Name, c.Args[3])
		}
	}
	return ""
}

// unsupportedSocket returns why a socket of that kind cannot be made, or "".
func unsupportedSocket(c *Call) string {
	kind, protocol := c.Args[1].String(), c.Args[2].String()
	switch kind {
	case "...", "SOCK_STREAM", "SOCK_STREAM|SOCK_NONBLOCK", "SOCK_STREAM|SOCK_CLOEXEC", "SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC":
	default:
		return fmt.Sprintf("a socket of type %s is not in the interpreter; it has SOCK_STREAM", kind)
	}
	switch protocol {
	case "...", "0", "6", "IPPROTO_TCP", "SOL_TCP", "IPPROTO_IP":
	default:
		return fmt.Sprintf("a socket for %s is not in the interpreter; it has IPPROTO_TCP", protocol)
	}
	if c.Result < 0 {
		return "a socket that cannot be made is not in the interpreter"
	}
	return ""
}

// value returns the integer that an argument such as [1] or 1 stands for.
func (e Expr) value() (int, bool) {
	if e.Kind == ExprList && len(e.Items) == 1 {
		e = e.Items[0]
	}
	return int(e.Int), e.Kind == ExprInt
}

func (r *runner) setsockopt(s *socket, c *attempt) outcome {
	name := c.Args[2].String()
	if name == "SO_LINGER" {
		return setLinger(s, c.Args[3])
	}
	if early[name] && (s.conn != nil || s.listener != nil) {
		return outcome{missing: name + " can only be set before connect and listen"}
	}
	if set := sockopts[name].set; set != nil {
		v, _ := c.Args[3].value() // checkCall has seen to it
		set(r, s, v)
	}
	return done(0)
}

// setLinger has close reset the connection when the time to linger is 0.
func setLinger(s *socket, e Expr) outcome {
	on, linger := int64(-1), int64(-1)
	for _, f := range e.Items {
		switch f.Text {
		case "onoff":
			on = f.Items[0].Int
		case "linger":
			linger = f.Items[0].Int
		}
	}
	if e.Kind != ExprStruct || on < 0 || linger < 0 {
		return wrong("the value of SO_LINGER must be {onoff=N, linger=N}")
	}
	s.abort = on != 0 && linger == 0
	return done(0)
}

func (r *runner) getsockopt(s *socket, c *attempt) outcome {
	name := c.Args[2].String()
	if name == "SO_ERROR" {
		return compareOut(c.Args[3], s.pendingError(), 0)
	}
	get := sockopts[name].get
	if get == nil {
		return outcome{missing: "the value of " + name + " is not kept"}
	}
	return compareOut(c.Args[3], "", get(s))
}

// compareOut compares what a call put into an argument such as [1] or [ECONNRESET] with what the script has there.
func compareOut(want Expr, word string, number int) outcome {
	got := word
	if got == "" {
		got = fmt.Sprint(number)
	}
	if want.Kind == ExprList && len(want.Items) == 1 && want.Items[0].String() != got {
		return wrong("the value is [%s] and not %v", got, want)
	}
	return done(0)
}

// nonblocking and readWrite are bits of a descriptor's status flags.
const (
	readWrite   = 0x2
	nonblocking = 0x800
)

func (r *runner) fcntl(s *socket, c *attempt) outcome {
	if c.Args[1].String() == "F_GETFL" {
		return done(readWrite | nonblocking*truth(s.nonblock))
	}
	flags := c.Args[2]
	s.nonblock = flags.Kind == ExprInt && flags.Int&nonblocking != 0 || flags.String() == "O_NONBLOCK"
	for _, f := range flags.Items {
		s.nonblock = s.nonblock || f.String() == "O_NONBLOCK"
	}
	return done(0)
}

func (r *runner) ioctl(s *socket, c *attempt) outcome {
	if s.conn == nil {
		return failed("EINVAL")
	}
	in := s.conn.Info()
	if c.Args[1].String() == "SIOCOUTQ" {
		return compareOut(c.Args[2], "", in.SendQueue)
	}
	return compareOut(c.Args[2], "", in.RecvQueue)
}

func (r *runner) shutdown(s *socket, c *attempt) outcome {
	if s.conn == nil || !s.conn.Ready().Connected {
		return failed("ENOTCONN")
	}
	how := c.Args[1].String()
	switch how {
	case "SHUT_RD", "SHUT_WR", "SHUT_RDWR":
	default:
		return wrong("write SHUT_RD, SHUT_WR or SHUT_RDWR")
	}
	s.shut = s.shut || how != "SHUT_WR" // nothing tells the peer
	if how != "SHUT_RD" {
		s.conn.CloseWrite()
	}
	return done(0)
}

func (r *runner) close(s *socket, c *attempt) outcome {
	delete(r.sockets, c.Args[0].Int)
	switch {
	case s.listener != nil:
		s.listener.Close()
	case s.conn != nil && s.abort:
		s.conn.Abort()
	case s.conn != nil:
		s.conn.Close()
	}
	return done(0)
}
