package cc

import "time"

// roundSamples are the RTT samples that a round must have for a controller to go by it.
const roundSamples = 3

// delays keeps the round-trip times of a connection, round by round.
type delays struct {
	base  time.Duration // smallest of all, the path without a queue; 0 before the first
	least time.Duration // smallest of the last whole round; 0 if that had too few samples
	mean  time.Duration // of the last whole round, likewise
	cur   struct {      // the present round
		least, sum time.Duration
		n          int64
	}
}

// observe takes in an ACK, which may begin a round, and reports whether one has ended that had samples enough.
func (d *delays) observe(a *Ack, turned bool) (over bool) {
	if turned {
		d.least, d.mean = 0, 0
		if over = d.cur.n >= roundSamples; over {
			d.least, d.mean = d.cur.least, d.cur.sum/time.Duration(d.cur.n)
		}
		d.cur.n = 0
	}
	if a.RTT <= 0 {
		return over
	}
	if d.base == 0 || a.RTT < d.base {
		d.base = a.RTT
	}
	if d.cur.n == 0 {
		d.cur.least, d.cur.sum = a.RTT, 0
	}
	if d.cur.sum < noRTT-a.RTT {
		d.cur.least, d.cur.sum = min(d.cur.least, a.RTT), d.cur.sum+a.RTT
		d.cur.n++
	}
	return over
}

// forget drops the present round: idle time has emptied the queue.
func (d *delays) forget() { d.cur.n = 0 }

// backlog returns the segments that a window of w segments keeps in the queue, by the smallest RTT of the last round: the rate w/RTT
// times the delay beyond the path's. It is 0 if that round had too few samples.
func (d *delays) backlog(w float64) float64 {
	if d.least == 0 {
		return 0
	}
	return w * float64(d.least-d.base) / float64(d.least)
}
