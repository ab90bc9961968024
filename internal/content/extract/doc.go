// Package extract is the light reading of a feed: one streaming pass over the bytes of an RSS 0.9x/2.0,
// RSS 1.0, Atom 0.3/1.0 or JSON Feed document that yields what lists, identity and scheduling need (the
// channel's fields, each item's identity, content hash, title, link, author, dates, categories,
// enclosures, lead image and a snippet) and builds no document.
//
// The pass locates the children of an item by searching for the next '<' (CDATA sections and escaped
// bodies are skipped in one search each), hashes them, and asks Options.Known whether identity and
// content hash are those of an item that is stored already. Only an item that is new or edited is
// decoded, and of its body only what the snippet and the lead image need.
//
// The package never fetches anything, never expands an entity that a document declares (a DOCTYPE is
// skipped entirely), never recurses over input, and never sanitises: all its texts are plain text, and
// its addresses are http, https or another scheme of the list in link.go, or empty. Where the structure
// of an XML document is in doubt it hands the bytes to gofeed (Feed.Fallback).
//
// Specifications: RSS 2.0 (rssboard.org/rss-specification), RSS 1.0 (purl.org/rss/1.0/spec), Atom
// (RFC 4287) and Atom 0.3, JSON Feed 1.1 (jsonfeed.org), Media RSS, the iTunes podcast tags, XML 1.0,
// XML Base, RFC 7303 (XML media types), RFC 5322 and RFC 3339 (dates).
package extract
