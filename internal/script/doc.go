// Package script runs packet scripts: texts that say when the engine is given which segment or system call, and with which
// segment, result or state it must answer when. The language is that of packetdrill as far as docs/scripts.md tells it, with
// what RFC 1106 needs added.
//
//	s, err := script.Parse("handshake.pkt", text)  // err: one line with file and line
//	result := s.Run(script.Options{})              // Pass, Fail, PartlyJudged or NotApplicable
//
// Files and RunFiles do the same for files and directories, several at a time, and Report writes what became of them.
//
// A script runs in virtual time against one tcp.Stack; the peer and the application are the script. An injected packet is
// built as octets and decoded by package wire, and what the engine sends is encoded by it and read here again, options one by
// one in their order, so that wire is part of what is tested. The octets of a payload tell their place in the stream: those of
// the peer are checked when they are read, ours when they are sent.
//
// The four verdicts are never merged. A script that needs what cannot be run here is not applicable, also when most of it
// could be run; one that asserts something about a name that the engine does not offer is partly judged.
//
// What is what: scan.go and parse*.go read the text into the tree of ast.go; python.go reads the blocks of assertions;
// settings.go and shell.go turn options and commands into a configuration; run.go is the loop of events; segment.go maps
// sequence numbers and timestamps between script and wire; compare.go judges a packet; calls.go and sockopts.go are the
// application; names.go is what assertions can ask for.
//
// Commands in scripts are never executed. A Script may be run several times, also at the same time.
package script
