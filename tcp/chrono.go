package tcp

import (
	"time"

	"longhaul/mono"
)

// limit is what keeps the sender from sending.
type limit uint8

const (
	limitNone limit = iota
	limitCongestion
	limitReceiver
	limitApplication
)

// chrono adds up how long each limit held.
type chrono struct {
	now   limit
	since mono.Time
	total Limited

	busySince mono.Time // data is waiting; 0 if none is
	busy      time.Duration
}

// set records that l holds from now on, and adds up what held until now.
func (k *chrono) set(now mono.Time, l limit) {
	k.total = k.until(now)
	k.now, k.since = l, now
}

// until returns what each limit has held in all, up to now.
func (k *chrono) until(now mono.Time) Limited {
	total, d := k.total, now.Sub(k.since)
	switch k.now {
	case limitCongestion:
		total.Congestion += d
	case limitReceiver:
		total.Receiver += d
	case limitApplication:
		total.Application += d
	}
	return total
}

// begin notes that data is waiting to be sent or acknowledged, rest that there is none any more.
func (k *chrono) begin(now mono.Time) {
	if k.busySince == 0 {
		k.busySince = now
	}
}

func (k *chrono) rest(now mono.Time) {
	k.busy, k.busySince = k.busyUntil(now), 0
}

// busyUntil returns for how long data has been waiting in all, up to now.
func (k *chrono) busyUntil(now mono.Time) time.Duration {
	if k.busySince == 0 {
		return k.busy
	}
	return k.busy + now.Sub(k.busySince)
}

// addTimeout counts time lost to waiting for the retransmission timer.
func (k *chrono) addTimeout(d time.Duration) { k.total.Timeout += d }
