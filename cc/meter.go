package cc

import (
	"time"

	"longhaul/mono"
)

// meter measures how fast data arrives, once a round trip: what was delivered in it over the time it took. A round in which the
// application left the window unused, or that idle time fell into, says nothing and is left out.
type meter struct {
	rate   float64   // octets per second, smoothed; 0 before the first sample
	since  mono.Time // the present round began
	octets int64     // delivered in it
	slack  bool      // in it the application had nothing to send
	begun  bool
}

// idle notes that nothing was in flight, so that the present round measures nothing.
func (m *meter) idle() { m.begun = false }

// observe takes in an ACK, which may begin a round. Keep is the weight of what is known against a new sample; the first sample
// counts whole.
func (m *meter) observe(a *Ack, turned bool, keep float64) {
	if turned || !m.begun {
		if took := a.Now.Sub(m.since); m.begun && !m.slack && took > 0 && m.octets > 0 {
			sample := float64(m.octets) / seconds(took)
			if m.rate == 0 {
				m.rate = sample
			} else {
				m.rate = float64(keep*m.rate) + float64((1-keep)*sample)
			}
		}
		m.since, m.octets, m.slack, m.begun = a.Now, 0, false, true
	}
	m.octets = volume(m.octets + volume(a.Delivered))
	m.slack = m.slack || a.AppLimited
}

// product returns what arrives in d, in octets, at most MaxWindow.
func (m *meter) product(d time.Duration) int64 {
	return int64(min(float64(m.rate*seconds(d)), float64(MaxWindow)))
}
