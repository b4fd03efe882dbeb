package tcp

import (
	"container/list"
	"math"
	"net/netip"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// hosts is what a stack remembers of the paths to other hosts, so that a new connection need not learn it again: temporal sharing of
// RFC 9040 s.6. It is told by connections that end. A connection that begins while others are open gets nothing from those
// (ensemble sharing, s.7): what it was given of their windows they would have to give up.
type hosts struct {
	limit  int
	known  map[netip.Addr]*list.Element
	recent *list.List  // of *host; the one that was told about last is at the front
	start  sharedStart // scratch of the connection that is being established
}

// host is what is known of the path to one host.
type host struct {
	addr    netip.Addr
	at      mono.Time // when the path was like that
	window  int64     // octets
	full    bool      // and that was all that it could take
	srtt    time.Duration
	rttvar  time.Duration
	packet  int       // octets of the longest IP packet; 0 if nothing says that it is less than the hosts can take
	raiseAt mono.Time // when to look for more than that
}

// sharedStart is what a connection begins with, in octets; 0 means as if nothing were known.
type sharedStart struct {
	window, ssthresh int64
	srtt             time.Duration
}

const (
	// hostLife is how long what is known of a path is used, and the time constant by which its window ages. RFC 9040 names no time.
	hostLife = 10 * time.Minute

	// sharedRounds is how many round trips a connection without congestion must have had data under way, so that
	// its window says something about the path.
	sharedRounds = 10

	// maxStart bounds a first window, in initial windows.
	maxStart = 10
)

func newHosts(limit int) hosts {
	h := hosts{limit: limit}
	if limit > 0 {
		h.known, h.recent = make(map[netip.Addr]*list.Element), list.New()
	}
	return h
}

// find returns what is known of the path to a, or nil. What is too old is forgotten.
func (h *hosts) find(now mono.Time, a netip.Addr) *host {
	e := h.known[a]
	if e == nil {
		return nil
	}
	k := e.Value.(*host)
	if now.Sub(k.at) >= hostLife {
		h.forget(a)
		return nil
	}
	return k
}

func (h *hosts) forget(a netip.Addr) {
	if e := h.known[a]; e != nil {
		h.recent.Remove(e)
		delete(h.known, a)
	}
}

// learn takes in what a connection has found. Where something is known already, a quarter of the difference counts
// (as in the example of RFC 2140). With too many hosts the one that was told about longest ago is forgotten.
func (h *hosts) learn(k host) {
	if old := h.find(k.at, k.addr); old != nil {
		if old.at.Sub(k.at) >= hostLife {
			return
		}
		k.window = quarter(old.aged(k.at), k.window)
		k.srtt = quarter(old.srtt, k.srtt)
		k.rttvar = quarter(old.rttvar, k.rttvar)
		k.at = max(k.at, old.at)
		*old = k
		h.recent.MoveToFront(h.known[k.addr])
		return
	}
	if len(h.known) >= h.limit {
		h.forget(h.recent.Back().Value.(*host).addr)
	}
	h.known[k.addr] = h.recent.PushFront(&k)
}

// quarter moves old by a quarter of the way to latest.
func quarter[T int64 | time.Duration](old, latest T) T { return old + (latest-old)/4 }

// aged returns the window, which counts for less the older it is.
func (k *host) aged(now mono.Time) int64 {
	age := max(now.Sub(k.at), 0)
	// In thousandths, since the last bit of an exponential depends on the processor.
	return k.window * int64(1000*math.Exp(-age.Seconds()/hostLife.Seconds())+0.5) / 1000
}

// share tells the stack what an ending connection has found out about its path. Only what has been acknowledged counts, over some
// round trips or up to congestion: a short exchange says nothing, nor does an attempt to connect. After a timeout that
// ended the connection the path may have become another.
func (c *Conn) share() {
	h := &c.stack.hosts
	addr := c.key.remote.Addr()
	switch {
	case h.limit <= 0 || !c.synchronised() || c.state == TimeWait || c.sent.Acked == 0 || c.rtt.srtt == 0 || c.honest.distrust:
		return
	case c.expiries > 0 && c.err != nil:
		h.forget(addr)
		return
	}
	k := host{addr: addr, at: c.lastProgress, srtt: c.rtt.srtt, rttvar: c.rtt.rttvar}
	told := false
	for i := range c.subs {
		s := &c.subs[i]
		w := s.out.Window
		if cut := s.ep.cutAt != 0; cut && s.out.Ssthresh < cc.Infinite {
			w = max(w, s.out.Ssthresh) // after a timeout the window is on its way there
		}
		k.window += w
		k.full = k.full || s.full
		told = told || s.ep.cutAt != 0 || s.meter.round >= sharedRounds
	}
	if c.path.high < c.path.full {
		k.packet, k.raiseAt = c.packetSize(c.snd.mss), c.path.raiseAt
	}
	if told {
		h.learn(k)
	}
}

// recallRTT has the first timeout, that of our SYN, allow for the round trip that is known. It is never less for
// that (RFC 9040 s.6: a start value, not a floor).
func (c *Conn) recallRTT(now mono.Time) {
	if k := c.stack.hosts.find(now, c.key.remote.Addr()); k != nil {
		c.rtt.begin(k.srtt, k.rttvar)
	}
}

// recallPath begins with the packet size that the path is known to carry, and reports whether it is less than the hosts can take.
func (c *Conn) recallPath(now mono.Time) bool {
	k := c.stack.hosts.find(now, c.key.remote.Addr())
	if k == nil || k.packet == 0 || c.cfg.PathMTU == MTUFixed {
		return false
	}
	size := max(c.roomIn(k.packet), minMSS)
	if size >= c.snd.mss {
		return false
	}
	c.snd.mss, c.path.high, c.path.raiseAt = size, size, k.raiseAt
	return true
}

// recallWindow settles what the connection begins with. Slow start ends at three quarters of the known window, but only where
// a queue showed that to be what the path takes: after losses that came without one, or where the application or HyStart++
// held the window down, it would only keep later connections slow. The first window is half of the known
// one, if pacing spreads it, unless a lost SYN says to begin with one segment.
func (c *Conn) recallWindow(now mono.Time) {
	h := &c.stack.hosts
	h.start = sharedStart{}
	k := h.find(now, c.key.remote.Addr())
	if k == nil {
		return
	}
	w := k.aged(now)
	if k.full {
		h.start.ssthresh = max(w-w/4, 1)
	}
	if usual := c.usualStart(); c.on&Pacing != 0 && (c.hand.retries == 0 || c.hand.spurious) && w/2 > usual {
		h.start.window, h.start.srtt = min(w/2, maxStart*usual), k.srtt
	}
}

// usualStart returns the first window in octets when nothing is known.
func (c *Conn) usualStart() int64 {
	if w := c.initialWindow(); w > 0 {
		return w
	}
	return cc.InitialWindow(int64(c.path.full))
}

// initialSsthresh returns the ssthresh in octets that the connection begins with; 0 means none.
func (c *Conn) initialSsthresh() int64 {
	if c.cfg.InitialSsthresh > 0 {
		return int64(c.cfg.InitialSsthresh)
	}
	return c.stack.hosts.start.ssthresh
}

// spreadStart spreads a first window that is larger than usual over a round trip. From the first ACK on
// the pacer goes by the window as always.
func (c *Conn) spreadStart(now mono.Time) {
	start := &c.stack.hosts.start
	if start.window == 0 {
		return
	}
	window := int64(0)
	for i := range c.subs {
		window += c.subs[i].out.Window
	}
	if window > c.usualStart() { // the controller has taken it
		rate := float64(window) / max(start.srtt, c.rtt.srtt).Seconds()
		c.pace.setRate(now, max(int64(rate), 1), c.snd.mss)
	}
}
