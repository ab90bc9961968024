package greader

import (
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// editTag sets states and labels of items. States that mean nothing here are ignored, as other servers do: programs
// send some in passing, and would lose the rest of the change with an error.
func (s *server) editTag(r *request) error {
	var c stream.Change
	var add, remove []string
	for _, tag := range r.form["r"] {
		if state, ok := stateOf(tag); ok {
			unset(&c, state)
		} else if name, ok := labelOf(tag); ok {
			remove = append(remove, name)
		}
	}
	for _, tag := range r.form["a"] {
		if state, ok := stateOf(tag); ok {
			set(&c, state)
		} else if name, ok := labelOf(tag); ok {
			add = append(add, name)
		}
	}
	ids := parseItems(r.form["i"])
	if len(ids) == 0 {
		return r.ok()
	}
	if err := s.labels(r, ids, &c, add, remove); err != nil {
		return err
	}
	if c.Read == nil && c.Starred == nil && len(c.AddLabels)+len(c.RemoveLabels) == 0 {
		return r.ok()
	}
	if err := s.change(r, ids, c); err != nil {
		return err
	}
	return r.ok()
}

func set(c *stream.Change, state string) {
	switch state {
	case stateRead:
		c.Read = &yes
	case keptUnread, stateUnread:
		c.Read = &no
	case stateStar:
		c.Starred = &yes
	}
}

// unset is for a state that items lose. One that is no longer kept unread may be either.
func unset(c *stream.Change, state string) {
	switch state {
	case stateRead:
		c.Read = &no
	case stateUnread:
		c.Read = &yes
	case stateStar:
		c.Starred = &no
	}
}

// labels adds labels to a change by their names. Those that items get are made where they are missing, if there is such
// an item.
func (s *server) labels(r *request, ids []reader.ItemID, c *stream.Change, add, remove []string) error {
	if len(add)+len(remove) == 0 {
		return nil
	}
	for i, name := range add {
		name, err := library.Name(name)
		if err != nil {
			return err
		}
		add[i] = name
	}
	t, err := s.Store.Trees.Get(r.Context(), r.caller.User)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(add, func(name string) bool { return t.LabelNamed(name) == 0 }) {
		if isAny, err := s.haveAny(r, ids); err != nil || !isAny {
			return err
		}
		t, err = s.Store.Trees.Change(r.Context(), r.caller.User, func(t *library.Tree) error {
			for _, name := range add {
				if _, err := t.EnsureLabel(name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range add {
		if id := t.LabelNamed(name); id != 0 {
			c.AddLabels = append(c.AddLabels, id)
		}
	}
	for _, name := range remove {
		if id := t.LabelNamed(library.CutName(name)); id != 0 && !slices.Contains(c.AddLabels, id) {
			c.RemoveLabels = append(c.RemoveLabels, id)
		}
	}
	return nil
}

// haveAny reports whether the user has any of some items.
func (s *server) haveAny(r *request, ids []reader.ItemID) (bool, error) {
	for some := range slices.Chunk(ids, 100) {
		list, err := s.Streams.FindAll(r.Context(), r.caller.User, some)
		if err != nil || slices.ContainsFunc(list, func(x *stream.Located) bool { return x != nil }) {
			return err == nil, err
		}
	}
	return false, nil
}

// change applies a change to items; those that do not exist any more are passed over.
func (s *server) change(r *request, ids []reader.ItemID, c stream.Change) error {
	for part := range slices.Chunk(ids, stream.MaxFlush) {
		_, err := s.Streams.Flush(r.Context(), r.caller.User,
			stream.Flush{Changes: []stream.BulkChange{{IDs: part, Change: c}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// markAll marks the items of a stream read that had arrived at the time ts: those that the client has not seen stay
// unread.
func (s *server) markAll(r *request) error {
	name := r.form.Get("s")
	if name == "" { // else a request that lost its stream would mark everything
		return fault.New(fault.Invalid, "", "greader: mark all", nil)
	}
	x, err := s.source(r, name)
	if err != nil {
		return err
	}
	if x.none {
		return r.ok()
	}
	var before time.Time // the first moment whose arrivals stay unread
	if _, to, ok := instant(r.form.Get("ts")); ok {
		before = time.UnixMilli(to + 1)
	}
	if x.Label > 0 || x.isRead != nil || x.isStarred != nil {
		return s.markListed(r, &x, before)
	}
	if _, err := s.Streams.MarkRead(r.Context(), r.caller.User, stream.Mark{Scope: x.Scope, Before: before}); err !=
		nil {
		return err
	}
	return r.ok()
}

// markListed marks the unread items of a stream that is no feed, folder or everything, one by one.
func (s *server) markListed(r *request, x *source, before time.Time) error {
	x.state(stateRead, false)
	if x.none {
		return r.ok()
	}
	q := x.query()
	q.Limit = maxIDs
	ids, _, err := s.Streams.IDs(r.Context(), r.caller.User, q)
	if err != nil {
		return err
	}
	if !before.IsZero() {
		list, err := s.Streams.FindAll(r.Context(), r.caller.User, ids)
		if err != nil {
			return err
		}
		ids = ids[:0]
		for _, e := range list {
			if e != nil && e.Arrived < before.UnixMilli() {
				ids = append(ids, e.ID)
			}
		}
	}
	if err := s.change(r, ids, stream.Change{Read: &yes}); err != nil {
		return err
	}
	return r.ok()
}
