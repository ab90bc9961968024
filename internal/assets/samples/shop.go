package samples

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// ShopPath is where the demo shop is: a shop of some sixty things for trying out watches. What it offers follows from
// the time alone: each day some things arrive, become cheaper or dearer, are sold, vanish and return.
const ShopPath = Prefix + "shop/"

//go:embed shop/things.txt
var thingLines string

// wares are the kinds of things of the shop. There is always at most one thing of a kind: when it has left, the next
// one comes, with an id of its own.
var wares = readWares()

// ware is a kind of thing.
type ware struct {
	category, ja, en string
	price            int // in yen, about
}

func readWares() (list []ware) {
	for line := range strings.Lines(thingLines) {
		f := strings.Split(strings.TrimSpace(line), "|")
		price, err := strconv.Atoi(f[3])
		if err != nil {
			panic(err)
		}
		list = append(list, ware{f[0], f[1], f[2], price})
	}
	return list
}

// sellers of the shop; those of the second half are shops.
var sellers = []string{"みどり", "haruto_k", "北の台所", "Ines", "古本と珈琲", "satsuki", "青磁堂", "Lantern Antiques", "瑠璃書房",
	"Kameya Cameras", "庭の道具店", "Harbour Records"}

// thing is one offer.
type thing struct {
	ware
	id     string
	seller string
	isShop bool
	price  int
	since  time.Time // when it was offered
	soldAt time.Time // zero: on sale
	gone   bool      // no longer shown
}

func (x *thing) title() string { return x.ja + " / " + x.en }

const day = 24 * time.Hour

// opening is when the shop opened. Its time begins a year before the first release, so that everything has had a past.
var opening = time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)

// Days of the life of a thing before the next one of its kind comes.
const (
	lastDays = 3 // nothing of the kind is shown
	soldDays = 5 // before those: shown as sold
	// away is the age in days at which some things are missing for awayDays, before they return.
	away, awayDays = 6, 2
)

// lifeOf is how many days there are between two things of a kind.
func lifeOf(kind int) int { return 24 + kind*7%17 }

// thingAt returns the n-th thing of a kind as it is at a time.
func thingAt(kind, n int, now time.Time) thing {
	life := lifeOf(kind)
	since := opening.Add(time.Duration(n*life)*day - shift(kind))
	i := (kind*5 + n*3) % len(sellers)
	x := thing{ware: wares[kind], id: "m" + strconv.Itoa(1000+n*100+kind), seller: sellers[i],
		isShop: i >= len(sellers)/2, since: since}
	age := int(now.Sub(since) / day)
	x.price = priceAt(kind, n, age)
	end := life - lastDays - soldDays
	switch {
	case age >= life-lastDays:
		x.gone = true
	case age >= end && kind%7 == 3: // taken back by its seller
		x.gone = true
	case age >= end:
		x.soldAt = since.Add(time.Duration(end) * day)
	case kind%5 == 0:
		x.gone = age >= away && age < away+awayDays
	}
	return x
}

// shift makes the days of each kind begin at a time of their own, so that something happens in every hour.
func shift(kind int) time.Duration {
	return time.Duration(kind*11%lifeOf(kind))*day + time.Duration(kind*53%96)*15*time.Minute
}

// priceAt is the price of a thing some days after it was offered.
func priceAt(kind, n, age int) int {
	percent := 90 + (kind*13+n*29)%21
	for _, step := range [][]struct{ age, percent int }{
		{},
		{{4, -10}, {9, -15}},
		{{5, +8}},
		{{3, -5}, {7, +5}, {11, -20}},
	}[kind%4] {
		if age >= step.age {
			percent += step.percent
		}
	}
	return wares[kind].price * percent / 1000 * 10
}

// things returns what the shop shows at a time, the newest first.
func things(now time.Time) (list []thing) {
	for kind := range wares {
		n := int(now.Sub(opening.Add(-shift(kind))) / day / time.Duration(lifeOf(kind)))
		if x := thingAt(kind, max(n, 0), now); !x.gone {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b thing) int { return b.since.Compare(a.since) })
	return list
}

// thingOf returns the thing with an id, also one that has left.
func thingOf(id string, now time.Time) (x thing, ok bool) {
	digits, ok := strings.CutPrefix(id, "m")
	v, err := strconv.Atoi(digits)
	if v -= 1000; !ok || err != nil || v < 0 || v%100 >= len(wares) || v > 1<<20 {
		return thing{}, false
	}
	x = thingAt(v%100, v/100, now)
	return x, x.id == id && !x.since.After(now)
}

// search is a query to a list of the shop.
type search struct {
	words, category string
	min, max        int
	page            int
}

// perPage is how many things a page of the list has.
const perPage = 32

func searchOf(r *http.Request) search {
	number := func(name string) int {
		n, _ := strconv.Atoi(r.FormValue(name))
		return max(n, 0)
	}
	return search{
		words: reader.Cut(r.FormValue("q"), 100), category: r.FormValue("category"),
		min: number("min"), max: number("max"), page: min(max(number("page"), 1), 100),
	}
}

func (q *search) fits(x *thing) bool {
	title := strings.ToLower(x.title())
	for word := range strings.FieldsSeq(strings.ToLower(q.words)) {
		if !strings.Contains(title, word) {
			return false
		}
	}
	return (q.category == "" || q.category == x.category) && x.price >= q.min && (q.max == 0 || x.price <= q.max)
}

// address of a page of the same search.
func (q *search) address(page int) string {
	v := make([]string, 0, 5)
	add := func(name, value string) {
		if value != "" && value != "0" {
			v = append(v, name+"="+url.QueryEscape(value))
		}
	}
	add("q", q.words)
	add("category", q.category)
	add("min", strconv.Itoa(q.min))
	add("max", strconv.Itoa(q.max))
	if page > 1 {
		add("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return ShopPath
	}
	return ShopPath + "?" + strings.Join(v, "&")
}

func yen(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return fmt.Sprint("¥", s)
}
