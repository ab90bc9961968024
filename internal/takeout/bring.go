package takeout

import (
	"cmp"
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Brought is what comes from another reader, in the form of an archive: folders, subscriptions with what was read, and
// starred or labelled items.
type Brought struct {
	Folders       [][]string
	Subscriptions []Subscription
	Label         string // of the items; made where it is missing
	Items         []Item
}

// Subscription is the line of a feed in an archive.
type Subscription = subscriptionJSON

// Item is the line of an article in an archive.
type Item = itemJSON

// Identity names an article across installations.
type Identity = identity

// Bring adds it to a user's account as Import does with an archive: what is there stays, and doing it again changes
// nothing.
func (s *Service) Bring(ctx context.Context, u reader.UserID, b *Brought) (*Imported, error) {
	i := s.importer(u, new(archive))
	i.resumed = true // earlier calls have brought the subscriptions of the items
	tree := treeJSON{Folders: b.Folders}
	if b.Label != "" {
		tree.Labels = []string{b.Label}
	}
	err := i.addTree(ctx, &tree)
	for k := 0; k < len(b.Subscriptions) && err == nil; k++ {
		line := &b.Subscriptions[k]
		err = i.failLine(line.URL, i.subscription(ctx, line))
	}
	for k := 0; k < len(b.Items) && err == nil; k++ {
		line := &b.Items[k]
		err = i.failLine(line.Link, i.item(ctx, line))
	}
	err = cmp.Or(err, i.setMarks(ctx))
	if len(i.first) > 0 {
		err = cmp.Or(err, i.Service.feeds.FirstCrawls(ctx, i.first))
	}
	return &i.out, cmp.Or(i.checkAccount(ctx, u), err)
}
