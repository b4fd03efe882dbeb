// Package cc holds congestion controllers: how much may be in flight, decided from values that an engine
// reports and read back as one value.
//
// A Controller hears of segments sent (OnSent), of ACKs (OnAck), of segments marked lost (OnLost) and of
// congestion episodes (OnCongestion), and says what it wants in Output. All lists the algorithms, Find looks one
// up by name, Algorithm.New makes a controller for one connection. Adding an algorithm is one file and one line
// in All; the conformance, golden-curve and benchmark suites then cover it.
//
// Most algorithms embed the same small skeleton by value. It grows the window in slow start and in congestion
// avoidance by acknowledged octets or, on request, by ACKs (RFC 5681 s.3.1); leaves alone a window that is not
// being used (RFC 2861, RFC 7661); shrinks it after idle time; keeps what a spurious cut took, to restore it; and
// holds it between one segment and 2^30 octets. Its slow start knows HyStart++ (RFC 9406) and limited slow start (RFC 3742).
// An algorithm overrides only where it differs. Those that follow a model of the path (Algorithm.Model) do not embed it: they
// name a window and a pacing rate, and hear of losses one by one, whatever the loss policy says.
//
// A controller owns its memory, keeps no reference to what it is told and allocates nothing after New. It is not
// safe for concurrent use. The same events give the same outputs on every processor: arithmetic is in integers
// or in float64 with every product rounded before it is added to anything.
//
// The package does not detect loss, does not decide whether a loss means congestion (OnLost reports every segment
// marked lost, OnCongestion only what the loss policy calls congestion), does not pace, and does not say what to
// send during fast recovery unless Output.Direct is set: the engine does all that. It reads no clock and knows
// nothing of segments or of the engine, so that it also runs under the toy driver of its tests.
package cc
