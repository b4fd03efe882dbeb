// Package script runs packet scripts: texts that say at what time the engine is given which segment or system call, and at
// what time it must answer with which segment.
package script
