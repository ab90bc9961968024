// Package samples is what a new reader finds in an empty house: six small feeds written for it, one of
// each kind that the product reads, served from the binary over HTTP like anybody else's. They are
// fetched, parsed and shown exactly as other feeds, and can be unsubscribed from.
//
// The texts lie in content/, one file a feed, and are set into their formats when first asked for. Dates
// and identities are fixed, so that every start serves the same bytes; only the server's own address is
// filled in.
package samples

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
)

// Feed names one sample feed.
type Feed struct {
	Path        string // below the server's address: "/samples/the-quiet-web.atom"
	Title       string
	ContentType string // media type, as served
	Lang        string
	Items       int
}

// Prefix is the path under which everything of this package is served.
const Prefix = "/samples/"

// List gives the sample feeds, in the order in which they are meant to be shown.
func List() []Feed {
	var out []Feed
	for _, c := range channels() {
		f := formats[c.format]
		out = append(out, Feed{Path: c.path(), Title: c.title, ContentType: f.mediaType, Lang: c.lang, Items: len(c.items)})
	}
	return out
}

//go:embed content/*.txt
var content embed.FS

// order is that of the list; the names are those of the files.
var order = []string{"kami-to-gamen", "the-quiet-web", "kisetsu-no-dougu", "small-tools", "three-small-sounds", "undated-notebook"}

// channel is a feed as written.
type channel struct {
	name, format, title, description, lang, author string
	items                                          []item // the newest first
}

// item is one item as written.
type item struct {
	number         int // from 1, the oldest; part of its address, so it never changes
	title, summary string
	lang           string // "" as the channel
	tags           []string
	date           time.Time // zero: none given
	text           bool      // body is plain text
	tone           []float64 // Hz of the notes of an episode
	body           string
}

func (c *channel) path() string { return Prefix + c.name + formats[c.format].suffix }

// page is the address of an item's own page, without the server's.
func (c *channel) page(it item) string { return fmt.Sprintf("%sa/%s/%d", Prefix, c.name, it.number) }

// id never changes, wherever the feed is served from.
func (c *channel) id(it item) string {
	return fmt.Sprintf("tag:ruri-reader.example,2026:%s/%d", c.name, it.number)
}

// sound is the address of an episode's file.
func (c *channel) sound(it item) string {
	return fmt.Sprintf("%saudio/%s-%d.wav", Prefix, c.name, it.number)
}

// updated is the date of the newest item.
func (c *channel) updated() time.Time {
	latest := founded
	for _, it := range c.items {
		if it.date.After(latest) {
			latest = it.date
		}
	}
	return latest
}

// founded dates what has no date of its own.
var founded = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).AddDate(0, -3, 0)

// channels reads the texts once. They are part of the binary and covered by tests, so a fault in them is
// a fault in the build.
var channels = sync.OnceValue(func() []*channel {
	var out []*channel
	for _, name := range order {
		data, err := content.ReadFile(path.Join("content", name+".txt"))
		if err != nil {
			panic(err)
		}
		c, err := readChannel(string(data))
		if err != nil {
			panic(fmt.Errorf("samples: %s: %w", name, err))
		}
		out = append(out, c)
	}
	return out
})

// readChannel reads a file of content: fields of the channel, an empty line, then the items, each
// beginning with its fields ("title:" first), an empty line, and its body.
func readChannel(text string) (*channel, error) {
	head, rest, _ := strings.Cut(text, "\n\n")
	f := fields(head)
	c := &channel{name: f["name"], format: f["format"], title: f["title"], description: f["description"], lang: f["lang"], author: f["author"]}
	if _, ok := formats[c.format]; !ok {
		return nil, fmt.Errorf("unknown format %q", c.format)
	}
	parts := strings.Split("\n"+rest, "\ntitle: ")[1:]
	for i, part := range parts {
		it, err := readItem("title: " + part)
		if err != nil {
			return nil, err
		}
		it.number = len(parts) - i
		c.items = append(c.items, it)
	}
	return c, nil
}

func readItem(text string) (item, error) {
	head, body, _ := strings.Cut(text, "\n\n")
	f := fields(head)
	it := item{title: f["title"], summary: f["summary"], lang: f["lang"], text: f["kind"] == "text", body: strings.TrimSpace(body)}
	for tag := range strings.SplitSeq(f["tags"], ",") {
		it.tags = append(it.tags, strings.TrimSpace(tag))
	}
	for tone := range strings.FieldsSeq(f["tone"]) {
		var hz float64
		if _, err := fmt.Sscan(tone, &hz); err != nil {
			return it, err
		}
		it.tone = append(it.tone, hz)
	}
	if f["date"] == "" {
		return it, nil
	}
	var err error
	it.date, err = time.Parse(time.RFC3339, f["date"])
	return it, err
}

func fields(head string) map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(head), "\n") {
		key, value, _ := strings.Cut(line, ":")
		m[key] = strings.TrimSpace(value)
	}
	return m
}
