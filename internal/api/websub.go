package api

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
)

// Hubs answers the hubs that publishers push through.
type Hubs interface {
	Verify(ctx context.Context, f reader.FeedID, token string, q url.Values) (challenge string, err error)
	Push(ctx context.Context, f reader.FeedID, token, signature, contentType string, body []byte) error
}

// pushesPerMinute is how often a feed's hub may call in a minute.
const pushesPerMinute = 60

// hubRoutes are called by programs of strangers, who prove themselves by the token in the address and by signatures.
func (s *Server) hubRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/websub/{id}/{token}", Public: true, Handle: s.verifyHub},
		{Method: "POST", Path: "/websub/{id}/{token}", Public: true, Uncounted: true, Handle: s.takePush},
	}
}

func (s *Server) hubCall(r *request) (reader.FeedID, error) {
	id, err := reader.ParseFeedID(r.PathValue("id"))
	if err != nil || s.Hubs == nil {
		return 0, fault.Newf(fault.NotFound, "not_found", "There is nothing at this address.")
	}
	if wait := s.limits.pushes.take(id.String(), s.Clock.Now()); wait > 0 {
		return 0, &limited{wait}
	}
	return id, nil
}

func (s *Server) verifyHub(r *request) error {
	id, err := s.hubCall(r)
	if err != nil {
		return err
	}
	challenge, err := s.Hubs.Verify(r.Context(), id, r.PathValue("token"), r.URL.Query())
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.bytes(http.StatusOK, "text/plain; charset=utf-8", []byte(challenge))
}

func (s *Server) takePush(r *request) error {
	id, err := s.hubCall(r)
	if err != nil {
		return err
	}
	body, err := r.body(websub.MaxPush)
	if err != nil {
		return cmp.Or(tooLarge(err), err)
	}
	h := r.Request.Header
	if err := s.Hubs.Push(r.Context(), id, r.PathValue("token"), h.Get("X-Hub-Signature"), h.Get("Content-Type"), body); err != nil {
		return err
	}
	return r.noContent()
}
