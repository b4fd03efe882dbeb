package tcp

import "errors"

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
