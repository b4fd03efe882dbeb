package lab

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// TestAgainstNS3: goodput in kbit/s at 1.544 Mbit/s, 580 ms and a queue of 74 packets over 600 s, median of five
// seeds, within 15 % of what ns-3 3.37's TcpLinuxReno and TcpCubic do there. Its RTO floor is 1 s; the losses are
// those of 1500-octet packets at a bit error rate of 0, 1e-7 and 1e-6, in the data direction. Three rows differ for
// a reason, and are held to the arithmetic instead: with a 64 KiB buffer ns-3 has only 37 segments in flight where
// 45 fit, and for Reno at 1e-7 it goes 13 % above the response function, whose 745 kbit/s a longer mean of ours
// (712) meets within 5 %.
func TestAgainstNS3(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("ten hours of virtual time")
	}
	const k = 1 << 10
	const windowLaw = 45 * segment * 8 / 0.588
	for _, c := range []struct {
		stack  string
		window int
		loss   float64
		ns3    float64
		want   float64 // instead of ns-3's, with a reason above; 0 means ns-3's
	}{
		{"reno", 64 * k, 0, 735, windowLaw / 1000},
		{"reno", 64 * k, 1.1993e-3, 664, 0},
		{"reno", 64 * k, 1.1928e-2, 230, 0},
		{"reno", 156 * k, 0, 1478, 0},
		{"reno", 156 * k, 1.1993e-3, 842, 745},
		{"reno", 156 * k, 1.1928e-2, 229, 0},
		{"cubic", 64 * k, 0, 735, windowLaw / 1000},
		{"cubic", 64 * k, 1.1993e-3, 714, 0},
		{"cubic", 64 * k, 1.1928e-2, 434, 0},
		{"cubic", 156 * k, 0, 1478, 0},
		{"cubic", 156 * k, 1.1993e-3, 1280, 0},
		{"cubic", 156 * k, 1.1928e-2, 480, 0},
	} {
		t.Run(fmt.Sprintf("%s/%dKiB/%v", c.stack, c.window/k, c.loss), func(t *testing.T) {
			var got []float64
			for seed := range uint64(5) {
				p := Path{Rate: 1.544e6, RTT: 580 * time.Millisecond, Queue: QueueSize{Packets: 74}, Loss: c.loss}
				f := alone(t, c.stack, p, 600*time.Second)
				f.Seed = seed
				f.Flows[0].Window = c.window
				f.Flows[0].Stack.Config.Timers.RTOMin = time.Second
				g, _ := goodputAfter(t, f, 0)
				got = append(got, g/1000)
			}
			slices.Sort(got)
			want := c.ns3
			if c.want > 0 {
				want = c.want
			}
			t.Logf("median %.0f kbit/s, ns-3 %.0f", got[2], c.ns3)
			if math.Abs(got[2]/want-1) > 0.15 {
				t.Errorf("median %.0f kbit/s of %.0f, want %.0f, ratio %.2f", got[2], got, want, got[2]/want)
			}
		})
	}
}
