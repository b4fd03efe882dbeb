package tcp

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"time"

	"longhaul/wire"
)

func netipWithPort(a netip.AddrPort, port uint16) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr(), port)
}

// states asserts both ends' states.
func (w *pair) states(client, server State) {
	w.t.Helper()
	if w.ends[0].state != client || w.ends[1].state != server {
		w.t.Errorf("at %v: %v and %v, want %v and %v", w.now, w.ends[0].state, w.ends[1].state, client, server)
	}
}

// TestCloseInTurn follows RFC 9293 figure 12 state by state, with data still flowing to the end that closed first.
func TestCloseInTurn(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{Timers: Timers{TimeWait: 5 * time.Second}}, Config{})
	w.run(time.Second)
	w.ends[0].CloseWrite()
	w.run(5 * time.Millisecond)
	w.states(FinWait1, Established)
	w.run(25 * time.Millisecond)
	w.states(FinWait2, CloseWait)
	if _, err := w.ends[1].Read(make([]byte, 9)); err != io.EOF {
		t.Errorf("read after FIN: %v", err)
	}
	if _, err := w.ends[0].Write([]byte("x")); err != ErrClosed {
		t.Errorf("write after CloseWrite: %v", err)
	}
	if n, err := w.ends[1].Write([]byte("half-closed")); n != 11 || err != nil {
		t.Errorf("write in CLOSE-WAIT: %d, %v", n, err)
	}
	w.run(30 * time.Millisecond)
	var buf [100]byte
	if n, err := w.ends[0].Read(buf[:]); string(buf[:n]) != "half-closed" || err != nil {
		t.Errorf("read in FIN-WAIT-2: %q, %v", buf[:n], err)
	}
	w.ends[1].CloseWrite()
	w.run(5 * time.Millisecond)
	w.states(FinWait2, LastAck)
	w.run(30 * time.Millisecond)
	w.states(TimeWait, Closed)
	w.run(6 * time.Second)
	w.states(Closed, Closed)
	for i, s := range w.sides {
		if len(s.conns) != 0 {
			t.Errorf("side %d still knows %d connections", i, len(s.conns))
		}
		if w.ends[i].Err() != nil {
			t.Errorf("end %d: %v", i, w.ends[i].Err())
		}
	}
}

// TestSimultaneousClose is RFC 9293 figure 13.
func TestSimultaneousClose(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.run(time.Second)
	w.ends[0].CloseWrite()
	w.ends[1].CloseWrite()
	w.run(15 * time.Millisecond)
	w.states(Closing, Closing)
	w.run(time.Second)
	w.states(TimeWait, TimeWait)
	w.run(61 * time.Second)
	w.states(Closed, Closed)
}

// TestFINLost: a lost FIN is sent again like data, alone or behind data, with every recovery.
func TestFINLost(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, NewReno, DupACK, FACK} {
		for _, data := range []int{0, 1, 1448, 5000} {
			w := newPair(t, 10*time.Millisecond)
			w.connect(reno(r), Config{})
			w.run(time.Second)
			dropped := false
			w.filter = func(p *wire.Packet, from int) (bool, time.Duration) {
				if from == 0 && p.Flags&wire.FIN != 0 && !dropped {
					dropped = true
					return true, 0
				}
				return false, 0
			}
			w.ends[0].WriteSynthetic(data)
			w.ends[0].CloseWrite()
			w.run(3 * time.Second)
			n, _ := w.ends[1].Discard(1 << 20)
			if n != data || w.ends[1].state != CloseWait || !dropped {
				t.Errorf("recovery %d, %d octets: %d arrived, %v", r, data, n, w.ends[1].state)
			}
		}
	}
}

// TestAbort sends a RST that ends the other side with an error; its unread data is gone.
func TestAbort(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.run(time.Second)
	w.ends[0].Abort()
	w.run(time.Second)
	w.states(Closed, Closed)
	if w.ends[0].Err() != ErrAborted || w.ends[1].Err() != ErrReset {
		t.Errorf("errors %v and %v", w.ends[0].Err(), w.ends[1].Err())
	}
	if _, err := w.ends[1].Read(make([]byte, 1)); err != ErrReset {
		t.Errorf("read: %v", err)
	}
	if _, err := w.ends[1].Write(make([]byte, 1)); err != ErrReset {
		t.Errorf("write: %v", err)
	}
}

// TestRSTInWindow: a RST ends the connection only at the exact sequence number; elsewhere in the window it is
// challenged, outside it is ignored (RFC 5961 s.3.2).
func TestRSTInWindow(t *testing.T) {
	for _, c := range []struct {
		offset int
		closed bool
		acks   int
	}{{0, true, 0}, {1, false, 1}, {1000, false, 1}, {-1, false, 0}, {1 << 20, false, 0}} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(Config{}, Config{})
		w.run(time.Second)
		before := len(w.seen)
		e := w.ends[1]
		w.sides[1].Input(w.now, &wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.RST, Seq: e.rcv.nxt.Add(c.offset)})
		w.run(5 * time.Millisecond)
		if closed := e.state == Closed; closed != c.closed || len(w.seen)-before != c.acks {
			t.Errorf("RST at %+d: %v, %d ACKs", c.offset, e.state, len(w.seen)-before)
		}
	}
}

// TestSYNInWindow is challenged, whatever its sequence number (RFC 5961 s.4.2).
func TestSYNInWindow(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.run(time.Second)
	w.sides[1].Input(w.now, &wire.Packet{Src: addrs[0], Dst: addrs[1], Protocol: wire.ProtocolTCP, Flags: wire.SYN, Seq: w.ends[1].rcv.nxt + 5})
	w.run(time.Second)
	w.states(Established, Established)
}

// TestTimeWaitReuse: a newer SYN opens a new connection out of TIME-WAIT (RFC 6191).
func TestTimeWaitReuse(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.connect(Config{}, Config{})
	w.run(time.Second)
	w.ends[1].CloseWrite() // the server closes first and keeps TIME-WAIT
	w.run(100 * time.Millisecond)
	w.ends[0].CloseWrite()
	w.run(100 * time.Millisecond)
	w.states(Closed, TimeWait)
	c, err := w.sides[0].Dial(w.now, addrs[0], addrs[1], Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.snd.iss = w.ends[1].rcv.nxt + 1000
	c.snd.una, c.snd.nxt = c.snd.iss, c.snd.iss
	w.run(time.Second)
	if c.state != Established {
		t.Errorf("second connection: %v, %v", c.state, c.err)
	}
}

// TestBytes carries a real stream both ways at once, over a path that loses a tenth of everything, and compares
// every octet (R101).
func TestBytes(t *testing.T) {
	for _, r := range []Recovery{RACK, SACK6675, NewReno, DupACK, FACK} {
		w := newPair(t, 5*time.Millisecond)
		cfg := reno(r)
		w.connect(cfg, cfg)
		n := 0
		w.filter = func(*wire.Packet, int) (bool, time.Duration) {
			n++
			return n*7%10 == 3, time.Duration(n*13%5) * time.Millisecond
		}
		var sent, got [2][]byte
		for i := range sent {
			sent[i] = make([]byte, 200_000)
			for j := range sent[i] {
				sent[i][j] = byte(j*7 + j>>8 + i)
			}
		}
		rest := sent
		w.apps = func() {
			for i, c := range w.ends {
				if k, _ := c.Write(rest[i][:min(len(rest[i]), 3000)]); k > 0 {
					rest[i] = rest[i][k:]
				}
				if len(rest[i]) == 0 {
					c.CloseWrite()
				}
				var buf [5000]byte
				for k := 1; k > 0; {
					k, _ = c.Read(buf[:])
					got[1-i] = append(got[1-i], buf[:k]...)
				}
			}
		}
		w.run(10 * time.Minute)
		for i := range sent {
			if !bytes.Equal(got[i], sent[i]) {
				t.Errorf("recovery %d, from end %d: %d octets arrived of %d, equal: %v", r, i, len(got[i]), len(sent[i]), bytes.Equal(got[i], sent[i][:min(len(got[i]), len(sent[i]))]))
			}
			if w.ends[i].state != Closed && w.ends[i].state != TimeWait {
				t.Errorf("recovery %d, end %d: %v", r, i, w.ends[i].state)
			}
		}
	}
}

// TestTimeWaitReplaced: the connection that a new incarnation replaces is over for its application too, also when it
// was never accepted. The new one's sequence numbers begin above the old one's (RFC 9293 s.3.6.1).
func TestTimeWaitReplaced(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(Config{}, Config{})
		old := w.ends[1]
		l := w.sides[1].listeners[addrs[1]]
		if !accepted {
			old.hand.listener = l
			l.waiting = append(l.waiting, old)
		}
		old.CloseWrite()
		w.run(100 * time.Millisecond)
		w.ends[0].CloseWrite()
		w.run(100 * time.Millisecond)
		w.sides[1].Changed()
		c, err := w.sides[0].Dial(w.now, addrs[0], addrs[1], Config{})
		if err != nil {
			t.Fatal(err)
		}
		c.snd.iss = old.rcv.nxt + 1000
		c.snd.una, c.snd.nxt = c.snd.iss, c.snd.iss
		old.snd.nxt = old.snd.nxt.Add(1 << 30) // it was a fast one
		old.snd.una = old.snd.nxt
		w.run(time.Second)
		if next := w.sides[1].Conn(addrs[1], addrs[0]); next.snd.iss.Less(old.snd.nxt) {
			t.Errorf("accepted %v: the new one begins %d octets below the end of the old", accepted, old.snd.nxt.Sub(next.snd.iss))
		}
		if c.state != Established || old.state != Closed || w.sides[1].Changed() != old {
			t.Errorf("accepted %v: new %v, old %v", accepted, c.state, old.state)
		}
		if l.opening != 0 || len(l.waiting) != 1 || l.waiting[0] == old {
			t.Errorf("accepted %v: %d opening, %d waiting", accepted, l.opening, len(l.waiting))
		}
	}
}

// TestClose ends both halves (RFC 9293 s.3.6.1): what was written arrives, and data that nobody will read is answered
// with a reset, whether it came before or after.
func TestClose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		early bool // the peer writes before Close
		late  bool // the peer writes after it
		reset bool
	}{
		{name: "in order"}, {name: "unread", early: true, reset: true}, {name: "more to come", late: true, reset: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newPair(t, 10*time.Millisecond)
			w.connect(Config{}, Config{})
			if tt.early {
				w.ends[1].Write([]byte("early"))
			}
			w.ends[0].Write([]byte("farewell"))
			w.run(time.Second)
			w.ends[0].Close()
			w.run(time.Second)
			if tt.late {
				w.ends[1].Write([]byte("late"))
			}
			w.run(time.Second)
			if tt.reset {
				w.states(Closed, Closed)
				if err := w.ends[1].Err(); err != ErrReset {
					t.Errorf("the peer's error: %v", err)
				}
				return
			}
			var buf [20]byte
			if n, _ := w.ends[1].Read(buf[:]); string(buf[:n]) != "farewell" {
				t.Errorf("the peer read %q", buf[:n])
			}
			w.states(FinWait2, CloseWait)
			w.ends[1].CloseWrite()
			w.run(time.Second)
			w.states(TimeWait, Closed)
		})
	}
}

// TestCloseUnanswered gives up an attempt to connect that has had no answer (RFC 9293 s.3.10.4), also with data written.
func TestCloseUnanswered(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	w.filter = func(*wire.Packet, int) (bool, time.Duration) { return true, 0 }
	c, _ := w.sides[0].Dial(0, addrs[0], addrs[1], Config{})
	c.Write([]byte("unheard"))
	w.run(100 * time.Millisecond)
	c.Close()
	w.run(time.Minute)
	if c.state != Closed || len(w.seen) != 1 || len(w.sides[0].conns) != 0 {
		t.Errorf("%v, %d segments, %d connections left", c.state, len(w.seen), len(w.sides[0].conns))
	}
}

// TestCloseInTimeWait: to close a connection that is over but for TIME-WAIT does not end that, whether all was read or not
// (RFC 9293 s.3.6.1 asks for a RST only while the peer may still want to know).
func TestCloseInTimeWait(t *testing.T) {
	for _, unread := range []bool{false, true} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(Config{}, Config{})
		w.ends[0].CloseWrite()
		w.run(time.Second)
		if unread {
			w.ends[1].Write([]byte("unread"))
		}
		w.ends[1].CloseWrite()
		w.run(time.Second)
		w.states(TimeWait, Closed)
		w.ends[0].Close()
		w.run(time.Second)
		w.states(TimeWait, Closed)
		w.run(time.Hour)
		if err := w.ends[0].Err(); err != nil {
			t.Errorf("unread %v: %v", unread, err)
		}
	}
}

// TestFinWait2 bounds the wait for a peer that never closes, but only once nobody reads any more.
func TestFinWait2(t *testing.T) {
	for _, tt := range []struct {
		name  string
		close func(*Conn)
		want  State
	}{
		{"closed", (*Conn).Close, Closed}, {"half-closed", (*Conn).CloseWrite, FinWait2},
		{"half-closed, then closed", func(c *Conn) { c.CloseWrite(); c.Close() }, Closed},
	} {
		w := newPair(t, 10*time.Millisecond)
		w.connect(Config{Timers: Timers{FinWait2: 9 * time.Second}}, Config{})
		tt.close(w.ends[0])
		w.run(8 * time.Second)
		w.states(FinWait2, CloseWait)
		w.run(2 * time.Second)
		if got := w.ends[0].state; got != tt.want {
			t.Errorf("%s: %v after 10 s, want %v", tt.name, got, tt.want)
		}
	}
}
