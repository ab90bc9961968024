package reader

import (
	"slices"
	"testing"
)

func TestStoryURL(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"https://example.org/a/b", "example.org/a/b"},
		{"http://Example.org:80/a/b/", "example.org/a/b"},
		{"https://example.org:443/a/b#comments", "example.org/a/b"},
		{"https://example.org/a/b?utm_source=rss&UTM_Medium=x&fbclid=1", "example.org/a/b"},
		{"https://example.org/a?id=5&utm_campaign=z&p=2", "example.org/a?id=5&p=2"},
		{"https://example.org/?p=12", "example.org?p=12"},
		{"https://example.org/#!/story/1", "example.org#!/story/1"},
		{"https://example.org/A", "example.org/A"},
		{"https://www.example.org/a", "www.example.org/a"},
		{"https://example.org/a%2Fb", "example.org/a%2Fb"},
		{"https://example.org:8443/a", "example.org:8443/a"},
		{" https://example.org/a ", "example.org/a"},
		{"https://example.org/", ""},
		{"https://example.org?utm_source=rss", ""},
		{"mailto:a@example.org", ""},
		{"ftp://example.org/a", ""},
		{"/a", ""},
		{"://", ""},
		{"", ""},
	} {
		if got := StoryURL(tt[0]); got != tt[1] {
			t.Errorf("%q is %q, want %q", tt[0], got, tt[1])
		}
	}
	if !slices.IsSorted(tracking[:]) {
		t.Error("the tracking parameters are looked up by halving, but are not in order")
	}
}

func FuzzStoryURL(f *testing.F) {
	f.Add("https://example.org:443/a/b/?utm_source=x&id=1#frag")
	f.Add("http://[::1]:80/%41//")
	f.Add("http://a.org?b &utm_x #")
	f.Fuzz(func(t *testing.T, link string) {
		story := StoryURL(link)
		if story == "" {
			return
		}
		if again := StoryURL("https://" + story); again != story {
			t.Fatalf("%q became %q and then %q", link, story, again)
		}
	})
}
