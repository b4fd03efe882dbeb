package link

import (
	"fmt"

	"longhaul/mono"
)

// Script loses chosen packets. It counts, from 1, the packets of at least MinSize octets, link framing included, whose
// transmission ends at or after From; others pass uncounted, so that a script can speak of data segments only, and of what
// happens from some moment on. A counted packet is lost if Every, Drop or Times says so.
type Script struct {
	MinSize int
	From    mono.Time
	Every   int64    // lose each Every-th counted packet; 0 is none
	Drop    []Window // lose the counted packets with these ordinals; ascending
	Times   []Outage // lose the counted packets of these times; ascending

	count    int64
	drop     int // windows and times that are over
	over     int
	periodic bool
}

// Window is a range of ordinals, First and Last included.
type Window struct{ First, Last int64 }

// Periodic loses each n-th packet of at least minSize octets, link framing included. A minSize above that of an ACK without
// data makes it each n-th data packet.
func Periodic(n int64, minSize int) LossModel {
	return &Script{Every: n, MinSize: minSize, periodic: true}
}

func (s *Script) check() error {
	if s.Every < 0 || s.periodic && s.Every == 0 {
		return fmt.Errorf("link: periodic loss of each %d-th packet; give a period of at least 1", s.Every)
	}
	for i, w := range s.Drop {
		if w.First < 1 || w.Last < w.First || i > 0 && w.First <= s.Drop[i-1].Last {
			return fmt.Errorf("link: window %d of a loss script, packets %d to %d, is empty or not behind the one before; ordinals begin at 1", i+1, w.First, w.Last)
		}
	}
	for i, o := range s.Times {
		if o.To < o.From || i > 0 && o.From < s.Times[i-1].To {
			return fmt.Errorf("link: time %d of a loss script, %v to %v, ends before it begins or is not behind the one before", i+1, o.From, o.To)
		}
	}
	return nil
}

// Lost reports whether the script names the packet.
func (s *Script) Lost(now mono.Time, octets int) bool {
	if octets < s.MinSize || now < s.From {
		return false
	}
	s.count++
	for s.drop < len(s.Drop) && s.Drop[s.drop].Last < s.count {
		s.drop++
	}
	for s.over < len(s.Times) && s.Times[s.over].To <= now {
		s.over++
	}
	return s.drop < len(s.Drop) && s.Drop[s.drop].First <= s.count ||
		s.over < len(s.Times) && s.Times[s.over].From <= now ||
		s.Every > 0 && s.count%s.Every == 0
}
