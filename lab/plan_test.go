package lab

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"longhaul/model"
	"longhaul/stacks"
)

// question is one about 600 ms without limits.
func question(t *testing.T, names ...string) Question {
	q := Question{MSS: 1460, RTT: 600 * time.Millisecond}
	for _, name := range names {
		q.Stacks = append(q.Stacks, parse(t, name))
	}
	return q
}

// TestAnswer: each law as package model has it, the stacks' response functions with their streams, timestamps and ACKs, and the smallest of
// law, link and window (C-47).
func TestAnswer(t *testing.T) {
	q := question(t, "reno", "reno*16", "reno-ts+perack", "reno:nack/4", "bbr", "vegas", "reno+noise")
	q.BER = 1e-7
	e, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	value := func(p Prediction) float64 {
		if p.Throughput == nil {
			return math.Inf(1)
		}
		return *p.Throughput
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got/want-1) < 1e-3 || got == want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("loss", e.Loss, 1.19928e-3)
	for i, want := range []float64{
		493.3e3,          // sqrt(6 1460)/(0.6 sqrt(1e-7))
		688.5e3, 486.9e3, // 8 1460 sqrt(3/2 or 3/4)/(0.6 sqrt(p))
		484.2e3, // 8 1460/(0.6 sqrt(4p/3) + 1.2 3 sqrt(3p/4) p (1+32p^2))
		479.7e3, // 41.07 segments a second by equation 31, with W = 34.0 and Q = 0.093
	} {
		near(e.Laws[i].Name, value(e.Laws[i]), want)
	}
	reno := 8 * 1448 * math.Sqrt(1.5/e.Loss) / 0.6
	for i, want := range []float64{reno, 16 * reno, 8 * 1460 * math.Sqrt(0.75/e.Loss) / 0.6, 4 * reno, math.Inf(1)} {
		near(e.Stacks[i].Name, value(e.Stacks[i]), want)
	}
	if !reflect.DeepEqual(e.WithoutLaw, []string{"vegas", "reno+noise"}) || e.Stacks[4].BoundBy != "nothing" {
		t.Errorf("without a law: %v; bbr is bound by %s", e.WithoutLaw, e.Stacks[4].BoundBy)
	}
	q.Window, q.Rate = 32<<10, 2_000_000
	if e, err = q.Answer(); err != nil || e.Laws[0].BoundBy != "window" || e.Stacks[4].BoundBy != "window" {
		t.Errorf("bound by %s and %s, want the window; %v", e.Laws[0].BoundBy, e.Stacks[4].BoundBy, err)
	}
	near("a window a round trip", value(e.Laws[0]), 8*32<<10/0.6)
	q.Window = 0
	if e, err = q.Answer(); err != nil || e.Laws[0].BoundBy != "loss" || e.Stacks[1].BoundBy != "link" {
		t.Errorf("bound by %s and %s, want loss and link; %v", e.Laws[0].BoundBy, e.Stacks[1].BoundBy, err)
	}
	near("the link", value(e.Stacks[1]), 2e6*1448/1500)
	q.BER, q.Loss = 0, 0.05
	if e, err = q.Answer(); err != nil || e.Laws[0].InDomain || !e.Laws[4].InDomain || !e.Stacks[4].InDomain {
		t.Errorf("domains at a loss of 5 %%: %+v, %v", e.Laws, err)
	}
	q.Loss, q.Rate = 0, 0
	if e, err = q.Answer(); err != nil || value(e.Laws[0]) != math.Inf(1) || e.Laws[0].BoundBy != "nothing" {
		t.Errorf("without loss: %+v, %v", e.Laws[0], err)
	}
}

// TestPlanInverts: the bit error rate that a law names for a target gives that target (R94).
func TestPlanInverts(t *testing.T) {
	for _, rtt := range []time.Duration{10 * time.Millisecond, 600 * time.Millisecond} {
		for target := 2e5; target < 2e9; target *= 3.7 {
			q := question(t, "reno", "cubic", "scalable", "hybla")
			q.RTT = rtt
			p, err := q.Plan(target, 1)
			if err != nil {
				t.Fatal(err)
			}
			check := func(name string, x Purchase, answer func(e Estimate) Prediction) {
				q.BER = *x.BER
				e, err := q.Answer()
				if err != nil {
					t.Fatal(err)
				}
				got := answer(e)
				if off := *got.Throughput/target - 1; off < 0 || off > 1e-3 && !x.Worse || math.Abs(e.Loss / *x.Loss - 1) > 1e-9 {
					t.Errorf("%v, %.0f bit/s: %s needs %v, which gives %v", rtt, target, name, *x.BER, *got.Throughput)
				}
			}
			for i, x := range p.Laws {
				check(x.Name, x, func(e Estimate) Prediction { return e.Laws[i] })
			}
			for i, s := range p.Stacks {
				check(s.Stack, *s.Model, func(e Estimate) Prediction { return e.Stacks[i] })
			}
		}
	}
	p, err := question(t, "bbr").Plan(500e3, 1)
	if err != nil || !p.Stacks[0].Model.Worse {
		t.Errorf("bbr: %+v, %v; its law has the target as far as it reaches", p.Stacks[0].Model, err)
	}
	if want := model.AgarwalBER(1460, 600*time.Millisecond, 500e3); math.Abs(*p.Laws[0].BER/want-1) > 1e-5 {
		t.Errorf("Agarwal's law: %v, want %v", *p.Laws[0].BER, want)
	}
}

// TestPlanSimulates: at the bit error rate found a transfer moves the target, and at twice as many errors it does not; the number of
// workers changes nothing.
func TestPlanSimulates(t *testing.T) {
	if testing.Short() {
		t.Skip("a virtual day")
	}
	q := question(t, "reno:newreno-ts+perack", "bbr")
	q.RTT = 300 * time.Millisecond
	const target = 1e6
	plan := func(workers int) *Plan {
		p, err := q.Plan(target, 3)
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		if err := p.Simulate(workers, func(done, total int) {
			if done < last || total != PlanRuns(2) {
				t.Errorf("%d of %d runs after %d", done, total, last)
			}
			last = done
		}); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := plan(2)
	if !reflect.DeepEqual(p, plan(1)) {
		t.Error("one worker finds another plan")
	}
	reno, bbr := p.Stacks[0].Simulated, p.Stacks[1].Simulated
	if r := *reno.BER / *p.Laws[3].BER; r < 0.6 || r > 1.7 { // RFC 3819's law is of just this sender
		t.Errorf("reno needs %v by simulation and %v by RFC 3819", *reno.BER, *p.Laws[3].BER)
	}
	if *bbr.BER < 10**reno.BER {
		t.Errorf("bbr needs %v, reno %v", *bbr.BER, *reno.BER)
	}
	for _, c := range []struct{ factor, least, most float64 }{{1, 0.9 * target, 1.4 * target}, {2, 0, 0.95 * target}} {
		r, err := Compare(Scenario{
			Path:   Path{Rate: p.Rate, RTT: q.RTT, BER: c.factor * *reno.BER, Queue: QueueSize{BDP: 1}},
			Stacks: q.Stacks[:1], Duration: 20 * time.Minute, Seed: 99, Repeat: 3,
		}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Results[0].SteadyBps; g < c.least || g > c.most {
			t.Errorf("%v times the errors: %.0f bit/s, want %.0f to %.0f", c.factor, g, c.least, c.most)
		}
	}
}

// TestPlanTooLong: where a run would have to be too long to see what errors do, the plan says so and simulates nothing.
func TestPlanTooLong(t *testing.T) {
	p, err := question(t, "reno").Plan(100e6, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Simulate(1, nil); err != nil || p.NotSimulated == "" || p.Runs != 0 || p.Stacks[0].Simulated != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestQuestionErrors: what has no answer gives one line that says what would have.
func TestQuestionErrors(t *testing.T) {
	for _, c := range []struct {
		change func(q *Question)
		want   string
	}{
		{func(q *Question) { q.MSS = 0 }, "from 1 to 65495"},
		{func(q *Question) { q.MSS = 65496 }, "from 1 to 65495"},
		{func(q *Question) { q.RTT = 0 }, "for example 600ms"},
		{func(q *Question) { q.BER, q.Loss = 1e-7, 1e-3 }, "one of them"},
		{func(q *Question) { q.BER = 1 }, "less than 1"},
		{func(q *Question) { q.Loss = math.NaN() }, "less than 1"},
		{func(q *Question) { q.Rate = -1 }, "negative"},
	} {
		q := question(t, "reno")
		c.change(&q)
		if _, err := q.Answer(); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	for _, c := range []struct {
		target float64
		change func(q *Question)
		want   string
	}{
		{1e6, func(q *Question) { q.MSS = 87 }, "at least 88"},
		{0, func(*Question) {}, "must be positive"},
		{math.NaN(), func(*Question) {}, "must be positive"},
		{1e6, func(q *Question) { q.Rate = 1e6 }, "than the link allows"},
		{1e6, func(q *Question) { q.Window = 64 << 10 }, "than the window allows"},
		{1e6, func(q *Question) { q.RTT = -1 }, "for example 600ms"},
		{1, func(q *Question) { q.Window = 3; q.Stacks = []stacks.Stack{parse(t, "reno*4")} }, "one octet per stream"},
	} {
		q := question(t, "reno")
		c.change(&q)
		if _, err := q.Plan(c.target, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
