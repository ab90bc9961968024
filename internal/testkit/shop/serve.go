package shop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/japanese"
)

// Fault is something that goes wrong on demand.
type Fault uint8

// The faults. Those of pages of the list may begin at a later page.
const (
	EmptyPage    Fault = iota + 1 // without rows, and without saying why
	HalfPage                      // cut off within the rows
	ChangedClass                  // rows have another class
	Captcha                       // with status 200
	ShiftJIS                      // another encoding
	ServerError                   // status 500
	Timeout                       // no answer until the client gives up
	Shifting                      // after each page of the list, the order changes
	Duplicates                    // each row twice, the second with a higher price
	Dollars                       // another currency
	Disallow                      // robots.txt disallows the list from now on
	Forbidden                     // status 403
	NoPrices                      // prices have another class
	OtherKeys                     // other ids and addresses for the same things
)

// Break starts a fault, for pages of the list from a number on.
func (s *Shop) Break(f Fault, fromPage int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[f] = fromPage
}

// Repair ends all faults.
func (s *Shop) Repair() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
}

func (s *Shop) has(f Fault, page int) bool {
	from, ok := s.faults[f]
	return ok && page >= from
}

// ServeHTTP serves /robots.txt, /list?page=N and /item/ID.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	a := s.answer(r)
	s.visits = append(s.visits, Visit{At: s.clock.Now(), Path: r.URL.RequestURI(), Status: a.status,
		HasCookie: r.Header.Get("Cookie") != ""})
	if a.status == 0 {
		s.mu.Unlock()
		<-r.Context().Done()
		s.mu.Lock()
		return
	}
	w.Header().Set("Set-Cookie", "session=1")
	w.Header().Set("Content-Type", a.contentType)
	if a.status == http.StatusOK {
		sum := sha256.Sum256(a.body)
		etag := `"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// answer is a response; status 0 is none.
type answer struct {
	status      int
	contentType string
	body        []byte
}

func (s *Shop) answer(r *http.Request) answer {
	id, isItem := strings.CutPrefix(r.URL.Path, "/item/")
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	switch {
	case r.URL.Path == "/robots.txt":
		return answer{200, "text/plain", []byte(s.robots())}
	case s.has(Timeout, page):
		return answer{}
	case s.has(ServerError, page):
		return answer{500, "text/plain", []byte("out of order")}
	case s.has(Forbidden, page):
		return answer{403, "text/plain", []byte("no")}
	case s.has(Captcha, page):
		return answer{200, "text/html; charset=utf-8",
			[]byte(`<!doctype html><title>Just a moment...</title><form id="challenge-form"><div ` +
				`class="g-recaptcha"></div></form>`)}
	case isItem:
		return s.item(id)
	case r.URL.Path == "/list":
		return s.list(page)
	}
	return answer{404, "text/plain", []byte("no such page")}
}

func (s *Shop) robots() string {
	text := "User-agent: *\nDisallow: /admin\n"
	if s.opt.Delay > 0 {
		text += fmt.Sprintf("Crawl-delay: %d\n", s.opt.Delay)
	}
	if s.has(Disallow, 1) {
		text += "Disallow: /list\nDisallow: /item\n"
	}
	return text
}

// ads stand among the rows of each page.
const ad = `<li class="ad"><a href="https://ads.example/click?c=1"><h3>広告: 今だけ</h3><span ` +
	`class="price">¥1</span></a></li>` + "\n"

func (s *Shop) list(page int) answer {
	all := s.listed()
	rows, hasNext := s.pageOf(page)
	if s.has(EmptyPage, page) {
		rows, hasNext = nil, false
	}
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=ja><head><meta charset=\"" + s.charset() +
		"\"><title>カメラの検索結果</title></head><body><main><ul>\n")
	if len(all) == 0 {
		b.WriteString(`<p class="no-results">見つかりませんでした</p>`)
	}
	for i, t := range rows {
		if i == 2 {
			b.WriteString(ad)
		}
		if s.has(HalfPage, page) && i >= len(rows)/5 {
			return s.page(b.String())
		}
		s.row(&b, t, page, t.Price())
		if s.has(Duplicates, page) {
			s.row(&b, t, page, max(t.Price(), 0)+5000)
		}
	}
	b.WriteString("</ul>\n")
	if hasNext {
		fmt.Fprintf(&b, `<a class="next" href="/list?page=%d">次へ</a>`, page+1)
	}
	if s.has(Shifting, page) {
		s.shifts++
		s.bump(all[(s.shifts*7)%len(all)])
	}
	return s.page(b.String() + "</main></body></html>")
}

func (s *Shop) row(b *strings.Builder, t *Thing, page int, price int64) {
	item, priceClass, id := "item", "price", t.ID
	if s.has(ChangedClass, page) {
		item = "cell"
	}
	if s.has(NoPrices, page) {
		priceClass = "amount"
	}
	if s.has(OtherKeys, page) {
		id = "x" + t.ID
	}
	fmt.Fprintf(b, `<li class="%s"><a href="/item/%s"><img src="%s"><h3>%s</h3></a>`, item, id, t.Image,
		html.EscapeString(t.Title))
	before := ""
	if t.before > 0 {
		before = "<del>" + s.money(t.before) + "</del> "
	}
	fmt.Fprintf(b, `<span class="old" style="display:none">¥1</span><span class="%s">%s%s</span>`, priceClass, before,
		s.money(price))
	if t.Status() == Sold {
		b.WriteString(`<span class="badge">SOLD</span>`)
	}
	kind := "person"
	if t.IsShop {
		kind = "shop"
	}
	fmt.Fprintf(b, `<span class="by" data-type="%s">%s</span></li>`+"\n", kind, t.Seller)
}

func (s *Shop) money(n int64) string {
	switch {
	case n < 0:
		return "応談"
	case s.has(Dollars, 1):
		return fmt.Sprintf("$%d.%02d", n/100, n%100)
	}
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return "¥" + text
}

func (s *Shop) item(id string) answer {
	if s.has(OtherKeys, 1) {
		id = strings.TrimPrefix(id, "x")
	}
	i := slices.IndexFunc(s.things, func(t *Thing) bool { return t.ID == id })
	if i < 0 {
		return answer{404, "text/plain", []byte("no such thing")}
	}
	t := s.things[i]
	if t.Status() == Gone {
		if i%2 == 0 {
			return answer{410, "text/plain", []byte("gone")}
		}
		return s.page("<!doctype html><html lang=ja><meta charset=\"" + s.charset() + "\"><p>この商品は削除されました</p></html>")
	}
	state, soldAt := "販売中", ""
	if t.Status() == Sold {
		state, soldAt = "SOLD", fmt.Sprintf(`<p class="sold"><time datetime="%s">売却日時</time></p>`,
			t.Since().Format(time.RFC3339))
	}
	return s.page(
		fmt.Sprintf(`<!doctype html><html lang=ja><meta charset="%s"><h1>%s</h1><p class="price">%s</p><p `+
			`class="state">%s</p>%s</html>`,
			s.charset(), html.EscapeString(t.Title), s.money(t.Price()), state, soldAt))
}

func (s *Shop) charset() string {
	if s.has(ShiftJIS, 1) {
		return "Shift_JIS"
	}
	return "utf-8"
}

func (s *Shop) page(text string) answer {
	if s.has(ShiftJIS, 1) {
		if sjis, err := japanese.ShiftJIS.NewEncoder().String(strings.ReplaceAll(text, "¥", "￥")); err == nil {
			text = sjis
		}
	}
	return answer{200, "text/html; charset=" + s.charset(), []byte(text)}
}
