package script

import (
	"fmt"
	"strconv"
	"strings"
)

// Statement is one statement of a %{ }% block.
type Statement struct {
	Line   int
	Text   string
	assert bool
	assign string // the name that gets the value, or ""
	value  expression
	wrong  string // why it is not understood, or ""
}

// expression computes a value from the names that env has.
type expression func(env *environment) (int64, error)

// environment gives names their values and remembers which were asked for.
type environment struct {
	value func(name string) (int64, bool)
	sub   func(function string, i int64) (int64, bool)
	asked []string // name is value, in the order of asking
}

// unknownName is the error of a name that the engine does not offer.
type unknownName string

// Error says which name it is.
func (n unknownName) Error() string { return string(n) + " is not offered by the engine" }

func (env *environment) lookup(name string) (int64, error) {
	v, ok := env.value(name)
	if !ok {
		return 0, unknownName(name)
	}
	env.note(name, v)
	return v, nil
}

func (env *environment) note(name string, v int64) {
	text := fmt.Sprintf("%s is %d", name, v)
	for _, a := range env.asked {
		if a == text {
			return
		}
	}
	env.asked = append(env.asked, text)
}

// python reads a block after its opening bracket.
func (s *scanner) python() *Python {
	line := s.line
	p := &Python{Text: s.until("}%", "a %{ block")}
	for _, st := range splitStatements(p.Text, line) {
		st.parse()
		p.Statements = append(p.Statements, st)
	}
	return p
}

// splitStatements cuts a block at newlines and semicolons that stand outside brackets and quotes, joins lines that end in a
// backslash, and drops comments and what does nothing.
func splitStatements(text string, line int) []Statement {
	var list []Statement
	var b strings.Builder
	depth, start := 0, line
	quote := byte(0)
	flush := func() {
		if t := strings.TrimSpace(b.String()); t != "" && t != "pass" && !strings.HasPrefix(t, "print") {
			list = append(list, Statement{Line: start, Text: t})
		}
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' {
			line++
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i++
			line++
			c = ' '
		case c == '(':
			depth++
		case c == ')':
			depth--
		case (c == '\n' || c == ';') && depth <= 0:
			flush()
			start = line
			continue
		}
		if b.Len() == 0 && c != ' ' && c != '\t' && c != '\n' {
			start = line
		}
		b.WriteByte(c)
	}
	flush()
	return list
}

// parse finds out what the statement says.
func (st *Statement) parse() {
	p := &pyParser{text: st.Text}
	if word := p.peekWord(); word == "assert" {
		p.word()
		st.assert = true
	} else if rest := strings.TrimSpace(strings.TrimPrefix(st.Text, word)); word != "" && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") {
		p.word()
		p.accept("=")
		st.assign = word
	} else {
		st.wrong = "only assert, NAME = value and print are understood"
		return
	}
	st.value = p.alternatives(0)
	p.space()
	if st.assert && p.accept(",") {
		p.pos = len(p.text) // the message says nothing that the values do not
	}
	if p.err == nil && p.pos < len(p.text) {
		p.fail("%q is not understood", p.text[p.pos:])
	}
	if p.err != nil {
		st.wrong = p.err.Error()
	}
}

// pyParser reads an expression.
type pyParser struct {
	text string
	pos  int
	err  error
}

func (p *pyParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.pos = len(p.text)
}

func (p *pyParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *pyParser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	return true
}

func (p *pyParser) peekWord() string {
	p.space()
	end := p.pos
	for end < len(p.text) && isWordByte(p.text[end]) {
		end++
	}
	return p.text[p.pos:end]
}

func (p *pyParser) word() string {
	w := p.peekWord()
	p.pos += len(w)
	return w
}

func (p *pyParser) acceptWord(word string) bool {
	if p.peekWord() != word {
		return false
	}
	p.word()
	return true
}

// alternatives is: conjunction {or conjunction}, where a conjunction is comparisons joined by and.
func (p *pyParser) alternatives(depth int) expression {
	if depth > maxDepth {
		p.fail("parentheses are nested more than %d deep", maxDepth)
		return nil
	}
	first := p.conjunction(depth)
	for p.acceptWord("or") {
		first = p.binary(first, p.conjunction(depth), func(a, b int64) int64 { return truth(a != 0 || b != 0) })
	}
	return first
}

func (p *pyParser) conjunction(depth int) expression {
	first := p.comparison(depth)
	for p.acceptWord("and") {
		first = p.binary(first, p.comparison(depth), func(a, b int64) int64 { return truth(a != 0 && b != 0) })
	}
	return first
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// binary applies op to two values.
func (p *pyParser) binary(a, b expression, op func(a, b int64) int64) expression {
	return func(env *environment) (int64, error) {
		x, err := a(env)
		if err != nil {
			return 0, err
		}
		y, err := b(env)
		if err != nil {
			return 0, err
		}
		return op(x, y), nil
	}
}

// comparisons are the operators, each before what it begins with.
var comparisons = []struct {
	token string
	holds func(a, b int64) bool
}{
	{"==", func(a, b int64) bool { return a == b }}, {"!=", func(a, b int64) bool { return a != b }},
	{"<=", func(a, b int64) bool { return a <= b }}, {">=", func(a, b int64) bool { return a >= b }},
	{"<", func(a, b int64) bool { return a < b }}, {">", func(a, b int64) bool { return a > b }},
}

// comparison is operands with comparisons between them; a < b < c means a < b and b < c.
func (p *pyParser) comparison(depth int) expression {
	if p.acceptWord("not") {
		if depth > maxDepth {
			p.fail("more than %d times not", maxDepth)
			return nil
		}
		inner := p.comparison(depth + 1)
		return p.binary(inner, inner, func(a, _ int64) int64 { return truth(a == 0) })
	}
	first := p.operators(0, depth)
	var chain expression
	for {
		n := 0
		for n < len(comparisons) && !p.accept(comparisons[n].token) {
			n++
		}
		if n == len(comparisons) {
			break
		}
		holds := comparisons[n].holds
		second := p.operators(0, depth)
		link := p.binary(first, second, func(a, b int64) int64 { return truth(holds(a, b)) })
		if chain == nil {
			chain = link
		} else {
			chain = p.binary(chain, link, func(a, b int64) int64 { return a & b })
		}
		first = second
	}
	if chain == nil {
		return first
	}
	return chain
}

// levels are the operators by precedence, the weakest first.
var levels = [][]struct {
	token string
	apply func(a, b int64) int64
}{
	{{"|", func(a, b int64) int64 { return a | b }}},
	{{"&", func(a, b int64) int64 { return a & b }}},
	{{"+", func(a, b int64) int64 { return a + b }}, {"-", func(a, b int64) int64 { return a - b }}},
	{{"*", func(a, b int64) int64 { return a * b }}},
}

// operators is operands joined by the operators of that level and of the stronger ones.
func (p *pyParser) operators(level, depth int) expression {
	if level == len(levels) {
		return p.operand(depth)
	}
	first := p.operators(level+1, depth)
	for p.err == nil {
		n := 0
		for n < len(levels[level]) && !p.accept(levels[level][n].token) {
			n++
		}
		if n == len(levels[level]) {
			break
		}
		first = p.binary(first, p.operators(level+1, depth), levels[level][n].apply)
	}
	return first
}

// operand is a number, a name, a function of a sub-connection, or something in parentheses.
func (p *pyParser) operand(depth int) expression {
	if p.accept("-") {
		if depth > maxDepth {
			p.fail("more than %d signs", maxDepth)
			return nil
		}
		inner := p.operand(depth + 1)
		return p.binary(inner, inner, func(a, _ int64) int64 { return -a })
	}
	if p.accept("(") {
		inner := p.alternatives(depth + 1)
		if !p.accept(")") {
			p.fail("a parenthesis is not closed")
		}
		return inner
	}
	word := p.word()
	switch {
	case word == "":
		p.fail("expected a value, got %q", p.text[p.pos:])
		return nil
	case isDigit(word[0]):
		n, err := strconv.ParseInt(word, 0, 64)
		if err != nil {
			p.fail("%q is not a whole number", word)
		}
		return func(*environment) (int64, error) { return n, nil }
	case p.accept("("):
		return p.function(word, depth)
	}
	return func(env *environment) (int64, error) { return env.lookup(word) }
}

// function is one of a sub-connection's values.
func (p *pyParser) function(name string, depth int) expression {
	inner := p.alternatives(depth + 1)
	if !p.accept(")") {
		p.fail("the parenthesis of %s( is not closed", name)
	}
	return func(env *environment) (int64, error) {
		i, err := inner(env)
		if err != nil {
			return 0, err
		}
		call := fmt.Sprintf("%s(%d)", name, i)
		v, ok := env.sub(name, i)
		if !ok {
			return 0, unknownName(call)
		}
		env.note(call, v)
		return v, nil
	}
}
