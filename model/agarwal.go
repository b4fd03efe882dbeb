package model

import (
	"math"
	"strconv"
	"time"
)

// Agarwal returns sqrt(6 MSS) / (RTT sqrt(BER)) in bits per second (A. Agarwal, message to the tcpsat list, archived February
// 2000): Mathis' law with DelayedACK, and 8 MSS BER for the loss of a packet, which holds while that is far below 1.
func Agarwal(mss int, rtt time.Duration, ber float64) float64 {
	return math.Sqrt(6*float64(mss)/ber) / rtt.Seconds()
}

// AgarwalBER is the inverse of Agarwal: the bit error rate 6 MSS / (RTT T)^2 at which it gives T bits per second.
func AgarwalBER(mss int, rtt time.Duration, rate float64) float64 {
	x := rtt.Seconds() * rate
	return 6 * float64(mss) / (x * x)
}

// The set-up of Agarwal's table.
const (
	AgarwalMSS = 1500 // octets; what was measured had 1460
	AgarwalRTT = 600 * time.Millisecond
)

// AgarwalRow is a row of Agarwal's table.
type AgarwalRow struct {
	BER      float64
	Measured float64 // bits per second; 0 where the document has no measurement
	digits   int     // significant digits of the printed figure
}

// AgarwalTable is the document's table.
var AgarwalTable = []AgarwalRow{
	{1e-4, 0, 3}, {1e-5, 0, 3}, {1e-6, 140e3, 3},
	{1e-7, 510e3, 4}, {1e-8, 1.494e6, 4}, {1e-9, 0, 4},
	{1e-10, 0, 3}, {1e-11, 0, 5}, {1e-12, 0, 3},
}

// Predicted returns the figure that the document prints, in bits per second. It has sqrt(6 MSS)/RTT, 158.11, rounded to 158, and
// what follows the last digit is cut off.
func (r AgarwalRow) Predicted() float64 {
	x := 158 / math.Sqrt(r.BER)
	unit := math.Pow(10, math.Floor(math.Log10(x*(1+1e-9)))-float64(r.digits-1))
	return math.Floor(x/unit*(1+1e-9)) * unit // 1e-9: 158/sqrt(1e-6) must not be a little less than 158,000
}

// Printed returns Predicted as the document writes it, such as "499.6 kbit/s".
func (r AgarwalRow) Printed() string {
	x, unit := r.Predicted()/1e3, " kbit/s"
	if x >= 999.5 {
		x, unit = x/1e3, " Mbit/s"
	}
	whole := int(math.Floor(math.Log10(x*(1+1e-9)))) + 1
	return strconv.FormatFloat(x, 'f', r.digits-whole, 64) + unit
}
