package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// news are a feed's items that the index lacks or has in an older version, in memory until feed or index change.
type news struct {
	at     stateOf
	items  []newsItem
	edited []reader.Run // of the items that segments have in an older version
	isCut  bool         // there are more items
	isPoor bool         // some texts were not read
	// hasTexts is false if texts were not needed.
	hasTexts bool
}

// stateOf is the state on which a feed's news depend: when it changes, they are loaded again.
type stateOf struct {
	covered, last reader.Seq
	edits         uint32
	edited        int // deltas
}

type newsItem struct {
	header store.Header
	seq    reader.Seq
	stamp  reader.Minute
	text   string
	folded string // all texts, as the index folds them
}

// matches decides whether an item matches; most do not have one of the words at all.
func (x *newsItem) matches(q *query.Query) bool {
	for i := range q.Terms {
		if t := &q.Terms[i]; !t.Not && !strings.Contains(x.folded, t.Index) {
			return false
		}
	}
	return q.Matches(item(&x.header, x.text))
}

// news returns those of a feed, whose named deltas were edited.
func (u *unindexed) news(ctx context.Context, f *scoped, edited []reader.Seq) (*news, error) {
	n := &news{at: stateOf{f.covered, f.last(), f.Row.Edits, len(edited)}, hasTexts: u.q.ReadsTexts()}
	isKept := f.Row.Edited >= 0
	if kept, ok := u.fresh.Get(f.id); ok && isKept && kept.at == n.at && (kept.hasTexts || !n.hasTexts) {
		return kept, nil
	}
	// All that is not covered is read, for searches with another Above.
	from := max(f.covered, f.floor()) + 1
	l := loading{u: u, f: f, n: n}
	if u.texts != nil && n.hasTexts {
		l.texts = u.texts.Reader()
	}
	if err := l.load(ctx, from, edited); err != nil {
		return nil, err
	}
	if isKept && !n.isCut && !n.isPoor {
		weight := weightless
		for i := range n.items {
			x := &n.items[i]
			weight += 2*weightless + len(x.text) + 2*len(x.folded)
		}
		u.fresh.Put(f.id, n, weight)
	}
	return n, nil
}

// loading reads a feed's news.
type loading struct {
	u     *unindexed
	f     *scoped
	n     *news
	texts *texts.Reader // nil: texts are not searched
}

// load reads the edited deltas, and those from a seq on, newest first.
func (l *loading) load(ctx context.Context, from reader.Seq, edited []reader.Seq) error {
	u, f := l.u, l.f
	for _, first := range edited {
		if !u.take() {
			l.n.isCut = true // none of the old versions is shown
			break
		}
		d, err := u.store.Items.Get(ctx, f.id, first)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err == nil {
			l.n.edited = append(l.n.edited, reader.Run{From: d.First(), To: d.Last()})
			err = l.delta(ctx, d, 1, f.covered)
		}
		if err != nil {
			return err
		}
	}
	if from > f.last() {
		return nil
	}
	first := f.last() + 1 // of the deltas read
	latest := f.Row.ChangedLately(u.clock.Now())
	err := u.store.Items.Between(ctx, f.id, from, f.last(), latest, func(d *store.DeltaRow) (bool, error) {
		if !u.take() {
			l.n.isCut = true
			return false, nil
		}
		first = d.First()
		return true, l.delta(ctx, d, from, f.last())
	})
	if err != nil || first <= from || l.n.isCut {
		return err
	}
	// The first wanted item is in the middle of a delta.
	if !u.take() {
		l.n.isCut = true
		return nil
	}
	list, _, _, err := u.store.Items.Window(ctx, f.id, from, true, 1, latest)
	if err != nil || len(list) == 0 || list[0].Last() < from {
		return err
	}
	return l.delta(ctx, list[0], from, first-1)
}

// delta adds the items of a delta, from a seq to another.
func (l *loading) delta(ctx context.Context, d *store.DeltaRow, from, to reader.Seq) error {
	headers, err := d.Headers()
	if err != nil {
		return err
	}
	for i := range headers {
		x := newsItem{header: headers[i], seq: d.First() + reader.Seq(i), stamp: reader.Minute(d.Stamp)}
		if x.seq < from || x.seq > to {
			continue
		}
		if x.text, err = l.text(ctx, cmp.Or(x.header.Raw, d.Raw), &x.header); err != nil {
			return err
		}
		h := &x.header
		for _, s := range slices.Concat([]string{h.Title, h.Author, h.Snippet}, h.Categories,
			[]string{reader.CutBytes(x.text, query.MaxText)}) {
			x.folded += match.Kana.Fold(s) + "\n"
		}
		l.n.items = append(l.n.items, x)
	}
	return nil
}

// text reads an item's text, if it may be read.
func (l *loading) text(ctx context.Context, raw string, h *store.Header) (string, error) {
	if l.texts == nil {
		return "", nil
	}
	if text, ok := l.texts.Known(raw, h); ok {
		return text, nil
	}
	if l.u.bodies.Add(-1) < 0 {
		l.n.isPoor = true
		return "", nil
	}
	return l.texts.Text(ctx, l.f.Row, raw, h)
}
