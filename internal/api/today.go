package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/stream"
)

type todayJSON struct {
	Since     moment            `json:"since"`
	New       int               `json:"newCount"`
	Seen      int               `json:"seenCount"`
	IsPartial bool              `json:"isPartial"`
	Continued []continuedJSON   `json:"continued"`
	Folders   []folderTodayJSON `json:"folders"`
	LongReads []itemJSON        `json:"longReads"`
	Episodes  []itemJSON        `json:"episodes"`
	Popular   []itemJSON        `json:"popular"`
	Drops     []itemJSON        `json:"priceDrops"`
	Broken    []string          `json:"brokenFeeds"`
	Quiet     []string          `json:"quietFeeds"`
	Week      readCounts        `json:"week"`
}

// folderTodayJSON are the new items of a folder; of none if the id is null.
type folderTodayJSON struct {
	ID     *numberJSON `json:"id"`
	Unread int         `json:"newCount"`
	Newest []itemJSON  `json:"items"`
}

// continuedJSON is an item that was begun, and where.
type continuedJSON struct {
	Item  itemJSON  `json:"item"`
	Place placeJSON `json:"place"`
}

func (s *Server) todayRoutes() []Route {
	return []Route{{Method: "GET", Path: "/api/today", Handle: s.today}}
}

// today answers what a visit begins with. With an API token there is no visit before: then it is about the last day.
func (s *Server) today(r *request) error {
	var before time.Time
	if r.session != nil {
		before = r.session.Before
	}
	t, err := s.Explore.Today(r.Context(), r.user, before)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, shownToday(&t, s.counts(r)))
}

func shownToday(t *stream.Today, c *popular.Counts) todayJSON {
	items := func(list []stream.Entry) []itemJSON {
		out := make([]itemJSON, len(list))
		for i := range list {
			out[i] = item(&list[i], t.Feed(list[i].Feed), c)
		}
		return out
	}
	id := func(x *stream.Subscribed) string { return x.Feed.ID().String() }
	return todayJSON{
		Since: momentOf(t.Since), New: t.New, Seen: t.Seen, IsPartial: t.IsPartial,
		Continued: mapped(t.Continued, func(x stream.Continued) continuedJSON {
			return continuedJSON{item(&x.Entry, t.Feed(x.Feed), c), shownPlace(x.Place)}
		}),
		Folders: mapped(t.Folders, func(f stream.FolderToday) folderTodayJSON {
			return folderTodayJSON{orNull(numberJSON(f.ID)), f.Count, items(f.Newest)}
		}),
		LongReads: items(t.LongReads), Episodes: items(t.Episodes), Popular: items(t.Popular), Drops: items(t.Drops),
		Broken: mapped(t.Broken, id), Quiet: mapped(t.Quiet, id),
		Week: readCounts{t.Week.Read, t.Week.Cleared, t.Week.Starred},
	}
}
