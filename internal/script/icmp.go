package script

import (
	"slices"
	"strings"
	"time"

	"longhaul/mono"
	"longhaul/tcp"
	"longhaul/wire"
)

// icmpCode is one code of "destination unreachable".
type icmpCode struct {
	code  uint8 // RFC 792, RFC 1122 s.3.2.2.1
	type6 uint8 // of the message that means it in IPv6 (RFC 4443 s.3.1, s.3.2); 0 if none does
	code6 uint8
	errno string // of a call on a connection that it ended
}

// The types of IPv6, and IPv4's one.
const (
	icmpUnreachable  = 3
	icmpQuench       = 4
	icmp6Unreachable = 1
	icmp6TooBig      = 2
)

// icmpCodes are the codes by the names that scripts have.
var icmpCodes = map[string]icmpCode{
	"net_unreachable": {0, icmp6Unreachable, 0, "ENETUNREACH"}, "host_unreachable": {1, icmp6Unreachable, 3, "EHOSTUNREACH"},
	"protocol_unreachable": {2, 0, 0, "ENOPROTOOPT"}, "port_unreachable": {3, icmp6Unreachable, 4, "ECONNREFUSED"},
	"frag_needed": {4, icmp6TooBig, 0, "EMSGSIZE"}, "source_route_failed": {5, 0, 0, "EOPNOTSUPP"},
	"net_unknown": {6, 0, 0, "ENETUNREACH"}, "host_unknown": {7, 0, 0, "EHOSTDOWN"}, "source_host_isolated": {8, 0, 0, "ENONET"},
	"net_prohibited": {9, 0, 0, "ENETUNREACH"}, "host_prohibited": {10, 0, 0, "EHOSTUNREACH"},
	"net_unreachable_for_tos": {11, 0, 0, "ENETUNREACH"}, "host_unreachable_for_tos": {12, 0, 0, "EHOSTUNREACH"},
	"communication_prohibited": {13, icmp6Unreachable, 1, "EHOSTUNREACH"},
	"precedence_violation":     {14, 0, 0, "EHOSTUNREACH"}, "precedence_cutoff": {15, 0, 0, "EHOSTUNREACH"},
}

// icmpCodeNames lists the codes for an error.
func icmpCodeNames() string {
	names := make([]string, 0, len(icmpCodes))
	for name := range icmpCodes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(icmpCodes[a].code) - int(icmpCodes[b].code) })
	return strings.Join(names, " ")
}

// injectICMP gives the engine an ICMP error at its time. Without a quotation in the script it is about the latest segment
// that the engine sent.
func (r *runner) injectICMP(m *ICMP, at mono.Time, distance time.Duration) {
	if !r.arrive(at, distance) {
		return
	}
	f := r.under
	if f == nil || !f.hasLocal {
		r.fail("the engine has sent nothing that an ICMP error could be about", "", "")
		return
	}
	code := icmpCodes[m.Code]
	e := wire.ICMPError{
		From: r.remote(), Type: icmpTypes[m.Type], Code: code.code, MTU: m.MTU,
		Src: f.local, Dst: f.remote, Seq: f.latest, Length: f.latestSize,
	}
	if r.set.ipv6 {
		e.Type, e.Code = code.type6, code.code6
	}
	if m.Quotes {
		e.Seq = wire.Seq(m.Seq + f.localISN)
		if c := r.stack.Conn(f.local, f.remote); c != nil && c.Info().State < tcp.Established {
			e.Seq = wire.Seq(m.Seq - f.scriptISN + f.localISN) // it is the SYN
		}
		e.Length = f.latestHeader + m.Len
	}
	b, err := wire.AppendICMP(nil, &e)
	if err == nil {
		r.note(m.String())
		err = wire.DecodeICMP(b, &e)
	}
	if err != nil {
		r.fail(err.Error(), "", "")
		return
	}
	f.icmp = m.Code
	r.stack.InputICMP(r.now, &e)
	r.poll()
}
