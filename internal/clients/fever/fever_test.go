package fever_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

const formType = "application/x-www-form-urlencoded"

// keyOf is what a program sends in place of address and password.
func keyOf(email, password string) string {
	sum := md5.Sum([]byte(email + ":" + password))
	return hex.EncodeToString(sum[:])
}

// program is a program that speaks Fever, and decodes strictly: other members and types are errors.
type program struct {
	*readerapps.World
	key string
}

func newProgram(t *testing.T) *program {
	w := readerapps.New(t, 1)
	return &program{w, keyOf(w.Email, w.Password)}
}

type answer struct {
	Version   int    `json:"api_version"`
	Auth      int    `json:"auth"`
	Refreshed *int64 `json:"last_refreshed_on_time"`
	Groups    *[]struct {
		ID    int32  `json:"id"`
		Title string `json:"title"`
	} `json:"groups"`
	Feeds *[]struct {
		ID      int32  `json:"id"`
		Icon    int32  `json:"favicon_id"`
		Title   string `json:"title"`
		URL     string `json:"url"`
		Site    string `json:"site_url"`
		Spark   int    `json:"is_spark"`
		Updated int64  `json:"last_updated_on_time"`
	} `json:"feeds"`
	FeedGroups *[]struct {
		Group int32  `json:"group_id"`
		Feeds string `json:"feed_ids"`
	} `json:"feeds_groups"`
	Icons *[]struct {
		ID   int32  `json:"id"`
		Data string `json:"data"`
	} `json:"favicons"`
	Items  *[]itemOf `json:"items"`
	Total  *int      `json:"total_items"`
	Links  *[]string `json:"links"`
	Unread *string   `json:"unread_item_ids"`
	Saved  *string   `json:"saved_item_ids"`
}

type itemOf struct {
	ID      int64  `json:"id"`
	Feed    int32  `json:"feed_id"`
	Title   string `json:"title"`
	Author  string `json:"author"`
	HTML    string `json:"html"`
	URL     string `json:"url"`
	Saved   int    `json:"is_saved"`
	Read    int    `json:"is_read"`
	Created int64  `json:"created_on_time"`
}

// call makes a call with arguments in the address and in the body, as ReadYou and Fluent do.
func (p *program) call(query, body string) answer {
	p.T.Helper()
	return p.decode(p.Do(http.MethodPost, "/fever/?api"+query, formType, "api_key="+p.key+body).Body.String())
}

func (p *program) decode(body string) (a answer) {
	p.T.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		p.T.Fatalf("%v in %.300s", err, body)
	}
	if a.Version != 3 || a.Auth == 1 && (a.Refreshed == nil || *a.Refreshed < 1e9) {
		p.T.Fatalf("not an answer of Fever: %.300s", body)
	}
	return a
}

// ids parses a list of ids.
func ids(t testing.TB, list *string) (out []int64) {
	t.Helper()
	if list == nil {
		t.Fatal("the list of ids is missing")
	}
	if *list == "" {
		return nil
	}
	for s := range strings.SplitSeq(*list, ",") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n <= 0 || n >= 1<<53 {
			t.Fatalf("%q is not an id", s)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// TestReadYou: arguments in the address, only the key in the body. A sync stops at a page of less than 50 items, each
// feed is in a group, and marks that mean all name the end of time.
func TestReadYou(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 70, "News", "Tech")
	g := p.Follow("https://two.example/feed", 3)
	p.Publish(f, 4)

	if a := p.call("=&", ""); a.Auth != 1 || a.Groups != nil || a.Items != nil {
		t.Fatalf("a call without arguments answers %+v", a)
	}
	titles := map[int32]string{}
	for _, g := range *p.call("=&groups", "").Groups {
		titles[g.ID] = g.Title
	}
	a := p.call("=&feeds", "")
	groupOf := map[string]string{}
	for _, x := range *a.FeedGroups {
		for id := range strings.SplitSeq(x.Feeds, ",") {
			groupOf[id] = titles[x.Group]
		}
	}
	if len(*a.Feeds) != 2 || groupOf[f.ID().String()] != "News / Tech" || groupOf[g.ID().String()] != "Uncategorized" {
		t.Fatalf("feeds in groups: %+v, %v", *a.Feeds, groupOf)
	}
	if x := (*a.Feeds)[0]; x.Title != "Feed of one.example" || x.URL != f.URL || x.Spark != 0 || x.Updated == 0 {
		t.Errorf("a feed is %+v", x)
	}

	var got []int64
	for last := ""; ; {
		page := p.call("=&items&since_id="+last, "")
		for _, x := range *page.Items {
			got = append(got, x.ID)
			last = strconv.FormatInt(x.ID, 10)
		}
		if *page.Total != 77 {
			t.Errorf("there are %d items in all", *page.Total)
		}
		if len(*page.Items) < 50 {
			break
		}
	}
	if len(got) != 77 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 77 {
		t.Fatalf("%d items, ascending %v", len(got), slices.IsSorted(got))
	}
	unread := ids(t, p.call("=&unread_item_ids", "").Unread)
	if len(unread) != 24+3 {
		t.Fatalf("%d items are unread", len(unread))
	}
	one := strconv.FormatInt(unread[0], 10)
	for _, step := range []struct {
		as            string
		unread, saved int
	}{{"read", 26, 0}, {"read", 26, 0}, {"saved", 26, 1}, {"saved", 26, 1}, {"unread", 27, 1}, {"unsaved", 27, 0},
		{"unsaved", 27, 0}} {
		p.call("=&mark=item&as="+step.as+"&id="+one, "")
		a := p.call("=&unread_item_ids&saved_item_ids", "")
		if n, m := len(ids(t, a.Unread)), len(ids(t, a.Saved)); n != step.unread || m != step.saved {
			t.Errorf("after %q %d items are unread and %d saved, want %d and %d", step.as, n, m,
				step.unread, step.saved)
		}
	}
	a = p.call("=&mark=feed&as=read&id="+f.ID().String()+"&before=9223372036854775", "")
	if n := len(ids(t, a.Unread)); n != 3 {
		t.Errorf("the answer to the mark of a feed has %d unread items", n)
	}
}

// TestFluent: the newest first, from the greatest number on, which itself is not meant; marks in the body.
func TestFluent(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 120)
	feeds := map[int32]bool{}
	for _, x := range *p.call("&feeds", "").Feeds {
		feeds[x.ID] = true
	}
	last := int64(0)
	sync := func() (got []int64) {
		for low := int64(1<<53 - 1); ; {
			page := *p.call("&items&max_id="+strconv.FormatInt(low, 10), "").Items
			for _, x := range page {
				if x.ID >= low || !feeds[x.Feed] {
					t.Fatalf("item %d of feed %d is below %d", x.ID, x.Feed, low)
				}
				if low = x.ID; x.ID > last {
					got = append(got, x.ID)
				}
			}
			if low <= last || len(page) < 50 {
				break
			}
		}
		last = max(last, slices.Max(append(got, 0)))
		return got
	}
	if got := sync(); len(got) != 120 || len(slices.Compact(slices.Clone(got))) != 120 {
		t.Fatalf("the first sync has %d items", len(got))
	}
	p.Publish(f, 2)
	got := sync()
	if len(got) != 2 {
		t.Fatalf("the next sync has %d items", len(got))
	}
	a := p.call("", "&mark=item&as=saved&id="+strconv.FormatInt(got[0], 10))
	if saved := ids(t, a.Saved); !slices.Equal(saved, got[:1]) {
		t.Errorf("saved: %v, want %v", saved, got[:1])
	}
	p.call("", "&mark=feed&as=read&id="+f.ID().String()+"&before="+strconv.FormatInt(p.Now().Unix()+1, 10))
	if n := len(ids(t, p.call("&unread_item_ids", "").Unread)); n != 0 {
		t.Errorf("%d items are unread after a mark of all", n)
	}
}

// TestForms: Unread sends all in the address with GET, Raven a multipart form, FeedMe a body without a content type.
func TestForms(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Follow("https://one.example/feed", 3)
	const parts = "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n%KEY%\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"items\"\r\n\r\n\r\n--b--\r\n"
	for name, c := range map[string]struct{ method, path, kind, body string }{
		"GET": {"GET", "/fever/?api&items&api_key=" + p.key, "", ""},
		"multipart": {"POST", "/fever/?api", "multipart/form-data; boundary=b",
			strings.ReplaceAll(parts, "%KEY%", p.key)},
		"no content type": {"POST", "/fever/?api&items", "", "api_key=" + p.key},
		"without a slash": {"POST", "/fever?api&items", formType, "api_key=" + p.key},
		"as FreshRSS":     {"POST", "/api/fever.php?api&items", formType, "api_key=" + p.key},
		"in capitals":     {"POST", "/fever/?api&items", formType, "api_key=" + strings.ToUpper(p.key)},
		"below it":        {"POST", "/fever/?api=json&items", formType, "api_key=" + p.key},
	} {
		rec := p.Do(c.method, c.path, c.kind, c.body)
		if a := p.decode(p.Do(c.method, c.path, c.kind, c.body).Body.String()); rec.Code != 200 || a.Auth != 1 ||
			a.Items == nil || len(*a.Items) != 3 {
			t.Errorf("%s: %d, %+v", name, rec.Code, a)
		}
	}
}

// TestWrongKey: a wrong key is an answer like others, which says so.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, key := range []string{"", "x", strings.Repeat("0", 32), p.Password, keyOf("b@example.org", p.Password)} {
		rec := p.Do(http.MethodPost, "/fever/?api&items&unread_item_ids", formType,
			"mark=group&as=read&id=0&api_key="+key)
		if got := strings.TrimSpace(rec.Body.String()); rec.Code != 200 || got != `{"api_version":3,"auth":0}` {
			t.Errorf("the key %q answers %d: %s", key, rec.Code, got)
		}
	}
}

// TestSeveralArguments: a call answers all that it asks for, after it has changed what it changes.
func TestSeveralArguments(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Follow("https://one.example/feed", 3)
	a := p.call("&groups&feeds&favicons&links&items&unread_item_ids&saved_item_ids", "")
	if a.Groups == nil || a.Feeds == nil || a.FeedGroups == nil || a.Icons == nil || a.Links == nil || a.Items == nil ||
		a.Unread == nil || a.Saved == nil {
		t.Fatalf("something is missing in %+v", a)
	}
	first := (*a.Items)[0]
	if first.HTML != "The text of item 1." || first.URL != "https://one.example/feed/1" || first.Title != "Item 1" ||
		first.Read != 0 || first.Saved != 0 {
		t.Errorf("an item is %+v", first)
	}
	a = p.call("&items&unread_item_ids", "&mark=item&as=read&id="+strconv.FormatInt(first.ID, 10))
	if (*a.Items)[0].Read != 1 || len(ids(t, a.Unread)) != 2 {
		t.Errorf("an item is %+v after its mark, and unread are %s", (*a.Items)[0], *a.Unread)
	}
	a = p.call("&items&with_ids="+strconv.FormatInt(first.ID, 10)+",x,-1,,"+strconv.FormatInt(first.ID, 10)+",99", "")
	if len(*a.Items) != 1 || (*a.Items)[0].ID != first.ID {
		t.Errorf("items by their ids: %+v", *a.Items)
	}
}

// TestRefresh: the feeds are polled at once, not again too soon, and what else is asked for is answered.
func TestRefresh(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Follow("https://one.example/feed", 3)
	p.Advance(time.Hour)
	for range 100 {
		if a := p.call("&refresh&items", ""); a.Items == nil || len(*a.Items) != 3 {
			t.Fatalf("beside a refresh the items are %+v", a.Items)
		}
	}
	started, _, err := p.Main().Store.Refreshes.List(t.Context(), flow.User, p.Now())
	if err != nil || len(started) != 1 || started[0].Feeds != 1 {
		t.Errorf("started are %+v, %v", started, err)
	}
}

// TestMarkBefore: what arrived at a time or later stays unread; feeds of subfolders are in a folder's group too, as on
// the page.
func TestMarkBefore(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 2, "News")
	g := p.Follow("https://two.example/feed", 4, "News", "Tech")
	h := p.Follow("https://three.example/feed", 8)
	p.Publish(f, 1)
	at := p.Now()
	p.Publish(f, 16)
	left := func(query string) int {
		t.Helper()
		return len(ids(t, p.call("&"+query, "").Unread))
	}
	group := func(title string) string {
		for _, x := range *p.call("&groups", "").Groups {
			if x.Title == title {
				return strconv.Itoa(int(x.ID))
			}
		}
		t.Fatalf("there is no group %q", title)
		return ""
	}
	before := "&before=" + strconv.FormatInt(at.Unix(), 10)
	for _, step := range []struct {
		query string
		want  int
	}{
		{"unread_item_ids", 31},
		{"mark=group&as=read&id=-1" + before + "&unread_item_ids", 31},
		{"mark=group&as=read&id=99" + before + "&unread_item_ids", 31},
		{"mark=group&as=read&id=x" + before + "&unread_item_ids", 31},
		{"mark=feed&as=read&id=99" + before, 31},
		{"mark=feed&as=saved&id=" + f.ID().String() + before, 31},
		{"mark=feed&as=read&id=" + f.ID().String() + before, 28},
		{"mark=group&as=read&id=" + group("News"), 8},
		{"unread_recently_read=1", 28},
		{"unread_recently_read=1", 28},
		{"mark=group&as=read&id=" + group("News / Tech") + before, 24},
		{"mark=group&as=read&id=0" + before, 16},
		{"mark=group&as=read&id=0&before=" + strconv.FormatInt(p.Now().Unix()*1000, 10), 0},
		{"unread_recently_read=1", 16},
	} {
		if n := left(step.query); n != step.want {
			t.Errorf("after %s %d items are unread, want %d", step.query, n, step.want)
		}
	}
	_, _ = g, h
}

// TestItemsOfSome: FreshRSS's feed_ids and group_ids narrow the items.
func TestItemsOfSome(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 60, "News")
	g := p.Follow("https://two.example/feed", 4, "News")
	h := p.Follow("https://three.example/feed", 8)
	p.Publish(g, 1)
	for query, want := range map[string]int{
		"&feed_ids=" + g.ID().String():                          5,
		"&feed_ids=" + g.ID().String() + ", " + h.ID().String(): 13,
		"&feed_ids=" + f.ID().String():                          50,
		"&group_ids=1":                                          8,
		"&group_ids=2":                                          50,
		"&group_ids=1&feed_ids=" + g.ID().String():              13,
		"&feed_ids=":                                            0,
		"&feed_ids=x,99":                                        0,
		"&feed_ids=" + g.ID().String() + "&max_id=9007199254740991":  5,
		"&feed_ids=" + g.ID().String() + "&since_id=900719925474099": 0,
	} {
		list := *p.call("&items"+strings.ReplaceAll(query, " ", "%20"), "").Items
		sorted := slices.IsSortedFunc(list, func(a, b itemOf) int { return int(a.ID - b.ID) })
		if len(list) != want || len(list) > 1 && sorted == strings.Contains(query, "max_id") {
			t.Errorf("%s: %d items, ascending %v, want %d", query, len(list), sorted, want)
		}
	}
}

// TestSavedOutliveTheirFeed: a star of a feed that nobody follows any more is saved and can be read. The list of all
// items has none that is of an unknown feed: Fluent fails over one.
func TestSavedOutliveTheirFeed(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 3)
	p.Follow("https://two.example/feed", 1)
	first := (*p.call("&items", "").Items)[0]
	one := strconv.FormatInt(first.ID, 10)
	p.call("", "&mark=item&as=saved&id="+one)
	if err := p.Main().Subscribe.Leave(t.Context(), flow.User, f.ID()); err != nil {
		t.Fatal(err)
	}
	a := p.call("&items&saved_item_ids&feeds", "")
	if *a.Saved != one || len(*a.Items) != 1 || len(*a.Feeds) != 1 || *a.Total != 1 {
		t.Errorf("saved %s, %d items of %d feeds", *a.Saved, len(*a.Items), len(*a.Feeds))
	}
	a = p.call("&items&with_ids="+one, "")
	if len(*a.Items) != 1 || (*a.Items)[0].HTML != first.HTML || (*a.Items)[0].Saved != 1 || (*a.Items)[0].Read != 1 {
		t.Errorf("the saved item is %+v", *a.Items)
	}
	if a = p.call("", "&mark=item&as=unsaved&id="+one); *a.Saved != "" {
		t.Errorf("saved after it was unsaved: %q", *a.Saved)
	}
}

// TestIcons: feeds with the same icon name one, by a number of 31 bits.
func TestIcons(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	hash := bytes.Repeat([]byte{7}, 32)
	err := blob.New(p.Blobs).Put(t.Context(), store.IconBlobKey(hash), []byte("\x89PNG"),
		blob.Meta{ContentType: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"one", "two", "three", "four"} {
		f := p.Follow("https://"+name+".example/feed", 1)
		switch i {
		case 1, 2:
			p.Patch(f.ID(), func(f *store.FeedRow) { f.IconHash = hash })
		case 3: // the blob is gone
			p.Patch(f.ID(), func(f *store.FeedRow) { f.IconHash = bytes.Repeat([]byte{8}, 32) })
		}
	}
	a := p.call("&feeds&favicons", "")
	want := []int32{0, 2, 2, 4}
	for i, x := range *a.Feeds {
		if x.Icon != want[i] {
			t.Errorf("feed %d has the icon %d, want %d", x.ID, x.Icon, want[i])
		}
	}
	if len(*a.Icons) != 1 || (*a.Icons)[0].ID != 2 || (*a.Icons)[0].Data != "image/png;base64,iVBORw==" {
		t.Errorf("icons are %+v", *a.Icons)
	}
}

// TestAnotherUser: ids of one user's items are nothing to another.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 3)
	one := strconv.FormatInt((*p.call("&items", "").Items)[0].ID, 10)
	p.call("", "&mark=item&as=saved&id="+one)
	other := &program{p.World, keyOf("b@example.org", p.Another("u2", "b@example.org"))}
	for _, query := range []string{
		"&groups&feeds&favicons&items&unread_item_ids&saved_item_ids", "&items&with_ids=" + one, "&items&feed_ids=" +
			f.ID().String(), "&items&group_ids=1",
	} {
		a := other.call(query, "")
		if a.Items != nil && (len(*a.Items) > 0 || *a.Total > 0) || a.Feeds != nil && len(*a.Feeds)+len(*a.FeedGroups)+
			len(*a.Groups) > 0 ||
			a.Unread != nil && *a.Unread+*a.Saved != "" {
			t.Errorf("%s: %+v", query, a)
		}
	}
	for _, change := range []string{
		"&mark=item&as=read&id=" + one, "&mark=item&as=unsaved&id=" + one, "&mark=feed&as=read&id=" + f.ID().String(),
		"&mark=group&as=read&id=0", "&unread_recently_read=1",
	} {
		other.call("", change)
	}
	if a := p.call("&unread_item_ids&saved_item_ids", ""); len(ids(t, a.Unread)) != 3 || *a.Saved != one {
		t.Errorf("unread %s, saved %s", *a.Unread, *a.Saved)
	}
}

// FuzzArguments: whatever the arguments, the answer is one of Fever.
func FuzzArguments(f *testing.F) {
	w := readerapps.New(f, 1)
	w.Follow("https://one.example/feed", 3, "News")
	p := &program{w, keyOf(w.Email, w.Password)}
	for _, s := range []string{
		"items&since_id=", "items&max_id=9007199254740991", "items&with_ids=1,2,,x", "items&feed_ids=1&group_ids=2",
		"mark=item&as=read&id=1",
		"mark=feed&as=read&id=1&before=9223372036854775", "mark=group&as=read&id=-1&before=-9",
		"unread_recently_read=1", "groups&feeds&favicons&links",
		"items&since_id=18446744073709551615", "items&max_id=-1", "mark=group&as=read&id=99999999999999999999",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		p.Advance(time.Second) // within the limit of requests
		r := p.Do(http.MethodPost, "/fever/?api", formType, arguments+"&api_key="+p.key)
		var a answer
		if err := json.Unmarshal(r.Body.Bytes(), &a); err != nil || r.Code != 200 || a.Version != 3 {
			t.Errorf("%q answers %d: %.200s", arguments, r.Code, r.Body.String())
		}
	})
}
