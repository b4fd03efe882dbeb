// Package lab compares TCP stacks: scenarios, their expansion into runs, a parallel runner, metrics and results.
//
// A Scenario is several stacks and one path; Compare runs it and returns Results, plain data that package report
// turns into text and `longhaul compare --json` prints. Underneath, Scenario.Cases expands into Cases, one run each
// with a world of its own, and Run runs any list of Cases on all cores; an experiment builds its own list.
//
// Every run draws its randomness from its case's seed and name alone and its result goes to the place of its case,
// so the results are equal octet for octet for any number of workers.
//
// What the metrics mean is in Definitions, one entry per key of a result in the JSON document; BoundRule is the rule
// behind bound_by.
//
// A path's Loss hits the data direction only, as in the lossy-link experiments that the references made; its BER
// damages packets of both directions, ACKs too, since an error rate belongs to a medium. A Window is what one stack
// gets: parallel streams share it evenly.
//
// The lab prints nothing and writes no files; sinks for packets and events come from the caller.
package lab
