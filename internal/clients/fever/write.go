package fever

import (
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// write makes the changes that the arguments ask for. The answer has the list of ids that changed.
func (c *call) write() error {
	if c.args.Has("refresh") {
		if err := c.refresh(); err != nil {
			return err
		}
	}
	switch c.args.Get("mark") {
	case "item":
		return c.markItems()
	case "feed":
		return c.markFeed()
	case "group":
		return c.markGroup()
	}
	if c.args.Get("unread_recently_read") == "1" {
		return c.undo()
	}
	return nil
}

// refresh starts to poll the user's feeds, those that may be polled now. Asking again too soon is no error: programs
// ask with each synchronisation, and the rest of the call is answered.
func (c *call) refresh() error {
	err := c.Count(c.ctx, c.user, clients.Refresh)
	if err == nil {
		_, err = c.Subscribe.Refresh(c.ctx, c.user, subscribe.RefreshScope{})
	}
	return fault.Ignore(err, fault.RateLimited)
}

// markItems changes the state of items; repeating it changes nothing.
func (c *call) markItems() error {
	yes, no := true, false
	var change stream.Change
	list := "unread_item_ids"
	switch c.args.Get("as") {
	case "read":
		change.Read = &yes
	case "unread":
		change.Read = &no
	case "saved":
		change.Starred, list = &yes, "saved_item_ids"
	case "unsaved":
		change.Starred, list = &no, "saved_item_ids"
	default:
		return nil
	}
	c.args.Set(list, "")
	ids := itemIDs(c.args.Get("id"), stream.MaxFlush)
	if len(ids) == 0 {
		return nil
	}
	_, err := c.Streams.Flush(c.ctx, c.user, stream.Flush{Changes: []stream.BulkChange{{IDs: ids, Change: change}}})
	return err
}

func (c *call) markFeed() error {
	id, err := reader.ParseFeedID(c.args.Get("id"))
	if err != nil {
		return nil //nolint:nilerr // there is no such feed
	}
	return c.markRead(stream.Scope{Feed: id})
}

// markGroup marks the feeds of a group, or all (0). No feed is a spark (-1): for those nothing is to do.
func (c *call) markGroup() error {
	n, err := strconv.ParseInt(c.args.Get("id"), 10, 32)
	if err != nil || n < 0 {
		return nil //nolint:nilerr // there is no such group
	}
	if n == 0 {
		return c.markRead(stream.Scope{})
	}
	bar, err := c.sideBarOf()
	if err != nil {
		return err
	}
	for _, g := range bar.groups {
		if int64(g.ID) == n {
			return c.markRead(scopes(&g)...)
		}
	}
	return nil
}

// scopes are the streams that together have the items of a group.
func scopes(g *clients.Group) []stream.Scope {
	if folder := g.ID.Folder(); folder > 0 {
		return []stream.Scope{{Folder: folder}}
	}
	out := make([]stream.Scope, len(g.Feeds))
	for i, x := range g.Feeds {
		out[i].Feed = x.Feed.ID()
	}
	return out
}

// markRead marks what arrived before the time that the call names, else all that there is.
func (c *call) markRead(scopes ...stream.Scope) error {
	c.args.Set("unread_item_ids", "")
	if c.args.Get("as") != "read" {
		return nil
	}
	m := stream.Mark{Before: before(c.args.Get("before"), c.Clock.Now())}
	var undo []string
	for _, m.Scope = range scopes {
		done, err := c.Streams.MarkRead(c.ctx, c.user, m)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if done.Undo != "" {
			undo = append(undo, done.Undo)
		}
	}
	if len(undo) > 0 {
		c.Store.Cache.PutJSON(c.ctx, c.undoKey(), undo, stream.UndoFor)
	}
	return nil
}

// before parses the time before which items are marked. Without one, or with one in the future, there is no such bound:
// programs send that for all items.
func before(s string, now time.Time) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > now.Unix() {
		return time.Time{}
	}
	return time.Unix(n, 0)
}

// undoKey is the key under which the last mark of many items is remembered.
func (c *call) undoKey() string { return store.HashToken("fever undo#" + string(c.user)) }

// undo makes the items of the last mark of many unread again, as long as a mark can be undone.
func (c *call) undo() error {
	c.args.Set("unread_item_ids", "")
	var undo []string
	if !c.Store.Cache.GetJSON(c.ctx, c.undoKey(), &undo) {
		return nil
	}
	for _, token := range undo {
		_, err := c.Streams.Undo(c.ctx, c.user, 0, token)
		if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) {
			return err
		}
	}
	return nil
}
