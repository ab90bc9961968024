package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// savePage keeps the page of any address among the items to read later, with its text if that can be read.
func (s *Server) savePage(r *request, in struct {
	URL string `json:"url" required:"true"`
}) error {
	address, err := subscribe.Normalise(in.URL)
	if err != nil {
		return err
	}
	if err := s.limits.texts.take(string(r.user)); err != nil {
		return err
	}
	t := fulltext.Text{State: fulltext.Failed}
	if s.FullText != nil {
		if t, err = s.FullText.Of(r.Context(), address); err != nil {
			return err
		}
	}
	label, err := s.readLaterLabel(r)
	if err != nil {
		return err
	}
	id, err := s.Streams.SavePage(r.Context(), r.user, label,
		stream.WebPage{URL: address, Title: t.Title, Site: t.SiteName, Lang: t.Lang, HTML: t.HTML})
	if err != nil {
		return err
	}
	out := struct {
		ID      string     `json:"id"`
		LabelID numberJSON `json:"labelId"`
		State   string     `json:"state"`
		Message *string    `json:"message"`
	}{ID: id.String(), LabelID: numberJSON(label), State: string(t.State)}
	if t.State != fulltext.OK {
		message := texts.FullText(string(t.State), t.Code).In(r.language())
		out.Message = &message
	}
	return r.json(http.StatusCreated, out)
}

// readLaterLabel returns the user's label of items to read later, and makes it where there is none.
func (s *Server) readLaterLabel(r *request) (id reader.LabelID, err error) {
	t, err := s.Store.Trees.Get(r.Context(), r.user)
	if id = t.ReadLater(); err != nil || id != 0 {
		return id, err
	}
	_, err = s.Store.Trees.Change(r.Context(), r.user, func(t *library.Tree) (err error) {
		id, err = t.EnsureReadLater(library.ReadLaterName(r.language()))
		return err
	})
	return id, err
}

// addReadLater makes the user's label of items to read later, or returns the one there is.
func (s *Server) addReadLater(r *request) error {
	if _, err := s.readLaterLabel(r); err != nil {
		return err
	}
	return s.listLabels(r)
}
