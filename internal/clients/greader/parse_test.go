package greader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestItemForms: every form of an id that clients send is read, and anything else is none.
func TestItemForms(t *testing.T) {
	t.Parallel()
	id := reader.NewItemID(467_110, 3, 77)
	high := reader.NewItemID(reader.MaxMinute, reader.MaxFeedID, 1023)
	for text, want := range map[string]reader.ItemID{
		longID(id): id,
		strings.ToUpper(longID(id)[len(itemPrefix):]): id,
		fmt.Sprintf("%s%x", itemPrefix, uint64(id)):   id,
		fmt.Sprintf("%016x", uint64(id)):              id,
		id.String():                                   id,
		" " + id.String() + "\n":                      id,
		longID(high):                                  high,
		high.String():                                 high,
		"":                                            0,
		"0":                                           0,
		"null":                                        0,
		"-1":                                          0,
		"+" + id.String():                             0,
		"0x" + fmt.Sprintf("%x", uint64(id)):          0,
		itemPrefix:                                    0,
		itemPrefix + "-000000000000001":               0,
		itemPrefix + "ffffffffffffffff":               0,
		"99999999999999999999999":                     0,
		"tag:example.org,2005:item/0000000000000001": 0,
	} {
		if got, ok := parseItem(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	if got := longID(id); len(got) != len(itemPrefix)+16 || got != itemPrefix+fmt.Sprintf("%016x", uint64(id)) {
		t.Errorf("the long form is %s", got)
	}
	if got := parseItems([]string{id.String(), "x", longID(id), high.String()}); !slices.Equal(got,
		[]reader.ItemID{id, high}) {
		t.Errorf("a list is %v", got)
	}
}

func FuzzParseItem(f *testing.F) {
	f.Add("tag:google.com,2005:reader/item/0000e41380000403")
	f.Add("250772402996227")
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := parseItem(s)
		if !ok {
			return
		}
		if !id.Valid() || id == 0 {
			t.Fatalf("%q is %d", s, id)
		}
		for _, form := range []string{longID(id), id.String()} {
			if again, ok := parseItem(form); !ok || again != id {
				t.Fatalf("%d is read from %q as %d, %v", id, form, again, ok)
			}
		}
	})
}

// FuzzStreams: any name of a stream, as a source and as conditions, gives a query that holds together.
func FuzzStreams(f *testing.F) {
	f.Add("user/-/state/com.google/reading-list", "user/1/state/com.google/read", "starred", true)
	f.Add("user//label/", "feed/", "user/-/label/a/b", false)
	f.Fuzz(func(t *testing.T, name, with, without string, in bool) {
		if label, ok := labelOf(name); ok && label == "" {
			t.Fatalf("%q has an empty label", name)
		}
		var x source
		for _, s := range []string{name, with, without} {
			if state, ok := stateOf(s); ok {
				x.state(state, in)
			}
			x.state(s, !in)
		}
		if q := x.query(); q.Is == q.Not && q.Is != stream.AnyState {
			t.Fatalf("%q, %q, %q: %+v contradicts itself", name, with, without, q)
		}
		from, to, ok := instant(name)
		if ok && (from > to || to-from > 999 || from <= 0 && len(name) < 10) {
			t.Fatalf("%q is from %d to %d", name, from, to)
		}
	})
}

// TestStates compares the queries for all combinations of states with what the states mean.
func TestStates(t *testing.T) {
	t.Parallel()
	states := []string{readingList, stateRead, stateStar, keptUnread, stateUnread, "broadcast",
		"tracking-kept-unread", "like"}
	matches := func(state string, isRead, isStarred bool) (in, known bool) {
		switch state {
		case readingList:
			return true, true
		case stateRead:
			return isRead, true
		case keptUnread, stateUnread:
			return !isRead, true
		case stateStar:
			return isStarred, true
		}
		return false, false
	}
	is := func(s stream.State, isRead, isStarred bool) bool {
		return s == stream.IsRead && isRead || s == stream.IsUnread && !isRead || s == stream.IsStarred && isStarred
	}
	for _, name := range states {
		for _, with := range states {
			for _, without := range states {
				var x source
				if !x.state(name, true) {
					x.none = true
				}
				x.state(with, true)
				x.state(without, false)
				q := x.query()
				for i := range 4 {
					isRead, isStarred := i&1 > 0, i&2 > 0
					want, _ := matches(name, isRead, isStarred)
					if in, known := matches(with, isRead, isStarred); known {
						want = want && in
					}
					if in, known := matches(without, isRead, isStarred); known {
						want = want && !in
					}
					got := !x.none && (q.Is == stream.AnyState || is(q.Is, isRead, isStarred)) &&
						!is(q.Not, isRead, isStarred)
					if got != want {
						t.Errorf("%s with %s without %s: an item that is read %v and starred %v is in it: %v, want %v",
							name, with, without, isRead, isStarred, got, want)
					}
				}
			}
		}
	}
}

// TestInstants: times are read by their digits, and nonsense is none.
func TestInstants(t *testing.T) {
	t.Parallel()
	const s = 1_795_251_610
	for text, want := range map[string][2]int64{
		"1795251610":          {s * 1000, s*1000 + 999},
		"1795251610250":       {s*1000 + 250, s*1000 + 250},
		"1795251610250999":    {s*1000 + 250, s*1000 + 250},
		"1795251610250999000": {s*1000 + 250, s*1000 + 250},
		" 1795251610 ":        {s * 1000, s*1000 + 999},
		"0":                   {}, "-5": {}, "": {}, "null": {}, "1e9": {}, "99999999999999999999": {},
	} {
		from, to, ok := instant(text)
		if ok != (want[1] > 0) || ok && (from != want[0] || to != want[1]) {
			t.Errorf("%q is from %d to %d, %v", text, from, to, ok)
		}
	}
}

// TestFolderNames: nested folders are flat for clients, each under a name of its own.
func TestFolderNames(t *testing.T) {
	t.Parallel()
	var tree library.Tree
	add := func(parent reader.FolderID, name string) reader.FolderID {
		id, err := tree.AddFolder(parent, name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	tech := add(0, "Tech")
	golang := add(tech, "Go")
	same := add(0, "Tech/Go")
	news := add(0, "News")
	n := namesOf(tree)
	for id, want := range map[reader.FolderID]string{tech: "Tech", golang: "Tech/Go", same: "Tech/Go (2)",
		news: "News"} {
		if n.ofFolder[id] != want || n.folders[want] != id {
			t.Errorf("the folder %d is %q, want %q", id, n.ofFolder[id], want)
		}
	}
	if got := n.Around([]reader.FolderID{golang, news, 99}); !slices.Equal(got, []reader.FolderID{golang, news, tech}) {
		t.Errorf("a feed in two folders is in %v", got)
	}
	for name, want := range map[string]struct {
		parent reader.FolderID
		leaf   string
	}{"Tech/Rust": {tech, "Rust"}, "Tech/Go/Old": {golang, "Old"}, "TCP/IP": {0, "TCP/IP"}, "/x": {0, "/x"},
		"Tech/": {0, "Tech/"}} {
		if parent, leaf := n.place(name); parent != want.parent || leaf != want.leaf {
			t.Errorf("%q belongs in %d as %q, want %d and %q", name, parent, leaf, want.parent, want.leaf)
		}
	}
	for text, want := range map[string]string{
		"user/-/label/A/B": "A/B", "user/DBfD/label/x": "x", "user/-/label/": "", "user/-/state/com.google/read": "",
		"label/x": "", "user/label/x": "",
	} {
		if got, ok := labelOf(text); got != want && ok {
			t.Errorf("%q is the label %q, want %q", text, got, want)
		}
	}
}
