package tcp

import (
	"errors"
	"time"

	"longhaul/cc"
)

// The ways a connection ends other than in order. Conn.Err returns them, and so do Read and Write.
var (
	ErrRefused     = errors.New("tcp: connection refused")                 // RST in answer to our SYN
	ErrReset       = errors.New("tcp: connection reset by peer")           // RST from the peer
	ErrTimeout     = errors.New("tcp: connection timed out")               // no answer to a SYN, to data or to keep-alives
	ErrUnreachable = errors.New("tcp: peer unreachable")                   // ICMP refused our SYN, or, with ErrTimeout, says why
	ErrAborted     = errors.New("tcp: connection aborted")                 // Abort was called
	ErrClosed      = errors.New("tcp: write after the stream was closed")  // CloseWrite came before
	ErrInUse       = errors.New("tcp: address already in use")             // Dial or Listen
	ErrAddress     = errors.New("tcp: needs a local and a remote address") // Dial or Listen
)

// Ready says what an application can do with a connection now.
type Ready struct {
	Connected bool // the handshake is complete
	Readable  bool // Read gives data, the end of the stream, or an error
	Writable  bool // Write takes at least one octet
	Closed    bool // the connection is over; Err says why if it did not end in order
}

// Info is a snapshot of a connection, for reports and for people.
type Info struct {
	State      State
	Controller string   // the algorithm's name
	Features   Feature  // in force: before the handshake those wanted, after it those agreed on
	MSS        int      // payload octets in a full segment now
	PathMTU    int      // octets of the IP packet that carries it
	Window     int64    // octets the controller allows in flight
	Ssthresh   int64    // octets
	InFlight   int64    // octets: pipe
	PeerWindow int64    // octets the peer advertises
	RecvWindow int64    // octets we advertise
	SendQueue  int      // octets written and not acknowledged
	RecvQueue  int      // octets arrived in order and not read
	PacingRate int64    // octets per second; 0 when not paced
	Phase      cc.Phase // the controller's phase
	SRTT       time.Duration
	RTTVar     time.Duration
	MinRTT     time.Duration
	RTO        time.Duration
	Sent       Sent
	Received   Received
	Limited    Limited
}

// Sent counts what the sending side did.
type Sent struct {
	Segments        int64 // segments of every kind, retransmissions included
	DataSegments    int64 // segments with payload, retransmissions included
	Bytes           int64 // payload octets, retransmissions included
	Acked           int64 // payload octets acknowledged cumulatively
	Retransmissions int64 // segments sent again
	RetransBytes    int64 // payload octets sent again
	Lost            int64 // segments marked lost
	Timeouts        int64 // retransmission timer expiries
	FastRetransmits int64 // episodes of fast recovery
	Probes          int64 // tail loss probes (RFC 8985 s.7)
	MTUProbes       int64 // segments longer than the others, to find the path MTU (RFC 8899)
	MTUProbesLost   int64 // of those
	NAKs            int64 // holes NAKed (RFC 1106 s.2)
	Withheld        int64 // segments sent out of turn, to see whether the peer tells the truth
	Spurious        int64 // episodes undone, or retransmissions that D-SACK showed needless
	MarkCuts        int64 // window reductions in answer to an echoed congestion mark (RFC 3168 s.6.1.2)
	MaxInFlight     int64 // octets, the most ever
}

// Received counts what the receiving side did.
type Received struct {
	Segments     int64 // segments of every kind
	Bytes        int64 // payload octets delivered in order
	Duplicates   int64 // payload octets that had arrived before
	OutOfOrder   int64 // segments that arrived after a hole
	Refused      int64 // segments not taken because too many ranges had arrived out of order
	OutOfWindow  int64 // segments rejected because nothing of them lay in the window
	PAWSRejected int64 // segments rejected as old duplicates (RFC 7323 s.5)
	FalseACKs    int64 // ACKs of what was never sent, or withheld
	Marked       int64 // data segments that came with a congestion mark (RFC 3168 s.6.1.3)
	Echoes       int64 // ACKs that echoed one

	ICMP        int64 // ICMP errors about this connection
	ICMPIgnored int64 // those of them that quoted nothing in flight, or changed nothing

	NAKs           int64 // NAKs acted upon
	NAKsIgnored    int64 // NAKs that named nothing outstanding (C-7)
	Bare           int64 // segments that lacked the upper window agreed on (C-6)
	WindowsClamped int64 // windows beyond 2^30 octets, taken as 2^30 (C-1)
}

// Limited is the time that each cause kept the sender from sending while there was a connection.
type Limited struct {
	Congestion  time.Duration // the congestion window was full
	Receiver    time.Duration // the peer's window was full
	Application time.Duration // there was nothing to send, or the send buffer was too small to hold more
	Timeout     time.Duration // the part of Congestion that was spent waiting for a retransmission timer
}
