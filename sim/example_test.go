package sim_test

import (
	"fmt"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/tcp"
)

// A transfer of one megabyte over 10 Mbit/s and 100 ms.
func Example() {
	w := sim.New(1)
	direction := link.Config{Rate: 10e6, Delay: 50 * time.Millisecond}
	d, err := sim.NewDumbbell(w, direction, direction)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := d.Left("a")
	b, _ := d.Right("b")
	var sink sim.Sink
	_ = b.Listen(80, 1, tcp.Config{}, func(*tcp.Conn) sim.App { return &sink })
	_, _ = a.Dial(b.AddrPort(80), tcp.Config{}, &sim.Source{Total: 1e6})
	if err := w.Run(mono.Time(time.Minute)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sink.Total, "octets in", time.Duration(sink.Last).Round(100*time.Millisecond))
	// Output: 1000000 octets in 1.2s
}
