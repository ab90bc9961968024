package discover

import "testing"

func TestKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, contentType, want string }{
		{"nothing", "", "application/rss+xml", Nothing},
		{"only spaces", "\ufeff \r\n", "text/html", Nothing},
		{"a list of feeds", `<?xml version="1.0"?><opml version="2.0"><body/></opml>`, "text/xml", List},
		{"a list that is called a page", "\ufeff<!-- made by x --><opml>", "text/html", List},
		{"a sitemap", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "", SiteMap},
		{"a list of sitemaps", "<sitemapindex>", "application/xml", SiteMap},
		{"a damaged feed", `<?xml version="1.0"?><rss version="2.0"><chan`, "text/xml", BrokenFeed},
		{"with a prefix", `<rdf:RDF>`, "text/xml", BrokenFeed},
		{"a PDF", "%PDF-1.7\n", "text/html", PDF},
		{"a PDF behind a wrong name", "\x00\x01", "application/pdf", PDF},
		{"a picture", "\x89PNG\x0d\x0a\x1a\x0a", "", Picture},
		{"AVIF", "\x00\x00\x00\x1cftypavif\x00", "image/avif", Picture},
		{"a drawing", `<svg xmlns="http://www.w3.org/2000/svg">`, "image/svg+xml", Picture},
		{"an episode", "ID3\x03", "audio/mpeg", Recording},
		{"JSON", `{"ok": true}`, "application/json", Data},
		{"JSON as text", `[1, 2]`, "text/plain", Data},
		{"other XML", `<?xml version="1.0"?><note/>`, "text/xml", Data},
		{"XML by its label", `<note/>`, "application/xml", Data},
		{"text", "Hello, world.", "text/plain; charset=utf-8", PlainText},
		{"a zip", "PK\x03\x04", "application/zip", OtherFile},
		{"bytes", "\x00\x01\x02", "", OtherFile},
		{"a page", "<!DOCTYPE html><title>x</title>", "", ""},
		{"a page by its label", "Hello.", "text/html", ""},
		{"XHTML", `<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">`, "application/xhtml+xml", ""},
		{"markup", "<section>x</section>", "", ""},
	} {
		if got := Kind([]byte(c.body), c.contentType); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
