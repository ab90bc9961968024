package discover

import (
	"net/url"
	"slices"
	"strings"
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
			`rel=mask-icon href=/m.png><link rel="icon" href="/ok.png">`,
			[]string{"https://site.example/ok.png", "https://site.example/i", "https://site.example/i.SVG?1"}},
		"in the page itself": {`<link rel=icon href="data:image/svg+xml,<svg/>"><link rel=icon href="data:image/png,x">` +
			`<link rel=icon href="data:text/html,x">`, []string{"data:image/png,x", "data:image/svg+xml,<svg/>"}},
		"a base, and only the head": {`<base href="//cdn.example/a/"><link rel=ICON href=i.png><body><link rel=icon ` +
			`href=late.png>`, []string{"https://cdn.example/a/i.png"}},
		"twice, and sizes of no use": {`<link rel=icon sizes=any href=/i><link rel=icon sizes="-1x 99999x9" href=/i>`,
			[]string{"https://site.example/i"}},
	}
	for name, tt := range tests {
		if got, _ := Icons("https://site.example/blog/", []byte(tt.page), "text/html"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A manifest is named by the page, and its icons are relative to it.
func TestManifestIcons(t *testing.T) {
	t.Parallel()
	const page = `<base href=/a/><link rel=manifest href=site.webmanifest><link rel=manifest href=second>`
	const address = "https://site.example/a/site.webmanifest"
	if _, got := Icons("https://site.example/", []byte(page), "text/html"); got != address {
		t.Errorf("manifest %q", got)
	}
	for body, want := range map[string][]string{
		`{"icons":[{"src":"512.png","sizes":"512x512"},{"src":"/96.png","sizes":"48x48 96x96","type":"image/png"},
			{"src":"i.svg","sizes":"any"},{"src":"i","type":"image/svg+xml"},{"src":"mono.png","purpose":"monochrome"},
			{"src":"m.png","purpose":"maskable"},{"src":"both.png","sizes":"72x72","purpose":"any maskable"},
			{"src":""}]}`: {"https://site.example/a/both.png", "https://site.example/96.png",
			"https://site.example/a/512.png", "https://site.example/a/i.svg"},
		`{"icons":{}}`: nil, `[]`: nil, `<html>`: nil, ``: nil,
	} {
		if got := ManifestIcons(address, []byte(body)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// FuzzIcons: icons are absolute addresses of the web or data: URLs, each once, and few.
func FuzzIcons(f *testing.F) {
	f.Add("https://site.example/a",
		[]byte(`<base href=x><link rel="icon apple-touch-icon" sizes="1x1 64X64" href="f">`))
	f.Add("https://site.example/a", []byte(`{"icons":[{"src":"f","sizes":"64x64"},{"src":"f"}]}`))
	f.Fuzz(func(t *testing.T, page string, body []byte) {
		got, manifest := Icons(page, body, "text/html")
		lists := [][]string{got, ManifestIcons(page, body)}
		if manifest != "" {
			lists = append(lists, []string{manifest})
		}
		for _, list := range lists {
			for i, address := range list {
				u, err := url.Parse(address)
				web := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
				if !web && (address == manifest || !strings.HasPrefix(address, "data:image/")) ||
					slices.Contains(list[:i], address) || i >= maxIcons {
					t.Fatalf("%q", list)
				}
			}
		}
	})
}
