//go:build race

package sim

// raceEnabled tells long tests that the race detector makes them ten times as long.
const raceEnabled = true
