package cc_test

import (
	"fmt"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

// A controller under a toy driver: three round trips of slow start, a loss, and three round trips after it.
func Example() {
	reno, _ := cc.Find("reno")
	c := reno.New(cc.Params{MSS: 1000, Paced: true})
	rtt := 100 * time.Millisecond
	now := mono.Time(0)
	trip := func(round uint64) {
		now = now.Add(rtt)
		w := c.Output().Window
		c.OnAck(cc.Ack{Now: now, Acked: w, Delivered: w, RTT: rtt, SRTT: rtt, MinRTT: rtt, PriorFlight: w, Round: round, CwndLimited: true})
		fmt.Println(c.Output().Window, c.Output().Phase)
	}
	for round := range uint64(3) {
		trip(round)
	}
	c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: now, InFlight: c.Output().Window})
	for round := range uint64(3) {
		trip(3 + round)
	}
	// Output:
	// 20000 slow start
	// 40000 slow start
	// 80000 slow start
	// 41000 congestion avoidance
	// 42000 congestion avoidance
	// 43000 congestion avoidance
}
