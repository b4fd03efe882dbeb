package script

import (
	"math"
	"strings"
)

// Parse reads a script. Name is what messages call it. An error is one line: the file, the line, what is wrong and how to
// mend it.
func Parse(name string, text []byte) (*Script, error) {
	plain := strings.ReplaceAll(strings.TrimPrefix(string(text), byteOrderMark), "\r\n", "\n")
	s := &scanner{name: name, text: plain, line: 1}
	script := &Script{Name: name}
	for s.accept("--") {
		script.Options = append(script.Options, s.option())
	}
	if s.next() == '`' {
		script.Init = s.shell()
	}
	for s.err == nil && s.next() != 0 {
		if s.next() == '`' {
			script.Cleanup = s.shell()
			if s.next() != 0 {
				s.fail("nothing may follow the last command; give it a time, such as +0, if it belongs to the events")
			}
			break
		}
		e := s.event()
		if len(script.Events) == 0 && (e.When.From != 0 || e.When.Any) {
			s.line = e.Line
			s.fail("the first event must be at time 0")
		}
		script.Events = append(script.Events, e)
	}
	if s.err == nil && len(script.Events) == 0 {
		s.fail("the script has no events")
	}
	if s.err == nil {
		_, s.err = newSettings(script)
	}
	if s.err != nil {
		return nil, s.err
	}
	return script, nil
}

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\uFEFF"

// option reads what follows the two hyphens of an option line.
func (s *scanner) option() Option {
	o := Option{Line: s.line}
	text := s.run(func(c byte) bool { return c != ' ' && c != '\t' && c != '\r' && c != '\n' })
	o.Name, o.Value, _ = strings.Cut(text, "=")
	return o
}

// shell reads a command between backticks.
func (s *scanner) shell() *Shell {
	line := s.line
	s.expect("`", "before a command")
	return &Shell{line, s.until("`", "a shell command")}
}

// event reads an event with its time.
func (s *scanner) event() Event {
	s.space()
	e := Event{Line: s.line, When: s.when()}
	outbound := false
	c := s.next()
	pos, line := s.pos, s.line
	switch {
	case c == '<' || c == '>':
		outbound = c == '>'
		s.advance(1)
		if !outbound && s.acceptWord("icmp") {
			e.Action = s.icmp()
		} else {
			e.Action = s.packet(!outbound)
		}
	case c == '`':
		e.Action = s.shell()
	case s.accept("%{"):
		e.Action = s.python()
	case isWordByte(c) && !isDigit(c):
		e.Action = s.call()
	default:
		s.fail("expected a packet (< or >), a call, `command` or %%{ }%% after the time, got %s", s.got())
	}
	if s.why != "" {
		e.Action = s.readOver(pos, line)
		return e
	}
	_, call := e.Action.(*Call)
	s.checkWhen(e, outbound, call)
	return e
}

// checkWhen refuses forms of time that mean nothing for the event.
func (s *scanner) checkWhen(e Event, outbound, call bool) {
	if (e.When.Any || e.When.Range) && !outbound {
		s.fail("only an expected packet (>) can have the time * or a range; write one time")
	}
	if e.When.Span && !call {
		s.fail("only a call can have an end time (...); write one time")
	}
}

// when reads the time of an event.
func (s *scanner) when() When {
	if s.accept("*") {
		return When{Any: true}
	}
	w := When{Relative: s.accept("+")}
	if c := s.next(); !isDigit(c) && c != '.' {
		s.fail("expected the time of an event, such as 0.1, +.1 or *, got %s", s.got())
		return w
	}
	w.From = s.seconds()
	switch {
	case s.accept("~"):
		w.Range = true
		if w.Relative {
			s.expect("+", "before the second time of a range of relative times")
		}
		if w.To = s.seconds(); w.To < w.From {
			s.fail("the range of times ends before it begins; write the earlier time first")
		}
	case s.accept("..."):
		w.Span = true
		if w.End = s.seconds(); w.End < w.From {
			s.fail("the call ends before it begins; write the earlier time first")
		}
	}
	return w
}

// call reads a system call and the result it must have.
func (s *scanner) call() *Call {
	line := s.line
	c := &Call{Name: s.word("a call")}
	s.expect("(", "after the name of a call")
	if s.err == nil && findCall(c.Name).do == nil {
		s.foreign("the call " + c.Name + " is not in the interpreter")
		return c
	}
	c.Args = s.exprs(')', 0)
	s.expect("=", "and a result after a call")
	c.Result = s.number("the result of a call", math.MinInt64+1, math.MaxInt64)
	if next := s.next(); isWordByte(next) && !isDigit(next) {
		c.Errno = s.word("an error")
	}
	if s.accept("(") {
		s.until(")", "a note in parentheses")
	}
	if why := checkCall(c); why != "" && s.going() {
		s.line = line
		s.fail("%s", why)
	}
	return c
}

// maxDepth bounds how deep arguments may be nested.
const maxDepth = 20

// exprs reads arguments, separated by commas, up to the closing bracket.
func (s *scanner) exprs(closing byte, depth int) []Expr {
	var list []Expr
	if depth > maxDepth {
		s.fail("arguments are nested more than %d deep", maxDepth)
	}
	if s.accept(string(closing)) {
		return nil
	}
	for s.going() {
		list = append(list, s.expr(depth))
		if s.accept(string(closing)) {
			break
		}
		s.expect(",", "or "+string(closing)+" after an argument")
	}
	return list
}

// expr reads one argument.
func (s *scanner) expr(depth int) Expr {
	first := s.operand(depth)
	if s.next() != '|' {
		return first
	}
	or := Expr{Kind: ExprOr, Items: []Expr{first}}
	for s.accept("|") {
		or.Items = append(or.Items, s.operand(depth))
	}
	return or
}

// operand reads an argument without |.
func (s *scanner) operand(depth int) Expr {
	switch c := s.next(); {
	case s.accept("..."):
		return Expr{Kind: ExprDots}
	case c == '-' || isDigit(c):
		return Expr{Kind: ExprInt, Int: s.number("an argument", math.MinInt64+1, math.MaxInt64)}
	case s.accept(`"`):
		e := Expr{Kind: ExprString, Text: s.until(`"`, "a string")}
		s.accept("...") // repeated as often as need be
		return e
	case s.accept("["):
		return Expr{Kind: ExprList, Items: s.exprs(']', depth+1)}
	case s.accept("{"):
		return Expr{Kind: ExprStruct, Items: s.exprs('}', depth+1)}
	case s.accept("."): // a field of a structure: .name = value, or name=value below
		return s.field(s.word("the name of a field"), depth)
	case !isWordByte(c):
		s.fail("expected an argument, got %s", s.got())
		return Expr{}
	}
	word := s.word("an argument")
	switch {
	case s.accept("("):
		call := Expr{Kind: ExprCall, Text: word, Items: s.exprs(')', depth+1)}
		if s.next() == '=' { // msg_iov(1)=...
			return s.field(call.String(), depth)
		}
		return call
	case s.next() == '=' || s.next() == ':':
		return s.field(word, depth)
	}
	return Expr{Kind: ExprWord, Text: word}
}

// field reads the value of a structure's field.
func (s *scanner) field(name string, depth int) Expr {
	if !s.accept("=") {
		s.expect(":", "or = after the name of a field")
	}
	if depth > maxDepth {
		s.fail("arguments are nested more than %d deep", maxDepth)
		return Expr{}
	}
	return Expr{Kind: ExprField, Text: name, Items: []Expr{s.expr(depth + 1)}}
}
