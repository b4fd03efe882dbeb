package tcp

import (
	"fmt"

	"longhaul/mono"
	"longhaul/wire"
)

// errUnreachableTimeout is what a connection ends with that timed out while the network said that it cannot reach the peer.
var errUnreachableTimeout = fmt.Errorf("%w: %w", ErrTimeout, ErrUnreachable)

// InputICMP takes an ICMP error message that arrived. It counts only if it quotes a segment that one of the stack's connections
// has in flight (RFC 5927 s.4.1): whoever is not on the path would have to guess that. It keeps no reference to e.
func (s *Stack) InputICMP(now mono.Time, e *wire.ICMPError) {
	c := s.conns[connKey{e.Src, e.Dst}]
	if c == nil || c.state == Closed {
		return
	}
	c.resume()
	c.got.ICMP++
	if e.Seq.Less(c.snd.una) || !e.Seq.Less(c.snd.nxt) || !c.takeICMP(now, e) {
		c.got.ICMPIgnored++
		return
	}
	s.wake(c)
}

// takeICMP reacts to an error message about a segment in flight and reports whether it meant anything. A hard error ends only
// an attempt to connect; in the synchronised states any error may be forged, or pass, and the retransmission timer has
// the last word (RFC 5927 s.5.2, RFC 5461 s.2.2). A soft error does not even end the attempt, which goes on as long as it
// may (RFC 1122 s.4.2.3.9). Source quench means nothing (RFC 6633 s.3).
func (c *Conn) takeICMP(now mono.Time, e *wire.ICMPError) bool {
	switch e.Kind() {
	case wire.ICMPTooBig:
		return c.tooBig(now, e)
	case wire.ICMPHard:
		switch {
		case c.state == SynReceived && c.hand.passive:
			c.finish(nil) // back to LISTEN
			return true
		case c.handshaking():
			c.fail(ErrUnreachable)
			return true
		}
	case wire.ICMPSoft:
	default:
		return false
	}
	c.path.softAt, c.path.hasSoft = now, true
	return true
}

// timedOut returns the error of a connection whose peer does not answer. If the network has said since the last progress that
// it cannot reach the peer, that is part of it (RFC 1122 s.4.2.3.9).
func (c *Conn) timedOut() error {
	if c.path.hasSoft && c.path.softAt >= c.lastProgress {
		return errUnreachableTimeout
	}
	return ErrTimeout
}
