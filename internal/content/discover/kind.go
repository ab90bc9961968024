package discover

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"golang.org/x/net/html"
)

// Kinds of documents at an address that is neither a feed nor a page.
const (
	Nothing    = "nothing"
	List       = "opml"
	SiteMap    = "sitemap"
	BrokenFeed = "broken_feed" // it begins like a feed but cannot be read
	PDF        = "pdf"
	Picture    = "picture"
	Recording  = "recording"
	Data       = "data" // JSON or XML of another kind
	PlainText  = "text"
	OtherFile  = "file"
)

// Kind tells what a body is that is no feed; "" for a page. The bytes decide, and where they say nothing the header.
func Kind(body []byte, contentType string) string {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), " \t\r\n\f")
	if len(body) == 0 {
		return Nothing
	}
	said, _, _ := mime.ParseMediaType(contentType)
	root := rootOf(body)
	switch root {
	case "opml":
		return List
	case "urlset", "sitemapindex":
		return SiteMap
	case "rss", "rdf", "feed":
		return BrokenFeed
	case "svg":
		return Picture
	}
	is, _, _ := mime.ParseMediaType(http.DetectContentType(body))
	if is == "application/octet-stream" {
		is = said
	}
	switch family, _, _ := strings.Cut(is, "/"); {
	case is == "application/pdf":
		return PDF
	case family == "image":
		return Picture
	case family == "audio" || family == "video" || is == "application/ogg":
		return Recording
	case is == "text/html" || strings.Contains(said, "html"):
		return ""
	case root != "" && (is == "text/xml" || strings.HasSuffix(said, "xml")), json.Valid(body):
		return Data
	case root != "":
		return "" // markup without a label
	case is == "text/plain":
		return PlainText
	}
	return OtherFile
}

// rootOf returns the name of the first element of a body that begins with markup, in lower case and without prefix.
func rootOf(body []byte) string {
	if body[0] != '<' {
		return ""
	}
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), 64<<10)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			return string(name[bytes.LastIndexByte(name, ':')+1:])
		}
	}
}
