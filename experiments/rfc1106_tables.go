package experiments

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"longhaul/lab"
)

// foxReport turns what the runs of RFC1106 gave into tables, claims and notes.
type foxReport struct{ findings }

func (f foxReport) reproduction() lab.Reproduction {
	return lab.Reproduction{
		Setup: []string{
			"The path is the RFC's: 1.544 Mbit/s, a round trip of 580 ms, so that Z, what fits into it, is 111,940 octets; bit errors are independent and hit both " +
				"directions. The sender is the link's own host: its queue holds 256 KiB, more than any window, and nothing is paced.",
			"The host is the RFC's, 4.3BSD Tahoe: three duplicate ACKs, a 500 ms clock, a timeout of at least 1 s, growth per ACK, a first window of one segment, " +
				"no SACK, no timestamps. What the RFC does not say: segments of 1024 octets, an ACK for each of them (C-15).",
			"The RFC prints the error rates as 10e-7 and 10e-6; they are 1e-7 and 1e-6 (C-11). Windows are in units of 1024 octets, rates in octets per second (C-13).",
			fmt.Sprintf("Each run moves %d MB from the handshake to the last octet. Cells with errors are means of %d runs with their 95 %% confidence interval.",
				f.cases[0].Flows[0].Bytes/1e6, f.at[cell("fig1", 64, 1e-7)].runs),
		},
		Tables: []lab.Table{
			f.figure("fig1", "Figure 1: big windows, no NAKs; a loss is congestion"),
			f.figure("fig2", "Figure 2: big windows and NAKs; a loss is noise"),
			f.policies(),
			f.today(),
			f.single(),
			f.curve(),
			f.opening(),
			f.start(),
			f.sensitivity(),
			f.bursts(),
		},
		Claims: f.claims(),
		Notes:  f.notes(),
	}
}

// at makes coordinates of keys and values in turn.
func at(pairs ...any) lab.Coordinates {
	var c lab.Coordinates
	for i := 0; i < len(pairs); i += 2 {
		c = append(c, lab.Coordinate{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return c
}

// count is a row with the mean of how often something happened in a run: often never, so that an interval says little.
func count(c lab.Coordinates, x []float64) lab.Row {
	return lab.NewRow(c, nil, []float64{stat.Mean(x, nil)}, "")
}

// kib writes a window of that many KiB as the RFC does.
func kib(window int) string { return strconv.Itoa(window) + "K" }

// rate returns the goodput of each run of a cell, in octets per second.
func (f foxReport) rate(table string, window int, ber float64) []float64 {
	return f.each(cell(table, window, ber), octetsPerSecond)
}

// figure is one of the RFC's two figures, beside the printed one.
func (f foxReport) figure(id, title string) lab.Table {
	t := lab.Table{ID: id, Title: title, Across: "ber"}
	for i, w := range foxWindows {
		for j, ber := range foxBERs {
			printed := foxPrinted[id][i][j] * 1000
			t.Rows = append(t.Rows, lab.NewRow(at("window", kib(w), "ber", ber), &printed, f.rate(id, w, ber), "B/s"))
		}
	}
	return t
}

// foxCorners are the four combinations of NAKs and policy, and the RFC's figure that shows it.
var foxCorners = []struct{ table, nak, policy, printed string }{
	{"fig1", "off", "congestion", "fig1"},
	{"NAK only", "on", "congestion", ""},
	{"noise only", "off", "noise", ""},
	{"fig2", "on", "noise", "fig2"},
}

// overWindows returns, run by run, the mean of a figure over the nine windows.
func (f foxReport) overWindows(table string, ber float64, figure func(*lab.Result) float64) []float64 {
	mean := make([]float64, f.at[cell(table, foxWindows[0], ber)].runs)
	for _, w := range foxWindows {
		for i, x := range f.each(cell(table, w, ber), figure) {
			mean[i] += x / float64(len(foxWindows))
		}
	}
	return mean
}

// policies separates what NAKs gain from what the policy gains.
func (f foxReport) policies() lab.Table {
	t := lab.Table{ID: "policy", Title: "NAKs and the loss policy apart (C-16): means over the nine windows", Across: "ber"}
	for _, c := range foxCorners {
		for _, ber := range foxBERs[1:] {
			var printed *float64
			if c.printed != "" {
				j := 1
				if ber == foxBERs[2] {
					j = 2
				}
				var sum float64
				for _, row := range foxPrinted[c.printed] {
					sum += row[j] * 1000
				}
				printed = new(sum / float64(len(foxWindows)))
			}
			place := func(figure string) lab.Coordinates {
				return at("NAKs", c.nak, "a loss is", c.policy, "figure", figure, "ber", ber)
			}
			t.Rows = append(t.Rows, lab.NewRow(place("goodput"), printed, f.overWindows(c.table, ber, octetsPerSecond), "B/s"))
			percent := func(r *lab.Result) float64 { return 100 * sentAgain(r) }
			t.Rows = append(t.Rows, lab.NewRow(place("sent again"), nil, f.overWindows(c.table, ber, percent), "%"))
			t.Rows = append(t.Rows, count(place("timeouts"), f.overWindows(c.table, ber, timeouts)))
		}
	}
	return t
}

// today puts today's stacks beside the RFC's.
func (f foxReport) today() lab.Table {
	t := lab.Table{ID: "today", Title: "What 35 years changed: the RFC's host without and with NAKs and noise, today's cubic with RACK, and " +
		"reno+bigwindow+nak+noise on a modern engine", Across: "stack"}
	for _, w := range foxWindows {
		for _, ber := range foxBERs {
			for _, s := range []struct{ table, name string }{{"fig1", "bsd43"}, {"fig2", "fox"}, {"cubic", "cubic"}, {"modern", "reno+bigwindow+nak+noise"}} {
				t.Rows = append(t.Rows, lab.NewRow(at("window", kib(w), "ber", ber, "stack", s.name), nil, f.rate(s.table, w, ber), "B/s"))
			}
		}
	}
	return t
}

// cost returns by how many seconds a single loss delayed a transfer.
func (f foxReport) cost(host, window string) float64 {
	return f.each(singleName(host, window, true), completion)[0] - f.each(singleName(host, window, false), completion)[0]
}

// stall is the cost of a loss that NAKs repair, in seconds: after the window is spent, the link idles until the repair's
// ACK arrives two round trips after the loss. With less than Z it idles in each round trip anyway, and one more is lost.
func stall(window int) float64 {
	rtt := foxRTT.Seconds()
	if window < foxPath {
		return rtt
	}
	return math.Max(0, 2*rtt-float64(window)/foxLimit)
}

// single is the cost of one loss.
func (f foxReport) single() lab.Table {
	t := lab.Table{ID: "single", Title: "What one loss costs (R23): by how much it delays a transfer, beside the RFC's arithmetic", Across: "sender"}
	for _, w := range foxSingle {
		t.Rows = append(t.Rows,
			lab.NewRow(at("window", w.name, "sender", "NAKs, at the link's rate"), new(stall(w.window)), []float64{f.cost(paced, w.name)}, "s"),
			lab.NewRow(at("window", w.name, "sender", "NAKs, all at once"), nil, []float64{f.cost("fig2", w.name)}, "s"),
			lab.NewRow(at("window", w.name, "sender", "no NAKs, congestion"), nil, []float64{f.cost("fig1", w.name)}, "s"))
	}
	return t
}

// curveRounds is how many round trips of slow start are shown.
const curveRounds = 4

// curve is the window in slow start, round trip by round trip.
func (f foxReport) curve() lab.Table {
	t := lab.Table{ID: "curve", Title: "Slow start that opens the window by k segments for each acknowledged one: window in segments after n round trips, beside (1+k)^n (R20, R21)", Across: "n"}
	for _, k := range foxRates {
		for n := 1; n <= curveRounds; n++ {
			t.Rows = append(t.Rows, lab.NewRow(at("k", k, "n", n), new(math.Pow(float64(1+k), float64(n))), []float64{f.windowAfter(k, n)}, ""))
		}
	}
	return t
}

// windowAfter returns the window of slow start at rate k in the middle of the n-th round trip after the first flight left, in
// segments.
func (f foxReport) windowAfter(k, n int) float64 {
	r := f.results[f.at["curve/"+strconv.Itoa(k)].first][0]
	when := *r.Connect + (float64(n)+0.5)*foxRTT.Seconds()
	i := 0
	for i < len(r.Curve)-1 && r.Curve[i].Time < when {
		i++
	}
	return float64(r.Curve[i].Window) / foxPayload
}

// opensAfter returns how long slow start at rate k took to open the RFC's largest window, in seconds.
func (f foxReport) opensAfter(k int) float64 {
	r := f.results[f.at["curve/"+strconv.Itoa(k)].first][0]
	for _, p := range r.Curve {
		if p.Window >= foxOpen*foxPayload {
			return p.Time - *r.Connect
		}
	}
	return math.NaN()
}

// foxOpen is the window that slow start has to open, in segments: 156K of 1024 octets.
const foxOpen = 156

// opening is how long slow start takes to open a window.
func (f foxReport) opening() lab.Table {
	t := lab.Table{ID: "opening", Title: "Time until slow start has opened a window of 156 segments, beside R log(W) to the base 1+k"}
	for _, k := range foxRates {
		t.Rows = append(t.Rows, lab.NewRow(at("k", k), new(foxRTT.Seconds()*math.Log(foxOpen)/math.Log(float64(1+k))), []float64{f.opensAfter(k)}, "s"))
	}
	return t
}

// start is what a faster slow start is worth after losses.
func (f foxReport) start() lab.Table {
	t := lab.Table{ID: "start", Title: "NAKs, a loss is congestion, window 156K: what slow start by k segments gains (R21)", Across: "ber"}
	for _, k := range foxRates {
		for _, ber := range foxBERs[1:] {
			t.Rows = append(t.Rows, lab.NewRow(at("k", k, "ber", ber), nil, f.rate("start "+strconv.Itoa(k), 156, ber), "B/s"))
		}
	}
	return t
}

// gain returns by what factor NAKs and noise beat neither, in a variant.
func (f foxReport) gain(variant string, window int, ber float64) float64 {
	return stat.Mean(f.rate(variant+"/fig2", window, ber), nil) / stat.Mean(f.rate(variant+"/fig1", window, ber), nil)
}

// sensitivity is what the results owe to what the RFC leaves open.
func (f foxReport) sensitivity() lab.Table {
	t := lab.Table{ID: "sensitivity", Title: "What hangs on what the RFC does not say (C-15)", Across: "host"}
	for _, v := range foxVariants {
		for _, w := range foxSensitive {
			for _, ber := range foxBERs[1:] {
				place := func(host string) lab.Coordinates {
					return at("variant", v.name, "window", kib(w), "ber", ber, "host", host)
				}
				t.Rows = append(t.Rows,
					lab.NewRow(place("no NAKs, congestion"), nil, f.rate(v.name+"/fig1", w, ber), "B/s"),
					lab.NewRow(place("NAKs, noise"), nil, f.rate(v.name+"/fig2", w, ber), "B/s"),
					lab.NewRow(place("gain"), nil, []float64{f.gain(v.name, w, ber)}, ""))
			}
		}
	}
	return t
}

// bursts is what a repair does to a queue of one BDP.
func (f foxReport) bursts() lab.Table {
	t := lab.Table{ID: "burst", Title: "A repair releases a window at once: NAKs, noise, error rate 1e-7, means a run", Across: "figure"}
	for _, b := range foxBurst {
		for _, w := range []int{100, 156} {
			name := cell(b.name, w, 1e-7)
			place := func(figure string) lab.Coordinates {
				return at("sending into", b.name, "window", kib(w), "figure", figure)
			}
			t.Rows = append(t.Rows,
				lab.NewRow(place("goodput"), nil, f.each(name, octetsPerSecond), "B/s"),
				count(place("dropped by the queue"), f.each(name, queueDrops)),
				count(place("timeouts"), f.each(name, timeouts)))
		}
	}
	return t
}
