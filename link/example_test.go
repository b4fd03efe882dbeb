package link_test

import (
	"fmt"
	"time"

	"longhaul/link"
	"longhaul/mono"
)

// Five packets of 1500 octets go at once into a satellite hop of 1.544 Mbit/s whose queue holds three: one is being
// transmitted, three wait, one is dropped.
func Example() {
	var pool link.Pool
	l, err := link.New(link.Config{Rate: 1_544_000, Delay: 270 * time.Millisecond, Queue: link.DropTail(3, 0)}, &pool)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 5 {
		p := pool.Get()
		p.Size, p.Corrupt = 1500, false
		l.Send(0, p)
	}
	for now := mono.Time(0); now != mono.Never; {
		p, next := l.Poll(now)
		if p != nil {
			fmt.Println(p.Size, "octets at", now)
			pool.Put(p)
		}
		now = next
	}
	fmt.Println("dropped:", l.Stats().QueueDrops)
	// Output:
	// 1500 octets at 277.77202ms
	// 1500 octets at 285.544041ms
	// 1500 octets at 293.316062ms
	// 1500 octets at 301.088082ms
	// dropped: 1
}
