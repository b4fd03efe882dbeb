package cc

// WithoutFastConvergence switches RFC 9438 s.4.7 off in a CUBIC controller.
func WithoutFastConvergence(c Controller) { c.(*cubic).alone = true }

// What HighSpeed TCP's formulas give.
var (
	HSIncrease = hsIncrease
	HSDecrease = hsDecrease
	Ln         = ln
)
