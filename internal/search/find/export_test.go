package find

import "github.com/ruri-reader/ruri/internal/stream"

// StreamsOf returns the streams of a service.
func StreamsOf(s *Service) *stream.Service { return s.streams }
