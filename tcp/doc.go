// Package tcp is the engine: a TCP without I/O, clock, goroutines or global state.
//
// A Stack is one host's TCP and a Conn one connection. Decoded packets go in with Stack.Input, come out of
// Stack.Poll, and every call that depends on time is told what time it is:
//
//	stack.Input(now, packet)              // something arrived
//	ok, next := stack.Poll(now, &packet)  // something to send, or when to come back
//
// A driver calls Poll until it gives nothing more, drains Changed for connections whose Ready may have changed,
// lets the application read and write, and polls again. The function that sends is the one that says when to come
// back, so the two cannot disagree.
//
// Three things are kept apart. Loss detection (recovery*.go) only marks segments lost: by duplicate ACKs, RFC 6675,
// FACK, RACK, or the peer's NAKs (RFC 1106, nak.go). The loss policy says whether that is told to the controller. The
// controller (package cc) decides the window. Window, controller, flight and recovery episode belong to a sub-connection, of
// which a Conn has at least one.
//
// Memory: Input keeps no reference to its packet, Poll writes into the caller's and appends to its Payload. Send
// and receive buffers are allocated when octets arrive and dropped when they are empty; synthetic octets
// (WriteSynthetic, Discard) are counted and never stored. In steady state nothing is allocated, and the work per
// ACK is proportional to what the ACK changed, whatever the window. What others can make a stack hold is bounded: an idle
// connection takes at most 1,024 octets besides its buffers, with reno or cubic, in the mean of both ends (TestIdleMemory; one that was
// dialled has its Config to itself), since its state is packed when nothing has happened for the time of a retransmission
// (rest.go), one in TIME-WAIT as much, and there are StackConfig.MaxTimeWait of those; a half-open one at most 2,560 (TestSYNFlood), and a listener has as many as its
// backlog, beyond which SYN cookies take none; ranges out of order take under a hundredth of the receive buffer; a sent
// segment takes 72, and the peer can make that one for each 76 octets in flight, not more (minMSS). A peer that keeps its window
// closed holds what was written, at most the send buffer, until Config.PersistTimeout.
//
// Segments that do not look like the peer's get at most two answers a second and connection, and 1,499 a second and stack
// (RFC 5961; budget.go). So many are the RSTs, too;
// a SYN is answered with one SYN-ACK, and a half-open connection sends it again five times.
//
// Not here: urgent data and TCP Fast Open. Windows end at 2^30 octets.
package tcp
