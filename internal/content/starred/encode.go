package starred

import (
	"encoding/json"
	"html"
	"io"
	"net/url"
	"strconv"
	"time"
)

// Writer writes a list in the shape of Google Reader's takeout, item by item.
type Writer struct {
	w io.Writer
	n int
}

type outLink struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

type outItem struct {
	ID         string         `json:"id"`
	Crawled    string         `json:"crawlTimeMsec"`
	Stamp      string         `json:"timestampUsec"`
	Published  int64          `json:"published,omitempty"`
	Updated    int64          `json:"updated,omitempty"`
	Title      string         `json:"title"`
	Canonical  []outLink      `json:"canonical,omitempty"`
	Alternate  []outLink      `json:"alternate,omitempty"`
	Categories []string       `json:"categories"`
	Content    map[string]any `json:"content,omitempty"`
	Author     string         `json:"author,omitempty"`
	Origin     map[string]any `json:"origin"`
}

const (
	starState   = "user/-/state/com.google/starred"
	labelPrefix = "user/-/label/"
)

// NewWriter begins a list, as of a time unless it is zero.
func NewWriter(w io.Writer, title string, at time.Time) (*Writer, error) {
	name, err := json.Marshal(title)
	if err != nil {
		return nil, err
	}
	head := `{"direction":"ltr","id":"` + starState + `","title":` + string(name)
	if !at.IsZero() {
		head += `,"updated":` + strconv.FormatInt(at.Unix(), 10)
	}
	_, err = io.WriteString(w, head+`,"items":[`)
	return &Writer{w: w}, err
}

// Item writes one item. Titles and names are HTML in this shape.
func (w *Writer) Item(it Item) error {
	out := outItem{
		ID: it.ID, Crawled: strconv.FormatInt(it.Starred.UnixMilli(), 10),
		Stamp: strconv.FormatInt(it.Starred.UnixMicro(), 10),
		Title: html.EscapeString(it.Title), Author: html.EscapeString(it.Author), Categories: []string{starState},
		Origin: map[string]any{"streamId": "feed/" + it.FeedURL, "title": html.EscapeString(it.FeedTitle),
			"htmlUrl": it.SiteURL},
	}
	for _, l := range it.Labels {
		if unescaped(l) != l { // else it would be another one when it is read
			l = url.PathEscape(l)
		}
		out.Categories = append(out.Categories, labelPrefix+l)
	}
	out.Categories = append(out.Categories, it.Categories...)
	if !it.Published.IsZero() {
		out.Published = it.Published.Unix()
	}
	if !it.Updated.IsZero() {
		out.Updated = it.Updated.Unix()
	}
	if it.Link != "" {
		out.Canonical, out.Alternate = []outLink{{Href: it.Link}}, []outLink{{it.Link, "text/html"}}
	}
	if it.HTML != "" {
		out.Content = map[string]any{"direction": "ltr", "content": it.HTML}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if w.n++; w.n > 1 {
		b = append([]byte(",\n"), b...)
	}
	_, err = w.w.Write(b)
	return err
}

// Close ends the list. continuation names where a further part goes on; empty at the end.
func (w *Writer) Close(continuation string) error {
	end := "]"
	if continuation != "" {
		end += `,"continuation":` + strconv.Quote(continuation)
	}
	_, err := io.WriteString(w.w, end+"}\n")
	return err
}
