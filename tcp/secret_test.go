package tcp

import (
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

func newTestStack(t testing.TB, seed uint64) *Stack {
	s, err := NewStack(StackConfig{}, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestISN: the initial sequence number of one pair of addresses moves forward with the clock, by 250,000 a second; that of
// another pair, or of another stack, has nothing to do with it (RFC 6528 s.3).
func TestISN(t *testing.T) {
	s := newTestStack(t, 1)
	key := connKey{addrs[0], addrs[1]}
	first := s.isn(0, key)
	for i := range 100 {
		at := time.Duration(i) * 100 * time.Second
		if got, want := s.isn(mono.Time(at), key), first+wire.Seq(uint32(at/isnTick)); got != want {
			t.Errorf("after %v: %d, want %d", at, got, want)
		}
	}
	// Whatever changes by one bit, half of the bits of the number change.
	changed, n := 0, 0
	compare := func(other wire.Seq) {
		changed += bits.OnesCount32(uint32(first ^ other))
		n++
	}
	compare(newTestStack(t, 2).isn(0, key))
	for port := range uint16(1000) {
		compare(s.isn(0, connKey{netipWithPort(addrs[0], 2000+port), addrs[1]}))
		compare(s.isn(0, connKey{addrs[0], netipWithPort(addrs[1], 3000+port)}))
	}
	if mean := float64(changed) / float64(n); mean < 15.8 || mean > 16.2 {
		t.Errorf("%.2f bits of 32 differ on average", mean)
	}
}

// TestTimestampOffset: all connections between two hosts have one timestamp clock, whatever their ports, and no other pair
// of hosts has it (RFC 7323 s.7.1).
func TestTimestampOffset(t *testing.T) {
	s := newTestStack(t, 1)
	key := connKey{addrs[0], addrs[1]}
	want := s.tsOffset(key)
	if got := s.tsOffset(connKey{otherPort, netipWithPort(addrs[1], 9)}); got != want {
		t.Errorf("other ports: offset %d, want %d", got, want)
	}
	third := netip.MustParseAddrPort("10.0.0.3:2000")
	if s.tsOffset(connKey{addrs[0], third}) == want || s.tsOffset(connKey{third, addrs[1]}) == want || newTestStack(t, 2).tsOffset(key) == want {
		t.Error("another pair of hosts has the same offset")
	}
}

// TestEphemeralPorts: every port from 1024 on is used before one comes again, none that is in use, and with all taken Dial
// says so. Where the walk begins cannot be guessed from another destination's (RFC 6056 s.3.3.4).
func TestEphemeralPorts(t *testing.T) {
	s := newTestStack(t, 1)
	local := netipWithPort(addrs[0], 0)
	taken := netipWithPort(addrs[0], 5555)
	if _, err := s.Listen(taken, 0, Config{}); err != nil {
		t.Fatal(err)
	}
	used := make(map[uint16]bool)
	for range numEphemeral - 1 {
		l, err := s.choosePort(local, addrs[1])
		if err != nil || l.Port() < firstEphemeral || used[l.Port()] || l == taken {
			t.Fatalf("port %d after %d others: %v", l.Port(), len(used), err)
		}
		used[l.Port()] = true
	}
	for port := range used { // now they are in use
		s.conns[connKey{netipWithPort(local, port), addrs[1]}] = &Conn{}
	}
	if _, err := s.choosePort(local, addrs[1]); err != ErrInUse {
		t.Errorf("with every port in use: %v", err)
	}
	if _, err := s.choosePort(local, netipWithPort(addrs[1], 1)); err != nil {
		t.Errorf("to another destination: %v", err)
	}
	delete(s.conns, connKey{netipWithPort(local, 7777), addrs[1]})
	if l, err := s.choosePort(local, addrs[1]); err != nil || l.Port() != 7777 {
		t.Errorf("with one port free: %v, %v", l, err)
	}

	// The first ports to 1,000 destinations, on two stacks: spread evenly over the range, and not alike.
	const parts = 8
	var hits [parts]int
	alike := 0
	other := newTestStack(t, 2)
	fresh := newTestStack(t, 3)
	for i := range uint16(1000) {
		a, _ := fresh.choosePort(local, netipWithPort(addrs[1], 100+i))
		b, _ := other.choosePort(local, netipWithPort(addrs[1], 100+i))
		hits[int(a.Port()-firstEphemeral)*parts/numEphemeral]++
		if a == b {
			alike++
		}
	}
	for i, n := range hits {
		if n < 90 || n > 160 {
			t.Errorf("%d of 1000 first ports in part %d of %d", n, i, parts)
		}
	}
	if alike > 2 {
		t.Errorf("%d of 1000 first ports are those of another stack", alike)
	}
}

// TestSequentialPortsTellNothing: the ports to one destination are spread by 256 counters; what another destination is
// given in between does not follow from them.
func TestSequentialPortsTellNothing(t *testing.T) {
	s := newTestStack(t, 1)
	local := netipWithPort(addrs[0], 0)
	gaps := map[int]int{}
	for i := range uint16(2000) {
		a, _ := s.choosePort(local, netipWithPort(addrs[1], 100+i))
		b, _ := s.choosePort(local, netipWithPort(addrs[1], 101+i))
		gaps[int(b.Port())-int(a.Port())]++
	}
	for gap, n := range gaps {
		if n > 4 {
			t.Errorf("two destinations' ports are %d apart %d times of 2000", gap, n)
		}
	}
}
