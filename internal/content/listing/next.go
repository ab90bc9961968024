package listing

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// readNext finds the next page on the same host: by the layout's selector, rel=next, or a likely link.
func (d *document) readNext(r *reading, p *Page) *Error {
	if r.next == nil {
		p.Next = d.findNext()
		return nil
	}
	found, ok := r.next.find(d.root, maxMatches, d.steps)
	if !ok {
		return tooCostly("next")
	}
	for _, n := range found {
		if u := d.otherPage(linkOf(n)); u != nil {
			p.Next = u.String()
			return nil
		}
	}
	return nil
}

// otherPage returns where a link to another page of the listing leads; nil if it leads elsewhere.
func (d *document) otherPage(ref string) *url.URL {
	ref = strings.TrimSpace(ref)
	if ref == "" || strings.HasPrefix(ref, "#") || d.link(ref) == "" {
		return nil
	}
	u := d.resolve(ref)
	if !strings.EqualFold(u.Hostname(), d.url.Hostname()) {
		return nil
	}
	u.Fragment = ""
	here := *d.url
	here.Fragment = ""
	if u.String() == here.String() {
		return nil
	}
	return u
}

// findNext looks for the link to the next page. It is remembered: each way of reading a page asks for it.
func (d *document) findNext() string {
	if d.next == nil {
		next := d.lookForNext()
		d.next = &next
	}
	return *d.next
}

// Points for what speaks for a link to the next page, and how many it takes.
const (
	pointsWord    = 3 // next page, 次へ
	pointsWeak    = 1 // more, ›
	pointsName    = 1 // a class or an id says so
	pointsCount   = 2 // the address has the next number, or one that this page's lacks
	pointsNumber  = 3 // the link with the number after that of this page
	pointsAmong   = 1 // it is among links to other pages
	pointsElse    = -5
	pointsEnough  = 4
	maxNextLinks  = 2000
	maxLinkText   = 40
	maxOutOfPager = 4 // elements around a link whose names are looked at
)

var (
	nextText = pattern.New(`(?i)^(?:(?:次|つぎ)(?:の?(?:ページ|頁|一覧|[0-9０-９]+ ?\pL{0,4}?))?(?:へ(?:進む|すすむ)?|を?(?:見る|みる|表示(?:する)?))?` +
		`|(?:go to |show |see |view )?(?:the )?next [0-9]+(?: \pL+)?` +
		`|(?:go to |show |see |view )?(?:the )?next(?: (?:search |results? )?(?:page|results?|items?` +
		`|posts?|entries|listings?|products?|jobs?|ads?|offers?|lots?))?(?: page)?` +
		`|ältere (?:anzeigen|beiträge|einträge|artikel|meldungen|inserate)|(?:articles|annonces|billets) (?:plus anciens|suivante?s)` +
		`|entradas (?:antiguas|anteriores)|older(?: (?:posts?|entries|items|jobs?|news|articles|notices))?|weiter|(?:zur )?nächsten?(?: seite)?` +
		`|(?:page )?suivante?|siguientes?|página siguiente|successiv[ao]|(?:pagina )?volgende(?: pagina)?` +
		`|nästa(?: sida)?|næste(?: side)?|neste(?: side)?` +
		`|następn[ay](?: strona)?|próxim[ao]s?(?: página)?|seguinte|seuraava|další|ďalšia|ďalej|dalej|` +
		`következő(?: oldal)?|sonraki(?: sayfa)?|următoarea|sljedeća|επόμενη|avanti|prossim[ao]|pagina seguente|` +
		`tiếp|trang sau|berikutnya|selanjutnya|التالي|הבא|ถัดไป|далее|далі|следующая|наступна|다음(?: ?페이지)?|下一?[页頁]|后页)$`)
	olderText = pattern.New(`(?i)^[` + newer + `]*older (?:posts?|entries|news|articles)`)
	moreText  = pattern.New(`(?i)^(?:more(?: \pL+)?|(?:load|show|see|view) (?:[0-9]+ )?more(?: \w+)?|もっと(?:見る|みる|読み込む` +
		`|表示)|さらに(?:見る|読み込む|表示(?:する)?)|続きを(?:見る|表示)|もっと.{0,8}見る|mehr(?: anzeigen| laden)?|voir plus|charger plus` +
		`|ver más|cargar más|mostra altri|mostra(?:re)? (?:altri|di più)(?: \pL+)?|carica altri(?: \pL+)?|더 ?보기` +
		`|加载更多|查看更多|更多` +
		`|weitere \pL+ (?:anzeigen|laden)|(?:afficher|voir|charger) (?:plus|la suite)(?: d(?:e |['’])\pL+)?|(?:mostrar|ver` +
		`|carregar|cargar) (?:más|mais)(?: \pL+)?|(?:toon|laad|bekijk) meer(?: \pL+)?|meer (?:laden|tonen|bekijken)` +
		`|(?:visa|ladda) fler(?: \pL+)?|(?:vis|indlæs|last inn) flere(?: \pL+)?` +
		`|näytä lisää(?: \pL+)?|(?:pokaż|załaduj) więcej(?: \pL+)?|(?:zobrazit|načíst) další(?: \pL+)?|(?:показать` +
		`|загрузить) ещ[её](?: \pL+)?|daha fazla(?: \pL+)?)$`)
	nextName = pattern.New(`(?i)(?:^|[-_])(?:next|weiter|older|forward|tsugi|infinite|autopager)(?:$|[-_])|(?:Next` +
		`|Older)(?:[A-Z]|$)|^next[A-Z]?`)
	lastName  = pattern.New(`(?i)(?:^|[-_])(?:last|prev(?:ious)?|first|back)(?:$|[-_])`)
	pageText  = pattern.New(`(?i)ページ|[件点個頁页]|page|results?|items|posts|jobs|seite|página|sida|페이지`)
	lastText  = pattern.New(`(?i)^(?:last|最後|最終|末尾|prev|前|first|最初|先頭|zurück|letzte|dernièr|últim)`)
	pagerName = pattern.New(`(?i)pag(?:er|ing|inat)|pages?(?:$|[-_])|pagenav|page-?nav|load-?more|more-?link`)
	// elseName are the parts of a page where "next" is another picture, month or article.
	elseName = pattern.New(`(?i)carousel|slide|slick|swiper|splide|glide|hero|gallery|calendar|month` +
		`|datepicker|tour|wizard|breadcrumb|post-?nav|nav-?links|related|recommend|ranking`)
	elseText = pattern.New(`(?i)slide|image|photo|picture|month|week|year|(?:day|night|hour)s?\b|article|story|スライド|画像` +
		`|翌月|来月|次の?[0-9０-９]*(?:[かヶ]?月|週|日|年|時間)|次の記事|前の`)
	pageWord = pattern.New(`(?i)^(?:p|pg|pn|page|pageno|page_?num(?:ber)?|pageindex|pagenumber|paged|paging` +
		`|start|from|offset|skip|begin|first|s|o|b|cursor|after|page_?token|_pgn|pageid|cpage|currentpage|seite` +
		`|pagina|sida)$`)
)

// sizeWord are the names of how much a page lists.
var sizeWord = pattern.New(`(?i)^(?:show|size|limit|per_?page|page_?size|rows|num|count)$`)

const (
	symbols = "›»→>＞≫▶⟩❯ "
	arrows  = symbols + "[]()（）【】"
	newer   = "‹«←< " // before what is older, on blogs
)

// nextLink is a link that may lead to the next page.
type nextLink struct {
	to     string
	points int
	symbol string
	isMore bool
}

func (d *document) lookForNext() string {
	var links []*html.Node
	for n := range d.root.Descendants() {
		if isElement(n, atom.A, atom.Link) && slices.Contains(strings.Fields(strings.ToLower(attr(n, "rel"))), "next") {
			if u := d.otherPage(attr(n, "href")); u != nil {
				return u.String()
			}
		}
		if isElement(n, atom.A, atom.Button) && len(links) < maxNextLinks && pageRef(n) != "" {
			links = append(links, n)
		}
	}
	number := d.numbered(links)
	var best nextLink
	for _, n := range links {
		u := d.otherPage(pageRef(n))
		if u == nil {
			continue
		}
		l := d.judgeNext(n, u, number)
		// Of two arrows, the shorter one: the other leads to the last page.
		if l.points >= pointsEnough && (l.points > best.points || l.points == best.points && l.symbol == "›" &&
			best.symbol == "»") {
			best = l
		}
	}
	return best.to
}

// pageRef is where a link leads, or the page that a button loads.
func pageRef(n *html.Node) string {
	if isElement(n, atom.A) {
		return attr(n, "href")
	}
	for _, name := range []string{"data-url", "data-href", "data-next", "data-next-url", "data-next-page"} {
		if v := attr(n, name); v != "" {
			return v
		}
	}
	return attr(n, "formaction")
}

// judgeNext gives a link its points. number is where the link with the next number leads, if there is one.
func (d *document) judgeNext(n *html.Node, u *url.URL, number string) nextLink {
	l := nextLink{to: u.String()}
	text, label := l.readText(n)
	isNumber := l.to == number
	isPager, isElse, isNamed, isLast := namesAround(n)
	if l.points >= pointsWord { // some themes turn the arrow of the previous page, with its name
		isLast = false
	}
	if olderText.MatchString(text) { // of a blog, what is older comes next, and is called the previous page
		isElse, isLast = false, false
	}
	if isNumber {
		l.points += pointsNumber
	}
	if isNamed && !isLast {
		l.points += pointsName
		if text == "" && label == "" { // only a picture
			l.points += pointsWeak
		}
	}
	if l.points == 0 || lastText.MatchString(strings.Trim(text, arrows)) || isLast && !isNumber {
		return nextLink{}
	}
	if isPager {
		l.points += pointsAmong
	}
	switch step := d.pageStep(u); {
	case step == 1:
		l.points += pointsCount
		if l.isMore { // of the same list
			l.points += pointsWeak
		}
	case step == 0 && !isNumber && l.points < pointsWord:
		l.points = 0
	case step < 0:
		l.points += pointsElse
	case step > 1 && number != "" && !isNumber:
		l.points -= pointsWeak // a later page than the next
	}
	if isElse && !isNumber || elseText.MatchString(text) || elseText.MatchString(label) {
		l.points += pointsElse
	}
	return l
}

// readText gives points for what a link says, which it returns.
func (l *nextLink) readText(n *html.Node) (text, label string) {
	text = oneLine(reader.Cut(textOf(n, nil), maxLinkText+1))
	label = oneLine(reader.Cut(or(attr(n, "aria-label"), attr(n, "title")), maxLinkText+1))
	if text == "" && label == "" {
		label = reader.Cut(wordsOf(n), maxLinkText+1)
	}
	words := strings.Trim(text, arrows)
	if olderText.MatchString(text) {
		words = strings.TrimLeft(words, newer)
	}
	if i := strings.LastIndexAny(words, "(（"); i > 0 && isNextText(strings.TrimLeft(words[i:], "(（")) {
		words = strings.TrimLeft(words[i:], "(（") // older notices (next 10)
	}
	switch {
	case isNextText(words) || isNextText(strings.Trim(label, symbols)):
		l.points += pointsWord
		if pageText.MatchString(text) || pageText.MatchString(label) {
			l.points += pointsWeak
		}
	case moreText.MatchString(words) || moreText.MatchString(label):
		l.points += pointsWeak
		l.isMore = true
	case words == "" && text != "" && strings.Trim(text, symbols) == "" && !lastText.MatchString(label):
		l.points += pointsWeak
		l.symbol = strings.NewReplacer(">>", "»", "≫", "»", ">", "›", "＞",
			"›").Replace(strings.ReplaceAll(text, " ", ""))
	}
	return text, label
}

func isNextText(s string) bool { return s != "" && nextText.MatchString(s) }

// namesAround looks at the names of a link and of what is around it.
func namesAround(n *html.Node) (isPager, isElse, isNext, isLast bool) {
	isOwn := false
	for p, i := n, 0; p != nil && p.Type == html.ElementNode && i < maxOutOfPager; p, i = p.Parent, i+1 {
		name := reader.CutBytes(attr(p, "class"), 200) + " " + attr(p, "id") + " " + attr(p, "data-testid") + " " +
			reader.CutBytes(attr(p, "aria-label"), 60)
		isPager = isPager || pagerName.MatchString(name) || isElement(p, atom.Nav)
		isElse = isElse || elseName.MatchString(name)
		if i == 0 && pagerName.MatchString(name) && slices.ContainsFunc(strings.Fields(name), nextName.MatchString) {
			isOwn = true // its own name counts, not that it is beside a calendar
		}
		if i > 1 {
			continue
		}
		for _, word := range strings.Fields(name) {
			isNext = isNext || nextName.MatchString(word)
			isLast = isLast || lastName.MatchString(word)
		}
	}
	return isPager, isElse && !isOwn, isNext, isLast
}

// maxPager bounds the distance between the numbers of a pagination, in elements above them.
const maxPager = 4

// numbered returns the link with the next number. The present page is the one marked as current, else the number
// without a link, else the link to this page, else the first.
func (d *document) numbered(links []*html.Node) string {
	numbers := map[*html.Node]int{}
	for _, n := range links {
		if i, ok := pageNumber(textOf(n, nil)); ok {
			numbers[n] = i
		}
	}
	for _, n := range links {
		i, ok := numbers[n]
		if !ok || i < 2 {
			continue
		}
		u := d.otherPage(attr(n, "href"))
		if u == nil {
			continue
		}
		if d.precedes(n, i-1) {
			return u.String()
		}
	}
	return ""
}

var pageRange = pattern.New(`^(\d{1,6}) ?[-–~〜～] ?(\d{1,6})$`)

// pageOf matches the text before links to the other pages: "Page 1 of 4 |".
var pageOf = pattern.New(`(?i)^(?:page|seite|página|pagina|strona|sida|side|ページ) ?:? ?(\d{1,4})(?: ?(?:of` +
	`|von|de|sur|di|van|z|av|af|/) ?\d{1,5})?[\s|:：・·-]*$`)

// pageNumber reads the number of a page, as paginations write it: 2, or 11-20.
func pageNumber(s string) (int, bool) {
	if m := pageRange.FindStringSubmatch(plainDigits(strings.TrimSpace(s))); m != nil {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		size := to - from + 1
		return (from-1)/max(size, 1) + 1, from > 0 && size > 1 && (from-1)%size == 0
	}
	s = strings.Trim(plainDigits(s), "[]()- ")
	if m := pageOf.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if s == "" || len(s) > 4 {
		return 0, false
	}
	i, err := strconv.Atoi(s)
	return i, err == nil && i > 0
}

// precedes reports whether the number before a link's is that of this page.
func (d *document) precedes(n *html.Node, number int) bool {
	around := n.Parent
	for range maxPager {
		if around == nil || isElement(around, atom.Body) {
			return false
		}
		size := 0
		for c := range around.Descendants() {
			if size++; size > maxElements*4 || c == n {
				break
			}
			if c.Type == html.TextNode {
				if i, ok := pageNumber(c.Data); ok && i == number {
					return d.isHere(c, n)
				}
			}
		}
		around = around.Parent
	}
	return false
}

// isHere reports whether a number is this page's: it is no link, is marked, or links to this page.
func (d *document) isHere(text, other *html.Node) bool {
	for p, i := text.Parent, 0; p != nil && i < 3 && !contains(p, other); p, i = p.Parent, i+1 {
		if hasAttr(p, "aria-current") && attr(p, "aria-current") != "false" {
			return true
		}
		for _, c := range strings.Fields(strings.ToLower(attr(p, "class"))) {
			if strings.Contains(c, "current") || strings.HasSuffix(c, "active") || strings.HasSuffix(c, "selected") ||
				c == "on" || c == "now" || c == "stay" {
				return true
			}
		}
		if isElement(p, atom.A) && hasAttr(p, "href") {
			ref := strings.TrimSpace(attr(p, "href"))
			return ref == "" || strings.HasPrefix(ref, "#") || d.otherPage(ref) == nil || d.isFirst(ref)
		}
	}
	return true
}

// isFirst reports whether a link leads to the first page, and this page's address tells of no other.
func (d *document) isFirst(ref string) bool {
	u := d.resolve(ref)
	if u == nil || u.Path != d.url.Path {
		return false
	}
	q := u.Query()
	for k, v := range d.url.Query() {
		if !slices.Equal(v, q[k]) {
			return false
		}
		q.Del(k)
	}
	for k, v := range q {
		if !pageWord.MatchString(k) || v[0] != "1" && v[0] != "0" {
			return false
		}
	}
	return true
}

// pageStep compares an address with this page's: 1 if only a number is one higher, or new (an offset, a cursor); more
// if it is higher still; -1 if lower; 0 if something else differs.
func (d *document) pageStep(u *url.URL) int {
	if u.Path == d.url.Path {
		return queryStep(d.url.Query(), u.Query())
	}
	if u.RawQuery != "" && d.url.RawQuery != "" && u.RawQuery != d.url.RawQuery {
		return 0
	}
	return pathStep(d.url.Path, u.Path)
}

func queryStep(here, there url.Values) int {
	step := 0
	for k, v := range there {
		if slices.Equal(v, here[k]) || !here.Has(k) && sizeWord.MatchString(k) {
			continue
		}
		if step != 0 {
			return 0
		}
		to, err := strconv.Atoi(v[0])
		from, known := 0, here.Has(k)
		if known {
			from, _ = strconv.Atoi(here.Get(k))
		}
		switch {
		case err != nil && !pageWord.MatchString(k):
			return 0
		case err != nil:
			step = 1
		case !known && (to <= 2 || to >= 5 || pageWord.MatchString(k)):
			step = 1
			if to > 2 && to < 5 {
				step = to
			}
			if to <= 1 && pageWord.MatchString(k) && len(here) == len(there) {
				step = 0
			}
		case to > from && (to-from == 1 || to-from >= 5):
			step = 1
		case to > from:
			step = to - from
		default:
			step = -1
		}
	}
	for k := range here {
		if !there.Has(k) && !pageWord.MatchString(k) {
			return 0
		}
	}
	return step
}

var lastDigits = pattern.New(`\d+`)

// pathStep compares /list with /list/page/2, list1.html with list2.html.
func pathStep(here, there string) int {
	number := func(s string) (string, int) {
		at := lastDigits.FindAllStringIndex(s, -1)
		if len(at) == 0 {
			return s, -1
		}
		last := at[len(at)-1]
		i, _ := strconv.Atoi(s[last[0]:last[1]])
		return s[:last[0]] + "#" + s[last[1]:], i
	}
	a, from := number(here)
	b, to := number(there)
	switch {
	case to < 0:
		return 0
	case a == b && from >= 0:
		if to > from {
			return to - from
		}
		return -1
	}
	// Without its number, the address is this page's, or that of its folder.
	stem := strings.NewReplacer("page/#", "", "page-#", "", "page#", "", "p#", "", "-#", "", "_#", "", "/#", "",
		"#", "").Replace(b)
	trim := func(s string) string {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "index.html"), "/")
		return strings.TrimSuffix(s, ".html")
	}
	if trim(stem) == trim(here) || trim(stem) == trim(a) {
		return max(to-1, 1)
	}
	return 0
}
