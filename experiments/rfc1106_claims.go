package experiments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"longhaul/lab"
)

// verdict is what becomes of a claim.
func verdict(holds bool) string {
	if holds {
		return lab.Reproduced
	}
	return lab.NotReproduced
}

// unless is the reason for a claim that does not hold.
func unless(holds bool, reason string) string {
	if holds {
		return ""
	}
	return reason
}

// extent is the smallest and the largest of some values.
type extent struct{ least, most float64 }

func extentOf(n int, value func(i int) float64) extent {
	e := extent{math.Inf(1), math.Inf(-1)}
	for i := range n {
		e.least, e.most = min(e.least, value(i)), max(e.most, value(i))
	}
	return e
}

func (e extent) within(least, most float64) bool { return e.least >= least && e.most <= most }

// mean returns the mean goodput of a cell in units of 1000 octets per second, as the RFC prints it.
func (f foxReport) mean(table string, window int, ber float64) float64 {
	return stat.Mean(f.rate(table, window, ber), nil) / 1000
}

// ratio is the extent over the windows of one cell's goodput over another's.
func (f foxReport) ratio(table string, ber float64, base string, baseBER float64) extent {
	return extentOf(len(foxWindows), func(i int) float64 {
		return f.mean(table, foxWindows[i], ber) / f.mean(base, foxWindows[i], baseBER)
	})
}

// band is the extent over the windows of a cell's goodput.
func (f foxReport) band(table string, ber float64) extent {
	return extentOf(len(foxWindows), func(i int) float64 { return f.mean(table, foxWindows[i], ber) })
}

func (f foxReport) claims() []lab.Claim {
	claims := append(f.conclusions(), f.bands()...)
	return append(append(claims, f.attribution()...), f.arithmetic()...)
}

// quotient is the extent of x's mean over y's, within their intervals.
func quotient(x, y []float64) extent {
	a, b := stat.Mean(x, nil), stat.Mean(y, nil)
	off := math.Hypot(lab.Interval95(x)/a, lab.Interval95(y)/b)
	return extent{a / b * (1 - off), a / b * (1 + off)}
}

// gains reports whether figure 2 beats figure 1 in each window by a factor from least to most, within the intervals of the
// two cells.
func (f foxReport) gains(ber, least, most float64) bool {
	for _, w := range foxWindows {
		if q := quotient(f.rate("fig2", w, ber), f.rate("fig1", w, ber)); q.most < least || q.least > most {
			return false
		}
	}
	return true
}

// grows returns by what factor the largest window beats the smallest.
func (f foxReport) grows(table string, ber float64) extent {
	return quotient(f.rate(table, foxWindows[len(foxWindows)-1], ber), f.rate(table, foxWindows[0], ber))
}

// middle returns the value that the extent is around.
func (e extent) middle() float64 { return (e.least + e.most) / 2 }

// conclusions are the four of the appendix (R25).
func (f foxReport) conclusions() []lab.Claim {
	free := extentOf(len(foxWindows), func(i int) float64 {
		return math.Abs(f.mean("fig2", foxWindows[i], 0)/f.mean("fig1", foxWindows[i], 0) - 1)
	})
	plain7, plain6, nak := f.grows("fig1", 1e-7), f.grows("fig1", 1e-6), f.grows("fig2", 1e-7)
	useless := plain7.least < 1.15 && plain6.least < 1.15 && nak.least > 1.4
	low, high := f.ratio("fig2", 1e-7, "fig1", 1e-7), f.ratio("fig2", 1e-6, "fig1", 1e-6)
	lowHolds, highHolds := f.gains(1e-7, 1.57, 3.56), f.gains(1e-6, 2.3, 4.4)
	plain := f.band("fig1", 1e-7)
	return []lab.Claim{
		{ID: "R25-i", Text: "Without errors NAKs cost nothing (at most 5 %).", Verdict: verdict(free.most <= 0.05),
			Measured: fmt.Sprintf("at most %.2f %%.", 100*free.most)},
		{ID: "R25-ii", Text: "At 1e-7, NAKs and noise give 1.57 to 3.56 times the rate without.", Verdict: verdict(lowHolds),
			Measured: fmt.Sprintf("%.2f to %.2f times, within the intervals of the cells.", low.least, low.most),
			Reason: unless(lowHolds, fmt.Sprintf("The rate without NAKs is %.0f to %.0f kB/s here and 42 to 66 in the RFC, whose hosts took time too: "+
				"its first rows say a round trip of 0.67 to 0.70 s (C-14).", plain.least, plain.most))},
		{ID: "R25-iii", Text: "At 1e-6, 2.3 to 4.4 times.", Verdict: verdict(highHolds),
			Measured: fmt.Sprintf("%.2f to %.2f times.", high.least, high.most),
			Reason: unless(highHolds, "NAKs gain more here. The RFC's rates with NAKs swing between 35 and 62 kB/s without a trend, which it puts down to many lost NAKs; "+
				"but under independent bit errors of this rate only one NAK in 2400 dies. Its error simulator did something else, or its hosts were slow (C-12); "+
				"errors by the packet, ACKs and data alike, do not explain it either (table sensitivity).")},
		{ID: "R25-iv", Text: "Under errors a larger window is no use without NAKs, and with them at 1e-7 it is.", Verdict: verdict(useless),
			Measured: fmt.Sprintf("2.4 times the window gives %.2f (1e-7) and %.2f (1e-6) times the rate without NAKs, and %.2f times with them at 1e-7.",
				plain7.middle(), plain6.middle(), nak.middle()),
			Reason: unless(useless, "Tahoe gets back to a larger window now and then: at 1e-7 some 1200 segments pass between two losses.")},
	}
}

// bands say whether the cells lie where the RFC's do, as bands and not as points (C-14).
func (f foxReport) bands() []lab.Claim {
	law := extentOf(2*len(foxWindows), func(i int) float64 {
		w := foxWindows[i/2]
		return f.mean([]string{"fig1", "fig2"}[i%2], w, 0) / min(float64(w)*1.024/foxRTT.Seconds(), foxRate/8e3)
	})
	plain7, plain6 := f.band("fig1", 1e-7), f.band("fig1", 1e-6)
	keeps, twice := f.ratio("fig2", 1e-7, "fig2", 0), f.ratio("fig2", 1e-6, "fig1", 1e-6)
	return []lab.Claim{
		{ID: "R24-a", Text: "Without errors each cell reaches 0.80 to 1.00 of window over round trip, or of the link's 193 kB/s.", Verdict: verdict(law.within(0.8, 1)),
			Measured: fmt.Sprintf("%.2f to %.2f.", law.least, law.most)},
		{ID: "R24-b", Text: "Without NAKs 40 to 95 kB/s at 1e-7, and 10 to 22 kB/s at 1e-6.", Verdict: verdict(plain7.within(40, 95) && plain6.within(10, 22)),
			Measured: fmt.Sprintf("%.0f to %.0f, and %.0f to %.0f kB/s.", plain7.least, plain7.most, plain6.least, plain6.most)},
		{ID: "R24-c", Text: "With NAKs and noise every window keeps at least 80 % of its rate at 1e-7, and gets at least twice the rate without NAKs at 1e-6.",
			Verdict:  verdict(keeps.least >= 0.8 && twice.least >= 2),
			Measured: fmt.Sprintf("at least %.0f %%, and %.1f times.", 100*keeps.least, twice.least)},
	}
}

// attribution asks which of the two changes of figure 2 makes the gain (C-16).
func (f foxReport) attribution() []lab.Claim {
	over := func(table string, ber float64) float64 {
		return stat.Mean(f.overWindows(table, ber, octetsPerSecond), nil) / stat.Mean(f.overWindows("fig1", ber, octetsPerSecond), nil)
	}
	nak := extentOf(2, func(i int) float64 { return over("NAK only", foxBERs[1+i]) })
	return []lab.Claim{{ID: "C-16", Text: "NAKs alone, with slow start at each loss, gain nothing: within 25 % of no NAKs.", Verdict: verdict(nak.within(0.75, 1.25)),
		Measured: fmt.Sprintf("%.2f and %.2f times the rate without NAKs; the noise policy alone %.2f and %.2f times, both together %.2f and %.2f times (1e-7 and 1e-6).",
			over("NAK only", 1e-7), over("NAK only", 1e-6), over("noise only", 1e-7), over("noise only", 1e-6), over("fig2", 1e-7), over("fig2", 1e-6))}}
}

// arithmetic are the claims about single losses and slow start.
func (f foxReport) arithmetic() []lab.Claim {
	off := extentOf(len(foxSingle), func(i int) float64 {
		return math.Abs(f.cost(paced, foxSingle[i].name) - stall(foxSingle[i].window))
	})
	noTimeouts := true
	for _, w := range foxSingle {
		noTimeouts = noTimeouts && f.each(singleName("fig2", w.name, true), timeouts)[0] == 0
	}
	free := f.cost(paced, "2Z")
	plain := f.cost("fig1", "Z/2")
	words := extentOf(2, func(i int) float64 {
		return math.Abs(f.opensAfter(1+i)/(foxRTT.Seconds()*math.Log(foxOpen)/math.Log(float64(2+i))) - 1)
	})
	oneRound := foxRTT.Seconds()
	return []lab.Claim{
		{ID: "R23-a", Text: "With NAKs a window of 2Z loses no time on a loss, and a smaller one the rest of two round trips.", Verdict: verdict(free < 0.05 && off.most < 0.05),
			Measured: fmt.Sprintf("%.3f s with 2Z; at most %.3f s from the arithmetic with the other windows.", free, off.most)},
		{ID: "R23-b", Text: "Without NAKs a loss costs at least three one-way delays when the window is half the path.", Verdict: verdict(plain >= 1.5*oneRound),
			Measured: fmt.Sprintf("%.2f s, and three one-way delays are %.2f s.", plain, 1.5*oneRound)},
		{ID: "R22", Text: "No timeout comes between the repair that a NAK causes and its acknowledgement.", Verdict: verdict(noTimeouts),
			Measured: fmt.Sprintf("none in the four single losses; %.2f timeouts a run in figure 2 at 1e-7, where repairs and NAKs are lost too.",
				stat.Mean(f.overWindows("fig2", 1e-7, timeouts), nil))},
		{ID: "C-9", Text: "Two segments for one open the window in R log3(W), against R log2(W); the RFC's 2 R log2(W) would be slower than the standard.",
			Verdict: verdict(words.most*oneRound*math.Log2(foxOpen) < oneRound && f.opensAfter(2) < f.opensAfter(1)),
			Measured: fmt.Sprintf("%.2f s with one, %.2f s with two; the formulas give %.2f and %.2f s, and the one printed %.2f s. A window opens in whole round trips.",
				f.opensAfter(1), f.opensAfter(2), oneRound*math.Log2(foxOpen), oneRound*math.Log(foxOpen)/math.Log(3), 2*oneRound*math.Log2(foxOpen))},
	}
}

// notes say what else was found.
func (f foxReport) notes() []string {
	burst := func(i, window int, figure func(*lab.Result) float64) float64 {
		return stat.Mean(f.each(cell(foxBurst[i].name, window, 1e-7), figure), nil)
	}
	over := func(table string, ber float64) float64 {
		return stat.Mean(f.overWindows(table, ber, octetsPerSecond), nil) / 1000
	}
	again := func(table string) float64 { return 100 * stat.Mean(f.overWindows(table, 1e-6, sentAgain), nil) }
	return []string{
		fmt.Sprintf("A repair releases up to a window at once. With a queue of one BDP, no pacing and a window of 156K that overflows the queue: %.0f packets a run are dropped, "+
			"and %.0f kB/s are left of %.0f. With pacing %.0f are dropped and %.0f kB/s are left. A window of 100K, less than the path, overflows nothing (%.0f drops).",
			burst(1, 156, queueDrops), burst(1, 156, octetsPerSecond)/1000, burst(0, 156, octetsPerSecond)/1000,
			burst(2, 156, queueDrops), burst(2, 156, octetsPerSecond)/1000, burst(1, 100, queueDrops)),
		fmt.Sprintf("What gains is the policy, not the NAK: with duplicate ACKs alone and noise the rate at 1e-6 is %.0f kB/s, with NAKs %.0f. But Tahoe goes back to the hole and sends "+
			"the window again, %.1f %% of all it sends; with NAKs %.2f %%.",
			over("noise only", 1e-6), over("fig2", 1e-6), again("noise only"), again("fig2")),
		fmt.Sprintf("35 years later: over the nine windows cubic with RACK reaches %.0f kB/s at 1e-7 and %.0f at 1e-6, where the RFC's host reaches %.0f and %.0f without NAKs and %.0f and %.0f with NAKs and noise. "+
			"What the noise policy still buys on a modern engine: %.0f and %.0f kB/s.",
			over("cubic", 1e-7), over("cubic", 1e-6), over("fig1", 1e-7), over("fig1", 1e-6), over("fig2", 1e-7), over("fig2", 1e-6), over("modern", 1e-7), over("modern", 1e-6)),
		fmt.Sprintf("The arithmetic of section 4.1 holds for a sender that sends at the link's rate and has window to spare. One that sends all its window allows keeps what exceeds Z "+
			"in its own queue, and a repair waits behind that: a loss then costs a round trip with any window (%.2f s with 2Z).", f.cost("fig2", "2Z")),
		fmt.Sprintf("Errors in bursts of 70 bits hit fewer segments at the same bit error rate: with 156K at 1e-6 the host without NAKs keeps %.0f kB/s, where it keeps %.0f under single errors.",
			f.mean("bursts of 70 bits/fig1", 156, 1e-6), f.mean("as above/fig1", 156, 1e-6)),
		"Some cells of the RFC are out of line with window over round trip: its rows of 64K to 80K say a round trip of 0.67 to 0.70 s, and 92K and 112K in figure 1 fall behind their neighbours. " +
			"They are single runs; bands and ratios are compared, not points (C-14).",
		"The noise policy is for a link of one's own: nothing here competes for the path, and with it a sender does not back off.",
	}
}
