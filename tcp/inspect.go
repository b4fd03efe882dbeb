package tcp

import (
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// Repair says where a connection's repair of losses stands.
type Repair uint8

// The states of repair, the most serious last.
const (
	RepairNone     Repair = iota // nothing is amiss
	RepairDisorder               // SACKs or duplicate ACKs have come, too few to call anything lost
	RepairReduced                // a congestion mark has cut the window, and that has not been acknowledged (RFC 3168 s.6.1.2)
	RepairFast                   // fast recovery
	RepairTimeout                // slow start after a timeout
)

// Inspection is what a test wants to know of a connection beyond Info.
type Inspection struct {
	Repair        Repair
	Allowed       int64         // octets that may be in flight: the controller's window, or what recovery makes of it (RFC 9937)
	Outstanding   int           // segments sent and not acknowledged cumulatively
	SACKed        int           // those of them that the peer has: by SACK, or as duplicate ACKs say (RFC 5681 s.3.2)
	Lost          int           // those of them that were marked lost and have not arrived since, sent again or not
	Retransmitted int           // those of them that were sent again and may be under way
	Reordered     bool          // segments have been seen to arrive out of order (RFC 8985 s.6.2)
	AdvertisedMSS int           // octets of payload that our SYN allows
	LastData      mono.Time     // data arrived last; 0 if none has
	Busy          time.Duration // data has been waiting for this long, all told, to be sent or acknowledged
	Limited       Limited       // as in Info, up to now
}

// Inspect looks closely at the connection. It walks everything that is outstanding; Info does not.
func (c *Conn) Inspect(now mono.Time) Inspection {
	defer c.glance(c.unpack())
	in := Inspection{
		Outstanding: c.board.len(), SACKed: c.board.sackedSegs, AdvertisedMSS: c.cfg.MSS,
		LastData: c.lastData, Busy: c.clock.busyUntil(now), Limited: c.clock.until(now),
	}
	in.Reordered = c.rack != nil && c.rack.reordered
	for i := range c.subs {
		s := &c.subs[i]
		in.Allowed += s.window()
		in.SACKed += int(s.dupacked / int64(c.snd.mss))
		switch {
		case s.ep.state == epRecovery:
			in.Repair = max(in.Repair, RepairFast)
		case s.ep.state == epLoss:
			in.Repair = RepairTimeout
		case s.ep.reduced && c.snd.una.Less(s.ep.cutEnd):
			in.Repair = max(in.Repair, RepairReduced)
		}
	}
	if in.SACKed > 0 {
		in.Repair = max(in.Repair, RepairDisorder)
	}
	for n := c.board.head; n != c.board.tail; n++ {
		g := c.board.at(n)
		again := g.has(segRetrans) && g.inFlight()
		if again {
			in.Retransmitted++
		}
		if g.has(segLost) || again && !g.has(segTwice) {
			in.Lost++
		}
	}
	return in
}

// SubInfo is a snapshot of a sub-connection.
type SubInfo struct {
	Window   int64    // octets the controller allows in flight
	Ssthresh int64    // octets
	InFlight int64    // octets: pipe
	Phase    cc.Phase // the controller's phase
}

// Sub returns a snapshot of sub-connection i, counted from 0, and reports whether there is one.
func (c *Conn) Sub(i int) (SubInfo, bool) {
	defer c.glance(c.unpack())
	if i < 0 || i >= len(c.subs) {
		return SubInfo{}, false
	}
	s := &c.subs[i]
	return SubInfo{Window: s.out.Window, Ssthresh: s.out.Ssthresh, InFlight: s.outstanding(), Phase: s.out.Phase}, true
}
