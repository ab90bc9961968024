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

// Starred and labelled items are listed by their rows, which have them also after their feed has gone. The rows have
// bodies, so their ids are cached in one row, until a star or label in any subscription changes.

// keptTTL is how long ids stay cached. A change of items whose feed the user does not have removes them earlier, except
// for one that comes with an import.
const keptTTL = time.Hour

// keptList is the cached value: which state of the subscriptions it is of, and ids and seqs as differences.
type keptList struct {
	Of     uint64 `json:"of"`
	Packed []byte `json:"b"`
}

func keptHash(u reader.UserID, label reader.LabelID) string {
	return store.HashToken("ids " + string(u) + " " + strconv.Itoa(int(label)))
}

// keptIDs is IDs for starred and labelled items. As in our own lists, those of muted feeds and hidden ones are among
// them.
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
		return unpackPlaces(cached.Packed), nil
	}
	list, err := s.store.Snapshots.Places(ctx, u, label)
	if err == nil {
		s.store.Cache.PutJSON(ctx, keptHash(u, label), keptList{state.Sum64(), packPlaces(list)}, keptTTL)
	}
	return list, err
}

// forgetKept removes what is cached of starred items, or of those with a label, after a change that no subscription
// shows.
func (s *Service) forgetKept(ctx context.Context, u reader.UserID, label reader.LabelID) error {
	return s.store.Cache.Forget(ctx, keptHash(u, label))
}

func packPlaces(list []store.SnapshotPlace) (b []byte) {
	at := reader.ItemID(0)
	for _, p := range list {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.ID-at)), uint64(p.Seq))
		at = p.ID
	}
	return b
}

func unpackPlaces(b []byte) (list []store.SnapshotPlace) {
	at := reader.ItemID(0)
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return list
		}
		seq, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return list
		}
		at, b = at+reader.ItemID(d), b[n+m:]
		list = append(list, store.SnapshotPlace{ID: at, Seq: reader.Seq(seq)})
	}
	return list
}
