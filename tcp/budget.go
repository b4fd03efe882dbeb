package tcp

import (
	"encoding/binary"
	"net/netip"
	"time"

	"longhaul/mono"
)

// budget bounds, for all connections together, one kind of answer that a forged segment can provoke (RFC 5961 s.7).
//
// A fixed number would tell anyone who uses it up, and counts what is left for him, whether others drew on it too:
// whether a guess at a stranger's connection was right. So the number of each second is another one, which a keyed hash
// gives; and a connection's own limit is so far below it that it is the one that counts.
type budget struct {
	kind   budgetKind
	period int64 // the second that left is about, counted from 1
	left   int
}

// budgetKind names a budget.
type budgetKind uint8

const (
	challengeBudget budgetKind = iota // challenge ACKs (RFC 5961 s.3.2, 4.2 and 5.2)
	resetBudget                       // RSTs in answer to what belongs to nobody (RFC 9293 s.3.5.2)
)

// A budget is of 500 to 1,499 answers a second.
const (
	leastBudget  = 500
	budgetSpread = 1000
)

// challengeInterval is the least time between two challenge ACKs of one connection.
const challengeInterval = 500 * time.Millisecond

// spend reports whether one more answer may be given now, and counts it.
func (s *Stack) spend(now mono.Time, b *budget) bool {
	if period := 1 + int64(now)/int64(time.Second); period != b.period {
		h := s.secret.hash(forBudget, netip.AddrPort{}, netip.AddrPort{}, uint64(b.kind)<<56|uint64(period))
		b.period = period
		b.left = leastBudget + int(binary.BigEndian.Uint32(h[:])%budgetSpread)
	}
	if b.left == 0 {
		return false
	}
	b.left--
	return true
}

// challenge asks for an ACK in answer to a segment that may be forged or part of a loop: at most one in each
// challengeInterval, and as many as the stack's budget has left (RFC 5961 s.7).
func (c *Conn) challenge(now mono.Time) {
	if !c.challenged(now) && c.stack.spend(now, &c.stack.challenges) {
		c.lastChallenge = now
		c.ackp.now = true
	}
}

// answerProbe answers what is at the very place of a keep-alive or a probe of a closed window: as seldom, but whether others
// have used up the budget or not (RFC 9293 s.3.8.4 and 3.8.6.1).
func (c *Conn) answerProbe(now mono.Time) {
	if !c.challenged(now) {
		c.lastChallenge = now
		c.ackp.now = true
	}
}

// challenged reports whether the connection has asked for such an ACK within the last challengeInterval.
func (c *Conn) challenged(now mono.Time) bool {
	return c.lastChallenge != 0 && now.Sub(c.lastChallenge) < challengeInterval
}
