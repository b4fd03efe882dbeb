package sim

import "longhaul/mono"

// Actor is something that acts in time.
type Actor interface {
	// Step does what is due at now and returns when to be stepped next: an instant not before now, or
	// mono.Never to sleep until its Handle is woken. Asking for now again means once more at this instant,
	// after everything else that waits for it.
	Step(now mono.Time) mono.Time
}

// Handle is an actor's place in the event loop.
type Handle struct {
	w     *World
	actor Actor
	index int // in the heap; -1 when not there
}

// Wake moves the actor's next step to at, earlier or later; mono.Never takes it out of the loop. An instant in the
// past means now. While the actor itself is being stepped the return value of Step has the last word.
func (h *Handle) Wake(at mono.Time) { h.w.queue.set(h, max(at, h.w.now)) }

// entry is a heap slot. The key lies in the slot, so that comparing two does not touch the actors.
type entry struct {
	at    mono.Time
	order uint64 // of insertion: equal times run first in, first out
	h     *Handle
}

func (e *entry) before(f *entry) bool {
	return e.at < f.at || e.at == f.at && e.order < f.order
}

// heap is a binary heap of at most one entry per actor. It is small (a world has a few links and hosts), so two
// children per node are as good as four.
type heap struct {
	entries []entry
	order   uint64
}

// set puts h at the given instant, or takes it out (mono.Never). An actor that is already there keeps its place in
// the order of that instant, except the one at the top that is just being stepped: it goes behind the others.
func (q *heap) set(h *Handle, at mono.Time) {
	i := h.index
	switch {
	case at == mono.Never:
		if i >= 0 {
			q.remove(i)
		}
	case i < 0:
		q.order++
		q.entries = append(q.entries, entry{at, q.order, h})
		h.index = len(q.entries) - 1
		q.up(h.index)
	case q.entries[i].at != at:
		later := at > q.entries[i].at
		q.order++
		q.entries[i].at, q.entries[i].order = at, q.order
		if later {
			q.down(i)
		} else {
			q.up(i)
		}
	}
}

// requeue puts h, which has just been stepped, at the given instant behind everything that waits for it.
func (q *heap) requeue(h *Handle, at mono.Time) {
	i := h.index
	if i < 0 || at == mono.Never || q.entries[i].at != at {
		q.set(h, at)
		return
	}
	q.order++
	q.entries[i].order = q.order
	q.down(i)
}

func (q *heap) remove(i int) {
	last := len(q.entries) - 1
	q.entries[i].h.index = -1
	if i != last {
		q.entries[i] = q.entries[last]
		q.entries[i].h.index = i
	}
	q.entries[last] = entry{}
	q.entries = q.entries[:last]
	if i != last {
		q.down(i)
		q.up(i)
	}
}

func (q *heap) up(i int) {
	e := q.entries[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&q.entries[parent]) {
			break
		}
		q.entries[i] = q.entries[parent]
		q.entries[i].h.index = i
		i = parent
	}
	q.entries[i] = e
	e.h.index = i
}

func (q *heap) down(i int) {
	e := q.entries[i]
	n := len(q.entries)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q.entries[child+1].before(&q.entries[child]) {
			child++
		}
		if !q.entries[child].before(&e) {
			break
		}
		q.entries[i] = q.entries[child]
		q.entries[i].h.index = i
		i = child
	}
	q.entries[i] = e
	e.h.index = i
}
