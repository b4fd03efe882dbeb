package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"longhaul/lab"
	"longhaul/report"
	"longhaul/stacks"
	"longhaul/units"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	runFlags
	rate   units.Rate
	rtt    units.Duration
	loss   units.Probability
	ber    units.Probability
	queue  queueFlag
	window units.Size
	time   units.Duration
	stacks stacksFlag
	repeat int
}

// compareCommand makes "longhaul compare".
func compareCommand(c console) *cobra.Command {
	path := lab.DefaultPath()
	f := compareFlags{
		rate: units.Rate(path.Rate), rtt: units.Duration(path.RTT), loss: units.Probability(path.Loss),
		queue: queueFlag{path.Queue, "bdp"}, time: units.Duration(lab.DefaultDuration),
		stacks: stacksFlag{stacks.Documented()},
	}
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Run several TCP stacks over one path and say which fills it, and why",
		Long: `compare runs each stack alone over its own copy of a path, in virtual time, and prints a table
that tells which of them fills the path and what holds the others back.

Rates are bits per second (155mbit), sizes octets (64K, 32MB), times 70ms or 20m, probabilities 1e-5 or 0.001%.
"longhaul stacks" lists what stacks can be made of; "longhaul explain" defines every figure.`,
		Example: `  longhaul compare
  longhaul compare --rate 1gbit --rtt 170ms --loss 1e-6 --stacks reno,cubic,reno*16
  longhaul compare --rate 1.544mbit --rtt 580ms --ber 1e-7 --window 156K --time 20m --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.scenario(cmd.Flags())
			if err != nil {
				return err
			}
			return f.run(c, s)
		},
	}
	p := cmd.Flags()
	p.SortFlags = false
	p.Var(&f.rate, "rate", "rate of the bottleneck")
	p.Var(&f.rtt, "rtt", "round-trip propagation time")
	p.Var(&f.loss, "loss", "probability that a data packet is lost")
	p.Var(&f.ber, "ber", "bit error rate of both directions, in place of --loss")
	p.Var(&f.queue, "queue", "room at the bottleneck: packets, a size, bdp, 2bdp or unlimited")
	p.Var(&f.window, "window", "socket buffers of a stack, up to 1GiB; autotuned if left out")
	p.Var(&f.time, "time", "virtual time each stack runs")
	p.Var(&f.stacks, "stacks", "stacks to compare, or all")
	p.IntVar(&f.repeat, "repeat", 1, "runs of each stack, for confidence intervals")
	f.add(p, "stack", "stack")
	for _, name := range []string{"ber", "window"} { // zero means "left out" and is no default worth showing
		p.Lookup(name).DefValue = ""
	}
	return cmd
}

// scenario turns the flags into a scenario, or says which is wrong.
func (f *compareFlags) scenario(set *pflag.FlagSet) (lab.Scenario, error) {
	switch {
	case set.Changed("loss") && set.Changed("ber"):
		return lab.Scenario{}, errors.New("--loss together with --ber: a path has one of them; leave the other out")
	case f.time <= 0:
		return lab.Scenario{}, fmt.Errorf("--time %v: a run needs time; write one such as 60s", f.time)
	case f.repeat < 1:
		return lab.Scenario{}, fmt.Errorf("--repeat %d: write 1 or more", f.repeat)
	case set.Changed("ber"):
		f.loss = 0
	}
	s := lab.Scenario{
		Path:   lab.Path{Rate: int64(f.rate), RTT: time.Duration(f.rtt), Loss: float64(f.loss), BER: float64(f.ber), Queue: f.queue.size},
		Stacks: f.stacks.list, Duration: time.Duration(f.time), Window: int(f.window), Seed: f.seed, Repeat: f.repeat, Wire: f.wire,
	}
	if err := checkWindow(set, f.window, "autotuning"); err != nil {
		return s, err
	}
	if err := f.check(set); err != nil {
		return s, err
	}
	_, err := s.Cases()
	return s, err
}

// run runs the comparison and writes what it found.
func (f *compareFlags) run(c console, s lab.Scenario) error {
	return f.do(c, len(s.Stacks)*f.repeat, func(j job) (findings, error) {
		s.Packets, s.Trace = j.packets, j.events
		results, err := lab.Compare(s, j.workers, j.progress)
		write := report.Text
		if f.json {
			write = report.JSON
		}
		return findings{
			out: func(w io.Writer) error { return write(w, results) },
			csv: func(w io.Writer) error { return report.CSV(w, results) },
		}, err
	})
}
