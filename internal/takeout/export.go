package takeout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// A part of an export ends after the line with which it has so many bytes or has taken so long: an answer of Lambda
	// has at most 6 MB, in base64, and a request 25 seconds.
	maxPart  = 2 << 20
	partTime = 10 * time.Second
)

// Export writes all data of a user as one archive, while reading it.
func (s *Service) Export(ctx context.Context, u reader.UserID, to io.Writer) error {
	var part bytes.Buffer
	for cursor := ""; ; {
		part.Reset()
		next, err := s.ExportPart(ctx, u, cursor, &part)
		if err != nil {
			return err
		}
		if _, err := to.Write(part.Bytes()); err != nil || next == "" {
			return err
		}
		cursor = next
	}
}

// ExportPart writes a part of an archive: all parts, one after the other, are the archive. next is the cursor of the
// next part, empty after the last one. Changes during the export are in the archive if the part that has them was made
// later.
func (s *Service) ExportPart(ctx context.Context, u reader.UserID, cursor string, to io.Writer) (next string,
	err error) {
	at := place{at: uint64(s.clock.Now().Unix())}
	if cursor != "" {
		if at, err = parsePlace(cursor); err != nil {
			return "", err
		}
	}
	e := &exporter{Service: s, user: u, at: at, began: s.clock.Now(), feeds: map[reader.FeedID]*store.FeedRow{}}
	if e.zip, err = newPacker(to, &e.at); err != nil {
		return "", err
	}
	if e.tree, err = s.store.Trees.Get(ctx, u); err != nil {
		return "", err
	}
	steps := []func(context.Context) (bool, error){e.settings, e.subscriptions, e.watches, e.named, e.items, e.about}
	for e.at.step < uint64(len(steps)) {
		if e.isFull() {
			return e.at.String(), e.zip.pause()
		}
		done, err := steps[e.at.step](ctx)
		if err != nil {
			return "", err
		}
		if !done {
			e.at.split = 1
			return e.at.String(), e.zip.pause()
		}
		e.at.step++
		e.at.after, e.at.label, e.at.lines = 0, 0, 0
	}
	return "", e.zip.close()
}

type exporter struct {
	*Service
	user  reader.UserID
	zip   *packer
	at    place
	began time.Time
	wrote bool // anything in this part
	tree  library.Tree
	subs  []*store.SubscriptionRow
	feeds map[reader.FeedID]*store.FeedRow
}

func (e *exporter) isFull() bool {
	return e.wrote && (e.zip.len() >= maxPart || e.clock.Now().Sub(e.began) > partTime)
}

// about comes last: by then it is known which version of the format it is.
func (e *exporter) about(ctx context.Context) (bool, error) {
	a, err := e.store.Accounts.Get(ctx, e.user)
	if err != nil {
		return false, err
	}
	about := aboutJSON{Format: format, Version: versionSimple, Exported: stamp(int64(e.at.at)), Email: a.Email}
	if e.at.split != 0 {
		about.Version = version
	}
	return true, e.file(aboutFile, about)
}

// file writes a file that is one value.
func (e *exporter) file(name string, v any) error {
	e.wrote = true
	return e.zip.file(name, func(w io.Writer) error { return write(w, v) })
}

// write puts one JSON value on a line of its own.
func write(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (e *exporter) settings(ctx context.Context) (bool, error) {
	prefs, err := e.store.Preferences.Get(ctx, e.user)
	if err != nil {
		return false, err
	}
	if err := e.file(preferencesFile, map[string]any(prefs)); err != nil {
		return false, err
	}
	out := treeJSON{Folders: [][]string{}, Labels: []string{}}
	for _, f := range e.tree.Folders {
		out.Folders = append(out.Folders, e.tree.Path(f.ID))
	}
	for _, l := range e.tree.Labels {
		out.Labels = append(out.Labels, l.Name)
		if l.ReadLater {
			out.ReadLater = l.Name
		}
	}
	if err := e.file(treeFile, out); err != nil {
		return false, err
	}
	list, err := e.Service.feeds.Export(ctx, e.user)
	if err != nil {
		return false, err
	}
	return true, e.zip.file(opmlFile, func(w io.Writer) error {
		_, err := w.Write(opml.Encode("Ruri Reader", list, time.Unix(int64(e.at.at), 0)))
		return err
	})
}

// load reads the subscriptions and their feeds.
func (e *exporter) load(ctx context.Context) error {
	if e.subs != nil {
		return nil
	}
	var ids []reader.FeedID
	if err := e.store.Subscriptions.Each(ctx, e.user, func(row *store.SubscriptionRow) error {
		e.subs, ids = append(e.subs, row), append(ids, row.Feed())
		return nil
	}); err != nil {
		return err
	}
	return e.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		e.feeds[f.ID()] = f
		return nil
	})
}

func (e *exporter) subscriptions(ctx context.Context) (bool, error) {
	return e.perFeed(ctx, subscriptionsFile, false, func(row *store.SubscriptionRow, f *store.FeedRow) ([]any, error) {
		line, err := e.subscription(ctx, row, f)
		return []any{line}, err
	})
}

// perFeed writes the lines of each feed, or of each watch, beyond where the part before has ended.
func (e *exporter) perFeed(ctx context.Context, name string, watches bool,
	linesOf func(*store.SubscriptionRow, *store.FeedRow) ([]any, error)) (done bool, err error) {
	if err := e.load(ctx); err != nil {
		return false, err
	}
	err = e.zip.file(name, func(w io.Writer) error {
		for _, row := range e.subs { // in order of their numbers
			f := e.feeds[row.Feed()]
			if uint64(row.Feed()) <= e.at.after || f == nil || f.Damaged || f.IsWatch() != watches {
				continue
			}
			if e.isFull() {
				return nil
			}
			lines, err := linesOf(row, f)
			if err != nil {
				return err
			}
			for n := int(min(e.at.lines, uint64(len(lines)))); n < len(lines); n++ {
				if e.isFull() {
					return nil
				}
				if err := e.line(w, lines[n]); err != nil {
					return err
				}
				e.at.lines++
			}
			e.at.after, e.at.lines = uint64(row.Feed()), 0
		}
		done = true
		return nil
	})
	return done, err
}

func (e *exporter) line(w io.Writer, v any) error {
	e.wrote = true
	return write(w, v)
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

// named writes what names feeds: rules and saved searches.
func (e *exporter) named(ctx context.Context) (bool, error) {
	err := e.load(ctx)
	if err == nil {
		err = e.rules(ctx)
	}
	if err == nil {
		err = e.searches(ctx)
	}
	return true, err
}

// rules writes the rules with addresses of feeds, paths of folders and names of labels instead of numbers.
func (e *exporter) rules(ctx context.Context) error {
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
	return e.file(rulesFile, out)
}

type ruleJSON struct {
	rules.Rule
	FeedURLs    []string   `json:"feedUrls,omitempty"`
	FolderPaths [][]string `json:"folderPaths,omitempty"`
	LabelNames  []string   `json:"labelNames,omitempty"` // of each action, empty where it has none
}

func (e *exporter) items(ctx context.Context) (done bool, err error) {
	// Stars first, then the labels in order of their numbers.
	list := slices.Clone(e.tree.Labels)
	slices.SortFunc(list, func(a, b library.Label) int { return cmp.Compare(a.ID, b.ID) })
	list = append([]library.Label{{ID: store.Star}}, list...)
	err = e.zip.file(itemsFile, func(w io.Writer) error {
		for _, l := range list {
			if uint64(l.ID) < e.at.label {
				continue
			}
			if uint64(l.ID) > e.at.label {
				e.at.label, e.at.after = uint64(l.ID), 0
			}
			isWhole := true
			err := e.store.Snapshots.Walk(ctx, e.user, l.ID, reader.ItemID(e.at.after), true, 64,
				func(row *store.SnapshotRow) (bool, error) {
					if e.isFull() {
						isWhole = false
						return false, nil
					}
					line, err := e.item(ctx, row)
					if err != nil {
						return false, err
					}
					if l.ID == store.Star {
						line.Starred = stamp(row.At)
					} else {
						line.Label, line.Labelled = l.Name, stamp(row.At)
					}
					e.at.after = uint64(row.ID())
					return true, e.line(w, line)
				})
			if err != nil || !isWhole {
				return err
			}
		}
		done = true
		return nil
	})
	return done, err
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
