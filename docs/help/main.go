// Command help writes the pages in docs/use as HTML into a folder of the built page: what the reader serves at /help/.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

//go:embed help.css
var helpStyle []byte

// elsewhere is where people find what the help links to outside of itself.
const elsewhere = "https://github.com/ruri-reader/ruri/blob/main/"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: help docs/use FOLDER")
		os.Exit(2)
	}
	if err := writeHelp(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "help:", err)
		os.Exit(1)
	}
}

// help is a folder of docs/use as HTML: English at the root, another language in a folder.
type help struct {
	from, to string
	pages    map[string]string // HTML by name, as it is in the sources
	titles   map[string]string
}

var (
	helpHeading = regexp.MustCompile(`(?m)^# (.+)$`)
	helpLink    = regexp.MustCompile(`href="([^":#]*)(#[^"]*)?"`)
	languages   = map[string]string{"": "en", "ja": "ja"}
	ownNames    = map[string]string{"en": "English", "ja": "日本語"}
)

// writeHelp makes the help of the pages in docs/use, a folder of the built page.
func writeHelp(from, to string) error {
	h := help{from: from, to: to, pages: map[string]string{}, titles: map[string]string{}}
	for folder := range languages {
		names, err := filepath.Glob(filepath.Join(from, folder, "*.md"))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := h.read(path.Join(folder, filepath.Base(name))); err != nil {
				return err
			}
		}
	}
	if h.pages["README.md"] == "" {
		return fmt.Errorf("%s has no README.md", from)
	}
	for name := range h.pages {
		if err := h.write(name); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(to, "help.css"), helpStyle, 0o600)
}

func (h *help) read(name string) error {
	text, err := fs.ReadFile(os.DirFS(h.from), name)
	if err != nil {
		return err
	}
	title := helpHeading.FindSubmatch(text)
	if title == nil {
		return fmt.Errorf("%s has no heading", name)
	}
	var body bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.CJK),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := md.Convert(text, &body); err != nil {
		return err
	}
	h.pages[name], h.titles[name] = body.String(), string(title[1])
	return nil
}

func (h *help) write(name string) error {
	folder := strings.TrimSuffix(path.Dir(name), ".")
	up := ""
	if folder != "" {
		up = "../"
	}
	var nav strings.Builder
	for _, other := range []string{"README.md", "search.md", "watches.md", "clients.md", "notifications.md",
		"webhooks.md", "takeout.md", "api.md", "codes.md"} {
		at := path.Join(folder, other)
		if h.titles[at] == "" {
			continue
		}
		current := ""
		if at == name {
			current = ` aria-current="page"`
		}
		fmt.Fprintf(&nav, "<a href=%q%s>%s</a>\n", htmlName(other), current, html.EscapeString(h.titles[at]))
	}
	for other, lang := range languages {
		if at := path.Join(other, path.Base(name)); other != folder && h.titles[at] != "" {
			fmt.Fprintf(&nav, "<a href=%q lang=%q hreflang=%q>%s</a>\n",
				path.Join(up, other, htmlName(path.Base(name))), lang, lang, ownNames[lang])
		}
	}
	body := helpLink.ReplaceAllStringFunc(h.pages[name], func(link string) string {
		m := helpLink.FindStringSubmatch(link)
		return `href="` + h.target(path.Dir(name), m[1]) + m[2] + `"`
	})
	body = strings.NewReplacer("<table>", `<div class="table"><table>`, "</table>", "</table></div>").Replace(body)
	page := fmt.Sprintf(`<!doctype html>
<html lang="%s"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>%s · Ruri Reader</title><link rel="stylesheet" href="%shelp.css">
<nav>
<a class="home" href="%s../">Ruri Reader</a>
%s</nav>
<main>
%s</main></html>
`, languages[folder], html.EscapeString(h.titles[name]), up, up, nav.String(), body)
	file := filepath.Join(h.to, folder, htmlName(path.Base(name)))
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(page), 0o600)
}

// target is where a link of a page in a folder leads to.
func (h *help) target(folder, link string) string {
	if link == "" {
		return ""
	}
	if to := path.Join(folder, link); h.pages[to] != "" {
		return strings.TrimSuffix(link, path.Base(link)) + htmlName(path.Base(link))
	}
	return elsewhere + path.Join("docs/use", folder, link)
}

func htmlName(name string) string {
	if name == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}
