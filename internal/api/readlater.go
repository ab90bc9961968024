package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/fault/texts"
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
	label, _, err := s.library.ReadLater(r.Context(), r.user, r.language())
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

// addReadLater makes the user's label of items to read later, unless there is one, and answers with all labels.
func (s *Server) addReadLater(r *request) error {
	_, t, err := s.library.ReadLater(r.Context(), r.user, r.language())
	return answerOne(r, http.StatusOK, "labels", t, labels, err)
}
