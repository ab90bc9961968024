package greader

import (
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// editSubscription subscribes to feeds, unsubscribes from them, or changes their title and folders. Repeating a change
// is harmless: clients subscribe again to a feed that they just added, to file it.
func (s *server) editSubscription(r *request) error {
	action := r.form.Get("ac")
	if action != "subscribe" && action != "unsubscribe" && action != "edit" {
		return fault.New(fault.Invalid, "", "greader: subscription", nil)
	}
	for i, name := range r.form["s"] {
		name, isFeed := strings.CutPrefix(name, feedPrefix)
		if !isFeed {
			return fault.Coded(fault.NotFound, "feed_not_found")
		}
		id, err := s.feed(r, name)
		if err != nil {
			return err
		}
		switch {
		case action == "unsubscribe":
			if id == 0 {
				continue
			}
			if err := fault.Ignore(s.Subscribe.Leave(r.Context(), r.caller.User, id), fault.NotFound); err != nil {
				return err
			}
			continue
		case action == "subscribe" && id == 0:
			f, err := s.add(r, name)
			if err != nil {
				return clients.OfSite(err)
			}
			id = f.ID()
		case id == 0:
			return fault.Coded(fault.NotFound, "feed_not_found")
		}
		title := ""
		if i < len(r.form["t"]) {
			title = r.form["t"][i]
		}
		if err := s.refile(r, id, title); err != nil {
			return err
		}
	}
	return r.ok()
}

// add subscribes to the feed at an address, or to one that its page names. A number is no address: numbers of other
// users' feeds open nothing.
func (s *server) add(r *request, address string) (*store.FeedRow, error) {
	if strings.Trim(address, "0123456789") == "" {
		return nil, fault.Coded(fault.NotFound, "feed_not_found")
	}
	if err := s.Auth.CountRegistration(r.Context(), r.caller.User); err != nil {
		return nil, err
	}
	f, _, err := s.Subscribe.Add(r.Context(), r.caller.User, address, subscribe.Options{})
	return f, err
}

// refile gives a subscription the title and the folders of the form's t, a and r.
func (s *server) refile(r *request, id reader.FeedID, title string) error {
	sub, err := s.Streams.Latest(r.Context(), r.caller.User, id)
	if err != nil {
		return err
	}
	var w subscribe.Settings
	if title = library.CutTitle(title); title != "" {
		if title == sub.Feed.DisplayTitle() {
			title = "" // the feed's own, which may change
		}
		w.Title = &title
	}
	if len(r.form["a"])+len(r.form["r"]) > 0 {
		folders, err := s.folders(r, sub)
		if err != nil {
			return err
		}
		w.Folders = &folders
	}
	if w.Title == nil && w.Folders == nil {
		return nil
	}
	_, err = s.Subscribe.Set(r.Context(), r.caller.User, id, w)
	return err
}

// folders returns the folders of a feed after those of the form's r were taken away, with all in them, and those of its
// a were added, which are made where they are missing.
func (s *server) folders(r *request, sub *stream.Subscribed) (folders []reader.FolderID, err error) {
	t, err := s.Store.Trees.Get(r.Context(), r.caller.User, table.Consistent())
	if err != nil {
		return nil, err
	}
	n := namesOf(t)
	var gone []reader.FolderID
	for _, tag := range r.form["r"] {
		if name, ok := labelOf(tag); ok {
			within, _ := n.Within(n.folders[name])
			gone = append(gone, within...)
		}
	}
	isMoved := s.hasOneFolder(r, sub.Feed.ID())
	for _, id := range sub.Sub.Folders {
		if n.Has(id) && !isMoved && !slices.Contains(gone, id) {
			folders = append(folders, id)
		}
	}
	for _, tag := range r.form["a"] {
		name, ok := labelOf(tag)
		if !ok {
			continue
		}
		id := n.folders[name]
		if id == 0 {
			if id, err = s.makeFolder(r, name); err != nil {
				return nil, err
			}
		}
		if id != 0 && !slices.Contains(folders, id) {
			folders = append(folders, id)
		}
	}
	return folders, nil
}

// hasOneFolder reports that a request moves a feed: its program knows one folder of each, and names the new one alone.
// A request right after adding the feed is no move: the feed may have been there, in other folders.
func (s *server) hasOneFolder(r *request, f reader.FeedID) bool {
	isCapy := strings.Contains(strings.ToLower(r.UserAgent()), "capy")
	at, wasAdded := s.added.Get(addedFeed{r.caller.User, f})
	isNew := wasAdded && s.Clock.Now().Sub(at) < newFor
	return isCapy && !isNew && r.form.Get("ac") == "edit" && len(r.form["a"]) > 0 && len(r.form["r"]) == 0
}

// addedFeed is a feed that a user has just added with quickadd.
type addedFeed struct {
	user reader.UserID
	feed reader.FeedID
}

const (
	newFor   = 2 * time.Minute
	maxAdded = 4096
)

func (s *server) makeFolder(r *request, name string) (id reader.FolderID, err error) {
	_, err = s.Store.Trees.Change(r.Context(), r.caller.User, func(t *library.Tree) (err error) {
		n := namesOf(*t)
		if id = n.folders[name]; id != 0 {
			return nil
		}
		id, err = t.EnsureFolder(n.place(name))
		return err
	})
	return id, err
}

// quickAdd subscribes to the feed at an address that a person typed.
func (s *server) quickAdd(r *request) error {
	typed := r.form.Get("quickadd")
	out := struct {
		Results int    `json:"numResults"`
		Query   string `json:"query"`
		Stream  string `json:"streamId,omitempty"`
		Title   string `json:"streamName,omitempty"`
		Error   string `json:"error,omitempty"`
	}{Query: typed}
	address := strings.TrimPrefix(strings.TrimSpace(typed), feedPrefix)
	id, err := s.feed(r, address)
	if err != nil {
		return err
	}
	if id == 0 {
		f, err := s.add(r, address)
		if err = clients.OfSite(err); fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
			out.Error = message(err)
			return r.json(out)
		}
		if err != nil {
			return err
		}
		id = f.ID()
	}
	sub, err := s.Streams.Latest(r.Context(), r.caller.User, id)
	if err != nil {
		return err
	}
	s.added.Put(addedFeed{r.caller.User, id}, s.Clock.Now(), 1)
	out.Results, out.Stream, out.Title = 1, feedPrefix+id.String(), sub.Title()
	return r.json(out)
}

// export answers the subscriptions as OPML, without the passwords of private feeds.
func (s *server) export(r *request) error {
	feeds, err := s.Subscribe.Export(r.Context(), r.caller.User)
	if err != nil {
		return err
	}
	for i := range feeds {
		feeds[i].XMLURL = reader.ShownURL(feeds[i].XMLURL)
	}
	r.w.Header().Set("Content-Disposition", `attachment; filename="ruri-subscriptions.opml"`)
	return r.bytes("text/x-opml; charset=utf-8", opml.Encode("Ruri Reader", feeds, time.Time{}))
}

// importList subscribes to the feeds of an OPML document, which is the body. A long one is worked through after the
// answer.
func (s *server) importList(r *request) error {
	body, err := clients.Body(r.Request, opml.MaxBytes)
	if err != nil {
		return err
	}
	if _, err := s.Subscribe.StartImport(r.Context(), r.caller.User, body); err != nil {
		return err
	}
	return r.ok()
}
