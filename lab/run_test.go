package lab

import (
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/trace"
)

// document runs a small comparison and returns its JSON.
func document(t *testing.T, workers int, wireMode bool) string {
	t.Helper()
	b, err := json.Marshal(compare(t, Scenario{
		Path:   Path{Rate: 5e6, RTT: 40 * time.Millisecond, BER: 2e-8, Queue: QueueSize{BDP: 1}},
		Stacks: parseAll(t, "reno", "cubic", "reno*4"), Duration: 20 * time.Second, Seed: 9, Repeat: 3, Wire: wireMode,
	}, workers))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSameDocument: one seed gives the same octets whatever the number of workers, on 1 and on 8 processors,
// decoded and encoded.
func TestSameDocument(t *testing.T) {
	want := document(t, 1, false)
	for _, workers := range []int{1, 2, 8} {
		if got := document(t, workers, false); got != want {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, got, want)
		}
	}
	if got := document(t, 2, true); got != want {
		t.Errorf("wire mode:\n%s\nwant\n%s", got, want)
	}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		if got := document(t, 4, false); got != want {
			t.Errorf("GOMAXPROCS %d:\n%s\nwant\n%s", n, got, want)
		}
	}
}

// TestDocument: the keys that checks are written against are there.
func TestDocument(t *testing.T) {
	var doc struct {
		Path     map[string]any   `json:"path"`
		Seed     float64          `json:"seed"`
		Duration float64          `json:"duration_s"`
		Results  []map[string]any `json:"results"`
	}
	if err := json.Unmarshal([]byte(document(t, 2, false)), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Seed != 9 || doc.Duration != 20 || len(doc.Results) != 3 || doc.Path["rate_bps"] != 5e6 {
		t.Errorf("%+v", doc)
	}
	for _, r := range doc.Results {
		for _, key := range []string{"stack", "goodput_bps", "fraction_of_limit", "stability", "rtt_ms", "retransmitted", "bound_by", "ci95"} {
			if _, ok := r[key]; !ok {
				t.Errorf("%v: no key %s", r["stack"], key)
			}
		}
		if f := r["fraction_of_limit"].(float64); f < 0.3 || f > 1 {
			t.Errorf("%v: %v of the limit", r["stack"], f)
		}
	}
}

// TestProgress: each run is reported once, in order.
func TestProgress(t *testing.T) {
	var got []int
	s := Scenario{Path: Path{Rate: 1e6, RTT: 10 * time.Millisecond}, Stacks: parseAll(t, "reno", "cubic"), Duration: time.Second, Repeat: 3}
	if _, err := Compare(s, 4, func(done, total int) {
		if total != 6 {
			t.Errorf("total %d, want 6", total)
		}
		got = append(got, done)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("progress %v", got)
	}
}

// TestFixedAmount: a transfer of 1 MB ends, says when, and its streams share it.
func TestFixedAmount(t *testing.T) {
	r := compare(t, Scenario{
		Path: Path{Rate: 10e6, RTT: 20 * time.Millisecond}, Stacks: parseAll(t, "cubic", "cubic*3"), Duration: 20 * time.Second,
		Bytes: 1e6, Start: 2 * time.Second,
	}, 2)
	for _, k := range r.Results {
		if k.Completion == nil || *k.Completion < 0.8 || *k.Completion > 1.5 {
			t.Errorf("%s: completion %v s, want about 1", k.Stack, k.Completion)
			continue
		}
		if want := 8e6 / *k.Completion; !near(k.GoodputBps, want) {
			t.Errorf("%s: goodput %v, want %v", k.Stack, k.GoodputBps, want)
		}
		if *k.Connect < 0.02 || *k.Connect > 0.022 {
			t.Errorf("%s: connect %v s, want a round trip", k.Stack, *k.Connect)
		}
	}
}

// TestApplicationRate: an application that produces 2 Mbit/s on a faster path moves just that, and lets the window stand
// idle.
func TestApplicationRate(t *testing.T) {
	c := Case{
		Name: "rate", Path: Path{Rate: 10e6, RTT: 40 * time.Millisecond}, Duration: 30 * time.Second, Curve: time.Second,
		Flows: []Flow{{Stack: parseAll(t, "reno*2")[0], Rate: 2e6, Bytes: 5e6}},
	}
	r, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got := r[0].GoodputBps; got < 1.97e6 || got > 2.03e6 {
		t.Errorf("goodput %v, want 2 Mbit/s", got)
	}
	for _, p := range r[0].Curve[2:15] {
		if p.InFlight > 4*1460+2e6/8*0.04 {
			t.Errorf("at %v s %d octets in flight, want a round trip's worth", p.Time, p.InFlight)
		}
	}
}

// TestCurve: in slow start the window doubles from one round trip to the next, and a point comes every so often.
func TestCurve(t *testing.T) {
	c := Case{
		Name: "curve", Path: Path{Rate: 1e9, RTT: 100 * time.Millisecond}, Duration: time.Second, Curve: 50 * time.Millisecond,
		Flows: []Flow{{Stack: parseAll(t, "reno:newreno-delack-pacing")[0], Start: 100 * time.Millisecond}},
	}
	r, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	curve := r[0].Curve
	if len(curve) != 19 || curve[0].Time != 0.1 || curve[18].Time != 1 {
		t.Fatalf("%d points, %+v", len(curve), curve)
	}
	// The handshake ends at 0.2 s and the first flight of ten segments is acknowledged at 0.3 s.
	want := int64(20 * 1448)
	for at := 5; at < 12; at += 2 {
		if curve[at].Window != want || curve[at].InFlight != want {
			t.Errorf("at %v s: window %d, in flight %d, want %d", curve[at].Time, curve[at].Window, curve[at].InFlight, want)
		}
		want *= 2
	}
}

// recorder counts events by flow and checks that time does not run backwards within one flow.
type recorder struct {
	t      *testing.T
	counts map[uint32]int
	last   map[uint32]mono.Time
}

func (r *recorder) Record(e *trace.Event) {
	if e.Time < r.last[e.Flow] {
		r.t.Errorf("flow %d goes from %v back to %v", e.Flow, r.last[e.Flow], e.Time)
	}
	r.last[e.Flow] = e.Time
	r.counts[e.Flow]++
}

// TestSinks: both sinks see every stack's flows under their own numbers, and looking changes nothing.
func TestSinks(t *testing.T) {
	newRecorder := func() *recorder {
		return &recorder{t, map[uint32]int{}, map[uint32]mono.Time{}}
	}
	packets, events := newRecorder(), newRecorder()
	s := Scenario{Path: Path{Rate: 2e6, RTT: 20 * time.Millisecond}, Stacks: parseAll(t, "reno*2", "cubic"), Duration: 3 * time.Second}
	blind := compare(t, s, 2)
	s.Packets, s.Trace = packets, events
	seeing := compare(t, s, 2)
	a, _ := json.Marshal(blind)
	b, _ := json.Marshal(seeing)
	if string(a) != string(b) {
		t.Errorf("without sinks\n%s\nwith\n%s", a, b)
	}
	if packets.counts[0] < 500 || packets.counts[2] < 500 || len(packets.counts) != 2 {
		t.Errorf("packets per flow: %v", packets.counts)
	}
	if events.counts[0] == 0 || events.counts[1] == 0 || events.counts[2] == 0 {
		t.Errorf("events per flow: %v", events.counts)
	}
}

// TestFailedRun: an error names the run and is that of the first one that failed.
func TestFailedRun(t *testing.T) {
	p := Path{Rate: 1e6}
	p.Adjust = func(w *sim.World, _, _ *link.Config) {
		w.At(5, func(mono.Time) { w.Stop(errors.New("enough")) })
	}
	s := Scenario{Path: p, Stacks: parseAll(t, "reno", "cubic"), Duration: time.Second}
	_, err := Compare(s, 2, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "reno/0: ") {
		t.Errorf("error %v, want the first run's", err)
	}
}
