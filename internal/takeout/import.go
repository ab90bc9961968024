package takeout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Imported is the result of an import.
type Imported struct {
	Made    []int32 // numbers of the feeds that are newly subscribed to
	Feeds   int     // of the archive, that are subscribed to now
	Waiting int     // feeds whose first crawl is still to come: their read state is brought in by asking again
	Items   int     // stars and labels that are there now
	// ItemsWaiting are those of waiting feeds.
	ItemsWaiting int
	Rules        int
	Failed       []Failure
}

// Failure is one line that could not be imported.
type Failure struct{ URL, Code, Message string }

// maxFailures limits the failures in a report, maxSubscriptions the subscriptions, each of which is looked up.
const (
	maxFailures      = 500
	maxSubscriptions = 20_000
)

// Import adds an archive to a user's account. Existing data stays: folders and labels of the same name are the same, an
// existing subscription keeps its settings, an item that was read in either is read. Importing the same archive again
// adds the missing rest: after the first crawl of a feed its read state, named by the items' identities.
func (s *Service) Import(ctx context.Context, u reader.UserID, from io.ReaderAt, size int64) (*Imported, error) {
	a, err := s.open(ctx, from, size)
	if err != nil {
		return nil, err
	}
	i := s.importer(u, a)
	_, err = i.run(ctx)
	return &i.out, err
}

// open opens an archive of a version that can be imported.
func (s *Service) open(ctx context.Context, from io.ReaderAt, size int64) (*archive, error) {
	a, err := openArchive(from, size)
	if err != nil {
		return nil, err
	}
	var about aboutJSON
	err = a.value(ctx, aboutFile, &about)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !isOfArchive(err): // the storage does not answer
		return nil, err
	case err != nil || about.Format != format:
		return nil, notArchive()
	}
	if about.Version > version {
		return nil, fault.Coded(fault.Invalid, "takeout_newer")
	}
	return a, nil
}

// isOfArchive reports whether an error is the archive's: trying again would find the same.
func isOfArchive(err error) bool {
	return fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge)
}

func (s *Service) importer(u reader.UserID, a *archive) *importer {
	return &importer{Service: s, user: u, archive: a, resumed: a.isBehind(), feeds: map[string]*store.FeedRow{},
		items: map[reader.FeedID]map[uint64]store.Place{}, first: map[reader.FeedID]string{},
		marks: map[*store.FeedRow][]reader.Op{}}
}

// run imports from where the archive begins until it is enough, and returns where the rest begins.
func (i *importer) run(ctx context.Context) (rest position, err error) {
	for _, step := range []func(context.Context) error{i.settings, i.subscriptions, i.watches, i.rules, i.searches,
		i.stars} {
		if err = step(ctx); err != nil {
			break
		}
	}
	if errors.Is(err, errEnough) {
		rest, err = i.rest, nil
	}
	// Work done before a failure is completed all the same.
	err = cmp.Or(err, i.setMarks(ctx))
	if len(i.first) > 0 {
		err = cmp.Or(err, i.Service.feeds.FirstCrawls(ctx, i.first))
	}
	return rest, cmp.Or(i.checkAccount(ctx, i.user), err)
}

// checkAccount returns nil when the account still exists. Otherwise what was imported since is removed too.
func (s *Service) checkAccount(ctx context.Context, u reader.UserID) error {
	_, gone := s.store.Accounts.Get(ctx, u, table.Consistent())
	if !fault.Is(gone, fault.NotFound) {
		return nil
	}
	return cmp.Or(s.Remove(ctx, u, ""), gone)
}

func notArchive() error {
	return fault.Coded(fault.Invalid, "not_takeout")
}

func broken(name string, cause error) error {
	e := fault.Coded(fault.Invalid, "takeout_broken", name)
	e.Cause = cause
	return e
}

type importer struct {
	*Service
	*archive
	user  reader.UserID
	out   Imported
	tree  library.Tree
	feeds map[string]*store.FeedRow // by the address that the archive has
	items map[reader.FeedID]map[uint64]store.Place
	first map[reader.FeedID]string // those that wait for their first crawl
	// stars and labels to be set in the read state of feeds: one write for each feed, not for each item
	marks   map[*store.FeedRow][]reader.Op
	resumed bool // earlier chunks are done
	lookups int
	more    int // failures beyond maxFailures
	cached  int // items in places
}

func (i *importer) fail(url string, err error) {
	if len(i.out.Failed) < maxFailures {
		i.out.Failed = append(i.out.Failed,
			Failure{URL: url, Code: fault.CodeOf(err), Message: texts.EnglishMessage(err)})
		return
	}
	i.more++
}

// failLine records an error of one line; failures of our own are returned, and end the import.
func (i *importer) failLine(url string, err error) error {
	for _, kind := range []fault.Kind{fault.Invalid, fault.Conflict, fault.NotFound, fault.TooLarge} {
		if fault.Is(err, kind) {
			i.fail(url, err)
			return nil
		}
	}
	return err
}

func (i *importer) settings(ctx context.Context) (err error) {
	if i.isBehind() {
		i.tree, err = i.store.Trees.Get(ctx, i.user)
		return err
	}
	var prefs map[string]json.RawMessage
	if err := i.value(ctx, preferencesFile, &prefs); err != nil {
		return err
	}
	_, err = i.store.Preferences.Change(ctx, i.user, func(p library.Preferences) (library.Preferences, error) {
		return p.Merge(prefs), nil
	})
	if err != nil {
		return err
	}
	var tree treeJSON
	if err := i.value(ctx, treeFile, &tree); err != nil {
		return err
	}
	return i.addTree(ctx, &tree)
}

func (i *importer) addTree(ctx context.Context, tree *treeJSON) (err error) {
	var failed []error
	i.tree, err = i.store.Trees.Change(ctx, i.user, func(t *library.Tree) error {
		failed = t.Merge(tree.Folders, tree.Labels)
		if tree.ReadLater != "" && t.LabelNamed(tree.ReadLater) != 0 {
			_, err := t.EnsureReadLater(tree.ReadLater)
			return err
		}
		return nil
	})
	for _, one := range failed {
		i.fail("", one)
	}
	return err
}

func (i *importer) subscriptions(ctx context.Context) error {
	n := 0
	return lines(ctx, i.archive, subscriptionsFile, func(line *subscriptionJSON) error {
		if n++; n > maxSubscriptions {
			return tooLarge(subscriptionsFile)
		}
		return i.failLine(line.URL, i.subscription(ctx, line))
	})
}

func (i *importer) folders(paths [][]string) (out []reader.FolderID, err error) {
	for _, path := range paths[:min(len(paths), library.MaxFolders)] {
		if err := library.CheckPath(path); err != nil {
			return nil, err
		}
		if id := i.tree.Ensure(path); id != 0 { // every one is there; of a broken archive the others are left out
			out = append(out, id)
		}
	}
	return out, nil
}

func (i *importer) subscription(ctx context.Context, line *subscriptionJSON) error {
	folders, err := i.folders(line.Folders[:min(len(line.Folders), library.MaxFoldersOfFeed)])
	if err != nil {
		return err
	}
	f, made, err := i.Service.feeds.Adopt(ctx, i.user, line.URL, line.FeedTitle, line.SiteURL, folders, line.Interval,
		line.NeverCount)
	if err != nil {
		return err
	}
	i.feeds[line.URL] = f
	i.out.Feeds++
	if made {
		i.out.Made = append(i.out.Made, int32(f.ID()))
	}
	if err := i.applySettings(ctx, f, line); err != nil {
		return err
	}
	if f.Fresh() {
		i.first[f.ID()] = f.URL
		i.out.Waiting++
		return nil
	}
	places, err := i.places(ctx, f)
	if err != nil {
		return err
	}
	seqs := func(list []identity) (out []reader.Seq) {
		for _, id := range list {
			if p, ok := places[uint64(id)]; ok {
				out = append(out, p.Seq)
			}
		}
		return out
	}
	read, unread, hidden := seqs(line.Read), seqs(line.Unread), seqs(line.Hidden)
	return i.change(ctx, f, func(row *store.SubscriptionRow) []reader.Op {
		ops := []reader.Op{{Kind: reader.OpRead, Seqs: read}, {Kind: reader.OpHide, Seqs: hidden}}
		if row.Untouched() { // never read here: the unread items of the archive are unread here
			ops = append(ops, reader.Op{Kind: reader.OpUnread, Seqs: unread})
		}
		return ops
	})
}

// applySettings sets a subscription's settings if they were never changed here.
func (i *importer) applySettings(ctx context.Context, f *store.FeedRow, line *subscriptionJSON) error {
	row, err := i.store.Subscriptions.Get(ctx, i.user, f.ID())
	if err != nil || row.OwnRev > 0 {
		return err
	}
	next := *row
	next.Title, next.Position = library.CutTitle(line.Title), min(max(line.Position, 0), library.MaxPosition)
	next.Mute, next.FullText, next.Notify = line.Mute, line.FullText, line.Notify
	if at := unix(line.Since); at > 0 && at < row.Since {
		next.Since = at
	}
	_, err = i.store.Subscriptions.Change(ctx, i.user, row, &next)
	return err
}

// change applies operations to a subscription in one write, none when nothing differs.
func (i *importer) change(ctx context.Context, f *store.FeedRow, ops func(*store.SubscriptionRow) []reader.Op) error {
	return store.Retry("state_contended", func() error {
		row, err := i.store.Subscriptions.Get(ctx, i.user, f.ID())
		if err != nil {
			return err
		}
		state, changed := reader.Apply(row.StateIn(f), reader.Change{
			Ops: ops(row), Floor: reader.Seq(f.Floor), Last: reader.Seq(f.Seq), At: i.clock.Now().UnixMilli(),
		})
		if !changed {
			return nil
		}
		_, err = i.store.Subscriptions.ChangeState(ctx, i.user, row, state)
		return err
	})
}

// maxCached bounds the items whose places are kept in memory.
const maxCached = 200_000

// places returns the cached places of a feed's items by identity.
func (i *importer) places(ctx context.Context, f *store.FeedRow) (map[uint64]store.Place, error) {
	if m, ok := i.items[f.ID()]; ok {
		return m, nil
	}
	if i.cached > maxCached {
		i.cached = 0
		clear(i.items)
	}
	m, err := i.store.Items.Places(ctx, f)
	i.items[f.ID()] = m
	i.cached += len(m)
	return m, err
}

func (i *importer) rules(ctx context.Context) error {
	if i.isBehind() {
		return nil
	}
	if err := i.findWatches(ctx); err != nil {
		return err
	}
	var in []ruleJSON
	if err := i.value(ctx, rulesFile, &in); err != nil {
		return err
	}
	if len(in) > rules.MaxRules { // more than an account has, and each is checked together with all before it
		return tooLarge(rulesFile)
	}
	packed, rev, err := i.store.Rules.Get(ctx, i.user)
	if err != nil {
		return err
	}
	list, err := rules.Unpack(packed)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, r := range list {
		have[r.ID] = true
	}
	now := i.clock.Now().UnixMilli()
	for _, j := range in {
		r, ok, err := i.rule(ctx, j)
		if err != nil {
			return err
		}
		if !ok || have[r.ID] {
			continue
		}
		r.Since = now // for new items; earlier ones were judged in the old installation
		if err := rules.Check(append(list[:len(list):len(list)], r)); err != nil {
			i.fail("", err)
			continue
		}
		list = append(list, r)
		have[r.ID] = true
		i.out.Rules++
	}
	if i.out.Rules == 0 {
		return nil
	}
	return i.store.Rules.Put(ctx, i.user, list, rev)
}

// rule replaces names by this installation's numbers. A rule whose scope or label does not exist here is left out:
// without its scope it would apply to everything.
func (i *importer) rule(ctx context.Context, j ruleJSON) (r rules.Rule, ok bool, err error) {
	r = j.Rule
	folders, err := i.folders(j.FolderPaths)
	if err != nil {
		i.fail("", err)
		return r, false, nil
	}
	// a name that has to be cut is refused by rules.Check
	r.Name, r.Feeds, r.Folders = library.CutName(r.Name), nil, folders
	for _, url := range j.FeedURLs {
		f, err := i.feed(ctx, url)
		if err != nil {
			return r, false, err
		}
		if f != nil {
			r.Feeds = append(r.Feeds, f.ID())
		}
	}
	if len(j.FeedURLs)+len(j.FolderPaths) > 0 && len(r.Feeds)+len(r.Folders) == 0 {
		return r, false, nil
	}
	for n := range r.Actions {
		if r.Actions[n].Do == rules.Send { // archives have no webhooks
			return r, false, nil
		}
		if r.Actions[n].Do != rules.WithLabel {
			continue
		}
		if n >= len(j.LabelNames) {
			return r, false, nil
		}
		id := i.tree.LabelNamed(j.LabelNames[n])
		if id == 0 {
			return r, false, nil
		}
		r.Actions[n].Label = id
	}
	return r, true, nil
}

// maxLookups bounds the addresses that a chunk looks up.
const maxLookups = 5000

// feed returns the feed that an address of the archive is here; nil if the user has none. Those that an earlier chunk
// has brought are looked up.
func (i *importer) feed(ctx context.Context, url string) (*store.FeedRow, error) {
	f, ok := i.feeds[url]
	if ok || !i.resumed || url == "" || i.lookups >= maxLookups {
		return f, nil
	}
	i.lookups++
	f, err := i.Service.feeds.Subscribed(ctx, i.user, url)
	if err == nil {
		i.feeds[url] = f
	}
	return f, err
}

// findWatches adds the watches that earlier chunks have brought.
func (i *importer) findWatches(ctx context.Context) error {
	if !i.resumed {
		return nil
	}
	list, err := i.Service.feeds.Watches(ctx, i.user)
	for _, f := range list {
		if i.feeds[f.URL] == nil {
			i.feeds[f.URL] = f
		}
	}
	return err
}

func (i *importer) stars(ctx context.Context) error {
	return lines(ctx, i.archive, itemsFile, func(line *itemJSON) error {
		return i.failLine(line.Link, i.item(ctx, line))
	})
}

// item stores one star or label: the large body, the snapshot, then the bit. An item that its feed does not list here
// gets an id computed from its identity, the same each time.
func (i *importer) item(ctx context.Context, line *itemJSON) error {
	label := i.tree.LabelNamed(line.Label)
	if line.Starred == "" && label == 0 {
		return broken(itemsFile, nil)
	}
	h := line.header()
	head, err := store.PackHeaders([]store.Header{h})
	if err != nil {
		return err
	}
	feed := reader.MaxFeedID // stands for none: the star outlives its feed
	f, err := i.feed(ctx, line.FeedURL)
	if err != nil {
		return err
	}
	if f != nil && f.IsWatch() {
		f = nil // the items of a watch are not those of another installation's
	}
	own, err := reader.ParseItemID(line.Archive)
	brought := err == nil && own.Feed() == reader.ArchiveFeed
	if brought {
		f = nil
	}
	if f != nil && f.Fresh() {
		i.out.ItemsWaiting++ // whether its feed still lists it will be known then
		return nil
	}
	where, err := i.place(ctx, f, &h)
	if err != nil {
		return err
	}
	listed := where.Seq > 0
	if f != nil {
		feed = f.ID()
	}
	low := where.Seq
	if !listed {
		low = reader.Seq(h.Identity & 1023)
	}
	id := reader.NewItemID(where.Stamp, feed, low)
	if brought {
		id = own
	}
	at := cmp.Or(unix(line.Starred), unix(line.Labelled), i.clock.Now().Unix())
	row := store.SnapshotRow{Feed: uint32(feed), Seq: uint32(where.Seq), At: at, Title: line.FeedTitle, Head: head}
	if f == nil {
		row.Origin, row.Site = web(line.FeedURL), web(line.SiteURL)
	}
	there, other, err := i.has(ctx, label, id, h.Identity)
	// Two items may have the same id: archived ones of two accounts, and of one account those before 2026, where the
	// minutes of ids begin.
	first := id
	for n := uint64(1); !listed && err == nil && other && n < 1024; n++ {
		id = i.nextID(first, brought, h.Identity, n)
		there, other, err = i.has(ctx, label, id, h.Identity)
	}
	if err != nil {
		return err
	}
	if !there {
		// The body is sanitised again: an archive is untrusted.
		if err := row.SetBody(ctx, i.blobs, i.user, label, id, sanitize.HTML(line.HTML, line.Link),
			i.clock.Now()); err != nil {
			return err
		}
		if err := i.store.Snapshots.Put(ctx, i.user, label, id, row); err != nil {
			return err
		}
	}
	i.out.Items++
	if !listed {
		return nil
	}
	op := reader.Op{Kind: reader.OpStar, Seqs: []reader.Seq{where.Seq}}
	if label != 0 {
		op.Kind, op.Label = reader.OpLabel, label
	}
	i.marks[f] = append(i.marks[f], op)
	return nil
}

// setMarks sets the stars and labels in the read state of their feeds.
func (i *importer) setMarks(ctx context.Context) error {
	for f, ops := range i.marks {
		err := i.change(ctx, f, func(*store.SubscriptionRow) []reader.Op { return ops })
		if err := i.failLine(f.URL, err); err != nil {
			return err
		}
	}
	return nil
}

// nextID returns the nth id that is tried for an item after the first one was another's, the same each time.
func (i *importer) nextID(first reader.ItemID, brought bool, identity, n uint64) reader.ItemID {
	if brought {
		return reader.NewItemID(first.Stamp(), first.Feed(), (first.SeqLow()+reader.Seq(n))&1023)
	}
	h := (identity + n) * 0x9E3779B97F4A7C15 // spreads them over three days
	stamp := min(first.Stamp(), reader.MinuteOf(i.clock.Now())-1<<12) + reader.Minute(h>>52)
	return reader.NewItemID(stamp, first.Feed(), reader.Seq(h>>42)&1023)
}

// place returns where a feed lists an item; otherwise Seq is 0, and the stamp that of the item's date. f may be nil.
func (i *importer) place(ctx context.Context, f *store.FeedRow, h *store.Header) (store.Place, error) {
	if f != nil {
		places, err := i.places(ctx, f)
		if p, listed := places[h.Identity]; err != nil || listed {
			return p, err
		}
	}
	stamp := reader.MinuteOf(i.clock.Now())
	if at := cmp.Or(h.Sort, h.Published); at > 0 {
		stamp = min(stamp, reader.MinuteOf(time.Unix(at, 0)))
	}
	return store.Place{Stamp: stamp}, nil
}

// has reports whether a star or label of an id exists, and whether it is another item's.
func (i *importer) has(ctx context.Context, label reader.LabelID, id reader.ItemID, identity uint64) (there,
	other bool, err error) {
	row, err := i.store.Snapshots.Latest(ctx, i.user, label, id)
	if fault.Is(err, fault.NotFound) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	h, err := row.Header()
	return true, h.Identity != identity, err
}

// header returns what a list shows of an item; addresses other than http are left out.
func (j *itemJSON) header() store.Header {
	h := store.Header{
		Identity: uint64(j.Identity), Title: j.Title, Link: web(j.Link), Author: j.Author, Published: unix(j.Published),
		Updated: unix(j.Updated),
		Sort:    cmp.Or(unix(j.Sorted), unix(j.Published)), Estimated: j.Estimated, Snippet: j.Snippet,
		Image: web(j.Image), ImageSize: store.Size{Width: j.Width, Height: j.Height}, Lang: j.Lang, Categories: j.Tags,
	}
	for _, f := range j.Files {
		if f.URL = web(f.URL); f.URL != "" {
			h.Enclosures = append(h.Enclosures, store.Enclosure(f))
		}
	}
	return h
}

func web(address string) string {
	if l := strings.ToLower(address); !strings.HasPrefix(l, "https://") && !strings.HasPrefix(l, "http://") {
		return ""
	}
	if fetch.HostOf(address) == "" {
		return ""
	}
	return address
}
