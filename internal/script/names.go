package script

import (
	"longhaul/cc"
	"longhaul/tcp"
)

// infiniteSsthresh is how scripts write a threshold that was never set.
const infiniteSsthresh = 0x7fffffff

// constants are names whose value does not depend on the connection.
var constants = map[string]int64{
	"TCP_CA_Open": 0, "TCP_CA_Disorder": 1, "TCP_CA_CWR": 2, "TCP_CA_Recovery": 3, "TCP_CA_Loss": 4,
	"TCPI_OPT_TIMESTAMPS": 1, "TCPI_OPT_SACK": 2, "TCPI_OPT_WSCALE": 4, "TCPI_OPT_ECN": 8, "TCPI_OPT_ECN_SEEN": 16,
	"TCPI_OPT_SYN_DATA": 32, "True": 1, "False": 0,
}

// infoNames are the names of a connection's state. Windows and counts are in segments.
var infoNames = map[string]func(in tcp.Info) int64{
	"tcpi_snd_mss":  func(in tcp.Info) int64 { return int64(in.MSS) },
	"tcpi_snd_cwnd": func(in tcp.Info) int64 { return segments(in.Window, in.MSS) },
	"tcpi_snd_ssthresh": func(in tcp.Info) int64 {
		if in.Ssthresh >= cc.Infinite {
			return infiniteSsthresh
		}
		return segments(in.Ssthresh, in.MSS)
	},
}

// segments returns how many segments that many octets are, the last perhaps not full.
func segments(octets int64, mss int) int64 {
	if mss <= 0 {
		return 0
	}
	return octets / int64(mss)
}

// value returns what a name in %{ }% stands for.
func (r *runner) value(name string) (int64, bool) {
	if v, ok := r.result.variables[name]; ok {
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
	return of(c.Info()), true
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

// subValue returns a value of sub-connection i.
func (r *runner) subValue(function string, i int64) (int64, bool) {
	return 0, false
}
