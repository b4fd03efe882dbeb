package tcp

import (
	"testing"
	"time"

	"longhaul/wire"
)

// TestControlIsOwn: what is set for one accepted connection holds for none of the others that the listener took or will take.
func TestControlIsOwn(t *testing.T) {
	w := newPair(t, 10*time.Millisecond)
	l, _ := w.sides[1].Listen(addrs[1], 0, Config{})
	accept := func() *Conn {
		w.sides[0].Dial(w.now, netipWithPort(addrs[0], 0), addrs[1], Config{})
		w.run(100 * time.Millisecond)
		return l.Accept()
	}
	first, second := accept(), accept()
	before := l.cfg
	first.SetUserTimeout(w.now, time.Second)
	first.SetKeepAlive(w.now, KeepAlive{Idle: time.Minute})
	first.SetSendBuffer(5000)
	third := accept()
	if first.cfg.UserTimeout != time.Second || first.cfg.KeepAlive.Idle != time.Minute || first.cfg.SendBuffer != 5000 {
		t.Errorf("the connection's own: %v, %v, %d", first.cfg.UserTimeout, first.cfg.KeepAlive, first.cfg.SendBuffer)
	}
	for _, c := range []*Conn{second, third} {
		if c.cfg.UserTimeout != before.UserTimeout || c.cfg.KeepAlive != before.KeepAlive || c.cfg.SendBuffer != before.SendBuffer {
			t.Errorf("another one's: %v, %v, %d", c.cfg.UserTimeout, c.cfg.KeepAlive, c.cfg.SendBuffer)
		}
	}
}

// TestControlAfterTheEnd: what is set when the connection is over takes no memory for windows and sends nothing.
func TestControlAfterTheEnd(t *testing.T) {
	w := newPairOf(t, 10*time.Millisecond, StackConfig{WindowMemory: 1 << 20})
	w.connect(Config{}, Config{})
	c := w.ends[0]
	c.WriteSynthetic(1000)
	w.run(time.Millisecond)
	w.inject(0, wire.RST, 0, 0, nil)
	w.run(time.Second)
	before := len(w.seen)
	c.SetUserTimeout(w.now, time.Millisecond)
	c.SetKeepAlive(w.now, KeepAlive{Idle: time.Millisecond})
	c.SetNagle(true)
	w.run(time.Minute)
	c.SetSendBuffer(1 << 20)
	if used := w.sides[0].memory.used; c.err != ErrReset || used != 0 || len(w.seen) != before {
		t.Errorf("%v; %d octets of window memory, %d segments", c.err, used, len(w.seen)-before)
	}
}
