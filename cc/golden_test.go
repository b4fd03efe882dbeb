package cc_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// patterns are the canned histories of the golden curves. Each starts at 16 segments of 1000 octets.
var patterns = []struct {
	name     string
	ssthresh int64 // segments; 0 is infinite
	run      func(p *path)
}{
	{"slow start", 0, func(p *path) { p.rounds(5) }},
	{"slow start, rising delay", 0, func(p *path) {
		p.rounds(2)
		p.rtt += 30 * time.Millisecond
		p.rounds(7)
	}},
	{"one loss", 16, func(p *path) {
		p.rounds(3)
		p.lose = func(n int64) bool { return n == 70 }
		p.rounds(25)
	}},
	{"mark", 16, func(p *path) {
		p.rounds(3)
		p.c.OnCongestion(cc.Congestion{Kind: cc.ECN, Now: p.start, InFlight: 16 * mss})
		p.rounds(10)
	}},
	{"timeout", 64, func(p *path) {
		p.rounds(3)
		p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start, InFlight: 64 * mss})
		p.start = p.start.Add(time.Second)
		p.c.OnCongestion(cc.Congestion{Kind: cc.Timeout, Now: p.start, InFlight: 64 * mss, Repeated: true})
		p.rounds(12)
	}},
	{"undo", 16, func(p *path) {
		p.rounds(3)
		p.c.OnCongestion(cc.Congestion{Kind: cc.Loss, Now: p.start, InFlight: 16 * mss})
		p.rounds(1)
		p.c.OnCongestion(cc.Congestion{Kind: cc.Undo, Now: p.start})
		p.rounds(10)
	}},
	{"idle", 64, func(p *path) {
		p.rounds(4)
		p.start = p.start.Add(3500 * time.Millisecond)
		p.c.OnSent(cc.Sent{Now: p.start, Bytes: mss, InFlight: mss, Idle: 3500 * time.Millisecond, RTO: time.Second})
		p.rounds(8)
	}},
}

// The window against the number of the ACK, every eighth and later every 1024th, on each pattern.
func TestGolden(t *testing.T) {
	each(t, func(t *testing.T, a cc.Algorithm) {
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s: window against ACK number; octets, MSS %d, RTT 100 ms\n", a.Name, mss)
		for _, c := range patterns {
			fmt.Fprintf(&b, "\n# %s\n# ack window ssthresh phase\n", c.name)
			p := newPath(a.New(cc.Params{MSS: mss, InitialWindow: 16 * mss, InitialSsthresh: c.ssthresh * mss, Paced: true, HyStart: a.HyStart}), 100*time.Millisecond)
			n := 0
			p.onACK = func(mono.Time) {
				if n++; n%8 != 0 || n > 10_000 && n%1024 != 0 {
					return
				}
				o := p.c.Output()
				ss := "infinite"
				if o.Ssthresh < cc.Infinite {
					ss = fmt.Sprint(o.Ssthresh)
				}
				fmt.Fprintf(&b, "%d %d %s %s\n", n, o.Window, ss, o.Phase)
			}
			c.run(p)
		}
		file := filepath.Join("testdata", a.Name+".golden")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; go test ./cc -update writes it", err)
		}
		got, old := bytes.Split(b.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
		for i := range max(len(got), len(old)) {
			if i >= len(got) || i >= len(old) || !bytes.Equal(got[i], old[i]) {
				t.Fatalf("%s:%d: differs (of %d lines, now %d); go test ./cc -update rewrites it", file, i+1, len(old), len(got))
			}
		}
	})
}
