package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"longhaul/lab"
	"longhaul/stacks"
)

// modelQuestion is one about a few stacks over 600 ms.
func modelQuestion(t *testing.T) lab.Question {
	list, err := stacks.ParseList("reno,reno*16,bbr,vegas")
	if err != nil {
		t.Fatal(err)
	}
	return lab.Question{MSS: 1460, RTT: 600 * time.Millisecond, Stacks: list}
}

// text is what a writer of text writes, whose lines must fit the width.
func text[T any](t *testing.T, write func(w *bytes.Buffer, v T) error, v T) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimRight(line, "\n")) > width {
			t.Errorf("a line of %d: %s", len(line), line)
		}
	}
	return b.String()
}

func TestEstimateText(t *testing.T) {
	q := modelQuestion(t)
	q.BER, q.Rate = 5e-6, 2_000_000
	e, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, func(w *bytes.Buffer, e lab.Estimate) error { return EstimateText(w, e) }, e)
	for _, want := range []string{
		"Round trip 600 ms, segments of 1460 octets in packets of 1500, bit error rate 5e-6: packet loss 5.82%\nlink 2 Mbit/s\n",
		"\nAgarwal                      69.8 kbit/s ?  loss\n", "\nPFTK                             55 kbit/s  loss\n", "\nbbr        1.93 Mbit/s  link\n",
		"- reno and reno*16: sqrt(3/(2 b p))", "A figure with ? is beyond", "No formula is known for vegas:", "takes a hundredth of the errors",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var document struct {
		Laws []struct {
			Name       string
			Throughput *float64 `json:"throughput_bps"`
		}
		Without []string `json:"without_law"`
	}
	var b bytes.Buffer
	if err := EstimateJSON(&b, e); err != nil || json.Unmarshal(b.Bytes(), &document) != nil || len(document.Laws) != 5 || *document.Laws[0].Throughput != *e.Laws[0].Throughput ||
		document.Without[0] != "vegas" {
		t.Errorf("document %+v, %v", document, err)
	}

	q.BER, q.Rate = 0, 0
	if e, err = q.Answer(); err != nil {
		t.Fatal(err)
	}
	got = text(t, func(w *bytes.Buffer, e lab.Estimate) error { return EstimateText(w, e) }, e)
	if !strings.Contains(got, "unlimited  nothing") || !strings.Contains(got, "Without errors only the link and the window limit a transfer.") || strings.Contains(got, "?") {
		t.Errorf("without errors:\n%s", got)
	}
	b.Reset()
	if err := EstimateJSON(&b, e); err != nil || !strings.Contains(b.String(), `"throughput_bps": null`) {
		t.Errorf("without errors: %s, %v", b.String(), err)
	}
}

func TestPlanText(t *testing.T) {
	p := lab.Plan{
		Target: 500e3, MSS: 1460, Packet: 1500, RTT: 600, Rate: 1e6, Duration: 1402, Runs: 3, Seed: 1,
		Laws: []lab.Purchase{{Name: "Agarwal", BER: new(9.7e-8), Loss: new(1.17e-3), Goodput: 500e3}, {Name: "none"}},
		Stacks: []lab.StackPurchase{
			{Stack: "reno", Model: &lab.Purchase{BER: new(1.9e-7), Loss: new(2.2e-3)}, Simulated: &lab.Purchase{BER: new(1e-7), Loss: new(1.2e-3), Goodput: 521e3}},
			{Stack: "bbr", Model: &lab.Purchase{BER: new(1.9e-5), Loss: new(0.2), Worse: true}, Simulated: &lab.Purchase{BER: new(1.6e-5), Loss: new(0.173), Goodput: 700e3}},
			{Stack: "vegas", Simulated: &lab.Purchase{}},
		},
	}
	write := func(w *bytes.Buffer, p lab.Plan) error { return PlanText(w, p) }
	got := text(t, write, p)
	for _, want := range []string{
		"To move 500 kbit/s over a round trip of 600 ms, segments of 1460 octets in packets of 1500\n",
		"\nAgarwal                              9.7e-8       0.117%\n", "\nnone                           out of reach            -\n",
		"reno            1.9e-7        0.22%           1e-7        0.12%   521 kbit/s\n", "1.9e-5 or worse", "vegas                -            -   out of reach            -            -\n",
		"the mean of 3 runs of 23m22s", "Buy 1e-7 for reno; bbr is content with 1.6e-5, 160 times as many errors.", "SACK alone",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	p.Runs, p.NotSimulated = 0, "it takes too long"
	for i := range p.Stacks {
		p.Stacks[i].Simulated = nil
	}
	got = text(t, write, p)
	for _, want := range []string{"Not simulated: it takes too long.\n", "Buy 1.9e-7 for reno; bbr is content with 1.9e-5, 100 times"} {
		if !strings.Contains(got, want) || strings.Contains(got, "Simulated over") {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var b bytes.Buffer
	if err := PlanJSON(&b, p); err != nil || !strings.Contains(b.String(), `"not_simulated": "it takes too long"`) || !strings.Contains(b.String(), `"by_model": null`) {
		t.Errorf("%v: %s", err, b.String())
	}
	if x := multiple(50118.7); x != "50,000" {
		t.Errorf("50118.7 times is written %s", x)
	}
}
