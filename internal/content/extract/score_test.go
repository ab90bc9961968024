package extract

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// lightField matches the fields of the expectation tables that a light extraction yields; of summaries and contents
// that is a snippet, and package parse is measured on the texts themselves.
var lightField = regexp.MustCompile(`^(feed\.(title|link|updated|description|language|author|author\.name` +
	`|author\.email|published)|entries\.count|` +
	`entries\[(\d+)\]\.(id|title|link|published|updated|author|author\.name|author\.email|summary|content` +
	`|categories|enclosures\[(\d+)\]\.(url|type|length)))$`)

// floors are the shares of rows met; a change must not lower them.
var floors = map[string]float64{"core": 0.996, "extended": 0.85}

//
func TestCorpusExpectations(t *testing.T) {
	t.Parallel()
	feeds, bases := map[string]*Feed{}, map[string]string{}
	refused := map[string]error{}
	for _, f := range corpusFiles(t) {
		base := f.from
		if base == "" {
			base = "http://example.org/feed"
		}
		bases[f.name] = base
		got, err := Scan(f.body, f.contentType, base, Options{MaxItems: 1 << 20})
		if err != nil {
			refused[f.name] = err
			if f.parse == "must" {
				t.Errorf("%s: must be accepted: %v", f.name, err)
			}
			got = &Feed{}
		} else if f.parse == "must_not" {
			t.Errorf("%s: must be refused", f.name)
		}
		feeds[f.name] = got
	}
	score := corpus.NewScore(t, filepath.Join("testdata", "unmet.tsv"))
	for _, e := range corpus.Expectations(t) {
		m := lightField.FindStringSubmatch(e.Field)
		if m == nil || m[4] == "summary" || m[4] == "content" {
			continue
		}
		note := ""
		if err := refused[e.File]; err != nil {
			note = err.Error()
		}
		score.Count(&e, fieldOf(feeds[e.File], m), bases[e.File], note)
	}
	score.Report(t, "RURI_EXTRACT_MISSES", floors)
}

// fieldOf returns the values of a field as texts.
func fieldOf(f *Feed, m []string) []string {
	stamp := func(t time.Time) []string {
		if t.IsZero() {
			return nil
		}
		return []string{t.Format(time.RFC3339)}
	}
	switch m[0] {
	case "feed.title":
		return []string{f.Title}
	case "feed.link":
		return []string{f.Link}
	case "feed.updated", "feed.published":
		return stamp(f.Updated)
	case "feed.description":
		return []string{f.Description}
	case "feed.language":
		return []string{f.Language}
	case "feed.author", "feed.author.name", "feed.author.email":
		return []string{f.Author}
	case "entries.count":
		return []string{strconv.Itoa(len(f.Items) + f.LeftOut)}
	}
	i, _ := strconv.Atoi(m[3])
	if i >= len(f.Items) {
		return nil
	}
	it := &f.Items[i]
	switch m[4] {
	case "id":
		return []string{it.GUID}
	case "title":
		return []string{it.Title}
	case "link":
		return []string{it.Link}
	case "published":
		return stamp(it.Published)
	case "updated":
		return stamp(it.Updated)
	case "author", "author.name", "author.email":
		return []string{it.Author}
	case "summary", "content":
		return []string{it.Snippet}
	case "categories":
		return it.Categories
	}
	k, _ := strconv.Atoi(m[5])
	if k >= len(it.Enclosures) {
		return nil
	}
	switch e := it.Enclosures[k]; m[6] {
	case "url":
		return []string{e.URL}
	case "type":
		return []string{e.Type}
	default:
		return []string{strconv.FormatInt(e.Length, 10)}
	}
}
