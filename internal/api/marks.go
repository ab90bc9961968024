package api

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// markedAll is the answer to a change of several feeds.
type markedAll struct {
	Feeds  []countsJSON `json:"feeds"`
	Totals totalsJSON   `json:"totals"`
	Undo   *string      `json:"undo"`
}

func (s *Server) answerMarkedAll(r *request, feeds []*stream.Subscribed, undo string) error {
	t, err := s.Streams.Totals(r.Context(), r.user, feeds...)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, markedAll{Feeds: allCounts(feeds), Totals: totals(t), Undo: orNull(undo)})
}

func allCounts(feeds []*stream.Subscribed) []countsJSON {
	out := make([]countsJSON, len(feeds))
	for i := range feeds {
		out[i] = counts(feeds[i])
	}
	return out
}

// markStreamRead marks a feed, a folder or everything as read: as a list showed it, or all above or below an item.
func (s *Server) markStreamRead(r *request, in struct {
	Feed   reader.FeedID    `json:"feed"`
	Folder optional[string] `json:"folder"`
	AsOf   string           `json:"asOf"`
	Before time.Time        `json:"before"`
	Above  itemRef          `json:"above"`
	Below  itemRef          `json:"below"`
	Order  string           `json:"order"`
}) error {
	if in.Above.text != "" && in.Below.text != "" || in.Feed > 0 && in.Folder.given {
		return fault.Coded(fault.Invalid, "mark_ambiguous")
	}
	m := stream.Mark{AsOf: in.AsOf, Before: in.Before, Below: in.Below.text != ""}
	var err error
	if m.Item, err = cmp.Or(in.Above, in.Below).item(); err != nil {
		return err
	}
	if m.Oldest, err = oldest(in.Order); err != nil {
		return err
	}
	m.Feed = in.Feed
	if in.Folder.given { // empty is an error, not everything
		if m.Folder, err = parseFolderID(in.Folder.or("")); err != nil {
			return err
		}
	}
	done, err := s.Streams.MarkRead(r.Context(), r.user, m)
	if err != nil {
		return err
	}
	return s.answerMarkedAll(r, done.Feeds, done.Undo)
}

// undo reverts a mark of several feeds.
func (s *Server) undo(r *request, in struct {
	Undo string `json:"undo" required:"true"`
}) error {
	feeds, err := s.Streams.Undo(r.Context(), r.user, 0, in.Undo)
	if err != nil {
		return err
	}
	return s.answerMarkedAll(r, feeds, "")
}

// maxStates bounds the bodies of changes of many items or feeds.
const maxStates = 256 << 10

type stateJSON struct {
	ID        string   `json:"id"`
	IsRead    bool     `json:"isRead"`
	IsStarred bool     `json:"isStarred"`
	Labels    []string `json:"labels"`
	Error     *string  `json:"error"`
}

// changeJSON is one change of a device's batch.
type changeJSON struct {
	IDs          []itemRef `json:"ids" required:"true"`
	IsRead       *bool     `json:"isRead"`
	IsStarred    *bool     `json:"isStarred"`
	AddLabels    []string  `json:"addLabels"`
	RemoveLabels []string  `json:"removeLabels"`
}

// setItemStates applies a device's batch of state changes.
func (s *Server) setItemStates(r *request, in struct {
	Batch *struct {
		Device  uint32 `json:"device" required:"true"`
		Counter uint32 `json:"counter" required:"true"`
	} `json:"batch"`
	Changes []changeJSON `json:"changes" required:"true"`
	Undo    bool         `json:"undo"`
	Notes   *notesJSON   `json:"notes"`
	Places  []placeJSON  `json:"places"`
}) (err error) {
	f := stream.Flush{Remember: in.Undo}
	stopped, err := places(in.Places)
	if err != nil {
		return err
	}
	if f.Notes, err = s.notes(r, in.Notes); err != nil {
		return err
	}
	if b := in.Batch; b != nil {
		if b.Device == 0 || b.Counter == 0 {
			return fault.Coded(fault.Invalid, "bad_batch").At("batch")
		}
		f.Device, f.Counter = b.Device, b.Counter
	}
	changes, order, err := bulkChanges(in.Changes)
	if err != nil {
		return err
	}
	f.Changes = changes
	done, err := s.Streams.Flush(r.Context(), r.user, f)
	if err != nil {
		return err
	}
	t, err := s.Streams.Totals(r.Context(), r.user, done.Feeds...)
	if err != nil {
		return err
	}
	out := struct {
		Items []stateJSON `json:"items"`
		markedAll
		Noted bool `json:"noted"`
		*placesJSON
	}{Items: make([]stateJSON, len(order)), markedAll: markedAll{allCounts(done.Feeds), totals(t), orNull(done.Undo)},
		Noted: done.Noted || len(f.Notes) == 0}
	if len(stopped) > 0 {
		if out.placesJSON, err = s.stop(r, stopped); err != nil {
			return err
		}
	}
	gone := "item_not_found"
	rest := done.Items // of the known ids, in the same order
	for i, one := range order {
		it := stream.ItemState{Gone: true}
		if one.id != 0 {
			it, rest = rest[0], rest[1:]
		}
		out.Items[i] = stateJSON{ID: one.text, IsRead: it.Read, IsStarred: it.Starred, Labels: labelIDs(it.Labels)}
		if it.Gone {
			out.Items[i].Error = &gone
		}
	}
	return r.json(http.StatusOK, out)
}

// bulkChanges reads the changes of a batch, and their items in the order in which they are first mentioned.
func bulkChanges(list []changeJSON) (changes []stream.BulkChange, order []itemRef, err error) {
	named := map[string]bool{}
	ids := 0
	for i, c := range list {
		var known []reader.ItemID
		for _, one := range c.IDs {
			if ids++; !named[one.text] {
				named[one.text], order = true, append(order, one)
			}
			if one.id != 0 {
				known = append(known, one.id)
			}
		}
		add, err := labelNumbers(c.AddLabels)
		if err != nil {
			return nil, nil, err
		}
		drop, err := labelNumbers(c.RemoveLabels)
		if err != nil {
			return nil, nil, err
		}
		if c.IsRead == nil && c.IsStarred == nil && len(add)+len(drop) == 0 {
			return nil, nil, fault.Coded(fault.Invalid, "nothing_to_change").At(fmt.Sprintf("changes[%d]", i))
		}
		changes = append(changes, stream.BulkChange{
			IDs: known, Change: stream.Change{Read: c.IsRead, Starred: c.IsStarred, AddLabels: add, RemoveLabels: drop},
		})
	}
	if ids > stream.MaxFlush {
		return nil, nil, fault.Coded(fault.Invalid, "too_many_items", stream.MaxFlush).At("changes")
	}
	return changes, order, nil
}

func labelNumbers(list []string) ([]reader.LabelID, error) {
	if len(list) > library.MaxLabels {
		return nil, library.LabelGone()
	}
	return parseIDs(list, parseLabelID)
}

// setItemLabels replaces the labels of an item.
func (s *Server) setItemLabels(r *request, in struct {
	Labels []string `json:"labels" required:"true"`
}) error {
	list, err := labelNumbers(in.Labels)
	if err != nil {
		return err
	}
	e, sub, err := s.Streams.SetLabels(r.Context(), r.user, r.item, list)
	if err != nil {
		return err
	}
	out := struct {
		Item stateJSON   `json:"item"`
		Feed *countsJSON `json:"feed"`
	}{Item: stateJSON{ID: r.item.String(), IsRead: e.Read, IsStarred: e.Starred, Labels: labelIDs(e.Labels)}}
	if sub != nil {
		c := counts(sub)
		out.Feed = &c
	}
	return r.json(http.StatusOK, out)
}

// marked is the answer to a change of a whole feed: new counts, and the undo token.
type marked struct {
	Success  bool       `json:"success"`
	FeedID   string     `json:"feedId"`
	MarkedAt moment     `json:"markedAt"`
	Feed     countsJSON `json:"feed"`
	Totals   totalsJSON `json:"totals"`
	Undo     *string    `json:"undo"`
}

func (s *Server) answerMarked(r *request, sub *stream.Subscribed, undo string) error {
	t, err := s.Streams.Totals(r.Context(), r.user, sub)
	if err != nil {
		return err
	}
	out := marked{Success: true, FeedID: sub.Feed.ID().String(), Feed: counts(sub), Totals: totals(t),
		Undo: orNull(undo)}
	out.MarkedAt = out.Feed.LastReadAt
	return r.json(http.StatusOK, out)
}

func (s *Server) markRead(r *request, in struct {
	UpTo itemRef `json:"upTo"`
	AsOf string  `json:"asOf"`
}) error {
	upTo, err := in.UpTo.item()
	if err != nil {
		return err
	}
	done, err := s.Streams.MarkRead(r.Context(), r.user,
		stream.Mark{Scope: stream.Scope{Feed: r.feed}, AsOf: in.AsOf, UpTo: upTo})
	if err != nil {
		return err
	}
	if len(done.Feeds) > 0 {
		return s.answerMarked(r, done.Feeds[0], done.Undo)
	}
	sub, err := s.Streams.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	return s.answerMarked(r, sub, "")
}

func (s *Server) undoMarkRead(r *request, in struct {
	Undo string `json:"undo" required:"true"`
}) error {
	feeds, err := s.Streams.Undo(r.Context(), r.user, r.feed, in.Undo)
	if err != nil {
		return err
	}
	return s.answerMarked(r, feeds[0], "")
}
