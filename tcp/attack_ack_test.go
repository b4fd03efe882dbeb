package tcp

import (
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// splitting is a receiver that acknowledges each segment in n pieces (Savage et al. 1999, s.2.1).
func splitting(n int) receiverTrick {
	var last wire.Seq
	return receiverTrick{answer: func(l *lane, p *wire.Packet) bool {
		octets := p.Ack.Sub(last)
		for i := 1; i < n && 0 < octets && octets < 1<<20; i++ {
			q := *p
			q.Ack = last.Add(octets * i / n)
			l.arrive(l.now.Add(l.delay), q)
		}
		last = p.Ack
		return false
	}}
}

// optimist is a receiver that acknowledges every segment when that share of the round trip has passed since it was sent, whether
// it arrives or not: the best that optimistic acknowledging can do (Savage et al. 1999, s.2.3).
func optimist(share float64) receiverTrick {
	return receiverTrick{
		answer: func(*lane, *wire.Packet) bool { return true },
		sent: func(l *lane, p *wire.Packet, _ mono.Time, _ bool) {
			q := l.ack(p.Seq.Add(p.PayloadLen))
			q.Options.TSEcr = p.Options.TSVal
			l.arrive(l.now.Add(time.Duration(share*float64(2*l.delay))), q)
		},
	}
}

// concealer is a receiver that acknowledges the newest data that has arrived, as if nothing before it were missing.
func concealer() receiverTrick {
	return receiverTrick{
		answer: func(*lane, *wire.Packet) bool { return true },
		sent: func(l *lane, p *wire.Packet, arrives mono.Time, lost bool) {
			if !lost {
				q := l.ack(p.Seq.Add(p.PayloadLen))
				q.Options.TSEcr = p.Options.TSVal
				l.arrive(arrives.Add(l.delay), q)
			}
		},
	}
}

// train is a receiver that does not look at what arrives: it acknowledges that many octets a second, a segment at a time.
func train(rate float64) receiverTrick {
	var next mono.Time
	var at wire.Seq
	return receiverTrick{
		answer: func(*lane, *wire.Packet) bool { return true },
		elapsed: func(l *lane) {
			mss := l.ends[0].snd.mss
			if next == 0 {
				next, at = l.now.Add(l.delay), l.ends[0].snd.iss+1
			}
			for next <= l.now.Add(l.delay) {
				at = at.Add(mss)
				l.arrive(next, l.ack(at))
				next = next.Add(time.Duration(float64(mss) / rate * 1e9))
			}
		},
	}
}

// duplicator is a receiver that says of everything sent again that it had come before, by D-SACK or by echoing an old timestamp.
func duplicator(timestamps bool) receiverTrick {
	var top wire.Seq
	var again []wire.Range
	old := 0
	return receiverTrick{
		sent: func(l *lane, p *wire.Packet, _ mono.Time, lost bool) {
			switch end := p.Seq.Add(p.PayloadLen); {
			case top == 0 || top.Less(end):
				top = end
			case !lost:
				again = append(again, wire.Range{Start: p.Seq, End: end})
			}
		},
		answer: func(l *lane, p *wire.Packet) bool {
			if len(again) > 0 && again[0].End.LessEq(p.Ack) {
				old = 1
				if !timestamps {
					p.Options.Set |= wire.OptSACK
					copy(p.Options.SACK[1:], p.Options.SACK[:])
					p.Options.SACK[0] = again[0]
					p.Options.NumSACK = min(p.Options.NumSACK+1, 3)
				}
				again = again[1:]
			}
			if timestamps && old > 0 {
				p.Options.TSEcr -= 150
				old = 0
			}
			return false
		},
	}
}

// gain returns how much more than for an honest receiver the sender puts on a lane in half a minute for one that plays a trick.
func gain(t *testing.T, cfg Config, loss float64, trick receiverTrick) (share float64, cheated *lane) {
	t.Helper()
	honest := newLane(t, cfg, loss, receiverTrick{}).sends(30 * time.Second)
	l := newLane(t, cfg, loss, trick)
	return float64(l.sends(30*time.Second)) / float64(honest), l
}

// TestACKSplitting: acknowledging a segment in eight pieces gains nothing, not even where the window grows per ACK: octets count,
// and of one ACK not more than there are (RFC 5681 s.3.1). Without SACK a partial ACK sends again one segment a round trip.
func TestACKSplitting(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK, NewReno, DupACK} {
		for _, per := range []Feature{0, PerACK} {
			cfg := reno(r)
			cfg.Enable = per
			if r == NewReno || r == DupACK {
				cfg.Disable |= SACK
			}
			share, l := gain(t, cfg, 0.01, splitting(8))
			most := int64(80)
			if r == DupACK {
				most = 150 // it goes back to the first hole after each of its timeouts
			}
			if again := l.ends[0].sent.Retransmissions; share > 1.1 || again > most {
				t.Errorf("recovery %d, per ACK %v: %.2f of what an honest receiver gets, %d sent again", r, per != 0, share, again)
			}
		}
	}
}

// TestSpoofedDuplicateACKs: a thousand duplicate ACKs within a round trip of fast recovery let out no more than a window: only
// what was sent a round trip ago can have been answered.
func TestSpoofedDuplicateACKs(t *testing.T) {
	for _, r := range []Recovery{NewReno, DupACK} {
		w, mss := flightOf(t, r, 20, SACK)
		c := w.ends[0]
		c.WriteSynthetic(2000 * mss)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return true, 0 }
		w.run(100 * time.Millisecond)
		for range 2 { // round trips
			before := c.sent.DataSegments
			for range 1000 {
				w.inject(0, wire.ACK, 0, 0, nil)
				w.run(90 * time.Microsecond)
			}
			if sent := c.sent.DataSegments - before; sent > 20 {
				t.Errorf("recovery %d: %d segments leave in a round trip with a window of 20", r, sent)
			}
		}
		if c.sent.FastRetransmits != 1 || c.sent.Timeouts > 0 {
			t.Errorf("recovery %d: %d fast retransmits, %d timeouts", r, c.sent.FastRetransmits, c.sent.Timeouts)
		}
	}
}

// TestOptimisticACKs: with ACKCheck nothing is gained by acknowledging what has not arrived, or by hiding what was lost; what the
// sender puts on the path is less than a fifth of what an honest receiver gets of a clean one, or half with losses. Without the
// feature that holds for ACKs that come in less than half the path's round trip, or that are for data not yet sent.
func TestOptimisticACKs(t *testing.T) {
	tricks := []struct {
		name   string
		trick  func() receiverTrick
		always bool // caught without the feature too
	}{
		{"a tenth of the round trip", func() receiverTrick { return optimist(0.1) }, true},
		{"0.4 of the round trip", func() receiverTrick { return optimist(0.4) }, true},
		{"0.6 of the round trip", func() receiverTrick { return optimist(0.6) }, false},
		{"0.9 of the round trip", func() receiverTrick { return optimist(0.9) }, false},
		{"losses concealed", concealer, false},
		{"half the path's rate, blindly", func() receiverTrick { return train(0.6e6) }, true},
		{"the path's rate, blindly", func() receiverTrick { return train(1.25e6) }, true},
		{"four times the path's rate, blindly", func() receiverTrick { return train(5e6) }, true},
	}
	const long = 12 * time.Second
	for i, base := range []Config{{}, reno(RACK), reno(SACK6675), reno(FACK), reno(NewReno), reno(DupACK)} {
		for loss, most := range map[float64]float64{0: 0.2, 0.01: 0.5} {
			honest := newLane(t, base, loss, receiverTrick{}).sends(long)
			for _, c := range tricks {
				for _, on := range []Feature{0, ACKCheck} {
					free := on == 0 && !c.always // nothing stops it, so it is only shown, with -v
					if free && (i > 0 || !testing.Verbose()) {
						continue
					}
					cfg := base
					cfg.Enable = on
					l := newLane(t, cfg, loss, c.trick())
					sent := l.sends(long)
					if i == 0 {
						t.Logf("%s, ACKCheck %v, loss %v: %.2f MB sent, %.2f MB to an honest receiver", c.name, on != 0, loss, float64(sent)/1e6, float64(honest)/1e6)
					}
					if free {
						continue
					}
					share := float64(sent) / float64(honest)
					if in := l.ends[0].Info(); share > most || in.Received.FalseACKs == 0 || l.ends[0].err != nil {
						t.Errorf("%s, %s, recovery %d, ACKCheck %v, loss %v: %.2f of what an honest receiver gets, %d lies found, error %v",
							c.name, in.Controller, base.Recovery, on != 0, loss, share, in.Received.FalseACKs, l.ends[0].err)
					}
				}
			}
		}
	}
}

// TestFalseDuplicates: a receiver that says of every repair that it was not needed has no more episodes undone once it has said
// so of a segment that was sent once. With ACKCheck that is before it has gained anything.
func TestFalseDuplicates(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, FACK} {
		for _, stamps := range []bool{false, true} {
			for on, most := range map[Feature]struct {
				share  float64
				undone int64
			}{0: {1.9, 8}, ACKCheck: {1.1, 1}} {
				cfg := reno(r)
				cfg.Enable = on
				share, l := gain(t, cfg, 0.01, duplicator(stamps))
				if in := l.ends[0].Info(); share > most.share || in.Sent.Spurious > most.undone {
					t.Errorf("recovery %d, by timestamps %v, ACKCheck %v: %.2f of what an honest receiver gets, %d episodes undone",
						r, stamps, on != 0, share, in.Sent.Spurious)
				}
			}
		}
	}
}
