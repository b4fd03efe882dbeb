package script

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"longhaul/stacks"
	"longhaul/tcp"
	"longhaul/wire"
)

// settings are what the options and commands of a script ask for.
type settings struct {
	tolerance    time.Duration // of times
	hasTolerance bool          // the script names it
	tick         time.Duration // of the timestamps in the script; 0 means that they are not compared
	ipv6         bool
	quiet        bool // as in Options
	exact        bool
	segments     bool
	config       tcp.Config // of each connection
	encoding     wire.Encoding
	missing      []Reason // what the script needs and the engine or interpreter lacks
}

// defaultTolerance is how far a time may be off where the script does not say (--tolerance_usecs).
const defaultTolerance = 4 * time.Millisecond

// profile is the stack of scripts that name none: the closest to what scripts written for Linux expect.
const profile = "cubic.linux-pacing+nagle+minshall"

// newSettings reads the options and commands of a script. An error names file and line.
func newSettings(s *Script) (settings, error) {
	set := settings{tolerance: defaultTolerance}
	name, line := "", 1
	for _, o := range s.Options {
		if o.Name == "stack" {
			name, line = o.Value, o.Line
		} else if err := set.option(o); err != nil {
			return set, fmt.Errorf("%s:%d: %w", s.Name, o.Line, err)
		}
	}
	st, err := stacks.Parse(cmp.Or(name, profile))
	if err == nil && st.Streams > 1 {
		err = fmt.Errorf("a script has one connection, not %d streams; leave *%[1]d out", st.Streams)
	}
	if err != nil {
		return set, fmt.Errorf("%s:%d: --stack: %w", s.Name, line, err)
	}
	set.config, set.encoding = st.Config, st.Encoding
	set.config.TrustPeer = name == ""     // round trips of scripts are as they may be
	set.config.RecvBufferMax = 65535 << 8 // the largest that a window scale of 8 can express
	set.config.SendBuffer = 4 << 20
	set.config.PathMTU = tcp.MTUReported
	for _, sh := range []*Shell{s.Init, s.Cleanup} {
		if sh != nil {
			set.shell(sh)
		}
	}
	set.collectMissing(s)
	return set, nil
}

// option applies one option line.
func (set *settings) option(o Option) error {
	number := func() (time.Duration, error) {
		n, err := strconv.ParseUint(o.Value, 10, 31)
		if err != nil {
			return 0, fmt.Errorf("--%s=%s: write a whole number of microseconds", o.Name, o.Value)
		}
		return time.Duration(n) * time.Microsecond, nil
	}
	var err error
	switch o.Name {
	case "tolerance_usecs":
		set.tolerance, err = number()
		set.hasTolerance = true
	case "tcp_ts_tick_usecs":
		set.tick, err = number()
	case "local_ip", "remote_ip", "gateway_ip", "netmask_ip":
		if _, bad := netip.ParseAddr(o.Value); bad != nil {
			err = fmt.Errorf("--%s=%s: write an IP address", o.Name, o.Value)
		}
	case "ip_version":
		set.ipv6 = o.Value == "ipv6"
		if o.Value == "ipv4-mapped-ipv6" {
			set.miss(o.Line, "--ip_version=%s is not in the interpreter", o.Value)
		} else if o.Value != "ipv4" && o.Value != "ipv6" {
			err = fmt.Errorf("--ip_version=%s: write ipv4 or ipv6", o.Value)
		}
	case "quiet", "exact", "strict_segments":
		set.quiet = set.quiet || o.Name == "quiet"
		set.exact = set.exact || o.Name == "exact"
		set.segments = set.segments || o.Name == "strict_segments"
		if o.Value != "" {
			err = fmt.Errorf("--%s takes no value", o.Name)
		}
	case "mtu", "bind_port", "connect_port", "speed", "non_fatal", "init_scripts", "define", "code", "wire_client", "wire_server":
		set.miss(o.Line, "the option --%s is not in the interpreter", o.Name)
	default:
		err = fmt.Errorf("unknown option --%s; options: tolerance_usecs tcp_ts_tick_usecs local_ip remote_ip ip_version stack quiet exact strict_segments", o.Name)
	}
	return err
}

// miss records something that makes the script not applicable.
func (set *settings) miss(line int, format string, args ...any) {
	set.missing = append(set.missing, Reason{line, fmt.Sprintf(format, args...)})
}

// collectMissing looks through the events for what cannot be run.
func (set *settings) collectMissing(s *Script) {
	for _, e := range s.Events {
		switch a := e.Action.(type) {
		case *Shell:
			if !ignorable(a.Text) {
				set.miss(e.Line, "shell commands are not executed: `%s`", firstLine(a.Text))
			}
		case *Packet:
			for _, o := range a.Options {
				if !a.Inbound && (o.Name == "FO" || o.Name == "FOEXP") {
					set.miss(e.Line, "TCP Fast Open is not in the engine")
				}
			}
		case *ICMP:
			if set.ipv6 && icmpCodes[a.Code].type6 == 0 {
				set.miss(e.Line, "ICMPv6 has nothing that means %s", cmp.Or(a.Code, a.Type))
			}
		case *Foreign:
			set.miss(e.Line, "%s", a.Why)
		case *Call:
			if why := unsupportedCall(a); why != "" {
				set.miss(e.Line, "%s", why)
			}
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
