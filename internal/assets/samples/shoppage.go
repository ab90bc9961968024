package samples

import (
	_ "embed"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Robots is the robots.txt of a server with samples.
const Robots = "User-agent: *\nAllow: " + Prefix + "\n"

//go:embed shop/terms.html
var termsPage string

//go:embed shop/demo-shop.json
var demoShop string

// Adapter describes the demo shop at a server's address, in the form of adapters.
func Adapter(base string) []byte {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	there := strings.ReplaceAll(demoShop, "http://127.0.0.1:8080", strings.TrimSuffix(base, "/"))
	return []byte(strings.ReplaceAll(there, `["127.0.0.1"]`, `["`+u.Hostname()+`"]`))
}

// serveShop serves the pages of the shop as they are at a time.
func serveShop(w http.ResponseWriter, r *http.Request, now time.Time) {
	const page = "text/html; charset=utf-8"
	path := strings.TrimPrefix(r.URL.Path, ShopPath)
	id, isItem := strings.CutPrefix(path, "item/")
	picture, isPicture := strings.CutSuffix(id, ".svg")
	switch {
	case path == "":
		q := searchOf(r)
		send(w, r, page, time.Time{}, []byte(listPage(&q, now)))
	case path == "terms":
		send(w, r, page, modified, []byte(termsPage))
	case isItem && isPicture:
		x, ok := thingOf(picture, now)
		if !ok {
			http.NotFound(w, r)
			return
		}
		send(w, r, "image/svg+xml", time.Time{}, []byte(drawing(&x)))
	case isItem:
		x, ok := thingOf(id, now)
		switch {
		case !ok:
			http.NotFound(w, r)
		case x.gone:
			http.Error(w, "This offer was removed. / この商品は削除されました。", http.StatusGone)
		default:
			send(w, r, page, time.Time{}, []byte(itemPage(&x)))
		}
	default:
		http.NotFound(w, r)
	}
}

// frame puts a page together. All texts in it are escaped.
func frame(title, head, main string) string {
	return `<!DOCTYPE html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + html.EscapeString(title) + `</title>
<link rel="stylesheet" href="` + Prefix + `style.css">
<link rel="terms-of-service" href="` + ShopPath + `terms">` + head + `
</head>
<body>
<header><p><a href="` + ShopPath + `">瑠璃市 / Ruri Market</a></p></header>
<main>
` + main + `
</main>
<footer><p>This shop is made up: nothing is for sale. / 架空のお店です。<a href="` + ShopPath +
		`terms">利用規約 / Terms</a></p></footer>
</body>
</html>
`
}

var categories = []struct{ name, title string }{
	{"kitchen", "台所 / Kitchen"},
	{"books", "本 / Books"},
	{"cameras", "カメラ / Cameras"},
	{"stationery", "文具 / Stationery"},
	{"garden", "庭 / Garden"},
	{"music", "音楽 / Music"},
}

func listPage(q *search, now time.Time) string {
	var fitting []thing
	for _, x := range things(now) {
		if q.fits(&x) {
			fitting = append(fitting, x)
		}
	}
	from := min((q.page-1)*perPage, len(fitting))
	to := min(from+perPage, len(fitting))
	var head, b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<nav><ul class=\"categories\">\n", html.EscapeString(title(q)))
	for _, c := range categories {
		fmt.Fprintf(&b, `<li><a href="%s?category=%s">%s</a></li>`+"\n", ShopPath, c.name, c.title)
	}
	b.WriteString("</ul></nav>\n")
	if len(fitting) == 0 {
		b.WriteString("<p class=\"no-results\">見つかりませんでした。 / Nothing was found.</p>\n")
		return frame(title(q), "", b.String())
	}
	fmt.Fprintf(&b, "<p class=\"count\">%d–%d / %d</p>\n<ul class=\"things\">\n", from+1, to, len(fitting))
	for _, x := range fitting[from:to] {
		b.WriteString(x.card())
	}
	b.WriteString("</ul>\n")
	if to < len(fitting) {
		next := html.EscapeString(q.address(q.page + 1))
		fmt.Fprintf(&head, "\n"+`<link rel="next" href="%s">`, next)
		fmt.Fprintf(&b, `<p class="pages"><a rel="next" href="%s">次へ / Next</a></p>`+"\n", next)
	}
	return frame(title(q), head.String(), b.String())
}

func title(q *search) string {
	name := "瑠璃市 / Ruri Market"
	for _, c := range categories {
		if c.name == q.category {
			name = c.title
		}
	}
	if q.words != "" {
		name = q.words + " – " + name
	}
	return name
}

func (x *thing) card() string {
	return fmt.Sprintf(
		`<li class="thing"><a href="%sitem/%s"><img src="%[1]sitem/%[2]s.svg" alt="" width="96" height="96"><h3>%[3]s</h3></a>
<p><span class="price">%s</span>%s %s <time datetime="%s">%s</time></p></li>
`, ShopPath, x.id, html.EscapeString(x.title()), yen(x.price), x.badge(), x.by(), x.since.Format(time.RFC3339),
		x.since.Format(time.DateOnly))
}

func (x *thing) badge() string {
	if x.soldAt.IsZero() {
		return ""
	}
	return ` <span class="badge">SOLD</span>`
}

// by names the seller, and says whether it is a person or a shop.
func (x *thing) by() string {
	kind := "個人"
	if x.isShop {
		kind = "ショップ"
	}
	return fmt.Sprintf(`<span class="seller">%s</span> <span class="kind">%s</span>`, html.EscapeString(x.seller), kind)
}

func itemPage(x *thing) string {
	state := `<p class="state">販売中 / On sale</p>`
	if !x.soldAt.IsZero() {
		state = fmt.Sprintf(`<p class="state">SOLD</p><p class="sold">売れた日 / Sold: <time datetime="%s">%s</time></p>`,
			x.soldAt.Format(time.RFC3339), x.soldAt.Format(time.DateOnly))
	}
	return frame(x.title(), "", fmt.Sprintf(`<h1>%s</h1>
<p><img src="%sitem/%s.svg" alt="" width="240" height="240"></p>
<p class="price">%s</p>
%s
<p>%s</p>
<p>出品日 / Offered: <time datetime="%s">%s</time></p>`,
		html.EscapeString(x.title()), ShopPath, x.id, yen(x.price), state, x.by(), x.since.Format(time.RFC3339),
		x.since.Format(time.DateOnly)))
}

// drawing is the picture of a thing: its first character on a colour.
func drawing(x *thing) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" `+
		`fill="hsl(%d 45%% 45%%)"/>`+
		`<text x="48" y="64" font-size="48" text-anchor="middle" fill="#fff">%s</text></svg>`, x.ware.price*7%360,
		html.EscapeString(string([]rune(x.ja)[:1])))
}
