package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/watch"
)

// describeAnew looks for the results of a watch on a page that its layout does not read any more. Where most of what is
// there is known, the site has changed its page and not what it lists: the layout is replaced, with a note for the
// user, and the look is that of the page as it is read now. The layout is stored before the look is committed, so that
// a crash between the two is a look with a new layout.
func (c *Crawler) describeAnew(ctx context.Context, id reader.FeedID, st *watch.State, obs *observation) bool {
	l := obs.look
	if l.wasTried || l.read == nil || l.page != 1 || l.inspect || l.set.Adapter != "" || obs.resp == nil ||
		l.read.Problem == listing.ProblemChallenge {
		return false
	}
	l.wasTried = true
	resp := obs.resp
	found, ok := listing.Redetect(ctx, resp.Body, resp.ContentType, resp.FinalURL, l.set.Layout, st.Knows)
	if !ok {
		return false
	}
	found.Page.CountFrom(l.at)
	set := *l.set
	set.Layout, set.Relaid, set.Found = &found.Layout, true, l.at.Unix()
	old, oldRead := l.set, l.read
	l.set, l.read = &set, found.Page
	if l.compare(st).Problem != "" || set.Layout.Check() != nil { // it is no better
		l.set, l.read = old, oldRead
		return false
	}
	if err := c.relay(ctx, id, l); err != nil {
		c.o.Log.Info("a new layout of a watch was not stored", "feed_id", uint32(id), "error", err)
		l.set, l.read = old, oldRead
		return false
	}
	return true
}

// relay stores the layout of a look, unless somebody has changed the settings since they were read.
func (c *Crawler) relay(ctx context.Context, id reader.FeedID, l *look) error {
	row, err := c.store.Watches.Settings(ctx, id)
	if err != nil {
		return err
	}
	row.Rev = l.rev
	if err := row.Change(l.set); err != nil {
		return err
	}
	if err := c.store.Watches.PutSettings(ctx, row); err != nil {
		return err
	}
	l.rev, l.replaced = row.Rev, true
	return nil
}
