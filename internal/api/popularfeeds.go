package api

import (
	"net/url"
	"time"

	"github.com/ruri-reader/ruri/internal/popular/explore"
)

// feed is the list as a feed of the format that its address ends with.
func (p *publicPage) feed(ending string) *outFeed {
	return &outFeed{
		ID: p.id(p.as("", "")), Title: p.title(), About: publicTexts[p.lang].about, Lang: p.lang,
		Self: p.origin + p.as(ending, p.asked), Page: p.origin + p.as("", p.asked), Updated: p.made,
		Entries: mapped(p.entries, func(e explore.PublicEntry) outEntry {
			posted := time.Unix(e.Posted, 0)
			return outEntry{ID: p.entryID(e), Title: e.Name(), Link: e.Link, Author: e.Feed, Text: e.Excerpt,
				Published: posted, Updated: posted}
		}),
	}
}

// id is a tag URI (RFC 4151): that of a list or an entry stays when formats, languages and ports change.
func (p *publicPage) id(path string) string {
	host := p.origin
	if u, err := url.Parse(p.origin); err == nil {
		host = u.Hostname()
	}
	return "tag:" + host + ",2026:" + path
}

func (p *publicPage) entryID(e explore.PublicEntry) string { return p.id("/entry/" + e.Page) }

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }
