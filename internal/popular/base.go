package popular

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// keptBases is how many of the nightly blobs are kept.
	keptBases = 2
	// maxBase bounds what such a blob may inflate to: some four million items.
	maxBase = 64 << 20
)

// baseKey names the blob with all counts at the beginning of a day.
func baseKey(day int32) string { return baseFolder + strconv.Itoa(int(day)) + ".gz" }

const baseFolder = store.CountsPrefix + "hatena/"

// base reads the counts of two days ago: the newest blob and the cycles after it. Grown reads the later days anyway.
func (s *Service) base(ctx context.Context, today int32) (*Counts, error) {
	day, list, err := s.newestBase(ctx, today)
	if err != nil {
		return nil, err
	}
	rows, err := s.since(ctx, schedule.Tick(day)*schedule.TicksPerDay, today-recentDays-1)
	if err != nil {
		return nil, err
	}
	next := schedule.Tick(0)
	return (&Counts{all: with(nil, list)}).after(rows, s.steps.last(), &next)
}

// newestBase reads the newest blob, and returns of which day it is. Without one the log is the whole truth.
func (s *Service) newestBase(ctx context.Context, today int32) (day int32, list []store.ChangedCount, err error) {
	day = today
	packed, _, err := s.blobs.Get(ctx, baseKey(day))
	if fault.Is(err, fault.NotFound) { // usually it is there, and nothing is listed
		days, err := s.bases(ctx)
		if err != nil {
			return 0, nil, err
		}
		if len(days) == 0 {
			return max(today-store.CycleDays, 0), nil, nil
		}
		day = days[len(days)-1]
		packed, _, err = s.blobs.Get(ctx, baseKey(day))
		if err != nil {
			return 0, nil, err
		}
	} else if err != nil {
		return 0, nil, err
	}
	plain, err := blob.Gunzip(packed, maxBase)
	if err != nil {
		return 0, nil, fault.New(fault.Internal, "bad_counts", "popular: base", err)
	}
	list, err = store.UnpackCounts(plain)
	return day, list, err
}

// bases lists the days of the blobs, in order.
func (s *Service) bases(ctx context.Context) (days []int32, err error) {
	for cursor := ""; ; {
		page, next, err := s.blobs.List(ctx, baseFolder, cursor, 0)
		if err != nil {
			return nil, err
		}
		for _, o := range page {
			name, _ := strings.CutSuffix(strings.TrimPrefix(o.Key, baseFolder), ".gz")
			if day, err := strconv.Atoi(name); err == nil {
				days = append(days, int32(day))
			}
		}
		if cursor = next; cursor == "" {
			slices.Sort(days)
			return days, nil
		}
	}
}

// Nightly writes the counts at the beginning of the day into one blob, without removed items. It may be repeated.
func (s *Service) Nightly(ctx context.Context) error {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.CountsBookmarks {
		return err
	}
	today := schedule.DayOf(schedule.TickOf(s.clock.Now()))
	if _, err := s.blobs.Stat(ctx, baseKey(today)); err == nil {
		return s.dropBases(ctx)
	}
	c, err := s.base(ctx, today)
	if err != nil {
		return err
	}
	rows, err := s.since(ctx, schedule.Tick(today-recentDays)*schedule.TicksPerDay, today-1)
	if err != nil {
		return err
	}
	next := schedule.Tick(0)
	if c, err = c.after(rows, s.steps.last(), &next); err != nil || len(c.all) == 0 {
		return err
	}
	floors := map[reader.FeedID]reader.Seq{}
	if err := s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.RemovingSince == 0 {
			floors[f.ID()] = reader.Seq(f.Floor)
		}
		return nil
	}); err != nil {
		return err
	}
	var list []store.ChangedCount
	for _, x := range c.all {
		if floor, ok := floors[x.feed]; ok && x.seq > floor && x.n != 0 {
			list = append(list, x.changed())
		}
	}
	packed := blob.Gzip(store.PackCounts(list))
	if err := s.blobs.Put(ctx, baseKey(today), packed, blob.Meta{ContentType: "application/gzip"}); err != nil {
		return err
	}
	return s.dropBases(ctx)
}

// changed is the count as rows have it.
func (x counted) changed() store.ChangedCount {
	n := store.UnknownCount
	if x.n >= 0 {
		n = x.count()
	}
	return store.ChangedCount{Feed: x.feed, Seq: x.seq, N: n, Was: n, IsOther: x.isOther(), Sort: x.sort(),
		Story: x.story}
}

// dropBases deletes all blobs but the newest.
func (s *Service) dropBases(ctx context.Context) error {
	days, err := s.bases(ctx)
	for i := 0; err == nil && i < len(days)-keptBases; i++ {
		err = s.blobs.Delete(ctx, baseKey(days[i]))
	}
	return err
}
