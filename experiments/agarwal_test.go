package experiments

import (
	"slices"
	"testing"

	"longhaul/lab"
	"longhaul/model"
)

// TestAgarwal runs the short form of the experiment: what the message says of its formula, its measurements at 1e-6 and 1e-7, and
// the bit error rates to buy hold in it too (R90 to R92, R94, R95), and bursts help as it says (R93).
func TestAgarwal(t *testing.T) {
	if testing.Short() {
		t.Skip("a dozen virtual days")
	}
	r, err := Run([]Experiment{Agarwal}, Options{Quick: true, Seed: 1}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"R90", "R91", "R92 at 1e-6", "R92 at 1e-7", "R93-iii", "R94", "R95-i"} {
		i := slices.IndexFunc(r[0].Claims, func(c lab.Claim) bool { return c.ID == want })
		if i < 0 || r[0].Claims[i].Verdict != lab.Reproduced {
			t.Errorf("%s: %+v", want, r[0].Claims[max(i, 0)])
		}
	}
	link := model.LinkPayload(t1Rate, satelliteMSS, satelliteWire)
	i := slices.IndexFunc(r[0].Tables, func(t lab.Table) bool { return t.ID == "t1" })
	for _, row := range r[0].Tables[i].Rows[1:] { // behind a T1 (C-47)
		if x := row.Measured; !(x > 0.75*link && x <= link) {
			t.Errorf("%v: %.0f of at most %.0f bit/s", row.Case, x, link)
		}
	}
	if len(r[0].Figures) != 2 {
		t.Errorf("%d figures", len(r[0].Figures))
	}
}

// TestSpread: at a bit error rate of 1e-6 and with 20 wrong bits a burst, the longer the burst, the more packets are lost, and
// fewer than by independent errors (R93, C-48).
func TestSpread(t *testing.T) {
	last := 0.0
	for _, bits := range spreadBits[3:] {
		p := model.BurstLoss(spreadRate, bits, spreadDensity(bits), satelliteWire)
		if p <= last || p >= packetLoss(spreadRate) {
			t.Errorf("%g bits: %.2e after %.2e; independent %.2e", bits, p, last, packetLoss(spreadRate))
		}
		last = p
	}
}
