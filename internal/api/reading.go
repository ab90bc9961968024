package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/reader"
)

type readDayJSON struct {
	Day string `json:"day"`
	readCounts
}

type readCounts struct {
	Read    int `json:"read"`
	Cleared int `json:"cleared"`
	Starred int `json:"starred"`
}

func (c *readCounts) add(o reader.Count) {
	c.Read, c.Cleared, c.Starred = c.Read+o.Read, c.Cleared+o.Cleared, c.Starred+o.Starred
}

type readFeedJSON struct {
	ID string `json:"id"`
	readCounts
	LastRead *string `json:"lastReadOn"`
}

// reading answers the user's reading statistics by day and by feed, summed from the rows of the side bar: they need no
// writes of their own.
func (s *Server) reading(r *request) error {
	n, err := daysAsked(r)
	if err != nil {
		return err
	}
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	today := reader.DayOf(s.Clock.Now().UnixMilli())
	out := struct {
		Days  []readDayJSON  `json:"days"`
		Feeds []readFeedJSON `json:"feeds"`
	}{make([]readDayJSON, n), make([]readFeedJSON, 0, len(list))}
	oldest := today + 1 - reader.Day(n)
	for i := range out.Days {
		out.Days[i].Day = (oldest + reader.Day(i)).String()
	}
	for _, sub := range list {
		feed := readFeedJSON{ID: sub.Feed.ID().String()}
		for c := range sub.State.Tally.All() {
			if c.Day < oldest || c.Day > today {
				continue
			}
			feed.add(c)
			out.Days[c.Day-oldest].add(c)
		}
		if day, ok := sub.State.Tally.LastRead(); ok {
			text := day.String()
			feed.LastRead = &text
		}
		out.Feeds = append(out.Feeds, feed)
	}
	return r.json(http.StatusOK, out)
}
