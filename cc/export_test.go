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

// UDTIncrease is by how much UDT's rate grows, in octets a tick.
var UDTIncrease = udtIncrease

// BBR3 tells of a BBRv3 controller: the long-term bound in octets, and whether it probes for bandwidth upwards.
func BBR3(c Controller) (long int64, up bool) {
	b := c.(*bbr3)
	return b.bounds.long, b.phase == ProbeBandwidth && b.step == stepUp
}

// BBR3Short tells of the short-term bounds: octets in flight and octets per second.
func BBR3Short(c Controller) (flight, rate int64) {
	b := c.(*bbr3)
	return b.bounds.short, b.bounds.shortRate
}
