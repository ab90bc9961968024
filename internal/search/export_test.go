package search

// Bound bounds what searches read of items that the index does not have.
func (s *Service) Bound(deltas, bodies int) { s.maxDeltas, s.maxBodies = int64(deltas), int64(bodies) }
