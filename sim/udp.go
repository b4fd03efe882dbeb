package sim

import (
	"encoding/binary"
	"net/netip"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// udpHeaders is the length of an IPv4 and a UDP header in octets.
const udpHeaders = 20 + 8

// ProbeSize is the length of a probe as an IP packet in octets, like ping's default of 64.
const ProbeSize = 64

// Probe measures the round trip through both links as the packets of the flows see it: one small UDP packet
// every interval, echoed by a node at the far end. A lost probe leaves no sample.
type Probe struct {
	Sent int             // probes sent
	RTTs []time.Duration // one per echo, in order of arrival

	out      datagrams
	interval time.Duration
}

// NewProbe adds a probe from left to right and back, beginning at the present instant.
func (d *Dumbbell) NewProbe(interval time.Duration) *Probe {
	from := netip.AddrPortFrom(d.leftAddr(), 7)
	to := netip.AddrPortFrom(d.rightAddr(), 7)
	p := &Probe{interval: interval, out: datagrams{w: d.w, out: d.forward, src: from, dst: to}}
	e := &echo{out: datagrams{w: d.w, out: d.reverse, src: to, dst: from}}
	d.reverse.ports = append(d.reverse.ports, port{from.Addr(), p})
	d.forward.ports = append(d.forward.ports, port{to.Addr(), e})
	d.w.Add(p, d.w.now)
	return p
}

// Step sends a probe.
func (p *Probe) Step(now mono.Time) mono.Time {
	p.out.send(now, ProbeSize, now, uint64(p.Sent))
	p.Sent++
	return now.Add(p.interval)
}

// Deliver takes an echo.
func (p *Probe) Deliver(now mono.Time, k *wire.Packet) {
	if sent, _, ok := stamp(k); ok {
		p.RTTs = append(p.RTTs, now.Sub(sent))
	}
}

// echo sends every datagram back.
type echo struct{ out datagrams }

// Deliver answers with the octets that came.
func (e *echo) Deliver(now mono.Time, k *wire.Packet) {
	if sent, number, ok := stamp(k); ok {
		e.out.send(now, k.PayloadLen+udpHeaders, sent, number)
	}
}

// Constant is a constant-rate source of UDP packets from left to right with the node that counts them at the
// far end: a ruler for the link.
type Constant struct {
	Size     int           // of an IP packet in octets, at least 44
	Interval time.Duration // from one packet to the next
	Until    mono.Time     // none is sent at this instant or later

	Sent      int
	Received  int
	Reordered int             // packets that arrived after a later one
	First     mono.Time       // arrival of the first packet
	Last      mono.Time       // arrival of the latest
	Delays    []time.Duration // one way, in order of arrival

	out  datagrams
	next uint64
}

// NewConstant adds c, whose exported parameters are set, beginning at the present instant.
func (d *Dumbbell) NewConstant(c *Constant) {
	src := netip.AddrPortFrom(d.leftAddr(), 9)
	dst := netip.AddrPortFrom(d.rightAddr(), 9)
	c.out = datagrams{w: d.w, out: d.forward, src: src, dst: dst}
	d.forward.ports = append(d.forward.ports, port{dst.Addr(), c})
	d.w.Add(c, d.w.now)
}

// Step sends a packet.
func (c *Constant) Step(now mono.Time) mono.Time {
	if now >= c.Until {
		return mono.Never
	}
	c.out.send(now, c.Size, now, uint64(c.Sent))
	c.Sent++
	return now.Add(c.Interval)
}

// Deliver counts a packet.
func (c *Constant) Deliver(now mono.Time, k *wire.Packet) {
	sent, number, ok := stamp(k)
	if !ok {
		return
	}
	if c.Received == 0 {
		c.First = now
	}
	if number < c.next {
		c.Reordered++
	} else {
		c.next = number + 1
	}
	c.Received++
	c.Last = now
	c.Delays = append(c.Delays, now.Sub(sent))
}

// datagrams sends UDP packets that carry when they were sent and a number.
type datagrams struct {
	w        *World
	out      *pipe
	src, dst netip.AddrPort
}

func (d *datagrams) send(now mono.Time, size int, sent mono.Time, number uint64) {
	k := d.w.pool.Get()
	payload := k.Wire.Payload[:0]
	payload = binary.BigEndian.AppendUint64(payload, uint64(sent))
	payload = binary.BigEndian.AppendUint64(payload, number)
	payload = append(payload, make([]byte, max(0, size-udpHeaders-len(payload)))...)
	k.Wire = wire.Packet{Src: d.src, Dst: d.dst, Protocol: wire.ProtocolUDP, Payload: payload, PayloadLen: len(payload)}
	d.w.send(now, d.out, k)
	d.out.kick(now)
}

// stamp returns what datagrams.send wrote into k.
func stamp(k *wire.Packet) (sent mono.Time, number uint64, ok bool) {
	if k.Protocol != wire.ProtocolUDP || len(k.Payload) < 16 {
		return 0, 0, false
	}
	sent = mono.Time(binary.BigEndian.Uint64(k.Payload))
	return sent, binary.BigEndian.Uint64(k.Payload[8:]), true
}
