package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Other clients and the page's offline copy load many items ahead, in the background. The route has a rate limit of its
// own, so that this takes nothing from the requests of a person who reads.

const (
	// maxBodies limits the items that one request may name.
	maxBodies = 50
	// maxBatch bounds an answer of more than one item, before compression. Lambda's limit is 6 MB, for which a plain
	// answer grows by a third, and a phone parses the whole at once. One item has at most 1 MB of content (package
	// sanitize).
	maxBatch = 2 << 20
	// Items are added for batchTime. A linked page may take 18 seconds more; the request has 25.
	batchTime = 6 * time.Second
	// batchesPerMinute limits the batches of a user.
	batchesPerMinute = 30
)

// getBodies answers several items with their bodies, and names those that the answer does not have.
func (s *Server) getBodies(r *request) error {
	names, ids, err := itemIDs(r.URL.Query().Get("ids"))
	if err != nil {
		return err
	}
	found, err := s.Streams.FindAll(r.Context(), r.user, ids)
	if err != nil {
		return err
	}
	b := batch{r: r, s: s, found: found, counts: s.counts(r), items: make([][]byte, len(ids)),
		until: s.Clock.Now().Add(batchTime)}
	if err := s.Streams.Bodies(r.Context(), r.user, found, b.add); err != nil {
		return err
	}
	return b.answer(names)
}

// itemIDs parses a list of ids, each once. One that cannot be ours is zero: there is no such item.
func itemIDs(list string) (names []string, ids []reader.ItemID, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if name == "" || len(name) > maxItemID || strings.Trim(name, "0123456789") != "" {
			return nil, nil, fault.Coded(fault.Invalid, "bad_ids", maxBodies).At("ids")
		}
		if slices.Contains(names, name) {
			continue
		}
		if len(names) == maxBodies {
			return nil, nil, fault.Coded(fault.Invalid, "bad_ids", maxBodies).At("ids")
		}
		id, _ := reader.ParseItemID(name)
		names, ids = append(names, name), append(ids, id)
	}
	return names, ids, nil
}

// batch collects an answer.
type batch struct {
	s     *Server
	r     *request
	found []*stream.Located
	// counts are the bookmark counts.
	counts *popular.Counts
	items  [][]byte // as JSON; nil where there is none
	bytes  int
	until  time.Time
}

// add adds an item, unless the answer is full.
func (b *batch) add(i int, body stream.Body) (more bool, err error) {
	x := b.found[i]
	if b.bytes > 0 && b.s.Clock.Now().After(b.until) {
		return false, nil
	}
	var text *fullTextJSON
	if b.s.wantsFullText(x.Sub) {
		// Pages have a share of their own too. When it is used up the item is for a later batch.
		if err := b.s.limits.batchTexts.take(string(b.r.user)); err != nil {
			if b.bytes > 0 {
				err = nil
			}
			return false, err
		}
		if text, err = b.s.readFullText(b.r, &x.Entry); err != nil {
			return false, err
		}
	}
	buf := buffer()
	defer giveBack(buf)
	if err := encode(buf, itemWithBody(&x.Entry, x.Sub, body, b.counts, text)); err != nil {
		return false, err
	}
	if b.bytes > 0 && b.bytes+buf.Len() > maxBatch {
		return false, nil
	}
	b.items[i], b.bytes = bytes.Clone(buf.Bytes()), b.bytes+buf.Len()
	return true, nil
}

func (b *batch) answer(names []string) error {
	out := struct {
		Items   []json.RawMessage `json:"items"`
		Rest    []string          `json:"rest"`
		Missing []string          `json:"missing"`
	}{[]json.RawMessage{}, []string{}, []string{}}
	for i, name := range names {
		switch {
		case b.items[i] != nil:
			out.Items = append(out.Items, b.items[i])
		case b.found[i] == nil:
			out.Missing = append(out.Missing, name)
		default:
			out.Rest = append(out.Rest, name)
		}
	}
	return b.r.json(http.StatusOK, out)
}
