package tcp

import (
	"slices"
	"testing"

	"longhaul/mono"
	"longhaul/wire"
	"pgregory.net/rapid"
)

// TestMergeRange compares the merging of ranges with a bitmap, across a wrap of the sequence space (RFC 2018 s.4).
func TestMergeRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 60
		base := wire.Seq(rapid.SampledFrom([]uint32{0, 1000, 1<<32 - 30}).Draw(t, "base"))
		var have [size]bool
		var ranges []wire.Range
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			a := rapid.IntRange(0, size-1).Draw(t, "a")
			b := rapid.IntRange(a+1, size).Draw(t, "b")
			var scratch [4]wire.Range
			out, merged, fresh := mergeRange(ranges, wire.Range{Start: base.Add(a), End: base.Add(b)}, scratch[:])
			ranges = out
			count := 0
			for i := a; i < b; i++ {
				if !have[i] {
					count++
				}
				have[i] = true
			}
			for _, f := range fresh {
				count -= f.Len()
			}
			if count != 0 {
				t.Fatalf("new parts are %d octets off: %v", count, fresh)
			}
			if a < merged.Start.Sub(base) || b > merged.End.Sub(base) {
				t.Fatalf("merged %v does not contain [%d,%d)", merged, a, b)
			}
			var want []wire.Range
			for i := 0; i < size; i++ {
				if !have[i] {
					continue
				}
				j := i
				for j < size && have[j] {
					j++
				}
				want = append(want, wire.Range{Start: base.Add(i), End: base.Add(j)})
				i = j
			}
			if !slices.Equal(ranges, want) {
				t.Fatalf("ranges %v, want %v", ranges, want)
			}
		}
		cut := rapid.IntRange(0, size).Draw(t, "cut")
		for _, r := range trimRanges(ranges, base.Add(cut)) {
			if r.Start.Sub(base) < cut || r.Len() <= 0 {
				t.Fatalf("trimmed at %d: %v", cut, r)
			}
		}
	})
}

// TestSegListModel compares the linked list with a slice.
func TestSegListModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b board
		n := rapid.IntRange(1, 40).Draw(t, "n")
		for i := range n {
			_, g := b.push()
			*g = segment{seq: wire.Seq(10 * i), size: 10, sentAt: mono.Time(rapid.IntRange(0, 9).Draw(t, "at"))}
		}
		var l segList
		var model []uint32
		for _, i := range rapid.Permutation(indices(n)).Draw(t, "order") {
			b.at(i).flags |= segLost
			b.insertLost(&l, i)
			model = append(model, i)
		}
		slices.Sort(model)
		for _, i := range rapid.Permutation(indices(n)).Draw(t, "removal")[:n/2] {
			b.remove(&l, i)
			b.at(i).flags &^= segLost
			model = slices.DeleteFunc(model, func(m uint32) bool { return m == i })
		}
		if got := walk(&b, &l); !slices.Equal(got, model) {
			t.Fatalf("list %v, want %v", got, model)
		}
		var byTime segList
		for i := range uint32(n) {
			b.insertBySentAt(&byTime, i)
		}
		last := mono.Time(-1)
		for _, i := range walk(&b, &byTime) {
			if b.at(i).sentAt < last {
				t.Fatalf("segment %d is out of order", i)
			}
			last = b.at(i).sentAt
		}
	})
}

func indices(n int) (s []uint32) {
	for i := range n {
		s = append(s, uint32(i))
	}
	return s
}

// walk reads a list forwards and checks it backwards.
func walk(b *board, l *segList) (s []uint32) {
	n := l.first
	for i := range l.count {
		s = append(s, n)
		if i > 0 && b.at(n).prev != s[i-1] {
			panic("broken back link")
		}
		n = b.at(n).next
	}
	return s
}

// TestLossEdge is RFC 6675's IsLost: more than two segments' worth of SACKed octets above, or three separate ranges.
func TestLossEdge(t *testing.T) {
	r := func(a, b int) wire.Range { return wire.Range{Start: wire.Seq(a), End: wire.Seq(b)} }
	for _, c := range []struct {
		sacked []wire.Range
		want   int
	}{
		{nil, 0},
		{[]wire.Range{r(100, 300)}, 0},                             // two segments: not enough
		{[]wire.Range{r(100, 301)}, 100},                           // more than two
		{[]wire.Range{r(100, 150), r(200, 250)}, 0},                // two ranges
		{[]wire.Range{r(100, 150), r(200, 250), r(300, 350)}, 100}, // three ranges
		{[]wire.Range{r(100, 400), r(500, 600)}, 100},              // the octets are counted from the top
		{[]wire.Range{r(100, 400), r(500, 800)}, 500},
	} {
		if got := lossEdge(c.sacked, 0, 100); got != wire.Seq(c.want) {
			t.Errorf("%v: lost below %d, want %d", c.sacked, got, c.want)
		}
	}
}

// TestBoardGrowth keeps numbers and links across growth and wrap of the ring.
func TestBoardGrowth(t *testing.T) {
	b := board{head: 1<<32 - 20, tail: 1<<32 - 20}
	for i := range 100 {
		n, g := b.push()
		*g = segment{seq: wire.Seq(10 * i), size: 10}
		b.append(&b.order, n)
		if i%3 == 0 {
			b.remove(&b.order, b.head)
			b.head++
		}
	}
	for n := b.head; n != b.tail; n++ {
		if got := b.find(b.at(n).seq.Add(5)); got != n {
			t.Fatalf("find gave %d for %d", got, n)
		}
	}
	if b.find(b.at(b.tail-1).end()) != b.tail {
		t.Error("find beyond the end")
	}
	if got := walk(&b, &b.order); len(got) != b.len() {
		t.Errorf("%d in the list, %d in the ring", len(got), b.len())
	}
}
