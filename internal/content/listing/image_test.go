package listing

import "testing"

// A picture that is loaded late is found wherever the page keeps its address.
func TestImagesOfRows(t *testing.T) {
	t.Parallel()
	const want = "https://shop.example/a.jpg"
	for name, row := range map[string]string{
		"src":                       `<img src="/a.jpg">`,
		"data-src":                  `<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP" data-src="/a.jpg">`,
		"data-original":             `<img src="/ph.gif" data-original="/a.jpg">`,
		"data-url":                  `<img src="/loading.gif" data-url="/a.jpg">`,
		"srcset":                    `<img src="/a.jpg?w=20" srcset="/s.jpg 320w, /a.jpg 800w">`,
		"a blurred one in the text": `<img src="data:image/jpeg;base64,/9j/4AAQ" srcset="/s.jpg 1x, /a.jpg 2x">`,
		"picture without src":       `<picture><source srcset="/a.jpg 800w"><img alt="x"></picture>`,
		"picture with src":          `<picture><source srcset="/b.webp 800w"><img src="/a.jpg"></picture>`,
		"noscript":                  `<img src="/x9.gif" class="later"><noscript><img src="/a.jpg"></noscript>`,
		"amp":                       `<amp-img src="/a.jpg" width=3 height=2></amp-img>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			layout := Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"link": {At: "a"}, "title": {At: "a"},
				"image": {At: "img, amp-img"}}}
			page := `<ul><li><a href="/1">One thing</a>` + row + `</li></ul>`
			if got := imageRead(t, layout, page); got != want {
				t.Errorf("%q", got)
			}
		})
	}
	layout := Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"link": {At: "a"}, "title": {At: "a"},
		"image": {At: "img", Attr: "srcset"}}}
	page := `<ul><li><a href="/1">One thing</a><img srcset="/s.jpg 320w, /a.jpg 800w"></li></ul>`
	if got := imageRead(t, layout, page); got != want {
		t.Errorf("srcset as the attribute of a layout: %q", got)
	}
}

func imageRead(t *testing.T, layout Layout, page string) string {
	t.Helper()
	p, err := Read(t.Context(), []byte(page), "text/html; charset=utf-8", "https://shop.example/list", &layout)
	if err != nil || len(p.Rows) != 1 {
		t.Fatalf("%v, %+v", err, p)
	}
	return p.Rows[0].Image
}
