package shop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/listing"
)

var start = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func get(s *Shop, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "https://shop.example"+path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// What the pages say is what happened, for each kind of event.
func TestPagesTellTheTruth(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(start)
	s := New(c, Usual(1))
	turns, prices, relisted := 0, 0, 0
	for range 60 {
		c.Add(4 * time.Hour)
		truth := map[string]Thing{}
		titles := map[string]int{}
		turns, prices, relisted = 0, 0, 0
		for _, x := range s.Things() {
			truth[x.ID] = x
			turns += len(x.Turns) - 1
			prices += len(x.Prices) - 1
			if titles[x.Title]++; titles[x.Title] > 1 {
				relisted++
			}
			if x.Since().After(c.Now()) {
				t.Fatalf("%s in the future", x.ID)
			}
		}
		onSale, path := 0, "/list"
		for path != "" {
			w := get(s, path)
			p, err := listing.Read(t.Context(), w.Body.Bytes(), w.Header().Get("Content-Type"),
				"https://shop.example"+path, Layout())
			if err != nil || p.Problem != "" {
				t.Fatalf("%v, %q", err, p.Problem)
			}
			for _, r := range p.Rows {
				x := truth[r.ID]
				amount := int64(-1)
				if r.Price != nil {
					amount = r.Price.Amount
				}
				isSold := r.Status == listing.Sold
				if x.Title != r.Title || x.Price() != amount || isSold != (x.Status() == Sold) ||
					r.Seller != x.Seller || x.IsShop != (r.SellerType == listing.Shop) {
					t.Fatalf("row %+v (%d), in truth %+v", r, amount, x)
				}
				if !isSold {
					onSale++
				}
			}
			path = strings.TrimPrefix(p.Next, "https://shop.example")
		}
		for _, x := range truth {
			if x.Status() == OnSale {
				onSale--
			}
			w := get(s, "/item/"+x.ID)
			d, err := listing.ReadDetail(t.Context(), w.Code, w.Body.Bytes(), w.Header().Get("Content-Type"),
				"https://shop.example/item/"+x.ID, Detail())
			if err != nil || d.Gone != (x.Status() == Gone) || !d.Gone &&
				(d.Status == listing.Sold) != (x.Status() == Sold) {
				t.Fatalf("%v, %+v, in truth %+v", err, d, x)
			}
			if x.Status() == Sold && !d.SoldAt.Equal(x.Since()) {
				t.Fatalf("sold at %v, in truth %v", d.SoldAt, x.Since())
			}
		}
		if onSale != 0 {
			t.Fatalf("%d things more are listed than are on sale", onSale)
		}
	}
	if turns < 40 || prices < 30 || relisted < 2 {
		t.Errorf("%d turns, %d price changes, %d re-listings in ten days", turns, prices, relisted)
	}
}

func TestEqualSeedsAreEqualShops(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []Thing {
		c := clock.NewManual(start)
		s := New(c, Usual(seed))
		for range 20 {
			c.Add(3 * time.Hour)
			get(s, "/list")
		}
		return s.Things()
	}
	if a, b := run(3), run(3); !reflect.DeepEqual(a, b) {
		t.Error("equal seeds, other things")
	}
	if a, b := run(3), run(4); reflect.DeepEqual(a, b) {
		t.Error("other seeds, equal things")
	}
}

func TestManners(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(start)
	opt := Usual(1)
	opt.Delay = 10
	s := New(c, opt)
	if robots := get(s, "/robots.txt").Body.String(); !strings.Contains(robots, "Crawl-delay: 10") ||
		strings.Contains(robots, "Disallow: /list") {
		t.Error(robots)
	}
	for _, wait := range []time.Duration{0, 5 * time.Second, 3 * time.Second, time.Hour, 24 * time.Hour} {
		c.Add(wait)
		get(s, "/list", "Cookie", "session=1")
	}
	s.Break(Disallow, 1)
	s.Break(Forbidden, 1)
	if robots := get(s, "/robots.txt").Body.String(); !strings.Contains(robots, "Disallow: /list") {
		t.Error(robots)
	}
	if code := get(s, "/list").Code; code != http.StatusForbidden {
		t.Errorf("status %d", code)
	}
	get(s, "/item/m00001")
	want := Manners{MinGap: 0, MostInHour: 4, MostInDay: 5, MostRobots: 1, Cookies: 5, AfterForbidden: 1}
	if got := s.Manners(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestValidatorsAndFailures(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(start)
	s := New(c, Options{Seed: 1, Things: 5, PerPage: 20})
	etag := get(s, "/list").Header().Get("ETag")
	if code := get(s, "/list", "If-None-Match", etag).Code; code != http.StatusNotModified {
		t.Errorf("status %d of an unchanged page", code)
	}
	s.Break(ServerError, 2)
	if one, two := get(s, "/list").Code, get(s, "/list?page=2").Code; one != 200 || two != 500 {
		t.Errorf("status %d, %d", one, two)
	}
	s.Repair()
	s.Break(Timeout, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/list", nil).WithContext(ctx))
	if w.Body.Len() > 0 || s.Visits()[len(s.Visits())-1].Status != 0 {
		t.Error("an answer")
	}
}
