package listing

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Adapter describes a site. It is data: adapter.schema.json says what may be in it.
type Adapter struct {
	Schema   string   `json:"$schema,omitempty"` // for editors; not read
	Name     string   `json:"name"`
	Version  int      `json:"version"`
	Hosts    []string `json:"hosts"`
	Terms    string   `json:"terms,omitempty"`
	Pace     int      `json:"pace,omitempty"`     // seconds between two requests, at least 5
	Currency string   `json:"currency,omitempty"` // {min} and {max} are in its major unit; empty: as they are
	List     struct {
		URL string `json:"url"` // with {keyword} {category} {min} {max} {page}
		Layout
	} `json:"list"`
	Detail   *DetailLayout `json:"detail,omitempty"`
	Examples []Example     `json:"examples,omitempty"`
}

// Example is a page with the rows that are expected on it.
type Example struct {
	URL  string `json:"url"`
	Page string `json:"page"` // HTML
	Rows []struct {
		Title string `json:"title"`
		Link  string `json:"link"`
		Price *int64 `json:"price,omitempty"`
	} `json:"rows"`
}

// Query fills the address of an adapter.
type Query struct {
	Keyword  string `json:"keyword,omitempty"`
	Category string `json:"category,omitempty"`
	Min      int64  `json:"min,omitempty"` // in minor units, 0 = none
	Max      int64  `json:"max,omitempty"`
}

// MinPace and MaxPace are the seconds between two requests to a host that an adapter or a watch may ask for.
const (
	MinPace = 5
	MaxPace = 60
)

// IsPace reports whether a pace is allowed; 0 is the least.
func IsPace(seconds int) bool { return seconds == 0 || seconds >= MinPace && seconds <= MaxPace }

// Limits of an adapter.
const (
	MaxAdapter  = 16 << 10
	maxHosts    = 20
	maxExamples = 10
	maxKeyword  = 200 // bytes
)

// ParseAdapter reads and checks an adapter, at most 16 KB, also that it reads its own examples.
func ParseAdapter(b []byte) (*Adapter, error) {
	if len(b) > MaxAdapter {
		return nil, adapterError("", "longer than %d bytes", MaxAdapter)
	}
	a := &Adapter{}
	if err := decodeStrictly(bytes.TrimSpace(b), a); err != nil {
		return nil, adapterError("", "%v", err)
	}
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a, nil
}

func adapterError(field, format string, args ...any) *Error {
	return &Error{Code: CodeAdapter, Field: field, Detail: fmt.Sprintf(format, args...)}
}

var (
	adapterName = pattern.New(`^[a-z0-9][a-z0-9-]{0,39}$`)
	hostName    = pattern.New(`^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$`)
	placeholder = pattern.New(`\{[^{}]*\}`)
)

// Check checks an adapter, and that it reads its examples. The error is an *Error with the name of the field.
func (a *Adapter) Check() error {
	if err := a.checkSite(); err != nil {
		return err
	}
	if err := a.checkAddress(); err != nil {
		return err
	}
	if err := within("list.", a.List.Check()); err != nil {
		return err
	}
	if a.Detail != nil {
		if err := within("", a.Detail.Check()); err != nil {
			return err
		}
	}
	return a.checkExamples()
}

func (a *Adapter) checkSite() error {
	switch {
	case !adapterName.MatchString(a.Name):
		return adapterError("name", "lower-case letters, digits and hyphens, at most 40")
	case a.Version < 1:
		return adapterError("version", "a number from 1")
	case len(a.Hosts) == 0 || len(a.Hosts) > maxHosts:
		return adapterError("hosts", "from 1 to %d", maxHosts)
	case !IsPace(a.Pace):
		return adapterError("pace", "from %d to %d seconds", MinPace, MaxPace)
	case a.Currency != "" && !money.IsCode(a.Currency):
		return adapterError("currency", "a code such as JPY")
	}
	for i, h := range a.Hosts {
		if _, err := netip.ParseAddr(h); err != nil && !hostName.MatchString(h) {
			return adapterError(fmt.Sprintf("hosts.%d", i), "%q is no host name in lower case", reader.Cut(h, 40))
		}
	}
	if a.Terms != "" && !isWeb(a.Terms) {
		return adapterError("terms", "an http or https address")
	}
	return nil
}

func isWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

func (a *Adapter) checkAddress() error {
	const field = "list.url"
	u, err := url.Parse(a.List.URL)
	switch {
	case err != nil || !isWeb(a.List.URL) || len(a.List.URL) > maxLink:
		return adapterError(field, "an http or https address")
	case !slices.Contains(a.Hosts, u.Hostname()):
		return adapterError(field, "its host is not among hosts")
	case u.Fragment != "":
		return adapterError(field, "without #")
	}
	for _, p := range placeholder.FindAllString(a.List.URL, -1) {
		if !slices.Contains([]string{"{keyword}", "{category}", "{min}", "{max}", "{page}"}, p) {
			return adapterError(field, "%s is not known", reader.Cut(p, 40))
		}
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(a.List.URL, ""), "{}") {
		return adapterError(field, "a brace is open")
	}
	return nil
}

// within turns the error of a layout into that of an adapter.
func within(prefix string, err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // Check returns nothing else
		return &Error{Code: CodeAdapter, Field: prefix + e.Field, Detail: e.Detail}
	}
	return err
}

// Address returns the address of a page, from 1, of a search. A parameter whose placeholder has no value is left out.
func (a *Adapter) Address(q Query, page int) string {
	values := map[string]string{
		"{keyword}": reader.CutBytes(q.Keyword, maxKeyword), "{category}": reader.CutBytes(q.Category, maxKeyword),
		"{min}": a.amount(q.Min), "{max}": a.amount(q.Max), "{page}": strconv.Itoa(max(page, 1)),
	}
	fill := func(s string, escape func(string) string) string {
		return placeholder.ReplaceAllStringFunc(s, func(p string) string { return escape(values[p]) })
	}
	path, query, hasQuery := strings.Cut(a.List.URL, "?")
	path = fill(path, url.PathEscape)
	if !hasQuery {
		return path
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(pair, "=")
		if placeholder.MatchString(value) && placeholder.ReplaceAllString(value, "") == "" &&
			fill(value, url.QueryEscape) == "" {
			continue
		}
		kept = append(kept, fill(pair, url.QueryEscape))
	}
	if len(kept) == 0 {
		return path
	}
	return path + "?" + strings.Join(kept, "&")
}

// amount writes minor units as a shop asks for them.
func (a *Adapter) amount(v int64) string {
	if v <= 0 {
		return ""
	}
	n := 0
	if a.Currency != "" {
		n = money.Digits(a.Currency)
	}
	s := strconv.FormatInt(v, 10)
	if len(s) <= n {
		s = strings.Repeat("0", n+1-len(s)) + s
	}
	whole, fraction := s[:len(s)-n], strings.TrimRight(s[len(s)-n:], "0")
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

func (a *Adapter) checkExamples() error {
	if len(a.Examples) > maxExamples {
		return adapterError("examples", "more than %d", maxExamples)
	}
	for i := range a.Examples {
		if err := a.checkExample(fmt.Sprintf("examples.%d", i), &a.Examples[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *Adapter) checkExample(at string, e *Example) error {
	u, err := url.Parse(e.URL)
	if err != nil || !isWeb(e.URL) || !slices.Contains(a.Hosts, u.Hostname()) {
		return adapterError(at+".url", "an address on one of the hosts")
	}
	p, err := Read(context.Background(), []byte(e.Page), // it is small
		"text/html; charset=utf-8", e.URL, &a.List.Layout)
	if err != nil {
		return within(at+".", err)
	}
	if len(p.Rows) != len(e.Rows) {
		return adapterError(at+".rows", "%d rows are expected, %d are found", len(e.Rows), len(p.Rows))
	}
	for i := range e.Rows {
		want, got := &e.Rows[i], &p.Rows[i]
		field := fmt.Sprintf("%s.rows.%d", at, i)
		switch {
		case want.Title != got.Title:
			return adapterError(field+".title", "%q is expected, %q is found", reader.Cut(want.Title, 80),
				reader.Cut(got.Title, 80))
		case want.Link != got.Link:
			return adapterError(field+".link", "%q is expected, %q is found", reader.Cut(want.Link, 80),
				reader.Cut(got.Link, 80))
		case want.Price != nil && (got.Price == nil || got.Price.Amount != *want.Price):
			return adapterError(field+".price", "%d is expected, %q is found", *want.Price, got.PriceText)
		}
	}
	return nil
}
