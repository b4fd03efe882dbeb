package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
	"longhaul/trace"
)

// event returns the stack's one trace event with s's congestion state filled in; sinks copy what they keep.
func (c *Conn) event(now mono.Time, s *subconn, kind trace.Kind) *trace.Event {
	e := &c.stack.event
	*e = trace.Event{
		Time: now, Kind: kind, Flow: c.cfg.Flow, Sub: uint16(s.id),
		Window: s.out.Window, Ssthresh: s.out.Ssthresh, InFlight: s.outstanding(),
		PacingRate: c.pace.rate, RTT: c.rtt.latest, SRTT: c.rtt.srtt, Phase: s.out.Phase.String(),
	}
	return e
}

func (c *Conn) traceWindow(now mono.Time, s *subconn) {
	e := c.event(now, s, trace.Window)
	e.Bytes = s.share.acked
	c.cfg.Trace.Record(e)
}

func (c *Conn) traceSend(now mono.Time, s *subconn, g *segment) {
	e := c.event(now, s, trace.Send)
	e.Seq, e.Bytes = uint32(g.seq-c.snd.iss), int64(g.payload())
	if g.has(segRetrans) {
		e.Cause = "again"
	}
	c.cfg.Trace.Record(e)
}

func (c *Conn) traceLoss(now mono.Time, s *subconn, g *segment) {
	if c.cfg.Trace == nil {
		return
	}
	e := c.event(now, s, trace.Loss)
	e.Seq, e.Bytes = uint32(g.seq-c.snd.iss), g.bytes()
	c.cfg.Trace.Record(e)
}

func (c *Conn) traceEpisode(now mono.Time, s *subconn, kind cc.Kind) {
	if c.cfg.Trace == nil {
		return
	}
	e := c.event(now, s, trace.Episode)
	e.Cause = kind.String()
	c.cfg.Trace.Record(e)
}
