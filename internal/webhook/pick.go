package webhook

import (
	"context"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Pick is the saved search whose matches a webhook or a device wants. It is compared with the fields that lists show
// of an item: title, author, categories and snippet. A nil Pick wants everything.
type Pick struct {
	search library.Search
	query  *query.Query
	within []reader.FolderID // of the search's folder
}

// pick reads the saved search of a webhook as it is now. A webhook whose search is gone, or the folder of it, is
// switched off.
func (s *Service) pick(ctx context.Context, u reader.UserID, hook *store.WebhookRow) (*Pick, error) {
	if hook.Search == 0 {
		return nil, nil
	}
	p, err := s.Find(ctx, u, reader.SearchID(hook.Search))
	if fault.Is(err, fault.NotFound) {
		return nil, s.searchGone(ctx, u, hook)
	}
	return p, err
}

// Find returns the pick of a saved search; fault.NotFound when it or its folder is gone.
func (s *Service) Find(ctx context.Context, u reader.UserID, id reader.SearchID) (*Pick, error) {
	list, err := s.store.Searches.Latest(ctx, u)
	if err != nil {
		return nil, err
	}
	p := &Pick{}
	if p.search, err = list.Get(id); err != nil {
		return nil, err
	}
	if p.query, err = query.Parse(p.search.Query, query.Options{Kana: p.search.Kana}); err != nil {
		return nil, err
	}
	if p.search.Folder == 0 {
		return p, nil
	}
	tree, err := s.store.Trees.Get(ctx, u, table.Consistent())
	if err == nil {
		p.within, err = tree.Within(p.search.Folder)
	}
	return p, err
}

// searchGone switches a webhook off whose search is gone.
func (s *Service) searchGone(ctx context.Context, u reader.UserID, hook *store.WebhookRow) error {
	row, err := s.store.Webhooks.Change(ctx, u, hook.Hook(), func(row *store.WebhookRow) {
		if row.On() && row.Search == hook.Search {
			row.Off, row.OffAt = OffSearchGone, s.now()
		}
	})
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	*hook = *row
	return s.UpdateFeeds(ctx, u)
}

// SearchDeleted switches off the webhooks that want what a saved search matches, after it was deleted. One that a crash
// leaves on is switched off by its next delivery.
func (s *Service) SearchDeleted(ctx context.Context, u reader.UserID, id reader.SearchID) error {
	list, err := s.store.Webhooks.List(ctx, u)
	if err != nil {
		return err
	}
	for _, hook := range list {
		if reader.SearchID(hook.Search) == id && hook.On() {
			if err := s.searchGone(ctx, u, hook); err != nil {
				return err
			}
		}
	}
	return nil
}

// MayHave reports whether the search may match new items of a feed.
func (p *Pick) MayHave(id reader.FeedID, own *store.SubscriptionRow) bool {
	return p.inScope(id, own, EventNew) && p.state(EventNew)
}

// inScope reports whether the search looks into a feed. own is nil where only a star is left of it. As in searches,
// stars of muted feeds count.
func (p *Pick) inScope(id reader.FeedID, own *store.SubscriptionRow, event string) bool {
	switch {
	case p == nil:
		return true
	case p.search.Feed != 0:
		return p.search.Feed == id
	case p.search.Folder != 0:
		return own != nil && own.In(p.within)
	}
	return event == EventStarred || !own.Mute
}

// state reports whether items of an event can be in the state that the search wants: new ones are unread, without a
// star, and not hidden yet.
func (p *Pick) state(event string) bool {
	switch {
	case p == nil:
		return true
	case p.search.Filter == "hidden":
		return false
	}
	return event == EventStarred || p.search.Filter != "starred" && !p.query.Starred
}

// Wants reports whether the search matches an item.
func (p *Pick) Wants(h *store.Header) bool {
	return p == nil || h.Sort >= p.query.From && (p.query.To == 0 || h.Sort < p.query.To) &&
		p.query.Matches(
			query.Fold(&query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet, Categories: h.Categories}))
}

// about names the search in a delivery.
func (p *Pick) about() *BodySearch {
	if p == nil {
		return nil
	}
	return &BodySearch{ID: strconv.Itoa(int(p.search.ID)), Name: p.search.Name}
}
