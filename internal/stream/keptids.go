package stream

import (
	"context"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Starred and labelled items are listed by their snapshots, which have bodies. So their ids are cached in one row until
// a star or label changes.

// keptTTL is how long ids stay cached, unless a change removes them. An import of items without a feed here does not.
const keptTTL = time.Hour

// keptList is the cached value: the items, and which state of the subscriptions it is of.
type keptList struct {
	Of    uint64                `json:"of"`
	Items []store.SnapshotPlace `json:"items"`
}

func keptHash(u reader.UserID, label reader.LabelID) string {
	return store.HashToken("kept " + string(u) + " " + strconv.Itoa(int(label)))
}

// keptIDs is IDs for starred and labelled items. Hidden ones and those of muted feeds are included, as in our lists.
func (s *Service) keptIDs(ctx context.Context, u reader.UserID, q *IDQuery, first, last int64) (ids []reader.ItemID,
	more bool, err error) {
	sc := q.Scope
	sc.Feed = 0 // what is cached is of all feeds
	bar, err := s.scope(ctx, u, sc, false, s.keepVerdicts)
	if err != nil {
		return nil, false, err
	}
	list, err := s.keptPlaces(ctx, u, q.Label, bar.all)
	if err != nil {
		return nil, false, err
	}
	l := idList{q: q}
	for _, at := range list {
		sub := find(bar.all, at.ID.Feed())
		if q.Feed > 0 && at.ID.Feed() != q.Feed || q.Folder > 0 && (sub == nil || !bar.has(sub)) {
			continue
		}
		e := Entry{ID: at.ID, Seq: at.Seq, Read: true, Starred: q.Label == 0}
		if sub != nil {
			e.Read = sub.State.IsRead(at.Seq)
			has := sub.State.Stars.Has(at.Seq)
			if q.Label > 0 {
				e.Starred, has = has, sub.State.Labels.Of(q.Label).Has(at.Seq)
			}
			if !has {
				continue // it is being removed
			}
		}
		m := int64(at.ID.Stamp())
		if q.keepsState(&e) && at.ID > q.Above && (q.Below == 0 || at.ID < q.Below) && m >= first && m <= last {
			l.ids = append(l.ids, at.ID)
		}
	}
	l.order(l.ids)
	if more = len(l.ids) > q.Limit; more {
		l.ids = l.ids[:q.Limit]
	}
	return l.ids, more, nil
}

func (q *IDQuery) keepsState(e *Entry) bool {
	is := func(state State) bool {
		return state == IsUnread && !e.Read || state == IsRead && e.Read || state == IsStarred && e.Starred
	}
	return (q.Is == AnyState || is(q.Is)) && !is(q.Not)
}

// keptPlaces returns the starred items, or those with a label.
func (s *Service) keptPlaces(ctx context.Context, u reader.UserID, label reader.LabelID,
	all []*Subscribed) ([]store.SnapshotPlace, error) {
	var state xxhash.Digest
	state.Reset()
	for _, x := range all {
		set := x.State.Stars
		if label > 0 {
			set = x.State.Labels.Of(label)
		}
		var b [8]byte
		binary.LittleEndian.PutUint32(b[:], uint32(x.id))
		binary.LittleEndian.PutUint32(b[4:], uint32(len(set)))
		_, _ = state.Write(b[:])
		_, _ = state.Write(set)
	}
	var cached keptList
	if s.store.Cache.GetJSON(ctx, keptHash(u, label), &cached) && cached.Of == state.Sum64() {
		return cached.Items, nil
	}
	list, err := s.store.Snapshots.Places(ctx, u, label)
	if err == nil {
		s.store.Cache.PutJSON(ctx, keptHash(u, label), keptList{state.Sum64(), list}, keptTTL)
	}
	return list, err
}

// forgetKept removes cached ids after a change that no subscription shows.
func (s *Service) forgetKept(ctx context.Context, u reader.UserID, label reader.LabelID) error {
	return s.store.Cache.Forget(ctx, keptHash(u, label))
}
