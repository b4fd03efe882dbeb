package cc

var scalableAlgorithm = Algorithm{
	Name:      "scalable",
	Title:     "Scalable TCP",
	Source:    "Kelly, Scalable TCP, CCR 33(2) 2003; RFC 3649 s.8",
	New:       func(p Params) Controller { return &scalable{newWindow(p)} },
	Signal:    ByLoss,
	Constants: "+0.01 segment for each acknowledged one, but at least Reno's; 7/8 on loss, 1/2 up to 16 segments",
	Honours:   honoursAll,
}

// The constants of Scalable TCP.
const (
	scalableIncrease = 100 // one segment in so many acknowledged ones
	scalableLegacy   = 16  // segments, up to which a cut halves
)

// scalable grows by a constant part of what is acknowledged and shrinks by a constant part, so that it regains a window in the same
// number of round trips whatever its size: ln(8/7)/ln(1.01), that is 13.4.
type scalable struct{ window }

func (s *scalable) OnAck(a Ack) {
	n := s.observe(&a)
	if a.State != Open {
		return
	}
	if n = s.slowStart(&a, n); n <= 0 || !a.CwndLimited {
		return
	}
	if s.cwnd <= scalableIncrease*s.mss { // 0.01 is less than Reno's 1/w here
		s.avoid(n)
		return
	}
	s.widen(float64(n) / scalableIncrease)
}

func (s *scalable) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		s.undo()
		return
	}
	b := s.base(&e)
	if b <= scalableLegacy*s.mss {
		s.cut(&e, b/2)
		return
	}
	s.cut(&e, b-b/8)
}
