package extract

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/mmcdole/gofeed"
)

// fallback handles a document whose structure is in doubt: gofeed reads it too, and its result is used when it has at
// least as many items as the scan. Where gofeed refuses the document, the scan's result is used.
func (s *scanner) fallback(scanErr error) (*Feed, error) {
	var e *Error
	if errors.As(scanErr, &e) && e.Code != CodeBadXML {
		return nil, scanErr
	}
	if f, err := gofeed.NewParser().Parse(bytes.NewReader(DropControls(s.b))); err == nil &&
		len(f.Items) >= len(s.feed.Items) {
		return s.fromGofeed(f), nil
	}
	if scanErr != nil || len(s.feed.Items) == 0 && s.feed.Title == "" && s.feed.Link == "" {
		return nil, &Error{Code: CodeBadXML, Line: s.line(s.firstDoubt)}
	}
	return s.finish(), nil
}

// fromGofeed converts gofeed's result, by the same rules as the scan where possible.
func (s *scanner) fromGofeed(g *gofeed.Feed) *Feed {
	hints := s.feed
	f := &Feed{
		Format: hints.Format, Fallback: true,
		Title: string(appendTitle(nil, []byte(g.Title), false)), Description: s.markup(g.Description, maxDescription),
		Link: s.resolve([]byte(g.Link), s.base), Self: s.resolve([]byte(g.FeedLink), s.base),
		Language: g.Language, Hub: hints.Hub, NewURL: hints.NewURL,
		TTL: hints.TTL, SkipHours: hints.SkipHours, SkipDays: hints.SkipDays,
		Author: people(g.Authors), Updated: firstTime(g.UpdatedParsed, g.Updated, g.Published),
	}
	if g.Image != nil {
		f.Icon = s.resolve([]byte(g.Image.URL), s.base)
	}
	item := &gofeedItem{s: s, items: g.Items}
	s.feed, s.item = f, item
	s.later, s.shared, s.seen, s.distinct = nil, nil, map[uint64]bool{}, nil
	for i := range g.Items {
		item.locate(i)
		s.keep(i, 0)
	}
	return s.finish()
}

// gofeedItem reads the items that gofeed found; the start of an item is its index.
type gofeedItem struct {
	s     *scanner
	items []*gofeed.Item
	*gofeed.Item
}

func (g *gofeedItem) locate(start int) { g.Item = g.items[start] }

func (g *gofeedItem) identify() (id uint64, named bool) {
	named = len(addressID([]byte(g.GUID))) > 0 || len(addressID([]byte(g.Link))) > 0
	return Identity(g.GUID, g.Link, g.Title, g.Item.Published, summaryOf(g.Item)), named
}

func (g *gofeedItem) within(shared uint64) uint64 {
	return IdentityWithin(shared, g.Link, g.Title, g.Item.Published, summaryOf(g.Item), g.hash())
}

func (g *gofeedItem) published() time.Time {
	return firstTime(g.PublishedParsed, g.Item.Published, g.Updated)
}

// summaryOf is the text that identifies where the scan takes the summary.
func summaryOf(g *gofeed.Item) string {
	if strings.TrimSpace(g.Description) == "" {
		return g.Content
	}
	return g.Description
}

func (g *gofeedItem) fill(it *Item) {
	s := g.s
	it.GUID = s.guid([]byte(g.GUID))
	it.Title = string(appendTitle(nil, []byte(g.Title), false))
	base := s.base
	if s.feed.Format != Atom && s.xmlBase == "" {
		base = s.siteBase()
	}
	it.Link = s.resolve([]byte(g.Link), base)
	it.Author = people(g.Authors)
	it.Published = g.published()
	it.Updated = firstTime(g.UpdatedParsed, g.Updated)
	it.Undated = g.PublishedParsed == nil && g.Item.Published == "" && !it.Updated.IsZero()
	it.Snippet = s.markup(summaryOf(g.Item), snippetRunes)
	if s.wantsText() {
		text := s.markup(g.Content, textRunes)
		if text == "" {
			text = s.markup(g.Description, textRunes)
		}
		s.setText(it, text)
	}
	for _, c := range g.Categories[:min(len(g.Categories), maxCategories)] {
		if c = s.markup(c, maxName); c != "" {
			it.Categories = append(it.Categories, c)
		}
	}
	for _, e := range g.Enclosures[:min(len(g.Enclosures), maxEnclosures)] {
		if u := s.resolve([]byte(e.URL), base); u != "" {
			n, err := strconv.ParseInt(e.Length, 10, 64)
			if err != nil || n < 0 {
				n = 0
			}
			it.Enclosures = append(it.Enclosures, Enclosure{URL: u, Type: e.Type, Length: n})
		}
	}
	if g.Image != nil {
		it.Image = s.resolve([]byte(g.Image.URL), cmp.Or(it.Link, base))
	}
}

func (s *scanner) markup(v string, limit int) string {
	out, _ := s.plain(nil, []byte(v), limit)
	return string(out)
}

func people(ps []*gofeed.Person) string {
	var names []string
	for _, p := range ps {
		if v := strings.TrimSpace(p.Name); v != "" {
			names = append(names, v)
		} else if p.Email != "" {
			names = append(names, p.Email)
		}
	}
	return strings.Join(names, ", ")
}

// firstTime prefers our reading of the text to gofeed's.
func firstTime(parsed *time.Time, texts ...string) time.Time {
	for _, v := range texts {
		if t, ok := ParseDate(v); ok {
			return t
		}
	}
	if parsed != nil {
		return parsed.UTC()
	}
	return time.Time{}
}

// hash covers the decoded fields, so it differs from that of the scan; a feed that is repaired shows its items as
// edited once.
func (g *gofeedItem) hash() uint64 {
	h := hashSeed
	for _, v := range []string{g.Title, g.Link, g.Item.Published, g.Updated, g.Description, g.Content} {
		h = mix(h, xxhash.Sum64String(v))
	}
	for _, e := range g.Enclosures {
		h = mix(h, xxhash.Sum64String(e.URL))
	}
	return h
}
