// Package page reads the bytes of web pages as text. Full text, discovery of feeds and icons, and listings share it, so
// that one page has the same letters everywhere.
package page

import (
	"bytes"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// metaReach is the length of a page's beginning in which its charset is looked for. Browsers are asked to find it in
// the first kilobyte; pages have it later too.
const metaReach = 16 << 10

// Decode returns the text of a page as valid UTF-8 without byte order mark: by a byte order mark, else what the bytes
// are (the rules of extract.Decode), with the charset of the header and that of the page's own head as hints, since
// both are wrong at times. lang is the language that such a charset tells ("ja", "ko"), or "".
func Decode(body []byte, contentType string) (text []byte, lang string) {
	header, own := extract.HeaderCharset(contentType), declared(body)
	if lang = languages[own]; lang == "" {
		lang = languages[header]
	}
	return extract.ToUTF8(body, header, own), lang
}

var languages = map[string]string{
	"shift_jis": "ja", "shift-jis": "ja", "sjis": "ja", "x-sjis": "ja", "windows-31j": "ja",
	"cp932": "ja", "ms932": "ja",
	"euc-jp": "ja", "x-euc-jp": "ja", "eucjp": "ja", "iso-2022-jp": "ja",
	"euc-kr": "ko", "ks_c_5601-1987": "ko", "cp949": "ko", "uhc": "ko",
}

// declared is the charset that a page names: in a meta element, or in an XML declaration. Every charset in use on the
// web writes these in ASCII.
func declared(body []byte) string {
	head := body[:min(len(body), metaReach)]
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return extract.DeclaredCharset(head)
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := z.Raw() // both forms, charset="…" and content="text/html; charset=…", read like a header
			if name, _ := z.TagName(); string(name) == "meta" {
				if charset := extract.HeaderCharset(string(raw)); charset != "" {
					return charset
				}
			}
		}
	}
}
