package script

import (
	"encoding/json"
	"fmt"
	"io"
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
	numVerdicts
)

// String returns the verdict as reports have it.
func (v Verdict) String() string {
	return [...]string{"pass", "fail", "partly judged", "not applicable"}[v]
}

// MarshalText returns the verdict as reports have it.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Result is what became of a script.
type Result struct {
	Name       string      `json:"file"`
	Verdict    Verdict     `json:"verdict"`
	Packets    int         `json:"packets"`           // expected packets that were compared
	Asserts    int         `json:"asserts"`           // assertions that held
	Failure    *Failure    `json:"failure,omitempty"` // of a script that failed
	Reasons    []Reason    `json:"reasons,omitempty"` // why the script is partly judged or not applicable
	Deviations []Deviation `json:"deviations,omitempty"`
}

// Reason says why something could not be judged or run.
type Reason struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// String returns the reason with its line.
func (r Reason) String() string { return fmt.Sprintf("line %d: %s", r.Line, r.Text) }

// Deviation is an expected packet that came more than a millisecond before or after its time, whatever the tolerance.
type Deviation struct {
	Line int           `json:"line"`
	Off  time.Duration `json:"off_ns"`
}

// Failure is what was not as expected.
type Failure struct {
	Line     int      `json:"line"`
	What     string   `json:"what"`
	Expected string   `json:"expected,omitempty"`
	Got      string   `json:"got,omitempty"`
	Packets  []string `json:"packets,omitempty"` // the latest ones, in the language of scripts
}

// Text returns the failure for people; name is the script's.
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
		b.WriteString("    the latest packets, each with the time since the one before:\n")
		for _, p := range f.Packets {
			fmt.Fprintf(&b, "      %s\n", p)
		}
	}
	return b.String()
}

// Report is the results of several scripts.
type Report struct {
	Scripts []Result `json:"scripts"`
	Counts  Counts   `json:"counts"`
}

// Counts says how many scripts had each verdict.
type Counts struct {
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	PartlyJudged  int `json:"partly_judged"`
	NotApplicable int `json:"not_applicable"`
}

// NewReport counts the verdicts of results.
func NewReport(results []Result) Report {
	if results == nil {
		results = []Result{} // in JSON an empty list
	}
	var n [numVerdicts]int
	for _, r := range results {
		n[r.Verdict]++
	}
	return Report{Scripts: results, Counts: Counts{n[Pass], n[Fail], n[PartlyJudged], n[NotApplicable]}}
}

// WriteJSON writes one JSON document.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // packets begin with < and >
	return e.Encode(r)
}

// WriteText writes a line for each script, what failed below it, and a line that counts the verdicts.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Scripts {
		fmt.Fprintf(&b, "%-14s  %s%s\n", s.Verdict, s.Name, s.remark())
		for _, reason := range s.Reasons {
			fmt.Fprintf(&b, "    %v\n", reason)
		}
		if s.Failure != nil {
			b.WriteString(s.Failure.Text(s.Name))
		}
	}
	fmt.Fprintf(&b, "%s: %d pass, %d fail, %d partly judged, %d not applicable\n",
		several(len(r.Scripts), "script"), r.Counts.Pass, r.Counts.Fail, r.Counts.PartlyJudged, r.Counts.NotApplicable)
	_, err := io.WriteString(w, b.String())
	return err
}

// remark says how exact the times were, if they were not.
func (r *Result) remark() string {
	if len(r.Deviations) == 0 || r.Verdict == Fail {
		return ""
	}
	worst := r.Deviations[0]
	for _, d := range r.Deviations {
		if d.Off > worst.Off {
			worst = d
		}
	}
	return fmt.Sprintf(" (%s more than 1 ms off, at most %s s in line %d)", several(len(r.Deviations), "packet"), seconds(worst.Off), worst.Line)
}

// several returns a number with the name of what it counts.
func several(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
