package stream

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// seqs names a seq for each of some feeds: in the token of a list, the newest one that it covers.
type seqs map[reader.FeedID]reader.Seq

// asOfKey tells the lists apart that can be marked read.
type asOfKey struct {
	user   reader.UserID
	folder reader.FolderID
}

// asOfBytes bounds the memory of tokens with what they were made of: mostly the side bar that is in memory, or else
// another one.
const asOfBytes = viewBytes / 2

// keptAsOf is a token with what it was made of.
type keptAsOf struct {
	list   []*Subscribed
	within []reader.FolderID
	token  string
}

// asOf returns the token of a list that can be marked read. It is kept until one of the list's feeds has new items or
// another place.
func (s *Service) asOf(u reader.UserID, sc Scope, bar *sideBar) string {
	if sc.Feed > 0 || !bar.isLocal {
		return encodeSeqs(bar)
	}
	key := asOfKey{u, sc.Folder}
	kept, ok := s.asOfs.Get(key)
	if ok && sameList(kept.list, bar.all) && slices.Equal(kept.within, bar.within) {
		return kept.token
	}
	if !ok || !kept.covers(bar) {
		kept.token = encodeSeqs(bar)
	}
	s.asOfs.Put(key, keptAsOf{bar.all, bar.within, kept.token}, subscribedBytes*len(bar.all)+len(kept.token))
	return kept.token
}

// covers reports whether the token is that of another side bar as well.
func (k *keptAsOf) covers(bar *sideBar) bool {
	return slices.Equal(k.within, bar.within) && slices.EqualFunc(k.list, bar.all, func(a, b *Subscribed) bool {
		return a == b || a.Feed.ID() == b.Feed.ID() && a.Feed.Seq == b.Feed.Seq && bar.has(a) == bar.has(b)
	})
}

// encodeSeqs names the newest seq of each feed in a list.
func encodeSeqs(bar *sideBar) string {
	b := make([]byte, 0, 4*len(bar.all)+1)
	at := reader.FeedID(0)
	for _, x := range bar.all {
		if bar.has(x) {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.Feed.ID()-at)), uint64(x.Feed.Seq))
			at = x.Feed.ID()
		}
	}
	form := byte(tokenForm)
	if packed, err := store.Deflate(b); err == nil && len(packed) < len(b) {
		form, b = deflatedForm, packed
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte{form}, b...))
}

func decodeSeqs(s string) (seqs, error) {
	d := readToken(s)
	p := readByFeed(d, func() reader.Seq { return readSeq(d) })
	if d.Bad {
		return nil, fault.Coded(fault.Invalid, "bad_as_of").At("asOf")
	}
	return p, nil
}
