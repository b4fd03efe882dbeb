package tcp_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/wire"
)

// Two stacks on a wire of 50 ms, driven by hand: poll until there is nothing to send, deliver, move the clock.
func Example() {
	client, server := netip.MustParseAddrPort("192.0.2.1:40000"), netip.MustParseAddrPort("192.0.2.2:80")
	a, _ := tcp.NewStack(tcp.StackConfig{}, rand.New(rand.NewPCG(1, 1)))
	b, _ := tcp.NewStack(tcp.StackConfig{}, rand.New(rand.NewPCG(2, 2)))
	listener, _ := b.Listen(server, 1, tcp.Config{})
	conn, _ := a.Dial(0, client, server, tcp.Config{})
	conn.Write([]byte("over a long wire"))
	conn.CloseWrite()

	type arrival struct {
		at mono.Time
		to *tcp.Stack
		p  wire.Packet
	}
	var now mono.Time
	var wires []arrival // every packet takes as long, so the first sent is the first to arrive
	for now < mono.Time(time.Second) {
		for _, s := range []*tcp.Stack{a, b} {
			other := b
			if s == b {
				other = a
			}
			for {
				var p wire.Packet
				if ok, _ := s.Poll(now, &p); !ok {
					break
				}
				wires = append(wires, arrival{now.Add(50 * time.Millisecond), other, p})
			}
		}
		if len(wires) == 0 {
			break
		}
		next := wires[0]
		wires = wires[1:]
		now = next.at
		next.to.Input(now, &next.p)
	}

	accepted := listener.Accept()
	var text [100]byte
	n, _ := accepted.Read(text[:])
	_, err := accepted.Read(text[n:])
	fmt.Printf("%s (%v), client %v, server %v\n", text[:n], err, conn.Info().State, accepted.Info().State)
	// Output: over a long wire (EOF), client FIN-WAIT-2, server CLOSE-WAIT
}
