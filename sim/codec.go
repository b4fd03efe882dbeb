package sim

import (
	"fmt"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/wire"
)

// codec is wire mode's encoder and decoder.
type codec struct {
	buf        []byte
	flipped    []byte
	packet     wire.Packet
	undetected int64
}

// cross encodes k and decodes it again and returns the decoded packet, which lives until the next call. A payload
// that was only a length is only a length again, so that both modes run the same code behind it. For a damaged
// packet it returns nil, after checking that the decoder rejects the damage. A packet that the codec cannot carry
// stops the world.
func (c *codec) cross(w *World, k *link.Packet) *wire.Packet {
	var err error
	c.buf, err = wire.AppendPacket(c.buf[:0], &k.Wire, w.Encoding)
	if err == nil && len(c.buf) != k.Size {
		err = fmt.Errorf("encoded as %d octets, sent as %d", len(c.buf), k.Size)
	}
	if err != nil {
		w.Stop(fmt.Errorf("sim: wire mode: %w", err))
		return nil
	}
	if k.Corrupt {
		c.damage(w)
		return nil
	}
	if err := wire.Decode(c.buf, &c.packet, w.Encoding); err != nil {
		w.Stop(fmt.Errorf("sim: wire mode: a packet that was just encoded does not decode: %w", err))
		return nil
	}
	if len(k.Wire.Payload) == 0 {
		c.packet.Payload = nil
	}
	return &c.packet
}

// damage flips one bit of the encoded packet, decodes it, and counts it if no checksum noticed. The Internet
// checksums of an IPv4 packet catch every single flip, short of one that turns a UDP checksum into 0, which means
// none (RFC 768).
func (c *codec) damage(w *World) {
	bit := int(w.now % mono.Time(8*len(c.buf)))
	c.flipped = append(c.flipped[:0], c.buf...)
	c.flipped[bit/8] ^= 1 << (bit % 8)
	if wire.Decode(c.flipped, &c.packet, w.Encoding) == nil {
		c.undetected++
	}
}
