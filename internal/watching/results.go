package watching

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Sort is an order of results.
type Sort string

// The orders.
const (
	ByPrice Sort = "price" // the cheapest first; those without a price last
	ByDate  Sort = "date"  // what was seen last for the first time comes first
	BySold  Sort = "sold"  // what was sold last comes first; then what is not sold
)

// Query selects results of a watch.
type Query struct {
	Status   watch.Status // 0: all
	Min, Max int64        // of the price, in minor units; 0: no bound
	Words    string       // all of them are in the title
	Sort     Sort
	Cursor   string
	Limit    int // 0: all
}

// Found is a result. Item is the one that announced it first; 0 where none did, or it is no longer kept.
type Found struct {
	watch.Thing
	Item reader.ItemID
}

// Page is a page of results.
type Page struct {
	Results []Found
	Next    string // cursor of the next page; empty at the end
	Total   int    // how many match
}

// Results returns a page of what a watch found.
func (s *Service) Results(ctx context.Context, u reader.UserID, w *Watch, q Query) (Page, error) {
	q.Sort = cmp.Or(q.Sort, ByPrice)
	after, err := parseCursor(q.Cursor, q.Sort)
	if err != nil {
		return Page{}, err
	}
	things, err := s.things(ctx, w, q.Status != watch.OnSale)
	if err != nil {
		return Page{}, err
	}
	things = slices.DeleteFunc(things, q.leavesOut())
	p := Page{Total: len(things)}
	slices.SortFunc(things, func(a, b watch.Thing) int { return q.Sort.place(&a).compare(q.Sort.place(&b)) })
	if q.Cursor != "" {
		i, _ := slices.BinarySearchFunc(things, after, func(t watch.Thing, to place) int {
			return cmp.Or(q.Sort.place(&t).compare(to), -1) // behind the last result of the page before
		})
		things = things[i:]
	}
	if q.Limit > 0 && len(things) > q.Limit {
		things = things[:q.Limit]
		p.Next = q.Sort.place(&things[q.Limit-1]).cursor(q.Sort)
	}
	p.Results = make([]Found, len(things))
	for i, t := range things {
		p.Results[i].Thing = t
	}
	if q.Limit > 0 {
		err = s.addItems(ctx, u, w, p.Results)
	}
	return p, err
}

// things reads what is known of a watch's results: those that are live, or all of the history.
func (s *Service) things(ctx context.Context, w *Watch, all bool) ([]watch.Thing, error) {
	st, changes, err := s.Store.Watches.Load(ctx, w.Feed, false)
	if err != nil {
		return nil, err
	}
	from := beginning.Unix()
	if !all {
		from = s.Clock.Now().Unix()
		for _, r := range st.Live() { // the texts of a result are in the month in which it was seen first
			from = min(from, r.FirstSeen)
		}
	}
	histories, err := s.Store.Watches.Histories(ctx, w.ID(), watch.Month(from), watch.Month(s.Clock.Now().Unix()))
	if err != nil {
		return nil, err
	}
	return watch.Things(st, changes, histories), nil
}

// leavesOut returns a function that tells results that do not match. Words and prices are compared as those of
// settings.
func (q *Query) leavesOut() func(watch.Thing) bool {
	set := watch.Settings{Words: strings.Fields(q.Words), Min: q.Min, Max: q.Max}
	return func(t watch.Thing) bool {
		row := listing.Row{Title: t.Title}
		if t.Price >= 0 {
			row.Price = &listing.Price{Amount: t.Price, Currency: t.Currency}
		}
		return q.Status != 0 && t.Status != q.Status || !set.Fits(&row)
	}
}

// place is where a result stands in an order: what it is sorted by, ascending, and its key.
type place struct {
	by  int64
	key watch.Key
}

func (p place) compare(to place) int {
	return cmp.Or(cmp.Compare(p.by, to.by), cmp.Compare(p.key, to.key))
}

const last = 1<<63 - 1

func (o Sort) place(t *watch.Thing) place {
	by := t.Price
	switch o {
	case ByDate:
		by = -t.FirstSeen
	case BySold:
		if by = -t.SoldAt; t.SoldAt == 0 {
			by = last
		}
	default:
		if by < 0 {
			by = last
		}
	}
	return place{by, t.Result.Key}
}

// cursor names a place in an order: what comes behind it is the same however many results there are by then.
func (p place) cursor(o Sort) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %d %x", o, p.by, uint64(p.key)))
}

func parseCursor(s string, o Sort) (p place, err error) {
	if s == "" {
		return p, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	parts := strings.Split(string(b), " ")
	if err != nil || len(parts) != 3 || Sort(parts[0]) != o {
		return p, badCursor()
	}
	by, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return p, badCursor()
	}
	key, err := strconv.ParseUint(parts[2], 16, 64)
	if err != nil {
		return p, badCursor()
	}
	return place{by, watch.Key(key)}, nil
}

func badCursor() error { return fault.Coded(fault.Invalid, "bad_cursor").At("cursor") }

// addItems looks up the items that announced results first.
func (s *Service) addItems(ctx context.Context, u reader.UserID, w *Watch, list []Found) error {
	seqs := make([]reader.Seq, len(list))
	for i, r := range list {
		seqs[i] = r.Seq
	}
	entries, err := s.entries(ctx, u, w, seqs)
	for i, e := range entries {
		if e != nil {
			list[i].Item = e.ID
		}
	}
	return err
}

// maxEvents is how many events of a result are shown.
const maxEvents = 100

// Result returns one result with the items that announced its changes, the newest first.
func (s *Service) Result(ctx context.Context, u reader.UserID, w *Watch, key watch.Key) (*Found,
	[]*stream.Entry, error) {
	things, err := s.things(ctx, w, true)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(things, func(t watch.Thing) bool { return t.Result.Key == key })
	if i < 0 {
		return nil, nil, fault.Coded(fault.NotFound, "result_not_found")
	}
	found := &Found{Thing: things[i]}
	seqs := []reader.Seq{found.Seq}
	for _, m := range slices.Backward(found.Events) {
		seqs = append(seqs, m.Seq)
	}
	entries, err := s.entries(ctx, u, w, seqs[:min(len(seqs), maxEvents+1)])
	if err != nil {
		return nil, nil, err
	}
	if first := entries[0]; first != nil {
		found.Item = first.ID
	}
	return found, slices.DeleteFunc(entries[1:], func(e *stream.Entry) bool { return e == nil }), nil
}

// entries returns items of a watch by their seqs; nil where one is no longer kept.
func (s *Service) entries(ctx context.Context, u reader.UserID, w *Watch, seqs []reader.Seq) ([]*stream.Entry, error) {
	in, err := s.Streams.Searchable(ctx, u, stream.Scope{Feed: w.ID()}, stream.All, false)
	if err != nil {
		return nil, err
	}
	places := make([]stream.Place, len(seqs))
	for i, seq := range seqs {
		places[i] = stream.Place{Feed: w.ID(), Seq: seq}
	}
	return s.Streams.Pick(ctx, &in, places)
}
