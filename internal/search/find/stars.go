package find

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// starsAtOnce bounds the stars that a page looks through: each is a row with the body, of some kilobytes.
const starsAtOnce = 2000

// stars adds results among stars that the engine does not know: their feed was left, or their item removed.
func (f *finding) stars(ctx context.Context, before reader.ItemID) error {
	p := &f.out
	if len(p.Items) >= f.limit {
		p.Next = f.q.starsFrom(before)
		return nil
	}
	looked, last := 0, before
	err := f.s.streams.EachStar(ctx, f.u, &f.in, before,
		func(e stream.Entry, row *store.SnapshotRow, sub *stream.Subscribed) (bool, error) {
			if looked == starsAtOnce || len(p.Items) >= f.limit {
				p.Next = f.q.starsFrom(last)
				if len(p.Items) < f.limit {
					p.Reached = e.Header.Sort
				}
				return false, nil
			}
			looked++
			last = e.ID
			if !f.isKept(&e, sub) {
				return true, nil
			}
			text, err := keptText(ctx, row)
			if err != nil {
				return false, err
			}
			it := query.Fold(&query.Item{Title: e.Header.Title, Author: e.Header.Author, Snippet: e.Header.Snippet,
				Categories: e.Header.Categories, Text: text})
			if f.parsed.Matches(it) {
				title, text := f.parsed.Highlight(it)
				f.add(e, title, text)
			}
			return true, nil
		})
	if err != nil {
		return err
	}
	return f.s.streams.LabelKept(ctx, f.u, f.shown, f.in.All)
}

// isKept reports whether only its snapshot has a star, and the star matches the wanted scope, state and time.
func (f *finding) isKept(e *stream.Entry, sub *stream.Subscribed) bool {
	if sub == nil && f.q.Scope != (stream.Scope{}) || sub != nil && !slices.Contains(f.in.Feeds, sub) {
		return false
	}
	if sub != nil {
		if w := sub.Wanted(stream.Starred); w != nil && w(e.Seq) {
			return false // found in its feed
		}
	}
	q := f.parsed
	return !(q.Unread && e.Read) && e.Header.Sort >= q.From && (q.To == 0 || e.Header.Sort < q.To)
}

// keptText is the text of a star's body, if its row has it: a larger one would be a request of its own.
func keptText(ctx context.Context, row *store.SnapshotRow) (string, error) {
	if row.Blob != "" {
		return "", nil
	}
	html, err := row.ReadBody(ctx, nil)
	return reader.CutBytes(extract.Text(html), query.MaxText), err
}
