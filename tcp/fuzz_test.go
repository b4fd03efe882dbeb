package tcp

import (
	"bytes"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/wire"
)

// octets is what the fuzzer gives, taken one by one; when they are used up it goes on with zeros, which choose the ordinary.
type octets []byte

func (o *octets) next() byte {
	if len(*o) == 0 {
		return 0
	}
	b := (*o)[0]
	*o = (*o)[1:]
	return b
}

func (o *octets) next16() int { return int(int16(uint16(o.next())<<8 | uint16(o.next()))) }

// config takes a connection's configuration.
func (o *octets) config() Config {
	how := o.next()
	cfg := Config{
		Recovery:       []Recovery{RACK, SACK6675, NewReno, DupACK, FACK, NACK, NACKConn, NoFACK}[how%8],
		SubConnections: int(how % 16 / 4), // some only: the recovery decides
		Policy:         Policy(how / 5 % 3),
		PathMTU:        PathMTU(how / 15 % 4),
		Disable:        Feature(o.next()) & Defaults,
		Enable:         Feature(o.next()) << 7 &^ Defaults,
	}
	if how/15%2 == 1 { // the octet above has no room for it
		cfg.Enable |= Minshall
	}
	sizes, more := o.next(), o.next()
	cfg.MSS = []int{1460, 536, 200, 8960}[sizes%4]
	cfg.SendBuffer = []int{0, 3000, 20_000, 200_000}[sizes/4%4]
	cfg.RecvBuffer = []int{0, 2000, 20_000, 200_000}[sizes/16%4]
	cfg.SlowStart = int(sizes / 64)
	cfg.Algorithm = cc.All[int(more)%len(cc.All)]
	if cfg.Enable&NAK != 0 {
		naks := o.next()
		cfg.NAKs = NAKOptions{Threshold: int(naks % 4), Repeat: int(naks / 4 % 4), Ignore: naks&16 != 0, CountACKs: naks&32 != 0}
	}
	return cfg
}

// streamOctet is what every stream of these tests has at that offset: no two nearby places look alike.
func streamOctet(at int) byte { return byte(at ^ at>>8*37) }

// writer writes a stream of that many octets as far as there is room, and closes.
type writer struct{ at, size int }

func (a *writer) write(c *Conn) {
	var chunk [1 << 12]byte
	for a.at < a.size {
		n := min(len(chunk), a.size-a.at)
		for i := range n {
			chunk[i] = streamOctet(a.at + i)
		}
		n, _ = c.Write(chunk[:n])
		if n == 0 {
			return
		}
		a.at += n
	}
	c.CloseWrite()
}

// reader checks a stream.
type reader struct{ at int }

func (a *reader) read(t testing.TB, c *Conn) {
	t.Helper()
	var chunk [1 << 12]byte
	for {
		n, _ := c.Read(chunk[:])
		if n == 0 {
			return
		}
		for i, b := range chunk[:n] {
			if b != streamOctet(a.at+i) {
				t.Fatalf("octet %d is %d, want %d", a.at+i, b, streamOctet(a.at+i))
			}
		}
		a.at += n
	}
}

// middlebox decides the fate of each packet by an octet of the fuzzer's: on time, lost, late, twice, cut in two, joined with
// the one before it, damaged, marked, or too big.
type middlebox struct {
	w     *pair
	most  int // packets; more means that somebody sends without end
	fates octets
	inner bool // the packet is a part or a copy of the one whose fate is being decided
}

func (m *middlebox) filter(p *wire.Packet, from int) (drop bool, extra time.Duration) {
	if m.w.count > m.most {
		m.w.t.Fatalf("more than %d packets by %v", m.most, m.w.now)
	}
	if len(m.fates) == 0 || m.inner {
		return false, 0
	}
	fate := m.fates.next()
	how := int(fate / 8)
	switch fate % 8 {
	case 1:
		return true, 0
	case 2:
		return false, time.Duration(how*how) * time.Millisecond
	case 3:
		m.send(from, *p)
	case 4:
		m.split(p, from, how)
	case 5:
		m.merge(p, from)
	case 6:
		m.damage(p, how)
		return true, 0
	case 7:
		if p.ECN == wire.ECT0 && how%2 == 0 {
			p.ECN = wire.CE
			break
		}
		return m.tooBig(p, from, 500+40*how), 0
	}
	return false, 0
}

// send puts another packet on the wire before the one whose fate is being decided.
func (m *middlebox) send(from int, p wire.Packet) {
	m.inner = true
	m.w.send(from, p)
	m.inner = false
}

// tooBig drops p if it has more than mtu octets, and tells its sender at once.
func (m *middlebox) tooBig(p *wire.Packet, from, mtu int) bool {
	size := wire.EncodedLen(p, wire.Encoding{})
	if size <= mtu {
		return false
	}
	e := wire.TooBig(hopAddr, p, size, mtu)
	m.w.sides[from].InputICMP(m.w.now, &e)
	return true
}

// split sends the first part of p's data in a segment of its own, as a middlebox with a smaller MTU may.
func (m *middlebox) split(p *wire.Packet, from, how int) {
	at := p.PayloadLen * (how + 1) / 33
	if at == 0 {
		return
	}
	first := *p
	first.Flags &^= wire.FIN | wire.PSH
	first.PayloadLen, first.Payload = at, p.Payload[:min(at, len(p.Payload))]
	m.send(from, first)
	p.Seq = p.Seq.Add(at)
	p.PayloadLen, p.Payload = p.PayloadLen-at, p.Payload[len(first.Payload):]
}

// merge puts in front of p's data that of the segment before it, if that is still on its way, as a network card that
// coalesces segments does. The newer header stays.
func (m *middlebox) merge(p *wire.Packet, from int) {
	for i, f := range m.w.flying {
		q := &f.p
		if f.to == from || q.PayloadLen == 0 || p.PayloadLen == 0 || q.Seq.Add(q.PayloadLen) != p.Seq ||
			(q.Flags|p.Flags)&(wire.SYN|wire.RST) != 0 || q.Flags&wire.FIN != 0 || len(q.Payload) != q.PayloadLen || len(p.Payload) != p.PayloadLen {
			continue
		}
		p.Seq = q.Seq
		p.PayloadLen += q.PayloadLen
		p.Payload = bytes.Join([][]byte{q.Payload, p.Payload}, nil)
		m.w.flying = append(m.w.flying[:i:i], m.w.flying[i+1:]...)
		return
	}
}

// damage flips a bit of p on the wire, which its checksums must tell.
func (m *middlebox) damage(p *wire.Packet, how int) {
	b, err := wire.AppendPacket(nil, p, wire.Encoding{})
	if err != nil {
		m.w.t.Fatalf("%+v: %v", p, err)
	}
	b[(how/8*len(b)/4+how)%len(b)] ^= 1 << (how % 8)
	var q wire.Packet
	if err := wire.Decode(b, &q, wire.Encoding{}); err == nil {
		m.w.t.Fatalf("%+v was damaged and became %+v", p, q)
	}
}

// maxFates is how many packets the fuzzer decides about: more could outlast the retries of the handshake.
const maxFates = 400

// FuzzPair lets the fuzzer choose how two stacks are configured and the fate of every packet between them. When its choices are
// used up, every octet arrives both ways and both sides close; the invariants hold after every step, and nobody sends without
// end.
func FuzzPair(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{4 * 8, 0, 5}, 100))
	f.Fuzz(pairRun)
}

// pairRun is one execution of FuzzPair.
func pairRun(t *testing.T, in []byte) {
	o := octets(in)
	cfg := [2]Config{o.config(), o.config()}
	w := newPair(t, 10*time.Millisecond)
	sizes := [2]int{1 + o.next16()&0x3fff, o.next16() & 0x3fff}
	// Each segment may be lost, and its repair; what is sent for nothing after that is bounded by the fates.
	m := &middlebox{w: w, fates: o[:min(len(o), maxFates)], most: 4*((sizes[0]+sizes[1])/100+20) + 20*maxFates}
	w.filter = m.filter
	for i := range cfg {
		cfg[i].Timers.TimeWait, cfg[i].UserTimeout = time.Second, -1
	}
	l, err := w.sides[1].Listen(addrs[1], 0, cfg[1])
	if err != nil {
		t.Fatal(err)
	}
	w.ends[0], _ = w.sides[0].Dial(0, addrs[0], addrs[1], cfg[0])
	writers := [2]writer{{size: sizes[0]}, {size: sizes[1]}}
	var readers [2]reader
	w.apps = func() {
		if w.ends[1] == nil {
			w.ends[1] = l.Accept()
		}
		for i, c := range w.ends {
			if c != nil {
				writers[i].write(c)
				readers[1-i].read(t, c)
			}
		}
	}
	w.run(24 * time.Hour)
	if w.ends[1] == nil && w.ends[0].Err() != nil {
		return // so much was lost that one end gave up on the handshake
	}
	for i, c := range w.ends {
		if c == nil || c.err != nil || c.state != Closed || readers[i].at != sizes[i] {
			t.Fatalf("end %d: %d octets of %d have arrived; client %+v, %v; server %+v", i, readers[i].at, sizes[i], w.ends[0].Info(), w.ends[0].err, w.ends[1])
		}
	}
}
