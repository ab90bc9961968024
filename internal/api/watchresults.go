package api

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

type resultJSON struct {
	ID          string         `json:"id"`
	WatchID     string         `json:"watchId"`
	ExternalID  string         `json:"externalId"`
	Name        string         `json:"name"`
	Price       *int64         `json:"price"`
	IsFrom      bool           `json:"isFrom"`
	Currency    string         `json:"currency"`
	PriceText   string         `json:"priceText"`
	URL         string         `json:"url"`
	ImageURL    *string        `json:"imageUrl"`
	Status      string         `json:"status"`
	Since       moment         `json:"statusSince"`
	IsEstimated bool           `json:"isEstimated"`
	SellerType  *string        `json:"sellerType"`
	SellerID    *string        `json:"sellerId"`
	SoldAt      moment         `json:"soldAt"`
	FirstSeen   moment         `json:"firstSeenAt"`
	LastChange  moment         `json:"lastChangeAt"`
	Prices      [][2]*int64    `json:"prices"`
	ItemID      *reader.ItemID `json:"itemId"`
}

// statuses are those of results, as the API names them.
var statuses = map[watch.Status]string{watch.OnSale: "onSale", watch.Sold: "sold", watch.Gone: "gone"}

var sellerTypes = map[listing.SellerType]string{listing.Person: "person", listing.Shop: "shop"}

func resultID(k watch.Key) string { return strconv.FormatUint(uint64(k), 16) }

// priceText writes a price for people; empty for none.
func priceText(lang string, n int64, currency string) string {
	if n < 0 {
		return ""
	}
	return listing.Price{Amount: n, Currency: currency}.Format(lang)
}

func result(lang, watchID string, t *watching.Found) resultJSON {
	out := resultJSON{
		ID: resultID(t.Result.Key), WatchID: watchID, ExternalID: t.ID, Name: t.Title, Price: amount(t.Price),
		IsFrom: t.IsFrom, Currency: t.Currency,
		PriceText: priceText(lang, t.Price, t.Currency), URL: t.Link, ImageURL: orNull(t.Image),
		Status: statuses[t.Status], Since: moment(t.Since),
		IsEstimated: t.IsEstimated(), SellerType: orNull(sellerTypes[t.SellerType]), SellerID: orNull(t.Seller),
		SoldAt: moment(t.SoldAt), FirstSeen: moment(t.FirstSeen), LastChange: moment(t.Thing.Change),
		ItemID: orNull(t.Item),
	}
	out.Prices = mapped(t.Prices, func(p watch.PricePoint) [2]*int64 { return [2]*int64{&p.At, amount(p.Amount)} })
	return out
}

// maxResultWords bounds the words that are searched for in names, in runes.
const maxResultWords = 200

// resultQuery parses the parameters of a list of results.
func (r *request) resultQuery() (q watching.Query, err error) {
	v := r.URL.Query()
	q.Words, q.Cursor = v.Get("q"), v.Get("cursor")
	if utf8.RuneCountInString(q.Words) > maxResultWords {
		return q, fault.Coded(fault.Invalid, "search_too_long", maxResultWords, maxResultWords).At("q")
	}
	switch status := cmp.Or(v.Get("status"), statuses[watch.OnSale]); status {
	case "all":
	default:
		for k, name := range statuses {
			if name == status {
				q.Status = k
			}
		}
		if q.Status == 0 {
			return q, fault.Coded(fault.Invalid, "bad_result_status").At("status")
		}
	}
	switch q.Sort = cmp.Or(watching.Sort(v.Get("sort")), watching.ByPrice); q.Sort {
	case watching.ByPrice, watching.ByDate, watching.BySold:
	default:
		return q, fault.Coded(fault.Invalid, "bad_result_sort").At("sort")
	}
	for name, to := range map[string]*int64{"min": &q.Min, "max": &q.Max} {
		n, err := r.number(name, math.MaxInt, 0, fault.Coded(fault.Invalid, "bad_amount"))
		if err != nil {
			return q, err
		}
		*to = int64(n)
	}
	q.Limit, err = r.limit()
	q.Limit = cmp.Or(q.Limit, defaultResults)
	return q, err
}

// defaultResults is the number of results in a page.
const defaultResults = 50

// listResults answers a page of a watch's results, or with ?format= all of them as a file.
func (s *Server) listResults(r *request) error {
	q, err := r.resultQuery()
	if err != nil {
		return err
	}
	format := r.URL.Query().Get("format")
	switch format {
	case "":
	case "csv", "json":
		q.Limit, q.Cursor = 0, ""
	default:
		return fault.Coded(fault.Invalid, "bad_result_format").At("format")
	}
	w, err := s.Watching.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	p, err := s.Watching.Results(r.Context(), r.user, w, q)
	if err != nil {
		return err
	}
	list := make([]resultJSON, len(p.Results))
	for i := range p.Results {
		list[i] = result(r.language(), w.ID().String(), &p.Results[i])
	}
	if format != "" {
		r.Header().Set("Content-Disposition", `attachment; filename="ruri-results-`+w.ID().String()+`.`+format+`"`)
	}
	switch format {
	case "csv":
		return r.bytes(http.StatusOK, "text/csv; charset=utf-8", resultsCSV(list))
	case "json":
		return r.json(http.StatusOK, list)
	}
	parts, err := s.parts(r.Context())
	if err != nil {
		return err
	}
	checked, err := s.Store.Checks.Check(r.Context(), w.Feed, job.PartOf(w.Feed.URL, parts))
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"items": list, "next": orNull(p.Next), "asOf": momentOf(checked.At),
		"total": p.Total})
}

// resultsCSV writes results as spreadsheets read them: in UTF-8 with a byte order mark (RFC 4180 otherwise).
func resultsCSV(list []resultJSON) []byte {
	buf := bytes.NewBufferString("\ufeff")
	w := csv.NewWriter(buf)
	w.UseCRLF = true
	_ = w.Write([]string{ // to memory, as below: cannot fail
		"id", "externalId", "name", "price", "currency", "priceText", "status", "statusSince", "isEstimated", "soldAt",
		"sellerType", "sellerId",
		"firstSeenAt", "lastChangeAt", "url", "imageUrl",
	})
	for i := range list {
		x := &list[i]
		price := ""
		if x.Price != nil {
			price = strconv.FormatInt(*x.Price, 10)
		}
		_ = w.Write([]string{
			x.ID, cell(x.ExternalID), cell(x.Name), price, cell(x.Currency), cell(x.PriceText), x.Status, day(x.Since),
			strconv.FormatBool(x.IsEstimated),
			day(x.SoldAt), value(x.SellerType), cell(value(x.SellerID)), day(x.FirstSeen), day(x.LastChange),
			cell(x.URL), cell(value(x.ImageURL)),
		})
	}
	w.Flush()
	return buf.Bytes()
}

// cell keeps spreadsheets from taking a text of a foreign page for a formula. Some read full-width signs like the ASCII
// ones.
func cell(s string) string {
	if strings.IndexAny(s, "=+-@＝＋－＠﹦﹢﹣﹫−\t\r\n") == 0 {
		return "'" + s
	}
	return s
}

func day(m moment) string {
	if m <= 0 {
		return ""
	}
	return time.Unix(int64(m), 0).UTC().Format(time.RFC3339)
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// getResult answers one result with the items that announced its changes.
func (s *Server) getResult(r *request) error {
	key, err := strconv.ParseUint(r.PathValue("key"), 16, 64)
	if err != nil || resultID(watch.Key(key)) != r.PathValue("key") {
		return fault.Coded(fault.NotFound, "result_not_found")
	}
	w, err := s.Watching.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	found, events, err := s.Watching.Result(r.Context(), r.user, w, watch.Key(key))
	if err != nil {
		return err
	}
	items := make([]itemJSON, len(events))
	for i := range events {
		items[i] = item(events[i], w.Feed, nil)
	}
	return r.json(http.StatusOK, map[string]any{"result": result(r.language(), w.ID().String(), found),
		"events": items})
}

type trendDayJSON struct {
	Day        string `json:"day"`
	Lowest     *int64 `json:"lowest"`
	P25        *int64 `json:"p25"`
	Median     *int64 `json:"median"`
	P75        *int64 `json:"p75"`
	OnSale     int    `json:"onSale"`
	Sold       int    `json:"sold"`
	SoldMedian *int64 `json:"soldMedian"`
}

func (s *Server) watchTrend(r *request) error {
	w, err := s.Watching.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	t, err := s.Watching.Trend(r.Context(), w, r.URL.Query().Get("range"))
	if err != nil {
		return err
	}
	return r.json(http.StatusOK,
		map[string]any{"currency": orNull(t.Currency), "days": mapped(t.Days, func(d watch.Day) trendDayJSON {
			return trendDayJSON{d.Day, amount(d.Lowest), amount(d.P25), amount(d.P50), amount(d.P75), d.OnSale, d.Sold,
				amount(d.SoldMedian)}
		})})
}
