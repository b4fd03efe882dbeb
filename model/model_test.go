package model

import (
	"math"
	"testing"
	"time"
)

// near fails unless got is within that share of want.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestPacketLoss: the formula gives the exact values of 1-(1-BER)^(8L) (RFC 3819 s.8.5.3), and BitErrorRate leads back.
func TestPacketLoss(t *testing.T) {
	for _, c := range []struct {
		ber    float64
		octets int
		want   float64
	}{
		{1e-9, 1500, 1.2000e-5}, {1e-9, 9000, 7.1997e-5},
		{1e-8, 1500, 1.19993e-4}, {1e-8, 9000, 7.19741e-4},
		{1e-7, 1500, 1.19928e-3}, {1e-7, 9000, 7.17414e-3},
		{1e-6, 1500, 1.19283e-2}, {1e-6, 9000, 6.94691e-2},
		{1e-5, 1500, 0.113080}, {1e-5, 9000, 0.513249},
		{1e-4, 1500, 0.698824}, // which 8 L BER calls 1.2 (C-45)
		{1e-18, 1500, 1.2e-14}, {0, 1500, 0}, {1, 1500, 1}, {1, 0, 0}, {0.5, 1, 1 - 1.0/256},
	} {
		p := PacketLoss(c.ber, c.octets)
		near(t, "loss", p, c.want, 1e-5)
		if c.octets > 0 && c.ber < 1 {
			near(t, "bit error rate of that loss", BitErrorRate(p, c.octets), c.ber, 1e-9)
		}
	}
}

// TestBurstLoss: the values of Gilbert's model on bits, and its ends: single errors are PacketLoss, and a burst of b wrong bits
// divides the loss by b (C-48).
func TestBurstLoss(t *testing.T) {
	for _, c := range []struct{ bits, density, want float64 }{
		{10, 0.5, 2.183e-4}, {100, 0.5, 2.396e-5}, {1000, 0.5, 2.597e-6}, {10000, 0.5, 4.399e-7}, {100, 0.1, 1.109e-4},
	} {
		near(t, "bursts at 1e-7", BurstLoss(1e-7, c.bits, c.density, 1500), c.want, 1e-3)
	}
	near(t, "single bits", BurstLoss(1e-7, 1, 1, 1500), PacketLoss(1e-7, 1500), 1e-3)
	near(t, "40 wrong bits", BurstLoss(1e-7, 40, 1, 1500), PacketLoss(1e-7, 1500)/40, 5e-3)
}

// TestMathis: 1460 octets and 100 ms, and the loss at which Reno fills a path on average.
func TestMathis(t *testing.T) {
	for _, c := range []struct{ p, every, delayed float64 }{{1e-2, 1.43, 1.01}, {1e-3, 4.52, 3.20}, {1e-4, 14.3, 10.1}, {1e-5, 45.2, 32.0}} {
		near(t, "every ACK", Mathis(1460, 100*time.Millisecond, c.p, EveryACK)/1e6, c.every, 4e-3)
		near(t, "delayed ACKs", Mathis(1460, 100*time.Millisecond, c.p, DelayedACK)/1e6, c.delayed, 4e-3)
	}
	near(t, "loss that leaves 833 segments on average", math.Pow(EveryACK/833, 2), 2.16e-6, 2e-3)
	if !InDomain(PacketLoss(1e-6, 1500)) || InDomain(PacketLoss(1e-5, 1500)) {
		t.Error("Agarwal's row for 1e-6 is in the domain and that for 1e-5 is not (C-45)")
	}
}

// TestAgarwal: the formula, that it is Mathis' law, the table to its printed digits, and the inverse.
func TestAgarwal(t *testing.T) {
	near(t, "factor", Agarwal(1500, AgarwalRTT, 1), 158.11, 1e-4)
	near(t, "as Mathis", Agarwal(1460, AgarwalRTT, 1e-7), Mathis(1460, AgarwalRTT, 8*1460*1e-7, DelayedACK), 1e-12)
	want := []string{"15.8 kbit/s", "49.9 kbit/s", "158 kbit/s", "499.6 kbit/s", "1.580 Mbit/s", "4.996 Mbit/s", "15.8 Mbit/s", "49.963 Mbit/s", "158 Mbit/s"}
	if len(AgarwalTable) != len(want) {
		t.Fatalf("%d rows, want %d", len(AgarwalTable), len(want))
	}
	for i, r := range AgarwalTable {
		near(t, "BER", r.BER, math.Pow(10, -4-float64(i)), 1e-12)
		if r.Printed() != want[i] {
			t.Errorf("%v: printed %s, want %s", r.BER, r.Printed(), want[i])
		}
		if exact := Agarwal(AgarwalMSS, AgarwalRTT, r.BER); r.Predicted() > exact || r.Predicted() < exact*0.997 {
			t.Errorf("%v: %v printed for %v", r.BER, r.Predicted(), exact)
		}
	}
	for _, c := range []struct{ rate, ber float64 }{{500e3, 1e-7}, {1e6, 2.5e-8}, {10e6, 2.5e-10}} {
		near(t, "bit error rate to buy", AgarwalBER(1500, AgarwalRTT, c.rate), c.ber, 1e-9)
		near(t, "and back", Agarwal(1500, AgarwalRTT, AgarwalBER(1500, AgarwalRTT, c.rate)), c.rate, 1e-9)
	}
	for _, c := range []struct{ ber, payload float64 }{{1e-6, 154e3}, {1e-7, 487e3}, {1e-8, 1.54e6}} { // of 1460 octets (C-46)
		near(t, "payload form", Mathis(1460, AgarwalRTT, 8*1500*c.ber, DelayedACK), c.payload, 3e-3)
	}
}

// TestPFTK: both formulas at a round trip of 100 ms and a timeout of 400 ms, in packets per second.
func TestPFTK(t *testing.T) {
	flow := func(b, window float64) Flow { return Flow{100 * time.Millisecond, 400 * time.Millisecond, b, window} }
	for _, c := range []struct{ p, short1, short2, full1, full2, bounded float64 }{
		{1e-4, 1223.6, 865.2, 1221.2, 862.8, 197.4},
		{1e-3, 383.8, 271.4, 381.6, 269.1, 177.0},
		{1e-2, 112.33, 79.43, 110.96, 77.85, 77.85},
		{5e-2, 36.86, 26.06, 37.90, 26.71, 26.71},
		{1e-1, 17.70, 12.52, 21.13, 15.15, 15.15},
	} {
		near(t, "short, b = 1", flow(1, 0).Short(c.p), c.short1, 3e-4)
		near(t, "short, b = 2", flow(2, 0).Short(c.p), c.short2, 4e-4)
		near(t, "full, b = 1", flow(1, 0).Full(c.p), c.full1, 3e-4)
		near(t, "full, b = 2", flow(2, 0).Full(c.p), c.full2, 4e-4)
		near(t, "full, b = 2, 20 segments", flow(2, 20).Full(c.p), c.bounded, 3e-4)
		near(t, "RFC 3819", RFC3819(1000, 100*time.Millisecond, 400*time.Millisecond, c.p), 8000*c.short2, 4e-4)
	}
	near(t, "a window of 20 and no loss", flow(1, 20).Full(0), 200, 1e-9)
	if TypicalRTO(AgarwalRTT) != 1200*time.Millisecond || TypicalRTO(time.Millisecond) != time.Second {
		t.Error("the timeout that is assumed has changed")
	}
	for _, c := range []struct{ ber, least, most float64 }{{1e-5, 26e3, 31e3}, {1e-4, 0, 2e3}} { // C-45: Agarwal says 50k and 15.8k
		if x := RFC3819(1500, AgarwalRTT, TypicalRTO(AgarwalRTT), PacketLoss(c.ber, 1500)); x < c.least || x > c.most {
			t.Errorf("RFC 3819 at %v: %v bit/s, want %v to %v", c.ber, x, c.least, c.most)
		}
	}
}

// TestResponses: windows in segments at 100 ms.
func TestResponses(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		window    [4]float64 // at 1e-3, 1e-4, 1e-5, 1e-6
	}{
		{"reno", [4]float64{38.7, 122.5, 387, 1225}},
		{"scalable", [4]float64{75, 749, 7490, 74900}},
		{"highspeed", [4]float64{38.4, 263, 1795, 12279}},
		{"cubic", [4]float64{38.7, 187, 1054, 5926}},
		{"hybla", [4]float64{155, 490, 1549, 4899}},
		{"illinois", [4]float64{274, 866, 2739, 8660}},
		{"veno", [4]float64{67, 212, 671, 2121}},
		{"yeah", [4]float64{86.6, 749, 7490, 74900}}, // Scalable TCP's, and with fewer than 100 segments of +1 and 1/8
	} {
		r, ok := FindResponse(c.algorithm)
		if !ok {
			t.Fatalf("no response of %s", c.algorithm)
		}
		for i, want := range c.window {
			p := math.Pow(10, -3-float64(i))
			near(t, c.algorithm, r.Window(p, 100*time.Millisecond, 1), want, 4e-3)
			near(t, "16 streams of "+c.algorithm, r.Rate(1460, 100*time.Millisecond, p, 1, 16), 16*want*14600*8, 4e-3)
		}
	}
	r, _ := FindResponse("reno")
	near(t, "reno with delayed ACKs", r.Window(1e-4, time.Second, 2), 86.6, 1e-3)
	if _, ok := FindResponse("nosuch"); ok {
		t.Error("a response of an algorithm that nobody knows")
	}
	for _, r := range Responses {
		last := math.Inf(1)
		for _, p := range []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2} {
			w := r.Window(p, 600*time.Millisecond, 1)
			if !(w > 0 && w <= last) || r.Formula == "" || r.Source == "" || !(r.Most > 0 && r.Most <= 0.2) {
				t.Errorf("%s at %v: window %v after %v; %q, %q, %v", r.Algorithm, p, w, last, r.Formula, r.Source, r.Most)
			}
			last = w
		}
	}
}

// TestLimits: the smallest of formula, link and window, by name (C-47).
func TestLimits(t *testing.T) {
	near(t, "a T1's payload", LinkPayload(1.536e6, 1460, 1500), 1.495e6, 1e-3)
	near(t, "256 kB in 0.6 s", WindowRate(256000, AgarwalRTT), 3.413e6, 1e-3)
	inf := math.Inf(1)
	for _, c := range []struct {
		limits Limits
		rate   float64
		want   float64
		bound  Bound
	}{
		{Limits{}, 5, 5, ByLoss},
		{Limits{Link: 4}, 5, 4, ByLink},
		{Limits{Link: 4, Window: 3}, 5, 3, ByWindow},
		{Limits{Link: 3, Window: 4}, 5, 3, ByLink},
		{Limits{Link: 7, Window: 6}, 5, 5, ByLoss},
		{Limits{}, inf, inf, ByNone},
		{Limits{Window: 6}, inf, 6, ByWindow},
	} {
		if x, bound := c.limits.Apply(c.rate); x != c.want || bound != c.bound {
			t.Errorf("%+v of %v: %v by %s", c.limits, c.rate, x, bound)
		}
	}
	f := func(x float64) float64 { return 1 / x }
	if x, ok := Largest(50, 1e-6, 1, f); !ok || math.Abs(x-0.02) > 1e-7 {
		t.Errorf("1/x is at least 50 up to %v, %v", x, ok)
	}
	if x, ok := Largest(0.5, 1e-6, 1, f); !ok || x != 1 {
		t.Errorf("1/x is at least 0.5 up to %v of 1, %v", x, ok)
	}
	if _, ok := Largest(1e7, 1e-6, 1, f); ok {
		t.Error("1/x is at least 1e7 somewhere above 1e-6")
	}
}
