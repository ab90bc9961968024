package subscribe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// How many watches a user may have, and the owner of the installation.
const (
	WatchCap      = 20
	OwnerWatchCap = 100
)

// errWatch refuses to look for another address of a watch, or to take one: its page is in its settings.
var errWatch = fault.Coded(fault.Conflict, "feed_is_watch")

// WatchCap is the number of watches that a user may have.
func (s *Service) WatchCap(ctx context.Context, u reader.UserID) (int, error) {
	a, err := s.Store.Accounts.Get(ctx, u)
	if err == nil && a.Owner {
		return OwnerWatchCap, nil
	}
	return WatchCap, err
}

// NewWatch is a watch to be made.
type NewWatch struct {
	Settings *watch.Settings
	Accepted int64 // the time when the user confirmed that the site permits it, in Unix seconds; 0: not yet
	Paused   bool
	Check    func() error // runs before a new one is made; may be nil
}

// Watch makes a watch of a user, unless there is one of the same page with the same settings; made reports whether
// there is a new one. It is a feed of its own, with one subscriber. A crash on the way leaves a feed without
// subscribers, which the cleanup removes.
func (s *Service) Watch(ctx context.Context, u reader.UserID, w NewWatch, o Options) (f *store.FeedRow,
	made bool, err error) {
	if f, err = s.sameWatch(ctx, u, w); f != nil || err != nil {
		return f, false, err
	}
	if f, err = s.makeWatch(ctx, u, w, o); err != nil {
		return nil, false, err
	}
	// Of two that are made at the same time, the later one finds the other and goes.
	have, err := s.Watches(ctx, u)
	if err != nil {
		return nil, false, err
	}
	same, err := s.withSettings(ctx, have, w.Settings)
	if err == nil && same != nil && same.ID() < f.ID() {
		return same, false, s.Leave(ctx, u, f.ID())
	}
	return f, err == nil, err
}

// RestoreWatch takes back a watch that the user deleted, with its results, until the cleanup removes it. One that was
// not deleted is returned as it is. By now there may be another watch of the same page with the same settings; then
// that one is returned. check runs before it is taken back.
func (s *Service) RestoreWatch(ctx context.Context, u reader.UserID, id reader.FeedID,
	check func(*store.FeedRow, *watch.Settings) error, o Options) (*store.FeedRow, error) {
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) || err == nil && !f.IsWatch() {
		return nil, fault.Coded(fault.NotFound, "watch_not_found")
	}
	if err != nil {
		return nil, err
	}
	row, err := s.Store.Watches.Settings(ctx, id)
	if err == nil && row.Owner != string(u) {
		err = fault.Coded(fault.NotFound, "watch_not_found")
	}
	if err != nil {
		return nil, err
	}
	set, err := row.Decode()
	if err != nil {
		return nil, err
	}
	same, err := s.sameWatch(ctx, u, NewWatch{Settings: set, Check: func() error { return check(f, set) }})
	if same != nil || err != nil {
		return same, err
	}
	if o, err = s.watchOptions(ctx, u, o); err == nil {
		_, err = s.Attach(ctx, u, f, o)
	}
	if isFeedGone(err) {
		err = fault.Coded(fault.NotFound, "watch_not_found") // its removal has begun
	}
	return f, err
}

// sameWatch returns the user's watch of the same page with the same settings, else nil if there may be another watch.
func (s *Service) sameWatch(ctx context.Context, u reader.UserID, w NewWatch) (*store.FeedRow, error) {
	have, err := s.Watches(ctx, u)
	if err != nil {
		return nil, err
	}
	if same, err := s.withSettings(ctx, have, w.Settings); same != nil || err != nil {
		return same, err
	}
	limit, err := s.WatchCap(ctx, u)
	if err == nil && len(have) >= limit {
		err = fault.Coded(fault.Conflict, "watch_limit", limit)
	}
	if err == nil && w.Check != nil {
		err = w.Check()
	}
	return nil, err
}

// withSettings returns the oldest of some watches that has these settings; nil if none has.
func (s *Service) withSettings(ctx context.Context, list []*store.FeedRow, set *watch.Settings) (oldest *store.FeedRow,
	err error) {
	for _, f := range list {
		isSame, err := s.hasSettings(ctx, f, set)
		if err != nil {
			return nil, err
		}
		if isSame && (oldest == nil || f.ID() < oldest.ID()) {
			oldest = f
		}
	}
	return oldest, nil
}

// Watches returns the feeds of a user's watches.
func (s *Service) Watches(ctx context.Context, u reader.UserID) (list []*store.FeedRow, err error) {
	var ids []reader.FeedID
	err = s.Store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		ids = append(ids, row.Feed())
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = s.Store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if f.IsWatch() {
			list = append(list, f)
		}
		return nil
	})
	return list, err
}

func (s *Service) hasSettings(ctx context.Context, f *store.FeedRow, set *watch.Settings) (bool, error) {
	if f.URL != set.URL {
		return false, nil
	}
	row, err := s.Store.Watches.Settings(ctx, f.ID())
	if err != nil {
		return false, err
	}
	have, err := row.Decode()
	return err == nil && have.Equal(set), err
}

// watchOptions checks the folders and the interval of a watch.
func (s *Service) watchOptions(ctx context.Context, u reader.UserID, o Options) (Options, error) {
	w := Settings{Folders: &o.Folders, Interval: &o.Interval}
	if err := w.check(); err != nil {
		return o, err
	}
	tree, err := s.treeFor(ctx, u, w)
	if err == nil {
		o.Folders, err = w.in(tree)
	}
	return o, err
}

func (s *Service) makeWatch(ctx context.Context, u reader.UserID, x NewWatch, o Options) (*store.FeedRow, error) {
	o, err := s.watchOptions(ctx, u, o)
	if err != nil {
		return nil, err
	}
	if o.tight, err = s.checkCap(ctx, u); err != nil {
		return nil, err
	}
	fresh := s.newFeed(x.Settings.Name, x.Settings.URL)
	f, err := s.Store.Feeds.Make(ctx, x.Settings.URL, func(id reader.FeedID) store.FeedRow {
		row := fresh(id)
		row.Kind, row.Paused = store.KindWatch, x.Paused
		return row
	})
	if err != nil {
		return nil, err
	}
	settings, err := store.NewWatch(f.ID(), u, x.Settings, time.Unix(x.Accepted, 0))
	if err == nil { // before anybody may crawl it
		err = s.Store.Watches.PutSettings(ctx, settings)
	}
	if err != nil {
		return nil, err
	}
	o.isNew = true
	_, err = s.attachAlone(ctx, u, f, o)
	return f, err
}

// CheckInterval refuses what is no polling interval.
func CheckInterval(minutes int32) *fault.Error {
	if minutes < reader.MinInterval || minutes > reader.MaxInterval || minutes%reader.IntervalStep != 0 {
		return fault.Coded(fault.Invalid, "bad_interval", reader.MinInterval, reader.MaxInterval, reader.IntervalStep)
	}
	return nil
}

// Hold takes the lease of the part of an address's host for a person who waits. If the part is busy, it tries for a few
// seconds.
func (s *Service) Hold(ctx context.Context, address string) (release func(), err error) {
	for try := 0; ; try++ {
		free, err := s.Crawler.Hold(ctx, address)
		if fault.CodeOf(err) != "part_busy" || try == busyTries {
			return free, err
		}
		if s.Nap(ctx, busyPause) != nil {
			return nil, err
		}
	}
}

// makeWatches makes the watches of a list, paused: that their sites permit it is still to be confirmed here.
func (im *importing) makeWatches(ctx context.Context, feeds []opml.Feed) error {
	for _, o := range feeds {
		if o.Watch == "" {
			continue
		}
		f, made, err := im.makeWatch(ctx, o)
		switch {
		case err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Conflict:
			return err
		case err != nil:
			im.fail(o, err)
		case made:
			im.out.Feeds = append(im.out.Feeds, f)
		default:
			im.out.AlreadySubscribed++
		}
	}
	return nil
}

func (im *importing) makeWatch(ctx context.Context, o opml.Feed) (f *store.FeedRow, made bool, err error) {
	set := new(watch.Settings)
	if err := json.Unmarshal([]byte(o.Watch), set); err != nil {
		return nil, false, badSettings()
	}
	var folders []reader.FolderID
	for _, path := range append([][]string{o.Path}, o.Also...) {
		in, err := im.s.foldersOf(ctx, im.user, Options{Folder: path})
		if err != nil {
			return nil, false, err
		}
		folders = append(folders, in...)
	}
	return im.s.adoptWatch(ctx, im.user, set, 0, Options{Folders: folders, Interval: int32(o.Minutes), since: im.since})
}

// AdoptWatch makes a watch from another installation, paused. accepted is when the user confirmed that its site permits
// it. One whose adapter is not here goes on with its copy.
func (s *Service) AdoptWatch(ctx context.Context, u reader.UserID, set *watch.Settings, accepted int64,
	folders []reader.FolderID, interval int32) (f *store.FeedRow, made bool, err error) {
	return s.adoptWatch(ctx, u, set, accepted, Options{Folders: folders, Interval: interval})
}

func (s *Service) adoptWatch(ctx context.Context, u reader.UserID, set *watch.Settings, accepted int64,
	o Options) (f *store.FeedRow, made bool, err error) {
	if set.Adapter != "" {
		_, err := s.Store.Watches.Adapter(ctx, set.Adapter)
		if fault.Is(err, fault.NotFound) {
			set.Adapter = ""
		} else if err != nil {
			return nil, false, err
		}
	}
	if set.Check() != nil || set.URL == "" || set.Layout == nil {
		return nil, false, badSettings()
	}
	if CheckInterval(o.Interval) != nil {
		o.Interval = 0
	}
	return s.Watch(ctx, u, NewWatch{Settings: set, Accepted: accepted, Paused: true}, o)
}

func badSettings() error { return fault.Coded(fault.Invalid, "bad_setting") }
