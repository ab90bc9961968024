package library_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// kept is what is stored of one person.
type kept[T any] struct{ value T }

func (k *kept[T]) Change(_ context.Context, _ reader.UserID, change func(*T) error) (T, error) {
	next := k.value
	err := change(&next)
	if err == nil {
		k.value = next
	}
	return next, err
}

// around stands for the rest of the reader, and notes what it is told.
type around struct {
	told   []string
	fails  error
	rounds int // after which a label is off all items
}

func (a *around) note(format string, args ...any) error {
	a.told = append(a.told, fmt.Sprintf(format, args...))
	return a.fails
}

func (a *around) Check(_ context.Context, _ reader.UserID, id reader.FeedID) error {
	if id != 7 {
		return fault.Coded(fault.NotFound, "feed_not_found")
	}
	return nil
}

func (a *around) Refile(_ context.Context, _ reader.UserID, from, to reader.FolderID) error {
	return a.note("feeds of %d to %d", from, to)
}

func (a *around) RemoveLabel(_ context.Context, _ reader.UserID, id reader.LabelID) (bool, error) {
	err := a.note("off items: %d", id)
	return len(a.told) >= a.rounds, err
}

func (a *around) SearchDeleted(_ context.Context, _ reader.UserID, id reader.SearchID) error {
	return a.note("search %d", id)
}

func service() (*library.Service, *kept[library.Tree], *around) {
	trees, a := new(kept[library.Tree]), new(around)
	return &library.Service{Trees: trees, Searches: new(kept[library.Searches]), Subscriptions: a, Items: a,
		Webhooks: a}, trees, a
}

// The feeds of a deleted folder move up, too; those of one at the top are in no folder then.
func TestDeleteFolder(t *testing.T) {
	t.Parallel()
	s, trees, a := service()
	trees.value = *planted(t) // A (1), A/B (2), A/B/C (3), D (4), A/E (5)
	if _, err := s.DeleteFolder(t.Context(), "u", 9); fault.CodeOf(err) != "folder_not_found" || a.told != nil {
		t.Errorf("%v, %v", err, a.told)
	}
	a.fails = errors.New("no")
	if _, err := s.DeleteFolder(t.Context(), "u", 2); !errors.Is(err, a.fails) || !trees.value.Has(2) {
		t.Errorf("the folder went before its feeds: %v", err)
	}
	a.fails, a.told = nil, nil
	for _, id := range []reader.FolderID{2, 1} {
		if _, err := s.DeleteFolder(t.Context(), "u", id); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(a.told, []string{"feeds of 2 to 1"}) || outline(&trees.value) != "C E D" {
		t.Errorf("%v, %s", a.told, outline(&trees.value))
	}
}

// A label goes before its items lose it, and a request does only so much.
func TestDeleteLabel(t *testing.T) {
	t.Parallel()
	for rounds, want := range map[int]int{1: 1, 3: 3, 100: 4} {
		s, trees, a := service()
		a.rounds = rounds
		id, err := trees.value.AddLabel("one")
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.DeleteLabel(t.Context(), "u", id)
		if err != nil || len(got.Labels) != 0 || len(a.told) != want {
			t.Errorf("%v, %v, %v", got.Labels, a.told, err)
		}
		a.told = nil
		if _, err = s.DeleteLabel(t.Context(), "u", id); fault.CodeOf(err) != "label_not_found" || a.told != nil {
			t.Errorf("again: %v, %v", err, a.told)
		}
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}

func TestSearches(t *testing.T) {
	t.Parallel()
	s, trees, a := service()
	trees.value = *planted(t)
	for _, c := range []struct {
		search library.Search
		want   string
	}{
		{library.Search{Name: " a  b ", Query: "go"}, ""},
		{library.Search{Name: "a", Query: "go", Feed: 7, Filter: "starred", Sort: "best"}, ""},
		{library.Search{Name: "a", Query: "go", Folder: 3, Filter: "unread", Sort: "popular"}, ""},
		{library.Search{Name: "\u200b", Query: "go"}, "bad_name"},
		{library.Search{Name: "a", Query: "-go"}, "search_empty"},
		{library.Search{Name: "a", Query: "go", Filter: "read"}, "bad_filter"},
		{library.Search{Name: "a", Query: "go", Sort: "up"}, "bad_search_sort"},
		{library.Search{Name: "a", Query: "go", Feed: 7, Folder: 3}, "scope_ambiguous"},
		{library.Search{Name: "a", Query: "go", Feed: 8}, "feed_not_found"},
		{library.Search{Name: "a", Query: "go", Folder: 9}, "folder_not_found"},
	} {
		list, id, err := s.AddSearch(t.Context(), "u", c.search)
		if codeOf(err) != c.want || err == nil && list.List[len(list.List)-1].ID != id {
			t.Errorf("%+v: %v", c.search, err)
		}
		c.search.ID = 1
		if _, err = s.ReplaceSearch(t.Context(), "u", c.search); codeOf(err) != c.want {
			t.Errorf("instead of another, %+v: %v", c.search, err)
		}
	}
	list, _, err := s.AddSearch(t.Context(), "u", library.Search{Name: " a  b ", Query: "go"})
	if x := list.List[len(list.List)-1]; err != nil || x.Name != "a b" || x.Filter != "all" ||
		x.Sort != library.ByDate {
		t.Errorf("%+v, %v", x, err)
	}
	if list, err = s.DeleteSearch(t.Context(), "u", 2); err != nil || len(list.List) != 3 ||
		!slices.Equal(a.told, []string{"search 2"}) {
		t.Errorf("%v, %v, %v", list, a.told, err)
	}
}

// What another installation has is added once, as far as there is room and sense in it.
func TestMerge(t *testing.T) {
	t.Parallel()
	tree := planted(t)
	failed := tree.Merge([][]string{{"A", "F"}, {"A", strings.Repeat("a", 121)}, {"D"}}, []string{"one", "", "one"})
	if len(failed) != 2 || outline(tree) != "A A/B A/B/C A/E A/F D" || len(tree.Labels) != 1 {
		t.Errorf("%v, %s, %v", failed, outline(tree), tree.Labels)
	}
	var list library.Searches
	for range 2 {
		failed = list.Merge([]library.Search{{Name: "a\x00", Query: "go"}, {Name: "b", Query: ""},
			{Name: "a", Query: "go", Filter: "all", Sort: "date"}})
	}
	if len(failed) != 1 || len(list.List) != 1 || list.List[0].Name != "a" {
		t.Errorf("%v, %+v", failed, list)
	}
	p := library.Preferences{"order": "old"}.Merge(map[string]json.RawMessage{
		"theme": json.RawMessage(`"dark"`), "itemsPerPage": json.RawMessage(`9`), "later": json.RawMessage(`true`)})
	if string(p.Encode()) != `{"order":"old","theme":"dark"}` {
		t.Errorf("%s", p.Encode())
	}
}
