package store

import "github.com/ruri-reader/ruri/internal/reader"

// HeaderList is the headers of a delta, inflated. A page needs few of them, so each is decoded when it is used: in
// memory the list is half as large as its headers. It is never changed.
type HeaderList struct {
	text  string
	items []listedHeader
}

// listedHeader is the start of a header, and its position in lists, by which most are passed over.
type listedHeader struct {
	sort int64
	at   uint32
}

// List inflates the delta's item headers, in order of seq.
func (d *DeltaRow) List() (HeaderList, error) {
	r, n, err := openHeaders(d.Head)
	if err != nil {
		return HeaderList{}, err
	}
	l := HeaderList{r.Rest, make([]listedHeader, n)}
	var h Header
	for i := range l.items {
		at := uint32(len(l.text) - len(r.Rest))
		h.read(r)
		l.items[i] = listedHeader{h.Sort, at}
	}
	if !r.Done() {
		return HeaderList{}, badHeaders(nil)
	}
	return l, nil
}

// Len is how many headers there are.
func (l *HeaderList) Len() int { return len(l.items) }

// Sort is the position in lists of a header.
func (l *HeaderList) Sort(i int) int64 { return l.items[i].sort }

// Get decodes a header. Its texts share the list's memory.
func (l *HeaderList) Get(i int) (h Header) {
	h.read(&reader.Decoder{Rest: l.text[l.items[i].at:]})
	return h
}

// Bytes is about how much memory the list takes.
func (l *HeaderList) Bytes() int { return len(l.text) + 16*len(l.items) }
