package api

import (
	"bytes"
	"cmp"
	"context"
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

// KeptBytes is what a kept list is counted for.
func (s *Server) KeptBytes(u reader.UserID, lang string) int {
	return s.lists.get(listKey{u, lang}).bytes()
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
	out := make([]feedJSON, len(list))
	for i, x := range list {
		if out[i], err = s.feed(ctx, newFeedShape(lang, &tree), x, schedule.Part(x.Host, parts)); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	err = encode(&buf, out)
	return bytes.TrimSpace(buf.Bytes()), err
}
