// Package explore puts together what is popular among a person's feeds: what the person sees (package stream), how often it
// was bookmarked (popular), and what it is about (content/tags).
package explore

import (
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Service answers lists of entries and tags. It is safe for concurrent use.
type Service struct {
	streams *stream.Service
	popular *popular.Service
	clock   clock.Clock
}

// New returns a service.
func New(s *stream.Service, p *popular.Service, c clock.Clock) *Service {
	return &Service{streams: s, popular: p, clock: c}
}
