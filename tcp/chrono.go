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
	k.total.add(k.now, now.Sub(k.since))
	k.now, k.since = l, now
}

// until returns what each limit has held in all, up to now.
func (k *chrono) until(now mono.Time) Limited {
	total := k.total
	total.add(k.now, now.Sub(k.since))
	return total
}

// add notes that l has held for d more.
func (t *Limited) add(l limit, d time.Duration) {
	switch l {
	case limitCongestion:
		t.Congestion += d
	case limitReceiver:
		t.Receiver += d
	case limitApplication:
		t.Application += d
	}
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
