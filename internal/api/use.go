package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxPopular limits the answers of each kind.
const maxPopular = 10

type usedJSON struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type clickedJSON struct {
	ID     string `json:"id"`
	FeedID string `json:"feedId"`
	Title  string `json:"title"`
	Link   string `json:"link"`
	Count  int    `json:"count"`
}

// popular answers what was clicked, opened and searched for most. Of items, those of the user's own feeds.
func (s *Server) popular(r *request) error {
	p, err := explore.ParsePeriod(r.URL.Query().Get("period"), explore.Week)
	if err != nil {
		return err
	}
	days := map[explore.Period]int{explore.Day: 1, explore.Week: 7, explore.Month: 30, explore.Ever: store.UseDays}
	use, err := s.Usage.Popular(r.Context(), r.user, days[p])
	if err != nil {
		return err
	}
	out := struct {
		Entries  []clickedJSON `json:"entries"`
		Tags     []usedJSON    `json:"tags"`
		Searches []usedJSON    `json:"searches"`
	}{[]clickedJSON{}, used(use.Tags), used(use.Searches)}
	for _, x := range use.Clicks[:min(len(use.Clicks), 3*maxPopular)] {
		e, _, err := s.Streams.Find(r.Context(), r.user, x.Item)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		out.Entries = append(out.Entries, clickedJSON{x.Item.String(), e.Feed.String(), e.Header.Title,
			e.Header.Link, x.N})
		if len(out.Entries) == maxPopular {
			break
		}
	}
	return r.json(http.StatusOK, out)
}

func used(list []*store.UseSum) []usedJSON {
	return mapped(list[:min(len(list), maxPopular)], func(x *store.UseSum) usedJSON { return usedJSON{x.Text, x.N} })
}

// notesJSON is a person's use of the reader since the last change that was sent.
type notesJSON struct {
	Clicked  []itemRef `json:"clicked"`
	Tags     []string  `json:"tags"`
	Searched []string  `json:"searched"`
}

// notes returns what may be counted of the person.
func (s *Server) notes(r *request, in *notesJSON) (list []reader.Note, err error) {
	if in == nil {
		return nil, nil
	}
	prefs, err := s.Store.Preferences.Get(r.Context(), r.user)
	if err != nil || !prefs.CountsUse() {
		return nil, err
	}
	for _, one := range in.Clicked {
		if one.id != 0 {
			list = append(list, reader.Note{Kind: reader.Clicked, Item: one.id})
		}
	}
	for kind, texts := range map[reader.NoteKind][]string{reader.TagOpened: in.Tags, reader.Searched: in.Searched} {
		for _, text := range texts {
			if text = reader.NoteText(text); text != "" {
				list = append(list, reader.Note{Kind: kind, Text: text})
			}
		}
	}
	return list, nil
}
