package api

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// history is what a list knows of its past, to answer only what changed since an answer. A generation begins when a
// feed comes, goes or changes; what moves with the clock alone does not count. Its token is a hash of the list, so that
// another process with the same list knows it too.
type history struct {
	generation uint32
	tokens     []uint64 // of the last generations, the newest last
	removed    []removal
}

type removal struct {
	id reader.FeedID
	at uint32 // the generation
}

// maxGenerations bounds how many of them are known.
const maxGenerations = 1000

// follow returns the history of the version that has these chunks after v, and notes in those that v does not have when
// each feed changed.
func (v *listVersion) follow(chunks []*chunk) history {
	h := v.history
	step := &generation{n: h.generation + 1}
	left := make(map[*chunk]bool, len(v.chunks))
	for _, c := range v.chunks {
		left[c] = true
	}
	var odd []*chunk
	for i, c := range chunks {
		if left[c] {
			delete(left, c)
			continue
		}
		was := v.withFeedsOf(c, i)
		if was == nil {
			odd = append(odd, c)
			continue
		}
		delete(left, was)
		for k := range c.feeds {
			step.compare(&c.feeds[k], &was.feeds[k])
		}
	}
	gone := step.match(odd, left)
	if !step.hasChanges && len(gone) == 0 && len(h.tokens) > 0 {
		return h
	}
	h.generation = step.n
	h.tokens = append(h.tokens, tokenOf(chunks))
	if len(h.tokens) > 2*maxGenerations {
		h.tokens = slices.Clone(h.tokens[len(h.tokens)-maxGenerations:])
	}
	h.removed = h.withRemovals(gone, step.added)
	return h
}

// generation is a step from one version to the next.
type generation struct {
	n          uint32
	hasChanges bool
	added      map[reader.FeedID]bool
}

// compare notes when a feed last changed; was is it in the version before, nil if it had none.
func (g *generation) compare(f, was *listed) {
	if was != nil && was.steady == f.steady {
		f.changed = was.changed
		return
	}
	f.changed, g.hasChanges = g.n, true
	if was == nil {
		g.added[f.id] = true
	}
}

// match compares the feeds of chunks with those of chunks before that were divided otherwise, and returns those that
// are gone.
func (g *generation) match(chunks []*chunk, before map[*chunk]bool) (gone []reader.FeedID) {
	g.added = map[reader.FeedID]bool{}
	prior := map[reader.FeedID]*listed{}
	for c := range before {
		for k := range c.feeds {
			prior[c.feeds[k].id] = &c.feeds[k]
		}
	}
	for _, c := range chunks {
		for k := range c.feeds {
			f := &c.feeds[k]
			g.compare(f, prior[f.id])
			delete(prior, f.id)
		}
	}
	for id := range prior {
		gone = append(gone, id)
	}
	slices.Sort(gone)
	return gone
}

// withFeedsOf returns the version's chunk of the same feeds, which is probably the i-th; nil if there is none.
func (v *listVersion) withFeedsOf(c *chunk, i int) *chunk {
	i = v.chunkFrom(c.feeds[0].id, i)
	if i == len(v.chunks) || !slices.EqualFunc(c.feeds, v.chunks[i].feeds, func(a, b listed) bool {
		return a.id == b.id
	}) {
		return nil
	}
	return v.chunks[i]
}

// withRemovals returns the removals without those that no known token precedes, and of feeds that came back.
func (h *history) withRemovals(gone []reader.FeedID, added map[reader.FeedID]bool) []removal {
	oldest := h.generation - uint32(len(h.tokens)) + 1
	var list []removal
	for _, r := range h.removed {
		if r.at > oldest && !added[r.id] {
			list = append(list, r)
		}
	}
	for _, id := range gone {
		list = append(list, removal{id, h.generation})
	}
	return list
}

func tokenOf(chunks []*chunk) uint64 {
	var d xxhash.Digest
	d.Reset()
	for _, c := range chunks {
		_, _ = d.Write(binary.LittleEndian.AppendUint64(nil, c.steady))
	}
	return d.Sum64()
}

// token names the present generation.
func (h *history) token() string { return shortHash(h.tokens[len(h.tokens)-1]) }

// since returns the feeds that changed after a generation, in order, and those that went; false if the token is unknown
// or the whole list would be less work.
func (v *listVersion) since(token string) (changed []*stream.Subscribed, removed []reader.FeedID, ok bool) {
	sum, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(sum) != 8 {
		return nil, nil, false
	}
	back := 0 // how many generations ago
	for back < len(v.tokens) && v.tokens[len(v.tokens)-1-back] != binary.LittleEndian.Uint64(sum) {
		back++
	}
	if back == len(v.tokens) {
		return nil, nil, false
	}
	then := v.generation - uint32(back)
	for _, c := range v.chunks {
		for i := range c.feeds {
			if c.feeds[i].changed > then {
				changed = append(changed, c.feeds[i].of)
			}
		}
	}
	for _, r := range v.removed {
		if r.at > then {
			removed = append(removed, r.id)
		}
	}
	return changed, removed, 2*len(changed) <= v.sum.Feeds
}

// shortHash is a hash as text.
func shortHash(sum uint64) string {
	return base64.RawURLEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, sum))
}
