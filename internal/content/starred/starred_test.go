package starred_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/fault"
)

const googleReader = `{"direction":"ltr","id":"user/1/state/com.google/starred","title":"\"Me\" via Ruri","updated":1372000000,"items":[
{"crawlTimeMsec":"1346000000123","timestampUsec":"1346000000123456","id":"tag:google.com,2005:reader/item/000000001","categories":["user/1/state/com.google/read","user/1/state/com.google/starred","Go"],
 "title":"A  title","published":1345999000,"updated":1345999100,"canonical":[{"href":"https://example.org/a"}],"alternate":[{"href":"https://example.org/a?x","type":"text/html"}],
 "summary":{"direction":"ltr","content":"<p>Short</p>"},"author":"Ann","origin":{"streamId":"feed/https://example.org/feed","title":"Example","htmlUrl":"https://example.org/"}}]}`

const freshRSS = `{"id":"user/-/state/org.freshrss/starred","title":"List of favourite articles","author":"me","items":[
{"frss:id":"1700000000000000","id":"https://example.org/a","timestampUsec":"1700000000000000","published":1699999000,"title":"A title","author":"Ann","categories":["user/-/state/com.google/starred","user/-/label/News"],
 "canonical":[{"href":"https://example.org/a"}],"content":{"content":"<p>Whole</p>"},"origin":{"streamId":"feed/https://example.org/feed","feedUrl":"https://example.org/feed","title":"Example","htmlUrl":"https://example.org/"}}]}`

const miniflux = `{"total":1,"entries":[{"id":888,"user_id":123,"title":"A title","url":"https://example.org/a","author":"Ann","content":"<p>Whole</p>","hash":"x","published_at":"2023-11-14T21:56:40Z","created_at":"2023-11-15T00:00:00Z","changed_at":"2023-11-16T00:00:00Z",
 "status":"read","starred":true,"reading_time":1,"tags":["Go"],"enclosures":null,"feed":{"id":42,"title":"Example","feed_url":"https://example.org/feed","site_url":"https://example.org/"}}]}`

const feedly = `{"id":"user/x/tag/global.saved","updated":1700000000000,"items":[{"id":"Xne8uW/=_1","originId":"https://example.org/a","fingerprint":"f","title":"A title","published":1699999000000,"crawled":1699999500000,"actionTimestamp":1700000000000,
 "alternate":[{"href":"https://example.org/a","type":"text/html"}],"summary":{"content":"<p>Short</p>","direction":"ltr"},"author":"Ann","keywords":["Go"],"categories":[{"id":"user/x/category/n","label":"News"}],"origin":{"streamId":"feed/https://example.org/feed","title":"Example","htmlUrl":"https://example.org/"},"unread":false}]}`

func TestDecode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, html  string
		published int64
		starred   int64
		tags      string
	}{
		"Google Reader": {googleReader, "<p>Short</p>", 1345999000, 1346000000, "Go"},
		"FreshRSS":      {freshRSS, "<p>Whole</p>", 1699999000, 1700000000, ""},
		"Miniflux":      {miniflux, "<p>Whole</p>", 1699999000, 1700092800, "Go"},
		"Feedly":        {feedly, "<p>Short</p>", 1699999000, 1700000000, "News Go"},
		"Feedly, bare": {feedly[strings.Index(feedly, "[{\"id\":\"Xne") : len(feedly)-1], "<p>Short</p>", 1699999000,
			1700000000, "News Go"},
	} {
		list, err := starred.Decode([]byte(c.in))
		if err != nil || len(list.Items) != 1 || len(list.Problems) != 0 {
			t.Errorf("%s: %+v, %v", name, list, err)
			continue
		}
		it := list.Items[0]
		if it.Title != "A title" || it.Link != "https://example.org/a" || it.Author != "Ann" || it.HTML != c.html ||
			it.Published.Unix() != c.published ||
			it.Starred.Unix() != c.starred || it.FeedURL != "https://example.org/feed" || it.FeedTitle != "Example" ||
			it.SiteURL != "https://example.org/" ||
			strings.Join(it.Categories, " ") != c.tags {
			t.Errorf("%s: %+v", name, it)
		}
	}
}

// TestLabels: labels are the reader's own; the publisher's words, states and folders are not.
func TestLabels(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"categories":["user/-/state/com.google/starred","user/-/label/To read"]}`:                            "To read|",
		`{"categories":["user/1005/label/To  read","user/-/label/%E6%97%A5%E6%9C%AC","user/-/label/To read"]}`: "To read,日本|",
		`{"categories":["Product","user/-/state/com.google/read","user/-/state/com.google/broadcast","user/-/label/",` +
			`"user/-"]}`: "|Product",
		`{"categories":["user/-/label/Tech/News","user/-/label/100%","user/-/label/50%25","user/-/label/%FF"]}`: "Tech/News,100%,50%,%FF|",
		`{"tags":["Go","user/-/label/Later"]}`: "Later|Go",
		`{"keywords":["Go"],"tags":[{"id":"user/x/tag/global.saved","label":"Saved"},{"id":"user/x/tag/1b-2",` +
			`"label":"A board 100%25"}],"categories":[{"id":"user/x/category/n","label":"News"}]}`: "A board 100%25|News,Go",
		`{"tags":[{"id":"user/x/tag/1b-2"},{"label":"Word"},7,null,"user/x/tag/Mine","user/x/category/n"]}`: "Mine|Word",
	} {
		list, err := starred.Decode([]byte(`[{"title":"x",` + in[1:] + "]"))
		if err != nil || len(list.Items) != 1 {
			t.Fatalf("%s: %+v, %v", in, list, err)
		}
		if it := list.Items[0]; strings.Join(it.Labels, ",")+"|"+strings.Join(it.Categories, ",") != want {
			t.Errorf("%s: %q, %q, want %s", in, it.Labels, it.Categories, want)
		}
	}
}

// Titles and names are HTML in Google Reader's shape, and text in Miniflux's.
func TestDecodeTitles(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"items":[{"title":"AT&amp;T &lt;b&gt;x","author":"A &amp; ` +
			`B","canonical":[{"href":"https://x.example/1"}],"origin":{"streamId":"feed/https://x.example/",` +
			`"title":"Q&amp;A"}}]}`: "AT&T <b>x|A & B|Q&A",
		`[{"title":"x &amp;amp; y&nbsp;&#8212; z","alternate":[{"href":"https://x.example/1"}]}]`: "x &amp; y — z||",
		`{"entries":[{"title":"How to write ` +
			`&amp;","author":"&lt;A","url":"https://x.example/1","feed":{"title":"&amp;"}}]}`: "How to write " +
			"&amp;|&lt;A|&amp;",
	} {
		list, err := starred.Decode([]byte(in))
		if err != nil || len(list.Items) != 1 {
			t.Fatalf("%s: %+v, %v", in, list, err)
		}
		if it := list.Items[0]; it.Title+"|"+it.Author+"|"+it.FeedTitle != want {
			t.Errorf("%s: %+v", in, it)
		}
	}
}

// Miniflux lists any entries: those that are not starred are left out, and counted.
func TestDecodeLeavesOutWhatIsNotStarred(t *testing.T) {
	t.Parallel()
	list, err := starred.Decode(
		[]byte(`{"entries":[{"title":"a","url":"https://mf.example/1","starred":true},{"title":"x","url":"https://mf.example/2","starred":false},
		{"title":"b","url":"https://mf.example/3"},{"title":"c","url":"https://mf.example/4","starred":null},{"starred":false}]}`))
	if err != nil || len(list.Items) != 3 || list.NotStarred != 2 || len(list.Problems) != 0 ||
		list.Items[1].Title != "b" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for in, code := range map[string]string{
		"": "not_starred", "{": "not_starred", `"x"`: "not_starred", `{"feeds":[]}`: "not_starred",
		`{"items":{}}`: "not_starred", `[] []`: "not_starred", `{"items":[]`: "not_starred",
		`{"items":[{}],"x":}`: "not_starred", `{"items":null}`: "not_starred",
		strings.Repeat(" ", starred.MaxBytes+1): "starred_too_large",
	} {
		if _, err := starred.Decode([]byte(in)); fault.CodeOf(err) != code {
			t.Errorf("%.20q: %v, want %s", in, err, code)
		}
	}
	// One bad entry does not take the others with it.
	list, err := starred.Decode(
		[]byte(`{"items":[7,null,{"title":["x"],"published":"soon"},{"title":"",` +
			`"canonical":[{"href":"javascript:alert(1)"}]},{"title":"Good","published":-5,"url":"ftp://x",` +
			`"categories":7,"origin":"x"}]}`))
	if err != nil || len(list.Items) != 1 || list.Items[0].Title != "Good" || list.Items[0].Link != "" ||
		!list.Items[0].Published.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDecodeTakesSoMany(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range starred.MaxItems + 3 {
		fmt.Fprintf(&b, `{"title":"Item %d"},`, i)
	}
	list, err := starred.Decode([]byte("[" + strings.TrimSuffix(b.String(), ",") + "]"))
	if err != nil || len(list.Items) != starred.MaxItems || len(list.Problems) != 3 ||
		list.Problems[0].Code != starred.OverLimit || list.Problems[0].Place != starred.MaxItems+1 {
		t.Errorf("%d items, %+v, %v", len(list.Items), list.Problems, err)
	}
}

// TestDecodeBoundsMemory: five megabytes of the shortest entries are millions. Not parallel, for what others allocate
// is counted too.
func TestDecodeBoundsMemory(t *testing.T) {
	many := func(one string) string {
		return strings.TrimSuffix(strings.Repeat(one+",", (starred.MaxBytes-200)/(len(one)+1)), ",")
	}
	for name, c := range map[string]struct {
		in          string
		items, more int // more at least
	}{
		"no entries":   {"[" + many("1") + "]", 0, 2_000_000},
		"empty ones":   {`{"items":[` + many("{}") + `]}`, 0, 1_000_000},
		"items":        {"[" + many(`{"title":"a"}`) + "]", starred.MaxItems, 300_000},
		"categories":   {`[{"title":"x","categories":[` + many("1") + `]}]`, 1, 0},
		"links":        {`[{"title":"x","alternate":[` + many("{}") + `]}]`, 1, 0},
		"another list": {`{"entries":[{"title":"x"}],"x":[` + many("1") + `]}`, 1, 0},
	} {
		data := []byte(c.in)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		list, err := starred.Decode(data)
		runtime.ReadMemStats(&after)
		if err != nil || len(list.Items) != c.items || list.More < c.more {
			t.Errorf("%s: %d items, %d more, %v", name, len(list.Items), list.More, err)
		}
		// All together, most of it let go at once: a list of them all would take ten times as much.
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 300 {
			t.Errorf("%s: %d MB were allocated for 5", name, used)
		}
	}
}

// write writes items as a list.
func write(t testing.TB, items []starred.Item) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := starred.NewWriter(&b, `A "list" <&>`, time.Unix(1700000000, 0))
	for _, it := range items {
		if err == nil {
			err = w.Item(it)
		}
	}
	if err == nil {
		err = w.Close("")
	}
	if err != nil || !json.Valid(b.Bytes()) {
		t.Fatalf("%v: %.200s", err, &b)
	}
	return b.Bytes()
}

// What is written reads as it was.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 0, 0, 123000, time.UTC)
	items := []starred.Item{
		{ID: "1", Title: "<b>&amp;</b> “題”\u2028", Link: "https://example.org/?a=1&b=2", Author: "著者",
			HTML: `<p class="x">本文</p>`, Published: at.Truncate(time.Second),
			Updated: at.Truncate(time.Second), Starred: at, Categories: []string{"Go", "読書"},
			Labels: []string{"To read", "Tech/News", "100%", "50%25", "日本"}, FeedURL: "https://example.org/feed",
			FeedTitle: "Feed", SiteURL: "https://example.org/"},
		{ID: "2", Title: "Bare &lt; & co", Author: "&amp;", FeedTitle: "A&B", Starred: at},
	}
	items[0].Title = strings.ReplaceAll(items[0].Title, "\u2028", "")
	list, err := starred.Decode(write(t, items))
	if err != nil || !reflect.DeepEqual(list.Items, items) {
		t.Errorf("%v\n%+v\n%+v", err, list.Items, items)
	}
	if list, err := starred.Decode(write(t, nil)); err != nil || len(list.Items) != 0 {
		t.Errorf("an empty list: %+v, %v", list, err)
	}
}

// FuzzStarred: whatever comes is refused or is items within bounds, which are written and read again.
func FuzzStarred(f *testing.F) {
	for _, s := range []string{googleReader, freshRSS, miniflux, feedly, `[]`, `{"items":[{}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := starred.Decode(b)
		if err != nil {
			return
		}
		for _, it := range list.Items {
			if it.Title == "" && it.Link == "" {
				t.Fatalf("an empty item: %+v", it)
			}
			if it.Link != "" && !strings.HasPrefix(it.Link, "http://") && !strings.HasPrefix(it.Link, "https://") {
				t.Fatalf("a link that is none: %q", it.Link)
			}
		}
		again, err := starred.Decode(write(t, list.Items))
		if err != nil && fault.CodeOf(err) != "starred_too_large" || err == nil && len(again.Items) != len(list.Items) {
			t.Fatalf("%d items became %d, %v", len(list.Items), len(again.Items), err)
		}
	})
}
