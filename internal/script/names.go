package script

import (
	"time"

	"longhaul/cc"
	"longhaul/tcp"
)

// infiniteSsthresh is how scripts write a threshold that was never set.
const infiniteSsthresh = 0x7fffffff

// constants are names whose value does not depend on the connection.
var constants = map[string]int64{
	"TCP_CA_Open": 0, "TCP_CA_Disorder": 1, "TCP_CA_CWR": 2, "TCP_CA_Recovery": 3, "TCP_CA_Loss": 4,
	"TCPI_OPT_TIMESTAMPS": 1, "TCPI_OPT_SACK": 2, "TCPI_OPT_WSCALE": 4, "TCPI_OPT_ECN": 8, "TCPI_OPT_SYN_DATA": 32, "True": 1, "False": 0,
	"TCP_ESTABLISHED": 1, "TCP_SYN_SENT": 2, "TCP_SYN_RECV": 3, "TCP_FIN_WAIT1": 4, "TCP_FIN_WAIT2": 5, "TCP_TIME_WAIT": 6, "TCP_CLOSE": 7,
	"TCP_CLOSE_WAIT": 8, "TCP_LAST_ACK": 9, "TCP_LISTEN": 10, "TCP_CLOSING": 11,
}

// repairs are the numbers that scripts have for the engine's states of repair.
var repairs = map[tcp.Repair]int64{
	tcp.RepairNone: 0, tcp.RepairDisorder: 1, tcp.RepairReduced: 2, tcp.RepairFast: 3, tcp.RepairTimeout: 4,
}

// states are the numbers that scripts have for the engine's states of a connection.
var states = map[tcp.State]int64{
	tcp.Established: 1, tcp.SynSent: 2, tcp.SynReceived: 3, tcp.FinWait1: 4, tcp.FinWait2: 5, tcp.TimeWait: 6, tcp.Closed: 7,
	tcp.CloseWait: 8, tcp.LastAck: 9, tcp.Closing: 11,
}

// view is what the names of a connection are computed from.
type view struct {
	tcp.Info
	tcp.Inspection
	sinceData time.Duration // since data arrived, or since the script's start
}

// reordering is the name of how many segments out of order are no sign of a loss: three as long as none has been seen to be so.
const reordering = "tcpi_reordering"

// infoNames are the names of a connection's state. Windows and counts are in segments.
var infoNames = map[string]func(v *view) int64{
	"tcpi_snd_mss":        func(v *view) int64 { return int64(v.MSS) },
	"tcpi_advmss":         func(v *view) int64 { return int64(v.AdvertisedMSS) },
	"tcpi_snd_cwnd":       func(v *view) int64 { return segments(v.Allowed, v.MSS) },
	"tcpi_snd_ssthresh":   func(v *view) int64 { return threshold(v.Ssthresh, v.MSS) },
	"tcpi_state":          func(v *view) int64 { return states[v.State] },
	"tcpi_ca_state":       func(v *view) int64 { return repairs[v.Repair] },
	"tcpi_unacked":        func(v *view) int64 { return int64(v.Outstanding) },
	"tcpi_sacked":         func(v *view) int64 { return int64(v.SACKed) },
	"tcpi_lost":           func(v *view) int64 { return int64(v.Lost) },
	"tcpi_retrans":        func(v *view) int64 { return int64(v.Retransmitted) },
	"tcpi_total_retrans":  func(v *view) int64 { return v.Sent.Retransmissions },
	"tcpi_options":        func(v *view) int64 { return optionBits(v.Features) },
	"tcpi_last_data_recv": func(v *view) int64 { return v.sinceData.Milliseconds() },
	"tcpi_rwnd_limited":   func(v *view) int64 { return v.Inspection.Limited.Receiver.Microseconds() },
	"tcpi_busy_time":      func(v *view) int64 { return v.Busy.Microseconds() },
	reordering:            func(*view) int64 { return 3 },
	"tcpi_rtt":            func(v *view) int64 { return v.SRTT.Microseconds() },
	"tcpi_rttvar":         func(v *view) int64 { return v.RTTVar.Microseconds() },
	"tcpi_min_rtt":        func(v *view) int64 { return v.MinRTT.Microseconds() },
	"tcpi_rto":            func(v *view) int64 { return v.RTO.Microseconds() },
}

// segments returns how many whole segments that many octets are.
func segments(octets int64, mss int) int64 {
	if mss <= 0 {
		return 0
	}
	return octets / int64(mss)
}

// threshold returns a slow start threshold in segments.
func threshold(octets int64, mss int) int64 {
	if octets >= cc.Infinite {
		return infiniteSsthresh
	}
	return segments(octets, mss)
}

// optionBits returns which options are in force.
func optionBits(f tcp.Feature) (bits int64) {
	for i, o := range []tcp.Feature{tcp.Timestamps, tcp.SACK, tcp.WindowScaling, tcp.ECN} {
		if f&o != 0 {
			bits |= 1 << i
		}
	}
	return bits
}

// value returns what a name in %{ }% stands for.
func (r *runner) value(name string) (int64, bool) {
	if v, ok := r.variables[name]; ok {
		return v, true
	}
	if v, ok := constants[name]; ok {
		return v, true
	}
	c := r.underTest()
	of, ok := infoNames[name]
	if c == nil || !ok {
		return 0, false
	}
	v := view{Info: c.Info(), Inspection: c.Inspect(r.now)}
	if name == reordering && v.Reordered {
		return 0, false // it is a degree in segments, and the engine counts in time
	}
	v.sinceData = r.now.Sub(max(v.LastData, start))
	return of(&v), true
}

// underTest returns the connection of the socket under test, or nil.
func (r *runner) underTest() *tcp.Conn {
	if r.under == nil {
		return nil
	}
	for _, s := range r.sockets { // the stack forgets what is over
		if s.flow == r.under {
			return s.conn
		}
	}
	return r.stack.Conn(r.under.local, r.under.remote)
}

// subValue returns a value of sub-connection i, in segments.
func (r *runner) subValue(function string, i int64) (int64, bool) {
	c := r.underTest()
	if c == nil || i < 0 || i > 1<<16 {
		return 0, false
	}
	sub, ok := c.Sub(int(i))
	if !ok {
		return 0, false
	}
	mss := c.Info().MSS
	switch function {
	case "sub_cwnd":
		return segments(sub.Window, mss), true
	case "sub_ssthresh":
		return threshold(sub.Ssthresh, mss), true
	case "sub_pipe":
		return segments(sub.InFlight, mss), true
	}
	return 0, false
}
