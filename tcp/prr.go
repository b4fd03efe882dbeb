package tcp

// prr is proportional rate reduction (RFC 9937): during recovery it sends in proportion to what is delivered,
// so that the flight arrives at ssthresh when the episode ends, without a silence and without a burst.
type prr struct {
	active    bool
	cwnd      int64 // octets that may be in flight now
	ssthresh  int64 // target
	recoverFS int64 // octets in flight when the episode began
	delivered int64 // octets delivered since
	out       int64 // octets sent since
}

func newPRR(ssthresh, recoverFS int64) prr {
	return prr{active: true, ssthresh: ssthresh, recoverFS: max(recoverFS, 1)}
}

// onAck takes in an ACK that delivered octets (RFC 9937 s.6.2). pipe is what is in flight after it; safe says
// that it moved the cumulative ACK and revealed no further loss.
func (r *prr) onAck(delivered, pipe, mss int64, safe bool) {
	if delivered <= 0 && r.out > 0 {
		return
	}
	r.delivered += delivered
	var n int64
	if pipe > r.ssthresh {
		n = (r.delivered*r.ssthresh+r.recoverFS*mss-1)/(r.recoverFS*mss)*mss - r.out // rounded up to segments
	} else {
		n = max(r.delivered-r.out, delivered)
		if safe {
			n += mss
		}
		n = min(n, r.ssthresh-pipe)
	}
	if r.out == 0 {
		n = max(n, mss) // the retransmission that the episode begins with: part of a segment lets none out
	}
	r.cwnd = pipe + max(n, 0)
}
