package experiments

import (
	"fmt"
	"math"

	"longhaul/lab"
	"longhaul/model"
	"longhaul/units"
)

// formula is what the message says of its formula and its table (R90, R91), and where that ends (C-45).
func (a agarwalReport) formula() []lab.Claim {
	off, same := 0.0, true
	for i, row := range model.AgarwalTable {
		law := model.Mathis(model.AgarwalMSS, model.AgarwalRTT, 8*model.AgarwalMSS*row.BER, model.DelayedACK)
		off = max(off, math.Abs(model.Agarwal(model.AgarwalMSS, model.AgarwalRTT, row.BER)/law-1))
		same = same && math.Abs(row.Predicted()/agarwalPrinted[i]-1) < 1e-9
	}
	low, lower := a.rate(independentName(1e-5)), a.rate(independentName(1e-4))
	return []lab.Claim{
		{ID: "R90", Text: "The formula is Mathis' law with delayed ACKs, C = sqrt(3/4), for a packet loss of 8 MSS BER.", Verdict: verdict(off < 1e-12),
			Measured: fmt.Sprintf("it differs by a share of %.0e at most.", off), Reason: unless(off < 1e-12, "The constants differ.")},
		{ID: "R91", Text: "For 1500 octets and 0.6 s it gives the printed table, to its last digit.", Verdict: verdict(same),
			Measured: printedTable() + ".", Reason: unless(same, "See the table.")},
		{ID: "R91 at 1e-5 and 1e-4", Text: "It holds at these error rates too: 49.9 and 15.8 kbit/s, within 15 %.", Verdict: verdict(near(low, 49.9e3) && near(lower, 15.8e3)),
			Measured: fmt.Sprintf("%s and %s; RFC 3819's formula, which knows timeouts, has %s and %s.", units.FormatRate(low), units.FormatRate(lower),
				units.FormatRate(withTimeouts(1e-5)), units.FormatRate(withTimeouts(1e-4))),
			Reason: unless(near(low, 49.9e3) && near(lower, 15.8e3), fmt.Sprintf("The packet loss there is %.1f and %.0f %%, far above the 2 %% up to which the law is meant: timeouts decide (C-45).",
				100*packetLoss(1e-5), 100*packetLoss(1e-4)))},
	}
}

// near reports whether x is within 15 % of the reference, the mark of R92.
func near(x, reference float64) bool { return math.Abs(x/reference-1) <= 0.15 }

// measured are the three points that the message measured (R92).
func (a agarwalReport) measured() []lab.Claim {
	var claims []lab.Claim
	for _, row := range model.AgarwalTable {
		if row.Measured == 0 {
			continue
		}
		x, ber := a.rate(independentName(row.BER)), units.Probability(row.BER)
		holds := near(x, row.Measured)
		claims = append(claims, lab.Claim{ID: "R92 at " + ber.String(), Text: fmt.Sprintf("The measured host moves %s at a bit error rate of %v, within 15 %%.", units.FormatRate(row.Measured), ber),
			Verdict: verdict(holds), Measured: fmt.Sprintf("%s, %.2f times as much.", units.FormatRate(x), x/row.Measured), Reason: unless(holds, "See the tables.")})
	}
	return claims
}

// bursts is what the message says of bursts (R93).
func (a agarwalReport) bursts() []lab.Claim {
	gains := extentOf(len(viterbiErrors), func(i int) float64 { return a.gain(1e-7, viterbiErrors[i]) })
	noisier := extentOf(len(viterbiErrors), func(i int) float64 { return a.gain(1e-6, viterbiErrors[i]) })
	held := near(gains.least, math.Sqrt(10)) && near(gains.most, math.Sqrt(20))
	falls := func(recovery string) extent {
		return quotient(a.rates(spreadName(recovery, 30_000)), a.rates(spreadName(recovery, 40)))
	}
	share := func(recovery string) float64 {
		return a.rate(spreadName(recovery, 30_000)) / a.rate(spreadName(recovery, 40))
	}
	hurts := falls("Reno").most < 1 && falls("NewReno").most < 1
	steady := falls("SACK").most >= 1 && falls("NAK").most >= 1
	return []lab.Claim{
		{ID: "R93-i", Text: "Bursts with 10 to 20 wrong bits, which hit one segment, give sqrt(10) to sqrt(20) times the throughput of independent errors at the same bit error rate, within 15 %.", Verdict: verdict(held),
			Measured: fmt.Sprintf("%.1f to %.1f times at 1e-7, and %.1f to %.1f times at 1e-6, where independent errors also cost timeouts.", gains.least, gains.most, noisier.least, noisier.most),
			Reason:   unless(held, "See the table: the window of 256 KiB and timeouts move both ends.")},
		{ID: "R93-ii", Text: "Once the errors of a burst reach the next packets, the throughput falls without SACK: from bursts of 40 bits to bursts of 30,000 by more than the intervals.", Verdict: verdict(hurts),
			Measured: fmt.Sprintf("Reno moves %.2f and NewReno %.2f of what it did; the message says dramatically.", share("Reno"), share("NewReno")),
			Reason:   unless(hurts, "Losses within a round trip are one cut of the window.")},
		{ID: "R93-iii", Text: "With SACK or NAKs it does not fall by more than the intervals.", Verdict: verdict(steady),
			Measured: fmt.Sprintf("SACK moves %.2f and NAK %.2f of what it did.", share("SACK"), share("NAK")),
			Reason:   unless(steady, "Some bursts hit what is sent again.")},
	}
}

// plans is the advice: which bit error rate to buy, and what helps beyond it (R94, R95).
func (a agarwalReport) plans() []lab.Claim {
	half, one := a.rate(targetName(500e3)), a.rate(targetName(1e6))
	bought := near(half, 500e3) && near(one, 1e6)
	better := a.rate(independentName(1e-8)) / a.rate(independentName(1e-7))
	sack := a.rate("selective") / a.rate(independentName(1e-7))
	burst := a.rate(spreadName("SACK", 30_000)) / a.rate(spreadName("Reno", 30_000))
	return []lab.Claim{
		{ID: "R94", Text: "A user who is to have 500 kbit/s needs a bit error rate of 1e-7, and one with 1 Mbit/s 2.5e-8: they get it, within 15 %.", Verdict: verdict(bought),
			Measured: fmt.Sprintf("%s and %s.", units.FormatRate(half), units.FormatRate(one)), Reason: unless(bought, "See the table.")},
		{ID: "R95-i", Text: "For more, buy a better bit error rate: a tenth of it gives sqrt(10) times the throughput, within 15 %.", Verdict: verdict(near(better, math.Sqrt(10))),
			Measured: fmt.Sprintf("%.2f times from 1e-7 to 1e-8.", better), Reason: unless(near(better, math.Sqrt(10)), "See the table.")},
		{ID: "R95-ii", Text: "Or have users take SACK: at 1e-7 it gives a tenth more at least.", Verdict: verdict(sack >= 1.1),
			Measured: fmt.Sprintf("%.2f times with independent errors at 1e-7; %.2f times with bursts of 30,000 bits at 1e-6.", sack, burst),
			Reason: unless(sack >= 1.1, "Where losses come one by one, fast retransmit repairs them as well, and the window is halved all the same. SACK pays where several come in a round trip; "+
				"beyond that another controller does.")},
	}
}
