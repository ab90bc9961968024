package extract

import (
	"fmt"
	"testing"
)

// TestSizesOfLeadImages: a size is that of the image that leads, both sides in pixels, or none. (G-61, UI.md 2.6)
func TestSizesOfLeadImages(t *testing.T) {
	t.Parallel()
	const (
		rss = `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" ` +
			`xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item><guid>1</guid>%s</item></` +
			`channel></rss>`
		body = `<description><![CDATA[<p>%s</p>]]></description>`
	)
	for in, want := range map[string]Size{
		`<media:content medium="image" url="https://a.example/1.png" width="600" height="300"/>`: {600,
			300},
		`<media:group><media:thumbnail url="https://a.example/1.png" width="64" height="48"/></media:group>`: {64, 48},
		`<itunes:image href="https://a.example/2.png"/><media:thumbnail url="https://a.example/1.png" width="64" ` +
			`height="48"/>`: {},
		`<media:thumbnail url="https://a.example/1.png" width="64"/>`:                         {},
		`<media:thumbnail url="https://a.example/1.png" width="99999999" height="-1"/>`:       {},
		fmt.Sprintf(body, `<img src="https://a.example/1.png" width="600px" height=" 300 ">`): {600, 300},
		fmt.Sprintf(body, `<img height=300 width=600 src=https://a.example/1.png />`):         {600, 300},
		fmt.Sprintf(body, `<img src="https://a.example/1.png" width="100%" height="auto">`):   {},
		fmt.Sprintf(body, `<img src="https://a.example/1.png" width="600">`):                  {},
		fmt.Sprintf(body,
			`<img src="https://b.example/beacon.png" width="1" height="1"><img src="https://a.example/1.png" alt="" `+
				`width=6 height="3">`): {6, 3},
		`<description>&lt;img src="https://a.example/1.png" width="600" height="300"&gt;</description>`: {600, 300},
	} {
		f, err := Scan([]byte(fmt.Sprintf(rss, in)), "", "https://a.example/feed", Options{})
		if err != nil || len(f.Items) != 1 || f.Items[0].Image == "" || f.Items[0].ImageSize != want {
			t.Errorf("%s\n gives %+v, %v, want %v", in, f.Items, err, want)
		}
	}
	const feed = `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","content_html":"<img ` +
		`src=\"https://a.example/1.png\" width=\"600\" height=\"300\">"}]}`
	if f, err := Scan([]byte(feed), "", "https://a.example/feed", Options{}); err != nil ||
		f.Items[0].ImageSize != (Size{600, 300}) {
		t.Errorf("JSON Feed: %+v, %v", f.Items, err)
	}
}
