package greader

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// account has the data that lists are made from.
type account struct {
	*names
	feeds []*stream.Subscribed
}

func (s *server) account(r *request) (a account, err error) {
	if a.names, err = s.names(r); err != nil {
		return a, err
	}
	a.feeds, err = s.Streams.Feeds(r.Context(), r.caller.User)
	return a, err
}

func (s *server) names(r *request) (*names, error) {
	t, err := s.Streams.Tree(r.Context(), r.caller.User)
	if err != nil {
		return nil, err
	}
	return namesOf(t), nil
}

// unread counts the unread items of each folder and label.
func (a *account) unread() (folders map[reader.FolderID]*count, labels map[reader.LabelID]*count) {
	folders, labels = map[reader.FolderID]*count{}, map[reader.LabelID]*count{}
	for _, f := range a.Folders {
		folders[f.ID] = new(count)
	}
	for _, l := range a.Labels {
		labels[l.ID] = new(count)
	}
	for _, x := range a.feeds {
		for _, id := range a.Around(x.Sub.Folders) {
			folders[id].add(x.Unread(), x)
		}
		for id := range x.State.Labels.All() {
			if labels[id] != nil { // else a label that was deleted
				labels[id].add(x.LabelledUnread(id), x)
			}
		}
	}
	return folders, labels
}

// count is the number of unread items, and the arrival of the newest.
type count struct {
	unread int
	newest reader.Minute
}

func (c *count) add(unread int, x *stream.Subscribed) {
	c.unread += unread
	c.newest = max(c.newest, reader.Minute(x.Feed.Stamp))
}

// lastOf is the last moment of a minute. Only the minute of an item's arrival is in memory: what a program takes for
// its time, and marks up to, is not before it.
func lastOf(m reader.Minute) time.Time { return m.Time().Add(time.Minute - time.Millisecond) }

func micros(ms int64) string { return strconv.FormatInt(ms, 10) + "000" }

type tagJSON struct {
	ID     string `json:"id"`
	Type   string `json:"type,omitempty"`
	Unread *int   `json:"unread_count,omitempty"`
}

func (s *server) listTags(r *request) error {
	a := account{}
	var err error
	if a.names, err = s.names(r); err != nil {
		return err
	}
	if len(a.Labels) > 0 { // their counts need the feeds
		if a, err = s.account(r); err != nil {
			return err
		}
	}
	_, unread := a.unread()
	tags := []tagJSON{{ID: statePrefix + stateStar}}
	for _, f := range a.Folders {
		tags = append(tags, tagJSON{ID: labelPrefix + a.ofFolder[f.ID], Type: "folder"})
	}
	for _, l := range a.Labels {
		tags = append(tags, tagJSON{ID: labelPrefix + l.Name, Type: "tag", Unread: &unread[l.ID].unread})
	}
	return r.json(map[string]any{"tags": tags})
}

type categoryJSON struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

type subscriptionJSON struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	Categories []categoryJSON `json:"categories"`
	URL        string         `json:"url"`
	HTMLURL    string         `json:"htmlUrl"`
	IconURL    string         `json:"iconUrl"`
	SortID     string         `json:"sortid"`
	First      string         `json:"firstitemmsec"`
}

func (s *server) listSubscriptions(r *request) error {
	a, err := s.account(r)
	if err != nil {
		return err
	}
	titles := make(map[*stream.Subscribed]string, len(a.feeds))
	for _, x := range a.feeds {
		titles[x] = strings.ToLower(x.Title())
	}
	order := slices.SortedStableFunc(slices.Values(a.feeds), func(x, y *stream.Subscribed) int {
		return cmp.Or(cmp.Compare(x.Sub.Position, y.Sub.Position), cmp.Compare(titles[x], titles[y]))
	})
	origin := s.Origin(r.Request)
	list := make([]subscriptionJSON, len(order))
	for i, x := range order {
		list[i] = subscriptionJSON{
			ID: feedPrefix + x.Feed.ID().String(), Title: x.Title(), Categories: a.categories(x.Sub),
			URL:     reader.ShownURL(x.Feed.URL),
			HTMLURL: siteOf(x.Feed), SortID: fmt.Sprintf("%08X", uint32(x.Feed.ID())),
			First: strconv.FormatInt(x.Sub.Since*1000, 10),
		}
		if len(x.Feed.IconHash) > 0 {
			path, err := s.iconPath(r.Context(), x.Feed.IconHash)
			if err != nil {
				return err
			}
			list[i].IconURL = origin + path
		}
	}
	return r.json(map[string]any{"subscriptions": list})
}

func siteOf(f *store.FeedRow) string { return cmp.Or(f.Site, reader.ShownURL(f.URL)) }

func (a *account) categories(sub *store.SubscriptionRow) []categoryJSON {
	out := []categoryJSON{}
	for _, id := range a.Around(sub.Folders) {
		out = append(out, categoryJSON{labelPrefix + a.ofFolder[id], a.ofFolder[id]})
	}
	return out
}

type countJSON struct {
	ID     string `json:"id"`
	Count  int    `json:"count"`
	Newest string `json:"newestItemTimestampUsec"`
}

func (s *server) unreadCounts(r *request) error {
	a, err := s.account(r)
	if err != nil {
		return err
	}
	out := []countJSON{}
	now := s.Clock.Now().UnixMilli()
	add := func(id string, c count) {
		newest := "0"
		if c.newest > 0 { // a feed that brings items several times within a minute is ahead of time
			newest = micros(min(lastOf(c.newest).UnixMilli(), now))
		}
		out = append(out, countJSON{id, c.unread, newest})
	}
	var all count
	for _, x := range a.feeds {
		var c count
		c.add(x.Unread(), x)
		if add(feedPrefix+x.Feed.ID().String(), c); !x.Sub.Mute {
			all.add(x.Unread(), x)
		}
	}
	folders, labels := a.unread()
	for _, f := range a.Folders {
		add(labelPrefix+a.ofFolder[f.ID], *folders[f.ID])
	}
	for _, l := range a.Labels {
		if a.folders[l.Name] == 0 { // else the folder of that name is meant
			add(labelPrefix+l.Name, *labels[l.ID])
		}
	}
	add(statePrefix+readingList, all)
	return r.json(map[string]any{"max": all.unread, "unreadcounts": out})
}
