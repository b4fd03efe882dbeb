package tcp

// State is a connection state of RFC 9293 s.3.3.2.
type State uint8

// The states, in the order that Conn's methods rely on: what follows SynReceived is synchronised.
const (
	Closed State = iota
	SynSent
	SynReceived
	Established
	FinWait1
	FinWait2
	CloseWait
	Closing
	LastAck
	TimeWait
)

// String returns the state's name in RFC 9293.
func (s State) String() string {
	return [...]string{"CLOSED", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2",
		"CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT"}[s]
}

func (c *Conn) handshaking() bool  { return c.state == SynSent || c.state == SynReceived }
func (c *Conn) synchronised() bool { return c.state >= Established }

// maySend reports whether the state lets data and FIN out.
func (c *Conn) maySend() bool {
	switch c.state {
	case Established, CloseWait, FinWait1, Closing, LastAck:
		return true
	}
	return false
}

// mayReceive reports whether the state takes data in.
func (c *Conn) mayReceive() bool {
	return c.state == Established || c.state == FinWait1 || c.state == FinWait2
}
