package tcp

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"

	"longhaul/mono"
	"longhaul/wire"
)

// secret keys the numbers that whoever does not see our packets must not guess. Every hash has an input of the same
// length, which begins with the key, so that SHA-256 serves as a keyed function without more ado.
type secret [32]byte

// purpose says what a hash is for, so that none tells anything of another.
type purpose uint8

const (
	forISN purpose = iota
	forTimestamps
	forPorts
	forCookies
	forBudget
)

func newSecret(rng *rand.Rand) (k secret) {
	for i := 0; i < len(k); i += 8 {
		binary.LittleEndian.PutUint64(k[i:], rng.Uint64())
	}
	return k
}

// hash returns the keyed hash of two addresses and of what else matters for the purpose.
func (k *secret) hash(u purpose, local, remote netip.AddrPort, more uint64) [sha256.Size]byte {
	const end = len(secret{})
	var b [end + 1 + 2*(16+2) + 8]byte
	copy(b[:], k[:])
	b[end] = byte(u)
	for i, a := range [...]netip.AddrPort{local, remote} {
		ip := a.Addr().As16()
		at := b[end+1+18*i:]
		copy(at, ip[:])
		binary.BigEndian.PutUint16(at[16:], a.Port())
	}
	binary.BigEndian.PutUint64(b[len(b)-8:], more)
	return sha256.Sum256(b[:])
}

// isnTick is what one step of an initial sequence number's clock takes (RFC 6528 s.3, RFC 9293 s.3.4.1).
const isnTick = 4 * time.Microsecond

// isn returns the initial sequence number for a connection (RFC 6528 s.3): a clock, so that a new incarnation begins
// beyond the old one, and a keyed hash of both addresses, so that one connection's tells nothing of another's.
func (s *Stack) isn(now mono.Time, key connKey) wire.Seq {
	h := s.secret.hash(forISN, key.local, key.remote, 0)
	return wire.Seq(binary.BigEndian.Uint32(h[:]) + uint32(int64(now)/int64(isnTick)))
}

// tsOffset returns what is added to the timestamp clock. It is the same for all connections between two hosts, so that
// a new incarnation's timestamps are newer than the old one's (RFC 7323 s.5.4 and 7.1, RFC 6191).
func (s *Stack) tsOffset(key connKey) uint32 {
	local, remote := netip.AddrPortFrom(key.local.Addr(), 0), netip.AddrPortFrom(key.remote.Addr(), 0)
	h := s.secret.hash(forTimestamps, local, remote, 0)
	return binary.BigEndian.Uint32(h[:])
}

// Ephemeral ports (RFC 6056 s.3.2): all that are not reserved for what the system itself offers.
const (
	firstEphemeral = 1024
	numEphemeral   = 1<<16 - firstEphemeral
)

// portCounters is the table of RFC 6056 s.3.3.4.
type portCounters [256]uint16

// choosePort returns local with a free ephemeral port if it has none. It is the double-hash algorithm of RFC 6056
// s.3.3.4: where the walk through the ports begins depends on a keyed hash of the addresses, and how far it has
// come on a counter that is one of many, so that a peer learns neither the next port to another peer nor how many
// connections there are. A port comes again after all others did. At most every port is looked at once.
func (s *Stack) choosePort(local, remote netip.AddrPort) (netip.AddrPort, error) {
	if local.Port() != 0 {
		if s.conns[connKey{local, remote}] != nil {
			return local, ErrInUse
		}
		return local, nil
	}
	h := s.secret.hash(forPorts, local, remote, 0)
	offset := binary.BigEndian.Uint32(h[:]) % numEphemeral
	counter := &s.ports[h[4]]
	for range numEphemeral {
		l := netip.AddrPortFrom(local.Addr(), uint16(firstEphemeral+(offset+uint32(*counter))%numEphemeral))
		*counter = uint16((uint32(*counter) + 1) % numEphemeral)
		if s.conns[connKey{l, remote}] == nil && s.listeners[l] == nil {
			return l, nil
		}
	}
	return local, ErrInUse
}
