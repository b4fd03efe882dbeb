package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"longhaul/wire"
)

// Script is a parsed packet script.
type Script struct {
	Name    string // of the file, for messages
	Options []Option
	Init    *Shell // nil if there is none
	Events  []Event
	Cleanup *Shell
}

// Option is a line --name=value at the top of a script.
type Option struct {
	Line        int
	Name, Value string
}

// Event is something that happens, or is expected to, at a time.
type Event struct {
	Line   int
	When   When
	Action Action
}

// When says when an event happens.
type When struct {
	Any      bool          // whenever it does
	Relative bool          // From counts from the end of the event before
	From     time.Duration // since the start if not Relative
	Range    bool          // anything between From and To will do
	To       time.Duration // end of the range, counted as From is
	Span     bool          // a blocking call that ends at End
	End      time.Duration // counted as From is
}

// Action is what an event does: *Packet, *ICMP, *Call, *Shell or *Python.
type Action interface{ String() string }

// Packet is a TCP segment. Its sequence numbers are the script's.
type Packet struct {
	Inbound    bool // injected, as opposed to expected
	ECN        string
	Flags      wire.Flags
	Seq        uint32
	Len        int
	Ack        uint32
	HasWindow  bool
	Window     uint16
	Urgent     uint16
	AnyOptions bool // the options are not compared
	Options    []TCPOption
}

// TCPOption is one option of a segment's header.
type TCPOption struct {
	Name   string
	A, B   uint32      // its numbers, in the order in which the script has them
	Blocks [][2]uint32 // of sack
	Data   []byte      // of FO, FOEXP and exp
}

// ICMP is an ICMP error that quotes a segment.
type ICMP struct {
	Type, Code string
	MTU        int // 0 if the script names none
	Quotes     bool
	Seq        uint32
	Len        int
}

// Call is a system call with the result that it must have.
type Call struct {
	Name   string
	Args   []Expr
	Result int64
	Errno  string
}

// ExprKind says what an argument of a call is.
type ExprKind uint8

// The kinds of arguments.
const (
	ExprDots   ExprKind = iota // ...
	ExprInt                    // Int
	ExprWord                   // Text
	ExprString                 // Text, quoted
	ExprOr                     // Items, joined with |
	ExprList                   // [Items]
	ExprStruct                 // {Text: Items}
	ExprCall                   // Text(Items)
	ExprField                  // Text=Items[0], in a structure
)

// Expr is an argument of a call.
type Expr struct {
	Kind  ExprKind
	Int   int64
	Text  string
	Items []Expr
}

// Shell is a command for a shell. None is ever executed.
type Shell struct {
	Line int
	Text string
}

// Python is a block of statements about the connection under test.
type Python struct {
	Text       string
	Statements []Statement
}

// String returns the script in its own language. Parse reads it back to the same script, apart from lines.
func (s *Script) String() string {
	var b strings.Builder
	for _, o := range s.Options {
		b.WriteString(o.String() + "\n")
	}
	if s.Init != nil {
		b.WriteString(s.Init.String() + "\n")
	}
	for _, e := range s.Events {
		b.WriteString(e.String() + "\n")
	}
	if s.Cleanup != nil {
		b.WriteString(s.Cleanup.String() + "\n")
	}
	return b.String()
}

// String returns the option's line.
func (o Option) String() string {
	if o.Value == "" {
		return "--" + o.Name
	}
	return "--" + o.Name + "=" + o.Value
}

// String returns the event's line.
func (e Event) String() string { return e.When.String() + " " + e.Action.String() }

// String returns the time as a script has it.
func (w When) String() string {
	if w.Any {
		return "*"
	}
	sign := ""
	if w.Relative {
		sign = "+"
	}
	text := sign + seconds(w.From)
	if w.Range {
		text += "~" + sign + seconds(w.To)
	}
	if w.Span {
		text += "..." + seconds(w.End)
	}
	return text
}

// seconds formats d in seconds without needless zeros.
func seconds(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	text := fmt.Sprintf("%s%d.%09d", sign, d/time.Second, d%time.Second)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// String returns the packet as a script has it.
func (p *Packet) String() string {
	var b strings.Builder
	if p.Inbound {
		b.WriteString("<")
	} else {
		b.WriteString(">")
	}
	if p.ECN != "" {
		b.WriteString(" [" + p.ECN + "]")
	}
	fmt.Fprintf(&b, " %s %d:%d(%d)", flagText(p.Flags), p.Seq, p.Seq+uint32(p.Len), p.Len)
	if p.Ack != 0 || p.Flags&wire.ACK != 0 {
		fmt.Fprintf(&b, " ack %d", p.Ack)
	}
	if p.HasWindow {
		fmt.Fprintf(&b, " win %d", p.Window)
	}
	if p.Urgent != 0 {
		fmt.Fprintf(&b, " urg %d", p.Urgent)
	}
	switch {
	case p.AnyOptions:
		b.WriteString(" <...>")
	case len(p.Options) > 0:
		b.WriteString(" <" + optionText(p.Options) + ">")
	}
	return b.String()
}

// flagLetters are the letters of the flags in the order in which they are written; ACK's is the dot at the end.
var flagLetters = []struct {
	flag   wire.Flags
	letter byte
}{
	{wire.SYN, 'S'}, {wire.FIN, 'F'}, {wire.RST, 'R'}, {wire.PSH, 'P'}, {wire.URG, 'U'}, {wire.ECE, 'E'}, {wire.CWR, 'W'}, {wire.ACK, '.'},
}

func flagText(f wire.Flags) string {
	var b []byte
	for _, l := range flagLetters {
		if f&l.flag != 0 {
			b = append(b, l.letter)
		}
	}
	if len(b) == 0 {
		return "-"
	}
	return string(b)
}

func optionText(list []TCPOption) string {
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// String returns the option as a script has it.
func (o TCPOption) String() string {
	switch o.Name {
	case "mss", "wscale", "bigwin", "upper":
		return fmt.Sprintf("%s %d", o.Name, o.A)
	case "TS":
		return fmt.Sprintf("TS val %d ecr %d", o.A, o.B)
	case "nak":
		return fmt.Sprintf("nak %d:%d", o.A, o.B)
	case "sack":
		text := "sack"
		for _, b := range o.Blocks {
			text += fmt.Sprintf(" %d:%d", b[0], b[1])
		}
		return text
	case "FO", "FOEXP", "raw":
		return strings.TrimSpace(fmt.Sprintf("%s %x", o.Name, o.Data))
	case "exp":
		return strings.TrimSpace(fmt.Sprintf("exp %d %x", o.A, o.Data))
	}
	return o.Name
}

// String returns the ICMP error as a script has it.
func (m *ICMP) String() string {
	text := "< icmp " + m.Type
	if m.Code != "" {
		text += " " + m.Code
	}
	if m.MTU != 0 {
		text += fmt.Sprintf(" mtu %d", m.MTU)
	}
	if m.Quotes {
		text += fmt.Sprintf(" [%d:%d(%d)]", m.Seq, m.Seq+uint32(m.Len), m.Len)
	}
	return text
}

// String returns the call with its result.
func (c *Call) String() string {
	text := fmt.Sprintf("%s(%s) = %d", c.Name, exprTexts(c.Args, ", "), c.Result)
	if c.Errno != "" {
		text += " " + c.Errno
	}
	return text
}

func exprTexts(list []Expr, separator string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.String()
	}
	return strings.Join(texts, separator)
}

// String returns the argument as a script has it.
func (e Expr) String() string {
	switch e.Kind {
	case ExprInt:
		return strconv.FormatInt(e.Int, 10)
	case ExprWord:
		return e.Text
	case ExprString:
		return `"` + e.Text + `"`
	case ExprOr:
		return exprTexts(e.Items, "|")
	case ExprList:
		return "[" + exprTexts(e.Items, ", ") + "]"
	case ExprStruct:
		return "{" + exprTexts(e.Items, ", ") + "}"
	case ExprCall:
		return e.Text + "(" + exprTexts(e.Items, ", ") + ")"
	case ExprField:
		return e.Text + "=" + exprTexts(e.Items, "")
	}
	return "..."
}

// String returns the command between backticks.
func (s *Shell) String() string { return "`" + s.Text + "`" }

// String returns the block with its brackets.
func (p *Python) String() string { return "%{" + p.Text + "}%" }
