package tcp

import "longhaul/wire"

// block is a connection as RFC 9293 s.3.3.1 sees it, before a segment arrives: what the oracle knows.
type block struct {
	state    string
	passive  bool // opened by a listener
	listener bool // somebody listens on the local port
	iss, una, nxt,
	irs, rcvNxt wire.Seq
	rcvWnd, maxWnd int
	finSent        bool // our FIN is the last octet before nxt
	old            bool // the segment's timestamp is older than the last one
}

// outcome is what s.3.10.7 says about a segment.
type outcome struct {
	state     string // when there is no connection any more, CLOSED, or LISTEN if somebody listens
	reply     string // "", ACK, RST, RST-ACK or SYN-ACK
	seq, ack  wire.Seq
	delivered int // octets in order
	una       wire.Seq
	err       error // what the user hears
	clause    string
}

// expect is s.3.10.7 of RFC 9293 in its own order, with RFC 5961's checks, which it contains. Where the engine means to
// differ, a comment says so with its reason.
func (b block) expect(p *wire.Packet) outcome {
	switch b.state {
	case "CLOSED":
		return b.closed(p)
	case "LISTEN":
		return b.listen(p)
	case "SYN-SENT":
		return b.synSent(p)
	}
	return b.otherwise(p)
}

func (b block) drop(clause string) outcome {
	return outcome{state: b.state, una: b.una, clause: clause}
}

func (b block) acknowledge(clause string) outcome {
	return outcome{state: b.state, una: b.una, reply: "ACK", seq: b.nxt, ack: b.rcvNxt, clause: clause}
}

func (b block) reset(p *wire.Packet, clause string) outcome {
	o := b.drop(clause)
	if p.Flags&wire.ACK != 0 {
		o.reply, o.seq = "RST", p.Ack
	} else {
		o.reply, o.ack = "RST-ACK", p.Seq.Add(p.SegLen())
	}
	return o
}

func (b block) gone(clause string) outcome {
	o := outcome{state: "CLOSED", una: b.una, clause: clause}
	if b.listener {
		o.state = "LISTEN"
	}
	return o
}

func (b block) synAck(p *wire.Packet, clause string) outcome {
	return outcome{state: "SYN-RECEIVED", reply: "SYN-ACK", seq: b.iss, ack: p.Seq + 1, una: b.iss, clause: clause}
}

// closed is s.3.10.7.1.
func (b block) closed(p *wire.Packet) outcome {
	if p.Flags&wire.RST != 0 {
		return b.drop("3.10.7.1, RST")
	}
	return b.reset(p, "3.10.7.1")
}

// listen is s.3.10.7.2. What a SYN carries besides is to be processed in SYN-RECEIVED, where a segment without ACK is dropped.
func (b block) listen(p *wire.Packet) outcome {
	switch {
	case p.Flags&wire.RST != 0:
		return b.drop("3.10.7.2, first")
	case p.Flags&wire.ACK != 0:
		return b.reset(p, "3.10.7.2, second")
	case p.Flags&wire.SYN != 0:
		return b.synAck(p, "3.10.7.2, third")
	}
	return b.drop("3.10.7.2, fourth")
}

// synSent is s.3.10.7.3. What comes with a SYN that has no ACK is not queued, as the fourth step would have it: the peer
// sends it again, since our answer does not acknowledge it.
func (b block) synSent(p *wire.Packet) outcome {
	ack, rst := p.Flags&wire.ACK != 0, p.Flags&wire.RST != 0
	if ack && (p.Ack.LessEq(b.iss) || b.nxt.Less(p.Ack)) {
		if rst {
			return b.drop("3.10.7.3, first, RST")
		}
		return b.reset(p, "3.10.7.3, first")
	}
	switch {
	case rst && ack:
		o := b.gone("3.10.7.3, second")
		o.err = ErrRefused
		return o
	case rst:
		return b.drop("3.10.7.3, second, no ACK")
	case p.Flags&wire.SYN == 0:
		return b.drop("3.10.7.3, fifth")
	case !ack:
		return b.synAck(p, "3.10.7.3, fourth, simultaneous open")
	}
	b.state, b.una, b.rcvNxt = "ESTABLISHED", p.Ack, p.Seq+1
	rest := *p
	rest.Seq++
	rest.Flags &^= wire.SYN
	o := b.text(&rest, "3.10.7.3, fourth")
	if o.reply == "" {
		o = b.acknowledge("3.10.7.3, fourth")
	}
	return o
}

// otherwise is s.3.10.7.4.
func (b block) otherwise(p *wire.Packet) outcome {
	syn, ack, rst := p.Flags&wire.SYN != 0, p.Flags&wire.ACK != 0, p.Flags&wire.RST != 0
	if b.state == "TIME-WAIT" && b.listener && syn && !ack && !rst && b.rcvNxt.LessEq(p.Seq) {
		// RFC 1122 s.4.2.2.13: a SYN above the largest sequence number used may open the connection anew. By RFC 6191 an older
		// timestamp would forbid it, but peers give each connection a clock of its own (RFC 7323 s.7.1).
		return b.synAck(p, "3.10.7.4, fourth, TIME-WAIT")
	}
	if b.state == "SYN-RECEIVED" && p.Seq == b.irs && syn && !rst {
		// By the letter of the first step both are out of the window and get an ACK. That would not help a peer that has
		// lost our SYN-ACK, and figure 7 has the other complete a simultaneous open.
		if !ack {
			return outcome{state: b.state, reply: "SYN-ACK", seq: b.iss, ack: b.rcvNxt, una: b.una, clause: "3.10.7.4, the same SYN"}
		}
		if !b.passive {
			rest := *p
			rest.Seq++
			rest.Flags &^= wire.SYN
			return b.otherwise(&rest)
		}
	}
	if b.old && !rst {
		return b.acknowledge("3.10.7.4, first, RFC 7323 s.5.3")
	}
	if !b.acceptable(p) {
		if rst {
			return b.drop("3.10.7.4, first, RST")
		}
		return b.outside(p)
	}
	switch {
	case rst && p.Seq != b.rcvNxt:
		return b.acknowledge("3.10.7.4, second, RFC 5961 s.3.2")
	case rst && b.state == "SYN-RECEIVED" && b.passive:
		return b.gone("3.10.7.4, second, back to LISTEN")
	case rst:
		o := b.gone("3.10.7.4, second")
		switch b.state {
		case "SYN-RECEIVED":
			o.err = ErrRefused
		case "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT":
			o.err = ErrReset
		}
		return o
	case syn && b.state == "SYN-RECEIVED" && b.passive:
		return b.gone("3.10.7.4, fourth, back to LISTEN")
	case syn:
		return b.acknowledge("3.10.7.4, fourth, RFC 5961 s.4")
	case !ack:
		return b.drop("3.10.7.4, fifth, no ACK")
	}
	if b.state == "SYN-RECEIVED" {
		// This comes before RFC 5961 s.5's check, which is for connections that exist.
		if !b.una.Less(p.Ack) || b.nxt.Less(p.Ack) {
			return b.reset(p, "3.10.7.4, fifth, SYN-RECEIVED")
		}
		b.state = "ESTABLISHED"
	}
	if p.Ack.Less(b.una.Add(-b.maxWnd)) || b.nxt.Less(p.Ack) {
		return b.acknowledge("3.10.7.4, fifth, RFC 5961 s.5")
	}
	if b.takeAck(p); b.state == "CLOSED" {
		return b.gone("3.10.7.4, fifth, LAST-ACK")
	}
	return b.text(p, "3.10.7.4, seventh")
}

// acceptable is the first step's table for an open window. The engine also takes an empty segment, or a FIN, from the
// window's edge: a peer that has filled the window sends its ACKs, its RST and its FIN from there.
func (b block) acceptable(p *wire.Packet) bool {
	in := func(s wire.Seq) bool { return b.rcvNxt.LessEq(s) && s.Less(b.rcvNxt.Add(b.rcvWnd)) }
	edge := p.PayloadLen == 0 && p.Seq == b.rcvNxt.Add(b.rcvWnd)
	if n := p.SegLen(); n > 0 {
		return in(p.Seq) || in(p.Seq.Add(n-1)) || edge
	}
	return in(p.Seq) || edge
}

// outside answers an unacceptable segment with an ACK. The engine still takes the acknowledgement of one that lies below the
// window: a zero window's special allowance (first step), for any window.
func (b block) outside(p *wire.Packet) outcome {
	synchronised := b.state != "SYN-RECEIVED"
	if p.Flags&wire.ACK != 0 && synchronised && p.Seq.LessEq(b.rcvNxt) && b.una.LessEq(p.Ack) && p.Ack.LessEq(b.nxt) {
		if b.takeAck(p); b.state == "CLOSED" {
			return b.gone("3.10.7.4, first, LAST-ACK")
		}
	}
	return b.acknowledge("3.10.7.4, first")
}

// takeAck is the fifth step for the synchronised states.
func (b *block) takeAck(p *wire.Packet) {
	if b.una.Less(p.Ack) && p.Ack.LessEq(b.nxt) {
		b.una = p.Ack
	}
	if !b.finSent || b.una != b.nxt {
		return
	}
	switch b.state {
	case "FIN-WAIT-1":
		b.state = "FIN-WAIT-2"
	case "CLOSING":
		b.state = "TIME-WAIT"
	case "LAST-ACK":
		b.state = "CLOSED"
	}
}

// text is the seventh and eighth step. After the peer's FIN its text is ignored; the engine acknowledges that too, so that a
// peer which goes on hears where the stream ended.
func (b block) text(p *wire.Packet, clause string) outcome {
	if p.SegLen() == 0 {
		return b.drop(clause)
	}
	switch b.state {
	case "CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT":
		return b.acknowledge("3.10.7.4, eighth, after the FIN")
	}
	edge := b.rcvNxt.Add(b.rcvWnd)
	end := p.Seq.Add(p.PayloadLen)
	fin := p.Flags&wire.FIN != 0 && end.LessEq(edge)
	if b.rcvNxt.Less(p.Seq) { // kept until the hole is filled
		return b.acknowledge("3.10.7.4, seventh, out of order")
	}
	delivered := max(end.Sub(b.rcvNxt), 0)
	b.rcvNxt = b.rcvNxt.Add(delivered)
	if fin {
		b.rcvNxt++
		b.state = map[string]string{"ESTABLISHED": "CLOSE-WAIT", "FIN-WAIT-1": "CLOSING", "FIN-WAIT-2": "TIME-WAIT"}[b.state]
		clause = "3.10.7.4, eighth"
	}
	o := b.acknowledge(clause)
	o.delivered = delivered
	return o
}
