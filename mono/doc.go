// Package mono is longhaul's clock type: an instant as a 64-bit count of nanoseconds.
//
// An instant has no calendar. Zero is the start of a simulation or of a process, and Never is later than
// every other instant, so the earliest of several deadlines is a plain min without a special case for
// "no deadline". Durations are time.Duration. The package reads no clock; whoever drives the protocol code
// (package sim in virtual time, package host in real time) says what time it is.
package mono
