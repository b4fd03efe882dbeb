package link

// Discipline is a kind of queue.
type Discipline struct {
	Name, Title string
	// New returns a queue limited to that many packets and octets; 0 is no limit of that kind.
	New func(packets, octets int) Queue
}

// Queues lists the disciplines. A new one is one file and one line here.
var Queues = []Discipline{
	{"droptail", "drop-tail", func(packets, octets int) Queue { return DropTail(packets, octets) }},
}
