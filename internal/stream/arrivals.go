package stream

import (
	"context"
	"slices"
	"sort"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// arrivals are the minutes in which a feed's items were committed, from which their ids are made. They never change, so
// a process reads each delta once for them.
type arrivals struct {
	from reader.Seq // of the first item whose minute is known; those up to the last stretch are known, too
	list []stretch  // never changed in place
}

type stretch struct {
	last  reader.Seq
	stamp reader.Minute // zero: these items are gone
}

// arrivalBytes bounds the arrivals in memory: two million stretches.
const arrivalBytes = 16 << 20

func (a *arrivals) last() reader.Seq {
	if len(a.list) == 0 {
		return 0
	}
	return a.list[len(a.list)-1].last
}

// reaches reports whether the minutes of items are known from a seq on, or of all since a minute.
func (a *arrivals) reaches(from reader.Seq, since reader.Minute) bool {
	return len(a.list) > 0 && (a.from <= from || a.list[0].stamp < since && a.list[0].stamp > 0)
}

// at returns the index of the stretch that has a seq.
func (a *arrivals) at(seq reader.Seq) int {
	return sort.Search(len(a.list), func(i int) bool { return a.list[i].last >= seq })
}

// first is the first seq of a stretch.
func (a *arrivals) first(i int) reader.Seq {
	if i == 0 {
		return a.from
	}
	return a.list[i-1].last + 1
}

// arrivalsOf returns the arrivals of a feed's items from a seq on, or since a minute if those are fewer.
func (s *Service) arrivalsOf(ctx context.Context, f *store.FeedRow, from reader.Seq,
	since reader.Minute) (arrivals, error) {
	known, ok := s.arrivals.Get(f.ID())
	last := reader.Seq(f.Seq)
	from = max(from, reader.Seq(f.Floor)+1)
	if ok && known.last() >= last && known.reaches(from, since) {
		return known, nil
	}
	next := known
	if above := known.last() + 1; ok && above <= last {
		more, err := s.readArrivals(ctx, f, above, last, 0)
		if err != nil {
			return arrivals{}, err
		}
		next.list = joined(next.list, more.list)
	}
	if !ok || !next.reaches(from, since) {
		to := last
		if ok {
			to = next.from - 1
		}
		more, err := s.readArrivals(ctx, f, from, to, since)
		if err != nil {
			return arrivals{}, err
		}
		next.from, next.list = more.from, joined(more.list, next.list)
	}
	s.arrivals.Put(f.ID(), next, 100+8*cap(next.list))
	return next, nil
}

// joined returns stretches followed by others.
func joined(a, b []stretch) []stretch {
	if len(a) > 0 && len(b) > 0 && a[len(a)-1].stamp == b[0].stamp {
		a = a[:len(a)-1]
	}
	return slices.Concat(a, b)
}

// readArrivals reads deltas, the newest first and none before a minute. New ones are read consistently, because their
// minute may still change; so are all if one seems to be missing, to be sure that it is gone.
func (s *Service) readArrivals(ctx context.Context, f *store.FeedRow, from, to reader.Seq,
	since reader.Minute) (arrivals, error) {
	read := 0
	defer func() { countDeltas(ctx, read) }()
	for latest := f.ChangedLately(s.clock.Now()); ; latest = true {
		a, isWhole := arrivals{from: to + 1}, true
		add := func(last reader.Seq, stamp reader.Minute, first reader.Seq) {
			if n := len(a.list); n == 0 || a.list[n-1].stamp != stamp {
				a.list = append(a.list, stretch{last, stamp})
			}
			a.from = first
		}
		err := s.store.Items.Stamps(ctx, f.ID(), to, latest, func(first, last reader.Seq, stamp reader.Minute) bool {
			read++
			if last = min(last, to); last < a.from-1 {
				isWhole = false
				add(a.from-1, 0, last+1)
			}
			add(last, stamp, first)
			return stamp >= since && (first > from || !isWholeCommit(a.list[len(a.list)-1].last, first))
		})
		if err != nil {
			return arrivals{}, err
		}
		if isCut := len(a.list) > 0 && a.list[len(a.list)-1].stamp < since &&
			a.list[len(a.list)-1].stamp > 0; a.from > from && !isCut {
			isWhole = false
			add(a.from-1, 0, from)
		}
		if isWhole || latest {
			slices.Reverse(a.list)
			return a, nil
		}
	}
}

// mostOfCommit is the most items that a commit has.
const mostOfCommit = 1000

// isWholeCommit reports whether the ids of a commit are in the order of its seqs before and after `first`. The low bits
// of ids wrap around, which may happen within a commit.
func isWholeCommit(last, first reader.Seq) bool {
	return first+mostOfCommit <= last || !(last - min(last, mostOfCommit)).Turns(last)
}
