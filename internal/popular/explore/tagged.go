package explore

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// tagged are the tags of items. It never changes once it is made: a newer one replaces it.
type tagged struct {
	base *tagged // older tags, for what is not in this one; may be nil
	at   int64   // when the items were looked at, in Unix seconds
	// isYahoos reports whether some are key phrases of Yahoo! JAPAN (Service.NamesYahoo).
	isYahoos bool
	names    []string
	ids      map[string]uint32 // of names, by tags.Key; those of the base come first
	feeds    map[reader.FeedID]*taggedFeed
}

type taggedFeed struct {
	last  reader.Seq // up to which its items were looked at
	usual tags.Usual
	items []taggedItem // in order of seq
}

type taggedItem struct {
	seq   reader.Seq
	sort  int64 // as of a reader.BookmarkCount
	story uint32
	tags  []itemTag
}

// itemTag is a tag of an item, with its score in hundredths.
type itemTag struct {
	name  uint32
	score uint8
}

func newTagged(at int64) *tagged {
	return &tagged{at: at, ids: map[string]uint32{}, feeds: map[reader.FeedID]*taggedFeed{}}
}

// item makes an item of what tags.Of found.
func (t *tagged) item(seq reader.Seq, sort int64, link string, found []tags.Tag) taggedItem {
	it := taggedItem{seq: seq, sort: sort - sort%60, story: reader.StoryHash(reader.StoryURL(link))}
	for _, x := range found {
		it.tags = append(it.tags, itemTag{t.add(x.Name), uint8(math.Round(100 * x.Score))})
	}
	return it
}

// id finds a tag by its name in any spelling that tags.Key makes equal.
func (t *tagged) id(name string) (uint32, bool) {
	key := tags.Key(name)
	if t.base != nil {
		if id, isThere := t.base.ids[key]; isThere {
			return id, true
		}
	}
	id, isThere := t.ids[key]
	return id, isThere
}

// add returns the id of a tag, new or not. The first writing of a name stays.
func (t *tagged) add(name string) uint32 {
	id, isThere := t.id(name)
	if !isThere {
		id = uint32(t.baseNames() + len(t.names))
		t.ids[tags.Key(name)] = id
		t.names = append(t.names, name)
	}
	return id
}

// name is a tag's.
func (t *tagged) name(id uint32) string {
	n := t.baseNames()
	if int(id) < n {
		return t.base.names[id]
	}
	return t.names[int(id)-n]
}

func (t *tagged) baseNames() int {
	if t.base == nil {
		return 0
	}
	return len(t.base.names)
}

// feed returns a feed; one without items if it is not known.
func (t *tagged) feed(id reader.FeedID) *taggedFeed {
	f := t.feeds[id]
	if f == nil && t.base != nil {
		f = t.base.feeds[id]
	}
	if f == nil {
		return &taggedFeed{}
	}
	return f
}

// find returns an item, nil if it is not known.
func (t *tagged) find(id reader.FeedID, seq reader.Seq) *taggedItem {
	f := t.feed(id)
	if i, isThere := slices.BinarySearchFunc(f.items, seq, taggedItem.compareTo); isThere {
		return &f.items[i]
	}
	return nil
}

// tagsOf returns an item's tags.
func (t *tagged) tagsOf(it *taggedItem) (list []tags.Tag) {
	if it != nil {
		for _, x := range it.tags {
			list = append(list, tags.Tag{Name: t.name(x.name), Score: float64(x.score) / 100})
		}
	}
	return list
}

// put adds an item of a feed, or replaces it.
func (t *tagged) put(id reader.FeedID, it taggedItem) {
	f := t.feeds[id]
	if f == nil {
		f = &taggedFeed{}
		t.feeds[id] = f
	}
	i, isThere := slices.BinarySearchFunc(f.items, it.seq, taggedItem.compareTo)
	if !isThere {
		f.items = slices.Insert(f.items, i, taggedItem{})
	}
	f.items[i] = it
}

func (it taggedItem) compareTo(seq reader.Seq) int { return cmp.Compare(it.seq, seq) }

// taggedFormat is the first byte of the packed form. Tags with a base are not packed. After it come these, as uvarints
// unless another type is given:
//
//	at; 1 if isYahoos, else 0; the names, each as a text; the feeds in order, each as
//	  number above the one before; last; its usual categories, each as a text; its items, each as
//	    seq above the one before; varint minutes after the one before; story; tags, each as number of its name
//	    and score
//
// Lists and texts begin with their length.
const taggedFormat = 2

// maxMinute bounds the times of items, so that they do not overflow.
const maxMinute = 1 << 50

func (t *tagged) pack() []byte {
	b := []byte{taggedFormat}
	number := func(n uint64) { b = binary.AppendUvarint(b, n) }
	text := func(s string) {
		number(uint64(len(s)))
		b = append(b, s...)
	}
	number(uint64(t.at))
	if t.isYahoos {
		number(1)
	} else {
		number(0)
	}
	number(uint64(len(t.names)))
	for _, name := range t.names {
		text(name)
	}
	number(uint64(len(t.feeds)))
	before := reader.FeedID(0)
	for _, id := range slices.Sorted(maps.Keys(t.feeds)) {
		f := t.feeds[id]
		number(uint64(id - before))
		before = id
		number(uint64(f.last))
		number(uint64(len(f.usual)))
		for _, name := range slices.Sorted(maps.Keys(f.usual)) {
			text(name)
		}
		number(uint64(len(f.items)))
		seq, minute := reader.Seq(0), int64(0)
		for _, it := range f.items {
			number(uint64(it.seq - seq))
			b = binary.AppendVarint(b, it.sort/60-minute)
			seq, minute = it.seq, it.sort/60
			number(uint64(it.story))
			number(uint64(len(it.tags)))
			for _, x := range it.tags {
				number(uint64(x.name))
				number(uint64(x.score))
			}
		}
	}
	return b
}

func unpackTagged(b []byte) (*tagged, error) {
	r := &reader.Decoder{Rest: string(b)}
	if r.Byte() != taggedFormat {
		return nil, badTagged()
	}
	t := newTagged(int64(r.Uvarint()))
	t.isYahoos = r.Uvarint() == 1
	for i := range r.Count() {
		if name := r.Text(); name == "" || int(t.add(name)) != i {
			r.Fail()
		}
	}
	id := reader.FeedID(0)
	for range r.Count() {
		id += reader.FeedID(r.AtMost(uint64(reader.MaxFeedID)))
		r.Bad = r.Bad || id > reader.MaxFeedID || t.feeds[id] != nil
		f := &taggedFeed{last: reader.Seq(r.Uvarint()), usual: tags.Usual{}}
		for range r.Count() {
			f.usual[r.Text()] = true
		}
		f.items = make([]taggedItem, r.Count())
		seq, minute := reader.Seq(0), int64(0)
		for i := range f.items {
			seq += reader.Seq(r.AtMost(uint64(reader.MaxSeq)))
			minute += r.Varint()
			r.Bad = r.Bad || seq > reader.MaxSeq || minute > maxMinute || minute < -maxMinute
			it := taggedItem{seq: seq, sort: 60 * minute, story: uint32(r.Uvarint()), tags: make([]itemTag, r.Count())}
			for j := range it.tags {
				x := itemTag{uint32(r.Uvarint()), uint8(r.Uvarint())}
				r.Bad = r.Bad || int(x.name) >= len(t.names) || x.score < 1 || x.score > 100
				it.tags[j] = x
			}
			f.items[i] = it
			if r.Bad {
				return nil, badTagged()
			}
		}
		t.feeds[id] = f
	}
	if !r.Done() {
		return nil, badTagged()
	}
	return t, nil
}

func badTagged() error { return fault.New(fault.Internal, "bad_tags", "explore: tags", nil) }
