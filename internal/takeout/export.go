package takeout

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// newestUnread is how many items are unread in a subscription that was made before the first crawl and never touched.
const newestUnread = 20

// maxBody bounds a body as it is inflated.
const maxBody = 8 << 20

// Export writes all that is a user's as one archive. It is written as it is read: one feed or item at a time is held.
func (s *Service) Export(ctx context.Context, u reader.UserID, to io.Writer) error {
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return err
	}
	e := &exporter{Service: s, user: u, zip: zip.NewWriter(to), feeds: map[reader.FeedID]*store.FeedRow{}}
	now := s.clock.Now()
	err = e.file(aboutFile, now, aboutJSON{Format: format, Version: version, Exported: now.UTC().Format(time.RFC3339), Email: a.Email})
	for _, step := range []func(context.Context, time.Time) error{e.settings, e.subscriptions, e.rules, e.items} {
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
	tree  reader.Tree
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
	if err := e.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error { e.feeds[f.ID()] = f; return nil }); err != nil {
		return err
	}
	if w, err = e.create(subscriptionsFile, now); err != nil {
		return err
	}
	for _, row := range e.subs {
		f := e.feeds[row.Feed()]
		if f == nil {
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

func (e *exporter) subscription(ctx context.Context, row *store.SubscriptionRow, f *store.FeedRow) (subscriptionJSON, error) {
	out := subscriptionJSON{
		URL: f.URL, FeedTitle: f.Title, SiteURL: f.Site, Title: row.Title, Position: row.Position, Interval: row.Interval,
		Mute: row.Mute, FullText: row.FullText, Notify: row.Notify, Since: stamp(row.Since),
	}
	for _, n := range row.Folders {
		if path := e.tree.Path(reader.FolderID(n)); len(path) > 0 {
			out.Folders = append(out.Folders, path)
		}
	}
	state := row.State()
	if row.Rev == 0 && row.Upto == 0 && f.FirstSeq > newestUnread {
		state.Upto = reader.Seq(f.FirstSeq - newestUnread)
	}
	err := e.eachItem(ctx, f, func(h *store.Header, seq reader.Seq, _ reader.Minute) {
		switch {
		case state.Hid.Has(seq):
			out.Hidden = append(out.Hidden, identity(h.Identity))
		case state.IsRead(seq):
			out.Read = append(out.Read, identity(h.Identity))
		default:
			out.Unread = append(out.Unread, identity(h.Identity))
		}
	})
	return out, err
}

// eachItem walks the items that a feed has, newest delta first.
func (s *Service) eachItem(ctx context.Context, f *store.FeedRow, each func(h *store.Header, seq reader.Seq, stamp reader.Minute)) error {
	if f.Seq == f.Floor {
		return nil
	}
	return s.store.Items.Descend(ctx, f.ID(), reader.Seq(f.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i := range hs {
			if seq := d.First() + reader.Seq(i); seq > reader.Seq(f.Floor) && seq <= reader.Seq(f.Seq) {
				each(&hs[i], seq, reader.Minute(d.Stamp))
			}
		}
		return d.First() > reader.Seq(f.Floor)+1, nil
	})
}

// rules writes the rules with the addresses of feeds, the paths of folders and the names of labels in place of
// numbers, which mean nothing elsewhere.
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
		for _, id := range r.Folders {
			if path := e.tree.Path(reader.FolderID(id)); len(path) > 0 {
				j.FolderPaths = append(j.FolderPaths, path)
			}
		}
		if len(r.Feeds)+len(r.Folders) > 0 && len(j.FeedURLs)+len(j.FolderPaths) == 0 {
			continue // about nothing that is there: without its scope it would be about everything
		}
		for _, a := range r.Actions {
			j.LabelNames = append(j.LabelNames, labelName(&e.tree, reader.LabelID(a.Label)))
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

func labelName(t *reader.Tree, id reader.LabelID) string {
	for _, l := range t.Labels {
		if l.ID == id {
			return l.Name
		}
	}
	return ""
}

func (e *exporter) items(ctx context.Context, now time.Time) error {
	w, err := e.create(itemsFile, now)
	if err != nil {
		return err
	}
	put := func(row *store.StarRow, mark func(*itemJSON)) (bool, error) {
		line, err := e.item(ctx, row)
		if err != nil {
			return false, err
		}
		mark(&line)
		return true, write(w, line)
	}
	err = e.store.Stars.Descend(ctx, e.user, 0, func(row *store.StarRow) (bool, error) {
		return put(row, func(i *itemJSON) { i.Starred = stamp(row.At) })
	})
	for _, l := range e.tree.Labels {
		if err == nil {
			err = e.store.Labels.Walk(ctx, e.user, l.ID, 0, true, 64, func(row *store.StarRow) (bool, error) {
				return put(row, func(i *itemJSON) { i.Label, i.Labelled = l.Name, stamp(row.At) })
			})
		}
	}
	return err
}

func (e *exporter) item(ctx context.Context, row *store.StarRow) (itemJSON, error) {
	h, err := row.Header()
	if err != nil {
		return itemJSON{}, err
	}
	out := item(h)
	out.FeedTitle = row.Title
	f := e.feeds[reader.FeedID(row.Feed)]
	if f == nil {
		if f, err = e.store.Feeds.Get(ctx, reader.FeedID(row.Feed), false); err != nil && !fault.Is(err, fault.NotFound) {
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
	packed := row.Body
	if row.Blob != "" {
		packed, _, err = e.blobs.Get(ctx, row.Blob, blob.Range{})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
	}
	if len(packed) > 0 {
		plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxBody))
		if err == nil { // a spoilt body is left out, as it is when it is opened
			out.HTML = string(plain)
		}
	}
	return out, nil
}
