package wire

import "testing"

// dataSegment is what a bulk sender sends all day.
func dataSegment() Packet {
	return Packet{Src: addrPort("192.0.2.1:1000"), Dst: addrPort("198.51.100.2:80"), Protocol: ProtocolTCP, TTL: 64, Flags: ACK, Window: 512,
		Seq: 1, Ack: 2, Options: Options{Set: OptTimestamps, TSVal: 3, TSEcr: 4}, PayloadLen: 1448, Payload: make([]byte, 1448)}
}

func TestNothingAllocates(t *testing.T) {
	buf := make([]byte, 0, 4096)
	for i, p := range append(samples(), dataSegment()) {
		bad := p
		bad.Protocol = 0
		var back Packet
		n := 0
		for name, f := range map[string]func(){
			"AppendPacket":       func() { buf, _ = AppendPacket(buf[:0], &p, Encoding{}) },
			"AppendHeaders":      func() { buf, _ = AppendHeaders(buf[:0], &p, Encoding{}) },
			"EncodedLen":         func() { n += EncodedLen(&p, Encoding{}) },
			"AppendPacket error": func() { buf, _ = AppendPacket(buf[:0], &bad, Encoding{}) },
			"FitSACK":            func() { n += p.Options.FitSACK(Encoding{}) },
		} {
			if a := testing.AllocsPerRun(100, f); a != 0 {
				t.Errorf("sample %d: %s allocates %v times", i, name, a)
			}
		}
		b := mustAppend(t, &p, Encoding{})
		if a := testing.AllocsPerRun(100, func() { _ = Decode(b, &back, Encoding{}) }); a != 0 {
			t.Errorf("sample %d: Decode allocates %v times", i, a)
		}
		b[0] = 0
		if a := testing.AllocsPerRun(100, func() { _ = Decode(b, &back, Encoding{}) }); a != 0 {
			t.Errorf("sample %d: a failing Decode allocates %v times", i, a)
		}
	}
}

func BenchmarkAppendPacket(b *testing.B) {
	ack := samples()[2]
	data := dataSegment()
	synthetic := data
	synthetic.Payload = nil
	for _, c := range []struct {
		name string
		p    *Packet
	}{{"ack", &ack}, {"data", &data}, {"synthetic", &synthetic}} {
		b.Run(c.name, func(b *testing.B) {
			buf := make([]byte, 0, 2048)
			b.SetBytes(int64(EncodedLen(c.p, Encoding{})))
			b.ReportAllocs()
			for b.Loop() {
				buf, _ = AppendPacket(buf[:0], c.p, Encoding{})
			}
		})
	}
}

func BenchmarkAppendHeaders(b *testing.B) {
	p := dataSegment()
	p.Payload = nil
	buf := make([]byte, 0, 2048)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = AppendHeaders(buf[:0], &p, Encoding{})
	}
}

func BenchmarkDecode(b *testing.B) {
	ack, data := samples()[2], dataSegment()
	for _, c := range []struct {
		name string
		p    *Packet
	}{{"ack", &ack}, {"data", &data}} {
		b.Run(c.name, func(b *testing.B) {
			buf := mustAppend(b, c.p, Encoding{})
			var p Packet
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Decode(buf, &p, Encoding{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodedLen(b *testing.B) {
	ack, data := samples()[2], dataSegment()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += EncodedLen(&data, Encoding{}) + EncodedLen(&ack, Encoding{})
	}
	if n == 0 {
		b.Fatal("nothing measured")
	}
}

func BenchmarkChecksum(b *testing.B) {
	buf := make([]byte, 1460)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		if Checksum(buf, 0) != 0xffff {
			b.Fatal("the checksum of zeros")
		}
	}
}
