package segment

import (
	"slices"
	"testing"
)

// Lists of frequent and of rare terms come back as they were written; a list takes at most a bit for each document of
// the segment, and for each of its own little more than the bits of their mean distance.
func TestListsAreShort(t *testing.T) {
	t.Parallel()
	const most = 4000
	every := func(n, from, to uint32) (docs []uint32) {
		for d := from; d < to; d += n {
			docs = append(docs, d)
		}
		return docs
	}
	for name, c := range map[string]struct {
		docs  []uint32
		bytes int
	}{
		"all":                 {every(1, 0, most), most / 8},
		"every second":        {every(2, 0, most), most / 8},
		"every third":         {every(3, 0, most), most / 8},
		"every seventh":       {every(7, 0, most), most / 7 * 5 / 8},
		"every hundredth":     {every(100, 0, most), 40},
		"the first two":       {[]uint32{0, 1}, 3},
		"two far apart":       {[]uint32{0, most - 1}, 4},
		"the last ones":       {every(1, most-100, most), 95},
		"the first thousand":  {every(1, 0, 1000), 380},
		"the last one of all": {[]uint32{most - 1}, 2},
	} {
		w := termWriter{documents: most}
		w.add(Key{7, 9 << 56}, c.docs)
		w.flush()
		terms, err := ReadTerms(w.file)
		if err != nil {
			t.Fatal(name, err)
		}
		var e entry
		if err := terms.next(&e); err != nil || e.n != len(c.docs) || e.term != (Key{7, 9 << 56}) {
			t.Fatalf("%s: %+v, %v", name, e, err)
		}
		if len(e.list) > c.bytes {
			t.Errorf("%s: %d bytes, not %d", name, len(e.list), c.bytes)
		}
		var got []uint32
		if err := e.each(most, func(d uint32) { got = append(got, d) }); err != nil || !slices.Equal(got, c.docs) {
			t.Errorf("%s: %d documents of %d, %v", name, len(got), len(c.docs), err)
		}
		if err := e.each(int(c.docs[len(c.docs)-1]), func(uint32) {}); !IsDamaged(err) {
			t.Errorf("%s: a document beyond the segment's: %v", name, err)
		}
		if e.list = e.list[:len(e.list)-1]; !IsDamaged(e.each(most, func(uint32) {})) {
			t.Errorf("%s: a list that was cut", name)
		}
	}
}
