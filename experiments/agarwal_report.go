package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"longhaul/lab"
	"longhaul/model"
	"longhaul/units"
)

// agarwalReport turns what the runs of Agarwal gave into tables, figures, claims and notes.
type agarwalReport struct{ findings }

func (a agarwalReport) reproduction() lab.Reproduction {
	minutes := a.cases[0].Duration.Minutes()
	return lab.Reproduction{
		Setup: []string{
			fmt.Sprintf("The path is the message's link simulator: a round trip of 600 ms, 8 Mbit/s so that the link does not decide, a queue of one BDP. Independent bit errors hit data and ACKs (C-49), bursts the data. "+
				"Each run lasts %g virtual minutes.", minutes),
			"The host stands for its Solaris 5.6: NewReno without SACK, segments of 1460 octets, socket buffers of 256 KiB, delayed ACKs and growth per ACK, a 500 ms clock, no pacing, " +
				"no timestamps (R92).",
			"Predictions are for segments of 1500 octets as in the message, measurements for 1460 in packets of 1500 (C-46). \"Uniform\" and \"random\" errors both are independent bits (C-48).",
			fmt.Sprintf("Simulated figures are means of %d runs for the table, and of %d for the rest, with their 95 %% confidence interval.",
				2*agarwalRuns(a.o), agarwalRuns(a.o)),
		},
		Tables:  []lab.Table{a.table(), a.laws(), a.t1(), a.viterbi(), a.spread(), a.dense(), a.planning()},
		Figures: []lab.Figure{a.curve(), a.widths()},
		Claims:  slices.Concat(a.formula(), a.measured(), a.bursts(), a.plans()),
		Notes: []string{
			fmt.Sprintf("The measured 1.494 Mbit/s at 1e-8 are also what a T1 carries of such segments, 1.495 Mbit/s (C-47). Through a T1 the simulated host moves %s with a queue of one BDP "+
				"and %s with room for the window: the link cuts off the peaks of its sawtooth, and errors the rest.", units.FormatRate(a.rate("T1/one BDP")), units.FormatRate(a.rate("T1/room for the window"))),
			fmt.Sprintf("From 1e-9 on the buffers of 256 KiB decide, a window a round trip: %s at most. The formula's figures need larger ones.", units.FormatRate(model.WindowRate(satelliteWindow, model.AgarwalRTT))),
			"In the sweep of burst lengths bursts have a bit in two wrong up to 40 bits, and 20 wrong bits in all beyond, so that the same errors lie ever further apart. With half of all bits wrong whatever " +
				"the length, longer bursts are rarer bursts at the same bit error rate, and the throughput only rises.",
			"For other stacks, round trips and sizes `longhaul model` has the same laws, and with --target the bit error rate to buy.",
		},
	}
}

// bitsPerSecond is what an experiment on links shows.
func bitsPerSecond(r *lab.Result) float64 { return r.GoodputBps }

func (a agarwalReport) rates(name string) []float64 { return a.each(name, bitsPerSecond) }

func (a agarwalReport) rate(name string) float64 { return stat.Mean(a.rates(name), nil) }

func independentName(ber float64) string { return fmt.Sprintf("independent/%g", ber) }

func (a agarwalReport) simulated(ber float64) bool {
	_, ok := a.at[independentName(ber)]
	return ok
}

// agarwalPrinted are the predictions of the message, in bits per second.
var agarwalPrinted = []float64{15.8e3, 49.9e3, 158e3, 499.6e3, 1.580e6, 4.996e6, 15.8e6, 49.963e6, 158e6}

// exact is a figure that was computed.
func exact(c lab.Coordinates, reference *float64, x float64, unit string) lab.Row {
	return lab.NewRow(c, reference, []float64{x}, unit)
}

// table is the message's: predicted and measured, each beside what is computed and simulated here.
func (a agarwalReport) table() lab.Table {
	t := lab.Table{ID: "table", Title: "Agarwal's table: throughput, predicted and measured (R91, R92)", Across: "figure"}
	for i, row := range model.AgarwalTable {
		t.Rows = append(t.Rows, exact(at("BER", row.BER, "figure", "computed"), &agarwalPrinted[i], row.Predicted(), "bit/s"))
		if a.simulated(row.BER) {
			var reference *float64
			if row.Measured > 0 {
				reference = &row.Measured
			}
			t.Rows = append(t.Rows, lab.NewRow(at("BER", row.BER, "figure", "simulated"), reference, a.rates(independentName(row.BER)), "bit/s"))
		}
	}
	return t
}

// packetLoss is the exact loss of the measured packets at that bit error rate (C-45).
func packetLoss(ber float64) float64 { return model.PacketLoss(ber, satelliteWire) }

// mathis is the formula with the loss of packets exact.
func mathis(ber float64) float64 {
	return model.Mathis(satelliteMSS, model.AgarwalRTT, packetLoss(ber), model.DelayedACK)
}

// withTimeouts is the formula of RFC 3819.
func withTimeouts(ber float64) float64 {
	return model.RFC3819(satelliteMSS, model.AgarwalRTT, model.TypicalRTO(model.AgarwalRTT), packetLoss(ber))
}

// satelliteLimits is what caps the measured host.
func satelliteLimits() model.Limits {
	return model.Limits{
		Link:   model.LinkPayload(satelliteRate, satelliteMSS, satelliteWire),
		Window: model.WindowRate(satelliteWindow, model.AgarwalRTT),
	}
}

// laws are the formulas at each bit error rate, within the limits of link and window.
func (a agarwalReport) laws() lab.Table {
	t := lab.Table{ID: "laws", Title: "The laws for segments of 1460 octets: packet loss, Mathis' law below a loss of 2 % and RFC 3819's with its timeouts, each at most the link's and the window's (C-45, C-47)",
		Across: "figure"}
	for _, row := range slices.Backward(model.AgarwalTable) { // so that the column of each law is in its place
		p := packetLoss(row.BER)
		place := func(figure string) lab.Coordinates { return at("BER", row.BER, "figure", figure) }
		t.Rows = append(t.Rows, exact(place("loss"), nil, 100*p, "%"), exact(place("8 L BER"), nil, 100*8*satelliteWire*row.BER, "%"))
		if model.InDomain(p) {
			x, _ := satelliteLimits().Apply(mathis(row.BER))
			t.Rows = append(t.Rows, exact(place("Mathis"), nil, x, "bit/s"))
		}
		x, _ := satelliteLimits().Apply(withTimeouts(row.BER))
		t.Rows = append(t.Rows, exact(place("RFC 3819"), nil, x, "bit/s"))
		if a.simulated(row.BER) {
			t.Rows = append(t.Rows, lab.NewRow(place("simulated"), nil, a.rates(independentName(row.BER)), "bit/s"))
		}
	}
	return t
}

// t1 is the row of 1e-8 behind a T1 (C-47).
func (a agarwalReport) t1() lab.Table {
	t := lab.Table{ID: "t1", Title: "The row of 1e-8 over 8 Mbit/s and over a T1 (C-47)"}
	measured := model.AgarwalTable[4].Measured
	t.Rows = append(t.Rows, lab.NewRow(at("link", "8 Mbit/s", "queue", "one BDP"), &measured, a.rates(independentName(1e-8)), "bit/s"))
	for _, q := range t1Queues {
		t.Rows = append(t.Rows, lab.NewRow(at("link", "T1", "queue", q.name), &measured, a.rates("T1/"+q.name), "bit/s"))
	}
	return t
}

// viterbi is the effect of a decoder's bursts beside that of independent errors (R93).
func (a agarwalReport) viterbi() lab.Table {
	t := lab.Table{ID: "viterbi", Title: "Bursts of 70 bits with 10 or 20 wrong ones: packet loss by the model, throughput, and by how much that is more than with independent errors, beside the root of the wrong bits a burst (R93)",
		Across: "figure"}
	for _, ber := range viterbiRates {
		place := func(errors float64, figure string) lab.Coordinates {
			return at("BER", ber, "wrong bits", errors, "figure", figure)
		}
		t.Rows = append(t.Rows, exact(place(1, "loss"), nil, 100*packetLoss(ber), "%"), lab.NewRow(place(1, "throughput"), nil, a.rates(independentName(ber)), "bit/s"))
		for _, errors := range viterbiErrors {
			p := model.BurstLoss(ber, viterbiBits, errors/viterbiBits, satelliteWire)
			t.Rows = append(t.Rows, exact(place(errors, "loss"), nil, 100*p, "%"),
				lab.NewRow(place(errors, "throughput"), nil, a.rates(viterbiName(ber, errors)), "bit/s"),
				exact(place(errors, "gain"), new(math.Sqrt(errors)), a.gain(ber, errors), ""))
		}
	}
	return t
}

func viterbiName(ber, errors float64) string { return fmt.Sprintf("viterbi/%g/%g", ber, errors) }

// gain is how much faster bursts make the transfer.
func (a agarwalReport) gain(ber, errors float64) float64 {
	return a.rate(viterbiName(ber, errors)) / a.rate(independentName(ber))
}

// spread is the sweep of the burst length.
func (a agarwalReport) spread() lab.Table {
	t := lab.Table{ID: "bursts", Title: "The same errors ever further apart: bursts of at most 20 wrong bits, BER 1e-6 (R93)", Across: "recovery"}
	for _, bits := range spreadBits {
		for _, r := range satelliteRecoveries {
			t.Rows = append(t.Rows, lab.NewRow(at("bits", int(bits), "recovery", r.name), nil, a.rates(spreadName(r.name, bits)), "bit/s"))
		}
	}
	return t
}

// dense is the sweep in which bursts become rarer as they become longer.
func (a agarwalReport) dense() lab.Table {
	t := lab.Table{ID: "dense", Title: "Bursts with half their bits wrong, NewReno, BER 1e-6"}
	for _, bits := range denseBits {
		t.Rows = append(t.Rows, lab.NewRow(at("bits", int(bits)), nil, a.rates(fmt.Sprintf("dense/%g", bits)), "bit/s"))
	}
	return t
}

// planning is the inverse (R94).
func (a agarwalReport) planning() lab.Table {
	t := lab.Table{ID: "plan", Title: "The bit error rate that a throughput needs, 6 MSS/(RTT T)^2, and what it gives (R94)", Across: "figure"}
	references := []float64{1e-7, 2.5e-8, 2.5e-10}
	for i, target := range satelliteTargets {
		place := func(figure string) lab.Coordinates {
			return at("target", units.FormatRate(target), "figure", figure)
		}
		t.Rows = append(t.Rows, exact(place("BER"), &references[i], model.AgarwalBER(model.AgarwalMSS, model.AgarwalRTT, target), ""))
		if slices.Contains(simulatedTargets, target) {
			t.Rows = append(t.Rows, lab.NewRow(place("simulated"), &target, a.rates(targetName(target)), "bit/s"))
		}
	}
	return t
}

func targetName(target float64) string { return fmt.Sprintf("target/%g", target) }

// curve draws the laws and what was measured and simulated.
func (a agarwalReport) curve() lab.Figure {
	f := lab.Figure{ID: "laws", Title: "Throughput against bit error rate", X: "bit error rate", Y: "throughput (bit/s)", LogX: true, LogY: true}
	line := func(name string, law func(ber float64) float64) {
		s := lab.Series{Name: name, Line: true}
		for e := -10.0; e <= -4; e += 0.125 {
			ber := math.Pow(10, e)
			s.Points = append(s.Points, lab.Point{X: ber, Y: law(ber)})
		}
		f.Series = append(f.Series, s)
	}
	line("Agarwal", func(ber float64) float64 { return model.Agarwal(model.AgarwalMSS, model.AgarwalRTT, ber) })
	line("RFC 3819, bounded", func(ber float64) float64 {
		x, _ := satelliteLimits().Apply(withTimeouts(ber))
		return x
	})
	measured, simulated := lab.Series{Name: "measured"}, lab.Series{Name: "simulated"}
	for _, row := range model.AgarwalTable {
		if row.Measured > 0 {
			measured.Points = append(measured.Points, lab.Point{X: row.BER, Y: row.Measured})
		}
		if a.simulated(row.BER) {
			simulated.Points = append(simulated.Points, lab.Point{X: row.BER, Y: a.rate(independentName(row.BER))})
		}
	}
	f.Series = append(f.Series, measured, simulated)
	return f
}

// widths draws the sweep of the burst length.
func (a agarwalReport) widths() lab.Figure {
	f := lab.Figure{ID: "bursts", Title: "Bursts of at most 20 wrong bits, BER 1e-6", X: "burst (bits)", Y: "throughput (kbit/s)", LogX: true}
	for _, r := range satelliteRecoveries {
		s := lab.Series{Name: r.name, Line: true}
		for _, bits := range spreadBits {
			s.Points = append(s.Points, lab.Point{X: bits, Y: a.rate(spreadName(r.name, bits)) / 1e3})
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// printedTable is what the formula prints, in one line.
func printedTable() string {
	var list []string
	for _, row := range model.AgarwalTable {
		list = append(list, row.Printed())
	}
	return strings.Join(list, ", ")
}
