package tcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"longhaul/wire"
)

// prrScript runs PRR on the duplicate ACKs that follow the loss of some of the first segments of a flight, and
// writes what each ACK lets out: R for a retransmission, N for new data. The first two duplicates are limited
// transmit's, the third one begins the episode.
func prrScript(window, ssthresh, lost int) (script string, final int) {
	var r prr
	var out []string
	flight := window // segments in flight; SACKed and lost ones are out
	waiting := 0     // marked lost, not sent again
	for ack := 1; ack <= window-lost; ack++ {
		flight--
		switch {
		case ack < dupThresh:
			flight++
			out = append(out, fmt.Sprintf("%d:N", ack))
			continue
		case ack == dupThresh:
			flight -= lost
			waiting = lost
			// RecoverFS of RFC 9937: in flight at the start, less what the earlier ACKs SACKed.
			r = newPRR(int64(ssthresh), int64(flight+lost+1))
		}
		r.onAck(1, int64(flight), 1, false)
		sent := ""
		for int64(flight) < r.cwnd {
			flight++
			r.out++
			if waiting > 0 {
				waiting--
				sent += "R"
			} else {
				sent += "N"
			}
		}
		if sent != "" {
			out = append(out, fmt.Sprintf("%d:%s", ack, sent))
		}
	}
	return strings.Join(out, " "), flight
}

// TestPRRExamples checks the worked examples of RFC 6937 s.4 under RFC 9937's rules: one loss of twenty with the
// window halved, the same with CUBIC's factor, and fifteen of twenty lost.
func TestPRRExamples(t *testing.T) {
	for _, c := range []struct {
		window, ssthresh, lost int
		script                 string
		final                  int
	}{
		{20, 10, 1, "1:N 2:N 3:R 5:N 7:N 9:N 11:N 13:N 15:N 17:N", 10},
		{20, 10, 15, "1:N 2:N 3:R 4:R 5:R", 5},
	} {
		script, final := prrScript(c.window, c.ssthresh, c.lost)
		t.Logf("%d of %d lost, ssthresh %d: %s, final flight %d", c.lost, c.window, c.ssthresh, script, final)
		if script != c.script || final != c.final {
			t.Errorf("%d of %d lost, ssthresh %d: %s and %d in flight, want %s and %d", c.lost, c.window, c.ssthresh, script, final, c.script, c.final)
		}
	}
	if _, final := prrScript(20, 14, 1); final != 14 {
		t.Errorf("one of 20 lost, ssthresh 14: %d in flight at the end, want 14", final)
	}
}

// TestPRRNeverSendsMoreThanDelivered: without the safe-ACK allowance PRR keeps packet conservation
// (RFC 9937 s.6.2), whatever the pattern.
func TestPRRNeverSendsMoreThanDelivered(t *testing.T) {
	for lost := 1; lost < 40; lost++ {
		for ssthresh := 2; ssthresh <= 40; ssthresh++ {
			r := newPRR(int64(ssthresh), 40)
			flight := 40 - lost
			sent := 0
			for ack := 1; ack <= 40-lost; ack++ {
				flight--
				r.onAck(1, int64(flight), 1, false)
				for int64(flight) < r.cwnd {
					flight++
					r.out++
					sent++
				}
				if sent > max(ack, 1) {
					t.Fatalf("%d lost, ssthresh %d: %d segments sent after %d delivered", lost, ssthresh, sent, ack)
				}
			}
		}
	}
}

// TestPRRWithoutSACK: a stack of today whose peer knows no SACK reduces in proportion too; each duplicate ACK stands for a segment
// delivered (RFC 9937 s.6.1). Of 20 segments the first is lost, and the window falls to 10: every second duplicate lets one out.
func TestPRRWithoutSACK(t *testing.T) {
	w, mss := flightOf(t, RACK, 20, SACK)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c := w.ends[0]
	c.WriteSynthetic(60 * mss)
	w.run(100 * time.Millisecond)
	w.inject(0, wire.ACK, 0, 0, nil) // no duplicate: it has a window of its own
	sent := len(w.data(0))
	for dup := 1; dup <= 18; dup++ {
		w.inject(0, wire.ACK, 0, 0, nil)
		w.run(0)
		got := len(w.data(0)) - sent
		want := dup // limited transmit (RFC 3042)
		if dup >= dupThresh {
			want = 2 + (dup-2+1)/2 // RecoverFS is 20 here: 22 outstanding, less 3, and this one
		}
		if got != want {
			t.Errorf("%d segments after %d duplicate ACKs, want %d", got, dup, want)
		}
	}
	w.inject(0, wire.ACK, 0, c.flight(), nil)
	if in := c.Info(); in.Window != int64(10*mss) || c.subs[0].ep.state != epOpen || c.subs[0].window() != in.Window {
		t.Errorf("after recovery a window of %d, in force %d, want %d", in.Window, c.subs[0].window(), 10*mss)
	}
}
