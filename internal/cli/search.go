package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/stream"
)

func searchFlags(i *invocation) {
	userFlag(i)
	jsonFlag("a JSON array")(i)
	i.flags.IntVar(&i.limit, "limit", 20, "how many articles, at most")
	i.flags.StringVar(&i.filter, "filter", "all", "all, unread, starred or hidden")
	i.choices("filter", "all", "unread", "starred", "hidden")
}

type foundLine struct {
	ID        string    `json:"id"`
	FeedID    string    `json:"feedId"`
	FeedTitle string    `json:"feedTitle"`
	Title     string    `json:"title"`
	Link      string    `json:"link"`
	Published time.Time `json:"publishedAt"`
	IsRead    bool      `json:"isRead"`
	IsStarred bool      `json:"isStarred"`
}

// searchCmd prints what a user's search finds, newest first. Days in it are local ones. Several arguments are one
// search.
func searchCmd(ctx context.Context, i *invocation) error {
	if len(i.args) == 0 {
		return &usageError{"search takes what to search for"}
	}
	filter, err := reader.ParseFilter(i.filter)
	if err != nil || i.limit < 1 {
		return &usageError{"--filter is all, unread, starred or hidden, and --limit at least 1"}
	}
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	q := find.Query{Text: strings.Join(i.args, " "), Filter: filter, Zone: time.Local}
	lines := []foundLine{}
	for {
		q.Limit = min(i.limit-len(lines), stream.MaxLimit)
		p, err := app.Find.Search(ctx, u, q)
		if err != nil {
			return err
		}
		for k := range p.Items {
			lines = append(lines, found(&p.Items[k]))
		}
		if q.Cursor = p.Next; q.Cursor == "" || len(lines) >= i.limit {
			break
		}
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(lines)
	}
	for _, l := range lines {
		fmt.Fprintf(i.Stdout, "%s  %s  %s  %s\n", l.Published.Local().Format(time.DateOnly), l.FeedTitle,
			l.Title, l.Link)
	}
	return nil
}

func found(it *find.Item) foundLine {
	return foundLine{
		ID: it.ID.String(), FeedID: it.Feed.String(), FeedTitle: it.FeedTitle, Title: it.Header.Title,
		Link:      it.Header.Link,
		Published: time.Unix(it.Header.Shown(), 0).UTC(), IsRead: it.Read, IsStarred: it.Starred,
	}
}
