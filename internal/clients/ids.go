package clients

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// maxAll limits the ids that AllIDs returns.
const maxAll = 200_000

// AllIDs returns the ids that a query chooses, whatever its limit: the first 200,000.
func (s *Services) AllIDs(ctx context.Context, u reader.UserID, q stream.IDQuery) (all []reader.ItemID, err error) {
	for q.Limit = stream.MaxIDs; len(all) < maxAll; {
		ids, more, err := s.Streams.IDs(ctx, u, q)
		if err != nil {
			return nil, err
		}
		if all = append(all, ids...); !more || len(ids) == 0 {
			break
		}
		if last := ids[len(ids)-1]; q.Oldest {
			q.Above = last
		} else {
			q.Below = last
		}
	}
	return all, nil
}

// Contents reads what items show, those of one raw feed together, by their place in a list. Beyond so many bytes the
// rest is shown by snippets: an answer that names its items has all of them.
func (s *Services) Contents(ctx context.Context, u reader.UserID, list []*stream.Located, room int) ([]Content, error) {
	out := make([]Content, len(list))
	full := 0 // of those whose body was read
	err := s.Streams.Bodies(ctx, u, list, func(i int, b stream.Body) (bool, error) {
		out[i] = Content{HTML: body(&list[i].Header, b), Characters: b.Characters}
		full += len(out[i].HTML) + perItem
		return full < room, nil
	})
	for i, x := range list {
		if x != nil && out[i].HTML == "" {
			out[i].HTML = body(&x.Header, stream.Body{})
		}
	}
	return out, err
}

// Content is the body of an item.
type Content struct {
	HTML       string
	Characters int // of its text
}

// perItem estimates the size of an item in an answer without its content.
const perItem = 2000
