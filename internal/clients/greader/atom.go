package greader

import (
	"cmp"
	"encoding/xml"
	"strings"
	"time"
)

// Programs from the time of Google Reader, newsboat's source feedhq among them, read items as Atom. It has what the
// JSON has, with states as categories of a scheme of their own.

const (
	atomType   = "application/atom+xml; charset=utf-8"
	atomScheme = "http://www.google.com/reader/"
	atomHead   = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gr="http://www.google.com/schemas/reader/atom/">`
	// stateFresh is the state of unread items, in Atom alone: without it they would keep the state that the program
	// has.
	stateFresh = "fresh"
)

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Href   string `xml:"href,attr"`
	Type   string `xml:"type,attr,omitempty"`
	Length int64  `xml:"length,attr,omitempty"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

type atomCategory struct {
	Term   string `xml:"term,attr"`
	Scheme string `xml:"scheme,attr"`
	Label  string `xml:"label,attr"`
}

type atomEntry struct {
	XMLName    xml.Name       `xml:"entry"`
	Crawled    string         `xml:"gr:crawl-timestamp-msec,attr"`
	ID         string         `xml:"id"`
	Categories []atomCategory `xml:"category"`
	Title      atomText       `xml:"title"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Links      []atomLink     `xml:"link"`
	Summary    atomText       `xml:"summary"`
	Author     string         `xml:"author>name"`
	Source     struct {
		Stream string   `xml:"gr:stream-id,attr"`
		Title  string   `xml:"title"`
		Link   atomLink `xml:"link"`
	} `xml:"source"`
}

func atomTime(s int64) string { return time.Unix(s, 0).UTC().Format(time.RFC3339) }

func atomOf(it *itemJSON) atomEntry {
	e := atomEntry{
		Crawled: it.CrawlTime, ID: it.ID, Title: atomText{"text", it.Title}, Published: atomTime(it.Published),
		Updated: atomTime(it.Updated),
		Summary: atomText{"html", it.Summary.Content}, Author: it.Author,
		Links: []atomLink{{Rel: "alternate", Href: it.Alternate[0].Href, Type: "text/html"}},
	}
	isRead := false
	for _, id := range it.Categories {
		isRead = isRead || id == statePrefix+stateRead
		e.Categories = append(e.Categories, atomCategory{id, atomScheme, id[strings.LastIndexByte(id, '/')+1:]})
	}
	if !isRead {
		e.Categories = append(e.Categories, atomCategory{statePrefix + stateFresh, atomScheme, stateFresh})
	}
	for _, f := range it.Enclosure {
		e.Links = append(e.Links, atomLink{"enclosure", f.Href, f.Type, f.Length})
	}
	e.Source.Stream, e.Source.Title, e.Source.Link = it.Origin.Stream, it.Origin.Title,
		atomLink{Rel: "alternate", Href: it.Origin.Site, Type: "text/html"}
	return e
}

// streamAtom answers what streamContents does, as Atom.
func (s *server) streamAtom(r *request) error {
	p, err := s.page(r)
	if err != nil {
		return err
	}
	id := cmp.Or(canonical(p.name), statePrefix+readingList)
	head := struct {
		XMLName xml.Name `xml:"title"`
		Text    string   `xml:",chardata"`
	}{Text: p.title}
	w := &p.writer
	w.buf.WriteString(atomHead + "<id>tag:google.com,2005:reader/")
	if err := xml.EscapeText(&w.buf, []byte(id)); err != nil {
		return err
	}
	w.buf.WriteString("</id>")
	encoder := xml.NewEncoder(&w.buf)
	if err := encoder.Encode(head); err != nil {
		return err
	}
	w.buf.WriteString("<updated>" + atomTime(p.updated) + "</updated>\n")
	w.single, w.put = true, func(it *itemJSON) error { return encoder.Encode(atomOf(it)) }
	last, more, err := w.items(r.Context(), p.ids, false)
	if err != nil {
		return err
	}
	if (more || p.more) && last > 0 {
		w.buf.WriteString("<gr:continuation>" + last.String() + "</gr:continuation>")
	}
	w.buf.WriteString("</feed>\n")
	return r.bytes(atomType, w.buf.Bytes())
}
