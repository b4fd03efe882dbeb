package cc

var hstcplpAlgorithm = Algorithm{
	Name:   "hstcplp",
	Title:  "HSTCP-LP",
	Source: "Kuzmanovic, Knightly and Cottrell, HSTCP-LP, PFLDnet 2004; RFC 3649, RFC 3742; what the abstract leaves open is as in TCP-LP",
	New:    func(p Params) Controller { return &hstcplp{highspeed: highspeed{window: newWindow(p)}} },
	Signal: ByOneWayDelay | ByLoss,
	Constants: "HighSpeed TCP's growth and cut on loss, TCP-LP's early indication: 1/2, then one segment within 3 RTT; " +
		"limited slow start of itself",
	LimitedSlowStart: true,
	Honours:          honoursAll,
}

// hstcplp grows as HighSpeed TCP into what others leave, and yields as TCP-LP does.
type hstcplp struct {
	highspeed
	early early
}

func (h *hstcplp) OnSent(s Sent) {
	if s.Idle > 0 {
		h.early.forget()
	}
	h.window.OnSent(s)
}

func (h *hstcplp) OnAck(a Ack) {
	h.early.observe(&a, h.mss)
	n := h.observe(&a)
	if a.State == Open && h.yield(&h.early, &a) {
		h.open(&a, n)
	}
}
