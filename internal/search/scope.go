package search

import (
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/segment"
)

// scope is the feeds in which a search can find anything.
type scope struct {
	list  []scoped
	first reader.FeedID
	at    []int32 // feed number minus first -> index in list plus one
}

// scoped is a feed of a search, with the items whose indexed version is out of date because they were edited.
type scoped struct {
	*Feed
	id       reader.FeedID
	covered  reader.Seq // items up to it are in segments
	isEdited bool       // any of them may have been edited
	edited   []reader.Run
}

// newScope returns nil where nothing can be found.
func newScope(feeds []Feed) *scope {
	x := scope{list: make([]scoped, 0, len(feeds))}
	for i := range feeds {
		f := &feeds[i]
		if f.last() > max(f.floor(), f.Above) {
			x.list = append(x.list, scoped{Feed: f, id: f.Row.ID()})
		}
	}
	if len(x.list) == 0 {
		return nil
	}
	x.first = x.list[0].id
	x.at = make([]int32, x.list[len(x.list)-1].id-x.first+1)
	for i := range x.list {
		x.at[x.list[i].id-x.first] = int32(i + 1)
	}
	return &x
}

func (f *Feed) floor() reader.Seq { return reader.Seq(f.Row.Floor) }
func (f *Feed) last() reader.Seq  { return reader.Seq(f.Row.Seq) }

// wants reports whether an item of the feed may be found.
func (f *Feed) wants(seq reader.Seq) bool {
	return seq > f.floor() && seq > f.Above && seq <= f.last() && f.Wants(seq)
}

// find returns a feed of the search, nil if it is none of them.
func (x *scope) find(f reader.FeedID) *scoped {
	if i := int64(f) - int64(x.first); i >= 0 && i < int64(len(x.at)) && x.at[i] > 0 {
		return &x.list[x.at[i]-1]
	}
	return nil
}

// takes returns the feed of a document of a segment, nil if it is not to be found there.
func (x *scope) takes(e *segment.Entry) *scoped {
	f := x.find(e.Feed)
	if f == nil || f.isEdited || e.Seq > f.covered || !f.wants(e.Seq) {
		return nil
	}
	for _, r := range f.edited {
		if r.From <= e.Seq && e.Seq <= r.To {
			return nil
		}
	}
	return f
}
