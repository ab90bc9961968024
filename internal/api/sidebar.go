package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// listFeeds answers the side bar, or its changes since an answer.
func (s *Server) listFeeds(r *request) error {
	a, err := s.Auth.Account(r.Context(), r.user)
	if err != nil {
		return err
	}
	tree, err := s.Store.Trees.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	bar, err := s.sideBar(r.Context(), r.language(), a, &tree)
	if err != nil {
		return err
	}
	if token := r.URL.Query().Get("since"); token != "" {
		if changed, removed, ok := bar.now.since(token); ok {
			return bar.answerChanges(r, changed, removed)
		}
	}
	return bar.list.answer(r, bar.now, `{"isDelta":false,"feeds":`, bar.tail)
}

// sideBar is a user's list of feeds, ready to be answered.
type sideBar struct {
	list *feedList
	now  *listVersion
	tail string // the members after the feeds
}

func (s *Server) sideBar(ctx context.Context, lang string, a *store.Account, tree *library.Tree) (*sideBar, error) {
	list, err := s.Streams.Feeds(ctx, a.ID())
	if err != nil {
		return nil, err
	}
	parts, err := s.parts(ctx)
	if err != nil {
		return nil, err
	}
	checks, err := s.Store.Checks.Revision(ctx)
	if err != nil {
		return nil, err
	}
	bar := &sideBar{list: s.lists.get(listKey{a.ID(), lang})}
	by := &feedShaper{s, newFeedShape(lang, tree), parts}
	if bar.now, err = bar.list.update(ctx, list, basis{tree.Folders, parts, checks}, by); err != nil {
		return nil, err
	}
	sum := bar.now.sum
	bar.tail = fmt.Sprintf(
		`,"totals":{"feeds":%d,"unread":%d,"starred":%d},"limits":{"feeds":%d,"uploadBytes":%d},"since":"%s"}`+"\n",
		sum.Feeds, sum.Unread, sum.Starred, s.Subscribe.Cap(a), s.upload(maxTakeout), bar.now.token())
	return bar, nil
}

// answerWith answers with the members of an object and the list after them.
func (b *sideBar) answerWith(r *request, members []byte) error {
	buf := buffer()
	defer giveBack(buf)
	b.now.between(buf, string(members[:len(members)-1])+`,"feeds":`, b.tail)
	return r.bytes(http.StatusOK, jsonType, buf.Bytes())
}

// answerChanges answers with some of the feeds and the ids of others that are gone.
func (b *sideBar) answerChanges(r *request, changed []*listedFeed, removed []reader.FeedID) error {
	feeds := make([]json.RawMessage, len(changed))
	for i, f := range changed {
		feeds[i] = f.json
	}
	head, err := json.Marshal(struct {
		IsDelta bool              `json:"isDelta"`
		Removed []reader.FeedID   `json:"removed"`
		Feeds   []json.RawMessage `json:"feeds"`
	}{true, notNil(removed), feeds})
	if err != nil {
		return err
	}
	return r.bytes(http.StatusOK, jsonType, append(head[:len(head)-1], b.tail...))
}

// feedShaper shapes the feeds of a side bar.
type feedShaper struct {
	*Server
	with  *feedShape
	parts int
}

// order sorts by the user's positions, then by id. The list is shared, so it is copied when the order changes; most
// lists have no positions.
func (h *feedShaper) order(list []*stream.Subscribed) []*stream.Subscribed {
	byPosition := func(a, b *stream.Subscribed) int { return cmp.Compare(a.Sub.Position, b.Sub.Position) }
	if slices.IsSortedFunc(list, byPosition) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, byPosition)
	return list
}

// prepare reads what the feeds' shapes will need.
func (h *feedShaper) prepare(ctx context.Context, list []*stream.Subscribed) error {
	polled := make([]store.PolledFeed, len(list))
	for i, x := range list {
		polled[i] = store.PolledFeed{FeedRow: x.Feed, Part: schedule.Part(x.Host, h.parts)}
	}
	return h.Store.Checks.Prepare(ctx, polled)
}

// shape makes a feed of a list as of a time. Its times change with the tick, and when its publisher's wait ends.
func (h *feedShaper) shape(ctx context.Context, f *listedFeed, now time.Time) error {
	x := f.of
	checked, err := h.Store.Checks.Check(ctx, x.Feed, schedule.Part(x.Host, h.parts))
	if err != nil {
		return err
	}
	f.until = (schedule.TickOf(now) + 1).Start()
	if wait := time.Unix(x.Feed.NotBefore, 0); wait.After(now) && wait.Before(f.until) {
		f.until = wait
	}
	if !checked.Until.IsZero() && checked.Until.Before(f.until) {
		f.until = checked.Until
	}
	// The two parts of the shape are written one by one, because the hash is of the first one.
	shape := h.feedAsOf(h.with, x, checked, now)
	buf := buffer()
	defer giveBack(buf)
	if err := encode(buf, &shape.feedFacts); err != nil {
		return err
	}
	buf.Truncate(buf.Len() - len("}\n"))
	f.steady = steadyWith(xxhash.Sum64(buf.Bytes()), x.Feed, checked)
	at := buf.Len()
	if err := encode(buf, &shape.feedTimes); err != nil {
		return err
	}
	f.json = bytes.Clone(buf.Bytes()[:buf.Len()-len("\n")])
	f.json[at] = ',' // was the second part's bracket
	return nil
}

// steadyWith returns a hash of everything that determines the times of a feed's checks, except the clock.
func steadyWith(steady uint64, f *store.FeedRow, c store.Check) uint64 {
	var b [40]byte
	for i, n := range [...]uint64{steady, uint64(f.First), uint64(f.Errors), uint64(f.NotBefore),
		uint64(c.OffTurn.Unix())} {
		binary.LittleEndian.PutUint64(b[8*i:], n)
	}
	return xxhash.Sum64(b[:])
}
