package tcp

import (
	"longhaul/cc"
	"longhaul/mono"
	"longhaul/wire"
)

// fackDetector is forward acknowledgement (Mathis and Mahdavi, Forward Acknowledgement, SIGCOMM 1996): once enough
// data lies beyond a hole, everything that left before the newest data known to have arrived, and has not arrived
// itself, is lost. What is then in flight is snd.nxt - snd.fack and what was sent again, so that pipe is the paper's awnd.
type fackDetector struct {
	dups   int       // ACKs in a row that brought new SACK information
	newest mono.Time // latest transmission among the delivered segments that were never sent again
}

// onAck goes by the time of transmission. Of segments that were sent once that is the order of their sequence numbers;
// and a retransmission has been lost when something sent for the first time after it, so from beyond what was snd.nxt
// then, has arrived.
func (d *fackDetector) onAck(c *Conn, now mono.Time) {
	w := c.work
	if w.advanced {
		d.dups = 0
	}
	if w.newSACK {
		d.dups++
	}
	if w.sampled {
		d.newest = max(d.newest, w.newest)
	}
	enough := c.snd.fack.Sub(c.snd.una) > dupThresh*c.snd.mss || d.dups >= dupThresh && c.dupACKsCount()
	if !enough && !c.recovering() {
		return
	}
	for l := &c.board.order; l.count > 0 && c.board.at(l.first).sentAt < d.newest; {
		c.markLost(now, l.first, false)
	}
}

func (d *fackDetector) onTimeout(c *Conn, now mono.Time) {
	d.dups = 0
	c.markAllLost(now, true)
}

func (d *fackDetector) forgive(reports int) { d.dups = -reports }

// overdamp returns the window in octets that s had when it sent what is now found lost, if that is known to be less than
// the window now, else 0: slow start has since multiplied it (Mathis and Mahdavi's overdamping).
func (c *Conn) overdamp(s *subconn) int64 {
	if s.out.Phase != cc.SlowStart {
		return 0
	}
	return s.out.Window / int64(1+c.cfg.SlowStart)
}

// rampdown spreads a reduction of the window over the round trip that follows it (Mathis and Mahdavi's rampdown): at
// first the window is above its target by the reduction's share of what is in flight, and with every octet by which
// snd.fack advances by that share of an octet less. When the window is halved, one segment leaves for every two ACKs.
type rampdown struct {
	from int64    // window before the reduction, octets; 0 when there is none
	end  wire.Seq // snd.nxt at the reduction, where the rampdown ends
	trim int64    // octets above the target now: the paper's wintrim
}

// onAck sets the trim for a window of target octets. The paper starts from snd.nxt - snd.fack less one segment because
// it lets a segment out whenever awnd is less than the window; here the segment must fit, which makes up for that.
func (r *rampdown) onAck(target int64, fack wire.Seq) {
	r.trim = 0
	if r.from > target {
		r.trim = int64(max(r.end.Sub(fack), 0)) * (r.from - target) / r.from
	}
}
