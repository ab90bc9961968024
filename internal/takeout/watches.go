package takeout

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// watchJSON is a watch: a subscription with settings and results.
type watchJSON struct {
	subscriptionJSON
	Settings *watch.Settings   `json:"settings"`
	Accepted string            `json:"acceptedAt,omitempty"`
	Results  []byte            `json:"results,omitempty"` // of package watch, as are the months
	Months   map[string][]byte `json:"months,omitempty"`  // by name: "2026-11"
	// Continues says that a further line has more of the same watch.
	Continues bool `json:"continues,omitempty"`
}

// before and behind every month.
const firstMonth, lastMonth = "0000-00", "9999-99"

// A watch continues on another line after maxMonths bytes of history.
const maxMonths = 1 << 20

// watches writes the watches with their results and history.
func (e *exporter) watches(ctx context.Context) (bool, error) {
	return e.perFeed(ctx, watchesFile, true, func(row *store.SubscriptionRow, f *store.FeedRow) ([]any, error) {
		list, err := e.watch(ctx, row, f, e.began)
		if len(list) > 1 {
			e.at.split = 1
		}
		return list, err
	})
}

// watch returns the lines of a watch. Only the last one has the results.
func (e *exporter) watch(ctx context.Context, sub *store.SubscriptionRow, f *store.FeedRow,
	now time.Time) ([]any, error) {
	row, err := e.store.Watches.Settings(ctx, f.ID())
	if err != nil {
		return nil, err
	}
	set, err := row.Decode()
	if err != nil {
		return nil, err
	}
	log, err := e.store.Watches.Log(ctx, f, true)
	if err != nil {
		return nil, err
	}
	base, err := log.Base()
	if err != nil {
		return nil, err
	}
	st, folded, err := log.Fold(schedule.TickOf(now))
	if err != nil {
		return nil, err
	}
	kept, err := e.store.Watches.Histories(ctx, f.ID(), firstMonth, lastMonth)
	if err != nil {
		return nil, err
	}
	months := map[string]*watch.History{}
	for _, h := range kept {
		months[h.Month()] = h
	}
	touched, err := watch.Record(base, folded, func(month string) (*watch.History, error) { return months[month], nil })
	if err != nil {
		return nil, err
	}
	for month, h := range touched {
		months[month] = h
	}
	stored := map[string][]byte{}
	for month, h := range months {
		stored[month] = h.Detached().Encode()
	}
	var list []any
	shares := split(stored, maxMonths)
	for n, share := range shares {
		line := &watchJSON{subscriptionJSON: e.subscribed(sub, f), Settings: set, Accepted: stamp(row.Accepted),
			Months: share, Continues: n < len(shares)-1}
		if !line.Continues {
			line.Results = st.Detached().Encode()
		}
		list = append(list, line)
	}
	return list, nil
}

// split divides months, in their order, into shares of up to so many bytes, at least one.
func split(months map[string][]byte, most int) []map[string][]byte {
	shares, size := []map[string][]byte{{}}, 0
	for _, month := range slices.Sorted(maps.Keys(months)) {
		b := months[month]
		if size > 0 && size+len(b) > most {
			shares, size = append(shares, map[string][]byte{}), 0
		}
		shares[len(shares)-1][month] = b
		size += len(b)
	}
	return shares
}

// watches adds the watches that the account does not have, paused: the limits of their hosts are checked when they are
// resumed.
func (i *importer) watches(ctx context.Context) error {
	if i.files[watchesFile] == nil {
		return nil
	}
	return lines(ctx, i.archive, watchesFile, func(line *watchJSON) error {
		return i.failLine(line.URL, i.watch(ctx, line))
	})
}

func (i *importer) watch(ctx context.Context, line *watchJSON) error {
	if line.Settings == nil {
		return broken(watchesFile, nil)
	}
	st, months, err := i.found(line)
	if err != nil {
		return err
	}
	folders, err := i.folders(line.Folders)
	if err != nil {
		return err
	}
	f, made, err := i.Service.feeds.AdoptWatch(ctx, i.user, line.Settings, unix(line.Accepted), folders, line.Interval)
	if err != nil {
		return err
	}
	i.feeds[line.URL] = f
	if !line.Continues {
		i.out.Feeds++
	}
	if made {
		i.out.Made = append(i.out.Made, int32(f.ID()))
	}
	if err := i.applySettings(ctx, f, &line.subscriptionJSON); err != nil || !f.Fresh() {
		return err
	}
	for _, h := range months { // before the results, as everywhere: then nothing is missing in either
		if err := i.store.Watches.PutHistory(ctx, f.ID(), h.Month(), h); err != nil {
			return err
		}
	}
	if len(line.Results) == 0 {
		return nil
	}
	log, err := i.store.Watches.Log(ctx, f, true)
	if err != nil {
		return err
	}
	return i.store.Watches.PutBase(ctx, f.ID(), log, st)
}

// found reads results and history of an untrusted archive.
func (i *importer) found(line *watchJSON) (st *watch.State, months []*watch.History, err error) {
	st = new(watch.State)
	if len(line.Results) > 0 {
		if st, err = watch.DecodeState(line.Results); err != nil {
			return nil, nil, broken(watchesFile, err)
		}
	}
	now := schedule.TickOf(i.clock.Now())
	for month, b := range line.Months {
		h, err := watch.DecodeHistory(b)
		if err != nil || h.Month() != month || h.Until() > now {
			return nil, nil, broken(watchesFile, err)
		}
		months = append(months, h.Detached())
	}
	st = st.Detached()
	if until, _ := st.Folded(); until > now { // results from now on would be old news
		return nil, nil, broken(watchesFile, nil)
	}
	for _, t := range watch.Things(st, nil, months) {
		if t.Link != web(t.Link) || t.Image != web(t.Image) {
			return nil, nil, broken(watchesFile, nil)
		}
	}
	return st, months, nil
}

// subscribed is the part of an archive that concerns a subscription, without its read state.
func (e *exporter) subscribed(row *store.SubscriptionRow, f *store.FeedRow) subscriptionJSON {
	return subscriptionJSON{
		URL: f.URL, FeedTitle: f.Title, SiteURL: f.Site, Title: row.Title, Position: row.Position,
		Interval: row.Interval,
		Mute:     row.Mute, FullText: row.FullText, Notify: row.Notify, NeverCount: row.NeverCount,
		Since:   stamp(row.Since),
		Folders: e.tree.Paths(row.Folders),
	}
}
