// Package stacks names TCP stacks: it turns a name into a tcp.Config and a number of streams, and back.
//
// A name is
//
//	ALGORITHM[:RECOVERY][+FEATURE|-FEATURE...][/SUBCONNECTIONS][*STREAMS]
//
// such as reno, cubic:sack, tahoe:dupack-pacing+coarse or reno*16. The algorithms are those of cc.All; Recoveries
// and Features are the tables of the other parts, and Presets gives short names to whole stacks. The default
// recovery is rack, and the Features whose Default holds are on unless taken away.
//
// Parse reads one name and ParseList a comma-separated list. Stack.String gives the canonical name: parts that say
// nothing new are left out and features stand in the order of the table, and Parse reads it back to an equal Stack.
// A preset keeps its own name. Every error is one line that lists what would parse.
//
// More than one sub-connection is part of the grammar and not available yet; nor are the recoveries and features
// that parse with "not available yet". The package builds no connection: package lab does.
package stacks
