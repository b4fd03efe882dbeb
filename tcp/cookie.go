package tcp

import (
	"encoding/binary"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// SYN cookies (RFC 4987 s.3.6): when a listener has as many half-open connections as it may, it answers a SYN and forgets
// it. What it would have remembered is in the initial sequence number of its SYN-ACK, which the peer acknowledges, and
// in the low bits of its timestamp, which the peer echoes:
//
//	sequence number = 29 bits of a keyed hash over both addresses, the peer's initial sequence number, the period, the index
//	                  of the MSS and the timestamp's bits; 3 bits of that index
//	timestamp's low bits = the peer's window scale, 15 for none; whether SACK is permitted
//
// Without timestamps there is neither window scaling nor SACK. Big windows and NAKs (RFC 1106) are never offered. A forged
// acknowledgement is good for one of two periods with a probability of 2^-28, and none is looked at unless cookies were
// sent lately.

// cookiePeriod is how long one value of the clock in a cookie holds. A cookie is good in its own period and the next.
const cookiePeriod = 64 * time.Second

// cookieMSS holds the segment sizes that a cookie can tell, in octets.
var cookieMSS = [8]uint16{minMSS, defaultMSS4, 966, defaultMSS6, 1380, 1440, 1460, 8960}

// cookieOptions are what a cookie's timestamp carries.
type cookieOptions uint32

const (
	cookieNoScale   = 15
	cookieSACK      = cookieOptions(1 << 4)
	cookieBits      = 5
	cookieNoOptions = cookieOptions(1 << cookieBits) // there are no timestamps
	cookieIndexBits = 3
	cookieIndexMask = 1<<cookieIndexBits - 1
)

// cookie returns the initial sequence number that stands for a SYN. The peer's is part of it: else a segment behind one that was
// lost would begin the stream.
func (s *Stack) cookie(key connKey, irs wire.Seq, period int64, index int, o cookieOptions) wire.Seq {
	more := uint64(irs)<<32 | uint64(uint32(period<<16|int64(o)<<8|int64(index))) // 65,536 periods are 48 days
	h := s.secret.hash(forCookies, key.local, key.remote, more)
	return wire.Seq(binary.BigEndian.Uint32(h[:])&^cookieIndexMask | uint32(index))
}

// sendCookie answers p, a SYN, and remembers nothing but the time.
func (l *Listener) sendCookie(now mono.Time, p *wire.Packet) {
	s := l.stack
	if len(s.cookies) >= maxReplies {
		return
	}
	l.cookiesEnd = now.Add(2 * cookiePeriod)
	key := connKey{p.Dst, p.Src}
	want := l.cfg.Features()
	r := wire.Packet{
		Src: p.Dst, Dst: p.Src, Protocol: wire.ProtocolTCP, TTL: s.ttl, Flags: wire.SYN | wire.ACK, Ack: p.Seq + 1,
		Options: wire.Options{Set: wire.OptMSS, MSS: uint16(l.cfg.MSS)},
	}
	rcv := newReceiver(&l.cfg, want)
	r.Window = uint16(min(rcv.limit, 65535))
	o := cookieNoOptions
	if want&Timestamps != 0 && p.Options.Has(wire.OptTimestamps) {
		o = cookieNoScale
		r.Options.Set |= wire.OptTimestamps
		if want&WindowScaling != 0 && p.Options.Has(wire.OptWindowScale) {
			o = cookieOptions(min(p.Options.WindowScale, 14))
			r.Options.Set |= wire.OptWindowScale
			r.Options.WindowScale = rcv.scale
		}
		if want&SACK != 0 && p.Options.Has(wire.OptSACKPermitted) {
			o |= cookieSACK
			r.Options.Set |= wire.OptSACKPermitted
		}
		// The value must not lie ahead of the clock, or the next one would be an old duplicate (RFC 7323 s.5.3).
		clock := tsClock(now) + s.tsOffset(key)
		r.Options.TSVal = clock&^(1<<cookieBits-1) | uint32(o)
		if int32(r.Options.TSVal-clock) > 0 {
			r.Options.TSVal -= 1 << cookieBits
		}
		r.Options.TSEcr = p.Options.TSVal
	}
	r.Seq = s.cookie(key, p.Seq, int64(now)/int64(cookiePeriod), cookieIndex(p), o)
	s.cookies = append(s.cookies, r)
}

// cookieIndex returns which of cookieMSS is the largest that p, a SYN, allows.
func cookieIndex(p *wire.Packet) int {
	mss := peerMSS(p)
	i := len(cookieMSS) - 1
	for i > 0 && int(cookieMSS[i]) > mss {
		i--
	}
	return i
}

// readCookie returns the SYN that p, which seems to complete a handshake, stands for. It reports false if p acknowledges no
// cookie of this period or the one before.
func (s *Stack) readCookie(now mono.Time, p *wire.Packet) (syn wire.Packet, ok bool) {
	key := connKey{p.Dst, p.Src}
	index := int(p.Ack-1) & cookieIndexMask
	o := cookieNoOptions
	if p.Options.Has(wire.OptTimestamps) {
		o = cookieOptions(p.Options.TSEcr & (1<<cookieBits - 1))
	}
	period := int64(now) / int64(cookiePeriod)
	if iss := p.Ack - 1; iss != s.cookie(key, p.Seq-1, period, index, o) && iss != s.cookie(key, p.Seq-1, period-1, index, o) {
		return syn, false
	}
	syn = wire.Packet{
		Src: p.Src, Dst: p.Dst, Protocol: wire.ProtocolTCP, Flags: wire.SYN, Seq: p.Seq - 1,
		Options: wire.Options{Set: wire.OptMSS, MSS: cookieMSS[index]},
	}
	if o == cookieNoOptions {
		return syn, true
	}
	syn.Options.Set |= wire.OptTimestamps
	syn.Options.TSVal = p.Options.TSVal
	if scale := uint8(o & 15); scale != cookieNoScale {
		syn.Options.Set |= wire.OptWindowScale
		syn.Options.WindowScale = scale
	}
	if o&cookieSACK != 0 {
		syn.Options.Set |= wire.OptSACKPermitted
	}
	return syn, true
}

// takeCookie makes the connection that p, an ACK for no connection, completes with a cookie. Without one p is ignored, and
// so it is while there is no room: a segment that follows a lost one, or that the peer sends again, may well be good.
func (l *Listener) takeCookie(now mono.Time, p *wire.Packet) {
	s := l.stack
	if p.Flags&wire.SYN != 0 || l.full() && l.opening >= l.backlog {
		return
	}
	syn, ok := s.readCookie(now, p)
	if !ok {
		return
	}
	c := l.admit(now, &syn)
	if c == nil {
		return
	}
	c.snd.iss = p.Ack - 1
	c.snd.una, c.snd.nxt = c.snd.iss, p.Ack
	c.snd.wl2 = c.snd.una
	c.hand.begun, c.hand.cookie = true, true
	c.want &^= wantSYN
	c.armRTO(now)
	c.input(now, p)
}
