package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"longhaul/experiments"
	"longhaul/lab"
	"longhaul/stacks"
)

// TestMain adds an experiment that takes no time worth mentioning to those there are.
func TestMain(m *testing.M) {
	experiments.All = append(experiments.All, windowLaw())
	os.Exit(m.Run())
}

// windowLaw asks whether a window limits throughput as arithmetic says, with a little loss so that runs differ.
func windowLaw() experiments.Experiment {
	list, err := stacks.ParseList("reno")
	if err != nil {
		panic(err)
	}
	sizes := []int{20000, 40000}
	runs := func(o experiments.Options) int {
		if o.Quick {
			return 1
		}
		return 2
	}
	return experiments.Experiment{
		Name: "windowlaw", Title: "A window bounds throughput", Source: "arithmetic", Question: "Is a window a round trip all that goes?",
		Cases: func(o experiments.Options) (cases []lab.Case) {
			for _, w := range sizes {
				cases = append(cases, o.Repeat(lab.Case{
					Name: fmt.Sprint(w), Path: lab.Path{Rate: 10e6, RTT: 100 * time.Millisecond, Loss: 1e-3},
					Flows: []lab.Flow{{Stack: list[0], Window: w}}, Duration: 10 * time.Second,
				}, runs(o))...)
			}
			return cases
		},
		Report: func(o experiments.Options, results [][]lab.Result) lab.Reproduction {
			table := lab.Table{ID: "law", Title: "Goodput", Across: "window"}
			for i, w := range sizes {
				var x []float64
				for _, r := range results[i*runs(o):][:runs(o)] {
					x = append(x, r[0].GoodputBps/8)
				}
				table.Rows = append(table.Rows, lab.NewRow(lab.Coordinates{{Key: "window", Value: w}}, new(float64(w)/0.1), x, "B/s"))
			}
			return lab.Reproduction{Setup: []string{"Briefly."}, Tables: []lab.Table{table},
				Claims: []lab.Claim{{ID: "L1", Text: "Nothing is lost.", Verdict: lab.NotReproduced, Measured: "something was."}}}
		},
	}
}

// TestReproduceText checks what people read, the same with --quick, and that a claim which does not hold is no failure.
func TestReproduceText(t *testing.T) {
	status, out, err := longhaul("reproduce", "windowlaw")
	if status != 0 || err != "" {
		t.Fatalf("status %d, stderr %q", status, err)
	}
	for _, want := range []string{"windowlaw: A window bounds", "Is a window", "window 20000  reference", "200 kB/s", "±", "not reproduced  L1"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, quick, _ := longhaul("reproduce", "windowlaw", "--quick"); strings.Contains(quick, "±") || !strings.Contains(quick, ", quick") {
		t.Errorf("quick prints\n%s", quick)
	}
}

// reproduction is the JSON document of reproduce.
type reproduction struct {
	Experiment string
	Seed       uint64
	Quick      bool
	Tables     []struct {
		ID   string
		Rows []struct {
			Case                struct{ Window any }
			Reference, Measured float64
			CI95                *float64
			Unit                string
		}
	}
	Claims []lab.Claim
}

// TestReproduceJSON checks the documents that DESIGN.md promises (R103).
func TestReproduceJSON(t *testing.T) {
	_, out, _ := longhaul("reproduce", "windowlaw", "--json", "--seed", "7")
	var r reproduction
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("not one JSON document: %v\n%s", err, out)
	}
	row := r.Tables[0].Rows[1]
	if r.Experiment != "windowlaw" || r.Seed != 7 || r.Quick || row.Case.Window != 40000.0 || row.Reference != 4e5 || row.Unit != "B/s" ||
		!(row.Measured > 1e5 && row.Measured < 4e5) || row.CI95 == nil || r.Claims[0].Verdict != lab.NotReproduced {
		t.Errorf("document %+v", r)
	}
	_, out, _ = longhaul("reproduce", "all", "--json", "--quick")
	var all struct{ Experiments []reproduction }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Experiments) != len(experiments.All) {
		t.Fatalf("%d experiments, %v, want %d", len(all.Experiments), err, len(experiments.All))
	}
	for i, e := range all.Experiments {
		if e.Experiment != experiments.All[i].Name || !e.Quick || len(e.Tables) == 0 {
			t.Errorf("experiment %d is %+v", i, e)
		}
	}
}

// TestReproduceFiles checks every file at once (R102, R103), beside the text, and that all of them have the same octets
// whatever the workers and the packets' form.
func TestReproduceFiles(t *testing.T) {
	write := func(more ...string) (files [5][]byte) {
		t.Chdir(t.TempDir()) // the page names its file
		args := append([]string{"reproduce", "windowlaw", "--seed", "7"}, more...)
		names := []string{"csv", "markdown", "pcap", "trace"}
		for _, n := range names {
			args = append(args, "--"+n, n)
		}
		status, out, stderr := longhaul(args...)
		if status != 0 || stderr != "" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		files[4] = []byte(out)
		for i, n := range names {
			files[i], _ = os.ReadFile(n)
		}
		return files
	}
	files := write()
	if _, text, _ := longhaul("reproduce", "windowlaw", "--seed", "7"); string(files[4]) != text {
		t.Errorf("with files it prints\n%s, without\n%s", files[4], text)
	}
	if lines := strings.Split(string(files[0]), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "windowlaw,law,window=20000,200000,") {
		t.Errorf("CSV\n%s", files[0])
	}
	const begin = "# A window bounds throughput\n\nMade by `go run ./cmd/longhaul reproduce windowlaw --seed 7 --markdown markdown`.\n"
	if page := string(files[1]); !strings.HasPrefix(page, begin) || !strings.HasSuffix(page, "\n") || !strings.Contains(page, "\n| window 20000 | reference | window 40000 | reference |\n") {
		t.Errorf("page\n%s", page)
	}
	for _, want := range []string{"flow 0", "flow 1"} {
		if !bytes.Contains(files[2], []byte(want)) {
			t.Errorf("no interface %q in the capture", want)
		}
	}
	if bytes.Contains(files[2], []byte("flow 2")) {
		t.Error("the capture has more than the first run of each of two cases")
	}
	for _, want := range []string{`"flow":0`, `"flow":1`} {
		if !bytes.Contains(files[3], []byte(want)) {
			t.Errorf("no %s in the trace", want)
		}
	}
	for i, again := range write("--workers", "3", "--wire") {
		if !bytes.Equal(again, files[i]) {
			t.Errorf("output %d differs when it is made again", i)
		}
	}
	if quick := write("--quick")[1]; !bytes.Contains(quick, []byte(" --quick --seed 7 ")) {
		t.Errorf("a quick page does not say so:\n%s", quick)
	}
}

func TestReproduceHelp(t *testing.T) {
	_, out, _ := longhaul("reproduce", "--help")
	for _, e := range experiments.All {
		if !strings.Contains(out, e.Name) || !strings.Contains(out, e.Title) {
			t.Errorf("no %s in\n%s", e.Name, out)
		}
	}
}
