package cc

var bicAlgorithm = Algorithm{
	Name:   "bic",
	Title:  "BIC",
	Source: "Xu, Harfoush and Rhee, Binary increase congestion control, INFOCOM 2004",
	New:    func(p Params) Controller { return &bic{window: newWindow(p), v: &bicPaper} },
	Signal: ByLoss, Constants: "half the way to the last maximum a round trip, 0.01 to 32 segments; 7/8 on loss, Reno up to 14 segments",
	Honours: honoursAll,
}

var bicLinuxAlgorithm = Algorithm{
	Name:   "bic.linux",
	Title:  "BIC as in Linux",
	Source: "Xu, Harfoush and Rhee, INFOCOM 2004; Linux 5.10",
	New:    func(p Params) Controller { return &bic{window: newWindow(p), v: &bicLinux} },
	Signal: ByLoss, Constants: "a quarter of the way to the last maximum a round trip, at most 16 segments, 0.2 near it; 0.8 on loss, Reno up to 14 segments",
	Honours: honoursAll,
}

// bicLow is the window in segments up to which BIC is Reno.
const bicLow = 14

// bicVariant is what the two differ in.
type bicVariant struct {
	keep float64 // the part of the window that a cut leaves
	step func(w, wmax float64) float64
}

var (
	bicPaper = bicVariant{keep: 7.0 / 8, step: bicStep}
	bicLinux = bicVariant{keep: 819.0 / 1024, step: bicLinuxStep}
)

// bic searches for the window that the path takes as one searches a sorted list: half way between the present window, which has
// not lost, and the one that has. Beyond that one it looks for a new maximum in steps that double.
type bic struct {
	window
	v      *bicVariant
	wmax   float64 // segments: the window that was lost at; 0 if unknown
	inc    float64 // segments by which the window grows in this round; 0 if it is to be found
	before float64 // wmax that an undo restores
}

func (b *bic) OnAck(a Ack) {
	n := b.observe(&a)
	if b.turned {
		b.inc = 0
	}
	if a.State != Open {
		return
	}
	if n = b.slowStart(&a, n); n <= 0 || !a.CwndLimited {
		return
	}
	if b.cwnd <= bicLow*b.mss {
		b.avoid(n)
		return
	}
	if b.inc == 0 {
		b.inc = b.v.step(b.segments(b.cwnd), b.wmax)
	}
	b.grow(n, b.inc)
}

// bicStep returns the segments by which a window of w segments grows in a round trip.
func bicStep(w, wmax float64) float64 {
	const least, most = 0.01, 32
	switch {
	case wmax == 0:
		return most
	case w < wmax:
		return min(max((wmax-w)/2, least), most)
	}
	return min(max(w-wmax, least), most)
}

// bicLinuxStep is bicStep as Linux has it: more slowly near the maximum, and by 5 % at least where that is unknown.
func bicLinuxStep(w, wmax float64) float64 {
	const most, divisor, slow = 16, 4, 0.2
	switch {
	case wmax == 0 && w >= most*(divisor-1):
		return max(most, w/20)
	case w < wmax:
		if d := (wmax - w) / divisor; d > 1 {
			return min(d, most)
		}
		return slow
	case w < wmax+divisor:
		return slow
	case w < wmax+most*(divisor-1):
		return (w - wmax) / (divisor - 1)
	}
	return most
}

func (b *bic) OnCongestion(e Congestion) {
	if e.Kind == Undo {
		if b.undo() {
			b.wmax, b.inc = b.before, 0
		}
		return
	}
	base := b.base(&e)
	w := b.segments(base)
	after := int64(b.v.keep * float64(base))
	if base <= bicLow*b.mss {
		after = base / 2
	}
	if b.cut(&e, after) {
		b.before = b.wmax
	}
	switch {
	case e.Kind == Timeout:
		b.wmax = 0
	case w < b.wmax: // fast convergence: others have joined, leave them room
		b.wmax = w * (1 + b.v.keep) / 2
	default:
		b.wmax = w
	}
	b.inc = 0
}
