package discover

import (
	"net/url"
	"slices"
	"testing"
)

func TestIcons(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		page string
		want []string
	}{
		"none": {`<title>x</title>`, nil},
		"shortcut": {`<link rel="shortcut icon" href=/f.ico>`,
			[]string{"https://site.example/f.ico"}},
		"the one that fits": {
			`<link rel=icon sizes=16x16 href=16><link rel=icon sizes=512x512 href=512><link rel=icon sizes="96x96" ` +
				`href=96><link rel=apple-touch-icon href=180><link rel=icon sizes=32x32 href=32>`,
			[]string{"https://site.example/blog/96", "https://site.example/blog/180", "https://site.example/blog/512",
				"https://site.example/blog/32"}},
		"drawings": {`<link rel=icon type=image/svg+xml href=/i><link rel=icon href=/i.SVG?1><link ` +
			`rel=mask-icon href=/m.png><link rel=icon href="data:image/png,x"><link rel="icon" href="/ok.png">`,
			[]string{"https://site.example/ok.png"}},
		"a base, and only the head": {`<base href="//cdn.example/a/"><link rel=ICON href=i.png><body><link rel=icon ` +
			`href=late.png>`, []string{"https://cdn.example/a/i.png"}},
		"twice, and sizes of no use": {`<link rel=icon sizes=any href=/i><link rel=icon sizes="-1x 99999x9" href=/i>`,
			[]string{"https://site.example/i"}},
	}
	for name, tt := range tests {
		if got := Icons("https://site.example/blog/", []byte(tt.page), "text/html"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// FuzzIcons: icons are absolute addresses of the web, each once, and few.
func FuzzIcons(f *testing.F) {
	f.Add("https://site.example/a",
		[]byte(`<base href=x><link rel="icon apple-touch-icon" sizes="1x1 64X64" href="f">`))
	f.Fuzz(func(t *testing.T, page string, body []byte) {
		got := Icons(page, body, "text/html")
		for i, address := range got {
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
				slices.Contains(got[:i], address) || i >= maxIcons {
				t.Fatalf("%q", got)
			}
		}
	})
}
