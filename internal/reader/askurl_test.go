package reader_test

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

func TestAskURL(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://blog.site.org/2026/a-b/":                        "https://blog.site.org/2026/a-b/",
		" http://site.org/a ":                                    "http://site.org/a",
		"https://site.org/%e6%a1%9c?q=%E6%A1%9C":                 "https://site.org/%e6%a1%9c?q=%E6%A1%9C",
		"https://site.org/?p=1&utm_source=rss&utm_medium=feed#a": "https://site.org/?p=1",
		"https://site.org/a?fbclid=x":                            "https://site.org/a",
		"https://site.org/a#!/page":                              "https://site.org/a#!/page",
		"https://site.org:443/a":                                 "https://site.org:443/a",
		"https://site.org":                                       "https://site.org",
		// What is not sent.
		"":                                              "",
		"mailto:a@site.org":                             "",
		"ftp://site.org/a":                              "",
		"//site.org/a":                                  "",
		"https://me@site.org/a":                         "",
		"https://me:pw@site.org/a":                      "",
		"https://site.org:8443/a":                       "",
		"https://192.168.1.2/a":                         "",
		"https://8.8.8.8/a":                             "",
		"https://[2001:db8::1]/a":                       "",
		"https://127.1/a":                               "",
		"https://0x7f.0x1/a":                            "",
		"https://nas/a":                                 "",
		"https://nas.local/a":                           "",
		"https://wiki.Corp./a":                          "",
		"https://a.site.internal/a":                     "",
		"https://site.org/a?token=x":                    "",
		"https://site.org/a?Key=x&p=1":                  "",
		"https://site.org/a?p=1&%73id=x":                "",
		"https://site.org/a?X-Amz-Signature=x":          "",
		"https://site.org/a?auth_token=x":               "",
		"https://site.org/a?code=x":                     "",
		"https://site.org/" + strings.Repeat("a", 1000): "",
		"https://site.org/\x7f":                         "",
		"https://.org/":                                 "",
	} {
		if got := reader.AskURL(link); got != want {
			t.Errorf("%q is asked for as %q, want %q", link, got, want)
		}
	}
}

func TestHasSecret(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://site.org/feed":                 false,
		"https://site.org/feed?format=rss":      false,
		"https://site.org/feed?key=abc":         true,
		"https://site.org/feed?private_token=a": true,
		"https://me@site.org/feed":              true,
	} {
		if got := reader.HasSecret(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func FuzzAskURL(f *testing.F) {
	for _, s := range []string{"https://site.org/a?utm_source=x&p=1#!b", "http://a@b.c/", "https://site.org/?key",
		"http://a.b?utm_0%0X0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, link string) {
		asked := reader.AskURL(link)
		if asked == "" {
			return
		}
		if again := reader.AskURL(asked); again != asked {
			t.Errorf("%q is asked for as %q, and that as %q", link, asked, again)
		}
		if reader.StoryURL(asked) != reader.StoryURL(link) {
			t.Errorf("%q is another story than %q", asked, link)
		}
	})
}
