package script

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is what became of a script. The four are never merged.
type Verdict uint8

// The verdicts.
const (
	Pass          Verdict = iota // everything was judged and as expected
	Fail                         // something was not as expected
	PartlyJudged                 // what could be judged was as expected; Result.Reasons say what could not
	NotApplicable                // nothing was run; Result.Reasons say what the script needs
)

// String returns the verdict as reports have it.
func (v Verdict) String() string {
	return [...]string{"pass", "fail", "partly judged", "not applicable"}[v]
}

// MarshalText returns the verdict as reports have it.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Result is what became of a script.
type Result struct {
	Name       string
	Verdict    Verdict
	Failure    *Failure    `json:",omitempty"`
	Reasons    []string    `json:",omitempty"` // line: why the script is partly judged or not applicable
	Deviations []Deviation `json:",omitempty"` // expected packets more than a millisecond off their time, whatever the tolerance
	Packets    int         // expected packets that were compared
	Asserts    int         // assertions that held

	variables map[string]int64 // of %{ }%
}

// Deviation is a packet that came at another time than the script says.
type Deviation struct {
	Line int
	Off  time.Duration
}

// Failure is what was not as expected.
type Failure struct {
	Line     int
	What     string
	Expected string   `json:",omitempty"`
	Got      string   `json:",omitempty"`
	Packets  []string `json:",omitempty"` // the latest ones, in the script's notation
}

// String returns the failure for people; name is the script's.
func (f *Failure) Text(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s\n", name, f.Line, f.What)
	if f.Expected != "" {
		fmt.Fprintf(&b, "    expected  %s\n", f.Expected)
	}
	if f.Got != "" {
		fmt.Fprintf(&b, "    got       %s\n", f.Got)
	}
	if len(f.Packets) > 0 {
		b.WriteString("  the latest packets, the time since the one before in front:\n")
		for _, p := range f.Packets {
			fmt.Fprintf(&b, "    %s\n", p)
		}
	}
	return b.String()
}
