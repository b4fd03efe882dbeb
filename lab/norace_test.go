//go:build !race

package lab

// raceEnabled tells long tests that the race detector makes them ten times as long.
const raceEnabled = false
