package tcp

// freeWindow is what every socket buffer may hold without asking, in octets: the largest window without options.
const freeWindow = 65535

// windowMemory is a stack's store of socket buffer beyond freeWindow (RFC 1106 s.5).
type windowMemory struct {
	limit int64 // octets; 0 means no limit
	used  int64
}

// takeQuota asks the stack for the memory that the buffers should have: when we open the connection, and when a peer that
// opened it has shown that it exists. Half-open connections hold none, so SYNs from forged addresses cannot use it up.
func (c *Conn) takeQuota() {
	c.snd.buf.limit = c.grant(0, c.snd.buf.limit)
	c.rcv.limit = c.grant(0, c.rcv.limit)
}

// firstOffer returns the receive window that a SYN or SYN-ACK may name, in octets. Without quota that is freeWindow.
func (c *Conn) firstOffer() int {
	if c.hand.passive && c.stack.memory.limit > 0 {
		return min(c.rcv.limit, freeWindow)
	}
	return min(c.rcv.limit, maxWindow)
}

// grant returns how large a buffer of have octets becomes that should have want: all of it, or what the stack has left.
func (c *Conn) grant(have, want int) int {
	m := &c.stack.memory
	if m.limit <= 0 || want <= freeWindow {
		return want
	}
	have = max(have, freeWindow)
	extra := min(int64(want-have), max(m.limit-m.used, 0))
	m.used += extra
	c.granted += extra
	return have + int(extra)
}

// shrink makes a buffer of have octets one of want, if that is less, and gives back what it held beyond freeWindow.
func (c *Conn) shrink(have, want int) int {
	if back := min(int64(max(have, freeWindow)-max(want, freeWindow)), c.granted); back > 0 {
		c.stack.memory.used -= back
		c.granted -= back
	}
	return min(have, want)
}

// ungrant gives back what the connection's buffers held. What a connection that is over leaves unread is the
// application's own: no window is offered against it.
func (c *Conn) ungrant() {
	c.stack.memory.used -= c.granted
	c.granted = 0
}
