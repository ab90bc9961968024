package segment

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Keep decides which items of old segments a merge keeps: not those below the floor or of feeds that are gone.
type Keep func(reader.FeedID, reader.Seq) bool

// Options of Merge.
type Options struct {
	Keep Keep // nil: all
	// Whole says that no segment is older than those merged, so that nothing is left to replace.
	Whole bool
}

// Merge makes one segment of consecutive ones, given as whole files, oldest first. Errors are those of IsDamaged, and
// fault.TooLarge "segment_too_large" beyond 16 million documents.
func Merge(old [][]byte, o Options) (file []byte, tail int, err error) {
	m := merge{sources: make([]*source, len(old))}
	size := 0
	for i, f := range old {
		if m.sources[i], err = openSource(f); err != nil {
			return nil, 0, err
		}
		size += len(f)
	}
	m.file = make([]byte, 0, size+4<<10)
	for i, s := range m.sources {
		s.live = make([]bool, len(s.Documents))
		for j := range s.Documents {
			e := &s.Documents[j]
			s.live[j] = (o.Keep == nil || o.Keep(e.Feed, e.Seq)) && !m.replaced(i, e)
		}
	}
	if err := m.texts(); err != nil {
		return nil, 0, err
	}
	docs := m.documents()
	m.beginTerms(len(docs))
	if err := m.mergeTerms(); err != nil {
		return nil, 0, err
	}
	var replaces []query.Ref
	var covered []Covered
	for _, s := range m.sources {
		for _, r := range s.Replaces {
			if !o.Whole && (o.Keep == nil || o.Keep(r.Feed, r.Seq)) {
				replaces = append(replaces, r)
			}
		}
		covered = s.Covered
	}
	return m.tail(docs, replaces, covered)
}

// merge is a merge under way.
type merge struct {
	writer
	sources []*source
}

// source is a segment that is merged.
type source struct {
	*Tail
	file  []byte
	live  []bool   // of its documents: is merged
	to    []uint32 // their numbers in the new segment
	block int      // the next block of terms
	terms Terms    // the rest of the one before
	entry entry
	done  bool
}

func openSource(file []byte) (*source, error) {
	t, err := OpenFile(file)
	if err != nil {
		return nil, err
	}
	return &source{Tail: t, file: file}, nil
}

func (s *source) bytes(at Span) []byte { return s.file[at.At : at.At+at.Size] }

// replaced reports whether a newer source has a newer version of a document.
func (m *merge) replaced(i int, e *Entry) bool {
	return slices.ContainsFunc(m.sources[i+1:], func(s *source) bool { return s.Replaced(e.Feed, e.Seq) })
}

// leastCopied is the least length of a text block that is copied unchanged; shorter ones are joined.
const leastCopied = 2 << 10

// texts writes the texts of all sources, and sets the documents' places to the new ones.
func (m *merge) texts() error {
	for _, s := range m.sources {
		inBlock := make([][]uint32, len(s.Tail.texts)-1)
		for i := range s.Documents {
			block, _ := s.Documents[i].Text()
			inBlock[block] = append(inBlock[block], uint32(i))
		}
		for block, docs := range inBlock {
			if err := m.block(s, block, docs); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *merge) block(s *source, block int, docs []uint32) error {
	dead := 0
	for _, i := range docs {
		if !s.live[i] {
			dead++
		}
	}
	if dead == len(docs) {
		return nil
	}
	stored := s.bytes(s.Text(block))
	if dead == 0 && len(stored) >= leastCopied {
		if _, err := open(stored); err != nil {
			return err
		}
		to := uint32(m.copied(stored)) << placeBits
		for _, i := range docs {
			s.Documents[i].place = to | s.Documents[i].place%maxInBlock
		}
		return nil
	}
	texts, err := ReadTexts(stored)
	if err != nil {
		return err
	}
	for _, i := range docs {
		if !s.live[i] {
			continue
		}
		_, place := s.Documents[i].Text()
		record, text, err := texts.Get(place)
		if err != nil {
			return err
		}
		s.Documents[i].place = m.text([]byte(record), text)
	}
	return nil
}

// documents merges the documents of all sources.
func (m *merge) documents() []Entry {
	n := 0
	for _, s := range m.sources {
		s.to = make([]uint32, len(s.Documents))
		n += len(s.Documents)
	}
	docs := make([]Entry, 0, n)
	at := make([]int, len(m.sources))
	for {
		first := -1
		for i, s := range m.sources {
			for at[i] < len(s.live) && !s.live[at[i]] {
				at[i]++
			}
			if at[i] < len(s.live) &&
				(first < 0 || s.Documents[at[i]].Compare(&m.sources[first].Documents[at[first]]) < 0) {
				first = i
			}
		}
		if first < 0 {
			return docs
		}
		s := m.sources[first]
		s.to[at[first]] = uint32(len(docs))
		docs = append(docs, s.Documents[at[first]])
		at[first]++
	}
}

// next reads the next index term of a source.
func (s *source) next() error {
	if len(s.terms.dict) == 0 {
		if s.block == len(s.Tail.terms) {
			s.done = true
			return nil
		}
		before := s.entry.term
		var err error
		if s.terms, err = ReadTerms(s.bytes(s.Term(s.block))); err != nil {
			return err
		}
		s.entry = entry{}
		if err = s.terms.next(&s.entry); err != nil {
			return err
		}
		if s.entry.term != s.Tail.terms[s.block].first || s.block > 0 && s.entry.term.compare(before) <= 0 {
			return damaged("the first index term of a block")
		}
		s.block++
		return nil
	}
	return s.terms.next(&s.entry)
}

func (m *merge) mergeTerms() error {
	for _, s := range m.sources {
		if err := s.next(); err != nil {
			return err
		}
	}
	var docs, list, spare []uint32
	for {
		var first *source
		for _, s := range m.sources {
			if !s.done && (first == nil || s.entry.term.compare(first.entry.term) < 0) {
				first = s
			}
		}
		if first == nil {
			return nil
		}
		term := first.entry.term
		docs = docs[:0]
		for _, s := range m.sources {
			if s.done || s.entry.term != term {
				continue
			}
			list = list[:0]
			err := s.entry.each(len(s.Documents), func(d uint32) {
				if s.live[d] {
					list = append(list, s.to[d])
				}
			})
			if err == nil {
				err = s.next()
			}
			if err != nil {
				return err
			}
			if len(docs) == 0 {
				docs, list = list, docs
			} else if len(list) > 0 {
				spare = mergeSorted(spare[:0], docs, list)
				docs, spare = spare, docs
			}
		}
		if len(docs) > 0 {
			m.terms.add(term, docs)
		}
	}
}

func mergeSorted(to, a, b []uint32) []uint32 {
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			to, a = append(to, a[0]), a[1:]
		} else {
			to, b = append(to, b[0]), b[1:]
		}
	}
	return append(append(to, a...), b...)
}
