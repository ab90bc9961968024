package stream

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The content of an event is made of its header, and what a page wrote there is text.
func TestContentOfAnEvent(t *testing.T) {
	t.Parallel()
	e := Entry{Header: store.Header{
		Title: `<b>Camera</b> "X"`, Link: "https://shop.example/1?a=1&b=2", Image: "https://shop.example/1.jpg",
		Author:  "<script>alert(1)</script>",
		Snippet: "¥12,000 → ¥9,800 (−18 %)", Offer: &store.Offer{Event: "dropped"},
	}}
	b, err := new(Service).bodyIn(t.Context(), &e, origin{})
	if err != nil || b.State != ContentSummary || b.Characters == 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	for _, want := range []string{"¥12,000 → ¥9,800 (−18 %)", `href="https://shop.example/1?a=1&amp;b=2"`,
		"https://shop.example/1.jpg", "&lt;b&gt;Camera"} {
		if !strings.Contains(b.HTML, want) {
			t.Errorf("%q is not in %s", want, b.HTML)
		}
	}
	if strings.Contains(b.HTML, "<script") || strings.Contains(b.HTML, "<b>") {
		t.Errorf("markup of the page: %s", b.HTML)
	}
	e.Header = store.Header{Link: "javascript:alert(1)", Title: "x", Offer: &store.Offer{}}
	if b, _ := new(Service).bodyIn(t.Context(), &e, origin{}); strings.Contains(b.HTML, "javascript") {
		t.Errorf("%s", b.HTML)
	}
}
