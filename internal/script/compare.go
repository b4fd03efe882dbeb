package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"longhaul/wire"
)

// difference returns what of the segment got is not as the packet want says, or "". The two are in the script's numbers.
func (f *flow) difference(want *Packet, got *segment, tick, since, tolerance time.Duration) string {
	var wrong []string
	differ := func(what string, yes bool) {
		if yes {
			wrong = append(wrong, what)
		}
	}
	seq := got.Seq
	if got.Flags.Has(wire.SYN) {
		seq += f.scriptISN
	}
	differ("flags", (want.Flags^got.Flags)&^wire.PSH != 0)
	differ("sequence number", want.Seq != seq)
	differ("length", want.Len != got.Len)
	differ("ack", want.Ack != got.Ack && (want.Flags|got.Flags).Has(wire.ACK))
	differ("window", want.HasWindow && want.Window != got.Window)
	differ("urgent pointer", want.Urgent != got.Urgent)
	differ("ECN field", !ecnMatches(want.ECN, got.ecn))
	if !want.AnyOptions {
		if what := f.optionDifference(want.Options, got.Options, tick, since, tolerance); what != "" {
			wrong = append(wrong, what)
		}
	}
	if len(wrong) == 0 {
		at := position(got.Flags, got.Seq)
		for i, b := range got.payload {
			if b != pattern(at+uint32(i)) {
				wrong = append(wrong, fmt.Sprintf("octet %d of the payload", i))
				break
			}
		}
	}
	return strings.Join(wrong, ", ")
}

// ecnMatches reports whether an ECN field is what the script says of it, which may be nothing.
func ecnMatches(want string, got wire.ECN) bool {
	switch want {
	case "ect0":
		return got == wire.ECT0
	case "ect1":
		return got == wire.ECT1
	case "ect01":
		return got == wire.ECT0 || got == wire.ECT1
	case "ce":
		return got == wire.CE
	case "noecn":
		return got == wire.NotECT
	}
	return true
}

// optionDifference returns what is wrong with the options, in their order on the wire.
func (f *flow) optionDifference(want, got []TCPOption, tick, since, tolerance time.Duration) string {
	if len(want) != len(got) {
		return "options"
	}
	for i, w := range want {
		g := got[i]
		same := w.Name == g.Name && w.B == g.B && slices.Equal(w.Blocks, g.Blocks) && slices.Equal(w.Data, g.Data)
		switch {
		case same && w.Name == "TS":
			if tick > 0 && f.hasStamp && !f.stampMatches(w.A, g.A, tick, max(tolerance, since/8)) {
				return "TS val"
			}
		case w.Name == "TS" && g.Name == "TS":
			return "TS ecr"
		case w.Name == "exp" || g.Name == "exp":
			if !slices.Equal(rawOption(w), rawOption(g)) {
				return "option exp"
			}
		case !same || w.A != g.A:
			if w.Name == g.Name {
				return "option " + w.Name
			}
			return "options"
		}
	}
	return ""
}

// rawOption returns the octets of an option in its default encoding.
func rawOption(o TCPOption) []byte {
	b, _ := appendOption(nil, o, wire.Encoding{})
	return b
}

// stampMatches reports whether the live timestamp lies as far behind the first one as the script's does behind its first.
func (f *flow) stampMatches(script, live uint32, tick, tolerance time.Duration) bool {
	want := time.Duration(int32(script-f.firstStamp)) * tick
	got := time.Duration(int32(live-f.firstLive)) * time.Millisecond // the engine's timestamps are milliseconds
	return (want - got).Abs() <= tolerance
}

// learn takes from a segment that was as expected what later ones are mapped with.
func (f *flow) learn(want *Packet, got *segment) {
	for i, o := range want.Options {
		if o.Name != "TS" || want.AnyOptions {
			continue
		}
		f.stamps[o.A] = got.Options[i].A
		if !f.hasStamp {
			f.hasStamp, f.firstStamp, f.firstLive = true, o.A, got.Options[i].A
		}
	}
}

// joins reports whether b continues a so that both together may stand for one large segment: the same header apart from
// FIN, PSH and CWR, without a gap, after pieces of unit octets.
func joins(a, b *segment, unit, limit int) bool {
	const may = wire.FIN | wire.PSH | wire.CWR
	return a.Len%unit == 0 && 0 < b.Len && b.Len <= unit && a.Len+b.Len <= limit && (a.Flags^b.Flags)&^may == 0 &&
		a.Ack == b.Ack && a.Window == b.Window && b.Seq == a.Seq+uint32(a.Len)
}

// join returns a and b as one segment: it begins as a does, and everything else but CWR is b's.
func join(a, b *segment) *segment {
	j := *b
	j.Seq, j.Len = a.Seq, a.Len+b.Len
	j.Flags = b.Flags&^wire.CWR | a.Flags&wire.CWR
	j.payload = append(slices.Clone(a.payload), b.payload...)
	return &j
}
