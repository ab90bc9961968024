package takeout

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The archive is a zip of these files; docs/use/takeout.md documents them for other programs.
const (
	aboutFile         = "ruri.json"
	preferencesFile   = "preferences.json"
	treeFile          = "tree.json"
	subscriptionsFile = "subscriptions.jsonl"
	watchesFile       = "watches.jsonl"
	opmlFile          = "subscriptions.opml"
	rulesFile         = "rules.json"
	searchesFile      = "searches.json"
	itemsFile         = "items.jsonl"

	format = "ruri-takeout"
	// version is that of an archive with further files of a kind (nameOf), which earlier programs would not read.
	version       = 2
	versionSimple = 1
)

// lineFiles are the kinds of files with one value on each line, in their order.
var lineFiles = []string{subscriptionsFile, watchesFile, itemsFile}

// nameOf returns the name of the nth file of a kind, from 1 on.
func nameOf(kind string, n int) string {
	if n == 1 {
		return kind
	}
	return strings.TrimSuffix(kind, ".jsonl") + "-" + strconv.Itoa(n) + ".jsonl"
}

type aboutJSON struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Exported string `json:"exportedAt"`
	Email    string `json:"email"`
}

type treeJSON struct {
	Folders [][]string `json:"folders"` // paths of names, in order
	Labels  []string   `json:"labels"`
	// ReadLater is the label of items to read later.
	ReadLater string `json:"readLater,omitempty"`
}

// subscriptionJSON is one subscription and its read state. It names items by their identity, which is computed from the
// publisher's data, so that every installation computes the same.
type subscriptionJSON struct {
	URL        string     `json:"url"`
	FeedTitle  string     `json:"feedTitle,omitempty"`
	SiteURL    string     `json:"siteUrl,omitempty"`
	Title      string     `json:"title,omitempty"` // the user's own
	Folders    [][]string `json:"folders,omitempty"`
	Position   int32      `json:"position,omitempty"`
	Interval   int32      `json:"intervalMinutes,omitempty"`
	Mute       bool       `json:"isMuted,omitempty"`
	FullText   bool       `json:"fullText,omitempty"`
	Notify     bool       `json:"notify,omitempty"`
	NeverCount bool       `json:"neverCount,omitempty"`
	Since      string     `json:"subscribedAt"`
	Read       []identity `json:"read,omitempty"`
	Unread     []identity `json:"unread,omitempty"`
	Hidden     []identity `json:"hidden,omitempty"`
}

// itemJSON is an item that was starred or labelled, with its body.
type itemJSON struct {
	FeedURL   string `json:"feedUrl,omitempty"`
	FeedTitle string `json:"feedTitle,omitempty"`
	SiteURL   string `json:"siteUrl,omitempty"` // of an item from another reader
	// of an item from another reader: its id, so that it is not imported twice
	Archive   string     `json:"id,omitempty"`
	Identity  identity   `json:"identity"`
	Starred   string     `json:"starredAt,omitempty"`
	Label     string     `json:"label,omitempty"`
	Labelled  string     `json:"labelledAt,omitempty"`
	Title     string     `json:"title"`
	Link      string     `json:"link,omitempty"`
	Author    string     `json:"author,omitempty"`
	Published string     `json:"publishedAt,omitempty"`
	Updated   string     `json:"updatedAt,omitempty"`
	Sorted    string     `json:"sortedAt,omitempty"`
	Estimated bool       `json:"isDateEstimated,omitempty"`
	Snippet   string     `json:"snippet,omitempty"`
	Image     string     `json:"imageUrl,omitempty"`
	Width     uint16     `json:"imageWidth,omitempty"`
	Height    uint16     `json:"imageHeight,omitempty"`
	Lang      string     `json:"lang,omitempty"`
	Tags      []string   `json:"categories,omitempty"`
	Files     []fileJSON `json:"enclosures,omitempty"`
	HTML      string     `json:"contentHtml,omitempty"`
}

type fileJSON struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`
	Length int64  `json:"length,omitempty"`
}

// identity is an item's, as sixteen hexadecimal digits.
type identity uint64

// MarshalText implements encoding.TextMarshaler.
func (i identity) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(i)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *identity) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	*i = identity(n)
	return err
}

func stamp(unix int64) string {
	if unix <= 0 {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format(time.RFC3339)
}

// unix parses what stamp formatted; 0 when it is no time.
func unix(s string) int64 {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Unix() < 0 || t.Year() > 9999 {
		return 0
	}
	return t.Unix()
}

func item(h store.Header) itemJSON {
	out := itemJSON{
		Identity: identity(h.Identity), Title: h.Title, Link: h.Link, Author: h.Author, Published: stamp(h.Published),
		Updated: stamp(h.Updated), Sorted: stamp(h.Sort), Estimated: h.Estimated, Snippet: h.Snippet, Image: h.Image,
		Width: h.ImageSize.Width, Height: h.ImageSize.Height, Lang: h.Lang, Tags: h.Categories,
	}
	for _, e := range h.Enclosures {
		out.Files = append(out.Files, fileJSON(e))
	}
	return out
}
