package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Probability is a number from 0 to 1.
type Probability float64

// ParseProbability reads a probability such as 1e-5, 0.02 or 0.001%.
func ParseProbability(text string) (Probability, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	number = strings.TrimSpace(number)
	if percent && strings.Trim(number, "0123456789.") == "" {
		number, percent = number+"e-2", false // exact, which a division is not
	}
	p, err := strconv.ParseFloat(number, 64)
	if percent {
		p /= 100
	}
	switch {
	case p < 0:
		return 0, fmt.Errorf("probability %q: negative; write a number from 0 to 1, such as 1e-5 or 0.001%%", text)
	case p > 1: // also when out of range
		return 0, fmt.Errorf("probability %q: more than 1; write a number from 0 to 1, such as 1e-5 or 0.001%%", text)
	case err != nil || p != p:
		return 0, fmt.Errorf("probability %q: not a number; write a number from 0 to 1, such as 1e-5 or 0.001%%", text)
	}
	return Probability(math.Abs(p)), nil // no minus zero
}

// Set sets p to what text says.
func (p *Probability) Set(text string) error { return set(p, text, ParseProbability) }

// String writes p exactly, as ParseProbability reads it.
func (p Probability) String() string {
	return shortExponent(strconv.FormatFloat(float64(p), 'g', -1, 64))
}

// Type names the kind of quantity in help texts.
func (p Probability) Type() string { return "probability" }

// shortExponent turns 1e-05 into 1e-5.
func shortExponent(text string) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(text)
}
