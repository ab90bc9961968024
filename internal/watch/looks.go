package watch

import (
	"cmp"
	"slices"

	"github.com/ruri-reader/ruri/internal/schedule"
)

const (
	// maxSizes is how many sizes of earlier looks a look is compared with.
	maxSizes = 5
	// enoughSuspects in a row are a problem.
	enoughSuspects = 3
)

// looks remembers how many rows the last good looks found, and how many looks were suspect since.
type looks struct {
	Pages  []int         `json:"pages,omitempty"` // sizes of page 1
	Fulls  []int         `json:"fulls,omitempty"` // of all pages together
	Page   suspects      `json:"page,omitzero"`
	Full   suspects      `json:"full,omitzero"`
	Missed schedule.Tick `json:"missed"` // in which a full look last counted what it did not find
}

// suspects counts suspect looks in a row, up to enoughSuspects.
type suspects struct {
	N    int           `json:"n,omitempty"`
	Code string        `json:"code,omitempty"`
	Tick schedule.Tick `json:"tick,omitempty"` // of the last one: looks of one tick count once
}

func (l looks) compare(o looks) int {
	return cmp.Or(slices.Compare(l.Pages, o.Pages), slices.Compare(l.Fulls, o.Fulls), l.Page.compare(o.Page),
		l.Full.compare(o.Full), cmp.Compare(l.Missed, o.Missed))
}

func (p suspects) compare(o suspects) int {
	return cmp.Or(cmp.Compare(p.N, o.N), cmp.Compare(p.Code, o.Code), cmp.Compare(p.Tick, o.Tick))
}

// add counts a suspect look.
func (p suspects) add(code string, t schedule.Tick) suspects {
	if p.N > 0 && t <= p.Tick || p.N == enoughSuspects && p.Code == code {
		return p
	}
	return suspects{min(p.N+1, enoughSuspects), code, t}
}

// withSize adds the size of a look.
func withSize(sizes []int, n int) []int {
	return append(slices.Clone(sizes[max(0, len(sizes)+1-maxSizes):]), n)
}

// isTooFew reports whether a look found less than 30 % of what is usual.
func isTooFew(n int, sizes []int) bool {
	if len(sizes) == 0 {
		return false
	}
	sizes = slices.Sorted(slices.Values(sizes))
	return n*10 < sizes[len(sizes)/2]*3
}
