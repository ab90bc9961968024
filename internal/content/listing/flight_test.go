package listing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// flightPage is a page as Next.js writes it: the text of the stream is cut anywhere.
func flightPage(stream string) string {
	var b strings.Builder
	b.WriteString(`<html lang="en"><body><nav><a href="/login">Log in</a></nav><div id="root">Loading…</div>` +
		`<script>(self.__next_f=self.__next_f||[]).push([0])</script>`)
	for len(stream) > 0 {
		n := min(len(stream), 97)
		part, _ := json.Marshal(stream[:n])
		fmt.Fprintf(&b, "<script>self.__next_f.push([1,%s])</script>", part)
		stream = stream[n:]
	}
	return b.String() + "</body></html>"
}

func TestReactServerComponents(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 6 {
		items = append(items, fmt.Sprintf(`{"sku":"a%d","title":"Walnut sideboard %d","url":"/items/%d","price":"$$%d,200.00",`+
			`"listedAt":"$D2026-11-%dT10:00:00.000Z","note":"$undefined","text":"$1d"}`, i, i, i+1, i+1, 10+i))
	}
	list := `5:["$","$L7",null,{"total":6,"items":[` + strings.Join(items, ",") + `]}]` + "\n"
	const before = `1:"$Sreact.fragment"` + "\n" + `:HL["/a.css","style"]` + "\n" + `2:I[9,["1","/b.js"],""]` + "\n" +
		`0:{"P":null,"b":"build","f":[["children"]]}` + "\n"
	const text = "Two lines:\n6:{}"
	long := fmt.Sprintf("1d:T%x,%s", len(text), text)
	for name, stream := range map[string]string{"a list": before + list, "behind a text": before + long + list} {
		d, err := Detect(t.Context(), []byte(flightPage(stream)), "text/html; charset=utf-8", "https://a.example/list")
		if err != nil || len(d.Candidates) == 0 {
			t.Fatalf("%s: %+v, %v", name, d, err)
		}
		c := d.Candidates[0]
		if c.Layout.Rows.JSON != "self.__next_f" || len(c.Page.Rows) != 6 {
			t.Fatalf("%s: %+v, %d rows", name, c.Layout, len(c.Page.Rows))
		}
		first := c.Page.Rows[0]
		if first.Title != "Walnut sideboard 0" || first.Link != "https://a.example/items/1" || first.Price == nil ||
			first.Price.Amount != 120_000 || first.Date.Format("2006-01-02") != "2026-11-10" {
			t.Errorf("%s: the first is %+v, %+v", name, first, first.Price)
		}
	}
	for name, stream := range map[string]string{
		"no row": "nothing", "cut short": list[:80], "no value": "1:\n2:\n:", "no size": "1:T,",
		"a text that is too long": "1d:Tffffffff,a\n",
	} {
		if d, err := Detect(t.Context(), []byte(flightPage(stream)), "text/html", "https://a.example/"); err != nil ||
			len(d.Candidates) > 0 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}
