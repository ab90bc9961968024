package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

// Expectation is a row of the tables that say what a reader should show of a feed document.
type Expectation struct {
	File, Tier, Field, Match string
	Want                     any
	JSON                     string // Want in JSON
}

// Key names the row among the others of the tables.
func (e *Expectation) Key() string { return e.File + " " + e.Field }

// Expectations reads the tables.
func Expectations(t testing.TB) []Expectation {
	t.Helper()
	var out []Expectation
	for _, table := range []string{"feedparser", "gofeed", "others"} {
		for _, r := range ReadTSV(t, filepath.Join(Dir(t, "feeds"), "expectations-"+table+".tsv")) {
			e := Expectation{File: r["file"], Tier: r["tier"], Field: r["field"], Match: r["match"],
				JSON: r["expected_json"]}
			if err := json.Unmarshal([]byte(e.JSON), &e.Want); err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
	}
	return out
}

// ReadTSV reads a table with a head line.
func ReadTSV(t testing.TB, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	var head []string
	var rows []map[string]string
	for sc.Scan() {
		cells := strings.Split(sc.Text(), "\t")
		if head == nil {
			head = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			if i < len(head) {
				row[head[i]] = c
			}
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Text is the expected value as a text.
func (e *Expectation) Text() string {
	if n, ok := e.Want.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(e.Want)
}

// Met scores the values of a field as the corpus' README says. base is the address of the document.
func (e *Expectation) Met(got []string, base string) bool {
	one, want := strings.Join(got, "|"), e.Text()
	switch e.Match {
	case "ws", "count":
		return strings.Join(strings.Fields(one), " ") == strings.Join(strings.Fields(want), " ")
	case "text":
		return Reduce(one) == Reduce(want)
	case "html":
		return Reduce(one) == Reduce(want) && slices.Equal(addresses(one, base), addresses(want, base))
	case "text_prefix":
		return strings.HasPrefix(Reduce(one), Reduce(want))
	case "url":
		return Absolute(one, base) == Absolute(want, base)
	case "time":
		at, err := time.Parse(time.RFC3339, one)
		return err == nil && at.Truncate(time.Second).Format(time.RFC3339) == want
	case "contains", "contains_any":
		return e.contained(got)
	case "author":
		return namesAuthor(one, want)
	}
	return false
}

func (e *Expectation) contained(got []string) bool {
	list, ok := e.Want.([]any)
	if !ok {
		list = []any{e.Want}
	}
	return slices.ContainsFunc(list, func(w any) bool {
		return slices.ContainsFunc(got, func(g string) bool {
			return strings.EqualFold(strings.TrimSpace(g), strings.TrimSpace(fmt.Sprint(w)))
		})
	})
}

var mailAddress = regexp.MustCompile(`[^\s()<>,]+@[^\s()<>,]+`)

// namesAuthor holds when every word of the expected name occurs, or, where only a mail address is expected, that.
func namesAuthor(got, want string) bool {
	name := mailAddress.ReplaceAllString(want, "")
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return unicode.IsSpace(r) || r == '(' || r == ')'
	})
	if len(words) == 0 {
		words = []string{strings.ToLower(strings.TrimSpace(want))}
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(got), w) })
}

var (
	tagLike     = regexp.MustCompile(`(?s)<!--.*?-->|<[/!?a-zA-Z][^>]*>`)
	addressAttr = regexp.MustCompile(`(?is)<(?:a|img)\s[^>]*?\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
)

// Reduce is the README's rule "text", with spaces left out altogether.
func Reduce(v string) string {
	v = tagLike.ReplaceAllString(v, "")
	v = html.UnescapeString(html.UnescapeString(v))
	v = tagLike.ReplaceAllString(v, "")
	return strings.Map(func(r rune) rune {
		if r == '\u00a0' || r == '\u200b' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, v)
}

// addresses lists the targets of links and images, http and https alike, since pictures are raised to https.
func addresses(v, base string) []string {
	var out []string
	for _, m := range addressAttr.FindAllStringSubmatch(v, -1) {
		ref := Absolute(html.UnescapeString(m[1]+m[2]), base)
		if rest, web := strings.CutPrefix(strings.Replace(ref, "http://", "https://", 1), "https://"); web {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Absolute resolves an address and puts it into the form in which the README compares them.
func Absolute(v, base string) string {
	b, err := url.Parse(base)
	u, err2 := url.Parse(strings.TrimSpace(v))
	if err != nil || err2 != nil {
		return v
	}
	u = b.ResolveReference(u)
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return strings.TrimSuffix(u.String(), "/")
}
