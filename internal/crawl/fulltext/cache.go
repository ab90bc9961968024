package fulltext

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/klauspost/compress/flate"
)

// maxInflated bounds what a cached row may inflate to.
const maxInflated = 2 << 20

// remembered reads a cache row; any fault of it only costs another request.
func (s *Service) remembered(ctx context.Context, key string, v any) bool {
	packed, err := s.cache.Get(ctx, key)
	if err != nil {
		return false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxInflated))
	return err == nil && json.Unmarshal(plain, v) == nil
}

func (s *Service) remember(ctx context.Context, key string, v any, ttl time.Duration) {
	plain, err := json.Marshal(v)
	if err != nil {
		return
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return
	}
	if _, err = w.Write(plain); err == nil {
		err = w.Close()
	}
	if err == nil {
		// A cache that cannot be filled only costs the site another request.
		_ = s.cache.PutFor(ctx, key, packed.Bytes(), ttl)
	}
}
