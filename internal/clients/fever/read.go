package fever

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

type group struct {
	ID    clients.GroupID `json:"id"`
	Title string          `json:"title"`
}

type feed struct {
	ID      uint32 `json:"id"`
	Icon    uint32 `json:"favicon_id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Site    string `json:"site_url"`
	IsSpark int    `json:"is_spark"`
	Updated int64  `json:"last_updated_on_time"`
}

type inGroup struct {
	Group clients.GroupID `json:"group_id"`
	Feeds *string         `json:"feed_ids"`
}

type icon struct {
	ID   uint32 `json:"id"`
	Data string `json:"data"`
}

type item struct {
	ID      uint64 `json:"id"`
	Feed    uint32 `json:"feed_id"`
	Title   string `json:"title"`
	Author  string `json:"author"`
	HTML    string `json:"html"`
	URL     string `json:"url"`
	IsSaved int    `json:"is_saved"`
	IsRead  int    `json:"is_read"`
	Created int64  `json:"created_on_time"`
}

// sideBar has the feeds and folders of a user.
type sideBar struct {
	feeds  []*stream.Subscribed // in order of number
	groups []clients.Group      // those without feeds too
}

// sideBarOf reads the side bar, once for a call.
func (c *call) sideBarOf() (*sideBar, error) {
	if c.bar != nil {
		return c.bar, nil
	}
	feeds, err := c.Streams.Feeds(c.ctx, c.user)
	if err != nil {
		return nil, err
	}
	tree, err := c.Streams.Tree(c.ctx, c.user)
	if err != nil {
		return nil, err
	}
	c.bar = &sideBar{feeds, clients.Groups(&tree, feeds)}
	return c.bar, nil
}

// groups answers the groups that have feeds, and which.
func (c *call) groups() error {
	bar, err := c.sideBarOf()
	if err != nil {
		return err
	}
	list := []group{}
	for _, g := range bar.groups {
		if len(g.Feeds) > 0 {
			list = append(list, group{g.ID, g.Title})
		}
	}
	c.out.Groups = &list
	c.inGroups(bar)
	return nil
}

func (c *call) inGroups(bar *sideBar) {
	list := []inGroup{}
	for _, g := range bar.groups {
		ids := make([]reader.FeedID, len(g.Feeds))
		for i, x := range g.Feeds {
			ids[i] = x.Feed.ID()
		}
		if len(ids) > 0 {
			list = append(list, inGroup{g.ID, joined(ids)})
		}
	}
	c.out.FeedGroups = &list
}

func (c *call) feeds() error {
	bar, err := c.sideBarOf()
	if err != nil {
		return err
	}
	icons := clients.IconsOf(bar.feeds)
	list := make([]feed, len(bar.feeds))
	for i, x := range bar.feeds {
		list[i] = feed{
			ID: uint32(x.Feed.ID()), Icon: uint32(icons.Of(x.Feed)), Title: x.Title(), URL: reader.ShownURL(x.Feed.URL),
			Site:    x.Feed.Site,
			Updated: x.Feed.Changed,
		}
	}
	c.out.Feeds = &list
	c.inGroups(bar)
	return nil
}

const (
	// iconBytes bounds the icons in memory: some programs ask for all of them each time.
	iconBytes = 2 << 20
	// iconsAtOnce are read concurrently.
	iconsAtOnce = 16
)

// favicons answers the icons of the user's feeds, each once.
func (c *call) favicons() error {
	bar, err := c.sideBarOf()
	if err != nil {
		return err
	}
	var list []icon
	var hashes [][]byte
	for id, hash := range clients.IconsOf(bar.feeds).All() {
		list, hashes = append(list, icon{ID: uint32(id)}), append(hashes, hash)
	}
	g, ctx := errgroup.WithContext(c.ctx)
	g.SetLimit(iconsAtOnce)
	for i := range list {
		g.Go(func() (err error) {
			list[i].Data, err = c.icon(ctx, hashes[i])
			return err
		})
	}
	err = g.Wait()
	list = slices.DeleteFunc(append([]icon{}, list...), func(i icon) bool { return i.Data == "" })
	c.out.Icons = &list
	return err
}

// icon returns an icon as an answer has it; "" when there is none.
func (h *handler) icon(ctx context.Context, hash []byte) (string, error) {
	if data, ok := h.icons.Get(string(hash)); ok {
		return data, nil
	}
	i, err := h.Icon(ctx, hash)
	if err != nil {
		return "", fault.Ignore(err, fault.NotFound)
	}
	data := i.ContentType + ";base64," + base64.StdEncoding.EncodeToString(i.Body)
	h.icons.Put(string(hash), data, len(hash)+len(data))
	return data, nil
}

// links has nothing: how often sites link to a page is not known.
func (c *call) links() error {
	c.out.Links = &[]struct{}{}
	return nil
}

// items answers a page of items with their content, and the number of all.
func (c *call) items() error {
	bar, err := c.sideBarOf()
	if err != nil {
		return err
	}
	total := 0
	for _, x := range bar.feeds {
		if !x.Sub.Mute {
			total += x.VisibleCount()
		}
	}
	c.out.Total = &total
	ids, err := c.page(bar)
	if err != nil {
		return err
	}
	list, err := c.contents(ids)
	c.out.Items = &list
	return err
}

// page returns the ids of the items that are asked for: some by their ids, those below an id from the newest on, or
// those above one from the oldest on.
func (c *call) page(bar *sideBar) ([]reader.ItemID, error) {
	if c.args.Has("with_ids") {
		return itemIDs(c.args.Get("with_ids"), pageSize), nil
	}
	q := stream.IDQuery{Limit: pageSize, Oldest: true, Above: bound(c.args.Get("since_id"))}
	if c.args.Has("max_id") && !c.args.Has("since_id") {
		// 0 begins with the newest
		q = stream.IDQuery{Limit: pageSize, Below: bound(c.args.Get("max_id"))}
	}
	scopes := c.scopes(bar)
	if scopes == nil {
		ids, _, err := c.Streams.IDs(c.ctx, c.user, q)
		return ids, err
	}
	var ids []reader.ItemID
	for _, id := range scopes {
		q.Scope = stream.Scope{Feed: id}
		more, _, err := c.Streams.IDs(c.ctx, c.user, q)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	if !q.Oldest {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), pageSize)], nil
}

// scopes returns the feeds that the items are to be of; nil for all.
func (c *call) scopes(bar *sideBar) []reader.FeedID {
	if !c.args.Has("feed_ids") && !c.args.Has("group_ids") {
		return nil
	}
	wanted := map[string]bool{}
	for id := range strings.SplitSeq(c.args.Get("feed_ids"), ",") {
		wanted[strings.TrimSpace(id)] = true
	}
	groups := strings.Split(c.args.Get("group_ids"), ",")
	for _, g := range bar.groups {
		if slices.ContainsFunc(groups, func(id string) bool {
			return strings.TrimSpace(id) == strconv.Itoa(int(g.ID))
		}) {
			for _, x := range g.Feeds {
				wanted[x.Feed.ID().String()] = true
			}
		}
	}
	ids := []reader.FeedID{}
	for _, x := range bar.feeds {
		if wanted[x.Feed.ID().String()] {
			ids = append(ids, x.Feed.ID())
		}
	}
	return ids
}

// contents reads items. Those that do not exist any more are left out.
func (c *call) contents(ids []reader.ItemID) ([]item, error) {
	list := []item{}
	found, err := c.Streams.FindAll(c.ctx, c.user, ids)
	if err != nil {
		return list, err
	}
	shows, err := c.Contents(c.ctx, c.user, found, c.room)
	for i, x := range found {
		if x != nil && !x.Hidden {
			list = append(list, shown(&x.Entry, shows[i].HTML))
		}
	}
	return list, err
}

func shown(e *stream.Entry, html string) item {
	return item{
		ID: uint64(e.ID), Feed: uint32(e.Feed), Title: e.Header.Title, Author: e.Header.Author, HTML: html,
		URL:     e.Header.Link,
		IsSaved: flag(e.Starred), IsRead: flag(e.Read), Created: stream.Published(&e.Header),
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *call) unread() (err error) {
	c.out.Unread, err = c.ids(stream.IsUnread)
	return err
}

func (c *call) saved() (err error) {
	c.out.Saved, err = c.ids(stream.IsStarred)
	return err
}

// ids returns all items in a state.
func (c *call) ids(is stream.State) (*string, error) {
	ids, err := c.AllIDs(c.ctx, c.user, stream.IDQuery{Is: is})
	return joined(ids), err
}
