package picture

import (
	"slices"
	"strings"
	"testing"
)

func TestSources(t *testing.T) {
	t.Parallel()
	const data, pixel = "data:image/jpeg;base64,/9j/4AAQ", "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP"
	type attrs [][2]string
	tests := map[string]struct {
		img, sources attrs
		want         []string
	}{
		"plain": {attrs{{"src", "/a.jpg"}}, nil, []string{"/a.jpg"}},
		"data-src beside a pixel": {attrs{{"src", pixel}, {"data-src", "/a.jpg"}}, nil,
			[]string{"/a.jpg", pixel}},
		"data-src beside anything": {attrs{{"src", "/x9.gif"}, {"data-src", "/a.jpg"}}, nil,
			[]string{"/a.jpg", "/x9.gif"}},
		"data-original": {attrs{{"src", "/ph.gif"}, {"data-original", "/a.jpg"}}, nil,
			[]string{"/a.jpg"}},
		"data-url without src": {attrs{{"data-url", "/a.jpg"}}, nil, []string{"/a.jpg"}},
		"data-url of a lazy image": {attrs{{"src", "/x9.gif"}, {"class", "js-lazy"}, {"data-url", "/a.jpg"}}, nil,
			[]string{"/a.jpg", "/x9.gif"}},
		"data-url of a page": {attrs{{"src", "/a.jpg"}, {"data-url", "/post/1"}}, nil, []string{"/a.jpg"}},
		"a data attribute of a script's own": {attrs{{"data-lazy-img", "//img.example/a.jpg?v=1"}}, nil,
			[]string{"//img.example/a.jpg?v=1"}},
		"one beside a picture":        {attrs{{"src", "/a.jpg"}, {"data-hover", "/b.jpg"}}, nil, []string{"/a.jpg"}},
		"one with a word":             {attrs{{"data-id", "a.b"}}, nil, nil},
		"a set of a script's own":     {attrs{{"data-ll-srcset", "/a.jpg 800w"}}, nil, []string{"/a.jpg"}},
		"data-src that is no address": {attrs{{"src", "/a.jpg"}, {"data-src", `{"id":1}`}}, nil, []string{"/a.jpg"}},
		"two lazy attributes": {attrs{{"src", "/loading.gif"}, {"data-src", "/spacer.gif"},
			{"data-lazy-src", "/a.jpg"}}, nil, []string{"/a.jpg"}},
		"a set of widths with src": {
			attrs{{"src", "/m.jpg"}, {"srcset", "/s.jpg 100w, /m.jpg 800w, /l.jpg 1600w"}}, nil,
			[]string{"/m.jpg", "/l.jpg"}},
		"a set of widths without src": {attrs{{"src", "/x.jpg"}, {"srcset", "/s.jpg 100w, /l.jpg 1600w"}}, nil,
			[]string{"/l.jpg", "/x.jpg"}},
		"a set of densities": {attrs{{"src", "/a.jpg"}, {"srcset", "/b.jpg 2x"}}, nil,
			[]string{"/a.jpg", "/b.jpg"}},
		"a blurred picture in the text": {attrs{{"src", data}, {"srcset", "/b.jpg 2x"}}, nil, []string{"/b.jpg", data}},
		"a blurred picture of 20": {attrs{{"src", "/a.jpg?w=20&q=10"},
			{"srcset", "/a.jpg?w=20&q=10 20w, /a.jpg?w=800 800w"}}, nil, []string{"/a.jpg?w=800", "/a.jpg?w=20&q=10"}},
		"a set of data-srcset": {attrs{{"src", "data:image/svg+xml,x"},
			{"data-srcset", "/s.jpg 360w, /a.jpg 1536w"}}, nil, []string{"/a.jpg", "data:image/svg+xml,x"}},
		"a picture without src": {attrs{{"alt", "n"}}, attrs{{"srcset", "/a.jpg 800w"}}, []string{"/a.jpg"}},
		"a picture whose script has a name of its own": {attrs{{"src", "/blank.gif"}},
			attrs{{"data-lazy-srcset", "/a.jpg 800w"}}, []string{"/a.jpg"}},
		"a picture with a stand-in": {attrs{{"src", "/blank.gif"}}, attrs{{"data-srcset", "/a.jpg 800w"}},
			[]string{"/a.jpg"}},
		"a picture with its own": {attrs{{"src", "/a.jpg"}}, attrs{{"srcset", "/b.webp"}},
			[]string{"/a.jpg", "/b.webp"}},
		"nothing":        {attrs{{"src", "/img/spacer.gif"}}, nil, nil},
		"nothing at all": {nil, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m Image
			for _, a := range tt.img {
				m.Set(a[0], a[1])
			}
			for _, a := range tt.sources {
				m.SetSource(a[0], a[1])
			}
			if got := slices.Collect(m.Sources()); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestIsPlaceholder(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(
		`lazyload.gif spacer.gif blank.gif loader.svg grey.png ph.gif loading.gif ajax-loader.gif
		lazy_placeholder.gif 1x1.trans.gif transparent.png pixel.gif noimage.jpg no-photo.png placeholder-640x480.webp Blank.GIF?v=2
		img/loading_2.gif lazy.png dummy.jpg`) {
		if !IsPlaceholder("https://i.example/lib/" + name) {
			t.Errorf("%s was not recognised", name)
		}
	}
	for _, name := range strings.Fields(
		`loading-dock.jpg lazy-sunday.jpg transparent-fish.png a.jpg 2026/11/photo.jpg image.png
		pixel-9-review.jpg greyhound.jpg blank-verse.jpg clear-skies.jpg DSC_0001.jpg`) {
		if IsPlaceholder("https://placeholder.loading.example/" + name) {
			t.Errorf("%s is a picture", name)
		}
	}
}

func TestIsTiny(t *testing.T) {
	t.Parallel()
	for _, s := range strings.Fields(`/a.jpg?w=20 /a.jpg?q=1&width=32 /w_20,q_1/a.jpg /a-20x13.jpg /a_20x.jpg ` +
		`/20x0/a.jpg /a-lqip.jpg https://h.example/blur/a.jpg`) {
		if !isTiny(s) {
			t.Errorf("%s is tiny", s)
		}
	}
	for _, s := range strings.Fields(`/a.jpg /2026/11/20/a.jpg /a-20.jpg /a-2.jpg?v=20 /a-640x480.jpg /20/a.jpg ` +
		`https://20x20.example/a.jpg /a.jpg?w=800&h=20 /a@2x.jpg`) {
		if isTiny(s) {
			t.Errorf("%s is not tiny", s)
		}
	}
}

func TestWidest(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"a,b.jpg 480w,c.jpg 800w": "c.jpg", "a.jpg, b.jpg 2x": "b.jpg", "a.jpg": "a.jpg", "": "", " , ": "",
		"https://h.example/w_1,h_2/a.jpg 1x, https://h.example/w_2,h_4/a.jpg 2x": "https://h.example/w_2,h_4/a.jpg",
	} {
		if got := Widest(set); got != want {
			t.Errorf("Widest(%q) = %q, want %q", set, got, want)
		}
	}
}
