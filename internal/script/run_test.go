package script

import "testing"

// handshake is the beginning of most scripts here: a connection, accepted as 4, with an MSS of 1000 and no options.
const handshake = `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+0.1 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
`

// play runs a script.
func play(t *testing.T, text string, o Options) Result {
	t.Helper()
	s, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s.Run(o)
}
