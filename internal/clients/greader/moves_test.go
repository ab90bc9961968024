package greader_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestMovesOfCapyReader: it names the new folder of a feed alone, which is a move; not so right after it added the
// feed, and not from another program. Labels of items that do not exist are not made.
func TestMovesOfCapyReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/feed", 3)
	id := w.subscribe(w.owner, "https://a.example/feed")
	c := w.client("").logIn(w.owner)
	file := func(agent, folder string) {
		form := url.Values{"ac": {"edit"}, "s": {"feed/" + id.String()}, "a": {label + folder}}
		if status, body := c.do("POST", api+"subscription/edit", form, "User-Agent", agent); status != 200 {
			t.Fatalf("%d %q", status, body)
		}
	}
	folders := func() (names []string) {
		var out struct {
			Subscriptions []struct{ Categories []struct{ Label string } }
		}
		c.get(api+"subscription/list", url.Values{"output": {"json"}}, &out)
		for _, x := range out.Subscriptions[0].Categories {
			names = append(names, x.Label)
		}
		slices.Sort(names)
		return names
	}
	file("newsboat/2.40", "One")
	file("newsboat/2.40", "Two")
	if got := folders(); !slices.Equal(got, []string{"One", "Two"}) {
		t.Errorf("another program: %q", got)
	}
	file("CapyReader/2026", "Three")
	if got := folders(); !slices.Equal(got, []string{"Three"}) {
		t.Errorf("a move: %q", got)
	}
	c.do("POST", api+"subscription/quickadd", url.Values{"quickadd": {"https://a.example/feed"}})
	file("CapyReader/2026", "Four")
	if got := folders(); !slices.Equal(got, []string{"Four", "Three"}) {
		t.Errorf("after adding: %q", got)
	}
	long := url.Values{"ac": {"edit"}, "s": {"feed/" + id.String()}, "a": {label + strings.Repeat("あ", 200)}}
	if status, body := c.do("POST", api+"subscription/edit", long); status != 400 || len(folders()) != 2 {
		t.Errorf("a name that is too long: %d %q", status, body)
	}
	c.change(api+"edit-tag", url.Values{"i": {"1", "7036874417766401"}, "a": {label + "Made"}})
	if _, body := c.do("GET", api+"tag/list", url.Values{"output": {"json"}}); strings.Contains(body, "Made") {
		t.Errorf("a label without items is made: %s", body)
	}
}
