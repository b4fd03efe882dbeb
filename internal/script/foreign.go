package script

import "strings"

// Foreign is an event that public scripts may have and this interpreter does not: the script is not applicable. Its text is
// kept and not understood.
type Foreign struct {
	Text string
	Why  string // what the interpreter lacks
}

// String returns the event as the script has it.
func (f *Foreign) String() string { return f.Text }

// foreign notes that the event which is being read has something that the interpreter lacks, and stops reading it.
func (s *scanner) foreign(why string) {
	if s.going() {
		s.why = why
	}
	s.pos = len(s.text)
}

// readOver replaces the action of an event, which begins at that place, by its text.
func (s *scanner) readOver(pos, line int) *Foreign {
	f := &Foreign{Why: s.why}
	s.pos, s.line, s.why = pos, line, ""
	for more := true; more; more = !s.atEvent() {
		s.overLine()
		f.Text = strings.TrimSpace(s.text[pos:s.pos])
	}
	return f
}

// overLine moves to the end of the line on which brackets, strings and comments that began on this one are closed.
func (s *scanner) overLine() {
	depth := 0
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c == '\n' && depth <= 0:
			return
		case strings.HasPrefix(rest, "//"):
			s.advance(len(rest) - len(strings.TrimLeft(rest, "/")))
			s.run(func(c byte) bool { return c != '\n' })
			continue
		case c == '"':
			if n := strings.IndexAny(rest[1:], "\"\n"); n >= 0 && rest[1+n] == '"' {
				s.advance(n + 1)
			}
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		s.advance(1)
	}
}

// atEvent reports whether what is next can only be another event, a command or the end.
func (s *scanner) atEvent() bool {
	c := s.next()
	return c == 0 || isDigit(c) || strings.IndexByte("+*.`", c) >= 0
}
