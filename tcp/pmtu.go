package tcp

import (
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// PathMTU says how a connection finds the largest packet that its path carries. Only data that we send needs that: our
// acknowledgements are small, and the peer looks after its own data.
type PathMTU uint8

// The ways to find the path MTU.
const (
	// MTUFollow starts with the largest segment that the handshake allows. It goes down when ICMP says that a packet was too big
	// (RFC 1191, RFC 8201, with the precautions of RFC 5927 s.7.2) and when segments keep vanishing without a word (RFC 8899
	// s.4.3), and looks with probes for what it may go up to.
	MTUFollow PathMTU = iota
	// MTUSearch is MTUFollow, but starts with what every path should carry and searches upwards (RFC 8899 s.5.2).
	MTUSearch
	// MTUReported goes down only when ICMP says so, never on a guess, and otherwise is MTUFollow. It is what most kernels do.
	MTUReported
	// MTUFixed never changes the size of segments.
	MTUFixed
)

// Sizes of IP packets in octets.
const (
	basePacket4  = 1200 // BASE_PLPMTU, what nearly every path carries (RFC 8899 s.5.1.2)
	floorPacket4 = 576  // what every host takes (RFC 1122 s.3.3.2). RFC 1191 allows 68, which would be a forger's gain
	floorPacket6 = 1280 // what every link carries (RFC 8200 s.5); so it is the base too
)

const (
	maxMTUProbes    = 3  // MAX_PROBES, lost probes of one size until it counts as too large (RFC 8899 s.5.1.2)
	mtuStep         = 32 // octets; a search that is as near as that is over
	blackHoleExpiry = 3  // retransmission timeouts in a row that accuse the path (R1 of RFC 1122 s.4.2.3.5, RFC 4821 s.7.7)
)

// pathState is what a connection knows of its path. Sizes are payload octets of a segment, as sender.mss.
type pathState struct {
	full    int       // what the handshake allows; controllers count in it, whatever the size of segments is now
	acked   int       // longest segment delivered since the size last went down (maxsizeacked of RFC 5927 s.7.2)
	high    int       // longest one not known to be too long
	untried bool      // high itself is the next to try, before halving the distance to it
	probe   int       // size of the probe in flight, 0 if there is none
	tries   int       // probes lost in a row
	raiseAt mono.Time // when to look for more than high (PMTU_RAISE_TIMER of RFC 8899 s.5.1.1)
	split   bool      // a segment that waits to be sent again may be longer than segments may be

	claim    int      // what ICMP says is the longest, believed once the segment it quotes times out; 0 if it says nothing
	claimSeq wire.Seq // in that segment

	softAt  mono.Time // when the latest ICMP error came that the connection survived
	hasSoft bool
}

// startPath begins with the segment size that the handshake has settled.
func (c *Conn) startPath(now mono.Time) {
	p := &c.path
	p.full, p.high = c.snd.mss, c.snd.mss
	if c.recallPath(now) {
		return
	}
	if base := c.roomIn(c.basePacket()); c.cfg.PathMTU == MTUSearch && base < c.snd.mss {
		c.snd.mss, p.untried = base, true
	}
}

// packetSize returns the octets of the IP packet that carries size octets of payload.
func (c *Conn) packetSize(size int) int {
	header := 20 + 20
	if c.key.remote.Addr().Is6() {
		header = 40 + 20
	}
	return size + header + c.on.dataOptions(c.stack.encoding)
}

// roomIn returns the payload octets of a segment in an IP packet of that many.
func (c *Conn) roomIn(packet int) int { return packet - c.packetSize(0) }

func (c *Conn) basePacket() int {
	if c.key.remote.Addr().Is6() {
		return floorPacket6
	}
	return basePacket4
}

func (c *Conn) floorPacket() int {
	if c.key.remote.Addr().Is6() {
		return floorPacket6
	}
	return floorPacket4
}

// tooBig takes in that a packet was too big for the path and reports whether that changes anything. While nothing longer than
// the MTU claimed has been delivered the message is believed at once. Otherwise it may be forged, and counts only if the segment
// that it quotes is not acknowledged before the retransmission timer expires (RFC 5927 s.7.2). Nothing goes below the floor. A
// router too old to name its MTU (RFC 1191 s.5) is taken to mean the base.
func (c *Conn) tooBig(now mono.Time, e *wire.ICMPError) bool {
	p := &c.path
	if c.cfg.PathMTU == MTUFixed || c.board.empty() {
		return false
	}
	packet := e.MTU
	if packet == 0 {
		packet = c.basePacket()
	}
	size := c.roomIn(max(packet, c.floorPacket()))
	switch {
	case p.probe > size && size >= c.snd.mss: // the answer to the probe, and the next to try (RFC 8899 s.4.6.2)
		c.search(now, size, size > c.snd.mss)
	case size >= c.snd.mss:
		return false
	case size < p.acked:
		p.claim, p.claimSeq = size, e.Seq
	default:
		for n := c.board.head; n != c.board.tail; n++ {
			if g := c.board.at(n); g.inFlight() && g.payload() > size {
				c.takeLost(n, g) // no congestion (RFC 1191 s.6.4, RFC 8201 s.5.4)
			}
		}
		c.shorten(size)
		c.search(now, size, false)
	}
	return true
}

// pathTimeout looks whether its length may be why the first segment has timed out: because ICMP had said so, or because it has
// happened again and again, and then there may be a black hole (RFC 2923 s.2.1). A guess is put to the test as soon as segments
// get through.
func (c *Conn) pathTimeout(now mono.Time) {
	p := &c.path
	if c.cfg.PathMTU == MTUFixed {
		return
	}
	if size := p.claim; size > 0 {
		p.claim = 0
		if g := c.board.at(c.board.find(p.claimSeq)); size < c.snd.mss && !g.has(segSACKed) {
			c.shorten(size)
			c.search(now, size, false)
		}
		return
	}
	if c.cfg.PathMTU == MTUReported {
		return
	}
	packet := 0
	switch c.expiries {
	case blackHoleExpiry:
		packet = c.basePacket()
	case blackHoleExpiry + 1:
		packet = c.floorPacket()
	default:
		return
	}
	if size := c.roomIn(packet); size < c.board.at(c.board.head).payload() {
		c.shorten(size)
		c.search(now, c.path.high, true)
	}
}

// shorten makes size the length of a full segment, and has what is in flight sent again in segments no longer than that.
func (c *Conn) shorten(size int) {
	c.snd.mss = size
	c.path.acked, c.path.claim = 0, 0
	c.resegment()
}

// search has the path asked whether it carries more than now, up to high, and after a time more than that.
func (c *Conn) search(now mono.Time, high int, untried bool) {
	p := &c.path
	p.high, p.untried, p.tries = high, untried, 0
	p.raiseAt = now.Add(c.cfg.Timers.MTURaise)
}

// resegment cuts every segment on the scoreboard that is too long to be sent again. The pieces have all that the whole had, and its
// place in the lists. Segment numbers only grow, so what was judged up to some number is at worst judged again. It costs a walk
// over all that is outstanding, each time the size goes down and for each lost probe.
func (c *Conn) resegment() {
	c.abandonCheck()
	c.path.split = false
	c.path.probe = 0
	old := c.board
	b := &c.board
	b.ring = make([]segment, len(old.ring))
	b.tail, b.sackedSegs = b.head, 0
	for n := old.head; n != old.tail; n++ {
		g := old.at(n)
		rest := *g
		rest.flags &^= segProbe // also what is left of one that was acknowledged in part, and not too long
		g.prev = b.tail         // where its pieces begin
		for last := false; !last; {
			last = rest.payload() <= c.snd.mss
			_, piece := b.push()
			*piece = rest
			if !last {
				piece.size = uint32(c.snd.mss)
				piece.flags &^= segFIN
				rest.seq, rest.size = piece.end(), rest.size-piece.size
			}
			if piece.has(segSACKed) {
				b.sackedSegs++
			}
		}
	}
	b.order = b.pieces(&old, old.order)
	for i := range c.subs {
		c.subs[i].lost = b.pieces(&old, c.subs[i].lost)
	}
}

// pieces returns the list of the pieces of the segments in a list of old's, each of which says where its own begin.
func (b *board) pieces(old *board, l segList) (out segList) {
	n := l.first
	for range l.count {
		g := old.at(n)
		for k := g.prev; k != b.tail && b.at(k).seq.Less(g.end()); k++ {
			b.append(&out, k)
		}
		n = g.next
	}
	return out
}

// probeSize returns the size of the probe that shall leave instead of a full segment, or 0 (RFC 4821 s.7): a segment longer
// than the others, with data behind it that shows whether it arrived. It may have to wait until send buffer and window have
// room for it, since they mostly open by less. A search first tries the longest size, which is right
// when timeouts had some other cause, then halves the distance.
func (c *Conn) probeSize(now mono.Time, s *subconn, unsent int) int {
	p := &c.path
	if c.cfg.PathMTU == MTUFixed || p.probe > 0 || c.recovering() || s.lost.count > 0 || len(c.board.sacked) > 0 {
		return 0
	}
	if p.high < p.full && p.raiseAt <= now {
		c.search(now, p.full, true)
	}
	size := p.high
	if !p.untried {
		if p.high-c.snd.mss < mtuStep {
			return 0
		}
		size = (c.snd.mss + p.high + 1) / 2
	}
	need := size + dupThresh*c.snd.mss
	more := unsent >= need || c.snd.buf.short && c.snd.buf.limit >= need
	if !more || min(s.window(), c.snd.window) < int64(need) {
		return 0
	}
	if c.board.empty() && min(unsent, c.snd.usable()) < size {
		return 0 // nothing that is to be acknowledged will make room
	}
	return size
}

// probeArrived makes the size of the probe that of full segments.
func (c *Conn) probeArrived(now mono.Time) {
	p := &c.path
	c.snd.mss = p.probe
	c.search(now, max(p.high, p.probe), p.untried && p.high > p.probe)
	p.probe = 0
}

// probeLost counts a probe that did not arrive. That says nothing about congestion (RFC 8899 s.3, RFC 4821 s.7.6.1).
func (c *Conn) probeLost(now mono.Time, g *segment) {
	p := &c.path
	g.flags &^= segProbe
	c.sent.MTUProbesLost++
	p.split = true
	if p.tries++; p.tries >= maxMTUProbes {
		c.search(now, p.probe-1, false)
	}
	p.probe = 0
}

// defaultMTURaise is when a path is asked whether it carries more than it did (RFC 8899 s.5.1.1, RFC 1191 s.6.3).
const defaultMTURaise = 600 * time.Second
