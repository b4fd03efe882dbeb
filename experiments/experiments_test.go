package experiments

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"longhaul/lab"
	"longhaul/stacks"
	"longhaul/trace"
)

// windows is an experiment for tests: two windows over a short path, twice each, and the window law.
func windows(t *testing.T) Experiment {
	stack, err := stacks.Parse("reno*2")
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{20000, 40000}
	runs := func(o Options) int {
		if o.Quick {
			return 1
		}
		return 2
	}
	return Experiment{
		Name: "windows", Title: "T", Source: "S", Question: "Q?",
		Cases: func(o Options) (cases []lab.Case) {
			for _, w := range sizes {
				cases = append(cases, o.Repeat(lab.Case{
					Name: fmt.Sprint(w), Path: lab.Path{Rate: 10e6, RTT: 100 * time.Millisecond, Loss: 1e-3},
					Flows: []lab.Flow{{Stack: stack, Window: w}}, Duration: 5 * time.Second,
				}, runs(o))...)
			}
			return cases
		},
		Report: func(o Options, results [][]lab.Result) lab.Reproduction {
			table := lab.Table{ID: "law"}
			for i, w := range sizes {
				var x []float64
				for _, r := range results[i*runs(o):][:runs(o)] {
					x = append(x, r[0].GoodputBps)
				}
				table.Rows = append(table.Rows, lab.NewRow(lab.Coordinates{{Key: "window", Value: w}}, nil, x, "bit/s"))
			}
			return lab.Reproduction{Tables: []lab.Table{table}}
		},
	}
}

// flows counts the events of each flow.
type flows map[uint32]int

func (f flows) Record(e *trace.Event) { f[e.Flow]++ }

// TestRun checks what Run adds to an experiment: its own words, equal results for any number of workers and whatever
// is run beside it, and sinks that see the first run of each case, every flow under a number of its own.
func TestRun(t *testing.T) {
	e := windows(t)
	other := e
	other.Name = "other"
	run := func(list []Experiment, o Options, workers int) []lab.Reproduction {
		t.Helper()
		steps := 0
		r, err := Run(list, o, workers, func(int, int) { steps++ })
		if err != nil || steps != len(list)*len(e.Cases(o)) {
			t.Fatalf("%v after %d runs", err, steps)
		}
		return r
	}
	one := run([]Experiment{e}, Options{Seed: 5}, 1)[0]
	if one.Experiment != e.Name || one.Title != e.Title || one.Source != e.Source || one.Question != e.Question || one.Seed != 5 || one.Quick {
		t.Errorf("the document says %+v", one)
	}
	if text, err := json.Marshal(one); err != nil || !strings.Contains(string(text), `"setup":[],`) || !strings.Contains(string(text), `"claims":[],"notes":[]`) {
		t.Errorf("lists that are null: %s, %v", text, err)
	}
	for _, row := range one.Tables[0].Rows {
		if row.CI95 == nil || *row.CI95 == 0 || row.Measured < 1e5 {
			t.Errorf("%v: measured %v, interval %v: want two different runs", row.Case, row.Measured, row.CI95)
		}
	}
	packets, events := flows{}, flows{}
	both := run([]Experiment{other, e}, Options{Seed: 5, Packets: packets, Trace: events, Wire: true}, 3)
	if !reflect.DeepEqual(both[1], one) {
		t.Errorf("beside another experiment, encoded and seen by sinks, it gives\n%+v, want\n%+v", both[1], one)
	}
	if reflect.DeepEqual(both[0].Tables, one.Tables) {
		t.Error("experiments of different names have the same randomness")
	}
	for id := range uint32(8) { // two experiments of two cases of two streams; a host's packets are under its first stream's number
		if events[id] == 0 || (packets[id] > 0) != (id%2 == 0) {
			t.Errorf("flow %d: %d packets, %d events", id, packets[id], events[id])
		}
	}
	if len(events) != 8 {
		t.Errorf("%d flows in the trace, want those of the first runs, 8", len(events))
	}
	if r := run([]Experiment{e}, Options{Quick: true}, 2)[0]; !r.Quick || r.Tables[0].Rows[0].CI95 != nil {
		t.Errorf("quick gives %+v", r)
	}
}

func TestRunFails(t *testing.T) {
	bad := windows(t)
	bad.Report = func(Options, [][]lab.Result) lab.Reproduction {
		return lab.Reproduction{Tables: []lab.Table{{ID: "law", Rows: []lab.Row{{Measured: math.NaN()}}}}}
	}
	unbuilt := windows(t)
	unbuilt.Cases = func(o Options) []lab.Case { return o.Repeat(lab.Case{Name: "x", Path: lab.Path{Rate: -1}}, 1) }
	for _, c := range []struct {
		e    Experiment
		want string
	}{{bad, "windows: table law"}, {unbuilt, "windows/x/0: "}} {
		if _, err := Run([]Experiment{c.e}, Options{Quick: true}, 1, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestAll checks what every experiment owes, without running it.
func TestAll(t *testing.T) {
	seen := map[string]bool{Everything: true}
	for _, e := range All {
		if seen[e.Name] || e.Title == "" || e.Source == "" || !strings.HasSuffix(e.Question, "?") {
			t.Errorf("%+v: the name is taken, or a title, a source or a question is missing", e)
		}
		seen[e.Name] = true
		if found, err := Find(e.Name); err != nil || len(found) != 1 || found[0].Name != e.Name {
			t.Errorf("Find(%q) = %v, %v", e.Name, found, err)
		}
		for _, o := range []Options{{}, {Quick: true}} {
			names := map[string]bool{}
			for _, c := range e.Cases(o) {
				if names[c.Name] {
					t.Errorf("%s: two cases %q, which would have the same randomness", e.Name, c.Name)
				}
				names[c.Name] = true
			}
		}
	}
	if found, err := Find(Everything); err != nil || len(found) != len(All) {
		t.Errorf("Find(%q) = %v, %v", Everything, found, err)
	}
	if _, err := Find("nosuch"); err == nil || !strings.HasSuffix(err.Error(), "there are: "+Names()) {
		t.Errorf("Find of what is not there: %v", err)
	}
}
