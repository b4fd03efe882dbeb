package script

import (
	"strings"

	"longhaul/cc"
	"longhaul/tcp"
)

// Shell commands are never executed. Those that public scripts use to set up a host are recognised: what they set is
// mapped to the engine's configuration or does not matter to it. Anything else makes a script not applicable.

// setting is one NAME=VALUE that a command asks for; a command that is no setting has an empty Name.
type setting struct{ name, value, command string }

// commandsOf cuts the text of a block into commands and reads each as settings.
func commandsOf(text string) []setting {
	var list []setting
	text = strings.NewReplacer("\\\n", " ", "&&", "\n", ";", "\n", `"`, "", "'", "").Replace(text)
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		list = append(list, settingsOf(words)...)
	}
	return list
}

// settingsOf reads the words of one command.
func settingsOf(words []string) []setting {
	whole := setting{command: strings.Join(words, " ")}
	// echo VALUE > FILE
	if len(words) == 4 && words[0] == "echo" && words[2] == ">" {
		return []setting{{lastPart(words[3]), words[1], whole.command}}
	}
	if len(words) < 2 {
		return []setting{whole}
	}
	var list []setting
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case ok:
			list = append(list, setting{lastPart(name), value, whole.command})
		case strings.HasPrefix(w, "-") && words[0] == "sysctl":
		default:
			return []setting{whole}
		}
	}
	return list
}

// lastPart returns what follows the last slash or dot of a setting's path.
func lastPart(path string) string { return path[strings.LastIndexAny(path, "/.")+1:] }

// ignored are settings that make no difference to the engine.
func (c setting) ignored() bool {
	switch c.name {
	case "tcp_tso_win_divisor", "tcp_min_tso_segs", "tcp_fastopen":
		return true
	case "hystart_detect":
		return c.value == "3"
	case "tcp_slow_start_after_idle":
		return c.value == "1" // what the engine does (RFC 5681 s.4.1)
	case "":
		words := strings.Fields(c.command)
		switch {
		case len(words) == 1 && strings.HasSuffix(words[0], ".sh"):
			return strings.HasSuffix(words[0], "defaults.sh") || strings.Contains(words[0], "restore")
		case words[0] == "ethtool" && len(words) > 3 && words[1] == "-K":
			for i := 3; i < len(words); i += 2 {
				if words[i] != "tso" && words[i] != "gso" || i+1 == len(words) || words[i+1] != "off" {
					return false
				}
			}
			return true
		}
	}
	return false
}

// ignorable reports whether nothing in the text of a block makes a difference to the engine.
func ignorable(text string) bool {
	for _, c := range commandsOf(text) {
		if !c.ignored() {
			return false
		}
	}
	return true
}

// shell applies a block at the beginning or the end of a script.
func (set *settings) shell(sh *Shell) {
	for _, c := range commandsOf(sh.Text) {
		if !c.ignored() && !set.apply(c) {
			set.miss(sh.Line, "shell commands are not executed, and this one is not known: `%s`", c.command)
		}
	}
}

// apply maps one setting to the engine's configuration and reports whether it could.
func (set *settings) apply(c setting) bool {
	switch c.name + "=" + c.value {
	case "tcp_timestamps=0":
		set.config.Disable |= tcp.Timestamps
		return true
	case "tcp_timestamps=1":
		set.config.Disable &^= tcp.Timestamps
		return true
	case "tcp_ecn=0":
		set.config.Enable &^= tcp.ECN | tcp.ECNPassive
		return true
	case "tcp_ecn=1":
		set.config.Enable |= tcp.ECN
		return true
	case "tcp_ecn=2":
		set.config.Enable = set.config.Enable&^tcp.ECN | tcp.ECNPassive
		return true
	}
	if c.name != "tcp_congestion_control" {
		return false
	}
	name := c.value
	if name == "cubic" {
		name = "cubic.linux"
	}
	a, ok := cc.Find(name)
	if ok {
		set.config.Algorithm = a
	}
	return ok
}
