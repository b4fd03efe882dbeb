package tcp

import (
	"testing"
	"time"

	"longhaul/cc"
)

// delayLog is a controller that keeps the one-way delays it is told.
type delayLog struct {
	cc.Controller
	delays *[]time.Duration
}

func (d delayLog) OnAck(a cc.Ack) {
	if a.HasOWD {
		*d.delays = append(*d.delays, a.OneWayDelay)
	}
	d.Controller.OnAck(a)
}

// TestOneWayDelay: whatever is lost, a path of fixed delay has one forward delay, to a tick of the clock. The echo
// in an ACK is often of an older segment than the one that made the receiver send it: with delayed ACKs and behind a hole.
func TestOneWayDelay(t *testing.T) {
	for _, disabled := range []Feature{DelayedACK, 0, DelayedACK | SACK} {
		oneWayDelays(t, Config{Disable: disabled})
	}
}

func oneWayDelays(t *testing.T, server Config) {
	w := newPair(t, 50*time.Millisecond)
	cfg := reno(RACK)
	if server.Disable&SACK != 0 {
		cfg = reno(NewReno)
	}
	cfg.Disable &^= Pacing
	var delays []time.Duration
	plain := cfg.Algorithm.New
	cfg.Algorithm.New = func(p cc.Params) cc.Controller { return delayLog{plain(p), &delays} }
	w.connect(cfg, server)
	mss := w.ends[0].snd.mss
	w.filter = w.lose(20*mss, 21*mss, 40*mss, 40*mss, 90*mss)
	w.transfer(300*mss, time.Minute)
	if len(delays) < 100 {
		t.Fatalf("%d delays", len(delays))
	}
	off := 0
	for _, d := range delays {
		if e := d - delays[0]; e < -time.Millisecond || e > time.Millisecond {
			off++
		}
	}
	if most := 3; off > most || off > 0 && server.Disable != 0 { // a segment with no second one waits for the receiver's timer
		t.Errorf("%d of %d delays differ from the first", off, len(delays))
	}
}
