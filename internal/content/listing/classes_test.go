package listing

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Names that tools generate are never taken; of those with a written beginning, that is.
func TestWrittenClasses(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]string{
		"qgzoJh": "", "css-d8cdf8": "", "css-1abcdef-Label": "", "sc-bcd1f2a-2": "", "sc-bdVaJa": "", "gYHUPj": "",
		"dfgHJk": "", "jsx-1234567": "", "svelte-1x2y3z": "", "x1lliihq": "", "_3kF9s": "",
		"jss123": "", "yuRUbf": "", "kUaZlW": "", "eXyVnF": "", "MjjYud": "", "makeStyles-root-12": "",
		"ProductCard_card__x1y2z": `[class^="ProductCard_card__"]`, "price--OX_YW": `[class^="price--"]`,
		"itemName__a6f87": `[class^="itemName__"]`, "Badge_root__Zq9Xk": `[class^="Badge_root__"]`,
		"item": ".item", "s-item__title": ".s-item__title", "hdrlnk": ".hdrlnk", "merPrice": ".merPrice",
		"product-card": ".product-card", "searchresultitem": ".searchresultitem", "kakaku": ".kakaku",
		"p-articles-list-item": ".p-articles-list-item", "titleLink": ".titleLink",
		"LIGHT_HIGHLIGHT": ".LIGHT_HIGHLIGHT", "btn": ".btn", "ttl": ".ttl", "col2": ".col2",
		"Product__priceValue": ".Product__priceValue",
		"hyouji":              ".hyouji", "jyutaku": ".jyutaku", "shohin": ".shohin", "tsukuri": ".tsukuri",
		"mt-4": "", "text-sm": "", "text-gray-900": "", "grid-cols-2": "", "lg:flex": "", "w-1/2": "", "rounded-md": "",
		"flex": "", "col-md-6": "", "h-full": "", "is-open": "", "item--sold": "", "odd": "",
	} {
		n := &html.Node{Type: html.ElementNode, Data: "div", Attr: []html.Attribute{{Key: "class", Val: class}}}
		if got := strings.Join(stableClasses(n), ""); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

// Of random names, hardly any is taken for a written one.
func TestRandomNamesAreNotWritten(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	r, taken := rand.New(rand.NewPCG(1, 2)), 0
	const all = 3000
	for range all {
		name := make([]byte, 6)
		for i := range name {
			name[i] = letters[r.IntN(len(letters))]
		}
		if stem, _ := written(string(name)); stem != "" {
			taken++
		}
	}
	if taken > all/100 {
		t.Errorf("%d of %d", taken, all)
	}
}
