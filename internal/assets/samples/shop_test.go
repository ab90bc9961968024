package samples

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/content/robots"
)

// shopAt is the site at a time.
func shopAt(now time.Time) http.Handler {
	return Handler(func(*http.Request) string { return base }, clock.NewManual(now))
}

var aDay = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

// TestAYearOfTheShop: what is offered changes each day, as it does in a shop, and is the same whenever it is asked for.
func TestAYearOfTheShop(t *testing.T) {
	t.Parallel()
	before := map[string]thing{}
	seen := map[string]int{}
	var arrived, left, returned, cheaper, dearer, sold, quiet int
	for d := range 365 {
		now := aDay.Add(time.Duration(d) * day)
		today := map[string]thing{}
		changes := arrived + left + returned + cheaper + dearer + sold
		for _, x := range things(now) {
			today[x.id] = x
			if again, ok := thingOf(x.id, now); !ok || again != x || x.price <= 0 || x.since.After(now) ||
				x.soldAt.After(now) {
				t.Fatalf("%v: %+v and %+v, %v", now, x, again, ok)
			}
			was, ok := before[x.id]
			switch {
			case d == 0:
			case !ok && seen[x.id] > 0:
				returned++
			case !ok:
				arrived++
			case was.soldAt.IsZero() && !x.soldAt.IsZero():
				sold++
			case !was.soldAt.IsZero() && x.soldAt != was.soldAt:
				t.Errorf("%s was sold at another time", x.id)
			case x.price < was.price:
				cheaper++
			case x.price > was.price:
				dearer++
			}
			seen[x.id]++
		}
		for id := range before {
			if _, ok := today[id]; !ok {
				left++
				if x, ok := thingOf(id, now); !ok || !x.gone {
					t.Errorf("%s has left: %+v, %v", id, x, ok)
				}
			}
		}
		if n := len(today); n < 48 || n > len(wares) {
			t.Errorf("%v: %d things", now, n)
		}
		if d > 0 && changes == arrived+left+returned+cheaper+dearer+sold {
			quiet++
		}
		before = today
	}
	t.Logf("in a year %d arrived, %d left, %d returned, %d cheaper, %d dearer, %d sold", arrived, left, returned,
		cheaper, dearer, sold)
	if arrived < 300 || returned < 50 || cheaper < 300 || dearer < 100 || sold < 300 || quiet > 0 {
		t.Errorf("in a year %d arrived, %d left, %d returned, %d cheaper, %d dearer, %d sold; nothing happened on %d "+
			"days", arrived, left, returned, cheaper, dearer, sold, quiet)
	}
}

// TestTheAdapterReadsTheShop: all pages of the list, and the pages of things, by the adapter that comes with them.
func TestTheAdapterReadsTheShop(t *testing.T) {
	t.Parallel()
	if _, err := listing.ParseAdapter(Adapter("http://[::1]:8080")); err != nil {
		t.Error(err)
	}
	a, err := listing.ParseAdapter(Adapter(base))
	if err != nil {
		t.Fatal(err)
	}
	h := shopAt(aDay)
	offered := things(aDay)
	var rows []listing.Row
	for address, n := a.Address(listing.Query{}, 1), 1; address != ""; n++ {
		if n > a.List.Pages {
			t.Fatalf("more than %d pages", a.List.Pages)
		}
		p, err := listing.Read(t.Context(), body(t, get(t, h, strings.TrimPrefix(address, base))),
			"text/html; charset=utf-8", address, &a.List.Layout)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, p.Rows...)
		address = p.Next
	}
	if len(rows) != len(offered) {
		t.Fatalf("%d rows of %d things", len(rows), len(offered))
	}
	soldOnes, shops := 0, 0
	for i, x := range offered {
		r := rows[i]
		wantStatus, wantSeller := listing.OnSale, listing.Person
		if !x.soldAt.IsZero() {
			wantStatus = listing.Sold
			soldOnes++
		}
		if x.isShop {
			wantSeller = listing.Shop
			shops++
		}
		if r.ID != x.id || r.Title != x.title() || r.Price == nil ||
			*r.Price != (listing.Price{Amount: int64(x.price), Currency: "JPY"}) ||
			r.Status != wantStatus || r.Seller != x.seller || r.SellerType != wantSeller ||
			!r.Date.Equal(x.since.Truncate(time.Second)) || r.Link != base+ShopPath+"item/"+x.id {
			t.Errorf("%+v is read as %+v", x, r)
		}
		res := get(t, h, strings.TrimPrefix(r.Link, base))
		d, err := listing.ReadDetail(t.Context(), res.StatusCode, body(t, res), "text/html; charset=utf-8",
			r.Link, a.Detail)
		if err != nil || d.Gone || d.Status != wantStatus || d.Price == nil || d.Price.Amount != int64(x.price) ||
			!d.SoldAt.Equal(x.soldAt) {
			t.Errorf("the page of %+v is read as %+v, %v", x, d, err)
		}
		if res := get(t, h, strings.TrimPrefix(r.Image, base)); res.StatusCode != 200 ||
			res.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s: %d", r.Image, res.StatusCode)
		}
	}
	if soldOnes < 3 || shops < 10 || shops > len(offered)-10 {
		t.Errorf("%d sold, %d of shops", soldOnes, shops)
	}
}

// TestTheShopIsFoundWithoutItsAdapter: as any page is, and its terms too.
func TestTheShopIsFoundWithoutItsAdapter(t *testing.T) {
	t.Parallel()
	res := get(t, shopAt(aDay), ShopPath)
	d, err := listing.Detect(t.Context(), body(t, res), res.Header.Get("Content-Type"), base+ShopPath)
	if err != nil || len(d.Candidates) == 0 || d.Terms != base+ShopPath+"terms" {
		t.Fatalf("%+v, %v", d, err)
	}
	p := d.Candidates[0].Page
	if len(p.Rows) != perPage || p.Next == "" {
		t.Fatalf("%d rows, next %q", len(p.Rows), p.Next)
	}
	for i, x := range things(aDay)[:perPage] {
		if r := p.Rows[i]; r.Title != x.title() || r.Link != base+ShopPath+"item/"+x.id || r.Price == nil ||
			r.Price.Amount != int64(x.price) || (r.Status == listing.Sold) == x.soldAt.IsZero() {
			t.Errorf("%+v is read as %+v", x, r)
		}
	}
}

func TestPagesOfTheShop(t *testing.T) {
	t.Parallel()
	h := shopAt(aDay)
	if !robots.Parse([]byte(Robots)).Allows(ShopPath + "?q=a") {
		t.Error("robots.txt does not allow the shop")
	}
	gone := ""
	for kind := range wares {
		if x := thingAt(kind, 0, aDay); x.gone && gone == "" {
			gone = x.id
		}
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		ShopPath:                                   {200, "Ruri Market"},
		ShopPath + "terms":                         {200, "Terms of service"},
		ShopPath + "?category=books&max=3000":      {200, "本 / Books"},
		ShopPath + "?q=nothing+like+that":          {200, "no-results"},
		ShopPath + "?q=%3Cscript%3E":               {200, "&lt;script&gt;"},
		ShopPath + "?page=99999999999999999999":    {200, "things"},
		ShopPath + "?page=-3&min=x":                {200, "things"},
		ShopPath + "item/" + gone:                  {410, "removed"},
		ShopPath + "item/m0":                       {404, ""},
		ShopPath + "item/m-5":                      {404, ""},
		ShopPath + "item/m1099":                    {404, ""},
		ShopPath + "item/m9000001":                 {404, ""},
		ShopPath + "item/m99999999999999999999":    {404, ""},
		ShopPath + "item/" + gone + ".svg":         {200, "<svg"},
		ShopPath + "item/x.svg":                    {404, ""},
		ShopPath + "other":                         {404, ""},
		ShopPath + "?" + strings.Repeat("q=a&", 9): {200, "things"},
	} {
		res := get(t, h, path)
		if b := string(body(t, res)); res.StatusCode != want.status || !strings.Contains(b, want.text) ||
			strings.Contains(b, "<script>") {
			t.Errorf("%s: %d %s", path, res.StatusCode, b)
		}
	}
	res := get(t, h, ShopPath)
	if again := get(t, h, ShopPath, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("the same page again: %d", again.StatusCode)
	}
}
