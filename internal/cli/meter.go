package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/transfer"
)

// meter shows how far a long piece of work is: a bar on a terminal, elsewhere a line now and then.
type meter struct {
	w     io.Writer
	bar   bool
	stage string
	last  int64
}

func newMeter(w io.Writer) *meter {
	f, ok := w.(*os.File)
	return &meter{w: w, bar: ok && term.IsTerminal(int(f.Fd()))}
}

const (
	barWidth = 30
	barStep  = 20     // steps between two drawings
	lineStep = 10_000 // steps between two lines
)

func (m *meter) show(p transfer.Progress) {
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
	of := ""
	if p.Total > 0 {
		of = fmt.Sprintf(" of %d", p.Total)
	}
	size := ""
	if p.Bytes > 0 {
		size = fmt.Sprintf(", %.1f MB", float64(p.Bytes)/1e6)
	}
	if !m.bar {
		fmt.Fprintf(m.w, "%s: %d%s%s\n", p.Stage, p.Done, of, size)
		return
	}
	filled := 0
	if p.Total > 0 {
		filled = int(min(barWidth, barWidth*p.Done/p.Total))
	}
	fmt.Fprintf(m.w, "\r\x1b[K[%-*s] %s: %d%s%s", barWidth, strings.Repeat("#", filled), p.Stage, p.Done, of, size)
}

// end leaves the line to what is printed next.
func (m *meter) end() {
	if m.bar {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
