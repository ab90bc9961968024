package starred

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Decode reads a list of any of the shapes. Anything but a JSON list of items is fault.Invalid "not_starred" as a
// whole; unusable entries are reported as problems, and the rest is imported.
func Decode(data []byte) (List, error) {
	if len(data) > MaxBytes {
		return List{}, fault.Coded(fault.TooLarge, "starred_too_large", MaxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var out List
	place := 0
	if err := eachEntry(data, func(raw json.RawMessage) {
		if place++; place > maxEntries {
			out.More++
			return
		}
		out.add(place, raw)
	}); err != nil {
		return List{}, err
	}
	return out, nil
}

func notStarred() error {
	return fault.Coded(fault.Invalid, "not_starred")
}

// eachEntry calls each for the entries one by one, since five megabytes may contain millions: those of the list itself,
// or of an object's member items (Google Reader, FreshRSS, Feedly) or entries (Miniflux). The raw message is valid
// until the next call.
func eachEntry(data []byte, each func(json.RawMessage)) error {
	if !json.Valid(data) { // no call below fails
		return notStarred()
	}
	d := json.NewDecoder(bytes.NewReader(data))
	var raw json.RawMessage
	start, _ := d.Token()
	if start == json.Delim('{') {
		start = nil
		for start == nil && d.More() {
			if name, _ := d.Token(); name != "items" && name != "entries" {
				_ = d.Decode(&raw)
				continue
			}
			start, _ = d.Token()
		}
	}
	if start != json.Delim('[') {
		return notStarred()
	}
	for d.More() {
		_ = d.Decode(&raw)
		each(raw)
	}
	return nil
}

// entry has the fields of all shapes. Those that differ in type are read by types of their own.
type entry struct {
	ID         anyText  `json:"id"`
	Title      anyText  `json:"title"`
	Author     anyText  `json:"author"`
	Content    content  `json:"content"`
	Summary    content  `json:"summary"`
	Canonical  links    `json:"canonical"`
	Alternate  links    `json:"alternate"`
	Address    anyText  `json:"canonicalUrl"`
	URL        anyText  `json:"url"`
	Categories names    `json:"categories"`
	Keywords   names    `json:"keywords"`
	Tags       names    `json:"tags"`
	Published  instant  `json:"published"`
	PublishedT instant  `json:"published_at"`
	Updated    instant  `json:"updated"`
	ChangedT   instant  `json:"changed_at"`
	Crawled    instant  `json:"crawlTimeMsec"`
	Stamp      instant  `json:"timestampUsec"`
	Action     instant  `json:"actionTimestamp"`
	Origin     origin   `json:"origin"`
	Feed       miniFeed `json:"feed"`
	Starred    *bool    `json:"starred"` // Miniflux; a list of starred items need not have it
}

type origin struct {
	Stream anyText `json:"streamId"`
	Title  anyText `json:"title"`
	Site   anyText `json:"htmlUrl"`
}

type miniFeed struct {
	Title anyText `json:"title"`
	URL   anyText `json:"feed_url"`
	Site  anyText `json:"site_url"`
}

func (l *List) add(place int, raw json.RawMessage) {
	problem := func(title, code, message string) {
		if len(l.Problems) >= maxProblems {
			l.More++
			return
		}
		l.Problems = append(l.Problems, Problem{place, title, code, message})
	}
	var e entry
	// A field of another type is left out, and the rest is read (encoding/json).
	var typed *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, &e); err != nil && !errors.As(err, &typed) ||
		!bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		problem("", BadEntry, "The entry is not of the shape that such lists have.")
		return
	}
	it := e.item()
	switch {
	case e.Starred != nil && !*e.Starred:
		l.NotStarred++
	case it.Title == "" && it.Link == "":
		problem("", EmptyEntry, "The entry has neither a title nor an address.")
	case len(l.Items) >= MaxItems:
		problem(it.Title, OverLimit, "One import takes "+strconv.Itoa(MaxItems)+
			" items; this one is beyond them. Import the rest in a second file.")
	default:
		l.Items = append(l.Items, it)
	}
}

// text returns a title or a name as text. Google Reader wrote them as HTML, and so do those that write its shape;
// Miniflux, which names the entry's address and feed otherwise, writes text.
func (e *entry) text(s anyText) string {
	if e.URL == "" && e.Feed == (miniFeed{}) {
		return clip(collapse(html.UnescapeString(string(s))))
	}
	return clip(collapse(string(s)))
}

func (e *entry) item() Item {
	it := Item{
		ID: clip(string(e.ID)), Title: e.text(e.Title), Author: e.text(e.Author),
		HTML:      first(string(e.Content), string(e.Summary)),
		Published: first(e.Published.Time, e.PublishedT.Time), Updated: first(e.Updated.Time, e.ChangedT.Time),
		Starred: first(e.Stamp.Time, e.Action.Time, e.Crawled.Time, e.ChangedT.Time, e.Published.Time,
			e.PublishedT.Time),
		FeedURL:   address(first(strings.TrimPrefix(string(e.Origin.Stream), "feed/"), string(e.Feed.URL))),
		FeedTitle: e.text(first(e.Origin.Title, e.Feed.Title)),
		SiteURL:   address(first(string(e.Origin.Site), string(e.Feed.Site))),
	}
	for _, s := range []string{string(e.Canonical), string(e.Alternate), string(e.Address), string(e.URL)} {
		if it.Link = address(s); it.Link != "" {
			break
		}
	}
	for _, list := range []names{e.Categories, e.Keywords, e.Tags} {
		for _, n := range list {
			it.named(n)
		}
	}
	return it
}

// named adds a category of the publisher's or a label of the reader's. States are neither; Feedly's folders, which it
// calls categories, count as the publisher's.
func (it *Item) named(n name) {
	of, own := strings.CutPrefix(first(n.id, n.text), "user/") // user/NUMBER/KIND/NAME
	_, of, _ = strings.Cut(of, "/")
	kind, label, _ := strings.Cut(of, "/")
	add := func(list *[]string, s string, most int) {
		if s = clip(collapse(s)); s != "" && len(*list) < most && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	switch {
	case !own, kind == "category" && n.id != "":
		add(&it.Categories, n.text, maxCategories)
	case kind == "label", kind == "tag" && !strings.HasPrefix(label, "global."): // those of Feedly are states
		if label = unescaped(label); n.id != "" {
			label = n.text
		}
		add(&it.Labels, label, maxLabels)
	}
}

// unescaped decodes a name as it is in an address: some programs write them so. A sign that stands for itself stays.
func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil && utf8.ValidString(u) {
		return u
	}
	return s
}

// first returns the first that is not zero.
func first[T comparable](list ...T) (zero T) {
	for _, v := range list {
		if v != zero {
			return v
		}
	}
	return zero
}

func collapse(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

func clip(s string) string { return reader.Cut(s, maxText) }

// address accepts an http or https address with a host.
func address(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > reader.MaxLink {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

// anyText is text, or a number written as such; anything else is no text.
type anyText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *anyText) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = anyText(s)
	} else if len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9') {
		*t = anyText(b)
	}
	return nil
}

// content is text, or an object with a member content.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	var in struct {
		Content anyText `json:"content"`
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content(s)
	} else if json.Unmarshal(b, &in) == nil {
		*c = content(in.Content)
	}
	return nil
}

// firstValues calls each for the first values of a list, which may be of any length.
func firstValues(b []byte, each func(json.RawMessage) (more bool)) {
	d := json.NewDecoder(bytes.NewReader(b))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return
	}
	var raw json.RawMessage
	for n := 0; n < maxListed && d.More() && d.Decode(&raw) == nil; n++ {
		if !each(raw) {
			return
		}
	}
}

// links is the first address of a list of links.
type links string

// UnmarshalJSON implements json.Unmarshaler.
func (l *links) UnmarshalJSON(b []byte) error {
	firstValues(b, func(raw json.RawMessage) bool {
		var x struct {
			Href anyText `json:"href"`
		}
		if json.Unmarshal(raw, &x) == nil {
			*l = links(x.Href)
		}
		return *l == ""
	})
	return nil
}

// name is a text, or an object's label and id.
type name struct{ text, id string }

// names is a list of either.
type names []name

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(b []byte) error {
	firstValues(b, func(raw json.RawMessage) bool {
		var s string
		var labelled struct {
			ID    anyText `json:"id"`
			Label anyText `json:"label"`
		}
		if json.Unmarshal(raw, &s) == nil {
			*n = append(*n, name{text: s})
		} else if json.Unmarshal(raw, &labelled) == nil && labelled.Label != "" {
			*n = append(*n, name{string(labelled.Label), string(labelled.ID)})
		}
		return true
	})
	return nil
}

// instant is a time: RFC 3339, or a number of seconds, milliseconds or microseconds, bare or in quotes. The unit
// follows from its size.
type instant struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *instant) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		t.Time = plausible(at.UTC())
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 || f > 1e18 {
		return nil //nolint:nilerr // no time is known then
	}
	n := int64(f)
	switch {
	case n > 1e14:
		t.Time = plausible(time.UnixMicro(n).UTC())
	case n > 1e11:
		t.Time = plausible(time.UnixMilli(n).UTC())
	default:
		t.Time = plausible(time.Unix(n, 0).UTC())
	}
	return nil
}

// plausible drops times before 1970 and after 2100.
func plausible(t time.Time) time.Time {
	if t.Year() < 1970 || t.Year() > 2100 {
		return time.Time{}
	}
	return t
}
