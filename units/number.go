package units

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// maxDigits bounds the length of a number. It is more than any 64-bit quantity needs.
const maxDigits = 40

// errTooLarge says that a quantity does not fit in 64 bits.
var errTooLarge = errors.New("too large")

// unit is one unit of a kind of quantity and its worth in the base unit.
type unit struct {
	name  string
	scale int64
}

// split cuts a quantity into its number, "" if it has no digit, and its unit, both without surrounding space.
func split(text string) (number, name string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		i = len(text)
	}
	if strings.Trim(text[:i], ".") != "" {
		number = text[:i]
	}
	return number, strings.TrimSpace(text[i:])
}

// scaled returns number, which is digits with at most one point, times scale, rounded to the nearest integer.
// The arithmetic is exact, so that no quantity that fits in 64 bits loses a bit.
func scaled(number string, scale int64) (int64, error) {
	if len(number) > maxDigits {
		return 0, errTooLarge
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fmt.Errorf("%q is not a number", number)
	}
	r.Mul(r, new(big.Rat).SetInt64(scale))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return 0, errTooLarge
	}
	return n.Int64(), nil
}

// decimal writes n/scale exactly; scale is a power of ten.
func decimal(n, scale int64) string {
	whole, rest := n/scale, n%scale
	if rest == 0 {
		return fmt.Sprint(whole)
	}
	width := len(fmt.Sprint(scale)) - 1
	return fmt.Sprintf("%d.%s", whole, strings.TrimRight(fmt.Sprintf("%0*d", width, rest), "0"))
}
