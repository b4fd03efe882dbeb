package capture

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"longhaul/cc"
	"longhaul/trace"
)

// JSONLines is a sink that writes trace.Window, Loss, Episode and Drop events as JSON, one object a line.
//
// Every line has "t" (seconds since the trace's origin, exact to the nanosecond), "kind" ("window", "loss",
// "episode", "drop"), "flow" and "sub". All but drops go on with the congestion state: "cwnd", "ssthresh" and
// "in_flight" in octets, "rtt_ms" and "srtt_ms" in milliseconds, "pacing_bps" in bits per second, "phase". Null stands for an
// infinite ssthresh, an RTT without a sample and a connection that is not paced. Losses add "seq" and "bytes";
// episodes add "cause", "seq" and "bytes"; drops have "cause", "seq", "bytes" and "length".
type JSONLines struct {
	w   io.Writer
	buf []byte
	err error
}

// flushSize is how many octets JSONLines buffers before it writes them.
const flushSize = 32 << 10

// NewJSONLines returns a sink that writes to w.
func NewJSONLines(w io.Writer) *JSONLines { return &JSONLines{w: w} }

// Record writes e unless it is a packet. It keeps the first error for Err and Flush.
func (j *JSONLines) Record(e *trace.Event) {
	var kind string
	switch e.Kind {
	case trace.Window:
		kind = "window"
	case trace.Loss:
		kind = "loss"
	case trace.Episode:
		kind = "episode"
	case trace.Drop:
		kind = "drop"
	default:
		return
	}
	if j.err != nil {
		return
	}
	b := append(j.buf, `{"t":`...)
	b = appendDecimal(b, int64(e.Time), 1e9)
	b = append(b, `,"kind":"`...)
	b = append(b, kind...)
	b = append(b, `","flow":`...)
	b = strconv.AppendUint(b, uint64(e.Flow), 10)
	b = appendInt(b, `,"sub":`, int64(e.Sub))
	if e.Kind != trace.Drop {
		b = appendState(b, e)
	}
	if e.Kind == trace.Episode || e.Kind == trace.Drop {
		b = append(b, `,"cause":`...)
		b = appendString(b, e.Cause)
	}
	if e.Kind != trace.Window {
		b = appendInt(b, `,"seq":`, int64(e.Seq))
		b = appendInt(b, `,"bytes":`, e.Bytes)
	}
	if e.Kind == trace.Drop {
		b = appendInt(b, `,"length":`, int64(e.Length))
	}
	j.buf = append(b, "}\n"...)
	if len(j.buf) >= flushSize {
		j.write()
	}
}

// Flush writes what is buffered and returns the first error of all.
func (j *JSONLines) Flush() error {
	if j.err == nil && len(j.buf) > 0 {
		j.write()
	}
	return j.Err()
}

// Err returns the first error of writing, or nil.
func (j *JSONLines) Err() error {
	if j.err == nil {
		return nil
	}
	return fmt.Errorf("capture: trace: %w", j.err)
}

func (j *JSONLines) write() {
	n, err := j.w.Write(j.buf)
	if err == nil && n < len(j.buf) {
		err = io.ErrShortWrite
	}
	j.buf, j.err = j.buf[:0], err
}

func appendState(b []byte, e *trace.Event) []byte {
	b = appendInt(b, `,"cwnd":`, e.Window)
	if e.Ssthresh < cc.Infinite {
		b = appendInt(b, `,"ssthresh":`, e.Ssthresh)
	} else {
		b = append(b, `,"ssthresh":null`...)
	}
	b = appendInt(b, `,"in_flight":`, e.InFlight)
	b = appendMillis(b, `,"rtt_ms":`, e.RTT)
	b = appendMillis(b, `,"srtt_ms":`, e.SRTT)
	switch {
	case e.PacingRate == 0:
		b = append(b, `,"pacing_bps":null`...)
	case e.PacingRate > math.MaxInt64/8: // a rate without a bound; what it means in bits has no room
		b = appendInt(b, `,"pacing_bps":`, math.MaxInt64)
	default:
		b = appendInt(b, `,"pacing_bps":`, 8*e.PacingRate)
	}
	b = append(b, `,"phase":`...)
	return appendString(b, e.Phase)
}

func appendInt(b []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(b, key...), v, 10)
}

func appendMillis(b []byte, key string, d time.Duration) []byte {
	b = append(b, key...)
	if d == 0 {
		return append(b, "null"...)
	}
	return appendDecimal(b, int64(d), 1e6)
}

// appendDecimal appends v/unit exactly, where unit is a power of ten. It goes by integers, not through
// strconv.AppendFloat, because a float64 of seconds loses nanoseconds after 104 days and takes longer to print.
func appendDecimal(b []byte, v, unit int64) []byte {
	u := uint64(v)
	if v < 0 {
		b = append(b, '-')
		u = -u
	}
	whole, rest := u/uint64(unit), u%uint64(unit)
	b = strconv.AppendUint(b, whole, 10)
	if rest == 0 {
		return b
	}
	// The unit in front of the fraction keeps its leading zeros; its own 1 becomes the point.
	point := len(b)
	b = strconv.AppendUint(b, rest+uint64(unit), 10)
	b[point] = '.'
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string (RFC 8259 s.7). What is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&0xf])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
