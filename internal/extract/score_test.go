package extract

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// lightFields are the fields of the expectation tables that a light extraction yields. Contents count
// through the snippet, which must be a prefix of what is expected (or the other way round).
var lightField = regexp.MustCompile(`^(feed\.(title|link|updated|description|language|author|published)|entries\.count|` +
	`entries\[(\d+)\]\.(id|title|link|published|updated|author|summary|content|categories|enclosures\[(\d+)\]\.(url|type|length)))$`)

var fieldIndex = regexp.MustCompile(`\[\d+\]`)

// coreFloor is the share of core rows met; a change must not lower it.
const coreFloor = 0.994

//
func TestCorpusExpectations(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "feeds")
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
	summarised := map[string]bool{}
	for _, table := range []string{"feedparser", "gofeed", "others"} {
		for _, r := range readTSV(t, filepath.Join(dir, "expectations-"+table+".tsv")) {
			if strings.HasSuffix(r["field"], ".summary") {
				summarised[r["file"]+r["field"]] = true
			}
		}
	}
	met, total := map[string]int{}, map[string]int{}
	var misses []string
	for _, table := range []string{"feedparser", "gofeed", "others"} {
		for _, r := range readTSV(t, filepath.Join(dir, "expectations-"+table+".tsv")) {
			m := lightField.FindStringSubmatch(r["field"])
			if m == nil || m[4] == "content" && summarised[r["file"]+strings.TrimSuffix(r["field"], "content")+"summary"] {
				continue // the snippet is of the summary then
			}
			var want any
			if err := json.Unmarshal([]byte(r["expected_json"]), &want); err != nil {
				t.Fatal(err)
			}
			field := fieldIndex.ReplaceAllString(r["field"], "[]")
			key := r["tier"] + " " + field
			got := fieldOf(feeds[r["file"]], m)
			total[key]++
			total[r["tier"]+" ALL"]++
			if matches(r["match"], field, got, want, bases[r["file"]]) {
				met[key]++
				met[r["tier"]+" ALL"]++
			} else {
				misses = append(misses, fmt.Sprintf("%s\t%s\t%s\t%s\tgot %.200q\twant %.200s\t%v", r["tier"], r["file"], r["field"], r["match"], got, r["expected_json"], refused[r["file"]]))
			}
		}
	}
	keys := make([]string, 0, len(total))
	for k := range total {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Logf("%-44s %5d of %5d  %.4f", k, met[k], total[k], float64(met[k])/float64(total[k]))
	}
	if path := os.Getenv("RURI_EXTRACT_MISSES"); path != "" {
		if err := os.WriteFile(path, []byte(strings.Join(misses, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if share := float64(met["core ALL"]) / float64(total["core ALL"]); share < coreFloor {
		t.Errorf("core rows met: %.4f, were at least %.4f", share, coreFloor)
	}
}

// fieldOf gives the values of a field as texts.
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
	case "feed.author":
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
	case "author":
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

func matches(how, field string, got []string, want any, base string) bool {
	one := strings.Join(got, "|")
	text := fmt.Sprint(want)
	if n, ok := want.(float64); ok {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if field == "entries[].summary" || field == "entries[].content" || field == "feed.description" {
		a, b := reduce(one), reduce(text)
		return strings.HasPrefix(b, a) && (a != "" || b == "") || strings.HasPrefix(a, b) && b != ""
	}
	switch how {
	case "ws", "count":
		return strings.Join(strings.Fields(one), " ") == strings.Join(strings.Fields(text), " ")
	case "text", "html", "text_prefix":
		return reduce(one) == reduce(text)
	case "url":
		return absolute(one, base) == absolute(text, base)
	case "time":
		t, err := time.Parse(time.RFC3339, one)
		return err == nil && t.Truncate(time.Second).Format(time.RFC3339) == text
	case "contains", "contains_any":
		list, ok := want.([]any)
		if !ok {
			list = []any{want}
		}
		for _, w := range list {
			for _, g := range got {
				if strings.EqualFold(strings.TrimSpace(g), strings.TrimSpace(fmt.Sprint(w))) {
					return true
				}
			}
		}
		return false
	case "author":
		low := strings.ToLower(one)
		for _, w := range strings.Fields(strings.ToLower(text)) {
			if !strings.Contains(low, w) {
				return false
			}
		}
		return true
	}
	return false
}

var tagLike = regexp.MustCompile(`(?s)<!--.*?-->|<[/!?a-zA-Z][^>]*>`)

// reduce is the corpus' rule "text", spaces left out altogether.
func reduce(v string) string {
	v = tagLike.ReplaceAllString(v, "")
	v = html.UnescapeString(html.UnescapeString(v))
	v = tagLike.ReplaceAllString(v, "")
	return strings.Map(func(r rune) rune {
		if r == '\u00a0' || r == '\u200b' {
			return -1
		}
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, v)
}

func absolute(v, base string) string {
	b, err := url.Parse(base)
	u, err2 := url.Parse(strings.TrimSpace(v))
	if err != nil || err2 != nil {
		return v
	}
	u = b.ResolveReference(u)
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return strings.TrimSuffix(u.String(), "/")
}
