package explore

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Key phrases of Japanese items can come from Yahoo! JAPAN. After the nightly job a chain of messages asks for them:
// each makes one call and sends the next, delayed by the least time between calls. Phrases are kept in a blob, so each
// item is asked for once; at the end the tags are written again. A redelivered message ends its chain, because its call
// may have been made; missing ones are asked for the next night.

const (
	phrasesKey = store.TagsPrefix + "phrases.gz"
	// betweenCalls is the least time between two calls, and afterFailure between a failed one and the next.
	betweenCalls = time.Second
	afterFailure = time.Minute
	// maxCalls bounds the calls of a night, and oncePer is for how long after one begins no other does.
	maxCalls = 5000
	oncePer  = 20 * time.Hour
	// maxFailed is how many calls in a row may fail before a chain ends.
	maxFailed = 3
	// keptTogether is how many items' phrases are written at once, and maxLooks how many items one message looks at.
	keptTogether = 50
	maxLooks     = 50
	maxClientID  = 200
)

// Codes of why key phrases could not be had, see texts.Phrases.
const (
	phrasesRefused    = "phrases_refused"
	phrasesLimited    = "phrases_limited"
	phrasesUnreadable = "phrases_unreadable"
	phrasesFailed     = "phrases_failed"
)

// Extractor finds key phrases of Japanese text. Errors are fault.Unavailable with one of the codes above, or those of
// the client.
type Extractor interface {
	Phrases(ctx context.Context, clientID, text string) ([]tags.Tag, error)
}

// SetYahoo changes the client ID for key phrases; without one none are asked for, and stored ones are dropped.
func (s *Service) SetYahoo(ctx context.Context, clientID string) error {
	clientID = strings.TrimSpace(clientID)
	if len(clientID) > maxClientID || strings.ContainsFunc(clientID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.Coded(fault.Invalid, "bad_client_id").At("clientId")
	}
	if clientID == "" {
		if err := s.blobs.Delete(ctx, phrasesKey); err != nil {
			return err
		}
	}
	return s.store.Accounts.SetYahoo(ctx, clientID)
}

// NamesYahoo reports whether Yahoo! JAPAN has to be named beside the tags (developer.yahoo.co.jp/attribution).
func (s *Service) NamesYahoo(ctx context.Context) bool { return s.lastNight(ctx).isYahoos }

// wantedItem is an item whose phrases are to be asked for.
type wantedItem struct {
	feed reader.FeedID
	seq  reader.Seq
	sort int64
}

// isAskable reports whether an item of a public feed is one to ask for.
func isAskable(h *store.Header) bool {
	return tags.IsJapanese(h.Title+h.Snippet) && reader.AskURL(h.Link) != ""
}

// phraseChain is the state of a chain in its messages.
type phraseChain struct {
	Wanted []byte `json:"wanted,omitempty"` // feed and seq of each item that is left, as uvarints
	Found  []byte `json:"found,omitempty"`  // packed tagged that is not in the blob yet
	N      int    `json:"n,omitempty"`      // how many items are in Found
	Failed int    `json:"failed,omitempty"` // calls in a row
}

// next takes the next item from those that are left.
func (c *phraseChain) next() (f reader.FeedID, seq reader.Seq, isThere bool) {
	r := reader.Decoder{Rest: string(c.Wanted)}
	f, seq = reader.FeedID(r.Uvarint()), reader.Seq(r.Uvarint())
	if r.Bad {
		return 0, 0, false
	}
	c.Wanted = c.Wanted[len(c.Wanted)-len(r.Rest):]
	return f, seq, true
}

// askFor begins a chain with the newest items, unless one has begun in the last hours.
func (s *Service) askFor(ctx context.Context, wanted []wantedItem) error {
	now := s.clock.Now()
	if err := s.store.Accounts.BeginYahoo(ctx, now, now.Add(-oncePer)); err != nil {
		return fault.Ignore(err, fault.Conflict)
	}
	slices.SortFunc(wanted, func(a, b wantedItem) int {
		return cmp.Or(cmp.Compare(b.sort, a.sort), cmp.Compare(a.feed, b.feed), cmp.Compare(a.seq, b.seq))
	})
	var c phraseChain
	for _, x := range wanted[:min(len(wanted), maxCalls)] {
		c.Wanted = binary.AppendUvarint(binary.AppendUvarint(c.Wanted, uint64(x.feed)), uint64(x.seq))
	}
	return s.sendPhrases(ctx, &c, betweenCalls)
}

func (s *Service) sendPhrases(ctx context.Context, c *phraseChain, delay time.Duration) error {
	b, _ := json.Marshal(c) // numbers and bytes: cannot fail
	return job.Send(ctx, s.queue, delay, job.Job{Kind: job.Phrases, State: b})
}

// RunPhrases handles a message of kind job.Phrases: it makes the next call of a chain.
func (s *Service) RunPhrases(ctx context.Context, j job.Job) error {
	if j.Receives > 1 {
		return nil
	}
	var c phraseChain
	if err := json.Unmarshal(j.State, &c); err != nil {
		return fault.New(fault.Invalid, "bad_message", "explore: phrases", err)
	}
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || site.YahooID == "" || !site.CountsBookmarks {
		return err // it was switched off meanwhile
	}
	for range maxLooks {
		f, seq, isThere := c.next()
		if !isThere {
			return s.endPhrases(ctx, site, &c)
		}
		h, err := s.askable(ctx, f, seq)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		found, err := s.phrases.Phrases(ctx, site.YahooID, h.Title+"\n"+h.Snippet)
		if err != nil {
			return s.failPhrases(ctx, site, &c, err)
		}
		if err := c.add(s.clock.Now(), f, seq, h, found); err != nil {
			return err
		}
		break
	}
	if len(c.Wanted) == 0 {
		return s.endPhrases(ctx, site, &c)
	}
	if c.N >= keptTogether {
		if err := s.keepPhrases(ctx, &c); err != nil {
			return err
		}
	}
	return s.sendPhrases(ctx, &c, betweenCalls)
}

// askable returns an item to ask for; nil if that is gone, or not to be asked for any more.
func (s *Service) askable(ctx context.Context, f reader.FeedID, seq reader.Seq) (*store.Header, error) {
	row, err := s.store.Feeds.Get(ctx, f, false)
	if err != nil || !isPublic(row) || row.RemovingSince > 0 || seq <= reader.Seq(row.Floor) {
		return nil, fault.Ignore(err, fault.NotFound)
	}
	d, err := s.store.Items.At(ctx, f, seq)
	if err != nil {
		return nil, fault.Ignore(err, fault.NotFound)
	}
	headers, err := d.Headers()
	if at := int(seq - d.First()); err == nil && at < len(headers) && isAskable(&headers[at]) {
		return &headers[at], nil
	}
	return nil, nil // a damaged row has no text to ask with
}

// add notes what was found for an item, nothing included.
func (c *phraseChain) add(now time.Time, f reader.FeedID, seq reader.Seq, h *store.Header, found []tags.Tag) error {
	t := newTagged(now.Unix())
	if c.N > 0 {
		var err error
		if t, err = unpackTagged(c.Found); err != nil {
			return err
		}
	}
	t.put(f, t.item(seq, h.Sort, h.Link, tags.Of(&tags.Text{Phrases: found}, nil)))
	c.Found, c.N, c.Failed = t.pack(), c.N+1, 0
	return nil
}

// failPhrases goes on with the next item after a call that failed, or ends the chain.
func (s *Service) failPhrases(ctx context.Context, site *store.SiteRow, c *phraseChain, failure error) error {
	code := fault.CodeOf(failure)
	isFinal := code == phrasesRefused || code == phrasesLimited
	if c.Failed++; !isFinal && c.Failed < maxFailed && len(c.Wanted) > 0 {
		return s.sendPhrases(ctx, c, afterFailure)
	}
	if !isFinal && code != phrasesUnreadable {
		code = phrasesFailed
	}
	s.log.Warn("key phrases could not be had", "code", code, "error", failure, "fails", c.Failed)
	if err := s.store.Accounts.SetYahooWhy(ctx, code); err != nil {
		return err
	}
	return s.endPhrases(ctx, site, c)
}

// endPhrases keeps what a chain has found, and writes the tags again.
func (s *Service) endPhrases(ctx context.Context, site *store.SiteRow, c *phraseChain) error {
	if err := s.keepPhrases(ctx, c); err != nil {
		return err
	}
	_, err := s.writeTags(ctx, site)
	return err
}

// keepPhrases writes what a chain has found into the blob, without what is too old to be listed.
func (s *Service) keepPhrases(ctx context.Context, c *phraseChain) error {
	if c.N == 0 {
		return nil
	}
	found, err := unpackTagged(c.Found)
	if err != nil {
		return err
	}
	kept, err := s.readPhrases(ctx)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	all := newTagged(now.Unix())
	for _, t := range []*tagged{kept, found} {
		for id, f := range t.feeds {
			for i := range f.items {
				it := &f.items[i]
				if it.sort+60 <= now.Add(-popular.ListedFor).Unix() { // sort is without its seconds
					continue
				}
				copied := *it
				copied.tags = nil
				for _, x := range it.tags {
					copied.tags = append(copied.tags, itemTag{all.add(t.name(x.name)), x.score})
				}
				all.put(id, copied)
			}
		}
	}
	c.Found, c.N = nil, 0
	return s.blobs.Put(ctx, phrasesKey, blob.Gzip(all.pack()), blob.Meta{ContentType: "application/gzip"})
}

// readPhrases returns stored phrases; none, with a line in the log, if they cannot be read: they are asked for again.
func (s *Service) readPhrases(ctx context.Context) (*tagged, error) {
	t, err := s.readTagged(ctx, phrasesKey)
	switch {
	case err == nil:
		return t, nil
	case fault.CodeOf(err) == "bad_tags":
		s.log.Warn("key phrases cannot be read", "code", "bad_tags", "error", err)
	case !fault.Is(err, fault.NotFound):
		return nil, err
	}
	return newTagged(0), nil
}
