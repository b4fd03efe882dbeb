package stacks

import (
	"fmt"
	"strconv"
	"strings"

	"longhaul/cc"
	"longhaul/tcp"
	"longhaul/wire"
)

// MaxStreams is the largest number of parallel streams that a name may ask for.
const MaxStreams = 1000

// Grammar is how a stack is named.
const Grammar = "ALGORITHM[:RECOVERY][+FEATURE|-FEATURE...][/SUBCONNECTIONS][*STREAMS]"

// Stack is a TCP and the number of parallel connections of it that one transfer uses.
type Stack struct {
	Name    string     // canonical, or the preset's own
	Config  tcp.Config // of each stream
	Streams int        // at least 1

	Encoding wire.Encoding // of RFC 1106's options, for the hosts that it runs on
}

// String returns the stack's name, which Parse reads back to an equal stack.
func (s Stack) String() string { return s.Name }

// Parse reads a stack's name or a preset. An error is one line that says what would parse.
func Parse(name string) (Stack, error) {
	for _, p := range Presets {
		if p.Name == name {
			s := mustParse(p.Stack)
			s.Name = p.Name
			return s, nil
		}
	}
	s, err := parse(name)
	if err != nil {
		return Stack{}, fmt.Errorf("stack %q: %w", name, err)
	}
	s.Name = canonical(s)
	return s, nil
}

// ParseList reads a comma-separated list of names. "all" stands for All.
func ParseList(text string) ([]Stack, error) {
	if strings.TrimSpace(text) == "all" {
		return All(), nil
	}
	var list []Stack
	seen := map[string]bool{}
	for name := range strings.SplitSeq(text, ",") {
		s, err := Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("stack %q is given twice; name each stack once", s.Name)
		}
		seen[s.Name] = true
		list = append(list, s)
	}
	return list, nil
}

// parse reads a name that is not a preset and leaves Name empty.
func parse(name string) (Stack, error) {
	rest, streams, hasStreams := strings.Cut(name, "*")
	rest, subs, hasSubs := strings.Cut(rest, "/")
	head, features := rest, ""
	if i := strings.IndexAny(rest, "+-"); i >= 0 {
		head, features = rest[:i], rest[i:]
	}
	algorithm, recovery, hasRecovery := strings.Cut(head, ":")

	s := Stack{Streams: 1}
	var ok bool
	if s.Config.Algorithm, ok = cc.Find(algorithm); !ok {
		return s, fmt.Errorf("unknown algorithm %q; algorithms: %s; presets: %s; write %s",
			algorithm, algorithmNames(), presetNames(), Grammar)
	}
	if hasRecovery {
		if err := setRecovery(&s.Config, recovery); err != nil {
			return s, err
		}
	}
	if err := setFeatures(&s, features); err != nil {
		return s, err
	}
	if hasSubs {
		n, err := strconv.ParseUint(subs, 10, 16)
		if err != nil || n < 1 || n > tcp.MaxSubConnections {
			return s, fmt.Errorf("%q sub-connections; after / write a number from 1 to %d, such as %s:nack/4", subs, tcp.MaxSubConnections, algorithm)
		}
		if n > 1 && !s.Config.Recovery.Splits() {
			return s, fmt.Errorf("%d sub-connections need a recovery that knows of them; write %s:nack/%d, or nackconn or nofack in place of nack", n, algorithm, n)
		}
		if s.Config.SubConnections = int(n); n == 1 {
			s.Config.SubConnections = 0 // the default
		}
	}
	if hasStreams {
		n, err := strconv.ParseUint(streams, 10, 16)
		if err != nil || n < 1 || n > MaxStreams {
			return s, fmt.Errorf("%q streams; after * write a number from 1 to %d, such as %s*16", streams, MaxStreams, algorithm)
		}
		s.Streams = int(n)
	}
	return s, nil
}

// setRecovery sets c's recovery to the one of that name.
func setRecovery(c *tcp.Config, name string) error {
	names := make([]string, len(Recoveries))
	for i, r := range Recoveries {
		if r.Name == name {
			c.Recovery = r.Config
			return nil
		}
		names[i] = r.Name
	}
	return fmt.Errorf("unknown recovery %q; recoveries: %s", name, strings.Join(names, " "))
}

// setFeatures applies a list such as "+ts-sack" to s.
func setFeatures(s *Stack, list string) error {
	seen := map[string]bool{}
	for list != "" {
		on := list[0] == '+'
		name := list[1:]
		list = ""
		if i := strings.IndexAny(name, "+-"); i >= 0 {
			name, list = name[:i], name[i:]
		}
		f, err := findFeature(name)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("feature %q is given twice; write it once, with + or with -", name)
		}
		seen[name] = true
		f.set(s, on)
	}
	return nil
}

// findFeature returns the feature of that name.
func findFeature(name string) (Feature, error) {
	names := make([]string, len(Features))
	for i, f := range Features {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Feature{}, fmt.Errorf("unknown feature %q; features: %s", name, strings.Join(names, " "))
}

// canonical writes s in the grammar.
func canonical(s Stack) string {
	var b strings.Builder
	b.WriteString(s.Config.Algorithm.Name)
	for i, r := range Recoveries {
		if i > 0 && r.Config == s.Config.Recovery {
			b.WriteString(":" + r.Name)
		}
	}
	for _, f := range Features {
		switch has, byDefault := f.has(&s), f.defaultFor(&s); {
		case has && !byDefault:
			b.WriteString("+" + f.Name)
		case !has && byDefault:
			b.WriteString("-" + f.Name)
		}
	}
	if s.Config.SubConnections > 1 {
		fmt.Fprintf(&b, "/%d", s.Config.SubConnections)
	}
	if s.Streams > 1 {
		fmt.Fprintf(&b, "*%d", s.Streams)
	}
	return b.String()
}

// algorithmNames lists the algorithms for an error.
func algorithmNames() string {
	names := make([]string, len(cc.All))
	for i, a := range cc.All {
		names[i] = a.Name
	}
	return strings.Join(names, " ")
}

// presetNames lists the presets for an error.
func presetNames() string {
	names := make([]string, len(Presets))
	for i, p := range Presets {
		names[i] = p.Name
	}
	return strings.Join(names, " ")
}
