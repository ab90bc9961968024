package miniflux

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

func (l *account) shapes(list []*stream.Subscribed) []*feedJSON {
	out := make([]*feedJSON, len(list))
	for i, x := range list {
		out[i] = l.feed(x)
	}
	return out
}

func (r *request) feeds() error {
	l, err := r.account()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, l.shapes(l.feeds))
}

// subscribed finds the feed in the path.
func (r *request) subscribed() (*stream.Subscribed, *account, error) {
	id, err := r.path("feed", "feed")
	if err != nil {
		return nil, nil, err
	}
	l, err := r.account()
	if err != nil {
		return nil, nil, err
	}
	x := l.find(id)
	if x == nil {
		return nil, nil, notFound()
	}
	return x, l, nil
}

func (r *request) feed() error {
	x, l, err := r.subscribed()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, l.feed(x))
}

// counters answers how many entries of each feed are read, and unread.
func (r *request) counters() error {
	feeds, err := r.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	reads, unreads := map[reader.FeedID]int{}, map[reader.FeedID]int{}
	for _, x := range feeds {
		if n := x.Unread(); n > 0 {
			unreads[x.Feed.ID()] = n
		}
		if n := x.VisibleCount() - x.Unread(); n > 0 {
			reads[x.Feed.ID()] = n
		}
	}
	return r.answer(http.StatusOK, map[string]map[reader.FeedID]int{"reads": reads, "unreads": unreads})
}

// countAddition counts an address that is looked at: in memory first, then for all instances together.
func (r *request) countAddition() error {
	if err := r.Count(r.Context(), r.user, clients.Addition); err != nil {
		return err
	}
	return r.Auth.CountRegistration(r.Context(), r.user)
}

func noCategory() error { return bad("This category does not exist or does not belong to this user.") }

// addFeed subscribes to the feed at an address, or to that which the page there links to.
func (r *request) addFeed() error {
	var in struct {
		URL      string `json:"feed_url"`
		Category int64  `json:"category_id"`
		Crawler  bool   `json:"crawler"`
		Hidden   bool   `json:"hide_globally"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.URL == "" {
		return bad("The URL and the category are mandatory.")
	}
	l, err := r.account()
	if err != nil {
		return err
	}
	var o subscribe.Options
	if in.Category > 0 {
		g := l.group(in.Category)
		if g == nil {
			return noCategory()
		}
		if folder := g.ID.Folder(); folder > 0 {
			o.Folders = []reader.FolderID{folder}
		}
	}
	if err := r.countAddition(); err != nil {
		return err
	}
	f, made, err := r.Subscribe.Add(r.Context(), r.user, in.URL, o)
	if err != nil {
		return err
	}
	if !made {
		return bad("This feed already exists.")
	}
	if in.Crawler || in.Hidden {
		if _, err := r.Subscribe.Set(r.Context(), r.user, f.ID(),
			subscribe.Settings{FullText: &in.Crawler, Mute: &in.Hidden}); err != nil {
			return err
		}
	}
	return r.answer(http.StatusCreated, map[string]uint32{"feed_id": uint32(f.ID())})
}

// changeFeed changes what a subscription has: title, category, full text, mute, and the address. A feed that was
// stopped goes on when it is to be enabled.
func (r *request) changeFeed() error {
	x, l, err := r.subscribed()
	if err != nil {
		return err
	}
	var in struct {
		URL      *string `json:"feed_url"`
		Title    *string `json:"title"`
		Category *int64  `json:"category_id"`
		Crawler  *bool   `json:"crawler"`
		Hidden   *bool   `json:"hide_globally"`
		Disabled *bool   `json:"disabled"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.URL != nil && *in.URL == "" {
		return bad("The feed URL cannot be empty.")
	}
	set := subscribe.Settings{Title: in.Title, FullText: in.Crawler, Mute: in.Hidden}
	if in.Title != nil {
		if *in.Title == "" {
			return bad("The feed title cannot be empty.")
		}
		if *in.Title == x.Title() { // a form that sends back what it was shown
			set.Title = nil
		}
	}
	if in.Category != nil {
		g := l.group(*in.Category)
		if g == nil {
			return noCategory()
		}
		if g.ID != l.categoryOf(x.Sub).ID {
			set.Folders = &[]reader.FolderID{}
			if folder := g.ID.Folder(); folder > 0 {
				set.Folders = &[]reader.FolderID{folder}
			}
		}
	}
	id := x.Feed.ID()
	if set != (subscribe.Settings{}) {
		if _, err := r.Subscribe.Set(r.Context(), r.user, id, set); err != nil {
			return err
		}
	}
	if in.Disabled != nil && !*in.Disabled && x.Feed.Status == string(reader.StatusStopped) {
		if _, err := r.Subscribe.Resume(r.Context(), id); fault.Ignore(err, fault.Conflict) != nil {
			return err
		}
	}
	if in.URL != nil && *in.URL != reader.ShownURL(x.Feed.URL) {
		if err := r.countAddition(); err != nil {
			return err
		}
		f, err := r.Subscribe.Repoint(r.Context(), r.user, id, *in.URL)
		if err != nil {
			return err
		}
		id = f.ID()
	}
	if l, err = r.account(); err != nil {
		return err
	}
	if x, err = r.Streams.Latest(r.Context(), r.user, id); err != nil {
		return err
	}
	return r.answer(http.StatusCreated, l.feed(x))
}

func (r *request) removeFeed() error {
	x, _, err := r.subscribed()
	if err != nil {
		return err
	}
	return r.done(r.Subscribe.Leave(r.Context(), r.user, x.Feed.ID()))
}

func (r *request) refreshAll() error { return r.refresh(subscribe.RefreshScope{}) }

// refresh starts to poll feeds, those that may be polled now.
func (r *request) refresh(scope subscribe.RefreshScope) error {
	if err := r.Count(r.Context(), r.user, clients.Refresh); err != nil {
		return err
	}
	_, err := r.Subscribe.Refresh(r.Context(), r.user, scope)
	return r.done(err)
}

func (r *request) refreshFeed() error {
	x, _, err := r.subscribed()
	if err != nil {
		return err
	}
	return r.refresh(subscribe.RefreshScope{Feed: x.Feed.ID()})
}

// discover answers the feeds that are at an address, or that the page there links to.
func (r *request) discover() error {
	var in struct {
		URL string `json:"url"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.URL == "" {
		return bad("Invalid URL.")
	}
	if err := r.countAddition(); err != nil {
		return err
	}
	offers, err := r.Subscribe.Discover(r.Context(), r.user, in.URL)
	if err != nil {
		return err
	}
	type found struct {
		Title string `json:"title"`
		URL   string `json:"url"`
		Type  string `json:"type"`
	}
	out := make([]found, len(offers))
	for i, o := range offers {
		out[i] = found{o.Title, reader.ShownURL(o.URL), kindOf(o.Type)}
	}
	if len(out) == 0 {
		return notFound()
	}
	return r.answer(http.StatusOK, out)
}

// kindOf is Miniflux's name of a media type.
func kindOf(media string) string {
	switch media {
	case discover.RDF:
		return "rdf"
	case discover.Atom:
		return "atom"
	case discover.JSON:
		return "json"
	}
	return "rss"
}

func (r *request) feedIcon() error {
	x, l, err := r.subscribed()
	if err != nil {
		return err
	}
	return r.answerIcon(l.icons.Of(x.Feed), x.Feed.IconHash)
}

func (r *request) icon() error {
	id, err := r.path("icon", "icon")
	if err != nil {
		return err
	}
	l, err := r.account()
	if err != nil {
		return err
	}
	for icon, hash := range l.icons.All() {
		if int64(icon) == id {
			return r.answerIcon(icon, hash)
		}
	}
	return notFound()
}

func (r *request) answerIcon(id reader.FeedID, hash []byte) error {
	i, err := r.Icon(r.Context(), hash)
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, struct {
		ID   uint32 `json:"id"`
		Type string `json:"mime_type"`
		Data string `json:"data"`
	}{uint32(id), i.ContentType, i.ContentType + ";base64," + base64.StdEncoding.EncodeToString(i.Body)})
}

// group finds the category in the path.
func (r *request) group() (*clients.Group, *account, error) {
	id, err := r.path("category", "category")
	if err != nil {
		return nil, nil, err
	}
	l, err := r.account()
	if err != nil {
		return nil, nil, err
	}
	g := l.group(id)
	if g == nil {
		return nil, nil, notFound()
	}
	return g, l, nil
}

func (r *request) categories() error {
	l, err := r.account()
	if err != nil {
		return err
	}
	out := make([]categoryJSON, len(l.groups))
	for i := range l.groups {
		out[i] = category(&l.groups[i])
		if r.URL.Query().Get("counts") == "true" {
			feeds, unread := l.in(out[i].ID), 0
			for _, x := range feeds {
				unread += x.Unread()
			}
			n := len(feeds)
			out[i].Feeds, out[i].Unread = &n, &unread
		}
	}
	return r.answer(http.StatusOK, out)
}

func (r *request) categoryFeeds() error {
	g, l, err := r.group()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, l.shapes(l.in(g.ID)))
}

// refreshCategory polls the feeds of a folder and of the folders in it; for the feeds without a folder, all.
func (r *request) refreshCategory() error {
	g, _, err := r.group()
	if err != nil {
		return err
	}
	return r.refresh(subscribe.RefreshScope{Folder: g.ID.Folder()})
}

func noTitle() error { return bad("The title is mandatory.") }

// named returns the error for a name that a folder cannot have.
func named(err error) error {
	if fault.CodeOf(err) == "folder_exists" {
		return bad("This category already exists.")
	}
	return err
}

func (r *request) addCategory() error {
	var in struct {
		Title string `json:"title"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Title) == "" {
		return noTitle()
	}
	var id reader.FolderID
	tree, err := r.Store.Trees.Change(r.Context(), r.user, func(t *library.Tree) (err error) {
		id, err = t.AddFolder(0, in.Title)
		return err
	})
	if err != nil {
		return named(err)
	}
	return r.answerCategory(clients.GroupOf(id), &tree)
}

// changeCategory renames a folder. Of a title that is a path the last name counts.
func (r *request) changeCategory() error {
	g, l, err := r.group()
	if err != nil {
		return err
	}
	var in struct {
		Title *string `json:"title"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.Title != nil && strings.TrimSpace(*in.Title) == "" {
		return noTitle()
	}
	if in.Title != nil && *in.Title != g.Title {
		folder := g.ID.Folder()
		if folder == 0 {
			return bad("Unable to update this category.")
		}
		path := l.tree.Path(folder)
		above := strings.TrimSuffix(g.Title, path[len(path)-1])
		l.tree, err = r.Store.Trees.Change(r.Context(), r.user, func(t *library.Tree) error {
			name := strings.TrimPrefix(*in.Title, above)
			return t.ChangeFolder(folder, library.FolderChange{Name: &name})
		})
		if err != nil {
			return named(err)
		}
	}
	return r.answerCategory(g.ID, &l.tree)
}

// answerCategory answers a change of a category.
func (r *request) answerCategory(id clients.GroupID, tree *library.Tree) error {
	for _, g := range clients.Groups(tree, nil) {
		if g.ID == id {
			return r.answer(http.StatusCreated, category(&g))
		}
	}
	return notFound()
}

// removeCategory deletes a folder; its feeds stay.
func (r *request) removeCategory() error {
	g, _, err := r.group()
	if err != nil {
		return err
	}
	folder := g.ID.Folder()
	if folder == 0 {
		return bad("This category cannot be removed.")
	}
	_, err = r.Library.DeleteFolder(r.Context(), r.user, folder)
	return r.done(err)
}
