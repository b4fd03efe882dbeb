package lab

import (
	"fmt"
	"strings"
)

// Definition says what one key of the JSON document means.
type Definition struct {
	Name   string // as in the document; an object's keys are explained together
	Unit   string // "" for a plain number or a name
	Text   string
	Source string // where the definition comes from
}

// Definitions is every metric: those of the document, and asymmetry, which takes two flows.
var Definitions = []Definition{
	{"goodput_bps", "bit/s", "Application octets delivered in order at the receiver, times 8, over the time from the start of the flow to the end of the run, or to the last octet if the flow had a fixed amount to move. Parallel streams are added up.", "RFC 2647 s.3.17"},
	{"steady_bps", "bit/s", "Goodput of the second half of the flow's time, so without start-up. Equal to goodput_bps for a flow that moved a fixed amount.", "this project"},
	{"limit_bps", "bit/s", "The most goodput that the bottleneck can carry: its rate x payload of a full segment / octets of that segment as an IP packet.", "arithmetic"},
	{"fraction_of_limit", "", "goodput_bps / limit_bps. 1.0 is the physical limit.", "arithmetic"},
	{"stability", "", "Sample standard deviation / mean of the goodput of the 5 s samples after the first 60 s. Small is steady. Absent with fewer than two such samples.", "Cottrell, Bullot and Hughes-Jones, Evaluation of Advanced TCP stacks on Fast Long-Distance production Networks (PFLDnet 2004); C-43"},
	{"stability_whole", "", "The same over all 5 s samples of the flow, start-up included.", "C-43"},
	{"fairness", "", "Jain's index (sum x)^2 / (n sum x^2) over the octets that each parallel stream delivered, from 1/n (one stream has all) to 1 (all equal). Absent with one stream.", "Jain, Chiu and Hawe, DEC-TR-301 (1984); R75"},
	{"rtt_ms", "ms", "Round-trip time of a 64-octet UDP probe through the same bottleneck and back, one every 100 ms from the beginning of the run, or fewer on a path below 512 kbit/s so that they take 1 % of it: min, mean, and the nearest-rank percentiles p50, p95 and p99.", "R70"},
	{"convergence_s", "s", "First time, counted from the start of the flow, from which all later 5 s samples lie within 10 % of the mean of the second half of the samples. Absent if the goodput never settles.", "this project"},
	{"connect_s", "s", "From the first SYN to the moment the sender knows that the connection is open; of several streams the slowest.", "RFC 9293 s.3.5"},
	{"completion_s", "s", "From the start of the flow to the delivery of its last octet. Only for flows that moved a fixed amount, and absent if the run ended first.", "this project"},
	{"retransmitted", "segments", "Data segments that the sender sent again.", "RFC 4898 tcpEStatsPerfSegsRetrans"},
	{"retransmitted_share", "", "Payload octets sent again / payload octets sent.", "RFC 4898 tcpEStatsPerfOctetsRetrans"},
	{"timeouts", "", "Expiries of the retransmission timer.", "RFC 6298 s.5"},
	{"timeout_share", "", "Share of the flow's time in which nothing was sent because it waited for the retransmission timer; of parallel streams the mean.", "R51"},
	{"fast_retransmits", "", "Episodes of fast recovery.", "RFC 5681 s.3.2"},
	{"spurious", "", "Recovery episodes or retransmissions that later proved needless.", "RFC 2883, RFC 3522, RFC 5682"},
	{"link_drops", "packets", "Packets that the data direction did not deliver, by cause: queue (no room), loss (the loss model), error (damaged by bit errors), outage. Probes are counted too.", "this project"},
	{"bound_by", "", "What kept the stack from going faster. " + BoundRule, "this project"},
	{"samples_bps", "bit/s", "Goodput of each full 5 s interval from the start of the flow.", "R70"},
	{"curve", "", "Congestion window and octets in flight of the flow's streams added up, at equal intervals. Only where a run was asked for it.", "RFC 5681 s.2"},
	{"ci95", "", "Half the width of the 95 % confidence interval of the mean over the repeated runs, for each figure above (Student's t).", "Student, Biometrika 6 (1908)"},
	{"streams", "", "Parallel connections of the stack.", "R60"},
	{"asymmetry", "", "(x1 - x2) / (x1 + x2) with x the average goodput of two flows that share the bottleneck, from -1 to 1.", "R75"},
}

// Explain returns the definition of a metric as lines of text; "rtt_ms.p50", as CSV names it, is explained with rtt_ms.
// The error lists the names that there are.
func Explain(name string) (string, error) {
	object, _, _ := strings.Cut(name, ".")
	var names []string
	for _, d := range Definitions {
		if d.Name == object {
			return d.String(), nil
		}
		names = append(names, d.Name)
	}
	return "", fmt.Errorf("no metric %q; there are: %s", name, strings.Join(names, " "))
}

// String returns d as lines of text.
func (d Definition) String() string {
	head := d.Name
	if d.Unit != "" {
		head += " (" + d.Unit + ")"
	}
	return head + "\n" + d.Text + "\nSource: " + d.Source
}
