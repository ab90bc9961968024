package reader

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// FeedID is a feed's number, from 1 to MaxFeedID; zero is no feed. In JSON it is a string of decimal
// digits.
type FeedID uint32

// MaxFeedID is the highest feed number: 19 bits of an ItemID.
const MaxFeedID FeedID = 1<<19 - 1

// ArchiveFeed is the number of no real feed: that of stars that were imported from another reader.
const ArchiveFeed = MaxFeedID

// FolderID numbers a folder within its user's tree; zero means the top. Numbers are not used again, so that a reference
// to a deleted folder means none.
type FolderID int32

// LabelID numbers a label, like FolderID a folder.
type LabelID int32

// SearchID numbers a saved search, likewise.
type SearchID int32

// UserID names a user; it is random.
type UserID string

// Seq numbers the items of one feed from 1 in order of arrival, densely; zero is none.
type Seq uint32

// MaxSeq is the highest item number that is looked at; the read state ignores greater ones.
const MaxSeq Seq = 1<<31 - 1

const (
	feedBits = 19
	seqBits  = 10
	seqMask  = 1<<seqBits - 1
	// MaxItemID is below 2^53, so that any JSON reader keeps ids whole.
	MaxItemID = ItemID(MaxMinute)<<(feedBits+seqBits) | ItemID(MaxFeedID)<<seqBits | seqMask
)

// ItemID names an item by the minute of its commit (24 bits), its feed (19), and seq mod 1024 (10). It needs no
// allocator and grows with arrival. Zero is no item; in JSON it is a string of decimal digits.
type ItemID uint64

// ErrBadID means that a text is not the number of a feed or an item.
var ErrBadID = errors.New("not a valid id")

// NewItemID composes an id; stamp and feed must be within their limits.
func NewItemID(stamp Minute, feed FeedID, seq Seq) ItemID {
	return ItemID(stamp&MaxMinute)<<(feedBits+seqBits) | ItemID(feed&MaxFeedID)<<seqBits | ItemID(seq&seqMask)
}

// Stamp is the minute the item was committed in.
func (id ItemID) Stamp() Minute { return Minute(id>>(feedBits+seqBits)) & MaxMinute }

// Feed is the feed the item came from.
func (id ItemID) Feed() FeedID { return FeedID(id>>seqBits) & MaxFeedID }

// SeqLow is the item's seq modulo 1024.
func (id ItemID) SeqLow() Seq { return Seq(id) & seqMask }

// SeqAtMost returns the greatest seq up to last that the id can mean, zero when there is none. The
// others lie 1024 apart below it; the stamp of the delta decides which one is right.
func (id ItemID) SeqAtMost(last Seq) Seq {
	low := id.SeqLow()
	if last < low {
		return 0
	}
	return last - (last-low)&seqMask
}

// Turns reports whether the last ten bits, which are an id's, begin anew between two seqs: the ids of one commit are
// then not in the order of seqs.
func (s Seq) Turns(last Seq) bool { return s>>seqBits != last>>seqBits }

// Valid reports whether the id could have been given out.
func (id ItemID) Valid() bool { return id <= MaxItemID && id.Feed() != 0 }

// String returns the decimal digits.
func (id ItemID) String() string { return strconv.FormatUint(uint64(id), 10) }

// ParseItemID parses what String returned, and nothing else: no sign, no leading zero, within limits.
func ParseItemID(s string) (ItemID, error) {
	n, err := parseDigits(s, uint64(MaxItemID))
	if err != nil || !ItemID(n).Valid() {
		return 0, fmt.Errorf("item %w", ErrBadID)
	}
	return ItemID(n), nil
}

// MarshalJSON encodes the id as a string: ids are opaque to clients.
func (id ItemID) MarshalJSON() ([]byte, error) { return quoteDigits(uint64(id)), nil }

// UnmarshalJSON decodes a string of digits.
func (id *ItemID) UnmarshalJSON(b []byte) (err error) {
	s, err := unquoteDigits(b)
	if err == nil {
		*id, err = ParseItemID(s)
	}
	return err
}

// String returns the decimal digits.
func (f FeedID) String() string { return strconv.FormatUint(uint64(f), 10) }

// Valid reports whether the number could have been given out.
func (f FeedID) Valid() bool { return f >= 1 && f <= MaxFeedID }

// ParseFeedID parses what String returned, and nothing else.
func ParseFeedID(s string) (FeedID, error) {
	n, err := parseDigits(s, uint64(MaxFeedID))
	if err != nil || n == 0 {
		return 0, fmt.Errorf("feed %w", ErrBadID)
	}
	return FeedID(n), nil
}

// MarshalJSON encodes the number as a string.
func (f FeedID) MarshalJSON() ([]byte, error) { return quoteDigits(uint64(f)), nil }

// UnmarshalJSON decodes a string of digits.
func (f *FeedID) UnmarshalJSON(b []byte) (err error) {
	s, err := unquoteDigits(b)
	if err == nil {
		*f, err = ParseFeedID(s)
	}
	if err != nil {
		// json puts the field's name in
		err = &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[FeedID]()}
	}
	return err
}

func parseDigits(s string, limit uint64) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > limit || strconv.FormatUint(n, 10) != s {
		return 0, ErrBadID
	}
	return n, nil
}

func quoteDigits(n uint64) []byte {
	b := append(make([]byte, 0, 18), '"')
	return append(strconv.AppendUint(b, n, 10), '"')
}

func unquoteDigits(b []byte) (string, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return "", ErrBadID
	}
	return string(b[1 : len(b)-1]), nil
}
