package stream

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// Page is one page of a stream; Next is empty at its end.
type Page struct {
	Items []Entry
	Next  string
}

const (
	// DefaultLimit is how many items a page has when nobody asks otherwise (C-24).
	DefaultLimit = 50
	// MaxLimit is how many it may have.
	MaxLimit = 200
	// maxOpened is for how many feeds a cursor keeps a position.
	maxOpened = 200
)

// cursor is where a stream goes on: below the item last shown, and for each feed opened so far from
// which seq on, so that deep pages do not read from the top. Opaque to clients.
type cursor struct {
	Sort int64             `json:"s,omitempty"`
	ID   reader.ItemID     `json:"i,omitempty"`
	From map[uint32]uint32 `json:"f,omitempty"`
}

func (c cursor) encode() string {
	b, _ := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(b)
}

const maxCursor = 8 << 10

func decodeCursor(s string) (cursor, error) {
	var c cursor
	if s == "" {
		return c, nil
	}
	bad := fault.Newf(fault.Invalid, "bad_cursor", "This page's address is not valid any more. Open the list anew.").At("cursor")
	if len(s) > maxCursor {
		return c, bad
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(b, &c) != nil || c.ID == 0 || len(c.From) > maxOpened {
		return c, bad
	}
	return c, nil
}

// Limit bounds a page's size; 0 means the default.
func Limit(n int) int {
	if n <= 0 {
		return DefaultLimit
	}
	return min(n, MaxLimit)
}

// Items gives a page of one feed, newest sort time first.
func (s *Service) Items(ctx context.Context, u reader.UserID, id reader.FeedID, f Filter, cur string, limit int) (Page, Subscribed, error) {
	sub, err := s.Get(ctx, u, id)
	if err == nil {
		sub, err = s.judgedFeed(ctx, u, sub)
	}
	if err != nil {
		return Page{}, sub, err
	}
	if f == Starred {
		p, err := s.starred(ctx, u, id, cur, limit)
		return p, sub, err
	}
	p, err := s.merged(ctx, []Subscribed{sub}, f, cur, limit)
	return p, sub, err
}

// AllItems gives a page over all of a user's feeds, merged by sort time.
func (s *Service) AllItems(ctx context.Context, u reader.UserID, f Filter, cur string, limit int) (Page, []Subscribed, error) {
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return Page{}, nil, err
	}
	if f == Starred {
		p, err := s.starred(ctx, u, 0, cur, limit)
		return p, list, err
	}
	p, err := s.merged(ctx, list, f, cur, limit)
	return p, list, err
}

// starred lists snapshots in order of the items' ids; of one feed when it is not zero. They need
// neither the feed nor the subscription.
func (s *Service) starred(ctx context.Context, u reader.UserID, feed reader.FeedID, cur string, limit int) (Page, error) {
	c, err := decodeCursor(cur)
	if err != nil {
		return Page{}, err
	}
	limit = Limit(limit)
	var p Page
	states := map[reader.FeedID]*reader.ReadState{}
	err = s.store.Stars.Descend(ctx, u, c.ID, func(row *store.StarRow) (bool, error) {
		if feed > 0 && reader.FeedID(row.Feed) != feed {
			return true, nil
		}
		if len(p.Items) == limit {
			p.Next = cursor{Sort: 1, ID: p.Items[limit-1].ID}.encode()
			return false, nil
		}
		e, err := starEntry(row)
		if err != nil {
			return false, err
		}
		if e.Read, err = s.readOf(ctx, u, e, states); err != nil {
			return false, err
		}
		p.Items = append(p.Items, e)
		return true, nil
	})
	return p, err
}

// readOf tells a starred item's read state; an item whose subscription is gone counts as read.
func (s *Service) readOf(ctx context.Context, u reader.UserID, e Entry, states map[reader.FeedID]*reader.ReadState) (bool, error) {
	st, ok := states[e.Feed]
	if !ok {
		sub, err := s.Get(ctx, u, e.Feed)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
		if err == nil {
			st = &sub.State.ReadState
		}
		states[e.Feed] = st
	}
	return st == nil || st.IsRead(e.Seq), nil
}
