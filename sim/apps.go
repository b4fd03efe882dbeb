package sim

import (
	"errors"
	"io"
	"net/netip"
	"time"

	"longhaul/mono"
	"longhaul/tcp"
)

// Source is an App that writes octets without content as fast as the connection takes them, or at a rate of its own, and
// then closes its side.
type Source struct {
	Total    int64         // octets to write; 0 means without end
	Chunk    int           // octets that the application produces every Interval from when the connection opens
	Interval time.Duration // 0 means that everything is there at once; else Start opens the connection
	Written  int64         // octets the connection took
	Opened   mono.Time     // when the handshake was complete; 0 before

	host   *Host
	conn   *tcp.Conn
	closed bool
}

// Start dials remote from h, for a Source with an Interval.
func (s *Source) Start(h *Host, remote netip.AddrPort, cfg tcp.Config) (*tcp.Conn, error) {
	c, err := h.Dial(remote, cfg, s)
	s.host, s.conn = h, c
	return c, err
}

// Step writes what has been produced since the last time.
func (s *Source) Step(now mono.Time) mono.Time {
	s.Ready(now, s.conn)
	s.host.Wake()
	if s.closed {
		return mono.Never
	}
	return now.Add(s.Interval)
}

// produced returns how many octets there have been to write since the connection opened.
func (s *Source) produced(now mono.Time) int64 {
	return int64(s.Chunk) * (1 + int64(now.Sub(s.Opened)/s.Interval))
}

// Ready writes all the connection takes.
func (s *Source) Ready(now mono.Time, c *tcp.Conn) {
	if s.closed {
		return
	}
	r := c.Ready()
	if r.Closed {
		s.closed = true
		return
	}
	if !r.Connected {
		return
	}
	if s.Opened == 0 {
		s.Opened = now
		if s.Interval > 0 {
			s.host.w.Add(s, now.Add(s.Interval))
		}
	}
	for {
		want := int64(1 << 30)
		if s.Total > 0 {
			want = min(want, s.Total-s.Written)
		}
		if s.Interval > 0 {
			want = min(want, s.produced(now)-s.Written)
		}
		n := 0
		if want > 0 {
			n = c.WriteSynthetic(int(want))
		}
		s.Written += int64(n)
		if s.Total > 0 && s.Written == s.Total {
			s.closed = true
			c.CloseWrite()
			return
		}
		if n == 0 {
			return
		}
	}
}

// Sink is an App that discards what arrives as soon as it is in order, and closes its side at the end of the
// stream. Several connections may share one.
type Sink struct {
	Interval time.Duration // width of Series' buckets; 0 means no series
	Total    int64         // octets delivered in order
	From     mono.Time     // where the first bucket begins
	Series   []int64       // octets per Interval since From
	Last     mono.Time     // when the latest octet was delivered
	Ended    int           // connections that reached the end of the stream
	Err      error         // the first error other than the end of the stream
}

// Ready takes all there is.
func (s *Sink) Ready(now mono.Time, c *tcp.Conn) {
	for {
		n, err := c.Discard(1 << 30)
		if n > 0 {
			s.add(now, n)
		}
		if errors.Is(err, io.EOF) {
			s.Ended++
			c.SetUser(idle{})
			c.CloseWrite()
			return
		}
		if err != nil && s.Err == nil {
			s.Err = err
		}
		if n == 0 || err != nil {
			return
		}
	}
}

func (s *Sink) add(now mono.Time, n int) {
	s.Total += int64(n)
	s.Last = now
	if s.Interval <= 0 {
		return
	}
	i := int(now.Sub(s.From) / s.Interval)
	for len(s.Series) <= i {
		s.Series = append(s.Series, 0)
	}
	s.Series[i] += int64(n)
}

// idle is the App of a connection with which its application is done.
type idle struct{}

func (idle) Ready(mono.Time, *tcp.Conn) {}

// Paced is an App that writes Octets every Interval until a given time, then Burst octets at once, and then
// closes its side: an application that leaves the path idle for long.
type Paced struct {
	Octets   int
	Interval time.Duration
	Until    mono.Time // no more paced writes from then on
	Burst    int64     // octets written at Until; 0 means none
	Written  int64     // octets the connection took

	host    *Host
	conn    *tcp.Conn
	backlog int64
	last    bool
}

// Start dials remote from h and begins at the present instant.
func (p *Paced) Start(h *Host, remote netip.AddrPort, cfg tcp.Config) (*tcp.Conn, error) {
	c, err := h.Dial(remote, cfg, p)
	if err != nil {
		return nil, err
	}
	p.host, p.conn = h, c
	h.w.Add(p, h.w.now)
	return c, nil
}

// Step makes the next write due.
func (p *Paced) Step(now mono.Time) mono.Time {
	next := now.Add(p.Interval)
	if now >= p.Until {
		p.backlog += p.Burst
		p.last = true
		next = mono.Never
	} else {
		p.backlog += int64(p.Octets)
	}
	p.Ready(now, p.conn)
	p.host.Wake()
	return next
}

// Ready writes what is due.
func (p *Paced) Ready(_ mono.Time, c *tcp.Conn) {
	for p.backlog > 0 {
		n := c.WriteSynthetic(int(min(p.backlog, 1<<30)))
		if n == 0 {
			return
		}
		p.backlog -= int64(n)
		p.Written += int64(n)
	}
	if p.last {
		c.CloseWrite()
	}
}
