package link

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"longhaul/model"
	"longhaul/mono"
)

// within fails unless got lies within sigmas standard errors of want.
func within(t *testing.T, what string, got, want, se, sigmas float64) {
	t.Helper()
	if !(math.Abs(got-want) <= sigmas*se) {
		t.Errorf("%s: %v, want %v +/- %v (%.1f standard errors off)", what, got, want, sigmas*se, (got-want)/se)
	}
}

// count returns how many of n packets of that size m loses.
func count(m LossModel, n, octets int) (lost int) {
	for range n {
		if m.Lost(0, octets) {
			lost++
		}
	}
	return lost
}

// TestUniform: the share of lost packets, and the distances between losses, are those of independent draws.
func TestUniform(t *testing.T) {
	const n = 1_000_000
	for i, p := range []float64{1e-4, 1e-2, 0.3, 0.9} {
		m := Uniform(p, seeded(uint64(i)))
		within(t, fmt.Sprint("loss ", p), float64(count(m, n, 40)), n*p, math.Sqrt(n*p*(1-p)), 3)
		pairs, before := 0, false
		for range n {
			lost := m.Lost(0, 1500)
			if lost && before {
				pairs++
			}
			before = lost
		}
		// The count of neighbours has a somewhat larger variance than binomial: neighbouring pairs share a packet.
		within(t, fmt.Sprint("pairs at ", p), float64(pairs), n*p*p, math.Sqrt(n*p*p*(1-p)*(1+3*p)), 3)
	}
	if count(Uniform(0, seeded(1)), n, 1) != 0 || count(Uniform(1, seeded(1)), n, 1) != n {
		t.Error("probabilities 0 and 1 are not never and always")
	}
}

// TestBitErrors: packets are hit with the probability of the formula, each by its own size, in whatever mix they come (F81).
func TestBitErrors(t *testing.T) {
	const n = 1_000_000
	for i, ber := range []float64{1e-7, 1e-6, 1e-5, 1e-3} {
		m := BitErrors(ber, seeded(uint64(i)))
		sizes := []int{1, 40, 1500, 9000}
		var hits [4]int
		for range n {
			for k, size := range sizes {
				if m.Lost(0, size) {
					hits[k]++
				}
			}
		}
		for k, size := range sizes {
			p := model.PacketLoss(ber, size)
			within(t, fmt.Sprintf("BER %v, %d octets", ber, size), float64(hits[k]), n*p, math.Sqrt(n*p*(1-p)), 3)
		}
	}
	p := model.PacketLoss(1e-3, 1)
	within(t, "octet by octet", float64(count(BitErrors(1e-3, seeded(9)), n, 1)), n*p, math.Sqrt(n*p*(1-p)), 3)
	if m := BitErrors(1, seeded(1)); !m.Lost(0, 1) || m.Lost(0, 0) {
		t.Error("at rate 1 an octet passed, or nothing was hit")
	}
	if count(BitErrors(0, seeded(1)), n, 1<<20) != 0 {
		t.Error("rate 0 damages")
	}
}

// TestFramingCounts: models see a packet with its link framing, which the frame check covers.
func TestFramingCounts(t *testing.T) {
	for _, loss := range []bool{true, false} {
		var cfg Config
		cfg.Overhead = 38
		if m := []LossModel{Periodic(1, 138)}; loss {
			cfg.Loss = m
		} else {
			cfg.Errors = m
		}
		l, pool := must(t, cfg)
		run(t, l, pool, []offer{{0, 99}, {0, 100}})
		if s := l.Stats(); s.Lost+s.Corrupted != 1 {
			t.Errorf("loss %v: %+v, want the larger one hit", loss, s)
		}
	}
}

// burstFormula is the probability that a packet of bits bits is damaged by bursts of mean length, to first order.
func burstFormula(ber, bits, length, density float64) float64 {
	r := 1 / length
	q0 := r * (1 - density) / (1 - (1-r)*(1-density)) // no bit of a burst is wrong
	return ber / (density * length) * (bits + length) * (1 - q0)
}

// TestBursts: a packet of 12000 bits is damaged with the probability of the formula. The bit error rate is scaled up for enough
// events, and the expectation by 1-exp(-p), since bursts that share a packet damage it once.
func TestBursts(t *testing.T) {
	const n = 4_000_000
	for i, c := range []struct {
		length, density float64
		at1e7           float64 // probability at a rate of 1e-7
		ber             float64 // for the run
	}{
		{10, 0.5, 2.183e-4, 1e-6}, {100, 0.5, 2.396e-5, 1e-5}, {1000, 0.5, 2.597e-6, 1e-4}, {10_000, 0.5, 4.399e-7, 1e-3},
		{100, 0.1, 1.109e-4, 1e-6}, {1, 1, 1.2e-3, 1e-7},
	} {
		if got := burstFormula(1e-7, 12_000, c.length, c.density); math.Abs(got-c.at1e7) > 1e-3*c.at1e7 {
			t.Errorf("length %v, density %v: formula %v, want %v", c.length, c.density, got, c.at1e7)
		}
		p := -math.Expm1(-burstFormula(c.ber, 12_000, c.length, c.density))
		got := count(Bursts(c.ber, c.length, c.density, seeded(uint64(i))), n, 1500)
		// A burst hits 1+length/12000 packets in a row, so hits are not independent.
		se := math.Sqrt(n * p * (1 - p) * (1 + 2*c.length/12_000))
		within(t, fmt.Sprintf("length %v, density %v", c.length, c.density), float64(got), n*p, se, 3)
	}
	a, b := Bursts(1e-4, 100, 0, seeded(9)), Bursts(1e-4, 100, 0.5, seeded(9))
	for range 100_000 {
		if a.Lost(0, 100) != b.Lost(0, 100) {
			t.Fatal("density 0 is not the default of one half")
		}
	}
}

// TestBurstRate: cut into packets of one octet with nothing but wrong bits in a burst, the stream shows the bursts themselves:
// the bit error rate is the one asked for, also when bursts are frequent, and a burst spans packets.
func TestBurstRate(t *testing.T) {
	const n = 4_000_000
	const ber, length = 0.1, 800.0
	m := Bursts(ber, length, 1, seeded(1))
	hit, runs, before := 0, 0, false
	for range n {
		lost := m.Lost(0, 1)
		if lost {
			hit++
			if !before {
				runs++
			}
		}
		before = lost
	}
	// An octet is hit if a burst touches it: all octets of a burst, and on average 7/8 more at its ends.
	perBurst := length/8 + 7.0/8
	bursts := 8 * n * ber / length
	within(t, "octets hit", float64(hit), bursts*perBurst, perBurst*math.Sqrt(2*bursts), 3)
	within(t, "bursts", float64(runs), bursts, math.Sqrt(bursts), 3)
	// Bursts of 2 bits and gaps of 2: half of the bits are wrong, a right bit is followed by another one with probability 2/3.
	right := 0.5 * math.Pow(2.0/3, 7)
	within(t, "octets passed", n-float64(count(Bursts(0.5, 2, 1, seeded(2)), n, 1)), n*right, math.Sqrt(n*right*(1-right)), 3)
}

// TestLossBursts: mean loss, mean run, runs per packet and the variance of the count are the simple Gilbert model's.
func TestLossBursts(t *testing.T) {
	const n = 1_000_000
	for i, c := range []struct{ loss, burst float64 }{{1e-3, 1}, {1e-3, 5}, {1e-2, 10}, {0.2, 3}, {0.5, 1}} {
		name := fmt.Sprintf("loss %v, burst %v", c.loss, c.burst)
		m := LossBursts(c.loss, c.burst, seeded(uint64(i)))
		lost, runs, before := 0, 0, false
		for range n {
			l := m.Lost(0, 1500)
			if l {
				lost++
				if !before {
					runs++
				}
			}
			before = l
		}
		events := c.loss / c.burst
		within(t, name+": loss", float64(lost), n*c.loss, math.Sqrt(n*c.loss*(1-c.loss)*max(2*c.burst-1, 1)), 3)
		within(t, name+": runs", float64(runs), n*events, math.Sqrt(n*events), 3)
		within(t, name+": mean run", float64(lost)/float64(runs), c.burst, math.Sqrt(c.burst*(c.burst-1)/float64(runs))+1e-12, 3)
	}
	const blocks, block, loss, burst = 2000, 5000, 1e-2, 10.0
	m := LossBursts(loss, burst, seeded(7))
	sum, squares := 0.0, 0.0
	for range blocks {
		k := float64(count(m, block, 1500))
		sum, squares = sum+k, squares+k*k
	}
	variance := (squares - sum*sum/blocks) / (blocks - 1)
	// For small loss it is 2B-1 times the binomial one; the sample variance of blocks has a relative deviation of
	// sqrt(2/blocks), and more for the long tail of a count of few bursts.
	within(t, "variance", variance/(block*loss*(1-loss)), 2*burst-1, (2*burst-1)*math.Sqrt(3.0/blocks), 3)
}

// TestGilbertElliott: with loss in both states the mean is the mix of both, by the time spent in each.
func TestGilbertElliott(t *testing.T) {
	const n = 1_000_000
	const toBad, toGood, good, bad = 0.02, 0.1, 0.001, 0.4
	inBad := toBad / (toBad + toGood)
	want := (1-inBad)*good + inBad*bad
	got := float64(count(GilbertElliott(toBad, toGood, good, bad, seeded(1)), n, 40)) / n
	// The variance of the sum is that of the draws and twice the covariances, which fall by 1-toBad-toGood per packet.
	variance := want*(1-want) + 2*inBad*(1-inBad)*(bad-good)*(bad-good)*(1-toBad-toGood)/(toBad+toGood)
	within(t, "loss", got, want, math.Sqrt(variance/n), 3)
	// The state before the transition decides: it begins good, and is bad from the second packet on.
	m := GilbertElliott(1, 0, 0, 1, seeded(1))
	if m.Lost(0, 40) || !m.Lost(0, 40) || !m.Lost(0, 40) {
		t.Error("good, bad, bad was expected")
	}
}

// TestScripts: periodic and scripted losses are exact.
func TestScripts(t *testing.T) {
	sizes := func(n int) []int { // an ACK between any two data packets
		s := make([]int, n)
		for i := range s {
			s[i] = []int{1500, 40}[i%2]
		}
		return s
	}
	for _, c := range []struct {
		name string
		m    LossModel
		want []int // indices of 20 packets, one a second, data at the even ones
	}{
		{"each fourth", Periodic(4, 0), []int{3, 7, 11, 15, 19}},
		{"each fourth data packet", Periodic(4, 100), []int{6, 14}},
		{"each", Periodic(1, 1500), []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}},
		{"ordinals", &Script{Drop: []Window{{1, 1}, {5, 7}, {8, 8}, {20, 30}}}, []int{0, 4, 5, 6, 7, 19}},
		{"times", &Script{Times: []Outage{{2e9, 4e9}, {4e9, 4e9}, {18e9, 30e9}}}, []int{2, 3, 18, 19}},
		{"data in times", &Script{MinSize: 1500, Times: []Outage{{2e9, 5e9}}}, []int{2, 4}},
		{"3 data packets in a row at 3 s", &Script{MinSize: 100, From: 3e9, Drop: []Window{{1, 3}}}, []int{4, 6, 8}},
		{"from 3 s each second", &Script{From: 3e9, Every: 2, Drop: []Window{{3, 3}}}, []int{4, 5, 6, 8, 10, 12, 14, 16, 18}},
		{"nothing", &Script{}, nil},
	} {
		var got []int
		for i, size := range sizes(20) {
			if c.m.Lost(mono.Time(i)*1e9, size) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: lost %v, want %v", c.name, got, c.want)
		}
	}
}

// TestModelsAreIndependent: a model's losses do not change when others, or an outage, take packets too.
func TestModelsAreIndependent(t *testing.T) {
	offers := evenly(20_000, 1500, 0)
	alone := func(cfg Config) map[int]bool {
		l, pool := must(t, cfg)
		in := map[int]bool{}
		for _, a := range run(t, l, pool, offers) {
			if !a.corrupt {
				in[a.n] = true
			}
		}
		return in
	}
	u := func() LossModel { return Uniform(0.1, seeded(1)) }
	g := func() LossModel { return LossBursts(0.1, 4, seeded(2)) }
	e := func() LossModel { return Bursts(1e-5, 30, 0, seeded(3)) }
	outages := []Outage{{10 * ms, 30 * ms}}
	var parts []map[int]bool
	for _, cfg := range []Config{{Loss: []LossModel{u()}}, {Loss: []LossModel{g()}}, {Errors: []LossModel{e()}}, {Outages: outages}} {
		cfg.Rate = 1e9
		parts = append(parts, alone(cfg))
	}
	all := alone(Config{Rate: 1e9, Loss: []LossModel{u(), g()}, Errors: []LossModel{e()}, Outages: outages})
	for i := range offers {
		if want := parts[0][i] && parts[1][i] && parts[2][i] && parts[3][i]; all[i] != want {
			t.Fatalf("packet %d passes: %v, want %v", i, all[i], want)
		}
	}
}
