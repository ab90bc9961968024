package extract

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/mmcdole/gofeed"
)

// settle decides about a document whose structure is in doubt: gofeed reads it too, and its reading
// counts when it finds as many items as the scan. Where gofeed refuses the document, what the scan could
// read is better than nothing.
func (s *scanner) settle(scanErr error) (*Feed, error) {
	var e *Error
	if errors.As(scanErr, &e) && e.Code != CodeBadXML {
		return nil, scanErr
	}
	if f, err := gofeed.NewParser().Parse(bytes.NewReader(DropControls(s.b))); err == nil && len(f.Items) >= len(s.feed.Items) {
		return s.fromGofeed(f), nil
	}
	if scanErr != nil || len(s.feed.Items) == 0 && s.feed.Title == "" && s.feed.Link == "" {
		return nil, &Error{Code: CodeBadXML, Line: s.line(s.firstDoubt), Message: "The document is damaged beyond reading."}
	}
	return s.finish(), nil
}

// fromGofeed translates, by the same rules as the scan where gofeed gives the means.
func (s *scanner) fromGofeed(g *gofeed.Feed) *Feed {
	hints := s.feed
	f := &Feed{
		Format: hints.Format, Fallback: true,
		Title: s.markup(g.Title, maxTitle), Description: s.markup(g.Description, maxDescription),
		Link: s.resolve([]byte(g.Link), s.base), Self: s.resolve([]byte(g.FeedLink), s.base),
		Language: g.Language, Hub: hints.Hub, NewURL: hints.NewURL,
		TTL: hints.TTL, SkipHours: hints.SkipHours, SkipDays: hints.SkipDays,
		Author: people(g.Authors), Updated: firstTime(g.UpdatedParsed, g.Updated, g.Published),
	}
	if g.Image != nil {
		f.Icon = s.resolve([]byte(g.Image.URL), s.base)
	}
	s.gofeedItems(f, g.Items)
	s.feed, s.later, s.shared = f, nil, nil // shared items have been told apart
	return s.finish()
}

// gofeedItems takes the items over, told apart as those of the scan are.
func (s *scanner) gofeedItems(f *Feed, items []*gofeed.Item) {
	ids, times, shared := make([]uint64, len(items)), map[uint64]int{}, map[uint64]bool{}
	for i, gi := range items {
		ids[i] = Identity(gi.GUID, gi.Link, gi.Title, gi.Published, summaryOf(gi))
		times[ids[i]]++
		shared[ids[i]] = times[ids[i]] > 1 || s.o.Shared != nil && s.o.Shared(ids[i])
	}
	var distinct idSet
	var all []Item
	var dates []time.Time
	for i, gi := range items {
		h := gofeedHash(gi)
		it := Item{Identity: ids[i], Content: fold24(h), Start: i}
		if len(addressID([]byte(gi.GUID))) == 0 && len(addressID([]byte(gi.Link))) == 0 {
			it.Shared = Nameless
		}
		if shared[ids[i]] {
			it.Shared = ids[i]
			it.Identity = IdentityWithin(it.Shared, gi.Link, gi.Title, gi.Published, summaryOf(gi), h)
			if !distinct.add(it.Identity) {
				f.Repeated++
				continue
			}
		}
		dates = append(dates, firstTime(gi.PublishedParsed, gi.Published, gi.Updated))
		known, other := s.knows(it.Identity, it.Content)
		if it.Known = known; !known {
			s.fillFromGofeed(&it, gi)
		}
		if other && it.Shared == 0 {
			it.Within = IdentityWithin(ids[i], gi.Link, gi.Title, gi.Published, summaryOf(gi), h)
		}
		all = append(all, it)
	}
	for _, i := range Newest(dates, s.o.MaxItems) {
		f.Items = append(f.Items, all[i])
	}
	f.LeftOut = len(all) - len(f.Items)
}

// summaryOf is the text that identifies where the scan takes the summary.
func summaryOf(g *gofeed.Item) string {
	if strings.TrimSpace(g.Description) == "" {
		return g.Content
	}
	return g.Description
}

func (s *scanner) fillFromGofeed(it *Item, g *gofeed.Item) {
	it.GUID = s.guid([]byte(g.GUID))
	it.Title = s.markup(g.Title, maxTitle)
	it.Link = s.resolve([]byte(g.Link), s.base)
	it.Author = people(g.Authors)
	it.Published = firstTime(g.PublishedParsed, g.Published, g.Updated)
	it.Updated = firstTime(g.UpdatedParsed, g.Updated)
	it.Undated = g.PublishedParsed == nil && g.Published == "" && !it.Updated.IsZero()
	it.Snippet = s.markup(summaryOf(g), snippetRunes)
	for _, c := range g.Categories[:min(len(g.Categories), maxCategories)] {
		if c = s.markup(c, maxName); c != "" {
			it.Categories = append(it.Categories, c)
		}
	}
	for _, e := range g.Enclosures[:min(len(g.Enclosures), maxEnclosures)] {
		if u := s.resolve([]byte(e.URL), s.base); u != "" {
			n, err := strconv.ParseInt(e.Length, 10, 64)
			if err != nil || n < 0 {
				n = 0
			}
			it.Enclosures = append(it.Enclosures, Enclosure{URL: u, Type: e.Type, Length: n})
		}
	}
	if g.Image != nil {
		it.Image = s.resolve([]byte(g.Image.URL), or(it.Link, s.base))
	}
}

func (s *scanner) markup(v string, limit int) string {
	out, _ := appendPlain(nil, []byte(v), limit)
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

// gofeedHash is the content hash of an item that only gofeed could read: of the decoded fields, so it
// differs from that of the scan; a feed that is repaired shows its items as edited once.
func gofeedHash(g *gofeed.Item) uint64 {
	var h uint64 = 0x2d358dccaa6c78a5
	for _, v := range []string{g.Title, g.Link, g.Published, g.Updated, g.Description, g.Content} {
		h = mix(h, xxhash.Sum64String(v))
	}
	for _, e := range g.Enclosures {
		h = mix(h, xxhash.Sum64String(e.URL))
	}
	return h
}
