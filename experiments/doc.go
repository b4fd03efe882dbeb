// Package experiments repeats published experiments, one file each, listed in All.
//
// An Experiment is a question in words, a list of runs, and a function that turns what the runs gave into tables beside
// the published numbers and a verdict on each published claim. Run does the work; `longhaul reproduce` prints it.
//
// An experiment chooses its runs from Options alone, and gives them different names, which with the seed make their
// randomness: the same seed gives the same document. The package prints nothing and writes no files; sinks for packets
// and events come from the caller.
package experiments
