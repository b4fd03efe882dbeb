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
}

// set records that l holds from now on, and adds up what held until now.
func (k *chrono) set(now mono.Time, l limit) {
	d := now.Sub(k.since)
	switch k.now {
	case limitCongestion:
		k.total.Congestion += d
	case limitReceiver:
		k.total.Receiver += d
	case limitApplication:
		k.total.Application += d
	}
	k.now, k.since = l, now
}

// addTimeout counts time lost to waiting for the retransmission timer.
func (k *chrono) addTimeout(d time.Duration) { k.total.Timeout += d }
