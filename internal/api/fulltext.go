package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/stream"
)

// textsPerMinute limits the linked pages that a user opens: each may be a request to a foreign site.
const textsPerMinute = 20

type fullTextJSON struct {
	State       string  `json:"state"` // ok, robots, failed, empty
	Code        *string `json:"code"`
	Message     *string `json:"message"` // explains a state other than ok
	URL         string  `json:"url"`
	ContentHTML string  `json:"contentHtml"`
	Characters  int     `json:"characters"`
	Lang        *string `json:"lang"`
	SiteName    *string `json:"siteName"`
	Title       *string `json:"title"`
}

func (s *Server) getFullText(r *request) error {
	e, _, err := s.Streams.Find(r.Context(), r.user, r.item)
	if err != nil {
		return err
	}
	t, err := s.fullText(r, &e)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, t)
}

// fullText extracts the page of an item, within the rate limit of the user.
func (s *Server) fullText(r *request, e *stream.Entry) (*fullTextJSON, error) {
	if err := s.limits.texts.take(string(r.user)); err != nil {
		return nil, err
	}
	return s.readFullText(r, e)
}

func (s *Server) readFullText(r *request, e *stream.Entry) (*fullTextJSON, error) {
	t, err := s.FullText.Of(r.Context(), e.Header.Link)
	if err != nil {
		return nil, err
	}
	out := &fullTextJSON{
		State: string(t.State), Code: orNull(t.Code), URL: t.URL, ContentHTML: t.HTML, Characters: t.Characters,
		Lang: orNull(t.Lang), SiteName: orNull(t.SiteName), Title: orNull(t.Title),
	}
	if t.State != fulltext.OK {
		message := texts.FullText(string(t.State), t.Code).In(r.language())
		out.Message = &message
	}
	return out, nil
}

// wantsFullText reports whether items of a subscription come with the text of the page that they link to.
func (s *Server) wantsFullText(sub *stream.Subscribed) bool {
	return s.FullText != nil && sub != nil && sub.Sub.FullText
}

// fullTextIfWanted is fullText for an opened item whose subscription asks for it; nil if the page cannot be read now.
func (s *Server) fullTextIfWanted(r *request, e *stream.Entry, sub *stream.Subscribed) *fullTextJSON {
	if !s.wantsFullText(sub) {
		return nil
	}
	t, err := s.fullText(r, e)
	if err != nil {
		return nil
	}
	return t
}
