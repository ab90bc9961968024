package watching

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Wish is a watch to be made.
type Wish struct {
	Settings watch.Settings
	Interval int32 // minutes between two looks
	Folders  []reader.FolderID
	Accepted bool // the user has read that the site permits it
}

// Add makes a watch. One of the same page with the same settings is returned as it is, so that repeating a request
// makes no second one; made reports whether there is a new one.
func (s *Service) Add(ctx context.Context, u reader.UserID, wish Wish) (w *Watch, made bool, err error) {
	if !wish.Accepted {
		return nil, false, fault.Coded(fault.Invalid, "terms_not_accepted").At("accepted")
	}
	if bad := subscribe.CheckInterval(wish.Interval); bad != nil {
		return nil, false, bad.At("interval")
	}
	set, err := s.settled(ctx, &wish.Settings)
	if err != nil {
		return nil, false, err
	}
	if set.Details {
		if err := s.needDetails(ctx, u, set); err != nil {
			return nil, false, err
		}
	}
	x := subscribe.NewWatch{
		Settings: set, Accepted: s.Clock.Now().Unix(), Check: func() error {
			return s.checkHost(ctx, set, wish.Interval, 0)
		},
	}
	f, made, err := s.Subscribe.Watch(ctx, u, x, subscribe.Options{Folders: wish.Folders, Interval: wish.Interval})
	if err != nil {
		return nil, false, err
	}
	if made {
		if err := s.Subscribe.FirstCrawls(ctx, map[reader.FeedID]string{f.ID(): f.URL}); err != nil {
			s.Log.Warn("the first look at a watch waits for its turn", "feed_id", uint32(f.ID()), "error", err)
		}
	}
	w, err = s.Latest(ctx, u, f.ID())
	return w, made, err
}

// settled returns settings as they are stored: checked and resolved.
func (s *Service) settled(ctx context.Context, in *watch.Settings) (*watch.Settings, error) {
	set, err := s.resolved(ctx, in)
	if err != nil {
		return nil, err
	}
	if set.Name = strings.TrimSpace(set.Name); set.Name == "" {
		set.Name = fetch.HostOf(set.URL)
	}
	set.Relaid, set.Found = false, 0 // set by the watch's own history only
	return set, invalid(set.Check(), "settings")
}

// resolved returns settings with the address normalised, and with what the adapter that they name says.
func (s *Service) resolved(ctx context.Context, in *watch.Settings) (*watch.Settings, error) {
	set := *in
	if set.Adapter != "" {
		a, err := s.adapter(ctx, set.Adapter)
		if err != nil {
			return nil, err
		}
		if set.URL == "" {
			set.URL = a.Address(set.Query, 1)
		} else if !covers(a, set.URL) {
			return nil, fault.Coded(fault.Invalid, "adapter_other_host").At("adapter")
		}
		set.Layout, set.Detail, set.Pace = &a.List.Layout, a.Detail, max(set.Pace, a.Pace)
	}
	address, err := pageAddress(set.URL)
	if err != nil {
		return nil, err
	}
	set.URL = address
	return &set, nil
}

// pageAddress normalises the address of a page. A password in it would be a sign-in.
func pageAddress(raw string) (string, error) {
	address, err := subscribe.Normalise(raw)
	if err != nil {
		return "", err
	}
	if u, err := url.Parse(address); err != nil || u.User != nil {
		return "", fault.Coded(fault.Invalid, "bad_url").At("url")
	}
	return address, nil
}

// invalid makes an error about settings or a layout one with a text. in is the field of the request that they are in.
func invalid(err error, in string) error {
	e, ok := errors.AsType[*listing.Error](err)
	switch {
	case !ok:
		return err
	case e.Code == watch.CodeSettings:
		return fault.Coded(fault.Invalid, "bad_setting").At(in + "." + e.Field)
	case in == "settings":
		in += ".layout"
	}
	return fault.Coded(fault.Invalid, "layout_invalid",
		cmp.Or(e.Detail, e.Code)).At(strings.TrimSuffix(in+"."+e.Field, "."))
}

// Change is a change of a watch; what is nil stays.
type Change struct {
	Settings *watch.Settings
	Interval *int32
	Paused   *bool
	Accepted bool
}

// Change changes a watch. After other settings the page is looked at again, as soon as its site may be asked.
func (s *Service) Change(ctx context.Context, u reader.UserID, id reader.FeedID, c Change) (*Watch, error) {
	w, err := s.Latest(ctx, u, id)
	if err != nil {
		return nil, err
	}
	set, interval := w.Settings, w.Interval()
	if c.Interval != nil {
		if bad := subscribe.CheckInterval(*c.Interval); bad != nil {
			return nil, bad.At("interval")
		}
		interval = *c.Interval
	}
	if c.Settings != nil {
		if set, err = s.settled(ctx, c.Settings); err != nil {
			return nil, err
		}
	}
	paused := w.Feed.Paused
	if c.Paused != nil {
		paused = *c.Paused
	}
	isOther := fetch.HostOf(set.URL) != fetch.HostOf(w.Settings.URL)
	if (isOther || !paused && w.Accepted == 0) && !c.Accepted {
		return nil, fault.Coded(fault.Invalid, "terms_not_accepted").At("accepted")
	}
	if !paused { // one that is paused sends nothing
		if err := s.checkHost(ctx, set, interval, id); err != nil {
			return nil, err
		}
	}
	if set.Details && (isOther || !w.Settings.Details) {
		if err := s.needDetails(ctx, u, set); err != nil {
			return nil, err
		}
	}
	if interval != w.Interval() {
		if _, err := s.Subscribe.Set(ctx, u, id, subscribe.Settings{Interval: &interval}); err != nil {
			return nil, err
		}
	}
	set.Relaid, set.Found = w.Settings.Relaid, w.Settings.Found
	inspect := !set.Equal(w.Settings)
	if inspect {
		set.Relaid, set.Found = set.HasOnlyOtherLayout(w.Settings), 0
	}
	if inspect || c.Accepted {
		if err := s.putSettings(ctx, w, set, c.Accepted); err != nil {
			return nil, err
		}
	}
	f, err := s.Store.Feeds.Modify(ctx, id, func(f *store.FeedRow) {
		f.Paused = paused
		follow(f, set)
	})
	if err == nil && c.Paused != nil && !paused && f.Status == string(reader.StatusStopped) {
		f, err = s.Subscribe.Resume(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	if inspect && f.Live() {
		s.inspect(ctx, f)
	}
	return s.Latest(ctx, u, id)
}

// Interval is how many minutes are between two looks as the user chose.
func (w *Watch) Interval() int32 {
	if w.Sub.Interval > 0 {
		return w.Sub.Interval
	}
	return reader.DefaultInterval
}

// follow makes a feed's row that of a watch with these settings.
func follow(f *store.FeedRow, set *watch.Settings) {
	if f.URL != set.URL {
		f.ETag, f.LastModified = "", "" // of another page
	}
	f.URL, f.Title, f.Site = set.URL, set.Name, set.URL
}

func (s *Service) putSettings(ctx context.Context, w *Watch, set *watch.Settings, accepted bool) error {
	if accepted {
		w.row.Accepted = s.Clock.Now().Unix()
	}
	if err := w.row.Change(set); err != nil {
		return err
	}
	err := s.Store.Watches.PutSettings(ctx, w.row)
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Unavailable, "settings_contended", "watching: change", err)
	}
	return err
}

// inspect looks at a watch with its new settings. When its site may not be asked now, its next turn does it: a crawl
// notices by itself that the settings have changed.
func (s *Service) inspect(ctx context.Context, f *store.FeedRow) {
	if _, err := s.Crawler.RunWatch(ctx, f, false); err != nil {
		s.Log.Info("the page of a changed watch is looked at in its next turn", "feed_id", uint32(f.ID()), "error", err)
	}
}

// Remove deletes a watch: its feed loses its subscriber, and the cleanup removes it a week later.
func (s *Service) Remove(ctx context.Context, u reader.UserID, id reader.FeedID) error {
	if _, err := s.Get(ctx, u, id); err != nil {
		return err
	}
	return s.Subscribe.Leave(ctx, u, id)
}

// Restore takes back a watch that the user deleted, with what it found; the cleanup removes it after a week.
func (s *Service) Restore(ctx context.Context, u reader.UserID, id reader.FeedID, interval int32,
	folders []reader.FolderID) (*Watch, error) {
	if bad := subscribe.CheckInterval(interval); bad != nil {
		return nil, bad.At("interval")
	}
	check := func(f *store.FeedRow, set *watch.Settings) error {
		if f.Paused { // one that is paused sends nothing
			return nil
		}
		return s.checkHost(ctx, set, interval, id)
	}
	f, err := s.Subscribe.RestoreWatch(ctx, u, id, check, subscribe.Options{Folders: folders, Interval: interval})
	if err != nil {
		return nil, err
	}
	return s.Latest(ctx, u, f.ID())
}
