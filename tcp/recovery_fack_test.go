package tcp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fackFlight connects with FACK, segments of 1000 octets and a window of n of them, and sends; the segments listed as
// lost are, as often as they are listed. Ssthresh is in segments, 0 is infinite. The round trip is 100 ms.
func fackFlight(t *testing.T, n, ssthresh int, lost ...int) *pair {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(FACK)
	cfg.MSS, cfg.InitialWindow = 1012, n
	cfg.InitialSsthresh = ssthresh * 1000
	w.connect(cfg, Config{Disable: DelayedACK})
	c := w.ends[0]
	if c.snd.mss != 1000 {
		t.Fatalf("segments of %d octets", c.snd.mss)
	}
	for i := range lost {
		lost[i] *= 1000
	}
	w.filter = w.lose(lost...)
	w.apps = func() { w.ends[1].Discard(1 << 30) }
	c.WriteSynthetic(300_000)
	return w
}

// until runs until s's recovery is in the given state.
func (w *pair) until(state episodeState) {
	w.t.Helper()
	for w.ends[0].subs[0].ep.state != state {
		if !w.step(w.now.Add(time.Minute)) {
			w.t.Fatalf("nothing happens: %+v", w.ends[0].Info())
		}
	}
}

// script steps through the present episode and returns what it sends, as "segment@fack": fack is in segments.
func (w *pair) script() string {
	var out []string
	c := w.ends[0]
	for c.subs[0].ep.state == epRecovery {
		fack, before := c.snd.fack.Sub(c.snd.iss+1)/1000, len(w.data(0))
		w.step(w.now.Add(time.Minute))
		for _, p := range w.data(0)[before:] {
			out = append(out, fmt.Sprintf("%d@%d", w.offset(p)/1000, fack))
		}
	}
	return strings.Join(out, " ")
}

// everySecond writes the script of one segment for every two ACKs: the retransmission of segment 0 when fack is 4, then
// new data from segment next on, up to the ACK that takes fack to end.
func everySecond(next, end int) string {
	script := "0@4"
	for fack := 6; fack <= end; fack += 2 {
		script += fmt.Sprintf(" %d@%d", next, fack)
		next++
	}
	return script
}

// TestFACKRampdown: the first of 32 segments is lost in congestion avoidance. The episode begins when segment 4 is
// SACKed, then exactly one segment leaves for every two ACKs, and the window is 16 at the end.
func TestFACKRampdown(t *testing.T) {
	w := fackFlight(t, 32, 32, 0)
	c := w.ends[0]
	w.until(epRecovery)
	if got := c.snd.fack.Sub(c.snd.una); got != 4000 {
		t.Errorf("recovery begins with fack %d octets ahead, want 4000", got)
	}
	if got, want := w.script(), everySecond(34, 34); got != want { // 32 and 33 left by limited transmit
		t.Errorf("sent %s, want %s", got, want)
	}
	if in := c.Info(); in.Window != 16_000 || in.InFlight != 15_000 || in.Sent.Retransmissions != 1 { // and one more may go
		t.Errorf("window %d, %d in flight, %d sent again", in.Window, in.InFlight, in.Sent.Retransmissions)
	}
}

// TestFACKOverdamping: a loss in slow start at 64 segments was caused by a window of 32, so 16 are left; a third of the
// window caused it, and a sixth is left, where slow start triples it.
func TestFACKOverdamping(t *testing.T) {
	for _, c := range []struct {
		k, window int
		want      int64
	}{{1, 64, 16_000}, {2, 60, 10_000}} {
		w := fackFlight(t, c.window, 0, 0)
		cfg := *w.ends[0].cfg
		cfg.SlowStart = c.k
		w.ends[0].cfg = &cfg
		w.until(epRecovery)
		w.script()
		if in := w.ends[0].Info(); in.Window != c.want || in.InFlight > c.want || in.InFlight < c.want-2000 || in.Sent.Timeouts != 0 {
			t.Errorf("k = %d: window %d, %d in flight, want %d; %d timeouts", c.k, in.Window, in.InFlight, c.want, in.Sent.Timeouts)
		}
	}
}

// TestFACKLostRetransmission: a retransmission that is lost is found when data sent after it arrives, and sent again
// without a timeout, twice here; each is a new sign of congestion and halves the window again.
func TestFACKLostRetransmission(t *testing.T) {
	w := fackFlight(t, 32, 32, 0, 0, 0, 3)
	start := w.now
	w.until(epRecovery)
	w.script()
	if in := w.ends[0].Info(); in.Sent.Timeouts != 0 || in.Sent.Retransmissions != 4 || in.Window != 4000 || w.now.Sub(start) > 450*time.Millisecond {
		t.Errorf("%d timeouts, %d sent again, window %d, %v", in.Sent.Timeouts, in.Sent.Retransmissions, in.Window, w.now.Sub(start))
	}
}

// TestFACKBurst: a burst of losses is known as soon as anything beyond it arrives, and repaired in one round trip.
func TestFACKBurst(t *testing.T) {
	w := fackFlight(t, 32, 32, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	w.until(epRecovery)
	start := w.now
	if lost := w.ends[0].subs[0].lost.count; lost != 12 {
		t.Errorf("%d marked lost at once, want 12", lost)
	}
	w.script()
	in := w.ends[0].Info()
	if in.Sent.Timeouts != 0 || in.Sent.Retransmissions != 12 || in.Window != 16_000 || w.now.Sub(start) != 100*time.Millisecond {
		t.Errorf("%d timeouts, %d sent again, window %d, %v", in.Sent.Timeouts, in.Sent.Retransmissions, in.Window, w.now.Sub(start))
	}
}
