package sim

import (
	"net/netip"

	"longhaul/link"
)

// Dumbbell is a path with hosts at both ends: everything on the left shares the forward link, everything on the
// right shares the reverse link. A link's own delay and rate are the path's: hosts sit directly at its ends.
type Dumbbell struct {
	w                *World
	forward, reverse *pipe
	left, right      int // addresses given out
}

// NewDumbbell returns a path in w, with no hosts yet. Forward carries packets from left to right.
// The error is link.New's.
func NewDumbbell(w *World, forward, reverse link.Config) (*Dumbbell, error) {
	f, err := newPipe(w, forward)
	if err != nil {
		return nil, err
	}
	r, err := newPipe(w, reverse)
	if err != nil {
		return nil, err
	}
	return &Dumbbell{w: w, forward: f, reverse: r}, nil
}

// Left returns a new host on the left. The name picks the host's random stream and must be new to the world.
func (d *Dumbbell) Left(name string) (*Host, error) {
	return d.host(name, d.leftAddr(), d.forward, d.reverse)
}

// Right returns a new host on the right.
func (d *Dumbbell) Right(name string) (*Host, error) {
	return d.host(name, d.rightAddr(), d.reverse, d.forward)
}

// Forward returns the counters of the link from left to right.
func (d *Dumbbell) Forward() link.Stats { return d.forward.link.Stats() }

// Reverse returns the counters of the link from right to left.
func (d *Dumbbell) Reverse() link.Stats { return d.reverse.link.Stats() }

func (d *Dumbbell) host(name string, addr netip.Addr, out, in *pipe) (*Host, error) {
	h, err := newHost(d.w, name, addr, out)
	if err != nil {
		return nil, err
	}
	in.ports = append(in.ports, port{addr, h})
	return h, nil
}

func (d *Dumbbell) leftAddr() netip.Addr {
	d.left++
	return netip.AddrFrom4([4]byte{10, 1, byte(d.left >> 8), byte(d.left)})
}

func (d *Dumbbell) rightAddr() netip.Addr {
	d.right++
	return netip.AddrFrom4([4]byte{10, 2, byte(d.right >> 8), byte(d.right)})
}
