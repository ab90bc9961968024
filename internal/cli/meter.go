package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ruri-reader/ruri/internal/transfer"
)

// meter shows progress: as a bar on a terminal, elsewhere as a line now and then.
type meter struct {
	w     io.Writer
	bar   bool
	mu    sync.Mutex // guards stage and last
	stage string
	last  int64
}

func newMeter(w io.Writer) *meter {
	return &meter{w: w, bar: isTerminal(w)}
}

const (
	barWidth = 30
	barStep  = 20     // steps between two drawings
	lineStep = 10_000 // steps between two lines
)

func (m *meter) show(p transfer.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := p.Stage != m.stage
	m.stage = p.Stage
	step := int64(lineStep)
	if m.bar {
		step = barStep
	}
	if !fresh && p.Done-m.last < step && p.Done != p.Total {
		return
	}
	m.last = p.Done
	text, filled := fmt.Sprintf("%s: %d", p.Stage, p.Done), 0
	if p.Total > 0 {
		text += fmt.Sprintf(" of %d", p.Total)
		filled = int(min(barWidth, barWidth*p.Done/p.Total))
	}
	if p.Bytes > 0 {
		text += fmt.Sprintf(", %.1f MB", float64(p.Bytes)/1e6)
	}
	if m.bar {
		fmt.Fprintf(m.w, "\r\x1b[K[%-*s] %s", barWidth, strings.Repeat("#", filled), text)
	} else {
		fmt.Fprintln(m.w, text)
	}
}

// showCrawl shows a crawl's progress on a terminal only.
func (m *meter) showCrawl(done, total int) {
	if m.bar && total > 0 {
		m.show(transfer.Progress{Stage: "polling", Done: int64(done), Total: int64(total)})
	}
}

// showIndexed shows how many items were indexed.
func (m *meter) showIndexed(items int) {
	if items > 0 {
		m.show(transfer.Progress{Stage: "indexing", Done: int64(items)})
	}
}

// end clears the bar.
func (m *meter) end() {
	if m.bar {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
