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
	if c.lastChallenge != 0 && now.Sub(c.lastChallenge) < challengeInterval || !c.stack.spend(now, &c.stack.challenges) {
		return
	}
	c.lastChallenge = now
	c.ackp.now = true
}
