package link

import "time"

// Stats are a link's counters since it was made, up to the last Send or Poll: packets, unless the name or the comment says
// otherwise. Offered + Duplicated = Delivered + QueueDrops + TooBig + Lost + OutageDrops + Link.Held.
type Stats struct {
	Offered, OfferedOctets     int64
	Delivered, DeliveredOctets int64 // handed out by Poll, damaged ones included
	Duplicated                 int64 // extra copies made
	QueueDrops                 int64 // no room to wait
	TooBig                     int64 // larger than the MTU
	Lost                       int64 // taken by a loss model
	Corrupted                  int64 // delivered marked Corrupt
	OutageDrops                int64

	Busy time.Duration // spent transmitting; each transmission is counted whole when it starts

	// Waited is the sum over transmitted packets of the time from their arrival to the start of their transmission. Divided by a span
	// of time it is the mean number of packets in the waiting room (Little's law), divided by packets their mean wait.
	Waited     time.Duration
	PeakQueue  int // most packets ever in the waiting room behind a busy transmitter
	PeakOctets int // most octets, likewise
}
