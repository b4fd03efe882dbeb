package cc

// WithoutFastConvergence switches RFC 9438 s.4.7 off in a CUBIC controller.
func WithoutFastConvergence(c Controller) { c.(*cubic).alone = true }

// BBR is the state of BBR v1.
type BBR = bbr

// Bandwidth returns a model's estimate in octets per second.
func Bandwidth(c Controller) int64 {
	return c.(interface{ bandwidth() int64 }).bandwidth()
}

// What HighSpeed TCP's formulas give.
var (
	HSIncrease = hsIncrease
	HSDecrease = hsDecrease
	Ln         = ln
)

// What H-TCP's and Hybla's formulas give.
var (
	HTCPIncrease = htcpIncrease
	HyblaRate    = hyblaRate
)

// What Illinois' curves give: the increase and the decrease at a queueing delay, where the longest is dm.
var (
	IllinoisAlpha = illAlpha
	IllinoisBeta  = illBeta
)
