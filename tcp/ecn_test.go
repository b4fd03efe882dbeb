package tcp

import (
	"fmt"
	"testing"
	"time"

	"longhaul/cc"
	"longhaul/mono"
	"longhaul/trace"
	"longhaul/wire"
)

// withECN returns reno(r) with ECN.
func withECN(r Recovery) Config {
	cfg := reno(r)
	cfg.Enable |= ECN
	return cfg
}

// TestECNNegotiation: ECN is in force when one end asks and the other is willing, and then the SYN has ECE and CWR, its
// answer ECE alone; else no segment has anything of it (RFC 3168 s.6.1.1).
func TestECNNegotiation(t *testing.T) {
	modes := []Feature{0, ECNPassive, ECN}
	for i, client := range modes {
		for j, server := range modes {
			w := newPair(t, time.Millisecond)
			w.connect(Config{Enable: client}, Config{Enable: server})
			w.transfer(100_000, time.Minute)
			w.ends[0].CloseWrite() // a FIN without data is not ECN-capable
			w.run(time.Second)
			want := client == ECN && server != 0
			for k, c := range w.ends {
				if got := c.Info().Features & (ECN | ECNPassive); got != 0 != want || got == ECNPassive {
					t.Errorf("modes %d and %d: end %d has features %b", i, j, k, got)
				}
			}
			syn, answer := w.seen[0].p.Flags&ecnSetup, w.seen[1].p.Flags&ecnSetup
			if (syn == ecnSetup) != (client == ECN) || (answer == wire.ECE) != want || !want && answer != 0 {
				t.Errorf("modes %d and %d: SYN %v, SYN-ACK %v", i, j, syn, answer)
			}
			for _, s := range w.seen[2:] {
				if ect := s.p.ECN == wire.ECT0; ect != (want && s.p.PayloadLen > 0) || s.p.Flags&ecnSetup != 0 {
					t.Fatalf("modes %d and %d: codepoint %d on %v", i, j, s.p.ECN, s)
				}
			}
		}
	}
}

// TestECNMiddleboxes: what the path does to the handshake decides who may use ECN, and never whether there is a
// connection.
func TestECNMiddleboxes(t *testing.T) {
	syn := func(p *wire.Packet, from int) bool { return from == 0 && p.Flags&wire.SYN != 0 }
	answer := func(p *wire.Packet, from int) bool { return from == 1 && p.Flags&wire.SYN != 0 }
	dropped := 0
	for _, c := range []struct {
		name      string
		filter    func(p *wire.Packet, from int) (drop bool)
		on, sends [2]bool // ECN in force; data is ECN-capable
		syns      int
	}{
		{"no trouble", func(*wire.Packet, int) bool { return false }, [2]bool{true, true}, [2]bool{true, true}, 1},
		{"the SYN is cleaned", func(p *wire.Packet, from int) bool {
			if syn(p, from) {
				p.Flags &^= ecnSetup
			}
			return false
		}, [2]bool{}, [2]bool{}, 1},
		// The server knows no better, and nobody echoes its marks: RFC 3168 s.6.1.1 leaves that to the path.
		{"the answer is cleaned", func(p *wire.Packet, from int) bool {
			if answer(p, from) {
				p.Flags &^= ecnSetup
			}
			return false
		}, [2]bool{false, true}, [2]bool{false, true}, 1},
		{"a peer returns reserved bits", func(p *wire.Packet, from int) bool {
			if answer(p, from) {
				p.Flags |= ecnSetup
			}
			return false
		}, [2]bool{false, true}, [2]bool{false, true}, 1},
		{"SYNs with ECN are dropped", func(p *wire.Packet, from int) bool {
			return syn(p, from) && p.Flags&ecnSetup != 0
		}, [2]bool{}, [2]bool{}, 2},
		// s.6.1.1.1's example: neither end may mark its data.
		{"the answer is lost", func(p *wire.Packet, from int) bool {
			if answer(p, from) {
				dropped++
			}
			return answer(p, from) && dropped == 1
		}, [2]bool{}, [2]bool{}, 2},
	} {
		w := newPair(t, 10*time.Millisecond)
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) { return c.filter(p, from), 0 }
		w.connect(withECN(RACK), Config{Enable: ECN, Timers: Timers{RTOInitial: 10 * time.Second}})
		w.transfer(100_000, time.Minute)
		w.ends[1].WriteSynthetic(10_000)
		w.run(time.Second)
		syns := 0
		for _, s := range w.seen {
			if s.from == 0 && s.p.Flags&wire.SYN != 0 {
				syns++
			}
		}
		for i, end := range w.ends {
			ect := w.data(i)[0].p.ECN == wire.ECT0
			if on := end.on&ECN != 0; on != c.on[i] || ect != c.sends[i] || syns != c.syns {
				t.Errorf("%s: end %d: ECN is %v, its data is ECN-capable: %v, after %d SYNs", c.name, i, on, ect, syns)
			}
		}
	}
}

// TestECNFallbackAnsweredLate: an ECN-setup answer that comes after the fallback leaves our data without ECN, but the peer's
// marks are still echoed (RFC 3168 s.6.1.1).
func TestECNFallbackAnsweredLate(t *testing.T) {
	w := newPair(t, 600*time.Millisecond) // the SYN times out on its way
	plain := 0
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from == 0 && p.Flags&(wire.SYN|wire.ACK) == wire.SYN && p.Flags&ecnSetup == 0 {
			plain++
			return true, 0
		}
		if from == 1 && p.ECN == wire.ECT0 {
			p.ECN = wire.CE
		}
		return false, 0
	}
	w.connect(withECN(RACK), withECN(RACK))
	w.transfer(10_000, time.Minute)
	w.ends[1].WriteSynthetic(10_000)
	w.run(10 * time.Second)
	if first := w.data(0)[0]; plain != 1 || first.p.ECN != wire.NotECT {
		t.Errorf("%d SYNs without ECN, codepoint %d on %v", plain, first.p.ECN, first)
	}
	if got := w.ends[0].got.Marked; got == 0 || w.ends[1].sent.MarkCuts == 0 {
		t.Errorf("%d marks seen, %d reductions of the peer's", got, w.ends[1].sent.MarkCuts)
	}
}

// TestECNSimultaneousOpen: both ends ask, both answer (RFC 3168 s.6.1.1). One that only accepts has sent a SYN without ECN.
func TestECNSimultaneousOpen(t *testing.T) {
	for _, c := range []struct {
		other Feature
		want  bool
	}{{ECN, true}, {ECNPassive, false}, {0, false}} {
		w := newPair(t, 20*time.Millisecond)
		for i, f := range []Feature{ECN, c.other} {
			w.ends[i], _ = w.sides[i].Dial(0, addrs[i], addrs[1-i], Config{Enable: f})
		}
		w.run(time.Second)
		for i, end := range w.ends {
			if on := end.on&ECN != 0; on != c.want || end.state != Established {
				t.Errorf("with %b: end %d in %v: ECN is %v", c.other, i, end.state, on)
			}
		}
		for _, s := range w.seen {
			if s.p.Flags&wire.ACK != 0 && (s.p.Flags&ecnSetup == wire.ECE) != c.want {
				t.Errorf("with %b: %v", c.other, s)
			}
		}
	}
}

// TestECNReceiver: a mark on data in the window has every ACK say ECE until data comes with CWR (RFC 3168 s.6.1.3, s.6.1.5).
func TestECNReceiver(t *testing.T) {
	const old, next, later, beyond = -1000, 0, 2000, 1 << 21
	for _, c := range []struct {
		name  string
		at    int
		size  int
		ecn   wire.ECN
		flags wire.Flags
		before,
		after bool // ECE
	}{
		{"plain data", next, 100, wire.ECT0, 0, false, false},
		{"marked data", next, 100, wire.CE, 0, false, true},
		{"marked data beyond a hole", later, 100, wire.CE, 0, false, true},
		{"marked data partly old", old, 1100, wire.CE, 0, false, true},
		{"marked data all old", old, 1000, wire.CE, 0, false, false},
		{"marked data beyond the window", beyond, 100, wire.CE, 0, false, false},
		{"a marked ACK", next, 0, wire.CE, 0, false, false},
		{"a marked FIN", next, 0, wire.CE, wire.FIN, false, false},
		{"plain data while echoing", next, 100, wire.ECT0, 0, true, true},
		{"CWR", next, 100, wire.ECT0, wire.CWR, true, false},
		{"CWR beyond a hole", later, 100, wire.ECT0, wire.CWR, true, false},
		{"CWR with a mark", next, 100, wire.CE, wire.CWR, true, true},
		{"CWR on old data", old, 1000, wire.NotECT, wire.CWR, true, true},
		{"CWR without data", next, 0, wire.NotECT, wire.CWR, true, true},
	} {
		w := newPair(t, time.Millisecond)
		w.connect(withECN(RACK), Config{Enable: ECN, RecvBuffer: 1 << 20})
		w.transfer(10_000, time.Minute)
		w.run(time.Second)
		e := w.ends[1]
		e.ecn.echo = c.before
		p := wire.Packet{
			Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.ACK | c.flags, ECN: c.ecn,
			Seq: e.rcv.nxt.Add(c.at), Ack: e.snd.una, Window: 1000, PayloadLen: c.size, Payload: make([]byte, c.size),
		}
		w.stamp(e, &p)
		w.sides[1].Input(w.now, &p)
		e.WriteSynthetic(10) // data says it too
		mark := len(w.seen)
		w.run(100 * time.Millisecond)
		for _, s := range w.seen[mark:] {
			if s.from == 1 && (s.p.Flags&wire.ECE != 0) != c.after {
				t.Errorf("%s: %v", c.name, s)
			}
		}
		if len(w.data(1)) == 0 {
			t.Errorf("%s: nothing was sent", c.name)
		}
	}
}

// cuts collects the episodes of a trace.
type cuts struct {
	cause []string
	at    []mono.Time
	srtt  []time.Duration
}

func (c *cuts) Record(e *trace.Event) {
	if e.Kind == trace.Episode {
		c.cause, c.at, c.srtt = append(c.cause, e.Cause), append(c.at, e.Time), append(c.srtt, e.SRTT)
	}
}

// marked runs a transfer of segments of 1000 octets over 100 ms in which those listed are marked or lost, once each, with
// windows of 40 segments, and returns its episodes.
func marked(t *testing.T, cfg Config, segments int, marks, losses []int) (*pair, *cuts) {
	t.Helper()
	c := &cuts{}
	cfg.MSS, cfg.InitialWindow, cfg.InitialSsthresh, cfg.Trace = 1000, 40, 20_000, c
	cfg.Disable |= Timestamps
	w := newPair(t, 50*time.Millisecond)
	w.connect(cfg, Config{MSS: 1000, Enable: ECN, Disable: DelayedACK})
	lose := map[int]bool{}
	for _, n := range losses {
		lose[n] = true
	}
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if from != 0 || p.PayloadLen == 0 {
			return false, 0
		}
		n := p.Seq.Sub(w.ends[0].snd.iss+1) / 1000
		for _, m := range marks {
			if m == n && p.ECN == wire.ECT0 {
				p.ECN = wire.CE
			}
		}
		drop := lose[n]
		delete(lose, n)
		return drop, 0
	}
	w.transfer(segments*1000, time.Minute)
	return w, c
}

// TestECNOneReduction: the marks and losses of one window of data cut the window once, and CWR tells the peer so on the first
// new segment after (RFC 3168 s.6.1.2). The window of 40 segments is cut when its first ACK is in; the next window begins
// with segment 41.
func TestECNOneReduction(t *testing.T) {
	firstFlight := make([]int, 41) // and a probe
	for i := range firstFlight {
		firstFlight[i] = i
	}
	for _, c := range []struct {
		name          string
		recovery      Recovery
		policy        Policy
		marks, losses []int
		want          string
		retrans       int
	}{
		{"a mark", RACK, 0, []int{0}, nil, "[ecn]", 0},
		{"many marks", RACK, 0, []int{0, 1, 2, 9, 10, 20, 39}, nil, "[ecn]", 0},
		{"marks in two windows", RACK, 0, []int{0, 39, 45}, nil, "[ecn ecn]", 0},
		{"the segment that tells is marked", RACK, 0, []int{0, 40}, nil, "[ecn ecn]", 0},
		{"mark, then loss", RACK, 0, []int{0}, []int{5}, "[ecn]", 1},
		{"mark, then loss", SACK6675, 0, []int{0}, []int{5}, "[ecn]", 1},
		{"mark, then loss", NewReno, 0, []int{0}, []int{5}, "[ecn]", 1},
		{"mark, then loss", FACK, 0, []int{0}, []int{5}, "[ecn]", 1},
		{"loss, then marks", RACK, 0, []int{6, 7, 39}, []int{0}, "[loss]", 1},
		{"loss, then marks", NewReno, 0, []int{6, 7, 39}, []int{0}, "[loss]", 1},
		{"mark, loss in the next window", RACK, 0, []int{0}, []int{45}, "[ecn loss]", 1},
		{"the segment that tells is lost", RACK, 0, []int{0}, []int{40}, "[ecn loss]", 1},
		{"timeout", RACK, 0, nil, firstFlight, "[timeout]", 41},
		{"noise does not excuse a mark", RACK, LossIsNoise, []int{0}, nil, "[ecn]", 0},
		{"noise, and the segment that tells is lost", RACK, LossIsNoise, []int{0}, []int{40}, "[ecn loss]", 1},
		{"loss as noise, then a mark", RACK, LossIsNoise, []int{8}, []int{0}, "[loss ecn]", 1},
	} {
		cfg := withECN(c.recovery)
		cfg.Policy = c.policy
		w, episodes := marked(t, cfg, 300, c.marks, c.losses)
		if got := fmt.Sprint(episodes.cause); got != c.want || w.ends[0].sent.Retransmissions != int64(c.retrans) {
			t.Errorf("%s, recovery %d: episodes %v, want %v; %d retransmissions", c.name, c.recovery, got, c.want, w.ends[0].sent.Retransmissions)
		}
		checkCWR(t, w, c.name)
		for i, at := range episodes.at {
			if c.policy == LossIsNoise && episodes.cause[i] == "loss" {
				continue
			}
			if !w.toldAt(at) {
				t.Errorf("%s, recovery %d: no CWR right after %v at %v", c.name, c.recovery, episodes.cause[i], at)
			}
		}
	}
}

// toldAt reports whether side 0 says CWR at that time, or with the first new data that it sends later.
func (w *pair) toldAt(at mono.Time) bool {
	highest := w.ends[0].snd.iss
	for _, s := range w.seen {
		if s.from != 0 || s.p.PayloadLen == 0 || !highest.Less(s.p.Seq) {
			continue
		}
		highest = s.p.Seq
		if told := s.p.Flags&wire.CWR != 0; s.at >= at && told || s.at > at {
			return told
		}
	}
	return false
}

// TestECNTellsWhenItCan: when the segment with CWR is lost and there is no new data to say it again, the echo that goes on is
// no news.
func TestECNTellsWhenItCan(t *testing.T) {
	cfg := withECN(RACK)
	cfg.Policy = LossIsNoise
	w, episodes := marked(t, cfg, 41, []int{0}, []int{40})
	w.run(time.Second)
	if got := fmt.Sprint(episodes.cause); got != "[ecn loss]" && got != "[ecn]" {
		t.Errorf("episodes %v", got)
	}
	w.transfer(1000, time.Minute)
	if w.ends[1].ecn.echo {
		t.Error("the next data does not end the echo")
	}
}

// checkCWR checks that nothing but new data carries ECT or CWR, and that the last echo has been answered.
func checkCWR(t *testing.T, w *pair, name string) {
	t.Helper()
	highest := w.ends[0].snd.iss
	for _, s := range w.seen {
		if s.from != 0 || s.p.Flags&wire.SYN != 0 {
			continue
		}
		fresh := s.p.PayloadLen > 0 && highest.Less(s.p.Seq)
		if fresh {
			highest = s.p.Seq
		}
		if ect := s.p.ECN != wire.NotECT; ect != fresh || !fresh && s.p.Flags&wire.CWR != 0 {
			t.Errorf("%s: codepoint %d on %v", name, s.p.ECN, s)
		}
	}
	if w.ends[1].ecn.echo {
		t.Errorf("%s: still echoing after the transfer", name)
	}
}

// TestECNFlagsUnderLoss: with every third segment lost somewhere in the transfer and marks between, only new data is ever
// ECN-capable or says CWR (RFC 3168 s.6.1.5).
func TestECNFlagsUnderLoss(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, NewReno, DupACK, FACK} {
		var losses, marks []int
		for n := 1; n < 290; n += 7 {
			losses, marks = append(losses, n, n), append(marks, n+2)
		}
		w, _ := marked(t, withECN(r), 300, marks, losses)
		if w.ends[0].sent.Retransmissions < 40 || w.ends[0].sent.MarkCuts == 0 {
			t.Fatalf("recovery %d: only %d retransmissions and %d marks", r, w.ends[0].sent.Retransmissions, w.ends[0].sent.MarkCuts)
		}
		checkCWR(t, w, fmt.Sprint("recovery ", r))
	}
}

// TestECNNotUndone: a loss that proves spurious is undone, but not if the window it cut was marked too.
func TestECNNotUndone(t *testing.T) {
	for mark, want := range map[int]string{
		-1: "[loss undo]",
		1:  "[ecn]",
		8:  "[loss]", // its echo comes when segment 3 seems lost, and before that proves late
	} {
		w := newPair(t, 50*time.Millisecond)
		var c cuts
		cfg := withECN(RACK)
		cfg.Trace, cfg.InitialSsthresh = &c, 14_480
		w.connect(cfg, withECN(RACK))
		late := map[int]time.Duration{3: 80 * time.Millisecond, 8: 40 * time.Millisecond}
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from != 0 || p.PayloadLen == 0 {
				return false, 0
			}
			n := w.offset(seen{p: *p}) / 1448
			if n == mark && p.ECN == wire.ECT0 {
				p.ECN = wire.CE
			}
			extra := late[n]
			delete(late, n)
			return false, extra
		}
		w.transfer(200_000, time.Minute)
		if got := fmt.Sprint(c.cause); got != want {
			t.Errorf("segment %d marked: episodes %v, want %v", mark, got, want)
		}
	}
}

// TestECNWindowProbe: probes of a closed window are not ECN-capable (RFC 3168 s.6.1.6).
func TestECNWindowProbe(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	cfg := withECN(RACK)
	cfg.RecvBuffer = 20_000
	w.connect(withECN(RACK), cfg)
	w.ends[0].WriteSynthetic(60_000)
	w.run(20 * time.Second)
	if n := len(w.data(0)); w.ends[0].persists == 0 || n == 0 {
		t.Fatalf("%d probes, %d data segments", w.ends[0].persists, n)
	}
	for _, s := range w.seen {
		if ect := s.p.ECN == wire.ECT0; ect != (s.p.PayloadLen > 0) {
			t.Errorf("codepoint %d on %v", s.p.ECN, s)
		}
	}
}

// TestECNEverythingMarked: on a path that marks all data the window shrinks to one segment, and then one new segment leaves per
// retransmission timeout (RFC 3168 s.6.1.2), no less; nothing is sent twice, and the stream ends in order.
func TestECNEverythingMarked(t *testing.T) {
	const segments = 60
	w := newPair(t, 50*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.ECN == wire.ECT0 {
			p.ECN = wire.CE
		}
		return false, 0
	}
	w.connect(withECN(RACK), withECN(RACK))
	w.transfer(segments*1448, 5*time.Minute)
	c := w.ends[0]
	sent := w.data(0)
	for i := segments / 2; i < segments-1; i++ {
		if gap := sent[i+1].at.Sub(sent[i].at); gap < 300*time.Millisecond || gap > 500*time.Millisecond {
			t.Errorf("segment %d left %v after the last one, want an RTT of 100 ms and an RTO of 300 ms", i+1, gap)
		}
	}
	if c.sent.Retransmissions != 0 || c.sent.Timeouts != 0 || len(sent) != segments {
		t.Errorf("%d data segments, %d again, %d timeouts", len(sent), c.sent.Retransmissions, c.sent.Timeouts)
	}
	if w.ends[1].got.Marked != segments || c.got.Echoes == 0 {
		t.Errorf("%d marks and %d echoes counted", w.ends[1].got.Marked, c.got.Echoes)
	}
	c.CloseWrite()
	w.run(time.Second)
	w.ends[1].CloseWrite()
	w.run(10 * time.Second)
	w.states(TimeWait, Closed)
}

// TestECNSmallSegments: the window of one segment that a mark cannot cut is one of the controller's, also on a path that carries
// less: every segment waits for the retransmission timer (RFC 3168 s.6.1.2).
func TestECNSmallSegments(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	w.setMTU(1000, true)
	inner := w.filter
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.ECN == wire.ECT0 {
			p.ECN = wire.CE
		}
		return inner(p, from)
	}
	w.connect(withECN(RACK), withECN(RACK))
	w.transfer(120*948, 5*time.Minute)
	c, sent := w.ends[0], w.data(0)
	if c.snd.mss != 948 {
		t.Fatalf("segments of %d octets", c.snd.mss)
	}
	for i := len(sent) - 20; i < len(sent)-3; i++ { // what the last segments leave of it is too short to count
		if gap := sent[i+1].at.Sub(sent[i].at); gap < 300*time.Millisecond {
			t.Errorf("segment %d left %v after the last one", i+1, gap)
		}
	}
	if c.sent.Timeouts != 0 {
		t.Errorf("%d timeouts", c.sent.Timeouts)
	}
}

// TestECNPauseEnds: once marking stops, a window of one segment grows again.
func TestECNPauseEnds(t *testing.T) {
	w := newPair(t, 50*time.Millisecond)
	w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
		if p.ECN == wire.ECT0 && w.now.Seconds() < 5 {
			p.ECN = wire.CE
		}
		return false, 0
	}
	w.connect(withECN(RACK), withECN(RACK))
	if w.transfer(300*1448, time.Minute); w.now.Seconds() > 20 {
		t.Errorf("300 segments took until %v", w.now)
	}
}

// TestECNQueue: two connections share a queue of 1 MB/s that marks above 20 kB and never drops. Neither sends anything again,
// each reduces at most once a round trip, the queue stays short and the link busy, and both get their share.
func TestECNQueue(t *testing.T) {
	for _, algorithm := range []string{"reno", "cubic"} {
		const rate, duration = 1e6, 60 * time.Second
		w := newPair(t, 20*time.Millisecond)
		w.lax = true
		var free, longest mono.Time
		w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
			if from != 0 {
				return false, 0
			}
			backlog := max(free, w.now) - w.now
			if w.now.Seconds() > 5 {
				longest = max(longest, backlog)
			}
			if backlog.Seconds() > 20e3/rate && p.ECN == wire.ECT0 {
				p.ECN = wire.CE
			}
			free = w.now + backlog + mono.Time(float64(p.PayloadLen+52)/rate*1e9)
			return false, time.Duration(free - w.now)
		}
		l, _ := w.sides[1].Listen(addrs[1], 0, withECN(RACK))
		var senders [2]*Conn
		var traces [2]cuts
		for i, local := range []int{1000, 1001} {
			cfg := withAlgorithm(algorithm)
			cfg.Trace = &traces[i]
			senders[i], _ = w.sides[0].Dial(0, netipWithPort(addrs[0], uint16(local)), addrs[1], cfg)
		}
		var receivers []*Conn
		w.apps = func() {
			for c := l.Accept(); c != nil; c = l.Accept() {
				receivers = append(receivers, c)
			}
			for _, c := range receivers {
				c.Discard(1 << 30)
			}
			for _, c := range senders {
				c.WriteSynthetic(1 << 20)
			}
		}
		w.run(duration)
		total := 0.0
		for i, c := range senders {
			goodput := float64(receivers[i].got.Bytes) / duration.Seconds()
			total += goodput
			if c.sent.Retransmissions != 0 || c.sent.MarkCuts < 20 || goodput < 0.25*rate {
				t.Errorf("%s, connection %d: %.0f octets/s, %d reductions, %d sent again", algorithm, i, goodput, c.sent.MarkCuts, c.sent.Retransmissions)
			}
			for k := range traces[i].at[1:] {
				if gap := traces[i].at[k+1].Sub(traces[i].at[k]); gap < 40*time.Millisecond {
					t.Errorf("%s, connection %d: reductions %v apart", algorithm, i, gap)
				}
			}
		}
		if total < 0.85*rate || longest.Seconds() > 0.1 {
			t.Errorf("%s: %.0f octets/s in all, the longest queue %v", algorithm, total, time.Duration(longest))
		}
	}
}

// withAlgorithm returns a configuration with that controller, pacing and ECN.
func withAlgorithm(name string) Config {
	cfg := Config{Enable: ECN}
	cfg.Algorithm, _ = cc.Find(name)
	return cfg
}
