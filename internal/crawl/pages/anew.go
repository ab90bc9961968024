package pages

import (
	"context"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/watch"
)

// describeAnew looks for the results of a watch on a page that its layout does not read any more. Where most of what is
// there is known, the site has changed its page and not what it lists: the layout is replaced, with a note for the
// user, and the snapshot has the page as it is read now. The layout is stored before the snapshot is committed: after a
// crash between the two, the next crawl has a new layout.
func (p *Pages) describeAnew(ctx context.Context, id reader.FeedID, st *watch.State, s *Snapshot) bool {
	if s.wasTried || s.Listing == nil || s.Page != 1 || s.Inspect || s.Set.Adapter != "" || s.Resp == nil ||
		s.Listing.Problem == listing.ProblemChallenge {
		return false
	}
	s.wasTried = true
	resp := s.Resp
	found, ok := listing.Redetect(ctx, resp.Body, resp.ContentType, resp.FinalURL, s.Set.Layout, st.Knows)
	if !ok {
		return false
	}
	found.Page.CountFrom(s.At)
	set := *s.Set
	set.Layout, set.Relaid, set.Found = &found.Layout, true, s.At.Unix()
	old, oldRead := s.Set, s.Listing
	s.Set, s.Listing = &set, found.Page
	if s.compare(st).Problem != "" || set.Layout.Check() != nil { // it is no better
		s.Set, s.Listing = old, oldRead
		return false
	}
	if err := p.relay(ctx, id, s); err != nil {
		p.Log.Info("a new layout of a watch was not stored", "feed_id", uint32(id), "error", err)
		s.Set, s.Listing = old, oldRead
		return false
	}
	return true
}

// relay stores the layout of a snapshot, unless somebody has changed the settings since they were read.
func (p *Pages) relay(ctx context.Context, id reader.FeedID, s *Snapshot) error {
	row, err := p.Store.Watches.Settings(ctx, id)
	if err != nil {
		return err
	}
	row.Rev = s.Rev
	if err := row.Change(s.Set); err != nil {
		return err
	}
	if err := p.Store.Watches.PutSettings(ctx, row); err != nil {
		return err
	}
	s.Rev, s.Replaced = row.Rev, true
	return nil
}
