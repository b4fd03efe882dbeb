package sim

import (
	"net/netip"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/wire"
)

// hop is the address of whoever reports that a packet is too big for the path.
var hop = netip.AddrFrom4([4]byte{10, 3, 0, 1})

// SetMTU has both links drop IP packets of more than that many octets from now on; 0 takes any. With report the sender of each
// gets an ICMP message (RFC 1191 s.4), which takes as long as the propagation delay of the link towards it and is never
// lost; without, the path is a black hole (RFC 2923 s.2.1). The error says what is wrong with octets.
func (d *Dumbbell) SetMTU(octets int, report bool) error {
	for _, way := range [][2]*pipe{{d.forward, d.reverse}, {d.reverse, d.forward}} {
		var tell func(now mono.Time, k *link.Packet)
		if report {
			tell = func(now mono.Time, k *link.Packet) {
				d.w.reportTooBig(now, way[1], wire.TooBig(hop, &k.Wire, k.Size, octets))
			}
		}
		if err := way[0].link.SetMTU(octets, tell); err != nil {
			return err
		}
	}
	return nil
}

// reportTooBig sends e to the host at the end of back, if the packet came from one.
func (w *World) reportTooBig(now mono.Time, back *pipe, e wire.ICMPError) {
	w.At(now.Add(back.delay), func(now mono.Time) {
		if h, ok := back.find(e.Src.Addr()).(*Host); ok && (!w.Wire || w.codec.crossICMP(w, &e)) {
			h.deliverICMP(now, &e)
		}
	})
}

// deliverICMP takes a message and reacts at once.
func (h *Host) deliverICMP(now mono.Time, e *wire.ICMPError) {
	h.stack.InputICMP(now, e)
	h.handle.Wake(h.Step(now))
}

// crossICMP encodes e and decodes it again, and reports whether that worked. If not, it stops the world.
func (c *codec) crossICMP(w *World, e *wire.ICMPError) bool {
	var err error
	if c.buf, err = wire.AppendICMP(c.buf[:0], e); err == nil {
		err = wire.DecodeICMP(c.buf, e)
	}
	if err != nil {
		w.Stop(err)
	}
	return err == nil
}
