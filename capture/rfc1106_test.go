package capture_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"longhaul/capture"
	"longhaul/cc"
	"longhaul/link"
	"longhaul/mono"
	"longhaul/sim"
	"longhaul/tcp"
	"longhaul/trace"
	"longhaul/wire"
)

// events keeps the packets of a trace.
type events []trace.Event

func (e *events) Record(x *trace.Event) {
	keep := *x
	keep.Frame = slices.Clone(x.Frame)
	*e = append(*e, keep)
}

// transfer moves 1 MB between hosts of those features over a path that loses the segments 100, 150 to 153 and 200, three
// holes, and returns the packets at the sender.
func transfer(t *testing.T, e wire.Encoding, client, server tcp.Feature) events {
	t.Helper()
	w := sim.New(1)
	w.Encoding, w.Wire = e, true
	lossy := link.Config{Rate: 10e6, Delay: 50 * time.Millisecond, Loss: []link.LossModel{
		&link.Script{MinSize: 1000, Drop: []link.Window{{First: 100, Last: 100}, {First: 150, Last: 153}, {First: 200, Last: 200}}},
	}}
	d, err := sim.NewDumbbell(w, lossy, link.Config{Rate: 10e6, Delay: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Left("a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Right("b")
	if err != nil {
		t.Fatal(err)
	}
	var seen events
	a.Tap(&seen, 0)
	reno, _ := cc.Find("reno")
	cfg := tcp.Config{Algorithm: reno, Policy: tcp.LossIsNoise, Enable: client, RecvBuffer: 300_000}
	var sink sim.Sink
	refuses := cfg
	refuses.Enable = server
	if err := b.Listen(80, 1, refuses, func(*tcp.Conn) sim.App { return &sink }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Dial(b.AddrPort(80), cfg, &sim.Source{Total: 1e6}); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(mono.Time(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if sink.Total != 1e6 {
		t.Fatalf("%d octets arrived", sink.Total)
	}
	return seen
}

// TestOptionsOnTheWire reads captures with Wireshark: option A once for each hole and with its count, and option C in every
// segment after the handshake (R5, R11 to R13); with a peer that refuses, neither (R3).
func TestOptionsOnTheWire(t *testing.T) {
	const both = tcp.BigWindow | tcp.NAK
	for _, e := range []wire.Encoding{{}, {Literal: true}} {
		for _, server := range []tcp.Feature{both, 0} {
			fields := []string{"-T", "fields", "-E", "separator=|"}
			for _, f := range []string{"tcp.flags.syn", "tcp.ack_raw", "rfc1106.upper_window", "rfc1106.nak.seq", "rfc1106.nak.segments", "rfc1106.malformed"} {
				fields = append(fields, "-e", f)
			}
			var naks []string
			segments, upper := 0, 0
			for _, line := range capture.ReadWith(t, transfer(t, e, both, server), fields...) {
				f := strings.Split(line, "|")
				if f[5] != "" {
					t.Errorf("malformed: %s", line)
				}
				if f[0] == "1" || f[0] == "True" {
					continue
				}
				segments++
				if f[2] != "" {
					upper++
				}
				if f[3] != "" {
					naks = append(naks, f[4])
					if f[3] != f[1] {
						t.Errorf("a NAK of %s beside an ACK of %s", f[3], f[1])
					}
				}
			}
			wantNAKs, wantUpper := "1 4 1", segments
			if server == 0 {
				wantNAKs, wantUpper = "", 0
			}
			if got := strings.Join(naks, " "); got != wantNAKs || upper != wantUpper || segments < 1000 {
				t.Errorf("literal %v, refused %v: NAKs of %q segments, upper window in %d of %d segments", e.Literal, server == 0, got, upper, segments)
			}
		}
	}
}
