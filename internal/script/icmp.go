package script

import (
	"slices"
	"strings"
)

// icmpCodes are the codes of "destination unreachable" (RFC 792, RFC 1122 s.3.2.2.1), by the names that scripts have.
var icmpCodes = map[string]uint8{
	"net_unreachable": 0, "host_unreachable": 1, "protocol_unreachable": 2, "port_unreachable": 3, "frag_needed": 4,
	"source_route_failed": 5, "net_unknown": 6, "host_unknown": 7, "source_host_isolated": 8, "net_prohibited": 9,
	"host_prohibited": 10, "net_unreachable_for_tos": 11, "host_unreachable_for_tos": 12, "communication_prohibited": 13,
	"precedence_violation": 14, "precedence_cutoff": 15,
}

// icmpCodeNames lists the codes for an error.
func icmpCodeNames() string {
	names := make([]string, 0, len(icmpCodes))
	for name := range icmpCodes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(icmpCodes[a]) - int(icmpCodes[b]) })
	return strings.Join(names, " ")
}
