package main

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"longhaul/lab"
	"longhaul/report"
	"longhaul/units"
)

// modelStacks are the stacks that model takes when none is named: Reno without and with today's recovery, and who is thought to do better.
const modelStacks = "reno:newreno,reno,reno*16,cubic,hybla,bbr,bbr3"

// modelFlags are the flags of model.
type modelFlags struct {
	mss     int
	rtt     units.Duration
	ber     units.Probability
	loss    units.Probability
	target  units.Rate
	rate    units.Rate
	window  units.Size
	stacks  stacksFlag
	seed    uint64
	workers int
	json    bool
}

// modelCommand makes "longhaul model".
func modelCommand(c console) *cobra.Command {
	f := modelFlags{mss: lab.DefaultMSS, rtt: units.Duration(lab.DefaultModelRTT), ber: units.Probability(lab.DefaultModelBER)}
	if err := f.stacks.Set(modelStacks); err != nil {
		panic(err)
	}
	cmd := &cobra.Command{
		Use:   "model",
		Short: "What the literature expects of a path, and which bit error rate a throughput needs",
		Long: `model says what the published laws of TCP throughput expect of a path with bit errors or packet losses: for one
Reno connection, and for each stack that has a response function.

With --target it goes the other way: which bit error rate must a link have for a transfer to move so much? By the
laws, and for each stack also by simulation, which takes some time.`,
		Example: `  longhaul model --rtt 600ms --ber 1e-7
  longhaul model --rtt 100ms --loss 0.1% --rate 100mbit --stacks reno,cubic,scalable
  longhaul model --rtt 600ms --target 500kbit`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			return f.run(c, cmd.Flags())
		},
	}
	p := cmd.Flags()
	p.SortFlags = false
	p.IntVar(&f.mss, "mss", f.mss, "`octets` of payload in a segment")
	p.Var(&f.rtt, "rtt", "round-trip propagation time")
	p.Var(&f.ber, "ber", "bit error rate")
	p.Var(&f.loss, "loss", "probability that a packet is lost, in place of --ber")
	p.Var(&f.target, "target", "throughput to plan for, in place of both")
	p.Var(&f.rate, "rate", "rate of the link; no limit if left out, and with --target twice what it takes")
	p.Var(&f.window, "window", "socket buffers; no limit if left out")
	p.Var(&f.stacks, "stacks", "stacks to look up and simulate, or all")
	p.Uint64Var(&f.seed, "seed", 1, "seed of every random number, with --target")
	p.IntVar(&f.workers, "workers", 0, "runs at the same time, with --target; all processors if left out. Results do not depend on it")
	p.BoolVar(&f.json, "json", false, "print one JSON document instead of the table")
	for _, name := range []string{"loss", "target", "rate", "window"} { // zero means "left out" and is no default worth showing
		p.Lookup(name).DefValue = ""
	}
	return cmd
}

// check returns an error for flags that are wrong or do not go together.
func (f *modelFlags) check(set *pflag.FlagSet) error {
	asked := 0
	for _, name := range []string{"ber", "loss", "target"} {
		if set.Changed(name) {
			asked++
		}
	}
	switch {
	case asked > 1:
		return errors.New("--ber, --loss and --target: a question has one of them; leave the others out")
	case set.Changed("loss"):
		f.ber = 0
	}
	if err := checkWindow(set, f.window, "no limit"); err != nil {
		return err
	}
	return checkWorkers(set, f.workers)
}

// question is what the flags ask.
func (f *modelFlags) question() lab.Question {
	return lab.Question{
		MSS: f.mss, RTT: time.Duration(f.rtt), BER: float64(f.ber), Loss: float64(f.loss), Rate: int64(f.rate),
		Window: int(f.window), Stacks: f.stacks.list,
	}
}

// run answers the question and writes the answer.
func (f *modelFlags) run(c console, set *pflag.FlagSet) error {
	if !set.Changed("target") {
		e, err := f.question().Answer()
		if err != nil {
			return err
		}
		return failed(pick(f.json, report.EstimateJSON, report.EstimateText)(c.out, e))
	}
	p, err := f.question().Plan(float64(f.target), f.seed)
	if err != nil {
		return err
	}
	bar := startProgress(c, lab.PlanRuns(len(p.Stacks)))
	err = p.Simulate(processors(f.workers), bar.step)
	bar.stop()
	if err != nil {
		return failed(err)
	}
	return failed(pick(f.json, report.PlanJSON, report.PlanText)(c.out, *p))
}

// pick returns the writer of JSON or of text.
func pick[T any](json bool, asJSON, asText func(io.Writer, T) error) func(io.Writer, T) error {
	if json {
		return asJSON
	}
	return asText
}
