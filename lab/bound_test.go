package lab

import (
	"strings"
	"testing"

	"longhaul/cc"
	"longhaul/tcp"
)

func TestBound(t *testing.T) {
	for _, c := range []struct {
		name string
		load load
		want string
	}{
		{"a full link", load{busy: 0.97, time: 100, lost: 5, limited: tcp.Limited{Congestion: 90}}, BoundByLink},
		{"just not full", load{busy: 0.89, time: 100, lost: 5, limited: tcp.Limited{Congestion: 90}}, BoundByLoss},
		{"the receiver's window", load{busy: 0.4, time: 100, limited: tcp.Limited{Receiver: 80}}, BoundByWindow},
		{"the send buffer", load{busy: 0.4, time: 100, limited: tcp.Limited{Application: 80}}, BoundByWindow},
		{"both together", load{busy: 0.4, time: 100, lost: 1, limited: tcp.Limited{Receiver: 30, Application: 20}}, BoundByWindow},
		{"window less than half", load{busy: 0.4, time: 100, lost: 1, limited: tcp.Limited{Receiver: 49}}, BoundByLoss},
		{"timers", load{busy: 0.01, time: 100, lost: 9, limited: tcp.Limited{Congestion: 90, Timeout: 20}}, BoundByTimeout},
		{"too short", load{busy: 0.3, time: 100, phase: cc.SlowStart}, BoundByStartup},
		{"gentle", load{busy: 0.3, time: 100, phase: cc.Avoidance}, BoundByController},
		{"never ran", load{}, BoundByStartup},
	} {
		if got := c.load.bound(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestBoundRuleNamesEveryValue: the rule for people has a line for each value that the code can give.
func TestBoundRuleNamesEveryValue(t *testing.T) {
	for _, v := range []string{BoundByLink, BoundByWindow, BoundByLoss, BoundByTimeout, BoundByStartup, BoundByController} {
		if !strings.Contains(BoundRule, "\n"+v+" ") {
			t.Errorf("the rule does not explain %s", v)
		}
	}
}
