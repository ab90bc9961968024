package api

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/reader"
)

// history is the past of a list, from which an answer with the changes since another answer is made. A generation
// begins when a feed comes, goes or changes; changes with the clock alone do not count. Its token is a hash of the
// list, so that another process with the same list knows it too.
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

// follow notes in the feeds of a version when each changed, and continues the history of the version before, whose
// feeds are given by id.
func (v *listVersion) follow(old *listVersion, before map[reader.FeedID]*listedFeed) {
	v.history = old.history
	now := old.generation + 1
	isNew := len(old.tokens) == 0
	added := map[reader.FeedID]bool{}
	var token xxhash.Digest
	token.Reset()
	for i := range v.feeds {
		f := &v.feeds[i]
		_, _ = token.Write(binary.LittleEndian.AppendUint64(nil, f.steady))
		was := before[f.id]
		delete(before, f.id)
		if was != nil && was.steady == f.steady {
			f.changed = was.changed
			continue
		}
		f.changed, isNew = now, true
		added[f.id] = was == nil
	}
	if !isNew && len(before) == 0 {
		return
	}
	v.generation = now
	v.tokens = append(v.tokens, token.Sum64())
	if len(v.tokens) > 2*maxGenerations {
		v.tokens = slices.Clone(v.tokens[len(v.tokens)-maxGenerations:])
	}
	// Removals that precede all known tokens, and those of feeds that came back, are of no use any more.
	oldest := now - uint32(len(v.tokens)) + 1
	v.removed = nil
	for _, r := range old.removed {
		if r.at > oldest && !added[r.id] {
			v.removed = append(v.removed, r)
		}
	}
	for id := range before {
		v.removed = append(v.removed, removal{id, now})
	}
}

// token names the present generation.
func (h *history) token() string { return shortHash(h.tokens[len(h.tokens)-1]) }

// since returns the feeds that changed after a generation, in order, and those that went; false if the token is unknown
// or the whole list would be less work.
func (v *listVersion) since(token string) (changed []*listedFeed, removed []reader.FeedID, ok bool) {
	sum, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(sum) != 8 {
		return nil, nil, false
	}
	at := len(v.tokens) - 1
	for at >= 0 && v.tokens[at] != binary.LittleEndian.Uint64(sum) {
		at--
	}
	if at < 0 {
		return nil, nil, false
	}
	then := v.generation - uint32(len(v.tokens)-1-at)
	for i := range v.feeds {
		if v.feeds[i].changed > then {
			changed = append(changed, &v.feeds[i])
		}
	}
	for _, r := range v.removed {
		if r.at > then {
			removed = append(removed, r.id)
		}
	}
	slices.Sort(removed)
	return changed, removed, 2*len(changed) <= len(v.feeds)
}

// shortHash is a hash as text.
func shortHash(sum uint64) string {
	return base64.RawURLEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, sum))
}
