package api

import (
	"cmp"
	"context"
	"encoding/binary"
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

// listFeeds answers the side bar, or what changed in it since an answer.
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
	return bar.answer(r, []byte(`{"isDelta":false,`))
}

// sideBar is a user's list of feeds, ready to be answered.
type sideBar struct {
	by   *feedShaper
	list *keptList
	now  *listVersion
	tail []byte // the members after the feeds
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
	bar := &sideBar{by: &feedShaper{s, newFeedShape(lang, tree), parts}, list: s.lists.get(listKey{a.ID(), lang})}
	bar.now, err = bar.list.update(ctx, list, basis{tree.Folders, parts, checks}, s.Clock.Now, bar.by)
	if err != nil {
		return nil, err
	}
	sum := bar.now.sum
	bar.tail = fmt.Appendf(nil,
		`],"totals":{"feeds":%d,"unread":%d,"starred":%d},"limits":{"feeds":%d,"uploadBytes":%d},"since":"%s"}`+"\n",
		sum.Feeds, sum.Unread, sum.Starred, s.Subscribe.Cap(a), s.upload(maxTakeout), bar.now.token())
	return bar, nil
}

// answer answers with the list; head are the members before it.
func (b *sideBar) answer(r *request, head []byte) error {
	return b.list.answer(r, b.now, append(head, `"feeds":[`...), b.tail)
}

// answerChanges answers with some of the feeds and the ids of others that are gone.
func (b *sideBar) answerChanges(r *request, changed []*stream.Subscribed, removed []reader.FeedID) error {
	buf := buffer()
	defer giveBack(buf)
	out := append(buf.AvailableBuffer(), `{"isDelta":true,"removed":[`...)
	for i, id := range removed {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `"%s"`, id)
	}
	out = append(out, `],"feeds":[`...)
	if err := b.by.prepare(r.Context(), changed); err != nil {
		return err
	}
	for i, f := range changed {
		if i > 0 {
			out = append(out, ',')
		}
		x, err := b.by.shape(r.Context(), out, f)
		if err != nil {
			return err
		}
		out = x.b
	}
	return r.bytes(http.StatusOK, jsonType, append(out, b.tail...))
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

func (h *feedShaper) prepare(ctx context.Context, list []*stream.Subscribed) error {
	polled := make([]store.PolledFeed, len(list))
	for i, x := range list {
		polled[i] = store.PolledFeed{FeedRow: x.Feed, Part: schedule.Part(x.Host, h.parts)}
	}
	return h.Store.Checks.Prepare(ctx, polled)
}

// shape implements shaper. A feed's times move with the tick, and when its publisher's wait ends.
func (h *feedShaper) shape(ctx context.Context, b []byte, x *stream.Subscribed) (shaped, error) {
	checked, err := h.Store.Checks.Check(ctx, x.Feed, schedule.Part(x.Host, h.parts))
	if err != nil {
		return shaped{}, err
	}
	now := h.Clock.Now()
	until := (schedule.TickOf(now) + 1).Start()
	if wait := time.Unix(x.Feed.NotBefore, 0); wait.After(now) && wait.Before(until) {
		until = wait
	}
	if !checked.Until.IsZero() && checked.Until.Before(until) {
		until = checked.Until
	}
	f := h.feedAsOf(h.with, x, checked, now)
	b, steady := f.encode(b)
	return shaped{b, steadyWith(steady, x.Feed, checked), until}, nil
}

// steadyWith returns a hash with what the times of a feed's checks follow from beside the clock.
func steadyWith(steady uint64, f *store.FeedRow, c store.Check) uint64 {
	var b [40]byte
	for i, n := range [...]uint64{steady, uint64(f.First), uint64(f.Errors), uint64(f.NotBefore),
		uint64(c.OffTurn.Unix())} {
		binary.LittleEndian.PutUint64(b[8*i:], n)
	}
	return xxhash.Sum64(b[:])
}

// answer answers with head, list and tail, with the headers of r.bytes.
func (k *keptList) answer(r *request, v *listVersion, head, tail []byte) error {
	zip, isDone := r.begin(http.StatusOK, jsonType, len(head)+v.size+len(tail), func() uint64 {
		return xxhash.Sum64(binary.LittleEndian.AppendUint64(slices.Concat(head, tail), v.hash))
	})
	if isDone {
		return nil
	}
	if err := k.ready(v, zip); err != nil {
		return err
	}
	if !zip {
		body := make([][]byte, 0, len(v.chunks)+2)
		body = append(body, head)
		for _, c := range v.chunks {
			body = append(body, c.plain)
		}
		r.send(http.StatusOK, append(body, tail)...)
		return nil
	}
	buf := buffer()
	defer giveBack(buf)
	j := newJoiner(buf)
	if err := j.text(head, false); err != nil {
		return err
	}
	for _, c := range v.chunks {
		j.add(&c.piece)
	}
	if err := j.text(tail, true); err != nil {
		return err
	}
	r.Header().Set("Content-Encoding", "gzip")
	r.send(http.StatusOK, buf.Bytes())
	return nil
}
