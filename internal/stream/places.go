package stream

import (
	"sync"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// places remembers where the items of a commit lie. A feed's stamps grow strictly and a committed delta's numbers
// never change, so what was true once stays true: an id that a list showed needs no read to be resolved.
type places struct {
	mu sync.Mutex
	by map[commit]reader.Run // a stretch of the commit's seqs
}

type commit struct {
	feed  reader.FeedID
	stamp reader.Minute
}

// maxPlaces bounds what is remembered, a few dozen bytes each.
const maxPlaces = 50_000

// note remembers a committed delta. Those of one commit share the stamp: neighbours are taken together.
func (p *places) note(feed reader.FeedID, d *store.DeltaRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil || len(p.by) >= maxPlaces {
		p.by = map[commit]reader.Run{}
	}
	key := commit{feed, reader.Minute(d.Stamp)}
	run := reader.Run{From: d.First(), To: d.Last()}
	if was, ok := p.by[key]; ok && was.To+1 >= run.From && run.To+1 >= was.From {
		run = reader.Run{From: min(was.From, run.From), To: max(was.To, run.To)}
	}
	p.by[key] = run
}

// find gives the seq of an item, if its place was noted: a commit has a thousand items at most, so the low bits tell
// which one is meant.
func (p *places) find(id reader.ItemID) (reader.Seq, bool) {
	p.mu.Lock()
	run, ok := p.by[commit{id.Feed(), id.Stamp()}]
	p.mu.Unlock()
	seq := id.SeqAtMost(run.To)
	return seq, ok && seq >= run.From
}
