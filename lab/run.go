package lab

import (
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"longhaul/mono"
	"longhaul/sim"
)

// Compare runs every stack of s, on at most workers processors, and returns what it found. Progress, if not nil, is
// told after each run how many of how many are done, never by two goroutines at once. Results do not depend on
// workers.
func Compare(s Scenario, workers int, progress func(done, total int)) (Results, error) {
	cases, err := s.Cases()
	if err != nil {
		return Results{}, err
	}
	runs, err := Run(cases, workers, progress)
	if err != nil {
		return Results{}, err
	}
	repeat := max(s.Repeat, 1)
	r := Results{
		Path: s.Path.result(), Seed: s.Seed, Duration: s.duration().Seconds(),
		Window: int64(s.Window), Bytes: s.Bytes, Repeat: repeat,
	}
	for i := range s.Stacks {
		var same []Result
		for _, flows := range runs[i*repeat : (i+1)*repeat] {
			same = append(same, flows[0])
		}
		r.Results = append(r.Results, aggregate(same))
	}
	return r, nil
}

// Run runs every case, on at most workers processors, and returns for each case one Result per flow, in the order
// of cases and flows. If a case has a sink, all run one after another in order, so that what the sinks see is in
// order too; time starts again at 0 with each case. The error is that of the first case that failed.
func Run(cases []Case, workers int, progress func(done, total int)) ([][]Result, error) {
	for _, c := range cases {
		if c.Packets != nil || c.Trace != nil {
			workers = 1
		}
	}
	results := make([][]Result, len(cases))
	errs := make([]error, len(cases))
	var next atomic.Int64
	var finished int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(max(workers, 1), len(cases)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cases); i = int(next.Add(1)) - 1 {
				results[i], errs[i] = cases[i].Run()
				mu.Lock()
				finished++
				if progress != nil {
					progress(finished, len(cases))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cases[i].Name, err)
		}
	}
	return results, nil
}

// Run runs c and returns one Result per flow.
func (c Case) Run() ([]Result, error) {
	r, err := c.start()
	if err != nil {
		return nil, err
	}
	if err := r.world.Run(mono.Time(c.Duration)); err != nil {
		return nil, err
	}
	return r.results(), nil
}

// run is a case that is running.
type run struct {
	Case
	world *sim.World
	path  *sim.Dumbbell
	probe *sim.Probe
	flows []*flow
}

// start builds the world of c.
func (c Case) start() (*run, error) {
	w := sim.New(c.worldSeed())
	w.Wire = c.Wire
	for i, f := range c.Flows {
		if i > 0 && f.Stack.Encoding != w.Encoding {
			return nil, fmt.Errorf("%s and %s put RFC 1106's options on the wire differently: stacks on one path must agree, with +literal or without",
				c.Flows[0].Stack, f.Stack)
		}
		w.Encoding = f.Stack.Encoding
	}
	forward, reverse := c.Path.links(w)
	d, err := sim.NewDumbbell(w, forward, reverse)
	if err != nil {
		return nil, err
	}
	r := &run{Case: c, world: w, path: d}
	if c.Probe > 0 {
		r.probe = d.NewProbe(c.Probe)
	}
	for i, f := range c.Flows {
		g := &flow{Flow: f, run: r, from: mono.Time(f.Start)}
		if err := g.listen(i); err != nil {
			return nil, err
		}
		w.At(g.from, g.begin)
		w.At(g.middle(), g.atMiddle)
		if c.Curve > 0 {
			w.Add(g, g.from)
		}
		r.flows = append(r.flows, g)
	}
	return r, nil
}

// worldSeed returns the seed of the case's world, which depends on its seed and name.
func (c Case) worldSeed() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", c.Seed, c.Name)
	return h.Sum64()
}

// results returns what each flow did.
func (r *run) results() []Result {
	all := make([]Result, len(r.flows))
	for i, f := range r.flows {
		all[i] = f.result()
	}
	return all
}

// seconds returns the length of d in seconds, at least a nanosecond so that it divides.
func seconds(d time.Duration) float64 { return max(d, 1).Seconds() }
