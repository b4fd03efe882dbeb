// Package sim is virtual time: an event loop, named random streams, hosts that own a TCP stack, and the dumbbell
// path between them.
//
// A World is single-threaded and owns everything in it. Whatever acts in time is an Actor: Step(now) does what is
// due and says when to come back. Actors wait in a heap of one entry each, ordered by time and, at one
// instant, by the order in which they were put there; Run takes the earliest until the time given. There is no
// tick, so an idle day costs nothing.
//
//	w := sim.New(seed)
//	d, err := sim.NewDumbbell(w, forward, reverse)
//	a, err := d.Left("a")
//	b, err := d.Right("b")
//	err = b.Listen(5001, 1, cfg, func(c *tcp.Conn) sim.App { return sink })
//	c, err := a.Dial(b.AddrPort(5001), cfg, source)
//	err = w.Run(mono.Time(time.Minute))
//
// All randomness comes from World.Rand(name), whose stream depends on the seed and the name alone: a new consumer
// shifts nobody else's numbers, and two runs with one seed are equal event for event (World.TraceHash).
//
// Dumbbell.SetMTU narrows a path, with ICMP messages to the senders or as a black hole. Such messages are in no capture and not
// in the trace hash.
//
// Packets belong to the world's pool while they are on a link; Deliver lends one to a node until it returns.
//
// The package reads no clock, starts no goroutine and opens no file. It knows nothing of sockets or devices:
// packages host and emulate drive the same engine and the same links in real time.
package sim
