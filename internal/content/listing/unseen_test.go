package listing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// unseen is a page that the detection was not made for.
type unseen struct {
	name, contentType string
	body              []byte
	URL, Charset      string
	Rows              []unseenRow
}

type unseenRow struct {
	Link, Title, Currency, Date, Status, Image string
	Price                                      *int64
}

func unseenPages(t testing.TB) []unseen {
	t.Helper()
	files, err := filepath.Glob("testdata/unseen/*.json")
	if err != nil || len(files) != 20 {
		t.Fatal(len(files), err)
	}
	var out []unseen
	for _, f := range files {
		var u unseen
		corpus.ReadJSON(t, f, &u)
		u.name = strings.TrimSuffix(filepath.Base(f), ".json")
		u.contentType = "text/html"
		if u.body, err = os.ReadFile(strings.TrimSuffix(f, ".json") + ".html"); err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
	}
	return out
}

// tally counts what is expected, what of it is found, and what else is found.
type tally struct{ want, hit, got int }

func (s *tally) add(o tally) { s.want += o.want; s.hit += o.hit; s.got += o.got }

func (s tally) recall() float64    { return ratio(s.hit, s.want) }
func (s tally) precision() float64 { return ratio(s.hit, s.got) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// compareLinks compares sets of links.
func compareLinks(want, got []string) tally {
	wanted := map[string]bool{}
	for _, l := range want {
		wanted[l] = true
	}
	t := tally{want: len(wanted), got: len(got)}
	for _, l := range got {
		if wanted[l] {
			t.hit++
			delete(wanted, l)
		}
	}
	return t
}

func linksOf(p *Page) []string {
	var out []string
	for i := range p.Rows {
		if p.Rows[i].Link != "" {
			out = append(out, p.Rows[i].Link)
		}
	}
	return out
}

// detected returns the first candidate.
// detections are those of pages that several tests look at.
var detections sync.Map

func detected(t *testing.T, name string, body []byte, contentType, url string) (*Detection, *Page) {
	t.Helper()
	type key struct{ url, body string }
	once, _ := detections.LoadOrStore(key{url, string(body)}, sync.OnceValues(func() (*Detection, error) {
		return Detect(context.Background(), body, contentType, url)
	}))
	d, err := once.(func() (*Detection, error))()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return &Detection{}, &Page{}
	}
	if len(d.Candidates) == 0 {
		return d, &Page{}
	}
	return d, d.Candidates[0].Page
}

func sourceOf(d *Detection) string {
	if len(d.Candidates) == 0 {
		return "none " + d.Problem
	}
	c := &d.Candidates[0]
	if os.Getenv("RURI_LAYOUTS") == "" {
		return c.Source
	}
	l, _ := json.Marshal(c.Layout)
	return c.Source + " " + string(l)
}

func TestDetectCorpus(t *testing.T) {
	t.Parallel()
	var all tally
	for _, k := range knownPages(t) {
		d, p := detected(t, k.Page, k.body, k.ContentType, k.URL)
		_, links := k.expected()
		var want []string
		for _, l := range links {
			if l != "" {
				want = append(want, l)
			}
		}
		s := compareLinks(want, linksOf(p))
		all.add(s)
		t.Logf("%-38s %3d wanted %3d found %3d right  %s", k.Page, s.want, s.got, s.hit, sourceOf(d))
		if k.Next != nil && p.Next != *k.Next {
			t.Errorf("%s: next page %q, want %q", k.Page, p.Next, *k.Next)
		}
		if k.Page == "authored__market-shell.html" && d.Problem != ProblemRendered {
			t.Errorf("%s: problem %q", k.Page, d.Problem)
		}
		if k.Page == "html2rss__multilang_site.html" && len(p.Rows) != k.Count { // its rows have no links
			t.Errorf("%s: %d rows, want %d", k.Page, len(p.Rows), k.Count)
		}
	}
	check(t, "links", all, 0.95, 0.95)
}

func check(t *testing.T, name string, s tally, recall, precision float64) {
	t.Helper()
	t.Logf("%-8s %.1f %% of %d found, %.1f %% right", name, 100*s.recall(), s.want, 100*s.precision())
	if s.recall() < recall || s.precision() < precision {
		t.Errorf("%s: %.3f found and %.3f right, at least %.3f and %.3f", name, s.recall(), s.precision(),
			recall, precision)
	}
}

func TestDetectUnseen(t *testing.T) {
	t.Parallel()
	total := map[string]*tally{}
	fields := []string{"links", "titles", "prices", "statuses", "dates", "images"}
	for _, f := range fields {
		total[f] = &tally{}
	}
	for _, u := range unseenPages(t) {
		d, p := detected(t, u.name, u.body, u.contentType, u.URL)
		scores := u.score(t, p)
		line := fmt.Sprintf("%-26s", u.name)
		for _, f := range fields {
			s := scores[f]
			total[f].add(*s)
			line += fmt.Sprintf(" %s %d/%d/%d", f, s.hit, s.got, s.want)
		}
		t.Log(line, sourceOf(d))
	}
	for f, floor := range map[string]float64{"links": 0.98, "titles": 0.98, "prices": 0.98, "statuses": 0.98,
		"dates": 0.98, "images": 0.98} {
		check(t, f, *total[f], floor, floor)
	}
}

// score compares the rows of a page by their links.
func (u *unseen) score(t *testing.T, p *Page) map[string]*tally {
	want := map[string]*unseenRow{}
	var links []string
	for i := range u.Rows {
		want[u.Rows[i].Link] = &u.Rows[i]
		links = append(links, u.Rows[i].Link)
	}
	l := compareLinks(links, linksOf(p))
	out := map[string]*tally{"links": &l}
	count := func(name, row, want, got string) {
		s := out[name]
		if s == nil {
			s = &tally{}
			out[name] = s
		}
		if want != "" {
			s.want++
		}
		if got != "" {
			s.got++
		}
		if want == got && want != "" {
			s.hit++
		}
		if want != got && os.Getenv("RURI_LAYOUTS") != "" {
			t.Logf("%s %s: %s %q, want %q", u.name, row, name, got, want)
		}
	}
	for _, f := range []string{"titles", "prices", "statuses", "dates", "images"} {
		out[f] = &tally{}
	}
	found := map[string]bool{}
	for i := range p.Rows {
		r := &p.Rows[i]
		w := want[r.Link]
		if w == nil || found[r.Link] {
			continue
		}
		found[r.Link] = true
		count("titles", r.Link, oneLine(w.Title), r.Title)
		count("prices", r.Link, w.price(), priceString(r.Price))
		count("statuses", r.Link, w.Status, [...]string{"", "onSale", "sold"}[r.Status])
		count("dates", r.Link, w.Date, dateLike(r, w.Date))
		count("images", r.Link, w.Image, r.Image)
	}
	for link, w := range want {
		if !found[link] {
			count("titles", link, w.Title, "")
			count("prices", link, w.price(), "")
			count("statuses", link, w.Status, "")
			count("dates", link, w.Date, "")
			count("images", link, w.Image, "")
		}
	}
	return out
}

func (w *unseenRow) price() string {
	if w.Price == nil {
		return ""
	}
	return fmt.Sprint(*w.Price, w.Currency)
}

func priceString(p *Price) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(p.Amount, p.Currency)
}

// dateLike writes the date of a row as precisely as the expected one.
func dateLike(r *Row, want string) string {
	if r.Date.IsZero() {
		return ""
	}
	at, err := parseRFC3339(want)
	if err == nil && at.Equal(r.Date) {
		return want
	}
	if len(want) == len("2006-01-02") || want == "" {
		return r.Date.Format("2006-01-02")
	}
	return r.Date.Format("2006-01-02T15:04:05Z07:00")
}

// What Detect proposes is what Read then reads.
func TestDetectedLayoutsReadTheSame(t *testing.T) {
	t.Parallel()
	n := 0
	for _, u := range unseenPages(t) {
		n += sameWithRead(t, u.name, u.body, u.contentType, u.URL)
	}
	if n < 20 {
		t.Errorf("only %d candidates", n)
	}
	for name, page := range hostilePages() {
		if len(page) < 1<<20 {
			sameWithRead(t, name, []byte(page), "text/html", "https://a.example/list")
		}
	}
}

func sameWithRead(t testing.TB, name string, body []byte, contentType, url string) int {
	t.Helper()
	d, err := Detect(t.Context(), body, contentType, url)
	if err != nil {
		return 0
	}
	for _, c := range d.Candidates {
		text, err := json.Marshal(c.Layout)
		if err != nil {
			t.Fatal(err)
		}
		var l Layout
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%s: %s: %v", name, text, err)
		}
		if err := l.Check(); err != nil {
			t.Fatalf("%s: %s: %v", name, text, err)
		}
		p, err := Read(t.Context(), body, contentType, url, &l)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, text, err)
		}
		if !reflect.DeepEqual(p, c.Page) {
			t.Errorf("%s: %s reads other rows than were proposed", name, text)
		}
	}
	return len(d.Candidates)
}

// The pages in old charsets are read the same when a header names them, when a meta element does, and when nothing
// does.
func TestCharsets(t *testing.T) {
	t.Parallel()
	const page = `<html><head>%s<title>一覧</title></head><body><ul><li><a href="/1">表示ソ能の件名です</a></li><li><a ` +
		`href="/2">次の件名「お知らせ」</a></li></ul></body></html>`
	for name, enc := range map[string]interface {
		Bytes([]byte) ([]byte, error)
	}{"shift_jis": japanese.ShiftJIS.NewEncoder(), "euc-jp": japanese.EUCJP.NewEncoder()} {
		for _, how := range []string{"header", "meta", "nothing"} {
			head, contentType := "", "text/html"
			switch how {
			case "header":
				contentType += "; charset=" + name
			case "meta":
				head = `<meta charset="` + name + `">`
			}
			body, err := enc.Bytes(fmt.Appendf(nil, page, head))
			if err != nil {
				t.Fatal(err)
			}
			p, err := Read(t.Context(), body, contentType, "https://a.example/", &Layout{Rows: Rows{Selector: "li"}})
			if err != nil || len(p.Rows) != 2 || p.Rows[0].Title != "表示ソ能の件名です" || p.Lang != "ja" {
				t.Errorf("%s by %s: %v %+v", name, how, err, p)
			}
			if !bytes.Contains(body, []byte("li")) {
				t.Error("the page is not encoded")
			}
		}
	}
}

func parseRFC3339(s string) (time.Time, error) { return time.Parse(time.RFC3339, s) }
