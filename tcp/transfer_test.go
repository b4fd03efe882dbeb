package tcp

import (
	"testing"
	"time"
)

// TestTransfer moves a megabyte with every recovery over a clean path and over one that loses single segments,
// bursts and a retransmission.
func TestTransfer(t *testing.T) {
	const mss = 1448
	losses := map[string][]int{
		"clean":               nil,
		"one":                 {20 * mss},
		"three":               {20 * mss, 24 * mss, 28 * mss},
		"burst":               {20 * mss, 21 * mss, 22 * mss, 23 * mss, 24 * mss},
		"lost retransmission": {20 * mss, 20 * mss},
		"first":               {0},
		"last":                {690 * mss},
	}
	for _, r := range []Recovery{RACK, SACK6675, NewReno, DupACK, FACK} {
		for name, l := range losses {
			w := newPair(t, 50*time.Millisecond)
			w.connect(reno(r), Config{})
			w.filter = w.lose(l...)
			end := w.transfer(1e6, time.Minute)
			in := w.ends[0].Info()
			t.Logf("recovery %d, %s: %v, %d retransmissions, %d timeouts, %d fast", r, name, end, in.Sent.Retransmissions, in.Sent.Timeouts, in.Sent.FastRetransmits)
			if in.Sent.Spurious != 0 {
				t.Errorf("recovery %d, %s: %d spurious", r, name, in.Sent.Spurious)
			}
		}
	}
}
