package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"longhaul/lab"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// lossy is a comparison on a path with loss, with every cause of falling short.
func lossy() lab.Results {
	rtt := func(p50, p95 float64) *lab.RTT {
		return &lab.RTT{Min: 70.1, Mean: p50 + 1, P50: p50, P95: p95, P99: p95 + 2}
	}
	f := func(x float64) *float64 { return &x }
	return lab.Results{
		Path: lab.PathResult{Rate: 155e6, ReverseRate: 155e6, RTT: 70, Loss: 1e-5, QueueBytes: 1356250, BDP: 1356250},
		Seed: 1, Duration: 60, Repeat: 1,
		Results: []lab.Result{
			{Stack: "tahoe:dupack-pacing", Streams: 1, GoodputBps: 31.25e6, SteadyBps: 30e6, LimitBps: 148e6, FractionOfLimit: 0.2112,
				Stability: f(0.41234), StabilityWhole: f(0.5), RTT: rtt(70.2, 70.4), Retransmitted: 1230, RetransShare: 0.0123,
				Timeouts: 12, FastRetransmits: 20, LinkDrops: lab.LinkDrops{Loss: 33}, BoundBy: lab.BoundByTimeout, Samples: []float64{1, 2.5}},
			{Stack: "reno", Streams: 1, GoodputBps: 61e6, LimitBps: 148e6, FractionOfLimit: 0.4122, RTT: rtt(70.2, 70.4), Retransmitted: 25,
				RetransShare: 6.5e-5, FastRetransmits: 24, LinkDrops: lab.LinkDrops{Loss: 25}, BoundBy: lab.BoundByLoss, Samples: []float64{}},
			{Stack: "cubic", Streams: 1, GoodputBps: 89e6, LimitBps: 148e6, FractionOfLimit: 0.6014, RTT: rtt(71, 80), FastRetransmits: 29,
				BoundBy: lab.BoundByLoss},
			{Stack: "ptcp", Streams: 16, GoodputBps: 145e6, SteadyBps: 147e6, LimitBps: 148e6, FractionOfLimit: 0.9797, Fairness: f(0.95),
				RTT: rtt(126, 139), Retransmitted: 4000, RetransShare: 0.0024, FastRetransmits: 180, Convergence: f(10), Connect: f(0.0701),
				BoundBy: lab.BoundByLink},
			{Stack: "late", Streams: 1, GoodputBps: 120e6, SteadyBps: 146e6, LimitBps: 148e6, FractionOfLimit: 0.811, BoundBy: lab.BoundByLink},
			{Stack: "wasteful", Streams: 1, GoodputBps: 120e6, SteadyBps: 121e6, LimitBps: 148e6, FractionOfLimit: 0.811, RetransShare: 0.18,
				BoundBy: lab.BoundByLink},
		},
	}
}

// windowed is a comparison, repeated, in which a window or the start-up binds.
func windowed() lab.Results {
	whole := 0.25 // the runs are too short for the other stability
	opened := 0.58
	return lab.Results{
		Path: lab.PathResult{Rate: 1e9, ReverseRate: 1e6, RTT: 580, BER: 1e-9, QueuePackets: 1000, BDP: 72.5e6},
		Seed: 18446744073709551615, Duration: 5.5, Window: 65536, Bytes: 1e9, Repeat: 5,
		Results: []lab.Result{
			{Stack: "reno", Streams: 1, GoodputBps: 9.1e5, LimitBps: 949e6, FractionOfLimit: 0.00096, Timeouts: 0.4, BoundBy: lab.BoundByWindow,
				CI95: map[string]float64{"goodput_bps": 9100}},
			{Stack: "cubic", Streams: 1, GoodputBps: 8e5, LimitBps: 949e6, FractionOfLimit: 0.0008, Connect: &opened, BoundBy: lab.BoundByStartup},
			{Stack: "shy", Streams: 1, StabilityWhole: &whole, GoodputBps: 0, LimitBps: 949e6, BoundBy: lab.BoundByController, CI95: map[string]float64{"goodput_bps": 0}},
		},
	}
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]lab.Results{"lossy": lossy(), "windowed": windowed()} {
		for ext, write := range map[string]func(io.Writer, lab.Results) error{"txt": Text, "csv": CSV, "json": JSON} {
			golden(t, name+"."+ext, func(w io.Writer) error { return write(w, r) })
		}
	}
}

// golden compares what write writes with a file of testdata.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("the output differs from %s; rewrite with -update if that is meant:\n%s", file, b.Bytes())
	}
}

// TestJSONKeys checks the keys that DESIGN.md promises (R103).
func TestJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, lossy()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Path     map[string]any   `json:"path"`
		Seed     *uint64          `json:"seed"`
		Duration *float64         `json:"duration_s"`
		Results  []map[string]any `json:"results"`
	}
	d := json.NewDecoder(&b)
	if err := d.Decode(&doc); err != nil || doc.Path == nil || doc.Seed == nil || doc.Duration == nil {
		t.Fatalf("decoded %+v, %v", doc, err)
	}
	if err := d.Decode(&doc); !errors.Is(err, io.EOF) {
		t.Errorf("after the document: %v, want the end", err)
	}
	for _, key := range []string{"stack", "goodput_bps", "fraction_of_limit", "stability", "rtt_ms", "retransmitted", "timeouts", "bound_by"} {
		if _, ok := doc.Results[0][key]; !ok {
			t.Errorf("no key %q in %v", key, doc.Results[0])
		}
	}
}

// TestCSVComplete checks that each scalar of a Result has a column, so that a new figure cannot be forgotten.
func TestCSVComplete(t *testing.T) {
	have := map[string]bool{}
	for _, c := range columns {
		have[c.name] = true
	}
	var walk func(prefix string, typ reflect.Type)
	walk = func(prefix string, typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			switch inner.Kind() {
			case reflect.Struct:
				walk(prefix+key+".", inner)
			case reflect.Slice, reflect.Map: // samples and intervals do not fit in a line
			default:
				if !have[prefix+key] {
					t.Errorf("no column for %s", prefix+key)
				}
			}
		}
	}
	walk("", reflect.TypeFor[lab.Result]())
}

func TestCSVShape(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, lossy()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 7 || len(rows[1]) != len(columns) {
		t.Errorf("%d rows, %v, want 7 of %d fields", len(rows), err, len(columns))
	}
}

// TestVerdict checks that the words follow from the figures.
func TestVerdict(t *testing.T) {
	result := func(stack string, share float64, bound string) lab.Result {
		return lab.Result{Stack: stack, FractionOfLimit: share, GoodputBps: share * 1e8, SteadyBps: share * 1e8, LimitBps: 1e8, BoundBy: bound}
	}
	rtt := func(r lab.Result, ms float64) lab.Result {
		r.RTT = &lab.RTT{Min: ms, Mean: ms, P50: ms, P95: ms}
		return r
	}
	path := lab.PathResult{Rate: 1e8, RTT: 100, BDP: 1250000}
	for _, c := range []struct {
		name    string
		results []lab.Result
		want    []string
	}{
		{"none", nil, nil},
		{"one fills", []lab.Result{result("reno", 0.99, lab.BoundByLink)},
			[]string{"reno fills the path (99.0% of the 100 Mbit/s that are possible)."}},
		{"without a queue", []lab.Result{rtt(result("reno", 0.99, lab.BoundByLink), 101)},
			[]string{"reno fills the path (99.0% of the 100 Mbit/s that are possible) without a standing queue."}},
		{"with a queue", []lab.Result{rtt(result("reno", 0.99, lab.BoundByLink), 180), rtt(result("cubic", 0.95, lab.BoundByLink), 190)},
			[]string{"reno and cubic fill the path (99.0% and 95.0% of the 100 Mbit/s that are possible), and the queue there makes the median " +
				"round trip 1.8 and 1.9 times as long as the path."}},
		{"many", []lab.Result{rtt(result("a", 0.99, lab.BoundByLink), 180), rtt(result("b", 0.95, lab.BoundByLink), 190), rtt(result("c", 0.91, lab.BoundByLink), 130),
			rtt(result("d", 0.97, lab.BoundByLink), 200), rtt(result("e", 0.92, lab.BoundByLink), 150)},
			[]string{"a, b, c, d and e fill the path (91.0% to 99.0% of the 100 Mbit/s that are possible), and the queue there makes the median " +
				"round trip 1.3 to 2 times as long as the path."}},
		{"one with and one without", []lab.Result{rtt(result("reno", 0.99, lab.BoundByLink), 180), rtt(result("cubic", 0.95, lab.BoundByLink), 100)},
			[]string{"reno and cubic fill the path (99.0% and 95.0% of the 100 Mbit/s that are possible), and with reno the queue there makes the median " +
				"round trip 1.8 times as long as the path."}},
		{"at a price", []lab.Result{{Stack: "reno+noise", FractionOfLimit: 0.95, LimitBps: 1e8, BoundBy: lab.BoundByLink, RetransShare: 0.5}, result("reno", 0.99, lab.BoundByLink)},
			[]string{"reno+noise and reno fill the path (95.0% and 99.0% of the 100 Mbit/s that are possible).",
				"reno+noise sends much of it twice: 50.0% of the octets sent had been sent before.",
				"reno+noise takes every loss for noise, making way for nobody: for a path of one's own only (RFC 1106 s.4.2)."}},
		{"unknown cause", []lab.Result{result("reno", 0.5, "weather")},
			[]string{"No stack fills the path: the best, reno, reaches 50.0% of the 100 Mbit/s that are possible.", "reno is bound by weather."}},
		{"autotuned window", []lab.Result{result("reno", 0.5, lab.BoundByWindow), result("cubic", 0.6, lab.BoundByWindow)},
			[]string{"No stack fills the path: the best, cubic, reaches 60.0% of the 100 Mbit/s that are possible.",
				"reno and cubic are held back by the window: a socket buffer was full most of the time."}},
		{"loss", []lab.Result{rtt(result("reno", 0.5, lab.BoundByLoss), 100)},
			[]string{"No stack fills the path: the best, reno, reaches 50.0% of the 100 Mbit/s that are possible.",
				"reno is held back by loss: 0 cuts of the window left 625 kB in flight on average, and the path holds 1.25 MB."}},
		{"busy half", []lab.Result{result("reno", 0.5, lab.BoundByLink)},
			[]string{"No stack fills the path: the best, reno, reaches 50.0% of the 100 Mbit/s that are possible.",
				"reno keeps the link busy in the second half of the run (50.0% of what is possible was delivered then)."}},
		{"no connection", []lab.Result{result("reno", 0, lab.BoundByStartup)},
			[]string{"No stack fills the path: the best, reno, reaches 0.0% of the 100 Mbit/s that are possible.",
				"reno is still waiting for a connection to open after 1m."}},
	} {
		got := Verdict(lab.Results{Path: path, Duration: 60, Repeat: 1, Results: c.results})
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestVerdictOnWindow tells a window that is too small from one that is full because a repair is on its way.
func TestVerdictOnWindow(t *testing.T) {
	r := lab.Results{Path: lab.PathResult{Rate: 1e8, RTT: 100, BDP: 1250000}, Window: 500_000, Duration: 60, Repeat: 1}
	for _, c := range []struct {
		goodput, again float64
		want           string
	}{
		{39e6, 0, "fox is held back by the window: 500kB in a round trip of 100 ms is 40 Mbit/s at most."},
		{39e6, 12, "fox is held back by the window: 500kB in a round trip of 100 ms is 40 Mbit/s at most."},
		{20e6, 12, "fox is held back by the window of 500kB, which is full whenever a repair is on its way (12 segments sent again)."},
	} {
		r.Results = []lab.Result{{Stack: "fox", GoodputBps: c.goodput, LimitBps: 1e8, FractionOfLimit: c.goodput / 1e8, BoundBy: lab.BoundByWindow, Retransmitted: c.again}}
		if got := Verdict(r); got[1] != c.want {
			t.Errorf("%v, %v sent again: %q, want %q", c.goodput, c.again, got[1], c.want)
		}
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteErrors(t *testing.T) {
	for name, write := range map[string]func(io.Writer, lab.Results) error{"text": Text, "csv": CSV, "json": JSON} {
		if err := write(broken{}, lossy()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s to a broken pipe: %v", name, err)
		}
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for line := range strings.Lines(wrap("", long)) {
		if n := len(strings.TrimRight(line, "\n")); n > width || n == 0 {
			t.Errorf("line of %d characters", n)
		}
	}
	if got := strings.Fields(wrap("", long)); len(got) != 60 {
		t.Errorf("%d words left of 60", len(got))
	}
}
