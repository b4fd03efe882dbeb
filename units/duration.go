package units

import (
	"fmt"
	"strings"
	"time"
)

// Duration is a length of time in nanoseconds, never negative when it comes from ParseDuration.
type Duration time.Duration

// ParseDuration reads a time such as 580ms, 20m, 1.5s, 100us, 24h or 1m30s. A bare number is an error unless it
// is 0.
func ParseDuration(text string) (Duration, error) {
	trimmed := strings.TrimSpace(text)
	d, err := time.ParseDuration(trimmed)
	if err == nil && d < 0 || strings.HasPrefix(trimmed, "-") {
		return 0, fmt.Errorf("time %q: negative; a time is 0 or more, such as 70ms", text)
	}
	if err == nil {
		return Duration(d), nil
	}
	number, name := split(text)
	if number == "" {
		return 0, fmt.Errorf("time %q: no number; write a number and a unit, such as 70ms", text)
	}
	if name == "" {
		return 0, fmt.Errorf("time %q: no unit; write %sms, %[2]ss, %[2]sm or %[2]sh", text, number)
	}
	return 0, fmt.Errorf("time %q: unreadable or too large; write numbers with the units h, m, s, ms, us or ns, such as 1.5s", text)
}

// Set sets d to what text says.
func (d *Duration) Set(text string) error { return set(d, text, ParseDuration) }

// String writes d exactly, as ParseDuration reads it.
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Type names the kind of quantity in help texts.
func (d Duration) Type() string { return "time" }
