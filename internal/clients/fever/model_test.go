package fever_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

// copied is what a program keeps of the items.
type copied struct {
	*program
	items map[int64]readerapps.State
	last  int64
}

// upwards fetches what is new as ReadYou does: from the newest item that it has on.
func (c *copied) upwards() {
	for {
		page := *c.call("&items&since_id="+strconv.FormatInt(c.last, 10), "").Items
		for _, x := range page {
			if _, had := c.items[x.ID]; had || x.ID <= c.last {
				c.T.Fatalf("item %d comes twice", x.ID)
			}
			c.items[x.ID], c.last = readerapps.State{Read: x.Read == 1, Starred: x.Saved == 1}, x.ID
		}
		if len(page) < 50 {
			return
		}
	}
}

// downwards fetches what is new as Fluent does: from the newest item of all down to the newest that it has.
func (c *copied) downwards() {
	top := c.last
	for low := int64(1<<53 - 1); low > c.last; {
		page := *c.call("&items&max_id="+strconv.FormatInt(low, 10), "").Items
		for _, x := range page {
			low = x.ID
			if x.ID > c.last {
				c.items[x.ID] = readerapps.State{Read: x.Read == 1, Starred: x.Saved == 1}
			}
			top = max(top, x.ID)
		}
		if len(page) < 50 {
			break
		}
	}
	c.last = top
}

// states takes the read and the saved state of all items from the lists of ids.
func (c *copied) states() {
	a := c.call("&unread_item_ids&saved_item_ids", "")
	unread, saved := ids(c.T, a.Unread), ids(c.T, a.Saved)
	for id := range c.items {
		_, isUnread := slices.BinarySearch(unread, id)
		_, isSaved := slices.BinarySearch(saved, id)
		c.items[id] = readerapps.State{Read: !isUnread, Starred: isSaved}
	}
}

// change marks something, here and on the server.
func (c *copied) change() string {
	known := slices.Sorted(maps.Keys(c.items))
	if len(known) == 0 {
		return "nothing"
	}
	id := known[c.Rand.IntN(len(known))]
	as := []string{"read", "unread", "saved", "unsaved"}[c.Rand.IntN(4)]
	what := fmt.Sprintf("&mark=item&as=%s&id=%d", as, id)
	switch c.Rand.IntN(10) {
	case 0:
		what = fmt.Sprintf("&mark=feed&as=read&id=%d&before=%d", reader.ItemID(id).Feed(),
			c.Now().Unix()-int64(c.Rand.IntN(3000)))
	case 1:
		what = fmt.Sprintf("&mark=group&as=read&id=%d&before=%d", c.Rand.IntN(5),
			c.Now().Unix()-int64(c.Rand.IntN(3000)))
	case 2:
		what = "&unread_recently_read=1"
	}
	c.call("", what)
	return what
}

// TestCopiesStayEqual: whatever happens, after each synchronisation a program has what the page shows, each item once
// and in the same state.
func TestCopiesStayEqual(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			w := readerapps.New(t, seed)
			p := &program{w, keyOf(w.Email, w.Password)}
			programs := []*copied{{program: p, items: map[int64]readerapps.State{}},
				{program: p, items: map[int64]readerapps.State{}}}
			var log []string
			for range 120 {
				c := programs[w.Rand.IntN(2)]
				switch n := w.Rand.IntN(10); {
				case n < 6:
					log = append(log, w.Happen())
					continue
				case n < 8:
					log = append(log, c.change())
					continue
				case c == programs[0]:
					c.upwards()
				default:
					c.downwards()
				}
				log = append(log, "sync")
				c.states()
				if wrong := c.compare(); wrong != "" {
					t.Fatalf("%s after\n%s", wrong, strings.Join(log, "\n"))
				}
			}
		})
	}
}

// compare says in what a program differs from the page. Items that do not exist any more are not unread in it.
func (c *copied) compare() string {
	shown := c.Shown()
	unread, listed := 0, 0
	for id, want := range shown {
		if c.World.Listed(id) {
			if listed++; !want.Read {
				unread++
			}
		}
		got, has := c.items[int64(id)]
		if has != c.World.Listed(id) && !has || has && got != want {
			return fmt.Sprintf("item %d is %+v (%v), want %+v", id, got, has, want)
		}
	}
	for id, got := range c.items {
		if _, exists := shown[reader.ItemID(id)]; !exists && !got.Read {
			return fmt.Sprintf("item %d is unread and does not exist", id)
		}
	}
	a := c.call("&items&with_ids=0&unread_item_ids", "")
	if n := len(ids(c.T, a.Unread)); *a.Total != listed || n != unread {
		return fmt.Sprintf("%d items and %d unread are counted, want %d and %d", *a.Total, n, listed, unread)
	}
	return ""
}
