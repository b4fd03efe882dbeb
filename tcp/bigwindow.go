package tcp

import (
	"time"

	"longhaul/wire"
)

// offerRFC1106 adds the options of RFC 1106 to our SYN or SYN-ACK. Its window field keeps the small window, and option B
// holds the whole one (RFC 1106 s.3, C-5).
func (c *Conn) offerRFC1106(o *wire.Options) {
	if c.on&BigWindow != 0 && c.offered(wire.OptBigWindow) {
		o.Set |= wire.OptBigWindow
		o.BigWindow = uint32(c.firstOffer())
	}
	if c.on&NAK != 0 && c.offered(wire.OptNAKPermitted) {
		o.Set |= wire.OptNAKPermitted
	}
}

// agreeRFC1106 settles what the peer's SYN or SYN-ACK agrees to. Big windows leave nothing for window scaling to do, so
// both ends drop it.
func (c *Conn) agreeRFC1106(o *wire.Options) {
	if !o.Has(wire.OptNAKPermitted) {
		c.on &^= NAK // we still act on NAKs that come unasked (C-4)
	}
	if !o.Has(wire.OptBigWindow) {
		c.on &^= BigWindow
	}
	if c.on&BigWindow != 0 {
		c.on &^= WindowScaling
		if o.BigWindow > maxWindow {
			c.got.WindowsClamped++
		}
		c.hand.bigWindow = min(int64(o.BigWindow), maxWindow)
	}
}

// putWindow writes our window of that many octets into p: its lower 16 bits into the header and the upper ones into
// option C (RFC 1106 s.3.1), or scaled (RFC 7323 s.2).
func (c *Conn) putWindow(p *wire.Packet, octets int) {
	if c.on&BigWindow != 0 {
		p.Options.Set |= wire.OptUpperWindow
		p.Options.UpperWindow = uint16(octets >> 16)
		p.Window = uint16(octets)
		return
	}
	p.Window = uint16(min(octets>>c.rcv.scale, 65535))
}

// peerWindow returns the window that p advertises, in octets, at most what is allowed (C-1). It reports false when p lacks the
// upper half that was agreed on, and then the window is unknown (C-6).
func (c *Conn) peerWindow(p *wire.Packet) (octets int64, ok bool) {
	if c.on&BigWindow == 0 {
		return int64(p.Window) << c.snd.scale, true
	}
	if !p.Options.Has(wire.OptUpperWindow) {
		return 0, false
	}
	return min(int64(p.Options.UpperWindow)<<16|int64(p.Window), maxWindow), true
}

// sameWindow reports whether p is no window update.
func (c *Conn) sameWindow(p *wire.Packet) bool {
	window, ok := c.peerWindow(p)
	return !ok || window == c.snd.window
}

// maxBare is how many acceptable segments in a row may lack the upper window before the connection falls back to windows of
// 16 bits: something on the path removes the option (C-6).
const maxBare = 8

// noteUpperWindow counts segments, with an acceptable acknowledgement, whose upper window is missing or too large.
func (c *Conn) noteUpperWindow(p *wire.Packet) {
	switch {
	case c.on&BigWindow == 0, p.Options.Has(wire.OptBigWindow): // a SYN has option B instead
		return
	case p.Options.Has(wire.OptUpperWindow):
		c.hand.bare = 0
		if int64(p.Options.UpperWindow)<<16|int64(p.Window) > maxWindow {
			c.got.WindowsClamped++
		}
		return
	}
	c.got.Bare++
	if c.hand.bare++; c.hand.bare >= maxBare {
		c.on &^= BigWindow
		c.smallWindows()
		// The peer learns of it as we did. Until then the lower half of its window may well read as a closed one.
		c.hand.tell = maxBare
		c.want |= wantTell
		c.stack.wake(c)
	}
}

// smallWindows leaves the receive buffer what a window of 16 bits can offer. What an earlier window has promised is still
// taken.
func (c *Conn) smallWindows() {
	r := &c.rcv
	r.most = 65535
	r.limit = c.shrink(r.limit, 65535)
	r.limitMax = min(r.limitMax, 65535)
}

// maxLifetime is how long a segment may live in the network: the MSL of RFC 9293 s.3.4.1.
const maxLifetime = 2 * time.Minute

// wrapLimit returns how much of a big window is safe to use. Timestamps tell old segments from new ones; without them no
// more than half of the sequence space may pass in a segment's lifetime (RFC 1110 s.2, C-20), so at most 143 Mbit/s.
func (c *Conn) wrapLimit() int64 {
	if c.on&BigWindow == 0 || c.on&Timestamps != 0 {
		return maxWindow
	}
	safe := (1 << 31) * c.rtt.minRTT.Microseconds() / maxLifetime.Microseconds()
	return min(max(safe, 65535), maxWindow)
}
