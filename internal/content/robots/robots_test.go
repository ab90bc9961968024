package robots

import (
	"strings"
	"testing"
	"time"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		open, shut []string
	}{
		{"no file", "", []string{"/", "", "/a?b"}, nil},
		{"all closed", "User-agent: *\nDisallow: /", []string{"/robots.txt"}, []string{"/", "", "/a"}},
		{"an empty line closes nothing", "User-agent: *\nDisallow:", []string{"/a"}, nil},
		{"the longest decides", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", []string{"/a/b/c", "/b"},
			[]string{"/a", "/a/c", "/ab"}},
		{"of equals the open one", "User-agent: *\nDisallow: /page\nAllow: /page", []string{"/page"}, nil},
		{"our group before everybody's", "User-agent: *\nDisallow: /\n\nUser-agent: ruriREADER/2\nDisallow: /x",
			[]string{"/y"}, []string{"/x"}},
		{"another's group", "User-agent: other\nDisallow: /", []string{"/"}, nil},
		{"two groups of ours", "User-agent: RuriReader\nDisallow: /a\nUser-agent: x\nUser-agent: RuriReader\n" +
			"Disallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		{"an empty group of ours", "User-agent: *\nDisallow: /\nUser-agent: RuriReader\n", []string{"/"}, nil},
		{"stars and end", "User-agent: *\nDisallow: /*.php$\nDisallow: /a*b*c", []string{"/x.php5", "/ab"},
			[]string{"/x.php", "/y/z.php", "/aXbYc", "/abcd"}},
		{"an end behind a star", "User-agent: *\nDisallow: /a*$", nil, []string{"/a", "/ab"}},
		{"encoding", "User-agent: *\nDisallow: /%7Ejoe/\nDisallow: /日本", []string{"/joe"},
			[]string{"/~joe/x", "/%7ejoe/x", "/%E6%97%A5%E6%9C%AC/1"}},
		{"remarks, blanks, mark, other lines", "\xef\xbb\xbfUSER-AGENT : * # all\r\nCrawl-delay: 10\r\nSitemap: x\r\n" +
			" disallow : /a # no\r\n", []string{"/b"}, []string{"/a"}},
		{"rules before any group", "Disallow: /a\nUser-agent: *\nDisallow: /b", []string{"/a"}, []string{"/b"}},
	}
	for _, tt := range tests {
		r := Parse([]byte(tt.file))
		for _, path := range tt.open {
			if !r.Allows(path) {
				t.Errorf("%s: %q is closed", tt.name, path)
			}
		}
		for _, path := range tt.shut {
			if r.Allows(path) {
				t.Errorf("%s: %q is open", tt.name, path)
			}
		}
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]time.Duration{
		"User-agent: *\nCrawl-delay: 10\nDisallow: /a":         10 * time.Second,
		"User-agent: *\nDisallow: /a\nCrawl-delay: 0.5 # half": time.Second / 2,
		"User-agent: *\nCrawl-delay: 10\n" +
			"User-agent: RuriReader\nUser-agent: Other\nCrawl-delay: 30\nDisallow:": 30 * time.Second,
		"User-agent: *\nCrawl-delay: 10\nDisallow: /x\nUser-agent: RuriReader\nDisallow: /a": 0,
		"User-agent: *\nCrawl-delay: 1e300":                                                  24 * time.Hour,
		"User-agent: *\nCrawl-delay: NaN":                                                    0,
		"User-agent: *\nCrawl-delay: -3":                                                     0,
		"User-agent: *\nCrawl-delay: soon":                                                   0,
		"Crawl-delay: 10":                                                                    0,
	} {
		if got := Parse([]byte(file)).Delay(); got != want {
			t.Errorf("%q: %v, want %v", file, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	shut := []byte("User-agent: *\nDisallow: /")
	for status, want := range map[int]bool{200: false, 404: true, 403: true, 410: true, 429: false, 500: false,
		503: false, 0: false} {
		if got := Of(status, shut).Allows("/a"); got != want {
			t.Errorf("after %d: %v", status, got)
		}
	}
}

// FuzzParse: any file is read, and patterns without star or end match exactly their prefixes.
func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$", "/ab")
	f.Add("user-agent:RuriReader\nallow:/%zz\ndisallow:/", "/%e3%81")
	f.Fuzz(func(t *testing.T, file, path string) {
		r := Parse([]byte(file))
		open := r.Allows(path)
		plain := true
		for _, x := range r.rules {
			plain = plain && !strings.ContainsAny(x.pattern, "*$")
		}
		if !plain || path == "" || path == "/robots.txt" {
			return
		}
		best, want := -1, true
		for _, x := range r.rules {
			if strings.HasPrefix(normal(path), x.pattern) &&
				(len(x.pattern) > best || len(x.pattern) == best && x.allow) {
				best, want = len(x.pattern), x.allow
			}
		}
		if open != want {
			t.Fatalf("%q of %q: %v", path, file, open)
		}
	})
}
