package units

import (
	"fmt"
	"strings"
)

// Rate is a data rate in bits per second.
type Rate int64

// rateUnits are powers of 1000, as for every data rate, largest first.
var rateUnits = []unit{{"tbit", 1e12}, {"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}

// ParseRate reads a rate such as 1.544mbit, 1gbit, 64kbit or 300bit, in either case and with or without "/s". A
// bare number is an error, and so is a unit in octets or one that means different things to different people
// ("mbps").
func ParseRate(text string) (Rate, error) {
	number, name := split(text)
	if number == "" {
		if strings.HasPrefix(name, "-") {
			return 0, fmt.Errorf("rate %q: negative; a rate is 0bit or more", text)
		}
		return 0, fmt.Errorf("rate %q: no number; write a number and a unit, such as 155mbit", text)
	}
	if name == "" {
		return 0, fmt.Errorf("rate %q: no unit; write %smbit, %[2]skbit, %[2]sgbit or %[2]sbit", text, number)
	}
	name = strings.TrimSuffix(strings.ToLower(name), "/s")
	for _, u := range rateUnits {
		if u.name != name {
			continue
		}
		n, err := scaled(number, u.scale)
		if err != nil {
			return 0, fmt.Errorf("rate %q: %v; write a rate up to 9223372tbit, such as 155mbit", text, err)
		}
		return Rate(n), nil
	}
	return 0, fmt.Errorf("rate %q: unknown unit %q; the units are bit, kbit, mbit, gbit and tbit (per second)", text, name)
}

// Set sets r to what text says.
func (r *Rate) Set(text string) (err error) { return set(r, text, ParseRate) }

// String writes r exactly, as ParseRate reads it.
func (r Rate) String() string {
	for _, u := range rateUnits {
		if int64(r) >= u.scale {
			return decimal(int64(r), u.scale) + u.name
		}
	}
	return fmt.Sprintf("%dbit", int64(r))
}

// Type names the kind of quantity in help texts.
func (r Rate) Type() string { return "rate" }

// set stores what parse makes of text in v unless parse fails.
func set[T any](v *T, text string, parse func(string) (T, error)) error {
	n, err := parse(text)
	if err == nil {
		*v = n
	}
	return err
}
