package stacks

import (
	"reflect"
	"strings"
	"testing"

	"longhaul/cc"
	"longhaul/tcp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, canonical string
		recovery        tcp.Recovery
		policy          tcp.Policy
		enable, disable tcp.Feature
		streams         int
	}{
		{"reno", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno:rack", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"cubic:sack", "cubic:sack", tcp.SACK6675, tcp.LossIsCongestion, 0, 0, 1},
		{"reno:fack", "reno:fack", tcp.FACK, tcp.LossIsCongestion, 0, 0, 1},
		{"cubic.linux", "cubic.linux", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"tahoe:dupack-pacing", "tahoe:dupack-pacing", tcp.DupACK, tcp.LossIsCongestion, 0, tcp.Pacing, 1},
		{"reno:newreno+noise", "reno:newreno+noise", tcp.NewReno, tcp.LossIsNoise, 0, 0, 1},
		{"reno-ss2", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno+ss2+noise", "reno+ss2+noise", tcp.RACK, tcp.LossIsNoise, 0, 0, 1},
		{"reno+noise+nak+bigwindow", "reno+bigwindow+nak+noise", tcp.RACK, tcp.LossIsNoise, tcp.BigWindow | tcp.NAK, 0, 1},
		{"fox", "fox", tcp.DupACK, tcp.LossIsNoise, tcp.PerACK | tcp.CoarseClock | tcp.BigWindow | tcp.NAK,
			tcp.Defaults, 1},
		{"reno-noise", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno+coarse-pacing+perack", "reno-pacing+perack+coarse", tcp.RACK, tcp.LossIsCongestion, tcp.PerACK | tcp.CoarseClock, tcp.Pacing, 1},
		{"reno+ts-nagle+nagle", "", 0, 0, 0, 0, 0},
		{"reno+ts-perack", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"cubic-ts-sack-wscale-delack-frto-hystart+nagle", "cubic-ts-sack-wscale-delack-frto-hystart+nagle", tcp.RACK, tcp.LossIsCongestion,
			tcp.Nagle, tcp.Defaults&^tcp.Pacing | tcp.HyStart, 1},
		{"reno+hystart+lss", "reno+hystart+lss", tcp.RACK, tcp.LossIsCongestion, tcp.HyStart | tcp.LimitedSlowStart, 0, 1},
		{"cubic+hystart", "cubic", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno-hystart", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno/1", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"reno*16", "reno*16", tcp.RACK, tcp.LossIsCongestion, 0, 0, 16},
		{"reno:sack-ts/1*4", "reno:sack-ts*4", tcp.SACK6675, tcp.LossIsCongestion, 0, tcp.Timestamps, 4},
		{"reno*1", "reno", tcp.RACK, tcp.LossIsCongestion, 0, 0, 1},
		{"ptcp", "ptcp", tcp.RACK, tcp.LossIsCongestion, 0, 0, 16},
	} {
		s, err := Parse(c.name)
		if c.canonical == "" {
			if err == nil {
				t.Errorf("Parse(%q) = %v, want an error", c.name, s)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", c.name, err)
			continue
		}
		g := s.Config
		if s.String() != c.canonical || g.Recovery != c.recovery || g.Policy != c.policy || g.Enable != c.enable ||
			g.Disable != c.disable || s.Streams != c.streams || (g.SlowStart == 2) != strings.Contains(c.canonical, "+ss2") {
			t.Errorf("Parse(%q) = %v: recovery %d, policy %d, on %b, off %b, %d streams, want %+v",
				c.name, s, g.Recovery, g.Policy, g.Enable, g.Disable, s.Streams, c)
		}
		if !equal(t, s) {
			t.Errorf("Parse(%q) = %v, which does not read back to the same stack", c.name, s)
		}
	}
}

// equal reports whether s reads back from its name unchanged.
func equal(t *testing.T, s Stack) bool {
	t.Helper()
	again, err := Parse(s.String())
	if err != nil || s.Config.Algorithm.Name != again.Config.Algorithm.Name {
		return false
	}
	s.Config.Algorithm, again.Config.Algorithm = cc.Algorithm{}, cc.Algorithm{} // it holds a func
	return reflect.DeepEqual(s, again)
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", `unknown algorithm ""; algorithms: tahoe reno`},
		{"reon", "presets: bsd43 fox yakura ptcp; write ALGORITHM"},
		{"Reno", "unknown algorithm"},
		{"reno:", `unknown recovery ""; recoveries: rack sack fack newreno dupack nack nackconn nofack`},
		{"reno+jumbo", `unknown feature "jumbo"; features: ts sack wscale delack pacing frto hystart lss flightcut nagle minshall perack coarse iw1 ss2 bigwindow nak literal ecn ackcheck noise`},
		{"reno+", `unknown feature ""`},
		{"reno+ts-ts", "given twice"},
		{"reno/4", "write reno:nack/4, or nackconn or nofack"},
		{"reno:rack/4", "write reno:nack/4"},
		{"reno:nack/0", "from 1 to 64, such as reno:nack/4"},
		{"reno:nack/65", "from 1 to 64"},
		{"reno/many", "from 1 to 64"},
		{"reno*0", "from 1 to 1000, such as reno*16"},
		{"reno*-3", "from 1 to 1000"},
		{"reno*1001", "from 1 to 1000"},
		{"reno*99999999999999999999", "from 1 to 1000"},
		{"reno*16-ts", "after * write a number"},
		{"ptcp*2", `unknown algorithm "ptcp"`},
		{"reno\nx", "unknown algorithm"},
	} {
		s, err := Parse(c.name)
		if err == nil {
			t.Errorf("Parse(%q) = %v, want an error", c.name, s)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%q): error %q, want one line with %q", c.name, err, c.want)
		}
	}
}

func TestParseList(t *testing.T) {
	list, err := ParseList("reno, cubic:sack,ptcp")
	if err != nil || len(list) != 3 || list[1].Name != "cubic:sack" || list[2].Streams != 16 {
		t.Errorf("ParseList = %v, %v", list, err)
	}
	for _, bad := range []string{"", "reno,", "reno,reno:rack", "all,reno"} {
		if list, err := ParseList(bad); err == nil {
			t.Errorf("ParseList(%q) = %v, want an error", bad, list)
		}
	}
}

// TestTables checks that what the package offers parses, and that "all" has every algorithm, preset and documented stack once.
func TestTables(t *testing.T) {
	count := map[string]int{}
	all, err := ParseList("all")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		count[s.Name]++
		if !equal(t, s) {
			t.Errorf("%v does not read back to the same stack", s)
		}
	}
	for _, a := range cc.All {
		if count[a.Name] != 1 {
			t.Errorf("%q is %d times in All, want once", a.Name, count[a.Name])
		}
	}
	for _, p := range Presets {
		if count[p.Name] != 1 {
			t.Errorf("%q is %d times in All, want once", p.Name, count[p.Name])
		}
	}
	for _, s := range Documented() {
		if count[s.Name] != 1 {
			t.Errorf("%q is %d times in All, want once", s.Name, count[s.Name])
		}
	}
	for _, p := range Presets {
		if _, err := Parse(p.Stack); err != nil {
			t.Errorf("preset %s: %v", p.Name, err)
		}
		if _, clash := cc.Find(p.Name); clash {
			t.Errorf("preset %s hides the algorithm of that name", p.Name)
		}
	}
	var bits tcp.Feature
	for _, f := range Features {
		var s Stack
		if f.set(&s, !f.Default()); f.has(&s) == f.Default() {
			t.Errorf("feature %s cannot be changed from its default, %v", f.Name, f.Default())
		}
		bits |= s.Config.Disable
	}
	if bits != tcp.Defaults {
		t.Errorf("default features %b have no name", tcp.Defaults&^bits)
	}
}

// FuzzParse checks that no text makes Parse panic or write two lines, and that String and Parse are inverse.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"reno", "ptcp", "cubic:sack-ts+nagle*4", "tahoe:dupack-pacing", "reno/1", "reno:nack/4", "a:b+c-d/e*f", "*", "+-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := Parse(name)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("Parse(%q): error of more than one line: %q", name, err)
			}
			return
		}
		if !equal(t, s) {
			t.Errorf("Parse(%q) = %v, which does not read back to the same stack", name, s)
		}
	})
}
