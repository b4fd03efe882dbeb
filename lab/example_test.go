package lab_test

import (
	"fmt"
	"time"

	"longhaul/lab"
	"longhaul/stacks"
)

// Which window fills 10 Mbit/s over 500 ms?
func Example() {
	cubic, err := stacks.Parse("cubic")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, window := range []int{64 << 10, 2 << 20} {
		r, err := lab.Compare(lab.Scenario{
			Path:     lab.Path{Rate: 10e6, RTT: 500 * time.Millisecond},
			Stacks:   []stacks.Stack{cubic},
			Window:   window,
			Duration: 2 * time.Minute,
		}, 1, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d KiB: %.1f Mbit/s, bound by the %s\n", window>>10, r.Results[0].SteadyBps/1e6, r.Results[0].BoundBy)
	}
	// Output:
	// 64 KiB: 1.0 Mbit/s, bound by the window
	// 2048 KiB: 9.6 Mbit/s, bound by the link
}
