package lab

import (
	"strings"
	"testing"
	"time"

	"longhaul/stacks"
)

// parse returns the stack of that name, or fails the test.
func parse(t testing.TB, name string) stacks.Stack {
	t.Helper()
	s, err := stacks.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCases(t *testing.T) {
	s := Scenario{
		Path: DefaultPath(), Stacks: []stacks.Stack{parse(t, "reno*4"), parse(t, "cubic")},
		Window: 1000, Seed: 3, Repeat: 2,
	}
	cases, err := s.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	seeds := map[uint64]bool{}
	for _, c := range cases {
		names = append(names, c.Name)
		seeds[c.worldSeed()] = true
		if c.Duration != time.Minute || c.Probe != 100*time.Millisecond || len(c.Flows) != 1 {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(names, " "); got != "reno*4/0 reno*4/1 cubic/0 cubic/1" {
		t.Errorf("cases %s", got)
	}
	if len(seeds) != 4 {
		t.Errorf("%d different seeds, want 4", len(seeds))
	}
	if cfg := cases[0].Flows[0].config(); cfg.SendBuffer != 250 || cfg.RecvBuffer != 250 {
		t.Errorf("buffers of %d and %d octets for each of 4 streams, want 250", cfg.SendBuffer, cfg.RecvBuffer)
	}
	if a, b := cases[0].Flows[0].ID, cases[2].Flows[0].ID; a != 0 || b != 4 {
		t.Errorf("flow numbers %d and %d, want 0 and 4", a, b)
	}
}

func TestBadScenarios(t *testing.T) {
	good := func() Scenario { return Scenario{Path: DefaultPath(), Stacks: []stacks.Stack{parse(t, "reno*4")}} }
	for _, c := range []struct {
		name  string
		spoil func(*Scenario)
		want  string
	}{
		{"no stacks", func(s *Scenario) { s.Stacks = nil }, "at least one"},
		{"negative repetitions", func(s *Scenario) { s.Repeat = -1 }, "repetitions"},
		{"a window above 1 GiB", func(s *Scenario) { s.Window = MaxWindow + 1 }, "1 GiB"},
		{"a window smaller than the streams", func(s *Scenario) { s.Window = 3 }, "per stream"},
		{"fewer octets than streams", func(s *Scenario) { s.Bytes = 3 }, "per stream"},
		{"negative octets", func(s *Scenario) { s.Bytes = -1 }, "positive"},
		{"negative duration", func(s *Scenario) { s.Duration = -1 }, "duration"},
		{"a start after the end", func(s *Scenario) { s.Start = time.Hour }, "start"},
		{"no rate", func(s *Scenario) { s.Path.Rate = 0 }, "rate"},
		{"negative loss", func(s *Scenario) { s.Path.Loss = -0.1 }, "loss"},
		{"certain loss", func(s *Scenario) { s.Path.Loss = 1 }, "loss"},
		{"a bit error rate of 2", func(s *Scenario) { s.Path.Loss, s.Path.BER = 0, 2 }, "bit error"},
		{"loss and bit errors", func(s *Scenario) { s.Path.BER = 1e-7 }, "one of them"},
		{"negative queue", func(s *Scenario) { s.Path.Queue = QueueSize{Packets: -1} }, "queue"},
		{"negative delay", func(s *Scenario) { s.Path.RTT = -1 }, "delay"},
		{"a rate that no link has", func(s *Scenario) { s.Path.Rate = 1e15 + 1 }, "at most"},
		{"a queue that passes no packet", func(s *Scenario) { s.Path.Queue = QueueSize{Octets: 1499} }, "at least 1500"},
		{"a path without an end", func(s *Scenario) { s.Path.Rate, s.Path.RTT = 1e15, 1000*time.Hour }, "2^53"},
		{"a queue without an end", func(s *Scenario) { s.Path.Rate, s.Path.Queue.BDP = 1e12, 1e9 }, "2^53"},
	} {
		s := good()
		c.spoil(&s)
		_, err := s.Cases()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.name, err, c.want)
		}
	}
	if _, err := good().Cases(); err != nil {
		t.Error(err)
	}
}

// TestProbeShare: probes take at most a hundredth of the slower direction.
func TestProbeShare(t *testing.T) {
	for _, c := range []struct {
		rate, reverse int64
		want          time.Duration
	}{
		{155e6, 0, 100 * time.Millisecond},
		{512e3, 0, 100 * time.Millisecond},
		{64e3, 0, 800 * time.Millisecond},
		{155e6, 9600, 5333333333},
		{1, 0, 51200 * time.Second},
	} {
		s := Scenario{Path: Path{Rate: c.rate, ReverseRate: c.reverse}, Stacks: parseAll(t, "reno")}
		cases, err := s.Cases()
		if err != nil {
			t.Fatal(err)
		}
		if got := cases[0].Probe; got != c.want {
			t.Errorf("%d and %d bit/s: a probe every %v, want %v", c.rate, c.reverse, got, c.want)
		}
	}
}

// TestPathResult: a BDP of 155 Mbit/s x 70 ms is 1,356,250 octets.
func TestPathResult(t *testing.T) {
	r := DefaultPath().result()
	if r.BDP != 1356250 || r.QueueBytes != 1356250 || r.QueuePackets != 0 || r.RTT != 70 || r.ReverseRate != 155e6 {
		t.Errorf("%+v", r)
	}
	p := Path{Rate: 8e6, ReverseRate: 1e6, RTT: 10 * time.Millisecond, Queue: QueueSize{BDP: 1}}
	if _, octets := p.room(p.reverseRate()); octets != minQueue {
		t.Errorf("a queue of %d octets for 1250 in flight, want room for one packet", octets)
	}
}
