package fetch

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

func TestCheckURLCanonicalForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"HTTP://A.Example:80/Feed#x":       "http://a.example/Feed",
		"https://a.example.:443":           "https://a.example",
		"https://a.example:8443/?q=1":      "https://a.example:8443/?q=1",
		"http://例え.example/é":              "http://xn--r8jz45g.example/%C3%A9",
		"http://me:pw@a.example/":          "http://me:pw@a.example/",
		"http://[2606:4700:4700:0::1111]/": "http://[2606:4700:4700::1111]/",
		"http://a_b.example/a b":           "http://a_b.example/a%20b",
		"http://a.example/?q=\\x":          "http://a.example/?q=\\x",
	} {
		u, err := CheckURL(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		} else if u.String() != want {
			t.Errorf("%q: %q, want %q", in, u, want)
		}
	}
	for _, in := range []string{
		"http://a..example/", "http://.example/", "http://a.example../", "http://a.example:0/", "http://a.example:080/",
		"http://a.example:65536/", "http://a.example:99999999999999999999/",
		"http://" + strings.Repeat("a", 64) + ".example/",
		"http://a.example/" + strings.Repeat("x", reader.MaxLink),
		"http://a.example/?" + strings.Repeat("\xb7", reader.MaxLink/2),
		"http://a.example/" + strings.Repeat("瑠", reader.MaxLink/6),
		"http://a.0x/", "http://a!b.example/", "//a.example/", "/x", "http:a",
	} {
		if u, err := CheckURL(in); err == nil || err.(*Error).Code != CodeBadURL {
			t.Errorf("%.60q: accepted as %v", in, u)
		}
	}
}

func TestHostOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://A.example/x": "a.example", "https://a.example:443/y": "a.example", "https://a.example.": "a.example",
		"http://a.example:443/": "a.example:443", "http://u:p@a.example:8080/": "a.example:8080",
		"http://[2606:4700::1]:80/": "[2606:4700::1]", "ftp://a.example/": "", "": "",
	} {
		if got := HostOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{
		"http://a.example/", "https://user:pw@EXAMPLE.com.:443/p?q#f", "http://[::1%25lo]/",
		"http://0x7f.1/", "http://例え/",
		"http://a\\@b/", "http://①②⑦.1/", "http://a:b@c:d@e/", "http://%31/", "http://[::ffff:1.2.3.4]:80",
		"http://a/?\xff \"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		u, err := CheckURL(in)
		if err != nil {
			if err.(*Error).Code != CodeBadURL {
				t.Errorf("%q: %v", in, err)
			}
			return
		}
		host := u.Hostname()
		for i := range len(host) {
			if c := host[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("%\\@/?#<>^|A", c) >= 0 {
				t.Errorf("%q: host %q", in, host)
			}
		}
		if endsInNumber(host) && !strings.HasPrefix(u.Host, "[") {
			if _, err := netip.ParseAddr(host); err != nil {
				t.Errorf("%q: number %q is a name", in, host)
			}
		}
		if line := u.RequestURI(); strings.ContainsAny(line, " \r\n\x00") {
			t.Errorf("%q: request line %q", in, line)
		}
		again, err := CheckURL(u.String())
		if err != nil || again.Host != u.Host || again.String() != u.String() {
			t.Errorf("%q: once %q, twice %v, %v", in, u, again, err)
		}
	})
}

func FuzzRedirectTarget(f *testing.F) {
	for _, s := range []string{"/a", "//b.example", "\\\\127.0.0.1\\", "https://x@127.0.0.1/", "?q", "#f", "http:///x",
		"a:b", "?" + strings.Repeat("\xb7", reader.MaxLink/2)} {
		f.Add(s)
	}
	from, _ := CheckURL("https://ok.example/feed")
	f.Fuzz(func(t *testing.T, location string) {
		to, failure := target(from, &http.Response{Header: http.Header{"Location": {location}}})
		if failure != nil {
			return
		}
		if _, err := CheckURL(to.String()); err != nil || to.User != nil {
			t.Errorf("%q leads to %v, %v", location, to, err)
		}
	})
}
