// Package trace is what protocol code reports about itself: a flat Event and a Sink with one method.
//
// A nil Sink means that tracing is off and costs one comparison. There is no logger, no level and no format
// here; package capture has the sinks that write files.
package trace
