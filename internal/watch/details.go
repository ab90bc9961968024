package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/schedule"
)

const (
	// maxDetails bounds the pages of single results that a crawl reads with an adapter, maxWanted those without.
	maxDetails = 20
	maxWanted  = 5
	// maxChecks bounds the count of them for one result; maxSoldChecks is how often a date of sale is looked for.
	maxChecks     = 1000
	maxSoldChecks = 3
)

// ReadsDetails reports whether pages of single results are read: by an adapter, or as the user wants, once one was
// tried.
func (set *Settings) ReadsDetails() bool { return set.Detail != nil || set.Details }

// WantedDetails is how many pages of single results a crawl reads because the user wants it.
func (set *Settings) WantedDetails() int {
	if set.Details && set.Detail == nil {
		return maxWanted
	}
	return 0
}

// due returns the results whose own pages are to be read, the longest waiting first: missing ones at once, then 1, 2, 4
// and 7 days after a check; sold ones without an exact date, if they were sold when first seen or the user wants all.
func (c *comparison) due() []Key {
	if !c.set.ReadsDetails() {
		return nil
	}
	most := cmp.Or(c.set.WantedDetails(), maxDetails)
	var due []Result
	for k := range c.s.results {
		if r, _ := c.known(k); r.nextCheck(c.set) <= c.at {
			due = append(due, r)
		}
	}
	for _, k := range c.order {
		if _, isOld := c.s.results[k]; isOld {
			continue
		}
		if r := c.work[k].Result; r.nextCheck(c.set) <= c.at {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.nextCheck(c.set), b.nextCheck(c.set)), cmp.Compare(a.Key, b.Key))
	})
	var keys []Key
	for _, r := range due[:min(len(due), most)] {
		keys = append(keys, r.Key)
	}
	return keys
}

// nextCheck returns when the page of a result is to be read.
func (r *Result) nextCheck(set *Settings) int64 {
	const not = 1<<63 - 1
	switch {
	case r.Status == OnSale && r.Missing != 0:
		return r.checkAfter(r.Missing)
	case r.Status != Sold || set.Detail != nil && set.Detail.SoldAt.IsZero() || r.Checks >= maxSoldChecks ||
		r.Source == FromDetail:
		return not
	case r.Source == FromList || set.Details:
		return r.checkAfter(r.Since)
	}
	return not
}

// checkAfter returns when the next check of a result that is missing or sold since start is due. It follows from the
// number of checks, so a failed one is written only with others.
func (r *Result) checkAfter(start int64) int64 {
	days := []int64{0, 1, 3, 7}
	n := int64(r.Checks)
	if n < int64(len(days)) {
		n = days[n]
	} else {
		n = 7 * (n - 2)
	}
	return max(start+n*day, r.Checked+day)
}

// CompareDetails returns what the pages of single results mean.
func CompareDetails(s *State, set *Settings, t schedule.Tick, at time.Time, ds []DetailLook) *Verdict {
	c := &comparison{s: s, set: set, work: map[Key]entry{}, v: &Verdict{}}
	for i := range ds {
		c.at = ds[i].At
		r, ok := c.known(ds[i].Key)
		if ok && r.Status < removed && s.stamps[r.Key].at < 1000*(ds[i].At+1) {
			c.detail(r, ds[i].Read)
		}
	}
	c.finish(s.looks, stamp{t, at.UnixMilli()})
	return c.v
}

// detail compares a result's own page with the known result.
func (c *comparison) detail(known Result, p *listing.Detail) {
	e := c.work[known.Key]
	r, start := known, known.Since
	r.Checks = min(r.Checks+1, maxChecks)
	var kinds []EventKind
	if p != nil {
		r.Checked = c.at
		switch {
		case p.Status == listing.Sold:
			kinds = c.soldAt(&r, p)
		case r.Status != OnSale:
			// The list says that it is sold; the page that it is not, or nothing. The list is looked at again anyway.
			if r.Status == Sold {
				r.Checks = maxSoldChecks
			}
		case p.Gone:
			r.Status, r.Source, r.Since, r.Checks = Gone, FromDetail, c.at, 0
			kinds = []EventKind{GoneOff}
		}
		if r.Status != Gone && p.Price != nil && p.Price.Amount >= 0 && p.Price.Amount < maxAmount &&
			c.price(&r, p.Price) {
			e.Told = true
			kinds, start = c.priceKinds(kinds, start, known, r)
		}
	}
	if r.Status != known.Status || r.Since != known.Since {
		e.Told = true
	}
	e.Result = r
	c.change(e)
	c.announce(kinds, r, Text{}, known.Price, start, soldDate(p))
}

func soldDate(p *listing.Detail) int64 {
	if p == nil {
		return 0
	}
	return unix(p.SoldAt)
}

// soldAt marks a result as sold when its page says, which was not later than now.
func (c *comparison) soldAt(r *Result, p *listing.Detail) (kinds []EventKind) {
	if r.Status != Sold {
		kinds = []EventKind{SoldOut}
		r.Status, r.Source, r.Since, r.Checks = Sold, FromInterval, c.at, 0
	}
	date := unix(p.SoldAt)
	if date == 0 {
		r.Checks = maxSoldChecks // it has no date
		return kinds
	}
	r.Source, r.Since = FromDetail, min(date, c.at)
	return kinds
}
