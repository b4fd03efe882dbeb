package lab

import (
	"testing"
	"time"
)

// TestSequence: the record of a transfer has every segment with its sub-connection, those sent again twice, and ACKs that end with the stream.
func TestSequence(t *testing.T) {
	c := alone(t, "reno:nack/4", Path{Rate: 10e6, RTT: 50 * time.Millisecond, Loss: 0.03}, time.Minute)
	c.Flows[0].Bytes = 400_000
	c.Sequence = true
	r, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	subs, again, acked, last := map[int]int{}, 0.0, int64(0), 0.0
	sent := map[int64]int{}
	for _, p := range r[0].Sequence {
		if p.Time < last {
			t.Fatalf("%v after %v s", p.Time, last)
		}
		last = p.Time
		switch {
		case p.ACK:
			if p.Octet < acked {
				t.Errorf("acknowledged %d after %d", p.Octet, acked)
			}
			acked = p.Octet
		default:
			subs[p.Sub]++
			sent[p.Octet]++
			if p.Again {
				again++
			}
		}
	}
	if len(subs) != 4 || again != r[0].Retransmitted || acked < 400_000 || acked > 400_001 {
		t.Errorf("sub-connections %v, %v sent again of %v, acknowledged %d", subs, again, r[0].Retransmitted, acked)
	}
	for octet := int64(0); octet < 400_000; octet += 1448 {
		if sent[octet] == 0 {
			t.Errorf("nothing was sent at %d", octet)
		}
	}
}
