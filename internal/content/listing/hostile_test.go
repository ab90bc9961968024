package listing

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// hostilePages are made to take time or memory. They have as many bytes as a page may have, or a tenth of them in short
// tests.
func hostilePages() map[string]string {
	size, thousands := maxPage, 10
	if testing.Short() {
		size, thousands = maxPage/10, 2
	}
	rows := func(n int, row string) string {
		return "<html><body><ul>" + strings.Repeat(row, n) + "</ul></body></html>"
	}
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	fill := func(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }
	return map[string]string{
		"only text": "<html><body>" + fill("a long text without end ", size-100),
		"only rows": rows(size/90-10,
			`<li class="i"><a href="/i/1">A title</a> <b>$1.00</b> <time>2026-01-02</time></li>`),
		"only tags":          fill("<b>", size-100),
		"only one attribute": `<a href="` + fill("x", size-100) + `">`,
		"only attributes":    "<a " + fill("b ", size-100) + ">",
		"only less-than":     fill("<", size-100),
		"only scripts":       fill("<script>window.a={};</script>", size-100),
		"only entities":      "<p>" + fill("&amp;", size-100),
		"many rows": "<ul>" +
			many(`<li class="item"><h3><a href="/i/%d">A thing to buy</a></h3><p>$12.00</p><img src="/p.jpg"></li>`,
				1000*thousands) + "</ul>",
		"many rows of generated names": "<div>" +
			many(`<div class="css-%[1]dx9 sc-a%[1]d"><a class="b%[1]dq" href="/i/%[1]d">A thing %[1]d</a></div>`,
				1000*thousands) + "</div>",
		"nested links":         strings.Repeat("<div><a href=/x>", 200) + "x",
		"nested rows":          strings.Repeat(`<div class="row"><a href="/a">t</a>`, 400),
		"nested too deeply":    strings.Repeat("<div>", 5000) + "x",
		"formatting left open": "<p>" + many("<b a=%d>", 500) + fill("</p><p>x", size/10),
		"tables in tables":     fill("<table><tr><td>", 5000) + fill("<td>x", size/10),
		"foreign elements":     "<svg><title>" + fill("<a b c d e f>", size/2),
		"JSON 1,000 deep": `<script id="d" type="application/json">` + strings.Repeat(`{"a":[`, 1000) +
			"1" + strings.Repeat("]}", 1000) + "</script>",
		"JSON never closed": `<script type="application/json">` + fill(`{"a":[`, size/2) + "</script>",
		"JSON of many rows": `<script type="application/json">{"items":[` +
			many(`{"id":%[1]d,"title":"Thing %[1]d","url":"/i/%[1]d"},`, 8*1000*thousands/10) + `]}</script>`,
		"JSON of small values": `<script type="application/ld+json">[` + fill("[],", size/2) + `1]</script>`,
		"JSON-LD of lists": `<script type="application/ld+json">` +
			fill(`{"@type":"ItemList","itemListElement":[`, 4000) + "</script>",
		"variables without end": "<script>" + fill("window.a=[", size/2) + "</script>",
		"microdata": fill(`<div itemscope itemtype="https://schema.org/Product"><b itemprop="name `+
			`offers price">x</b>`, 400) + fill(`<p itemprop="name">x</p>`, size/2),
		"numbers": rows(1000*thousands,
			`<li><a href="/a">1.234.567.890.123.456.789 999 999 999 ¥</a></li>`),
	}
}

// hostileSelectors take exponential or quadratic time when they are matched without care.
var hostileSelectors = []string{
	"a a a a a a a a a a a a a a a a", "div div div div div div div div > a", "* ~ * ~ * ~ * ~ * ~ *", "*:nth-child(n)",
	"*:has(*)", "*:contains(zzz)",
	"*:not(:has(a))", "*:last-child, *:first-child, *:only-of-type", "li",
}

// Work on a page is bounded: by nodes when it is parsed, by steps when selectors are matched. The times are printed,
// not compared. C-31
func TestHostilePages(t *testing.T) {
	const url = "https://a.example/list"
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that what is seen is in use
	var worst time.Duration
	var worstMemory uint64
	for name, page := range hostilePages() {
		body := []byte(page)
		start, peak := time.Now(), watchMemory()
		d, err := Detect(t.Context(), body, "text/html; charset=utf-8", url)
		took, memory := time.Since(start), peak()
		var bad *Error
		if err != nil && (!errors.As(err, &bad) || bad.Code != CodePage) {
			t.Errorf("%s: %v", name, err)
		}
		found := 0
		if err == nil && len(d.Candidates) > 0 {
			found = len(d.Candidates[0].Page.Rows)
		}
		if found > MaxRows {
			t.Errorf("%s: %d rows", name, found)
		}
		doc, err := parsePage(t.Context(), body, "text/html; charset=utf-8", url)
		nodes := 0
		if err == nil {
			for range doc.root.Descendants() {
				nodes++
			}
		}
		if nodes > 2*maxNodes {
			t.Errorf("%s: %d nodes", name, nodes)
		}
		t.Logf("%-32s %7d nodes %4d rows %6d ms %4d MB %v", name, nodes, found, took.Milliseconds(), memory>>20, err)
		worst, worstMemory = max(worst, took), max(worstMemory, memory)
	}
	t.Logf("slowest %v, most memory %d MB", worst, worstMemory>>20)
}

// watchMemory returns a function that tells by how much the heap grew at most since.
func watchMemory() func() uint64 {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), uint64(0)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-stopped
		return max(most, before) - before
	}
}

func TestHostileSelectors(t *testing.T) {
	const url = "https://a.example/list"
	pages := hostilePages()
	for _, name := range []string{"nested links", "nested rows", "many rows"} {
		for _, s := range hostileSelectors {
			l := &Layout{Rows: Rows{Selector: s}, Fields: map[string]Field{"title": {At: s}, "link": {At: "< " + s}}}
			if s == "*:has(*)" {
				l.Fields["title"] = Field{At: s, Match: "(a?){50}b"}
			}
			start := time.Now()
			p, err := Read(t.Context(), []byte(pages[name]), "text/html", url, l)
			var bad *Error
			if err != nil && (!errors.As(err, &bad) || bad.Code != CodeLayout && bad.Code != CodePage) {
				t.Errorf("%s: %s: %v", name, s, err)
			}
			if err == nil && len(p.Rows) > MaxRows {
				t.Errorf("%s: %s: %d rows", name, s, len(p.Rows))
			}
			t.Logf("%-14s %-50s %5d ms %v", name, s, time.Since(start).Milliseconds(), err)
		}
	}
}
