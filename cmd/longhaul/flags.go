package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"longhaul/lab"
	"longhaul/stacks"
	"longhaul/units"
)

// queueFlag is the room at the bottleneck as a flag: packets, octets, or multiples of the bandwidth-delay product.
type queueFlag struct {
	size lab.QueueSize
	text string
}

// Set reads "100" (packets), "1MB", "bdp", "0.5bdp" or "unlimited".
func (q *queueFlag) Set(text string) error {
	size, err := parseQueue(strings.TrimSpace(text))
	if err != nil {
		return fmt.Errorf("queue %q: %w; write packets as 100, octets as 1MB, or bdp, 2bdp, unlimited", text, err)
	}
	*q = queueFlag{size, text}
	return nil
}

// parseQueue reads a queue's size.
func parseQueue(text string) (lab.QueueSize, error) {
	if text == "unlimited" {
		return lab.QueueSize{}, nil
	}
	if factor, ok := strings.CutSuffix(text, "bdp"); ok {
		if factor == "" {
			factor = "1"
		}
		x, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(x > 0 && x <= 1000) {
			return lab.QueueSize{}, fmt.Errorf("%q is not a factor above 0 and up to 1000", factor)
		}
		return lab.QueueSize{BDP: x}, nil
	}
	n, err := units.ParseSize(text)
	switch {
	case err != nil:
		return lab.QueueSize{}, fmt.Errorf("not a size")
	case n <= 0:
		return lab.QueueSize{}, fmt.Errorf("no packet would pass")
	case n > math.MaxInt32:
		return lab.QueueSize{}, fmt.Errorf("more than 2^31-1")
	}
	if strings.Trim(text, "0123456789") == "" {
		return lab.QueueSize{Packets: int(n)}, nil
	}
	return lab.QueueSize{Octets: int(n)}, nil
}

// String returns what Set was given.
func (q *queueFlag) String() string { return q.text }

// Type names the kind of value in help texts.
func (q *queueFlag) Type() string { return "queue" }

// checkWindow returns an error for a value of --window that is wrong. Left out, it means otherwise.
func checkWindow(set *pflag.FlagSet, window units.Size, otherwise string) error {
	if set.Changed("window") && (window <= 0 || window > lab.MaxWindow) {
		return fmt.Errorf("--window %v: a window is from 1B to 1GiB (2^30 octets, RFC 7323 s.2.3); leave it out for %s", window, otherwise)
	}
	return nil
}

// stacksFlag is a list of stacks as a flag.
type stacksFlag struct{ list []stacks.Stack }

// Set reads a comma-separated list of stacks, or "all".
func (s *stacksFlag) Set(text string) (err error) {
	list, err := stacks.ParseList(text)
	if err == nil {
		s.list = list
	}
	return err
}

// String returns the list as Set reads it.
func (s *stacksFlag) String() string {
	names := make([]string, len(s.list))
	for i, k := range s.list {
		names[i] = k.Name
	}
	return strings.Join(names, ",")
}

// Type names the kind of value in help texts.
func (s *stacksFlag) Type() string { return "list" }
