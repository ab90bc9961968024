package stream

import (
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
)

// places caches which seqs each commit has, so that ids that a list showed are resolved without a read. Entries stay
// valid: a feed's stamps grow, and a committed delta keeps its seqs.
type places struct{ *lru.Cache[commit, reader.Run] }

type commit struct {
	feed  reader.FeedID
	stamp reader.Minute
}

// maxPlaces bounds the remembered commits, which take a few dozen bytes each.
const maxPlaces = 50_000

// note records a committed delta. Neighbouring deltas of one commit share the stamp and are merged.
func (p places) note(feed reader.FeedID, d *delta) {
	key := commit{feed, d.stamp}
	run := reader.Run{From: d.first, To: d.last}
	was, ok := p.Get(key)
	if ok && was.From <= run.From && was.To >= run.To {
		return
	}
	if ok && was.To+1 >= run.From && run.To+1 >= was.From {
		run = reader.Run{From: min(was.From, run.From), To: max(was.To, run.To)}
	}
	p.Put(key, run, 1)
}

// find returns the seq of an item, if its commit is known: a commit has at most 1,000 items, so the low bits are
// unique.
func (p places) find(id reader.ItemID) (reader.Seq, bool) {
	run, ok := p.Get(commit{id.Feed(), id.Stamp()})
	seq := id.SeqAtMost(run.To)
	return seq, ok && seq >= run.From
}
