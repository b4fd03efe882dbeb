package tcp

import "longhaul/mono"

// schedule is a connection's place in its stack's queues.
type schedule struct {
	deadline  mono.Time
	heapIndex int32 // in the deadline heap, or -1
	ready     bool
	changed   bool
}

// queue is a first-in, first-out queue of connections that reuses its array.
type queue struct {
	items []*Conn
	head  int
}

func (q *queue) push(c *Conn) { q.items = append(q.items, c) }

func (q *queue) front() *Conn {
	if q.head == len(q.items) {
		return nil
	}
	return q.items[q.head]
}

func (q *queue) pop() {
	q.items[q.head] = nil
	q.head++
	switch {
	case q.head == len(q.items):
		q.items, q.head = q.items[:0], 0
	case q.head >= 64 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}

// deadlineHeap is a binary heap of waiting connections, earliest deadline first. A connection without a deadline
// is not in it, so that idle ones cost nothing.
type deadlineHeap []*Conn

// put sets c's deadline.
func (h *deadlineHeap) put(c *Conn, at mono.Time) {
	h.remove(c)
	c.sched.deadline = at
	if at == mono.Never {
		return
	}
	c.sched.heapIndex = int32(len(*h))
	*h = append(*h, c)
	h.up(len(*h) - 1)
}

// remove takes c out, if it is in.
func (h *deadlineHeap) remove(c *Conn) {
	i := int(c.sched.heapIndex)
	if i < 0 {
		return
	}
	last := len(*h) - 1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	c.sched.heapIndex = -1
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h deadlineHeap) less(i, j int) bool { return h[i].sched.deadline < h[j].sched.deadline }

func (h deadlineHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].sched.heapIndex, h[j].sched.heapIndex = int32(i), int32(j)
}

func (h deadlineHeap) up(i int) {
	for i > 0 && h.less(i, (i-1)/2) {
		h.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (h deadlineHeap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h.swap(i, child)
		i = child
	}
}
