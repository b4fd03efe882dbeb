package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// patience is how long a command may take before a bar appears.
const patience = 2 * time.Second

// progress draws a bar on a terminal when there is much to run. A nil progress draws nothing.
type progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	timer *time.Timer
	shown bool
	over  bool
	done  int
}

// startProgress returns the progress of that many runs, or nil if there is no terminal to draw on.
func startProgress(c console, total int) *progress {
	if !c.terminal {
		return nil
	}
	p := &progress{bar: progressbar.NewOptions(total,
		progressbar.OptionSetWriter(c.err),
		progressbar.OptionSetDescription("running"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)}
	p.timer = time.AfterFunc(patience, p.show)
	return p
}

// show draws the bar for the first time, unless the runs ended as the timer ran out.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.shown = true
	p.draw()
}

// step notes that done runs are over.
func (p *progress) step(done, _ int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	if p.shown {
		p.draw()
	}
}

// draw brings the bar up to date. A terminal that cannot be written to is no reason to fail.
func (p *progress) draw() {
	if p.done == 0 {
		_ = p.bar.RenderBlank()
		return
	}
	_ = p.bar.Set(p.done)
}

// stop removes the bar.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_ = p.bar.Clear()
	}
	p.shown, p.over = false, true
}
