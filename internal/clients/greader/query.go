package greader

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

const (
	defaultItems = 20
	maxContents  = 1000
	maxIDs       = stream.MaxIDs
)

// source is a stream that a client named: a scope of ours and states.
type source struct {
	stream.Scope
	isRead, isStarred *bool // nil: either
	none              bool  // nothing can be in it
}

var yes, no = true, false

// state narrows a stream down to the items in a state, or to those that are not. States without a meaning here are no
// condition, and nothing is in their streams.
func (x *source) state(name string, in bool) (known bool) {
	switch name {
	case readingList:
		x.none = x.none || !in
	case stateRead:
		x.narrow(&x.isRead, in)
	case keptUnread, stateUnread:
		x.narrow(&x.isRead, !in)
	case stateStar:
		x.narrow(&x.isStarred, in)
	default:
		return false
	}
	return true
}

func (x *source) narrow(state **bool, value bool) {
	if *state != nil && **state != value {
		x.none = true
	}
	*state = &no
	if value {
		*state = &yes
	}
}

// query turns the states into those of a query. Either part has one place at least, so that both together fit.
func (x *source) query() (q stream.IDQuery) {
	q.Scope = x.Scope
	is := func(read bool) stream.State {
		if read {
			return stream.IsRead
		}
		return stream.IsUnread
	}
	switch {
	case x.isStarred == nil || !*x.isStarred:
		if x.isRead != nil {
			q.Is = is(*x.isRead)
		}
		if x.isStarred != nil {
			q.Not = stream.IsStarred
		}
	default:
		q.Is = stream.IsStarred
		if x.isRead != nil {
			q.Not = is(!*x.isRead)
		}
	}
	return q
}

// source resolves the name of a stream. No name is that of everything. An unknown name is an empty stream: the client
// may know it from a while ago.
func (s *server) source(r *request, name string) (x source, err error) {
	if name == "" {
		return x, nil
	}
	if rest, ok := strings.CutPrefix(name, feedPrefix); ok {
		x.Feed, err = s.feed(r, rest)
		x.none = x.Feed == 0
		return x, err
	}
	if label, ok := labelOf(name); ok {
		n, err := s.names(r)
		if err != nil {
			return x, err
		}
		if x.Folder = n.folders[label]; x.Folder == 0 {
			x.Label = n.LabelNamed(label)
		}
		x.none = x.Folder == 0 && x.Label == 0
		return x, nil
	}
	state, ok := stateOf(name)
	if !ok && !strings.Contains(name, "/") {
		state, ok = name, true // FreshRSS takes its states by their names alone, too
	}
	if !ok || !x.state(state, true) {
		x.none = true
	}
	return x, nil
}

// feed returns the number of one of the user's feeds, by its number or address; zero when the user has no such feed.
func (s *server) feed(r *request, name string) (reader.FeedID, error) {
	if id, err := reader.ParseFeedID(name); err == nil {
		_, err := s.Streams.Get(r.Context(), r.caller.User, id)
		if err != nil {
			return 0, fault.Ignore(err, fault.NotFound)
		}
		return id, nil
	}
	list, err := s.Streams.Feeds(r.Context(), r.caller.User)
	if err != nil {
		return 0, err
	}
	if address, err := subscribe.Normalise(name); err == nil {
		name = address
	}
	for _, x := range list {
		if x.Feed.URL == name || reader.ShownURL(x.Feed.URL) == name {
			return x.Feed.ID(), nil
		}
	}
	return 0, nil
}

// itemQuery reads the parameters of a list of items. Nonsense in n, c, ot and nt is as if they were not there.
func (s *server) itemQuery(r *request, name string, most int) (q stream.IDQuery, none bool, err error) {
	x, err := s.source(r, name)
	if err != nil {
		return q, false, err
	}
	for _, without := range r.form["xt"] {
		if state, ok := stateOf(without); ok {
			x.state(state, false)
		}
	}
	for _, with := range r.form["it"] {
		if state, ok := stateOf(with); ok {
			x.state(state, true)
		}
	}
	q = x.query()
	q.Oldest = r.form.Get("r") == "o"
	q.Limit = defaultItems
	if n, err := strconv.ParseInt(r.form.Get("n"), 10, 64); err == nil && n > 0 {
		q.Limit = int(min(n, int64(most)))
	}
	if from, _, ok := instant(r.form.Get("ot")); ok {
		q.From = from / 1000
	}
	if _, to, ok := instant(r.form.Get("nt")); ok {
		q.Below = endOf(reader.MinuteOf(time.UnixMilli(to).Add(time.Second)))
	}
	if c, err := reader.ParseItemID(r.form.Get("c")); err == nil {
		if q.Oldest {
			q.Above = c
		} else if q.Below == 0 || c < q.Below {
			q.Below = c
		}
	}
	return q, x.none, nil
}

// endOf is above the ids of all items that arrived in a minute or before it.
func endOf(m reader.Minute) reader.ItemID {
	if m >= reader.MaxMinute {
		return math.MaxInt64
	}
	return reader.NewItemID(m+1, 0, 0)
}
