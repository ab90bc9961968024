package api

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// markedAll is the answer to a change of several feeds.
type markedAll struct {
	Feeds  []countsJSON `json:"feeds"`
	Totals totalsJSON   `json:"totals"`
	Undo   *string      `json:"undo"`
}

func (s *Server) answerMarkedAll(r *request, feeds []stream.Subscribed, undo string) error {
	t, err := s.Streams.Totals(r.Context(), r.user, feeds...)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, markedAll{Feeds: allCounts(feeds), Totals: totals(t), Undo: orNull(undo)})
}

func allCounts(feeds []stream.Subscribed) []countsJSON {
	out := make([]countsJSON, len(feeds))
	for i := range feeds {
		out[i] = counts(&feeds[i])
	}
	return out
}

// markStreamRead marks a feed, a folder or all read: as a list showed it, or what stands above or below an item.
func (s *Server) markStreamRead(r *request) error {
	var in struct {
		Feed   reader.FeedID    `json:"feed"`
		Folder optional[string] `json:"folder"`
		AsOf   string           `json:"asOf"`
		Above  itemRef          `json:"above"`
		Below  itemRef          `json:"below"`
		Order  string           `json:"order"`
	}
	if err := r.read(&in, maxStates, true); err != nil {
		return err
	}
	if in.Above.text != "" && in.Below.text != "" || in.Feed > 0 && in.Folder.given {
		return fault.Newf(fault.Invalid, "mark_ambiguous", "Name a feed or a folder, and above or below, not both.")
	}
	m := stream.Mark{AsOf: in.AsOf, Below: in.Below.text != ""}
	var err error
	if m.Item, err = cmp.Or(in.Above, in.Below).item(); err != nil {
		return err
	}
	if m.Oldest, err = oldest(in.Order); err != nil {
		return err
	}
	m.Feed = in.Feed
	if in.Folder.given { // an empty one is none, and not all
		if m.Folder, err = folderID(in.Folder.or("")); err != nil {
			return err
		}
	}
	done, err := s.Streams.MarkRead(r.Context(), r.user, m)
	if err != nil {
		return err
	}
	return s.answerMarkedAll(r, done.Feeds, done.Undo)
}

// undo takes a mark of several feeds back.
func (s *Server) undo(r *request) error {
	var in struct {
		Undo string `json:"undo" required:"true"`
	}
	if err := r.decodeUpTo(&in, maxStates); err != nil {
		return err
	}
	feeds, err := s.Streams.UndoMark(r.Context(), r.user, in.Undo)
	if err != nil {
		return err
	}
	return s.answerMarkedAll(r, feeds, "")
}

// maxStates bounds the body of many states, and of an undo of many feeds.
const maxStates = 256 << 10

type stateJSON struct {
	ID        string   `json:"id"`
	IsRead    bool     `json:"isRead"`
	IsStarred bool     `json:"isStarred"`
	Labels    []string `json:"labels"`
	Error     *string  `json:"error"`
}

// setItemStates carries a flush of a device out.
func (s *Server) setItemStates(r *request) error {
	var in struct {
		Batch *struct {
			Device  uint32 `json:"device" required:"true"`
			Counter uint32 `json:"counter" required:"true"`
		} `json:"batch"`
		Changes []struct {
			IDs          []itemRef `json:"ids" required:"true"`
			IsRead       *bool     `json:"isRead"`
			IsStarred    *bool     `json:"isStarred"`
			AddLabels    []string  `json:"addLabels"`
			RemoveLabels []string  `json:"removeLabels"`
		} `json:"changes" required:"true"`
		Undo bool `json:"undo"`
	}
	if err := r.decodeUpTo(&in, maxStates); err != nil {
		return err
	}
	f := stream.Flush{Remember: in.Undo}
	if b := in.Batch; b != nil {
		if b.Device == 0 || b.Counter == 0 {
			return fault.Newf(fault.Invalid, "bad_batch", "A batch names a device and a counter, both from 1.").At("batch")
		}
		f.Device, f.Counter = b.Device, b.Counter
	}
	var order []itemRef // of their first mention
	named := map[string]bool{}
	ids := 0
	for i, c := range in.Changes {
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
			return err
		}
		drop, err := labelNumbers(c.RemoveLabels)
		if err != nil {
			return err
		}
		if c.IsRead == nil && c.IsStarred == nil && len(add)+len(drop) == 0 {
			return fault.Newf(fault.Invalid, "nothing_to_change", "Give isRead, isStarred or labels.").At(fmt.Sprintf("changes[%d]", i))
		}
		f.Changes = append(f.Changes, stream.BulkChange{IDs: known, Read: c.IsRead, Starred: c.IsStarred, AddLabels: add, RemoveLabels: drop})
	}
	if ids > stream.MaxFlush {
		return fault.Newf(fault.Invalid, "too_many_items", "At most %d items can be changed at once.", stream.MaxFlush).At("changes")
	}
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
	}{make([]stateJSON, len(order)), markedAll{allCounts(done.Feeds), totals(t), orNull(done.Undo)}}
	gone := "item_not_found"
	rest := done.Items // those that can be ours, in the same order
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

func labelNumbers(list []string) ([]reader.LabelID, error) {
	if len(list) > reader.MaxLabels {
		return nil, fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
	}
	out := make([]reader.LabelID, len(list))
	for i, text := range list {
		n, err := number31(text)
		if err != nil {
			return nil, fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
		}
		out[i] = reader.LabelID(n)
	}
	return out, nil
}

// setItemLabels gives an item exactly these labels.
func (s *Server) setItemLabels(r *request) error {
	id, err := r.itemID()
	if err != nil {
		return err
	}
	var in struct {
		Labels []string `json:"labels" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	list, err := labelNumbers(in.Labels)
	if err != nil {
		return err
	}
	e, sub, err := s.Streams.SetLabels(r.Context(), r.user, id, list)
	if err != nil {
		return err
	}
	out := struct {
		Item stateJSON   `json:"item"`
		Feed *countsJSON `json:"feed"`
	}{Item: stateJSON{ID: id.String(), IsRead: e.Read, IsStarred: e.Starred, Labels: labelIDs(e.Labels)}}
	if sub.Feed != nil {
		c := counts(&sub)
		out.Feed = &c
	}
	return r.json(http.StatusOK, out)
}

// marked is the answer to a change of a whole feed: new counts, and how to take it back.
type marked struct {
	Success  bool       `json:"success"`
	FeedID   string     `json:"feedId"`
	MarkedAt *string    `json:"markedAt"`
	Feed     countsJSON `json:"feed"`
	Totals   totalsJSON `json:"totals"`
	Undo     *string    `json:"undo"`
}

func (s *Server) answerMarked(r *request, sub *stream.Subscribed, undo string) error {
	t, err := s.Streams.Totals(r.Context(), r.user, *sub)
	if err != nil {
		return err
	}
	out := marked{Success: true, FeedID: sub.Feed.ID().String(), Feed: counts(sub), Totals: totals(t), Undo: orNull(undo)}
	out.MarkedAt = out.Feed.LastReadAt
	return r.json(http.StatusOK, out)
}

func (s *Server) markRead(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	var in struct {
		UpTo itemRef `json:"upTo"`
		AsOf string  `json:"asOf"`
	}
	if err := r.decodeIfAny(&in); err != nil {
		return err
	}
	upTo, err := in.UpTo.item()
	if err != nil {
		return err
	}
	if in.AsOf != "" {
		done, err := s.Streams.MarkRead(r.Context(), r.user, stream.Mark{Scope: stream.Scope{Feed: id}, AsOf: in.AsOf})
		if err != nil {
			return err
		}
		if len(done.Feeds) > 0 {
			return s.answerMarked(r, &done.Feeds[0], done.Undo)
		}
		sub, err := s.Streams.Get(r.Context(), r.user, id)
		if err != nil {
			return err
		}
		return s.answerMarked(r, &sub, "")
	}
	sub, undo, err := s.Streams.MarkAll(r.Context(), r.user, id, upTo)
	if err != nil {
		return err
	}
	return s.answerMarked(r, &sub, undo)
}

func (s *Server) undoMarkRead(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	var in struct {
		Undo string `json:"undo" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	sub, err := s.Streams.Undo(r.Context(), r.user, id, in.Undo)
	if err != nil {
		return err
	}
	return s.answerMarked(r, &sub, "")
}

// readAt is when a feed as a whole was last marked read; null when never.
func readAt(ms int64) *string {
	if ms == 0 {
		return nil
	}
	t := rfc3339(time.UnixMilli(ms))
	return &t
}
