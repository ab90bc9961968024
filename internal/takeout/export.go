package takeout

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Export writes all data of a user as one archive, while reading it: one feed or item at a time is in memory.
func (s *Service) Export(ctx context.Context, u reader.UserID, to io.Writer) error {
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return err
	}
	e := &exporter{Service: s, user: u, zip: zip.NewWriter(to), feeds: map[reader.FeedID]*store.FeedRow{}}
	now := s.clock.Now()
	err = e.file(aboutFile, now, aboutJSON{Format: format, Version: version, Exported: now.UTC().Format(time.RFC3339),
		Email: a.Email})
	for _, step := range []func(context.Context, time.Time) error{e.settings, e.subscriptions, e.watches, e.rules,
		e.searches, e.items} {
		if err == nil {
			err = step(ctx, now)
		}
	}
	if err != nil {
		return err
	}
	return e.zip.Close()
}

type exporter struct {
	*Service
	user  reader.UserID
	zip   *zip.Writer
	tree  library.Tree
	subs  []*store.SubscriptionRow
	feeds map[reader.FeedID]*store.FeedRow
}

func (e *exporter) create(name string, now time.Time) (io.Writer, error) {
	return e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: now})
}

func (e *exporter) file(name string, now time.Time, v any) error {
	w, err := e.create(name, now)
	if err != nil {
		return err
	}
	return write(w, v)
}

// write puts one JSON value on a line of its own.
func write(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (e *exporter) settings(ctx context.Context, now time.Time) (err error) {
	prefs, err := e.store.Preferences.Get(ctx, e.user)
	if err != nil {
		return err
	}
	if err := e.file(preferencesFile, now, map[string]any(prefs)); err != nil {
		return err
	}
	if e.tree, err = e.store.Trees.Get(ctx, e.user); err != nil {
		return err
	}
	out := treeJSON{Folders: [][]string{}, Labels: []string{}}
	for _, f := range e.tree.Folders {
		out.Folders = append(out.Folders, e.tree.Path(f.ID))
	}
	for _, l := range e.tree.Labels {
		out.Labels = append(out.Labels, l.Name)
	}
	return e.file(treeFile, now, out)
}

func (e *exporter) subscriptions(ctx context.Context, now time.Time) error {
	list, err := e.Service.feeds.Export(ctx, e.user)
	if err != nil {
		return err
	}
	w, err := e.create(opmlFile, now)
	if err != nil {
		return err
	}
	if _, err := w.Write(opml.Encode("Ruri Reader", list, now)); err != nil {
		return err
	}
	var ids []reader.FeedID
	if err := e.store.Subscriptions.Each(ctx, e.user, func(row *store.SubscriptionRow) error {
		e.subs, ids = append(e.subs, row), append(ids, row.Feed())
		return nil
	}); err != nil {
		return err
	}
	if err := e.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		e.feeds[f.ID()] = f
		return nil
	}); err != nil {
		return err
	}
	if w, err = e.create(subscriptionsFile, now); err != nil {
		return err
	}
	for _, row := range e.subs {
		f := e.feeds[row.Feed()]
		if f == nil || f.Damaged || f.IsWatch() {
			continue
		}
		line, err := e.subscription(ctx, row, f)
		if err == nil {
			err = write(w, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) subscription(ctx context.Context, row *store.SubscriptionRow,
	f *store.FeedRow) (subscriptionJSON, error) {
	out := e.subscribed(row, f)
	state := row.StateIn(f)
	err := e.store.Items.EachItem(ctx, f, func(h *store.Header, at store.Place) {
		switch {
		case state.Hid.Has(at.Seq):
			out.Hidden = append(out.Hidden, identity(h.Identity))
		case state.IsRead(at.Seq):
			out.Read = append(out.Read, identity(h.Identity))
		default:
			out.Unread = append(out.Unread, identity(h.Identity))
		}
	})
	return out, err
}

// rules writes the rules with addresses of feeds, paths of folders and names of labels instead of numbers.
func (e *exporter) rules(ctx context.Context, now time.Time) error {
	packed, _, err := e.store.Rules.Get(ctx, e.user)
	if err != nil {
		return err
	}
	list, err := rules.Unpack(packed)
	if err != nil {
		return err
	}
	out := make([]ruleJSON, 0, len(list))
	for _, r := range list {
		j := ruleJSON{Rule: r}
		for _, id := range r.Feeds {
			if f := e.feeds[id]; f != nil {
				j.FeedURLs = append(j.FeedURLs, f.URL)
			}
		}
		j.FolderPaths = e.tree.Paths(r.Folders)
		if len(r.Feeds)+len(r.Folders) > 0 && len(j.FeedURLs)+len(j.FolderPaths) == 0 {
			continue // about nothing that is there: without its scope it would be about everything
		}
		for _, a := range r.Actions {
			l, _ := e.tree.Label(a.Label)
			j.LabelNames = append(j.LabelNames, l.Name)
		}
		j.Feeds, j.Folders, j.Since = nil, nil, 0
		out = append(out, j)
	}
	return e.file(rulesFile, now, out)
}

type ruleJSON struct {
	rules.Rule
	FeedURLs    []string   `json:"feedUrls,omitempty"`
	FolderPaths [][]string `json:"folderPaths,omitempty"`
	LabelNames  []string   `json:"labelNames,omitempty"` // of each action, empty where it has none
}

func (e *exporter) items(ctx context.Context, now time.Time) error {
	w, err := e.create(itemsFile, now)
	if err != nil {
		return err
	}
	// Stars first, then the labels in their order.
	for _, l := range append([]library.Label{{ID: store.Star}}, e.tree.Labels...) {
		err := e.store.Snapshots.Walk(ctx, e.user, l.ID, 0, true, 64, func(row *store.SnapshotRow) (bool, error) {
			line, err := e.item(ctx, row)
			if err != nil {
				return false, err
			}
			if l.ID == store.Star {
				line.Starred = stamp(row.At)
			} else {
				line.Label, line.Labelled = l.Name, stamp(row.At)
			}
			return true, write(w, line)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) item(ctx context.Context, row *store.SnapshotRow) (itemJSON, error) {
	h, err := row.Header()
	if err != nil {
		return itemJSON{}, err
	}
	out := item(h)
	out.FeedTitle = row.Title
	f := e.feeds[reader.FeedID(row.Feed)]
	if f == nil {
		if f, err = e.store.Feeds.Get(ctx, reader.FeedID(row.Feed), false); err != nil &&
			!fault.Is(err, fault.NotFound) {
			return out, err
		}
		e.feeds[reader.FeedID(row.Feed)] = f
	}
	out.FeedURL, out.SiteURL = row.Origin, row.Site
	if f != nil {
		out.FeedURL = f.URL
	}
	if row.ID().Feed() == reader.ArchiveFeed {
		out.Archive = row.ID().String()
	}
	out.HTML, err = row.ReadBody(ctx, e.blobs)
	return out, err
}
