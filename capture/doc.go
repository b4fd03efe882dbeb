// Package capture has the trace sinks that write files: PcapNG writes packets for Wireshark and tshark, JSONLines
// writes congestion state for scripts.
//
// The verbs: Record takes an event, Flush writes what is buffered. Record cannot fail, so a sink keeps the first
// error of its writer, records nothing after it, and returns it from every Flush and from Err. Call Flush before closing
// the file.
//
// Memory: a sink copies what it needs of an event before Record returns, and owns its buffer; the io.Writer stays
// the caller's, who opens and closes it. Record allocates nothing in the steady state.
//
// The package chooses no events: each sink takes the kinds that it can write and ignores the rest.
package capture
