package api

import (
	"cmp"
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/websub"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// pushesPerMinute limits the requests of a feed's hub.
const pushesPerMinute = 60

// hubRoutes are called by hubs, which authenticate by the token in the path and by signatures.
func (s *Server) hubRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/websub/{id}/{token}", Public: true, Handle: s.verifyHub},
		{Method: "POST", Path: "/websub/{id}/{token}", Public: true, Uncounted: true, Handle: s.takePush},
	}
}

func (s *Server) hubCall(r *request) (reader.FeedID, error) {
	id, err := reader.ParseFeedID(r.PathValue("id"))
	if err != nil || s.Hubs == nil {
		return 0, fault.Coded(fault.NotFound, "not_found")
	}
	if err := s.limits.pushes.take(id.String()); err != nil {
		return 0, err
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
	return r.done(s.Hubs.Push(r.Context(), id, r.PathValue("token"), h.Get("X-Hub-Signature"),
		h.Get("Content-Type"), body))
}
