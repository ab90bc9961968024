package store

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// Known is a feed row's memory of its items: of each 48 bits of identity, 24 bits of content hash and the day it was
// last listed, 11 bytes an item, sorted by identity. It distinguishes new, edited and known items, and is the tombstone
// of items that left the listing: a returning item is not new for 30 days.
//
// The zero value is empty. Lookups search the packed bytes and allocate nothing.
type Known []byte

const (
	knownSize = 11
	// KnownDays is how long an item that left the listing is remembered (C-11).
	KnownDays = 30
	// KnownMax bounds the row: the newest by last listing stay.
	KnownMax = 2000
	// KnownLeft bounds items that left the listing, or twice the listing's length if that is more: the row is written
	// with every change, so old items would cost again and again. Deltas tell of the others (FeedRow.Forgot).
	KnownLeft = 64
)

// KnownItem is one entry.
type KnownItem struct {
	Identity uint64 // 48 bits
	Content  uint32 // 24 bits
	Day      uint16 // days since 2026-01-01
}

// Len counts the entries.
func (k Known) Len() int { return len(k) / knownSize }

// At returns entry i.
func (k Known) At(i int) KnownItem {
	b := k[i*knownSize:]
	return KnownItem{
		Identity: uint64(binary.BigEndian.Uint16(b))<<32 | uint64(binary.BigEndian.Uint32(b[2:])),
		Content:  uint32(b[6])<<16 | uint32(b[7])<<8 | uint32(b[8]),
		Day:      binary.BigEndian.Uint16(b[9:]),
	}
}

// Content finds the content hash of an identity.
func (k Known) Content(identity uint64) (uint32, bool) {
	i, ok := k.find(identity)
	if !ok {
		return 0, false
	}
	return k.At(i).Content, true
}

// Day finds the day on which an identity was last listed.
func (k Known) Day(identity uint64) (uint16, bool) {
	i, ok := k.find(identity)
	if !ok {
		return 0, false
	}
	return k.At(i).Day, true
}

// Newest is the day of the last listing.
func (k Known) Newest() (day uint16) {
	for i := range k.Len() {
		day = max(day, k.At(i).Day)
	}
	return day
}

func (k Known) find(identity uint64) (int, bool) {
	n := k.Len()
	i := sort.Search(n, func(i int) bool { return k.At(i).Identity >= identity })
	return i, i < n && k.At(i).Identity == identity
}

// Merge returns a new Known with a listing of some day: its hashes replace older ones, and entries not listed for
// KnownDays go, as do, above KnownMax, the longest unlisted.
func (k Known) Merge(listed []KnownItem, today uint16) Known {
	all := make([]KnownItem, 0, k.Len()+len(listed))
	for _, it := range listed {
		it.Day = today
		all = append(all, it)
	}
	for i := range k.Len() {
		if it := k.At(i); int(it.Day)+KnownDays >= int(today) {
			all = append(all, it)
		}
	}
	// Stable: of equal identities the listed one comes first and wins.
	slices.SortStableFunc(all, func(a, b KnownItem) int { return cmp.Compare(a.Identity, b.Identity) })
	all = slices.CompactFunc(all, func(a, b KnownItem) bool { return a.Identity == b.Identity })
	if len(all) > KnownMax {
		slices.SortStableFunc(all, func(a, b KnownItem) int { return int(b.Day) - int(a.Day) })
		all = all[:KnownMax]
		slices.SortFunc(all, func(a, b KnownItem) int { return cmp.Compare(a.Identity, b.Identity) })
	}
	return pack(all)
}

// pack writes entries that are in order.
func pack(all []KnownItem) Known {
	out := make(Known, 0, len(all)*knownSize)
	for _, it := range all {
		out = append(out,
			byte(it.Identity>>40), byte(it.Identity>>32), byte(it.Identity>>24),
			byte(it.Identity>>16), byte(it.Identity>>8), byte(it.Identity),
			byte(it.Content>>16), byte(it.Content>>8), byte(it.Content),
			byte(it.Day>>8), byte(it.Day))
	}
	return out
}

// Forget drops the longest unlisted entries beyond KnownLeft, or twice the listing, and returns the newest day on which
// one of them was last listed; 0 if none.
func (k Known) Forget(listed []KnownItem) (kept Known, newest uint16) {
	most := max(KnownLeft, 2*len(listed))
	if k.Len() <= len(listed)+most {
		return k, 0
	}
	is := make(map[uint64]bool, len(listed))
	for _, it := range listed {
		is[it.Identity] = true
	}
	left := make([]int, 0, k.Len())
	for i := range k.Len() {
		if !is[k.At(i).Identity] {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return int(k.At(b).Day) - int(k.At(a).Day) })
	gone := make(map[int]bool, len(left))
	for _, i := range left[min(most, len(left)):] {
		gone[i] = true
		newest = max(newest, k.At(i).Day)
	}
	out := make(Known, 0, len(k))
	for i := range k.Len() {
		if !gone[i] {
			out = append(out, k[i*knownSize:(i+1)*knownSize]...)
		}
	}
	return out, newest
}

// Replace returns a Known with other identities of items: one that stays takes the new content, another is added with
// the day of the old.
func (k Known) Replace(as map[uint64]KnownItem) Known {
	all := make([]KnownItem, 0, k.Len()+len(as))
	for i := range k.Len() {
		it := k.At(i)
		all = append(all, it)
		if to, ok := as[it.Identity]; ok {
			if to.Day = it.Day; to.Identity == it.Identity {
				all[len(all)-1] = to
				continue
			}
			all = append(all, to)
		}
	}
	// Stable: of equal identities the one that was there wins, and there is no other.
	slices.SortStableFunc(all, func(a, b KnownItem) int { return cmp.Compare(a.Identity, b.Identity) })
	all = slices.CompactFunc(all, func(a, b KnownItem) bool { return a.Identity == b.Identity })
	return pack(all)
}
