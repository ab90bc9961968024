package miniflux_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

// program is a program that speaks Miniflux's API, and decodes strictly: other members and types are errors.
type program struct {
	*readerapps.World
	token string
}

func newProgram(t testing.TB) *program {
	w := readerapps.New(t, 1)
	return &program{w, w.Password}
}

// The shapes of Miniflux's own Go client, and what it adds for others.
type (
	category struct {
		ID     int64  `json:"id"`
		Title  string `json:"title"`
		User   int64  `json:"user_id"`
		Hidden bool   `json:"hide_globally"`
		Feeds  *int   `json:"feed_count"`
		Unread *int   `json:"total_unread"`
	}
	feedIcon struct {
		Feed     int64  `json:"feed_id"`
		Icon     int64  `json:"icon_id"`
		External string `json:"external_icon_id"`
	}
	feed struct {
		ID                          int64     `json:"id"`
		UserID                      int64     `json:"user_id"`
		FeedURL                     string    `json:"feed_url"`
		SiteURL                     string    `json:"site_url"`
		Title                       string    `json:"title"`
		Description                 string    `json:"description"`
		Language                    string    `json:"language"`
		CheckedAt                   time.Time `json:"checked_at"`
		NextCheckAt                 time.Time `json:"next_check_at"`
		EtagHeader                  string    `json:"etag_header"`
		LastModifiedHeader          string    `json:"last_modified_header"`
		ParsingErrorMsg             string    `json:"parsing_error_message"`
		ParsingErrorCount           int       `json:"parsing_error_count"`
		Disabled                    bool      `json:"disabled"`
		NoMediaPlayer               bool      `json:"no_media_player"`
		IgnoreHTTPCache             bool      `json:"ignore_http_cache"`
		AllowSelfSignedCertificates bool      `json:"allow_self_signed_certificates"`
		FetchViaProxy               bool      `json:"fetch_via_proxy"`
		ScraperRules                string    `json:"scraper_rules"`
		RewriteRules                string    `json:"rewrite_rules"`
		URLRewriteRules             string    `json:"urlrewrite_rules"`
		BlocklistRules              string    `json:"blocklist_rules"`
		KeeplistRules               string    `json:"keeplist_rules"`
		BlockFilterEntryRules       string    `json:"block_filter_entry_rules"`
		KeepFilterEntryRules        string    `json:"keep_filter_entry_rules"`
		Crawler                     bool      `json:"crawler"`
		IgnoreEntryUpdates          bool      `json:"ignore_entry_updates"`
		UserAgent                   string    `json:"user_agent"`
		Cookie                      string    `json:"cookie"`
		Username                    string    `json:"username"`
		Password                    string    `json:"password"`
		Category                    *category `json:"category"`
		HideGlobally                bool      `json:"hide_globally"`
		DisableHTTP2                bool      `json:"disable_http2"`
		ProxyURL                    string    `json:"proxy_url"`
		AppriseServiceURLs          string    `json:"apprise_service_urls"`
		WebhookURL                  string    `json:"webhook_url"`
		NtfyEnabled                 bool      `json:"ntfy_enabled"`
		NtfyPriority                int       `json:"ntfy_priority"`
		NtfyTopic                   string    `json:"ntfy_topic"`
		PushoverEnabled             bool      `json:"pushover_enabled"`
		PushoverPriority            int       `json:"pushover_priority"`
		Icon                        *feedIcon `json:"icon"`
	}
	enclosure struct {
		ID       int64  `json:"id"`
		UserID   int64  `json:"user_id"`
		EntryID  int64  `json:"entry_id"`
		URL      string `json:"url"`
		MimeType string `json:"mime_type"`
		Size     int    `json:"size"`
		Progress int64  `json:"media_progression"`
	}
	entry struct {
		ID          int64       `json:"id"`
		Date        time.Time   `json:"published_at"`
		ChangedAt   time.Time   `json:"changed_at"`
		CreatedAt   time.Time   `json:"created_at"`
		Feed        *feed       `json:"feed"`
		Hash        string      `json:"hash"`
		URL         string      `json:"url"`
		CommentsURL string      `json:"comments_url"`
		Title       string      `json:"title"`
		Status      string      `json:"status"`
		Content     string      `json:"content"`
		Language    string      `json:"language"`
		Author      string      `json:"author"`
		ShareCode   string      `json:"share_code"`
		Enclosures  []enclosure `json:"enclosures"`
		Tags        []string    `json:"tags"`
		ReadingTime int         `json:"reading_time"`
		UserID      int64       `json:"user_id"`
		FeedID      int64       `json:"feed_id"`
		Starred     bool        `json:"starred"`
	}
	entries struct {
		Total   int     `json:"total"`
		Entries []entry `json:"entries"`
	}
	counters struct {
		Reads   map[int64]int `json:"reads"`
		Unreads map[int64]int `json:"unreads"`
	}
	failure struct {
		Message string `json:"error_message"`
	}
)

// call makes a request and decodes the answer; into may be nil.
func (p *program) call(method, path, body string, into any) int {
	p.T.Helper()
	rec := p.Do(method, "/v1/"+path, "application/json", body, "X-Auth-Token", p.token)
	if into != nil {
		d := json.NewDecoder(bytes.NewReader(rec.Body.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			p.T.Fatalf("%s %s answers %d: %v in %.300s", method, path, rec.Code, err, rec.Body.String())
		}
	}
	return rec.Code
}

// want is call that checks the status.
func (p *program) want(status int, method, path, body string, into any) {
	p.T.Helper()
	if got := p.call(method, path, body, into); got != status {
		p.T.Fatalf("%s %s answers %d, want %d", method, path, got, status)
	}
}

// list is want for a list of entries.
func (p *program) list(query string) (out entries) {
	p.T.Helper()
	p.want(http.StatusOK, "GET", query, "", &out)
	for _, e := range out.Entries {
		if e.ID <= 0 || e.ID >= 1<<53 || e.Feed == nil || e.Feed.ID != e.FeedID || e.Feed.Category == nil ||
			e.Feed.Category.ID <= 0 || e.Enclosures == nil ||
			e.Tags == nil || e.Status != "read" && e.Status != "unread" || e.Date.After(e.CreatedAt) ||
			e.ChangedAt.Before(e.CreatedAt) {
			p.T.Fatalf("an entry of %s is %+v", query, e)
		}
	}
	return out
}

func idsOf(list []entry) []int64 {
	out := make([]int64, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

// TestNewsboat: what newsboat's source sends, with basic authentication.
func TestNewsboat(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 30, "News")
	p.Follow("https://two.example/feed", 2)
	var me struct {
		Username string `json:"username"`
	}
	r := p.Do("GET", "/v1/me", "", "", "Authorization", basic(p.Email, p.Password))
	if err := json.Unmarshal(r.Body.Bytes(), &me); err != nil || r.Code != http.StatusOK || me.Username != p.Email {
		t.Fatalf("%d: %s", r.Code, r.Body.String())
	}
	var categories []category
	p.want(http.StatusOK, "GET", "categories", "", &categories)
	names := map[int64]string{}
	for _, c := range categories {
		names[c.ID] = c.Title
	}
	var feeds []feed
	p.want(http.StatusOK, "GET", "feeds", "", &feeds)
	if len(feeds) != 2 || names[feeds[0].Category.ID] != "News" || names[feeds[1].Category.ID] != "Uncategorized" ||
		feeds[0].FeedURL != f.URL {
		t.Fatalf("feeds %+v in %v", feeds, names)
	}
	list := p.list("feeds/1/entries?order=published_at&direction=desc&limit=20")
	if list.Total != 30 || len(list.Entries) != 20 || list.Entries[0].Title != "Item 30" ||
		list.Entries[0].Content != "The text of item 30." {
		t.Fatalf("%d of %d entries, the first %+v", len(list.Entries), list.Total, list.Entries[0])
	}
	one := list.Entries[3]
	p.want(http.StatusNoContent, "PUT", "entries", fmt.Sprintf(`{"entry_ids":[%d],"status":"read"}`, one.ID), nil)
	path := fmt.Sprintf("entries/%d", one.ID)
	for range 2 {
		var e entry
		p.want(http.StatusOK, "GET", path, "", &e)
		if !e.Starred { // newsboat asks before it toggles
			p.want(http.StatusNoContent, "PUT", path+"/bookmark", "", nil)
		}
		if starred := p.list("entries?starred=true"); starred.Total != 1 || starred.Entries[0].ID != one.ID ||
			starred.Entries[0].Status != "read" {
			t.Errorf("starred are %+v", starred)
		}
	}
	var saved failure
	p.want(http.StatusBadRequest, "POST", path+"/save", `""`, &saved)
	if saved.Message != "no third-party integration enabled" {
		t.Error(saved.Message)
	}
}

func basic(name, password string) string {
	r, _ := http.NewRequest("GET", "/", http.NoBody)
	r.SetBasicAuth(name, password)
	return r.Header.Get("Authorization")
}

// TestPythonClient: the calls of Miniflux's Python client with the statuses that it takes for success.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Web.Site("https://new.example/feed", 3)
	p.Follow("https://one.example/feed", 4, "News")
	one := p.list("entries?order=id").Entries[0].ID
	var made category
	p.want(http.StatusCreated, "POST", "categories", `{"title": "Fun"}`, &made)
	var feed struct {
		ID int64 `json:"feed_id"`
	}
	p.want(http.StatusCreated, "POST", "feeds",
		fmt.Sprintf(`{"feed_url": "https://new.example/feed", "category_id": %d, "crawler": false}`, made.ID), &feed)
	p.Advance(4 * time.Minute)
	for _, c := range []struct {
		method, path, body string
		status             int
		answer             string // a part of it
	}{
		{"GET", "me", "", 200, `"username":"a@example.org"`},
		{"GET", "version", "", 200, `"version":"2.`},
		{"GET", "export", "", 200, `xmlUrl="https://new.example/feed"`},
		{"POST", "import",
			`<opml version="2.0"><body><outline text="x" xmlUrl="https://imported.example/feed"/></body></opml>`, 201,
			`{"message":"Feeds imported successfully"}`},
		{"POST", "import", `nonsense`, 400, `{"error_message":"`},
		{"POST", "discover", `{"url": "https://new.example/feed"}`, 200,
			`[{"title":"Feed of new.example","url":"https://new.example/feed","type":"rss"}]`},
		{"POST", "discover", `{"url": "https://nothing.example/"}`, 400, `{"error_message":"`},
		{"POST", "feeds", `{"feed_url": "https://new.example/feed", "category_id": null}`, 400,
			`{"error_message":"This feed already exists."}`},
		{"POST", "feeds", `{"feed_url": "https://new.example/feed", "category_id": 77}`, 400,
			`{"error_message":"This category does not exist or does not belong to this user."}`},
		{"POST", "feeds", `{"feed_url": ""}`, 400, `{"error_message":"The URL and the category are mandatory."}`},
		{"GET", "feeds/2", "", 200, `"category":{"id":3,"title":"Fun","user_id":1,"hide_globally":false}`},
		{"GET", "feeds/counters", "", 200, `{"reads":{},"unreads":{"1":4,"2":3}}`},
		{"PUT", "feeds/2", `{"title": "Renamed", "category_id": 2, "hide_globally": true, "crawler": true}`, 201,
			`"title":"Renamed"`},
		{"GET", "feeds/2", "", 200, `"category":{"id":2,"title":"News","user_id":1,"hide_globally":false}`},
		{"GET", "feeds/2", "", 200, `"hide_globally":true`},
		{"GET", "feeds/2", "", 200, `"crawler":true`},
		{"PUT", "feeds/2", `{"title": "Renamed", "hide_globally": false, "disabled": false}`, 201,
			`"hide_globally":false`},
		{"PUT", "feeds/2", `{"category_id": 1}`, 201, `"title":"Uncategorized"`},
		{"PUT", "feeds/2", `{"category_id": 78}`, 400, `does not exist`},
		{"PUT", "feeds/2", `{"title": ""}`, 400, `The feed title cannot be empty.`},
		{"PUT", "feeds/refresh", "", 204, ""},
		{"PUT", "feeds/1/refresh", "", 204, ""},
		{"PUT", "categories/2/refresh", "", 204, ""},
		{"PUT", "categories/1/refresh", "", 204, ""},
		{"GET", "categories/2/feeds", "", 200, `"feed_url":"https://one.example/feed"`},
		{"PUT", "categories/3", `{"id": 3, "title": "Joy"}`, 201,
			`{"id":3,"title":"Joy","user_id":1,"hide_globally":false}`},
		{"PUT", "categories/3", `{"id": 3, "title": "News"}`, 400, `{"error_message":"This category already exists."}`},
		{"POST", "categories", `{"title": "News"}`, 400, `{"error_message":"This category already exists."}`},
		{"POST", "categories", `{"title": " "}`, 400, `{"error_message":"The title is mandatory."}`},
		{"DELETE", "categories/3", "", 204, ""},
		{"DELETE", "categories/3", "", 404, `{"error_message":"resource not found"}`},
		{"GET", fmt.Sprintf("entries/%d", one), "", 200, `"status":"unread"`},
		{"GET", fmt.Sprintf("feeds/1/entries/%d", one), "", 200, `"status":"unread"`},
		{"GET", fmt.Sprintf("feeds/2/entries/%d", one), "", 404, ""},
		{"GET", fmt.Sprintf("categories/2/entries/%d", one), "", 200, `"status":"unread"`},
		{"GET", fmt.Sprintf("categories/1/entries/%d", one), "", 404, ""},
		{"PUT", fmt.Sprintf("entries/%d", one), `{"title": "x"}`, 403, `{"error_message":"access forbidden"}`},
		{"GET", "integrations/status", "", 200, `{"has_integrations":false}`},
		{"GET", "api-keys", "", 200, `[]`},
		{"POST", "api-keys", `{"description": "x"}`, 403, ""},
		{"GET", "users", "", 403, ""},
		{"GET", "users/1", "", 403, ""},
		{"PUT", "users/2/mark-all-as-read", "", 403, ""},
		{"PUT", "users/x/mark-all-as-read", "", 400, ""},
		{"DELETE", "flush-history", "", 202, ""},
		{"GET", "entries?limit=1", "", 200, `"total":7,`},
		{"PUT", "feeds/2/mark-all-as-read", "", 204, ""},
		{"GET", "entries?status=unread", "", 200, `"total":4,`},
		{"PUT", "categories/2/mark-all-as-read", "", 204, ""},
		{"GET", "entries?status=unread", "", 200, `{"total":0,"entries":[]}`},
		{"PUT", "entries", fmt.Sprintf(`{"entry_ids": [%d, 5, -1, 9007199254740993], "status": "unread"}`, one), 204,
			""},
		{"GET", "entries/ids?status=unread", "", 200, fmt.Sprintf(`{"total":1,"entry_ids":[%d]}`, one)},
		{"PUT", "users/1/mark-all-as-read", "", 204, ""},
		{"GET", "entries/ids?status=unread", "", 200, `{"total":0,"entry_ids":[]}`},
		{"PUT", "entries", fmt.Sprintf(`{"entry_ids": [%d], "starred": true}`, one), 204, ""},
		{"PUT", "entries", fmt.Sprintf(`{"entry_ids": [%d], "starred": true}`, one), 204, ""},
		{"GET", "entries/ids?starred=true", "", 200, fmt.Sprintf(`{"total":1,"entry_ids":[%d]}`, one)},
		{"PUT", fmt.Sprintf("entries/%d/star", one), "", 204, ""},
		{"GET", "entries/ids?starred=true", "", 200, `{"total":0,"entry_ids":[]}`},
		{"GET", fmt.Sprintf("entries/%d/fetch-content", one), "", 404, ""}, // this installation reads no linked pages
		{"DELETE", "feeds/2", "", 204, ""},
		{"DELETE", "feeds/2", "", 404, `{"error_message":"resource not found"}`},
		{"GET", "feeds/2/icon", "", 404, `{"error_message":"resource not found"}`},
		{"GET", "nothing", "", 404, `{"error_message":"resource not found"}`},
	} {
		rec := p.Do(c.method, "/v1/"+c.path, "application/json", c.body, "X-Auth-Token", p.token)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.answer) {
			t.Errorf("%s %s %s answers %d, want %d with %q: %.400s", c.method, c.path, c.body, rec.Code, c.status,
				c.answer, rec.Body.String())
		}
	}
}

// TestBadParameters: what Miniflux refuses is refused in its words, and what it ignores is ignored.
func TestBadParameters(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Follow("https://one.example/feed", 2)
	for path, want := range map[string]string{
		"entries?status=new": `invalid entry status, valid status values are: "read" and ` +
			`"unread"`,
		"entries?status=read&status=removed": `invalid entry status, valid status values are: "read" and ` +
			`"unread"`,
		"entries?order=date": `invalid entry order, valid order values are: "id", ` +
			`"status", "changed_at", "published_at", "created_at", "category_title", "category_id", "title", "author"`,
		"entries?direction=up": `invalid direction, valid direction values are: "asc" or ` +
			`"desc"`,
		"entries?limit=10001":                          "limit value should be <= 10000",
		"entries?category_id=9":                        "invalid category ID",
		"entries?feed_id=9":                            "invalid feed ID",
		"feeds/0/entries":                              "invalid feed ID",
		"feeds/x":                                      "invalid feed ID",
		"categories/-1/entries":                        "invalid category ID",
		"entries/x":                                    "invalid entry ID",
		"entries/0":                                    "invalid entry ID",
		"icons/x":                                      "invalid icon ID",
		"enclosures/0":                                 "invalid enclosure ID",
		"entries/ids?status=new":                       `invalid status parameter, must be "read" or "unread"`,
		"entries/ids?starred=1":                        `invalid starred parameter, must be "true" or "false"`,
		"entries?limit=x&offset=-1":                    "",
		"entries?starred=maybe":                        "",
		"entries?after=x&before_entry_id=x":            "",
		"entries?status=&order=&direction=":            "",
		"entries?category_id=x":                        "",
		"entries?before_entry_id=99999999999999999999": "",
	} {
		var got failure
		rec := p.Do("GET", "/v1/"+path, "", "", "X-Auth-Token", p.token)
		_ = json.Unmarshal(rec.Body.Bytes(), &got)
		if got.Message != want || (rec.Code == 200) != (want == "") || want != "" && rec.Code != 400 {
			t.Errorf("%s answers %d %q, want %q", path, rec.Code, got.Message, want)
		}
	}
	for body, want := range map[string]string{
		`{"entry_ids":[],"status":"read"}`: "the list of entries cannot be empty",
		`{"entry_ids":[1]}`:                "either the status or the starred field must be specified",
		`{"entry_ids":[1],"status":"new"}`: `invalid entry status, valid status values are: "read" and "unread"`,
		`{"entry_ids":["1"],"status":"new"}`: "json: cannot unmarshal string into Go struct field .entry_ids of type " +
			"int64",
		``: "unexpected end of JSON input",
	} {
		var got failure
		p.want(http.StatusBadRequest, "PUT", "entries", body, &got)
		if got.Message != want {
			t.Errorf("%s answers %q, want %q", body, got.Message, want)
		}
	}
	large := `{"entry_ids":[` + strings.Repeat("1,", 1<<20) + `1],"status":"read"}`
	p.want(http.StatusBadRequest, "PUT", "entries", large, nil)
}

// TestArrivals: where others write as well, what arrived is in every list and counted from the same moment on, and not
// marked read before with a mark of everything.
func TestArrivals(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Web.Site("https://one.example/feed", 3)
	p.Add("https://one.example/feed", subscribe.Options{})
	unread := ""
	for _, want := range []int{0, 3} {
		for _, path := range []string{"entries/ids?status=unread", "entries?status=unread", "entries?order=id",
			"feeds/1/entries", "categories/1/entries?direction=desc"} {
			var got struct{ Total int }
			rec := p.Do("GET", "/v1/"+path, "", "", "X-Auth-Token", p.token)
			if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || got.Total != want {
				t.Errorf("%s has %d, want %d", path, got.Total, want)
			}
		}
		rec := p.Do("GET", "/v1/feeds/counters", "", "", "X-Auth-Token", p.token)
		if got := rec.Body.String(); got != `{"reads":{},"unreads":{`+unread+"}}\n" {
			t.Errorf("%d are listed, and the counters are %s", want, got)
		}
		mark := []string{"users/1/mark-all-as-read", "feeds/1/mark-all-as-read"}[want/3]
		p.want(http.StatusNoContent, "PUT", mark, "", nil)
		p.Advance(4 * time.Minute)
		unread = `"1":3`
	}
	rec := p.Do("GET", "/v1/feeds/counters", "", "", "X-Auth-Token", p.token)
	if got := rec.Body.String(); got != `{"reads":{"1":3},"unreads":{}}`+"\n" {
		t.Errorf("after a mark the counters are %s", got)
	}
}

// TestIdentity: a token or address and password, else 401 with Miniflux's answer.
func TestIdentity(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	whole, err := p.Auth.NewToken(t.Context(), flow.User, "a token", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"token":               {[]string{"X-Auth-Token", p.Password}, 200},
		"basic":               {[]string{"Authorization", basic(p.Email, p.Password)}, 200},
		"nothing":             {nil, 401},
		"a wrong token":       {[]string{"X-Auth-Token", "ruri-aaaaa-aaaaa-aaaaa-aaaaa"}, 401},
		"a token for the API": {[]string{"X-Auth-Token", whole}, 401},
		"a wrong password":    {[]string{"Authorization", basic(p.Email, "x")}, 401},
		"a wrong address":     {[]string{"Authorization", basic("b@example.org", p.Password)}, 401},
		"no password":         {[]string{"Authorization", basic(p.Email, "")}, 401},
		"a wrong scheme":      {[]string{"Authorization", "Bearer " + p.Password}, 401},
	} {
		rec := p.Do("GET", "/v1/me", "", "", c.header...)
		if rec.Code != c.status || c.status == 401 &&
			strings.TrimSpace(rec.Body.String()) != `{"error_message":"access unauthorized"}` {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body.String())
		}
	}
	if rec := p.Do("GET", "/healthcheck", "", ""); rec.Code != http.StatusOK || rec.Body.String() != "OK" {
		t.Errorf("/healthcheck answers %d %s", rec.Code, rec.Body.String())
	}
}

// TestFolders: folders in folders are categories side by side, a feed is in one, and a category that goes takes nothing
// along.
func TestFolders(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.Follow("https://one.example/feed", 1, "News")
	g := p.Follow("https://two.example/feed", 2, "News", "Tech")
	p.Follow("https://three.example/feed", 4)
	titles := func() (out []string) {
		var list []category
		p.want(http.StatusOK, "GET", "categories?counts=true", "", &list)
		for _, c := range list {
			n := p.list(fmt.Sprintf("categories/%d/entries", c.ID)).Total
			if n != p.list(fmt.Sprintf("entries?category_id=%d&status=unread", c.ID)).Total || n != *c.Unread {
				t.Errorf("category %q has %d entries and counts %d", c.Title, n, *c.Unread)
			}
			out = append(out, fmt.Sprintf("%s %d:%d", c.Title, *c.Feeds, n))
		}
		return out
	}
	check := func(want ...string) {
		t.Helper()
		if got := titles(); !slices.Equal(got, want) {
			t.Errorf("categories are %q, want %q", got, want)
		}
	}
	check("Uncategorized 1:4", "News 1:1", "News / Tech 1:2")
	p.want(http.StatusCreated, "PUT", "categories/3", `{"title":"News / Tech"}`, nil)
	p.want(http.StatusCreated, "PUT", "categories/3", `{"title":"News / Science"}`, nil)
	check("Uncategorized 1:4", "News 1:1", "News / Science 1:2")
	p.want(http.StatusBadRequest, "PUT", "categories/1", `{"title":"x"}`, nil)
	p.want(http.StatusBadRequest, "DELETE", "categories/1", "", nil)
	p.want(http.StatusNoContent, "PUT", "categories/2/mark-all-as-read", "", nil)
	if n := p.list("entries?status=unread").Total; n != 6 {
		t.Errorf("%d entries are unread after the mark of a category with another below it", n)
	}
	p.want(http.StatusNoContent, "DELETE", "categories/2", "", nil)
	var list []feed
	p.want(http.StatusOK, "GET", "categories/3/feeds", "", &list)
	if len(list) != 1 || list[0].ID != int64(g.ID()) || list[0].Category.Title != "Science" {
		t.Errorf("after its parent went a category has %+v", list)
	}
	p.want(http.StatusOK, "GET", "categories/1/feeds", "", &list)
	if len(list) != 2 {
		t.Errorf("%d feeds are without a category", len(list))
	}
	h := p.Follow("https://four.example/feed", 1, "Science", "Deep")
	p.want(http.StatusNoContent, "DELETE", "categories/4", "", nil)
	p.want(http.StatusOK, "GET", "categories/3/feeds", "", &list)
	if len(list) != 2 || list[1].ID != int64(h.ID()) {
		t.Errorf("the feed of a category in another did not move up: %+v", list)
	}
}

// TestStarsOutliveTheirFeed: a star of a feed that nobody follows any more is among the starred entries, and only
// there.
func TestStarsOutliveTheirFeed(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 3)
	one := p.list("entries").Entries[0]
	p.want(http.StatusNoContent, "PUT", fmt.Sprintf("entries/%d/bookmark", one.ID), "", nil)
	p.want(http.StatusNoContent, "DELETE", "feeds/"+f.ID().String(), "", nil)
	starred := p.list("entries?starred=true&order=title&direction=desc")
	if starred.Total != 1 || starred.Entries[0].ID != one.ID || starred.Entries[0].Content != one.Content ||
		starred.Entries[0].Feed.Title != one.Feed.Title {
		t.Errorf("starred are %+v", starred)
	}
	if all := p.list("entries"); all.Total != 0 {
		t.Errorf("%d entries are left", all.Total)
	}
	p.want(http.StatusNoContent, "PUT", fmt.Sprintf("entries/%d/bookmark", one.ID), "", nil)
	if n := p.list("entries?starred=true").Total; n != 0 {
		t.Errorf("%d entries are starred", n)
	}
}

// TestIconsAndEnclosures: icons have numbers, and so have the files of entries, which name their entry.
func TestIconsAndEnclosures(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	hash := bytes.Repeat([]byte{7}, 32)
	err := blob.New(p.Blobs).Put(t.Context(), store.IconBlobKey(hash), []byte("\x89PNG"),
		blob.Meta{ContentType: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	p.Follow("https://none.example/feed", 1)
	f := p.rich("https://rich.example/feed", 3)
	p.Patch(f.ID(), func(f *store.FeedRow) { f.IconHash = hash })
	var x feed
	p.want(http.StatusOK, "GET", "feeds/"+f.ID().String(), "", &x)
	var icon struct {
		ID   int64  `json:"id"`
		Type string `json:"mime_type"`
		Data string `json:"data"`
	}
	for _, path := range []string{"feeds/" + f.ID().String() + "/icon", fmt.Sprintf("icons/%d", x.Icon.Icon)} {
		p.want(http.StatusOK, "GET", path, "", &icon)
		if icon.ID != x.Icon.Icon || icon.Type != "image/png" || icon.Data != "image/png;base64,iVBORw==" ||
			x.Icon.Feed != x.ID {
			t.Errorf("%s: %+v of %+v", path, icon, x.Icon)
		}
	}
	p.want(http.StatusNotFound, "GET", "feeds/1/icon", "", nil)
	p.want(http.StatusNotFound, "GET", "icons/1", "", nil)

	e := p.list("entries?feed_id=" + f.ID().String() + "&order=title&direction=desc").Entries[0]
	if len(e.Enclosures) != 2 || e.Enclosures[1].URL != "https://rich.example/2.ogg" ||
		e.Enclosures[1].MimeType != "audio/ogg" || e.Enclosures[1].Size != 222 {
		t.Fatalf("enclosures are %+v", e.Enclosures)
	}
	for _, want := range e.Enclosures {
		var got enclosure
		path := fmt.Sprintf("enclosures/%d", want.ID)
		p.want(http.StatusOK, "GET", path, "", &got)
		if got != want || got.EntryID != e.ID {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
		p.want(http.StatusNoContent, "PUT", path, `{"media_progression":12}`, nil)
		p.want(http.StatusBadRequest, "PUT", path, `{"media_progression":-1}`, nil)
	}
	p.want(http.StatusNotFound, "GET", fmt.Sprintf("enclosures/%d", e.Enclosures[1].ID+1), "", nil)
	p.want(http.StatusNotFound, "GET", "enclosures/7", "", nil)
}

// rich follows a feed whose items have authors, tags, files, and odd dates.
func (p *program) rich(url string, n int) *store.FeedRow {
	p.T.Helper()
	s := p.Web.Site(url, 0)
	s.Body = func() string {
		var b strings.Builder
		b.WriteString(
			`<?xml version="1.0"?><rss version="2.0" ` +
				`xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Rich</title><link>` + url + `</link>`)
		for i := range n {
			at := flow.Start.Add(time.Duration(i*i*37%101-70) * time.Hour)
			fmt.Fprintf(&b,
				`<item><guid isPermaLink="false">%s#%d</guid><title>%s %d</title><link>%s/%d</link><dc:creator>%s</dc:creator><category>%s</category><category>All</category>
<pubDate>%s</pubDate><enclosure url="https://rich.example/1.mp3" type="audio/mpeg" length="111"/><enclosure url="https://rich.example/2.ogg" type="audio/ogg" length="222"/>
<description>Text %d</description></item>`, url, i, []string{"alpha", "Beta", "gamma", "Ålpha"}[i%4], i, url, i,
				[]string{"Zoe", "adam", "Mia"}[i%3], []string{"Odd", "even"}[i%2],
				at.Format(time.RFC1123Z), i)
		}
		b.WriteString(`</channel></rss>`)
		return b.String()
	}
	f := p.Add(url, subscribe.Options{Folder: []string{"Rich"}})
	p.Advance(4 * time.Minute)
	return f
}

// TestAnotherUser: ids of one user's entries, feeds and categories are nothing to another.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.rich("https://rich.example/feed", 3)
	one := p.list("entries").Entries[0]
	p.want(http.StatusNoContent, "PUT", fmt.Sprintf("entries/%d/bookmark", one.ID), "", nil)
	before := p.list("entries?order=id")
	other := &program{p.World, p.Another("u2", "b@example.org")}
	for _, path := range []string{
		"GET entries/" + strconv.FormatInt(one.ID, 10), "GET feeds/" + f.ID().String(), "GET feeds/" + f.ID().String() +
			"/icon", "DELETE feeds/" + f.ID().String(),
		"PUT feeds/" + f.ID().String() + "/mark-all-as-read", "PUT feeds/" + f.ID().String() + "/refresh",
		"GET categories/2/feeds", "DELETE categories/2",
		"PUT categories/2/mark-all-as-read", "PUT entries/" + strconv.FormatInt(one.ID, 10) + "/bookmark",
		fmt.Sprintf("GET enclosures/%d", one.Enclosures[0].ID),
		"GET entries/" + strconv.FormatInt(one.ID, 10) + "/fetch-content",
	} {
		method, path, _ := strings.Cut(path, " ")
		other.want(http.StatusNotFound, method, path, "", nil)
	}
	other.want(http.StatusBadRequest, "GET", "feeds/"+f.ID().String()+"/entries", "", nil)
	other.want(http.StatusBadRequest, "GET", "entries?category_id=2", "", nil)
	other.want(http.StatusNoContent, "PUT", "entries",
		fmt.Sprintf(`{"entry_ids":[%d],"status":"read","starred":false}`, one.ID), nil)
	other.want(http.StatusNoContent, "PUT", "users/1/mark-all-as-read", "", nil)
	for _, query := range []string{"entries", "entries?starred=true", "entries?status=unread"} {
		if n := other.list(query).Total; n != 0 {
			t.Errorf("%s has %d entries of another", query, n)
		}
	}
	if after := p.list("entries?order=id"); fmt.Sprint(idsOf(after.Entries), after.Entries[0].Starred,
		after.Entries[0].Status) !=
		fmt.Sprint(idsOf(before.Entries), before.Entries[0].Starred, before.Entries[0].Status) {
		t.Error("another user changed something")
	}
}
