package main

import (
	"encoding/json"
	"strings"
	"testing"

	"longhaul/lab"
)

// TestModelEstimate: without flags the command answers for 600 ms and a bit error rate of 1e-7, and --loss takes the place of --ber.
func TestModelEstimate(t *testing.T) {
	status, out, stderr := longhaul("model")
	for _, want := range []string{"Round trip 600 ms", "bit error rate 1e-7", "\nAgarwal ", "493 kbit/s", "\nreno:newreno ", "\nbbr3 "} {
		if status != 0 || stderr != "" || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in\n%s%s", status, want, out, stderr)
		}
	}
	status, out, _ = longhaul("model", "--loss", "0.1%", "--rtt", "100ms", "--rate", "100mbit", "--window", "1MB", "--mss", "1000", "--stacks", "reno,tahoe", "--json")
	var e lab.Estimate
	if err := json.Unmarshal([]byte(out), &e); status != 0 || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if e.Loss != 0.001 || e.RTT != 100 || e.Rate != 100_000_000 || e.Window != 1_000_000 || e.Packet != 1040 || len(e.Stacks) != 1 || e.WithoutLaw[0] != "tahoe" {
		t.Errorf("the answer to another question: %+v", e)
	}
}

// TestModelPlan: --target says the bit error rate per law and stack, by formula and by simulation, the same on any number of workers.
func TestModelPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("some virtual hours")
	}
	args := []string{"model", "--target", "20mbit", "--rtt", "10ms", "--stacks", "reno", "--seed", "7", "--json"}
	status, out, stderr := longhaul(append(args, "--workers", "1")...)
	var p lab.Plan
	if err := json.Unmarshal([]byte(out), &p); status != 0 || err != nil || stderr != "" {
		t.Fatalf("status %d, %v: %s%s", status, err, out, stderr)
	}
	if p.Target != 20e6 || p.Seed != 7 || len(p.Laws) != 5 || p.Stacks[0].Model.BER == nil || p.Stacks[0].Simulated.BER == nil {
		t.Errorf("the answer to another question: %+v", p)
	}
	if _, again, _ := longhaul(append(args, "--workers", "2")...); again != out {
		t.Errorf("two workers find\n%s\nand one\n%s", again, out)
	}
	status, out, _ = longhaul("model", "--target", "1gbit", "--rtt", "100ms", "--stacks", "scalable")
	if status != 0 || !strings.Contains(out, "Not simulated: ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
