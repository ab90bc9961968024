package takeout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Imported tells what an import did.
type Imported struct {
	Subscribed int // newly
	Feeds      int // of the archive, that are subscribed to now
	Waiting    int // feeds whose first crawl is still to come: their read state is brought in by asking again
	Items      int // stars and labels that are there now
	// ItemsWaiting are those of waiting feeds.
	ItemsWaiting int
	Rules        int
	Failed       []Failure
}

// Failure is one line that could not be brought in.
type Failure struct{ URL, Code, Message string }

// maxFailures bounds what is told, maxSubscriptions the lines of subscriptions: each is looked up.
const (
	maxFailures      = 500
	maxSubscriptions = 20_000
)

// Import brings an archive into a user's account. What is there already stays: folders and labels of the same name are
// the same, a subscription that exists keeps its settings, what was read in either is read. Asked again with the same
// archive it does what was left: after the first crawl of a feed its read state, named by the items' identities.
func (s *Service) Import(ctx context.Context, u reader.UserID, from io.ReaderAt, size int64) (*Imported, error) {
	a, err := openArchive(from, size)
	if err != nil {
		return nil, err
	}
	i := &importer{Service: s, user: u, archive: a, feeds: map[string]*store.FeedRow{}, items: map[reader.FeedID]map[uint64]place{}, first: map[reader.FeedID]string{}}
	var about aboutJSON
	if err := i.value(ctx, aboutFile, &about); ctx.Err() != nil {
		return nil, err
	} else if err != nil || about.Format != format {
		return nil, notOurs()
	}
	if about.Version > version {
		return nil, fault.Newf(fault.Invalid, "takeout_newer", "This archive was made by a newer version of the program.")
	}
	for _, step := range []func(context.Context) error{i.settings, i.subscriptions, i.rules, i.stars} {
		if err = step(ctx); err != nil {
			break
		}
	}
	// What was subscribed before a failure is crawled all the same.
	if len(i.first) > 0 {
		err = cmp.Or(err, s.feeds.FirstCrawls(ctx, i.first))
	}
	if _, gone := s.store.Accounts.Get(ctx, u, table.Consistent()); fault.Is(gone, fault.NotFound) {
		// Removed while the archive was read: what it brought in goes too.
		return nil, cmp.Or(s.Remove(ctx, u, ""), gone)
	}
	return &i.out, err
}

func notOurs() error {
	return fault.Newf(fault.Invalid, "not_takeout", "This is not an archive that this program made.")
}

func broken(name string, cause error) error {
	e := fault.Newf(fault.Invalid, "takeout_broken", "The archive is broken in %s.", name)
	e.Cause = cause
	return e
}

// place is where an item stands in this installation.
type place struct {
	seq   reader.Seq
	stamp reader.Minute
}

type importer struct {
	*Service
	*archive
	user  reader.UserID
	out   Imported
	tree  reader.Tree
	feeds map[string]*store.FeedRow // by the address that the archive has
	items map[reader.FeedID]map[uint64]place
	first map[reader.FeedID]string // those that wait for their first crawl
	held  int
}

func (i *importer) fail(url string, err error) {
	if len(i.out.Failed) < maxFailures {
		i.out.Failed = append(i.out.Failed, Failure{URL: url, Code: fault.CodeOf(err), Message: message(err)})
	}
}

func message(err error) string {
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" {
		return fe.Message
	}
	return fault.CodeOf(err)
}

// ofTheLine tells what is wrong with one line from what is wrong with us: that ends the import, to be asked again.
func ofTheLine(err error) bool {
	return fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.TooLarge)
}

func (i *importer) settings(ctx context.Context) error {
	var prefs map[string]json.RawMessage
	if err := i.value(ctx, preferencesFile, &prefs); err != nil {
		return err
	}
	_, err := i.store.Preferences.Change(ctx, i.user, func(p reader.Preferences) (reader.Preferences, error) {
		for name, v := range prefs { // one by one: what this version does not know is left out
			if next, err := p.Change(map[string]json.RawMessage{name: v}); err == nil {
				p = next
			}
		}
		return p, nil
	})
	if err != nil {
		return err
	}
	var tree treeJSON
	if err := i.value(ctx, treeFile, &tree); err != nil {
		return err
	}
	i.tree, err = i.store.Trees.Change(ctx, i.user, func(t *reader.Tree) error {
		for _, path := range tree.Folders {
			t.Ensure(path)
		}
		for _, name := range tree.Labels {
			_, _ = t.AddLabel(reader.CutName(name)) // one that is there is the same; beyond the bound it is left out
		}
		return nil
	})
	return err
}

func (i *importer) subscriptions(ctx context.Context) error {
	n := 0
	return lines(ctx, i.archive, subscriptionsFile, func(line *subscriptionJSON) error {
		if n++; n > maxSubscriptions {
			return tooLarge(subscriptionsFile)
		}
		err := i.subscription(ctx, line)
		if err != nil && ofTheLine(err) {
			i.fail(line.URL, err)
			return nil
		}
		return err
	})
}

func (i *importer) folders(paths [][]string) (out []int32) {
	for _, path := range paths[:min(len(paths), reader.MaxFolders)] {
		if id := i.tree.Ensure(path); id != 0 { // every one is there; of a broken archive the others are left out
			out = append(out, int32(id))
		}
	}
	return out
}

func (i *importer) subscription(ctx context.Context, line *subscriptionJSON) error {
	f, made, err := i.Service.feeds.Adopt(ctx, i.user, line.URL, line.FeedTitle, line.SiteURL, i.folders(line.Folders), line.Interval)
	if err != nil {
		return err
	}
	i.feeds[line.URL] = f
	i.out.Feeds++
	if made {
		i.out.Subscribed++
	}
	if err := i.own(ctx, f, line); err != nil {
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
				out = append(out, p.seq)
			}
		}
		return out
	}
	read, unread, hidden := seqs(line.Read), seqs(line.Unread), seqs(line.Hidden)
	return i.change(ctx, f, func(row *store.SubscriptionRow) []reader.Op {
		ops := []reader.Op{{Kind: reader.OpRead, Seqs: read}, {Kind: reader.OpHide, Seqs: hidden}}
		if row.Rev == 0 { // nobody has read here yet: what was unread there is unread here
			ops = append(ops, reader.Op{Kind: reader.OpUnread, Seqs: unread})
		}
		return ops
	})
}

// own brings a subscription's settings into one whose own nobody has set yet.
func (i *importer) own(ctx context.Context, f *store.FeedRow, line *subscriptionJSON) error {
	row, err := i.store.Subscriptions.Get(ctx, i.user, f.ID())
	if err != nil || row.OwnRev > 0 {
		return err
	}
	p := store.Patch{
		"title": line.Title, "position": line.Position, "mute": line.Mute, "fullText": line.FullText, "notify": line.Notify,
	}
	if at := unix(line.Since); at > 0 && at < row.Since {
		p["since"] = at
	}
	_, err = i.store.Subscriptions.Change(ctx, i.user, row, p)
	return err
}

// tries bounds how often a change is tried again after another one came between.
const tries = 8

// change changes a subscription as one write, none when nothing differs.
func (i *importer) change(ctx context.Context, f *store.FeedRow, ops func(*store.SubscriptionRow) []reader.Op) error {
	for range tries {
		row, err := i.store.Subscriptions.Get(ctx, i.user, f.ID())
		if err != nil {
			return err
		}
		base := row.State()
		if row.Rev == 0 && row.Upto == 0 && f.FirstSeq > newestUnread {
			base.Upto = reader.Seq(f.FirstSeq - newestUnread) // as it is shown while nobody has touched it
		}
		state, changed := reader.Apply(base, reader.Change{
			Ops: ops(row), Floor: reader.Seq(f.Floor), Last: reader.Seq(f.Seq), At: i.clock.Now().UnixMilli(),
		})
		if !changed {
			return nil
		}
		err = i.store.Subscriptions.Replace(ctx, row.WithState(state), row.Rev)
		if !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "state_contended", "takeout: subscription", nil)
}

// maxHeld is of how many items the places are remembered.
const maxHeld = 200_000

// places maps the items of a feed by identity.
func (i *importer) places(ctx context.Context, f *store.FeedRow) (map[uint64]place, error) {
	if m, ok := i.items[f.ID()]; ok {
		return m, nil
	}
	if i.held > maxHeld {
		i.held = 0
		clear(i.items)
	}
	m := map[uint64]place{}
	i.items[f.ID()] = m
	err := i.eachItem(ctx, f, func(h *store.Header, seq reader.Seq, at reader.Minute) { m[h.Identity] = place{seq, at} })
	i.held += len(m)
	return m, err
}

func (i *importer) rules(ctx context.Context) error {
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
		r, ok := i.rule(j)
		if !ok || have[r.ID] {
			continue
		}
		r.Since = now // for what arrives from here on; what came before was judged there
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

// rule puts this installation's numbers into a rule. One whose scope is not here would be about everything: it is
// left out, as is one whose label is not.
func (i *importer) rule(j ruleJSON) (rules.Rule, bool) {
	r := j.Rule
	r.Name, r.Feeds, r.Folders = reader.CutName(r.Name), nil, i.folders(j.FolderPaths)
	for _, url := range j.FeedURLs {
		if f := i.feeds[url]; f != nil {
			r.Feeds = append(r.Feeds, f.ID())
		}
	}
	if len(j.FeedURLs)+len(j.FolderPaths) > 0 && len(r.Feeds)+len(r.Folders) == 0 {
		return r, false
	}
	for n := range r.Actions {
		if r.Actions[n].Do != rules.WithLabel {
			continue
		}
		if n >= len(j.LabelNames) {
			return r, false
		}
		id := i.label(j.LabelNames[n])
		if id == 0 {
			return r, false
		}
		r.Actions[n].Label = int32(id)
	}
	return r, true
}

func (i *importer) label(name string) reader.LabelID {
	for _, l := range i.tree.Labels {
		if l.Name == name {
			return l.ID
		}
	}
	return 0
}

func (i *importer) stars(ctx context.Context) error {
	return lines(ctx, i.archive, itemsFile, func(line *itemJSON) error {
		err := i.item(ctx, line)
		if err != nil && ofTheLine(err) {
			i.fail(line.Link, err)
			return nil
		}
		return err
	})
}

// item keeps one star or label: the body if it is large, the snapshot, then the bit, as a starring does. An item that
// its feed does not list here gets a number of its own making, the same each time.
func (i *importer) item(ctx context.Context, line *itemJSON) error {
	label := i.label(line.Label)
	if line.Starred == "" && label == 0 {
		return broken(itemsFile, nil)
	}
	h := line.header()
	head, err := store.PackHeaders([]store.Header{h})
	if err != nil {
		return err
	}
	feed := reader.MaxFeedID // stands for none: the star outlives its feed
	f := i.feeds[line.FeedURL]
	own, err := reader.ParseItemID(line.Archive)
	brought := err == nil && own.Feed() == reader.ArchiveFeed
	if brought {
		f = nil
	}
	if f != nil && f.Fresh() {
		i.out.ItemsWaiting++ // whether its feed still lists it will be known then
		return nil
	}
	where := place{stamp: reader.MinuteOf(i.clock.Now())}
	if at := cmp.Or(h.Sort, h.Published); at > 0 {
		where.stamp = min(where.stamp, reader.MinuteOf(time.Unix(at, 0)))
	}
	listed := false
	if f != nil {
		feed = f.ID()
		places, err := i.places(ctx, f)
		if err != nil {
			return err
		}
		var p place
		if p, listed = places[h.Identity]; listed {
			where = p
		}
	}
	low := where.seq
	if !listed {
		low = reader.Seq(h.Identity & 1023)
	}
	id := reader.NewItemID(where.stamp, feed, low)
	if brought {
		id = own
	}
	at := cmp.Or(unix(line.Starred), unix(line.Labelled), i.clock.Now().Unix())
	row := store.StarRow{Feed: uint32(feed), Seq: uint32(where.seq), At: at, Title: line.FeedTitle, Head: head}
	if f == nil {
		row.Origin, row.Site = web(line.FeedURL), web(line.SiteURL)
	}
	there, other, err := i.has(ctx, label, id, h.Identity)
	// Two that were brought along to two accounts may go by the same number.
	for n := reader.Seq(1); brought && err == nil && other && n < 1024; n++ {
		id = reader.NewItemID(own.Stamp(), feed, (own.SeqLow()+n)&1023)
		there, other, err = i.has(ctx, label, id, h.Identity)
	}
	if err != nil {
		return err
	}
	if !there {
		if err := i.body(ctx, &row, label, id, line); err != nil {
			return err
		}
		if label != 0 {
			err = i.store.Labels.Put(ctx, i.user, label, id, row)
		} else {
			err = i.store.Stars.Put(ctx, i.user, id, row)
		}
		if err != nil {
			return err
		}
	}
	i.out.Items++
	if !listed {
		return nil
	}
	op := reader.Op{Kind: reader.OpStar, Seqs: []reader.Seq{where.seq}}
	if label != 0 {
		op.Kind, op.Label = reader.OpLabel, label
	}
	return i.change(ctx, f, func(*store.SubscriptionRow) []reader.Op { return []reader.Op{op} })
}

// has tells whether there is a star or label of an id, and whether it is another item's.
func (i *importer) has(ctx context.Context, label reader.LabelID, id reader.ItemID, identity uint64) (there, other bool, err error) {
	var row *store.StarRow
	if label != 0 {
		row, err = i.store.Labels.Latest(ctx, i.user, label, id)
	} else {
		row, err = i.store.Stars.Latest(ctx, i.user, id)
	}
	if fault.Is(err, fault.NotFound) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	h, err := row.Header()
	return true, h.Identity != identity, err
}

// body cleans a body anew: an archive is a stranger's word.
func (i *importer) body(ctx context.Context, row *store.StarRow, label reader.LabelID, id reader.ItemID, line *itemJSON) error {
	html := sanitize.HTML(line.HTML, line.Link)
	if html == "" {
		return nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 6)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, html); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if b.Len() <= store.MaxStarBody {
		row.Body = b.Bytes()
		return nil
	}
	if row.Blob = store.StarBlobKey(i.user, id, i.clock.Now()); label != 0 {
		row.Blob = store.LabelBlobKey(i.user, label, id, i.clock.Now()) // else it would be taken for a star's without a row
	}
	return i.blobs.Put(ctx, row.Blob, b.Bytes(), blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"})
}

// header takes what a list shows of an item; addresses that are none of the web are left out.
func (j *itemJSON) header() store.Header {
	h := store.Header{
		Identity: uint64(j.Identity), Title: j.Title, Link: web(j.Link), Author: j.Author, Published: unix(j.Published), Updated: unix(j.Updated),
		Sort: cmp.Or(unix(j.Sorted), unix(j.Published)), Estimated: j.Estimated, Snippet: j.Snippet, Image: web(j.Image), ImageSize: store.Size{Width: j.Width, Height: j.Height}, Lang: j.Lang, Categories: j.Tags,
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
