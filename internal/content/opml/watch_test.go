package opml

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Watches are outlines without an xmlUrl; those of other programs are no entries, and no problems.
func TestWatches(t *testing.T) {
	t.Parallel()
	feeds := []Feed{
		{Title: "A & B", HTMLURL: "https://shop.example/?q=a&b", Path: []string{"Shops"},
			Watch: `{"name":"A & B","layout":{"rows":"li > \"x\""}}`, Minutes: 60},
		{Title: "Feed", XMLURL: "https://example.org/feed"},
	}
	doc, err := Decode(Encode("x", feeds, time.Time{}))
	if err != nil || !reflect.DeepEqual(doc.Feeds, feeds) || len(doc.Problems) > 0 {
		t.Errorf("%+v, %v", doc, err)
	}
	for _, c := range []struct {
		outline  string
		problems int
	}{
		{`<outline type="watch" text="x" url="https://shop.example/"/>`, 0},
		{`<outline type="watch" text="x" watchSettings="{}" htmlUrl="javascript:x"/>`, 1},
		{`<outline type="watch" text="x" watchSettings="{}" htmlUrl="https://x.example/" isComment="true"/>`, 1},
		{`<outline type="watch" text="x" htmlUrl="https://x.example/" watchSettings="` +
			strings.Repeat("x", maxWatch+1) + `"/>`, 1},
	} {
		doc, err := Decode([]byte(`<opml version="2.0"><body>` + c.outline + `</body></opml>`))
		if err != nil || len(doc.Feeds) != 0 || len(doc.Problems) != c.problems {
			t.Errorf("%.80s: %+v, %v", c.outline, doc, err)
		}
	}
}
