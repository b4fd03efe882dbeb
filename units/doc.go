// Package units reads and writes quantities as people write them.
//
// Four types hold them: Rate (155mbit, powers of 1000), Size (64K and 156KiB are powers of 1024, 32MB of 1000),
// Duration (580ms, 20m) and Probability (1e-5, 0.001%). Each has Set, String and Type, so that a pointer to one
// serves as a command-line flag; Set leaves the value alone when it fails, and String gives a text that Set
// reads back exactly. ParseRate, ParseSize, ParseDuration and ParseProbability are the same as functions.
//
// The Format functions write measured quantities for reports, rounded to three significant digits. They are for
// eyes; nothing parses them.
//
// Every error is one line that says what is wrong and what would be right. The package does not judge whether a
// quantity makes sense in its place: a rate of 0 parses, and whoever needs more refuses it.
package units
