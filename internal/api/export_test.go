package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/stream"
)

// NewServer is New that also returns the server.
func NewServer(o Options) (*Server, http.Handler) {
	s := newServer(o)
	return s, s.router()
}

// BuiltFeeds is how many feeds were shaped for lists that are kept.
func (s *Server) BuiltFeeds() int { return int(s.lists.built.Load()) }

// KeptBytes is what the kept lists say they take, and what they do.
func (s *Server) KeptBytes() (said, counted int) {
	for _, k := range s.lists.byKey {
		counted += k.now.bytes()
	}
	return s.lists.bytes, counted
}

// PlainFeeds is the list of feeds as encoding/json writes it, made from nothing.
func (s *Server) PlainFeeds(ctx context.Context, u reader.UserID, lang string) ([]byte, error) {
	list, err := s.Streams.Feeds(ctx, u)
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *stream.Subscribed) int {
		return cmp.Or(cmp.Compare(a.Sub.Position, b.Sub.Position), cmp.Compare(a.Feed.ID(), b.Feed.ID()))
	})
	tree, err := s.Store.Trees.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	parts, err := s.parts(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]plainFeed, len(list))
	for i, x := range list {
		f, err := s.feed(ctx, newFeedShape(lang, &tree), x, schedule.Part(x.Host, parts))
		if err != nil {
			return nil, err
		}
		out[i] = plainFeed(f)
	}
	return json.Marshal(out)
}
