package tcp

// byteRing holds octets of a stream at offsets from its first one. While all that was stored is synthetic
// (zero octets that nobody wants kept) it has no array at all.
type byteRing struct {
	ring  []byte // a power of two long; nil while everything in it is synthetic
	start int    // index of the first octet
}

// ensure makes room for n octets; used is how many of the present ones must be kept.
func (r *byteRing) ensure(n, used int) {
	if n <= len(r.ring) {
		return
	}
	size := max(4096, len(r.ring))
	for size < n {
		size *= 2
	}
	ring := make([]byte, size)
	if r.ring != nil {
		r.copyOut(ring[:min(used, len(r.ring))], 0)
	}
	r.ring, r.start = ring, 0
}

// put stores data at offset off; used is how far octets are in use before it.
func (r *byteRing) put(off int, data []byte, used int) {
	r.ensure(off+len(data), used)
	i := (r.start + off) & (len(r.ring) - 1)
	n := copy(r.ring[i:], data)
	copy(r.ring, data[n:])
}

// zero stores n zero octets at offset off, if there is an array to store them in.
func (r *byteRing) zero(off, n, used int) {
	if r.ring == nil {
		return
	}
	r.ensure(off+n, used)
	i := (r.start + off) & (len(r.ring) - 1)
	first := min(n, len(r.ring)-i)
	clear(r.ring[i : i+first])
	clear(r.ring[:n-first])
}

// copyOut fills dst with the octets from offset off.
func (r *byteRing) copyOut(dst []byte, off int) {
	if r.ring == nil {
		clear(dst)
		return
	}
	i := (r.start + off) & (len(r.ring) - 1)
	n := copy(dst, r.ring[i:])
	copy(dst[n:], r.ring)
}

// drop removes the first n octets.
func (r *byteRing) drop(n int) {
	if r.ring != nil {
		r.start = (r.start + n) & (len(r.ring) - 1)
	}
}

// sendBuffer holds what the application has written and the peer has not acknowledged.
type sendBuffer struct {
	bytes byteRing
	size  int  // octets held, sent and unsent
	limit int  // octets it may hold
	short bool // the latest write found too little room: more is coming
}

func (b *sendBuffer) room() int { return max(b.limit-b.size, 0) }

func (b *sendBuffer) write(p []byte) int {
	n := min(len(p), b.room())
	b.short = n < len(p)
	if n > 0 {
		b.bytes.put(b.size, p[:n], b.size)
		b.size += n
	}
	return n
}

func (b *sendBuffer) writeSynthetic(want int) int {
	n := min(want, b.room())
	b.short = n < want
	if n > 0 {
		b.bytes.zero(b.size, n, b.size)
		b.size += n
	}
	return n
}

// release drops the first n octets: the peer has them.
func (b *sendBuffer) release(n int) {
	b.bytes.drop(n)
	b.size -= n
	if b.size == 0 {
		b.bytes = byteRing{} // an idle connection holds no buffer
	}
}

// appendTo appends n octets from offset off to dst, which stays empty while they are synthetic.
func (b *sendBuffer) appendTo(dst []byte, off, n int) []byte {
	if b.bytes.ring == nil || n == 0 {
		return dst
	}
	have := len(dst)
	if cap(dst)-have < n {
		dst = append(dst[:have:have], make([]byte, n)...)
	}
	dst = dst[:have+n]
	b.bytes.copyOut(dst[have:], off)
	return dst
}

// recvBuffer holds what has arrived and the application has not read: ready octets in order, and out-of-order
// data behind them.
type recvBuffer struct {
	bytes byteRing
	ready int // octets in order
	top   int // octets from the first unread one to the end of the farthest out-of-order data
}

// put stores a segment's payload at off octets past the ready ones.
func (b *recvBuffer) put(off int, data []byte, n int) {
	off += b.ready
	if len(data) == n {
		b.bytes.put(off, data, b.top)
	} else {
		b.bytes.zero(off, n, b.top)
	}
	b.top = max(b.top, off+n)
}

func (b *recvBuffer) read(p []byte) int {
	n := min(len(p), b.ready)
	b.bytes.copyOut(p[:n], 0)
	b.discard(n)
	return n
}

func (b *recvBuffer) discard(n int) int {
	n = min(n, b.ready)
	b.bytes.drop(n)
	b.ready -= n
	b.top -= n
	if b.top == 0 {
		b.bytes = byteRing{}
	}
	return n
}

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
