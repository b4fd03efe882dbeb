package cc_test

import (
	"math"
	"testing"
	"time"

	"longhaul/cc"
)

// The mean window where one segment in 1/p is lost: RFC 3649 table 3, of which 0.12/p^0.835 is the line above 38 segments.
func TestHighSpeedResponse(t *testing.T) {
	for _, c := range []struct {
		period int64
		want   float64 // segments
	}{{1e3, 38}, {1e4, 263}, {1e5, 1795}, {1e6, 12279}} {
		p := atWindow("highspeed", int64(c.want), nil)
		p.perACK = int(c.want/100) + 1 // octets count, so it is the same and quicker
		near(t, "mean window", p.mean(c.period, 5, 10), c.want, .15)
		if c.period > 1e3 {
			near(t, "table against line", c.want, .12*math.Pow(float64(c.period), .835), .03)
		}
	}
}

// RFC 3649 appendix B: the windows from which on the increase is at least 1, 2, 3 and so on, and what a loss takes from them.
// At the ends of the table rounding shows: its windows are whole, and its first row is where HighSpeed TCP begins.
func TestHighSpeedTable(t *testing.T) {
	rows := []int{
		38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596, 5036, 5497, 5979, 6483, 7009,
		7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082, 12834, 13614, 14424, 15265, 16137, 17042, 17981, 18955, 19965, 21013, 22101, 23230,
		24402, 25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586, 37253, 38992, 40808, 42707, 44694, 46776, 48961, 51258, 53677, 56230,
		58932, 61799, 64851, 68113, 71617, 75401, 79517, 84035, 89053, 94717,
	}
	decreases := map[int]float64{1: .5, 2: .44, 3: .41, 4: .38, 5: .37, 6: .35, 7: .34, 8: .33, 9: .32, 10: .31, 11: .30, 69: .10, 70: .10, 71: .10, 72: .10, 73: .09}
	for i, w := range rows {
		k := float64(i + 1)
		if got := cc.HSIncrease(float64(w)); math.Abs(got-k) > .05 {
			t.Errorf("a(%d) = %.3f, want %v", w, got, k)
		}
		if want, ok := decreases[i+1]; ok {
			if got := cc.HSDecrease(float64(w)); math.Abs(got-want) > .00501 {
				t.Errorf("b(%d) = %.4f, want %v", w, got, want)
			}
		}
	}
	for _, c := range []struct{ w, a, b float64 }{
		{1, 1, .5}, {38, 1, .5}, {100, 1.80, .450}, {1000, 7.75, .330}, {10000, 29.1, .210}, {83000, 70.7, .100}, {1e6, 463.8, .09},
	} {
		if a, b := cc.HSIncrease(c.w), cc.HSDecrease(c.w); math.Abs(a/c.a-1) > .003 || math.Abs(b-c.b) > .0005 {
			t.Errorf("w = %v: a = %.3f, b = %.4f, want %v and %v", c.w, a, b, c.a, c.b)
		}
	}
}

// The logarithm of the formulas against the library's, which differs between processors in its last digits.
func TestLogarithm(t *testing.T) {
	for x := 1e-3; x < 1e9; x *= 1.01 {
		if got, want := cc.Ln(x), math.Log(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("ln %v = %v, want %v", x, got, want)
		}
	}
}

// RFC 3649 table 6: the window after so many round trips of growth from one segment, without loss and without slow start.
// The RFC adds a(w) once a round trip; here a window grows by whole segments sent, and in mid-round by a share of what it then is.
func TestHighSpeedGrowth(t *testing.T) {
	p := newPath(make1("highspeed", cc.Params{InitialWindow: mss, InitialSsthresh: 2 * mss}), 100*time.Millisecond)
	rounds := 0
	for _, c := range []struct {
		rounds int
		want   float64
	}{{100, 131}, {200, 475}, {500, 3601}, {1000, 17409}, {2000, 72754}} {
		for ; rounds < c.rounds; rounds++ {
			p.perACK = int(p.window()/100) + 1
			p.run()
		}
		near(t, "window", p.window(), c.want, .04)
	}
}
