package link

import "math/rand/v2"

// Discipline is a kind of queue.
type Discipline struct {
	Name, Title string
	// New returns a queue limited to that many packets and octets; 0 is no limit of that kind. Rng is a source of its own, for a
	// discipline that needs one.
	New func(packets, octets int, rng *rand.Rand) Queue
}

// Queues lists the disciplines. A new one is one file and one line here.
var Queues = []Discipline{
	{"droptail", "drop-tail", func(packets, octets int, _ *rand.Rand) Queue { return DropTail(packets, octets) }},
	{"red", "random early detection, gentle (Floyd and Jacobson 1993)", func(packets, octets int, rng *rand.Rand) Queue { return RED(packets, octets, rng) }},
}
