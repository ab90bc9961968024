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

// looks is what is remembered of looks: how many rows the last good ones found, the newest last, and how many were
// suspect since.
type looks struct {
	pages, fulls []int // of page 1, and of all pages
	page, full   suspects
	missed       schedule.Tick // in which a full look last counted what it did not find
}

// suspects counts suspect looks in a row, up to enoughSuspects.
type suspects struct {
	n    int
	code string
	tick schedule.Tick // of the last one: looks of one tick count once
}

func (l looks) compare(o looks) int {
	return cmp.Or(slices.Compare(l.pages, o.pages), slices.Compare(l.fulls, o.fulls), l.page.compare(o.page),
		l.full.compare(o.full), cmp.Compare(l.missed, o.missed))
}

func (p suspects) compare(o suspects) int {
	return cmp.Or(cmp.Compare(p.n, o.n), cmp.Compare(p.code, o.code), cmp.Compare(p.tick, o.tick))
}

// add counts a suspect look.
func (p suspects) add(code string, t schedule.Tick) suspects {
	if p.n > 0 && t <= p.tick || p.n == enoughSuspects && p.code == code {
		return p
	}
	return suspects{min(p.n+1, enoughSuspects), code, t}
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
