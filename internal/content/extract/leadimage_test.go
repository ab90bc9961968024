package extract

import (
	"encoding/json"
	"strings"
	"testing"
)

// The picture of an item is the one that its article shows, wherever a page that loads it late keeps the address.
func TestLeadImages(t *testing.T) {
	t.Parallel()
	const want = "https://i.example/a.jpg"
	for name, body := range map[string]string{
		"plain": `<p>Text</p><img src="https://i.example/a.jpg" width="800" height="600">`,
		"data-src": `<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///` +
			`yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" data-src="https://i.example/a.jpg" alt="a">`,
		"data-original": `<img src="https://i.example/ph.gif" class="lazy" ` +
			`data-original="https://i.example/a.jpg">`,
		"data-url":             `<img src="https://i.example/loader.svg" data-url="https://i.example/a.jpg">`,
		"a placeholder before": `<img src="https://i.example/lazyload.gif"><img src="https://i.example/a.jpg">`,
		"a picture without src": `<picture><source srcset="https://i.example/a.jpg 800w" type="image/jpeg"><img ` +
			`alt="n"></picture>`,
		"data-srcset": `<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' ` +
			`viewBox='0 0 3 2'%3E%3C/svg%3E" data-srcset="https://i.example/s.jpg 360w, https://i.example/a.jpg ` +
			`1536w">`,
		"noscript": `<img src="https://i.example/grey.png"><noscript><img ` +
			`src="https://i.example/a.jpg"></noscript>`,
		"noscript of anything": `<img src="https://i.example/x9.gif" data-id="7"> <noscript><img ` +
			`src="https://i.example/a.jpg"></noscript>`,
		"a blurred one in the text": `<img src="data:image/jpeg;base64,` + strings.Repeat("A", 3000) +
			`" srcset="https://i.example/s.jpg 1x, https://i.example/a.jpg 2x">`,
		"references in addresses": `<img src="https://i.example/x?w=20&amp;q=1" srcset="https://i.example/a.jpg 2x">`,
	} {
		inJSON, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		const rss = `<rss version="2.0"><channel><item><guid>1</guid><description>`
		for form, doc := range map[string]string{
			"CDATA": rss + `<![CDATA[` + body + `]]></description></item></channel></rss>`,
			"escaped": rss + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body) +
				`</description></item></channel></rss>`,
			"JSON": `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_html":` +
				string(inJSON) + `}]}`,
		} {
			f, err := Scan([]byte(doc), "", "https://l.example/feed", Options{})
			if err != nil || len(f.Items) != 1 || f.Items[0].Image != want {
				t.Errorf("%s, %s: %+v, %v", name, form, f.Items, err)
			}
		}
	}
	none := `<rss version="2.0" ` +
		`xmlns:media="http://search.yahoo.com/mrss/"><channel><item><guid>1</guid><media:thumbnail ` +
		`url="https://i.example/noimage.png"/><description>&lt;img ` +
		`src="https://i.example/spacer.gif"&gt;</description></item></channel></rss>`
	if f, err := Scan([]byte(none), "", "https://l.example/feed", Options{}); err != nil || f.Items[0].Image != "" {
		t.Errorf("a placeholder: %+v, %v", f.Items, err)
	}
}
