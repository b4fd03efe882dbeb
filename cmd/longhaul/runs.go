package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/pflag"

	"longhaul/trace"
)

// runFlags are the flags that the commands share which run something in the lab.
type runFlags struct {
	seed    uint64
	workers int
	wire    bool
	json    bool
	files   fileNames
}

// add defines the flags. In their help, line is what a line of the CSV file is about and first what the captures see the
// first run of.
func (f *runFlags) add(p *pflag.FlagSet, line, first string) {
	p.Uint64Var(&f.seed, "seed", 1, "seed of every random number")
	p.IntVar(&f.workers, "workers", 0, "runs at the same time; all processors if left out. Results do not depend on it")
	p.BoolVar(&f.wire, "wire", false, "encode and decode every packet on its way")
	p.BoolVar(&f.json, "json", false, "print one JSON document instead of the table")
	p.StringVar(&f.files.csv, "csv", "", "write a line per "+line+" to this `file`")
	p.StringVar(&f.files.pcap, "pcap", "", "write every packet at the sender, of the first run of each "+first+", to this pcapng `file`")
	p.StringVar(&f.files.trace, "trace", "", "write windows and round trips of the same runs as JSON lines to this `file`, flows numbered in their order")
}

// check returns an error for a flag that is wrong.
func (f *runFlags) check(set *pflag.FlagSet) error {
	return checkWorkers(set, f.workers)
}

// checkWorkers returns an error for a value of --workers that is wrong.
func checkWorkers(set *pflag.FlagSet, workers int) error {
	if workers < 0 || set.Changed("workers") && workers == 0 {
		return fmt.Errorf("--workers %d: write 1 or more", workers)
	}
	return nil
}

// processors is what --workers asks for: all if it is left out.
func processors(workers int) int {
	if workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// job is what a command is given to run with.
type job struct {
	packets, events trace.Sink // nil for none
	workers         int
	progress        func(done, total int)
}

// findings are the ways in which a command writes what it found; those of files that were not asked for are not used.
type findings struct{ out, csv, markdown func(io.Writer) error }

// do opens the files, lets measure make its runs, total in number, under a progress bar, and writes what it found.
func (f *runFlags) do(c console, total int, measure func(j job) (findings, error)) error {
	out, err := openFiles(f.files)
	if err != nil {
		return err
	}
	bar := startProgress(c, total)
	j := job{workers: processors(f.workers), progress: bar.step}
	j.packets, j.events = out.sinks()
	found, err := measure(j)
	bar.stop()
	if err != nil {
		return failed(errors.Join(err, out.finish()))
	}
	return failed(errors.Join(out.csv.write(found.csv), out.markdown.write(found.markdown), out.finish(), found.out(c.out)))
}
