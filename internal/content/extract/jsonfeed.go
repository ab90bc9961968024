package extract

import (
	"bytes"
	"time"
)

// jsonFeed holds the raw values of the top level.
type jsonFeed struct {
	version, title, home, self, description, icon, favicon []byte
	author, authors, language, hubs                        []byte
}

func (t *jsonFeed) set(key, raw []byte) {
	if raw[0] == 'n' {
		return // null
	}
	switch string(key) {
	case "version":
		t.version = raw
	case "title":
		t.title = raw
	case "home_page_url":
		t.home = raw
	case "feed_url":
		t.self = raw
	case "description":
		t.description = raw
	case "icon":
		t.icon = raw
	case "favicon":
		t.favicon = raw
	case "author":
		t.author = raw
	case "authors":
		t.authors = raw
	case "language":
		t.language = raw
	case "hubs":
		t.hubs = raw
	}
}

func (t *jsonFeed) fill(s *scanner) {
	f := s.feed
	f.Title = s.jsonText(t.title, maxTitle)
	f.Description = s.jsonText(t.description, maxDescription)
	f.Link = s.jsonURL(t.home)
	f.Self = s.jsonURL(t.self)
	f.Language = s.jsonText(t.language, maxName)
	if f.Icon = s.jsonURL(t.icon); f.Icon == "" {
		f.Icon = s.jsonURL(t.favicon)
	}
	if f.Author = s.jsonAuthors(t.authors); f.Author == "" {
		f.Author = s.jsonAuthors(t.author)
	}
	f.Hub = s.jsonHub(t.hubs)
	for i := range f.Items { // JSON Feed has no date of its own: the newest item tells
		it := &f.Items[i]
		for _, d := range [...]time.Time{it.Updated, it.Published} {
			if d.After(f.Updated) {
				f.Updated = d
			}
		}
	}
}

// jsonHub gives the address of the first WebSub hub (rssCloud is of another kind).
func (s *scanner) jsonHub(raw []byte) string {
	var hub string
	if len(raw) == 0 || raw[0] != '[' {
		return ""
	}
	eachElement(raw, 0, 0, func(start int) int {
		if raw[start] != '{' || hub != "" {
			return 0
		}
		var typ, url []byte
		end := eachMember(raw, start, 1, func(key []byte, at int) int {
			e := jsonEnd(raw, at, 2)
			if e > 0 && string(key) == "type" {
				typ = raw[at:e]
			} else if e > 0 && string(key) == "url" {
				url = raw[at:e]
			}
			return e
		})
		if bytes.EqualFold(typ, []byte(`"WebSub"`)) {
			hub = s.jsonURL(url)
		}
		return end
	})
	return hub
}
