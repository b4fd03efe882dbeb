package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// FuzzPair lets the fuzzer decide the fate of every packet between two stacks: lost, late, twice, or on time. The
// transfer ends, both sides close, and the invariants hold after every step.
func FuzzPair(f *testing.F) {
	f.Add(byte(0), []byte{})
	f.Add(byte(1), []byte{1, 1, 1, 1, 0, 0, 0, 1, 2, 3, 0, 1})
	f.Add(byte(4), []byte{1, 1, 1, 1, 0, 0, 0, 1, 2, 3, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1})
	f.Add(byte(7), []byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 3, 7, 0, 0, 1, 255, 0, 9})
	f.Fuzz(func(t *testing.T, mode byte, fates []byte) {
		w := newPair(t, 10*time.Millisecond)
		cfg := reno(Recovery(mode % 5))
		cfg.Disable = []Feature{0, SACK, Timestamps, SACK | Timestamps | WindowScaling}[mode/5%4]
		switch mode / 20 % 4 {
		case 1:
			cfg.Enable = BigWindow | NAK
		case 2:
			cfg.Enable, cfg.Policy = NAK, LossIsNoise
		case 3:
			cfg.Enable, cfg.Policy, cfg.NAKs = BigWindow|NAK, LossIsNoise, NAKOptions{Threshold: 2, Repeat: 2, CountACKs: true}
		}
		if mode >= 128 {
			cfg.Enable |= ACKCheck
		}
		cfg.Timers.TimeWait = time.Second
		twice := false
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if len(fates) == 0 || twice {
				return false, 0
			}
			fate := fates[0]
			fates = fates[1:]
			switch fate % 4 {
			case 1:
				return true, 0
			case 2:
				return false, time.Duration(fate) * time.Millisecond
			case 3:
				twice = true
				w.send(from, *p)
				twice = false
			}
			return false, 0
		}
		if len(fates) > 400 { // more could outlast the retries of the handshake
			fates = fates[:400]
		}
		l, err := w.sides[1].Listen(addrs[1], 0, cfg)
		if err != nil {
			t.Fatal(err)
		}
		w.ends[0], _ = w.sides[0].Dial(0, addrs[0], addrs[1], cfg)
		left, got := 50_000, 0
		w.apps = func() {
			left -= w.ends[0].WriteSynthetic(left)
			if left == 0 {
				w.ends[0].CloseWrite()
			}
			if w.ends[1] == nil {
				if w.ends[1] = l.Accept(); w.ends[1] == nil {
					return
				}
			}
			for n := 1; n > 0; {
				n, _ = w.ends[1].Discard(1 << 20)
				got += n
			}
			if w.ends[1].rcv.finDone {
				w.ends[1].CloseWrite()
			}
		}
		w.run(24 * time.Hour)
		if w.ends[1] == nil && w.ends[0].Err() != nil {
			return // so much was lost that one end gave up on the handshake
		}
		if got != 50_000 || w.ends[0].state != Closed || w.ends[1].state != Closed {
			t.Fatalf("%d octets arrived; client %v, %+v; server %v", got, w.ends[0].err, w.ends[0].Info(), w.ends[1])
		}
	})
}

// FuzzInput throws arbitrary segments at a connection in the middle of a transfer: nothing panics and the
// invariants hold.
func FuzzInput(f *testing.F) {
	f.Add([]byte{16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{16, 0, 0, 0, 0, 255, 255, 0, 2, 11, 80, 0, 0, 58, 0, 0, 0, 0, 0}) // four segments SACKed beyond two
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 1, 0, 0, 1, 0, 0, 2, 0, 9, 9, 9, 1, 1, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		w := newPair(t, time.Millisecond)
		cfg, server := reno(Recovery(len(in)%5)), Config{RecvBuffer: 30_000}
		if len(in)/5%2 == 1 {
			cfg.Enable, server.Enable = BigWindow|NAK, BigWindow|NAK
		}
		w.connect(cfg, server)
		c := w.ends[0]
		c.WriteSynthetic(60_000)
		w.run(1500 * time.Microsecond)
		for len(in) >= 15 {
			offset := func(i int) int { return int(int16(uint16(in[i])<<8 | uint16(in[i+1]))) }
			p := wire.Packet{
				Src: addrs[1], Dst: addrs[0], Protocol: wire.ProtocolTCP, Flags: wire.Flags(in[0]),
				Seq: c.rcv.nxt.Add(offset(1)), Ack: c.snd.una.Add(offset(3)), Window: uint16(in[5])<<8 | uint16(in[6]),
				PayloadLen: int(in[7]) * 8,
			}
			if in[8]&1 != 0 {
				p.Options.Set |= wire.OptTimestamps
				p.Options.TSVal = c.rcv.tsRecent + uint32(in[8]>>2) - 4
				p.Options.TSEcr = c.tsVal(w.now) - uint32(in[8]>>4)
			}
			if in[8]&4 != 0 {
				p.Options.Set |= wire.OptUpperWindow
				p.Options.UpperWindow = uint16(in[6])
			}
			if in[8]&8 != 0 {
				p.Options.Set |= wire.OptNAK
				p.Options.NAKSeq, p.Options.NAKCount = c.snd.una.Add(offset(9)), in[14]
			}
			if in[8]&2 != 0 {
				p.Options.Set |= wire.OptSACK
				p.Options.NumSACK = 2
				for i := range 2 {
					start := c.snd.una.Add(offset(9 + 2*i))
					p.Options.SACK[i] = wire.Range{Start: start, End: start.Add(int(int8(in[13+i])) * 100)}
				}
			}
			in = in[15:]
			w.sides[0].Input(w.now, &p)
			w.run(time.Millisecond)
		}
		w.run(10 * time.Second)
	})
}
