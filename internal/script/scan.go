package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// scanner reads a script's text. The first error sticks and ends the text, so that the parser need not look for one after
// each step.
type scanner struct {
	name string
	text string
	pos  int
	line int
	err  error
	why  string // the event that is being read is Foreign because of this
}

// fail records what is wrong at the present line, unless something was wrong before, and ends the text.
func (s *scanner) fail(format string, args ...any) {
	if s.going() {
		s.err = fmt.Errorf("%s:%d: %s", s.name, s.line, fmt.Sprintf(format, args...))
	}
	s.pos = len(s.text)
}

// going reports whether there is still something to read: no error, and nothing that makes the event Foreign.
func (s *scanner) going() bool { return s.err == nil && s.why == "" }

// advance moves over n octets and counts the lines in them.
func (s *scanner) advance(n int) {
	s.line += strings.Count(s.text[s.pos:s.pos+n], "\n")
	s.pos += n
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.advance(1)
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			s.advance(n)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				s.fail("a comment has no end; close it with */")
				return
			}
			s.advance(n + 4)
		default:
			return
		}
	}
}

// next returns what follows white space and comments, or 0 at the end.
func (s *scanner) next() byte {
	s.space()
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// accept moves over token if it is next.
func (s *scanner) accept(token string) bool {
	s.space()
	if !strings.HasPrefix(s.text[s.pos:], token) {
		return false
	}
	s.advance(len(token))
	return true
}

// acceptWord moves over word if it is the next whole word.
func (s *scanner) acceptWord(word string) bool {
	s.space()
	rest := s.text[s.pos:]
	if !strings.HasPrefix(rest, word) || len(rest) > len(word) && isWordByte(rest[len(word)]) {
		return false
	}
	s.advance(len(word))
	return true
}

// expect moves over token, which must be next.
func (s *scanner) expect(token, where string) {
	if !s.accept(token) {
		s.fail("expected %q %s, got %s", token, where, s.got())
	}
}

// got describes what is next, for an error.
func (s *scanner) got() string {
	rest := s.text[s.pos:]
	if rest == "" {
		return "the end of the file"
	}
	if i := strings.IndexAny(rest, " \t\r\n"); i > 0 {
		rest = rest[:i]
	}
	if len(rest) > 20 {
		rest = rest[:20]
	}
	return strconv.Quote(rest)
}

func isWordByte(c byte) bool { return c == '_' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// run returns the octets from here on for which ok holds.
func (s *scanner) run(ok func(byte) bool) string {
	n := 0
	for s.pos+n < len(s.text) && ok(s.text[s.pos+n]) {
		n++
	}
	found := s.text[s.pos : s.pos+n]
	s.advance(n)
	return found
}

// word returns the next word, which must not begin with a digit.
func (s *scanner) word(what string) string {
	if c := s.next(); isDigit(c) || !isWordByte(c) {
		s.fail("expected %s, got %s", what, s.got())
		return ""
	}
	return s.run(isWordByte)
}

// number returns the next integer, decimal or hexadecimal, between lo and hi.
func (s *scanner) number(what string, lo, hi int64) int64 {
	s.space()
	from := s.pos
	if strings.HasPrefix(s.text[s.pos:], "-") {
		s.advance(1)
	}
	s.run(isWordByte)
	text := s.text[from:s.pos]
	digits := strings.TrimPrefix(text, "-")
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if strings.HasPrefix(text, "-") {
		n = -n
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		s.fail("%s is %s, which is too large; write a number of at most 64 bits", what, text)
		return 0
	case err != nil || digits == "" || !isHexDigit(digits[0]):
		s.pos = from
		s.fail("expected %s, a whole number, got %s", what, s.got())
		return 0
	case n < lo || n > hi:
		s.fail("%s is %s; write a number from %d to %d", what, text, lo, hi)
		return 0
	}
	return n
}

// seconds returns the next time, such as 1, .25 or 0.1, rounded down to nanoseconds.
func (s *scanner) seconds() time.Duration {
	s.space()
	whole := s.run(isDigit)
	fraction := ""
	// Of three dots none belongs to the number: 1...2 is a span.
	if rest := s.text[s.pos:]; strings.HasPrefix(rest, ".") && (!strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "....")) {
		s.advance(1)
		fraction = s.run(isDigit)
	}
	if whole == "" && fraction == "" {
		s.fail("expected a time in seconds, got %s", s.got())
		return 0
	}
	n, err := strconv.ParseInt("0"+whole, 10, 64)
	if err != nil || n > maxSeconds {
		s.fail("a time of %s s is too long; the longest is %d s", whole, maxSeconds)
		return 0
	}
	f, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64) // nine digits always parse
	return time.Duration(n)*time.Second + time.Duration(f)
}

// maxSeconds bounds the times of a script, so that sums of them do not overflow: ten years.
const maxSeconds = 10 * 365 * 24 * 3600

// until returns the text up to end and moves over both.
func (s *scanner) until(end, what string) string {
	n := strings.Index(s.text[s.pos:], end)
	if n < 0 {
		s.fail("%s has no end; close it with %s", what, end)
		return ""
	}
	found := s.text[s.pos : s.pos+n]
	s.advance(n + len(end))
	return found
}
