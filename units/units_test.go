package units

import (
	"math"
	"strings"
	"testing"
	"time"
)

// value is what every type of the package offers a command line.
type value interface {
	Set(string) error
	String() string
	Type() string
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		v    value
		text string
		want value
		back string // what String gives
	}{
		{new(Rate), "1.544mbit", ptr(Rate(1544000)), "1.544mbit"},
		{new(Rate), "622mbit", ptr(Rate(622e6)), "622mbit"},
		{new(Rate), "1gbit", ptr(Rate(1e9)), "1gbit"},
		{new(Rate), "1000mbit", ptr(Rate(1e9)), "1gbit"},
		{new(Rate), "64kbit", ptr(Rate(64000)), "64kbit"},
		{new(Rate), "300bit", ptr(Rate(300)), "300bit"},
		{new(Rate), "0bit", ptr(Rate(0)), "0bit"},
		{new(Rate), "155 Mbit/s", ptr(Rate(155e6)), "155mbit"},
		{new(Rate), "9223372036854775807bit", ptr(Rate(math.MaxInt64)), "9223372.036854775807tbit"},
		{new(Rate), "0.5bit", ptr(Rate(1)), "1bit"},
		{new(Size), "1500", ptr(Size(1500)), "1500B"},
		{new(Size), "1500B", ptr(Size(1500)), "1500B"},
		{new(Size), "64K", ptr(Size(65536)), "64KiB"},
		{new(Size), "156KiB", ptr(Size(156 << 10)), "156KiB"},
		{new(Size), "32MB", ptr(Size(32e6)), "32MB"},
		{new(Size), "1M", ptr(Size(1 << 20)), "1MiB"},
		{new(Size), "1.5G", ptr(Size(3 << 29)), "1536MiB"},
		{new(Size), "10kB", ptr(Size(10000)), "10kB"},
		{new(Size), "1GB", ptr(Size(1e9)), "1GB"},
		{new(Size), "0", ptr(Size(0)), "0B"},
		{new(Duration), "580ms", ptr(Duration(580 * time.Millisecond)), "580ms"},
		{new(Duration), "20m", ptr(Duration(20 * time.Minute)), "20m"},
		{new(Duration), "1.5s", ptr(Duration(1500 * time.Millisecond)), "1.5s"},
		{new(Duration), "100us", ptr(Duration(100 * time.Microsecond)), "100µs"},
		{new(Duration), "24h", ptr(Duration(24 * time.Hour)), "24h"},
		{new(Duration), "1m40s", ptr(Duration(100 * time.Second)), "1m40s"},
		{new(Duration), "0", ptr(Duration(0)), "0s"},
		{new(Probability), "1e-5", ptr(Probability(1e-5)), "1e-5"},
		{new(Probability), "0.001%", ptr(Probability(1e-5)), "1e-5"},
		{new(Probability), "0", ptr(Probability(0)), "0"},
		{new(Probability), "-0", ptr(Probability(0)), "0"},
		{new(Probability), "100%", ptr(Probability(1)), "1"},
		{new(Probability), "0.07%", ptr(Probability(0.0007)), "0.0007"},
		{new(Probability), "1e-3%", ptr(Probability(1e-5)), "1e-5"},
	} {
		if err := c.v.Set(c.text); err != nil {
			t.Errorf("%s %q: %v", c.v.Type(), c.text, err)
			continue
		}
		if c.v.String() != c.want.String() || c.v.String() != c.back {
			t.Errorf("%s %q = %v, want %v written %s", c.v.Type(), c.text, c.v, c.want, c.back)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		v          value
		text, want string // want is part of the message
	}{
		{new(Rate), "155", "no unit; write 155mbit, 155kbit"},
		{new(Rate), "", "no number"},
		{new(Rate), "mbit", "no number"},
		{new(Rate), "-1mbit", "negative"},
		{new(Rate), "10mbps", "the units are bit, kbit, mbit"},
		{new(Rate), "10MB", "the units are bit"},
		{new(Rate), "1.2.3mbit", "not a number"},
		{new(Rate), ".mbit", "no number"},
		{new(Rate), ".", "no number"},
		{new(Rate), "9223373tbit", "too large"},
		{new(Rate), strings.Repeat("9", 1000) + "bit", "too large"},
		{new(Size), "-1", "negative"},
		{new(Size), "K", "no number"},
		{new(Size), "12parsecs", "unknown unit"},
		{new(Size), "8589934592GiB", "too large"},
		{new(Duration), "70", "no unit; write 70ms, 70s"},
		{new(Duration), "-5ms", "negative"},
		{new(Duration), "-5", "negative"},
		{new(Duration), "soon", "no number"},
		{new(Duration), "3 fortnights", "units h, m, s"},
		{new(Duration), "9999999999h", "too large"},
		{new(Probability), "-0.1", "negative"},
		{new(Probability), "1.01", "more than 1"},
		{new(Probability), "101%", "more than 1"},
		{new(Probability), "1e999", "more than 1"},
		{new(Probability), "NaN", "not a number"},
		{new(Probability), "", "not a number"},
		{new(Probability), "5e-4x", "not a number"},
	} {
		before := c.v.String()
		err := c.v.Set(c.text)
		if err == nil {
			t.Errorf("%s %q: no error, got %v", c.v.Type(), c.text, c.v)
			continue
		}
		if msg := err.Error(); !strings.Contains(msg, c.want) || strings.Contains(msg, "\n") {
			t.Errorf("%s %q: error %q, want one line with %q", c.v.Type(), c.text, msg, c.want)
		}
		if c.v.String() != before {
			t.Errorf("%s %q: a failed Set changed the value to %v", c.v.Type(), c.text, c.v)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatRate(155e6), "155 Mbit/s"},
		{FormatRate(1.544e6), "1.54 Mbit/s"},
		{FormatRate(999.9e6), "1 Gbit/s"},
		{FormatRate(999.4e6), "999 Mbit/s"},
		{FormatRate(0), "0 bit/s"},
		{FormatRate(0.25), "0.25 bit/s"},
		{FormatRate(3e15), "3000 Tbit/s"},
		{FormatBytes(1356250), "1.36 MB"},
		{FormatBytes(812), "812 B"},
		{FormatDuration(70 * time.Millisecond), "70 ms"},
		{FormatDuration(70249 * time.Microsecond), "70.2 ms"},
		{FormatDuration(0), "0 s"},
		{FormatDuration(90 * time.Second), "90 s"},
		{FormatDuration(-1500 * time.Microsecond), "-1.5 ms"},
		{FormatPercent(0.00123), "0.123%"},
		{FormatPercent(1), "100%"},
		{FormatCount(0), "0"},
		{FormatCount(999), "999"},
		{FormatCount(1234567), "1,234,567"},
		{FormatCount(-123456), "-123,456"},
		{FormatCount(math.MinInt64), "-9,223,372,036,854,775,808"},
		{Significant(0.012345), "0.0123"},
		{Significant(12345), "12300"},
		{Significant(math.Inf(1)), "+Inf"},
		{Significant(1e-9), "1e-9"},
		{Significant(5e-324), "4.94e-324"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// FuzzParse checks that no text makes a parser panic or write two lines, and that String and Set are inverse.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.544mbit", "64K", "580ms", "0.001%", "1e-5", "", ".", "-1", "9e99", "1µs", "155 Mbit/s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, pair := range [][2]value{
			{new(Rate), new(Rate)}, {new(Size), new(Size)}, {new(Duration), new(Duration)}, {new(Probability), new(Probability)},
		} {
			v, again := pair[0], pair[1]
			if err := v.Set(text); err != nil {
				if strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("%s %q: error of more than one line: %q", v.Type(), text, err)
				}
				continue
			}
			if err := again.Set(v.String()); err != nil || again.String() != v.String() {
				t.Errorf("%s %q = %v, read back as %v, %v", v.Type(), text, v, again, err)
			}
			if strings.HasPrefix(v.String(), "-") {
				t.Errorf("%s %q is negative: %v", v.Type(), text, v)
			}
		}
	})
}
