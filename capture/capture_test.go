package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"pgregory.net/rapid"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/trace"
	"longhaul/wire"
)

// packets are events as a tap makes them: a SYN, a data segment of which only the headers were kept, a NAK with SACK over
// IPv6, and an UDP datagram.
func packets(t testing.TB) []trace.Event {
	t.Helper()
	a4, b4 := netip.MustParseAddrPort("10.0.0.1:49152"), netip.MustParseAddrPort("10.0.0.2:5001")
	a6, b6 := netip.MustParseAddrPort("[2001:db8::1]:49152"), netip.MustParseAddrPort("[2001:db8::2]:5001")
	list := []wire.Packet{
		{Src: a4, Dst: b4, Protocol: wire.ProtocolTCP, Flags: wire.SYN, Window: 65535, Seq: 1000, Options: wire.Options{
			Set: wire.OptMSS | wire.OptSACKPermitted | wire.OptTimestamps | wire.OptWindowScale | wire.OptBigWindow, MSS: 1460, TSVal: 5, WindowScale: 7, BigWindow: 1 << 20}},
		{Src: a4, Dst: b4, Protocol: wire.ProtocolTCP, Flags: wire.ACK | wire.PSH, Window: 502, Seq: 1001, Ack: 1, PayloadLen: 1448,
			Options: wire.Options{Set: wire.OptTimestamps, TSVal: 6, TSEcr: 7}},
		{Src: b6, Dst: a6, Protocol: wire.ProtocolTCP, ECN: wire.CE, Flags: wire.ACK, Window: 9, Seq: 1, Ack: 1001, Options: wire.Options{
			Set: wire.OptUpperWindow | wire.OptNAK | wire.OptSACK, UpperWindow: 3, NAKSeq: 1001, NAKCount: 1, NumSACK: 1, SACK: [4]wire.Range{{Start: 2449, End: 3897}}}},
		{Src: a4, Dst: b4, Protocol: wire.ProtocolUDP, PayloadLen: 4, Payload: []byte("ping")},
	}
	times := []mono.Time{0, 1, 1_500_000_001, mono.Time(36 * time.Hour)}
	flows := []uint32{0, 0, 7, 1}
	var events []trace.Event
	for i := range list {
		p := &list[i]
		frame, err := wire.AppendHeaders(nil, p, wire.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		length := len(frame) + p.PayloadLen
		frame = append(frame, p.Payload...)
		events = append(events, trace.Event{Kind: trace.Packet, Time: times[i], Flow: flows[i], Frame: frame, Length: length})
	}
	return events
}

func writePcap(t testing.TB, events []trace.Event) []byte {
	t.Helper()
	var out bytes.Buffer
	p := NewPcapNG(&out)
	for i := range events {
		p.Record(&events[i])
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPcapNGReadBack(t *testing.T) {
	events := packets(t)
	mixed := append([]trace.Event{{Kind: trace.Window}, {Kind: trace.Drop}}, events...)
	r, err := pcapgo.NewNgReader(bytes.NewReader(writePcap(t, mixed)), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	if r.LinkType() != layers.LinkTypeRaw {
		t.Errorf("link type %v", r.LinkType())
	}
	for i, e := range events {
		data, info, err := r.ReadPacketData()
		if err != nil {
			t.Fatalf("packet %d: %v", i, err)
		}
		if !bytes.Equal(data, e.Frame) || info.Length != e.Length || info.CaptureLength != len(e.Frame) || info.Timestamp.UnixNano() != int64(e.Time) {
			t.Errorf("packet %d: %+v, %x, want %+v", i, info, data, e)
		}
		face, err := r.Interface(info.InterfaceIndex)
		if want := fmt.Sprintf("flow %d", e.Flow); err != nil || face.Name != want || face.LinkType != layers.LinkTypeRaw || face.TimestampResolution != 9 {
			t.Errorf("packet %d: interface %+v, %v, want %q", i, face, err, want)
		}
	}
	if _, _, err := r.ReadPacketData(); err != io.EOF {
		t.Errorf("after the last packet: %v", err)
	}
}

// The same trace makes the same octets, whatever machine it is written on.
func TestPcapNGNamesNoMachine(t *testing.T) {
	a := writePcap(t, packets(t))
	if !bytes.Equal(a, writePcap(t, packets(t))) {
		t.Error("two files of one trace differ")
	}
	for _, s := range []string{"linux", "amd64", "arm64", "gopacket"} {
		if bytes.Contains(a, []byte(s)) {
			t.Errorf("the file says %q", s)
		}
	}
}

func TestPcapNGFrameLongerThanLength(t *testing.T) {
	r, err := pcapgo.NewNgReader(bytes.NewReader(writePcap(t, []trace.Event{{Kind: trace.Packet, Frame: []byte{0x45, 0, 0}}})), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	if _, info, err := r.ReadPacketData(); err != nil || info.Length != 3 {
		t.Errorf("length %d, %v", info.Length, err)
	}
}

func TestPcapNGWithTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed, so no independent reader")
	}
	file := filepath.Join(t.TempDir(), "trace.pcapng")
	if err := os.WriteFile(file, writePcap(t, packets(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "-r", file, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
		"-o", "tcp.relative_sequence_numbers:FALSE", "-T", "fields", "-E", "separator=|", "-E", "occurrence=f"}
	for _, f := range []string{"frame.time_epoch", "frame.interface_name", "frame.len", "frame.cap_len", "ip.src", "ipv6.src", "ip.checksum.status", "tcp.srcport",
		"tcp.seq_raw", "tcp.flags", "tcp.checksum.status", "tcp.options.mss_val", "tcp.options.timestamp.tsval", "tcp.options.sack_le", "tcp.options.experimental.exid",
		"udp.dstport", "udp.checksum.status"} {
		args = append(args, "-e", f)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(tshark, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v\n%s", err, &stderr)
	}
	// A checksum over octets that were not kept has status 2, unverified.
	want := []string{
		"0.000000000|flow 0|68|68|10.0.0.1||1|49152|1000|0x0002|1|1460|5||0x110b||",
		"0.000000001|flow 0|1500|52|10.0.0.1||1|49152|1001|0x0018|2||6||||",
		"1.500000001|flow 7|88|88||2001:db8::2||5001|1|0x0010|1|||2449|0x110c||",
		"129600.000000000|flow 1|32|32|10.0.0.1||1|||||||||5001|1",
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tshark reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestJSONLinesGolden(t *testing.T) {
	state := trace.Event{Time: 1_500_000_000, Flow: 3, Sub: 2, Window: 14600, Ssthresh: cc.Infinite, InFlight: 2920, Phase: "slow start", Seq: 77, Bytes: 1448,
		Cause: "timeout", Length: 1500}
	cut := state
	cut.Time, cut.Ssthresh, cut.PacingRate, cut.RTT, cut.SRTT, cut.Phase = 1, 7300, 125_000, 70_000_001, 580*time.Millisecond, "congestion avoidance"
	for _, c := range []struct {
		kind trace.Kind
		e    trace.Event
		want string
	}{
		{trace.Window, state, `{"t":1.5,"kind":"window","flow":3,"sub":2,"cwnd":14600,"ssthresh":null,"in_flight":2920,"rtt_ms":null,"srtt_ms":null,"pacing_bps":null,"phase":"slow start"}`},
		{trace.Loss, cut, `{"t":0.000000001,"kind":"loss","flow":3,"sub":2,"cwnd":14600,"ssthresh":7300,"in_flight":2920,"rtt_ms":70.000001,"srtt_ms":580,"pacing_bps":1000000,"phase":"congestion avoidance","seq":77,"bytes":1448}`},
		{trace.Episode, state, `{"t":1.5,"kind":"episode","flow":3,"sub":2,"cwnd":14600,"ssthresh":null,"in_flight":2920,"rtt_ms":null,"srtt_ms":null,"pacing_bps":null,"phase":"slow start","cause":"timeout","seq":77,"bytes":1448}`},
		{trace.Drop, state, `{"t":1.5,"kind":"drop","flow":3,"sub":2,"cause":"timeout","seq":77,"bytes":1448,"length":1500}`},
		{trace.Packet, state, ``},
		{0, state, ``},
	} {
		var out bytes.Buffer
		j := NewJSONLines(&out)
		c.e.Kind = c.kind
		j.Record(&c.e)
		if err := j.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != c.want {
			t.Errorf("kind %d:\n%s, want\n%s", c.kind, got, c.want)
		}
	}
}

// line is what a reader of JSONLines decodes into.
type line struct {
	T                                   json.Number
	Kind, Phase, Cause                  string
	Flow, Sub, Cwnd, Seq, Bytes, Length int64
	InFlight                            int64        `json:"in_flight"`
	Ssthresh                            *int64       `json:"ssthresh"`
	RTT                                 *json.Number `json:"rtt_ms"`
	SRTT                                *json.Number `json:"srtt_ms"`
	Pacing                              *int64       `json:"pacing_bps"`
}

// scaled returns v/10^digits the way fmt does it, without the zeros at the end.
func scaled(v int64, digits int) string {
	s := fmt.Sprintf("%0*d", digits+1, max(v, -v))
	s = strings.TrimRight(strings.TrimRight(s[:len(s)-digits]+"."+s[len(s)-digits:], "0"), ".")
	if v < 0 {
		s = "-" + s
	}
	return s
}

func TestJSONLinesDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(-math.MaxInt64, math.MaxInt64)
		e := trace.Event{
			Time: mono.Time(number.Draw(t, "time")), Kind: rapid.SampledFrom([]trace.Kind{trace.Window, trace.Loss, trace.Episode, trace.Drop}).Draw(t, "kind"),
			Flow: rapid.Uint32().Draw(t, "flow"), Sub: rapid.Uint16().Draw(t, "sub"), Window: number.Draw(t, "window"),
			Ssthresh: number.Draw(t, "ssthresh"), InFlight: number.Draw(t, "in flight"), PacingRate: rapid.Int64Range(0, math.MaxInt64/8).Draw(t, "rate"),
			RTT: time.Duration(number.Draw(t, "rtt")), SRTT: time.Duration(number.Draw(t, "srtt")), Phase: rapid.String().Draw(t, "phase"),
			Cause: rapid.String().Draw(t, "cause"), Seq: rapid.Uint32().Draw(t, "seq"), Bytes: number.Draw(t, "bytes"), Length: int(number.Draw(t, "length")),
		}
		var out bytes.Buffer
		j := NewJSONLines(&out)
		j.Record(&e)
		if err := j.Flush(); err != nil {
			t.Fatal(err)
		}
		if bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("not one line: %q", &out)
		}
		var got line
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		compareLine(t, &e, &got)
	})
}

func compareLine(t *rapid.T, e *trace.Event, got *line) {
	want := line{T: json.Number(scaled(int64(e.Time), 9)), Kind: []string{"", "window", "loss", "episode", "", "drop"}[e.Kind], Flow: int64(e.Flow), Sub: int64(e.Sub)}
	if e.Kind != trace.Drop {
		want.Cwnd, want.InFlight, want.Phase = e.Window, e.InFlight, e.Phase
		if e.Ssthresh < cc.Infinite {
			want.Ssthresh = &e.Ssthresh
		}
		if rtt := json.Number(scaled(int64(e.RTT), 6)); e.RTT != 0 {
			want.RTT = &rtt
		}
		if srtt := json.Number(scaled(int64(e.SRTT), 6)); e.SRTT != 0 {
			want.SRTT = &srtt
		}
		if rate := 8 * e.PacingRate; rate != 0 {
			want.Pacing = &rate
		}
	}
	if e.Kind != trace.Window {
		want.Seq, want.Bytes = int64(e.Seq), e.Bytes
	}
	if e.Kind == trace.Episode || e.Kind == trace.Drop {
		want.Cause = e.Cause
	}
	if e.Kind == trace.Drop {
		want.Length = int64(e.Length)
	}
	if !reflect.DeepEqual(got, &want) {
		t.Fatalf("%+v decodes as %+v, want %+v", e, got, &want)
	}
}

func TestJSONStrings(t *testing.T) {
	for _, s := range []string{"", "plain", `quote " and \ backslash`, "tab\tnewline\nnul\x00 unit \x1f", "\u2028 snow \u2603 \U0001f600", "bad \xff utf-8", "\x7f"} {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\ufffd") {
			t.Errorf("%q became %q, %v", s, got, err)
		}
	}
}

func TestJSONLinesUnboundedRate(t *testing.T) {
	var out bytes.Buffer
	j := NewJSONLines(&out)
	j.Record(&trace.Event{Kind: trace.Window, PacingRate: math.MaxInt64})
	if err := j.Flush(); err != nil || !strings.Contains(out.String(), `"pacing_bps":9223372036854775807,`) {
		t.Errorf("%s, %v", &out, err)
	}
}

// JSONLines writes in big pieces, and the whole trace comes out in order.
func TestJSONLinesBuffers(t *testing.T) {
	w := &recorder{}
	j := NewJSONLines(w)
	const n = 5000
	for i := range n {
		j.Record(&trace.Event{Kind: trace.Window, Flow: uint32(i)})
	}
	if err := j.Flush(); err != nil {
		t.Fatal(err)
	}
	if most := w.Len()/flushSize + 1; w.writes > most {
		t.Errorf("%d writes for %d octets, want at most %d", w.writes, w.Len(), most)
	}
	d := json.NewDecoder(w)
	for i := range n {
		var l line
		if err := d.Decode(&l); err != nil || l.Flow != int64(i) {
			t.Fatalf("line %d: %+v, %v", i, l, err)
		}
	}
	if err := j.Flush(); err != nil || d.More() {
		t.Errorf("a second Flush wrote again, or failed: %v", err)
	}
}

type recorder struct {
	bytes.Buffer
	writes int
}

func (r *recorder) Write(p []byte) (int, error) { r.writes++; return r.Buffer.Write(p) }

// failing accepts room octets and then fails, as a full disk does.
type failing struct {
	room  int
	err   error
	calls int
}

func (f *failing) Write(p []byte) (int, error) {
	f.calls++
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, f.err
	}
	return n, nil
}

type sink interface {
	trace.Sink
	Flush() error
	Err() error
}

func TestFirstWriteErrorIsKept(t *testing.T) {
	full := errors.New("disk full")
	frame := packets(t)[0].Frame
	for name, c := range map[string]struct {
		new  func(w io.Writer) sink
		kind trace.Kind
	}{
		"PcapNG":    {func(w io.Writer) sink { return NewPcapNG(w) }, trace.Packet},
		"JSONLines": {func(w io.Writer) sink { return NewJSONLines(w) }, trace.Window},
	} {
		for _, room := range []int{0, 10, 40000} {
			w := &failing{room: room, err: full}
			s := c.new(w)
			for i := range 3000 {
				s.Record(&trace.Event{Kind: c.kind, Flow: uint32(i % 3), Frame: frame})
			}
			calls := w.calls
			if err := s.Err(); !errors.Is(err, full) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, room %d: Err is %v before Flush", name, room, err)
			}
			w.err = errors.New("another")
			if err := s.Flush(); !errors.Is(err, full) {
				t.Errorf("%s, room %d: Flush returned %v", name, room, err)
			}
			s.Record(&trace.Event{Kind: c.kind, Flow: 99, Frame: frame})
			if err := s.Flush(); !errors.Is(err, full) || w.calls != calls {
				t.Errorf("%s, room %d: %v and %d more writes after the error", name, room, err, w.calls-calls)
			}
		}
		w := &failing{room: 0, err: full} // an error only at the end
		s := c.new(w)
		s.Record(&trace.Event{Kind: c.kind, Frame: frame})
		if err := s.Flush(); !errors.Is(err, full) || !errors.Is(s.Err(), full) {
			t.Errorf("%s: Flush returned %v, Err %v", name, err, s.Err())
		}
		w = &failing{room: 5} // a writer that breaks the contract of io.Writer
		s = c.new(w)
		s.Record(&trace.Event{Kind: c.kind, Frame: frame})
		if err := s.Flush(); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: a short write gave %v", name, err)
		}
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	e := packets(t)[1]
	for name, c := range map[string]struct {
		s    trace.Sink
		kind trace.Kind
	}{
		"PcapNG":    {NewPcapNG(io.Discard), trace.Packet},
		"JSONLines": {NewJSONLines(io.Discard), trace.Episode},
	} {
		e.Kind, e.Phase, e.Cause, e.RTT = c.kind, "congestion avoidance", "loss", 70*time.Millisecond
		for range 1000 { // so that the buffer has its size
			c.s.Record(&e)
		}
		if n := testing.AllocsPerRun(1000, func() { c.s.Record(&e) }); n != 0 {
			t.Errorf("%s allocates %v times a record", name, n)
		}
	}
}

func BenchmarkJSONLines(b *testing.B) {
	j := NewJSONLines(io.Discard)
	e := trace.Event{Kind: trace.Window, Time: 123456789012, Window: 1448000, Ssthresh: 724000, InFlight: 1447000, RTT: 70123456, SRTT: 70100000, Phase: "congestion avoidance"}
	b.ReportAllocs()
	for b.Loop() {
		j.Record(&e)
	}
}

func BenchmarkPcapNG(b *testing.B) {
	p := NewPcapNG(io.Discard)
	e := packets(b)[1]
	b.ReportAllocs()
	for b.Loop() {
		p.Record(&e)
	}
}
