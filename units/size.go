package units

import (
	"fmt"
	"strings"
)

// Size is a number of octets.
type Size int64

// sizeUnits are in the order in which String tries them.
var sizeUnits = []unit{
	{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3},
	{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10},
	{"B", 1},
}

// ParseSize reads a size such as 1500, 1500B, 64K, 156KiB or 32MB. K, KiB, M, MiB, G and GiB are powers of 1024;
// kB, MB and GB are powers of 1000. A bare number counts octets. Case does not matter.
func ParseSize(text string) (Size, error) {
	number, name := split(text)
	if number == "" {
		if strings.HasPrefix(name, "-") {
			return 0, fmt.Errorf("size %q: negative; a size is 0 or more", text)
		}
		return 0, fmt.Errorf("size %q: no number; write a number of octets with or without a unit, such as 64K", text)
	}
	if name == "" {
		name = "B"
	}
	for _, u := range sizeUnits {
		if !strings.EqualFold(u.name, name) {
			continue
		}
		n, err := scaled(number, u.scale)
		if err != nil {
			return 0, fmt.Errorf("size %q: %v; write a size under 8589934592GiB, such as 64K", text, err)
		}
		return Size(n), nil
	}
	return 0, fmt.Errorf("size %q: unknown unit %q; the units are B, K or KiB, M or MiB, G or GiB (powers of 1024) and kB, MB, GB (powers of 1000)",
		text, name)
}

// Set sets s to what text says.
func (s *Size) Set(text string) error { return set(s, text, ParseSize) }

// String writes s exactly, as ParseSize reads it, in the largest unit of which it is a whole number.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s > 0 && int64(s)%u.scale == 0 {
			return fmt.Sprint(int64(s)/u.scale, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// Type names the kind of quantity in help texts.
func (s Size) Type() string { return "size" }
