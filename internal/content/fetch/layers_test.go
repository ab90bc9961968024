package fetch

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// TestLayersThatTheBytesShow: what a server says of its compression and what it does are two things.
func TestLayersThatTheBytesShow(t *testing.T) {
	t.Parallel()
	feed := []byte("\ufeff<?xml version=\"1.0\"?>" + strings.Repeat("<item>ニュース and more news</item>\n", 5000))
	gz := encode("gzip", feed)
	utf16 := []byte("\xff\xfe<\x00r\x00s\x00s\x00>\x00")
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), make([]byte, 300)...)
	for name, tt := range map[string]struct {
		announced, contentType string
		sent, want             []byte
		wire                   []byte // kept for the archive
		code                   string
	}{
		"gzip, not announced":        {"", "text/xml", gz, feed, gz, ""},
		"brotli, not announced":      {"", "text/xml", encode("br", feed), feed, nil, ""},
		"zstd, not announced":        {"", "text/xml", encode("zstd", feed), feed, nil, ""},
		"zlib, not announced":        {"", "text/xml", encode("deflate", feed), feed, nil, ""},
		"zlib, announced as gzip":    {"gzip", "text/xml", encode("deflate", feed), feed, nil, ""},
		"gzip twice, announced once": {"gzip", "text/xml", encode("gzip", gz), feed, nil, ""},
		"gzip twice, announced so":   {"gzip, gzip", "text/xml", encode("gzip", gz), feed, nil, ""},
		"gzip once, announced twice": {"gzip, gzip", "text/xml", gz, feed, gz, ""},
		"gzip twice, not announced":  {"", "text/xml", encode("gzip", gz), feed, nil, ""},
		"two codings":                {"gzip, br", "text/xml", encode("br", gz), feed, nil, ""},
		"two codings, brotli inside": {"br, gzip", "text/xml", encode("gzip", encode("br", feed)), feed, nil, ""},
		"gzip, announced as brotli":  {"br", "text/xml", gz, feed, gz, ""},
		"plain, announced as gzip":   {"gzip", "text/xml", feed, feed, nil, ""},
		"plain, announced as br":     {"br", "text/xml", feed, feed, nil, ""},
		"plain, announced as zstd":   {"zstd", "text/xml", feed, feed, nil, ""},
		"plain, announced deflated":  {"deflate", "text/xml", feed, feed, nil, ""},
		"plain, announced twice":     {"gzip, br", "text/xml", feed, feed, nil, ""},
		"plain, unknown coding":      {"compress", "text/xml", feed, feed, nil, ""},
		"JSON, announced as br":      {"br", "application/json", []byte(` {"a":1}`), []byte(` {"a":1}`), nil, ""},
		"UTF-16":                     {"", "text/xml", utf16, utf16, nil, ""},
		"UTF-16, announced as gzip":  {"gzip", "text/xml", utf16, utf16, nil, ""},
		"a picture":                  {"", "image/png", png, png, nil, ""},
		"a picture called text":      {"", "text/html", png, png, nil, ""},
		"three layers":               {"gzip", "text/xml", encode("gzip", encode("gzip", gz)), gz, nil, ""},
		"three codings":              {"gzip, br, gzip", "text/xml", feed, nil, nil, CodeBadEncoding},
		"unknown, and no text":       {"compress", "text/xml", png, nil, nil, CodeBadEncoding},
		"brotli that is none":        {"br", "text/xml", png, nil, nil, CodeBadEncoding},
		"gzip cut, not announced":    {"", "text/xml", gz[:len(gz)/2], nil, nil, CodeTruncatedBody},
		"nothing":                    {"gzip, gzip", "text/xml", nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				if tt.announced != "" {
					w.Header().Set("Content-Encoding", tt.announced)
				}
				_, _ = w.Write(tt.sent)
			})
			c := loopback(t)
			for range 2 { // buffers and decoders come from the pool
				r, err := c.Do(t.Context(), Request{URL: url})
				if code := codeOf(t, err); code != tt.code {
					t.Fatalf("code %q, want %q: %v", code, tt.code, err)
				}
				if err == nil && (!bytes.Equal(r.Body, tt.want) || !bytes.Equal(r.Wire, tt.wire) ||
					(len(r.Wire) > 0) != (r.WireEncoding == "gzip")) {
					t.Errorf("%d bytes, want %d; %d kept as %q, want %d", len(r.Body), len(tt.want), len(r.Wire),
						r.WireEncoding, len(tt.wire))
				}
				r.Release()
			}
		})
	}
}

// TestLayersStopAtTheLimit: each layer is bounded, announced or not.
func TestLayersStopAtTheLimit(t *testing.T) {
	t.Parallel()
	bomb := append([]byte("<rss>"), make([]byte, 6<<20)...)
	for name, tt := range map[string]struct {
		announced string
		sent      []byte
	}{
		"not announced": {"", encode("gzip", bomb)},
		"twice":         {"gzip", encode("gzip", encode("gzip", bomb))},
		"a large layer first": {"gzip",
			encode("gzip", append(encode("gzip", []byte("<rss>")), make([]byte, 6<<20)...))},
		"brotli inside": {"br, gzip", encode("gzip", encode("br", bomb))},
	} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", tt.announced)
			_, _ = w.Write(tt.sent)
		})
		if _, err := loopback(t).Do(t.Context(), Request{URL: url}); codeOf(t, err) != CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}
