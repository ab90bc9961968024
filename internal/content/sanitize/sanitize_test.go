package sanitize

import (
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	const base = "https://example.org/blog/post.html"
	img := func(src, alt string) string {
		return `<img src="` + src + `" alt="` + alt + `" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
	}
	a := func(href, text string) string {
		return `<a href="` + href + `" target="_blank" rel="noopener noreferrer">` + text + `</a>`
	}
	lost := func(href, text string) string {
		return `<a href="` + href + `" target="_blank" rel="noopener noreferrer" class="broken-image">` + text + `</a>`
	}
	tests := map[string]struct{ in, want string }{
		"empty":                      {"", ""},
		"only what is dropped":       {"<script>alert(1)</script>\n", ""},
		"plain text is escaped":      {`1 < 2 & "3"`, `1 &lt; 2 &amp; &#34;3&#34;`},
		"a no-break space stays":     {"&nbsp;x", "\u00a0x"},
		"ids and classes go":         {`<p id="x" class="y" data-z="1">a</p>`, "<p>a</p>"},
		"events go":                  {`<p onclick="x()">a</p>`, "<p>a</p>"},
		"styles go":                  {`<p style="position:fixed">a</p><style>p{}</style>`, "<p>a</p>"},
		"links open beside":          {`<a href="/x">t</a>`, a("https://example.org/x", "t")},
		"fragments lead to the page": {`<a href="#n1">1</a>`, a("https://example.org/blog/post.html#n1", "1")},
		"footnotes": {
			`<p>a<sup id="fnref:1"><a href="#fn:1">1</a></sup></p><ol><li id="fn:1" class="x">n <a href="#fnref:1" ` +
				`title="back">b</a></li></ol>`,
			`<p>a<sup id="ruri-fnref:1"><a href="#ruri-fn:1">1</a></sup></p><ol><li id="ruri-fn:1">n <a ` +
				`href="#ruri-fnref:1" title="back">b</a></li></ol>`},
		"with the article's address": {`<a href="https://example.org/blog/post.html#n2">2</a><p id="n2">n</p>`,
			`<a href="#ruri-n2">2</a><p id="ruri-n2">n</p>`},
		"the same id elsewhere": {`<a href="https://example.org/other#n2">2</a><p id="n2">n</p>`,
			a("https://example.org/other#n2", "2") + `<p>n</p>`},
		"named anchors": {`<a href="#x">t</a><a name="x"></a><font id="y">z</font><a href="#y">u</a>`,
			`<a href="#ruri-x">t</a><a id="ruri-x"></a><span id="ruri-y">z</span><a href="#ruri-y">u</a>`},
		"ids that come twice": {`<a href="#x">t</a><p id="x">a</p><p id="x">b</p>`,
			`<a href="#ruri-x">t</a><p id="ruri-x">a</p><p>b</p>`},
		"escaped fragments": {`<a href="#%E6%B3%A8">t</a><p id="注">a</p>`,
			`<a href="#ruri-%E6%B3%A8">t</a><p id="ruri-注">a</p>`},
		"a place that is not shown": {`<a href="#x">t</a><svg id="x"></svg>`,
			a("https://example.org/blog/post.html#x", "t")},
		"an id of the page": {`<a href="#location">t</a><p id="location">a</p>`,
			`<a href="#ruri-location">t</a><p id="ruri-location">a</p>`},
		"javascript is no link":     {`<a href="java&#10;script:alert(1)">t</a>`, "t"},
		"data is no link":           {`<a href="data:text/html,x">t</a>`, "t"},
		"an anchor without address": {`<a name="x">t</a>`, "t"},
		"disguised hosts are shown": {`<a href="https://bank.example@evil.example/">t</a>`,
			a("https://evil.example/", "t")},
		"spaces in addresses": {`<a href=" https://example.org/a b?c d ">t</a>`,
			a("https://example.org/a%20b?c%20d", "t")},
		"stray percent signs": {`<a href="https://example.org/100%/x">t</a>`,
			a("https://example.org/100%25/x", "t")},
		"international hosts": {`<a href="https://例え.jp/道">t</a>`, a("https://xn--r8jz45g.jp/%E9%81%93", "t")},
		"http images are raised": {`<img src="http://example.org/a.png" alt="A">`,
			img("https://example.org/a.png", "A")},
		"http images on other ports": {`<img src="http://example.org:8080/a.png"><img src="http://example.org:8080">`,
			lost("http://example.org:8080/a.png", "a.png") + lost("http://example.org:8080", "example.org:8080")},
		"their words stay": {`a <img src="http://example.org:8080/a.png" alt=" A &lt;b>&#10; picture "> b`,
			"a " + lost("http://example.org:8080/a.png", "A &lt;b&gt; picture") + " b"},
		"words of an image nowhere":    {`a <img src="data:image/svg+xml;base64,PHN2Zz4=" alt="A"> b`, "a A b"},
		"words of lost pictures apart": {`a<img alt="B"><img alt="C"><b>d</b>`, "a B C <b>d</b>"},
		"a link by a lost picture": {`<a href="/x"><img src="http://example.org:8080/a.png" alt="A"></a>`,
			a("https://example.org/x", "A")},
		"words once for a twin": {
			`<img data-src="http://example.org:8080/a.png" alt="A"><noscript><img ` +
				`src="http://example.org:8080/a.png" alt="A"></noscript>`, lost("http://example.org:8080/a.png", "A")},
		"counters say nothing": {
			`<img src="http://pixel.wp.com/b.gif" alt="count"><img src="/p.gif" width="1" height="1" alt="p"><img ` +
				`src="/p.gif" style="display:none" alt="q">`, ""},
		"the publisher's direction": {`<p dir="RTL">a</p><div dir="auto">b</div><p dir="x">c</p>`,
			`<p dir="rtl">a</p><div dir="auto">b</div><p>c</p>`},
		"data images": {`<img src="data:image/png;base64,iVBORw0KGgo=">`,
			img("data:image/png;base64,iVBORw0KGgo=", "")},
		"data images of SVG": {`<img src="data:image/svg+xml;base64,PHN2Zz4=">`, ""},
		"srcset goes": {`<img src="s.jpg" srcset="m.jpg 2x">`,
			img("https://example.org/blog/s.jpg", "")},
		"srcset alone gives the best": {`<img srcset="a,b.jpg 480w,c.jpg 800w">`,
			img("https://example.org/blog/c.jpg", "")},
		"lazy images are promoted": {`<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAA" data-src="/r.jpg">`,
			img("https://example.org/r.jpg", "")},
		"lazy beside a stand-in": {`<img src="/x9.gif" data-src="/r.jpg">`, img("https://example.org/r.jpg", "")},
		"data-original": {`<img src="/ph.gif" class="lazy" data-original="/r.jpg">`,
			img("https://example.org/r.jpg", "")},
		"data-url": {`<img src="/loading.gif" data-url="/r.jpg">`,
			img("https://example.org/r.jpg", "")},
		"a blurred picture in src": {
			`<img src="data:image/jpeg;base64,/9j/4AAQ" srcset="/s.jpg 100w, /r.jpg 800w">`,
			img("https://example.org/r.jpg", "")},
		"a placeholder alone": {`a<img src="/spacer.gif" alt="">b`, `ab`},
		"a picture without src": {
			`<picture><source srcset="/r.jpg 800w" type="image/jpeg"><img alt="n"></picture><img alt="m">`,
			img("https://example.org/r.jpg", "n") + " m"},
		"the twin of a stand-in": {`<img src="/x9.gif" alt="A"> <noscript><img src="/r.jpg" alt="A"></noscript>`,
			img("https://example.org/r.jpg", "A")},
		"the twin of words": {
			`x<img src="/blank.gif" alt="A"><noscript><img src="/r.jpg" alt="A"></noscript>`,
			"x" + img("https://example.org/r.jpg", "A")},
		"a counter in noscript": {
			`<img src="/r.jpg"><noscript><img src="/p.gif" width="1" height="1"></noscript>`,
			img("https://example.org/r.jpg", "")},
		"an image of AMP": {
			`<amp-img src="/r.jpg" alt="A"><noscript><img src="/r.jpg"></noscript></amp-img>`,
			img("https://example.org/r.jpg", "A")},
		"the script-free twin": {`<img data-src="/r.jpg"><noscript><img src="/r.jpg"></noscript>x`,
			img("https://example.org/r.jpg", "") + "x"},
		"noscript's own image": {`<noscript><img src="/r.jpg"></noscript>`,
			img("https://example.org/r.jpg", "")},
		"pixels by size":  {`<img src="/p.gif" width="1" height="1">`, ""},
		"pixels by style": {`<img src="/p.gif" style="width:1px;height:1px">`, ""},
		"hidden images":   {`<img src="/p.gif" style="display: none">`, ""},
		"a hairline is no pixel": {`<img src="/line.png" width="600" height="1">`,
			`<img src="https://example.org/line.png" alt="" width="600" height="1" loading="lazy" decoding="async" ` +
				`referrerpolicy="no-referrer">`},
		"pixels by address": {
			`<a href="http://feeds.feedburner.com/~ff/x"><img src="http://feeds.feedburner.com/~ff/x?d=y"></a>`, ""},
		"sizes must be numbers": {`<img src="/r.jpg" width="100%" height="40px">`,
			`<img src="https://example.org/r.jpg" alt="" height="40" loading="lazy" decoding="async" ` +
				`referrerpolicy="no-referrer">`},
		"audio": {`<audio src="/a.mp3" autoplay>x</audio>`,
			`<audio src="https://example.org/a.mp3" controls="" preload="none">x</audio>`},
		"audio with sources": {`<audio autoplay><source src="/a.mp3" type="audio/mpeg"></audio>`,
			`<audio controls="" preload="none"><source src="https://example.org/a.mp3" type="audio/mpeg"></audio>`},
		"a player without address": {`<video><p>fallback</p></video>`, "<p>fallback</p>"},
		"an unclosed player": {`<video src="/v.mp4"><p>rest</p>`,
			`<video src="https://example.org/v.mp4" controls="" preload="none"></video><p>rest</p>`},
		"a list of tasks": {
			`<ul><li><input type="checkbox" checked disabled> a</li><li><input type=CHECKBOX>b</li></ul><input value="c">`,
			"<ul><li>☑  a</li><li>☐ b</li></ul>"},
		"self-closing as in XML": {`<iframe src="x"/><video src="/v.mp4"/><i class="icon"/>rest`,
			`<video src="https://example.org/v.mp4" controls="" preload="none"></video>rest`},
		"svg goes, the article stays": {`<svg><path/>x<p>rest</p>`, "<p>rest</p>"},
		"what a chart says": {
			`a<svg role="img" aria-label="Sales by year"><style>.x{}</style><text>2024</text></svg>b`,
			"a Sales by year b"},
		"the texts of a chart": {
			`<p><svg><g><text x="1">2024</text><text>12 <tspan>%</tspan></text></g></svg></p>`, "<p>2024 12 %</p>"},
		"the title of a drawing": {`<svg><title>t</title><script>x()</script></svg>c`, "t c"},
		"ornaments say nothing":  {`<svg aria-hidden="true"><title>Icon</title></svg>c`, "c"},
		"a formula": {
			`<p>A <math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mn>1</mn><mn>2</mn></mfrac></math> B</p>`,
			`<p>A <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> B</p>`},
		"a formula of KaTeX": {
			`A <span class="katex"><span ` +
				`class="katex-mathml"><math><semantics><mrow><msup><mi>e</mi><mi>x</mi></msup></mrow><annotation ` +
				`encoding="application/x-tex">e^{x}</annotation></semantics></math></span><span class="katex-html" ` +
				`aria-hidden="true"><span class="mord">e</span><span class="msupsub">x</span></span></span> B`,
			`A <math><mrow><mrow><msup><mi>e</mi><mi>x</mi></msup></mrow></mrow></math> B`},
		"a formula of MathJax 2": {
			`A <span class="MathJax_Preview">e^x</span><span class="MathJax" ` +
				`id="M"><nobr><span>ex</span></nobr><span ` +
				`class="MJX_Assistive_MathML"><math><msup><mi>e</mi><mi>x</mi></msup></math></span></span><script ` +
				`type="math/tex">e^x</script> B`, `A <math><msup><mi>e</mi><mi>x</mi></msup></math> B`},
		"MathJax 2 without MathML": {
			`A <div class="MathJax_Display"><span class="MathJax"><nobr><span>ex</span></nobr></span></div><script ` +
				`type="math/tex; mode=display">e^{x}</script> B`, `A <code>e^{x}</code> B`},
		"a formula of MathJax 3": {
			`A <mjx-container class="MathJax" ` +
				`jax="SVG"><svg><text>x</text></svg><mjx-assistive-mml><math><msqrt><mn>2</mn></msqrt></math></` +
				`mjx-assistive-mml></mjx-container> B`, `A <math><msqrt><mn>2</mn></msqrt></math> B`},
		"MathML with its picture": {
			`<span class="mwe-math-element"><span style="display: none;"><math ` +
				`alttext="x"><mi>x</mi></math></span><img src="/x.svg" alt="x"></span>, y`,
			`<math alttext="x"><mi>x</mi></math>, y`},
		"TeX in a script": {`A <script type="math/tex">% <![CDATA[ a < b %]]></script> B`,
			`A <code>a &lt; b</code> B`},
		"MathML in a script": {`A <script type="math/mml"><math><mi>x</mi></math></script> B`,
			`A <math><mi>x</mi></math> B`},
		"a formula that stays open": {`<p>A <math><mi>x</mi><p>B</p>`, `<p>A <math><mi>x</mi></math></p><p>B</p>`},
		"a formula between cells": {
			`<table><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math><tr><td>a</td></tr></table>`,
			`<table>1/2 <tr><td>a</td></tr></table>`},
		"a rendering that stays open": {`A <span class="katex"><math><mi>x</mi></math><span>x<p>B</p>`,
			`A <math><mi>x</mi></math><p>B</p>`},
		"picture becomes its image": {`<picture><source srcset="b.webp"><img src="a.jpg"></picture>`,
			img("https://example.org/blog/a.jpg", "")},
		"unknown elements unwrap":  {`<font color="red">a</font><blink>b</blink>`, "ab"},
		"sections become divs":     {`<article><section>a</section></article>`, "<div><div>a</div></div>"},
		"open elements are closed": {`<ul><li>a<li><b>b`, "<ul><li>a</li><li><b>b</b></li></ul>"},
		"stray end tags go":        {`</div>a</p></body></html>b`, "ab"},
		"misnested":                {`<b><i>mis</b>nested</i> tail`, "<b><i>mis</i></b>nested tail"},
		"paragraphs end at blocks": {`<p>a<div>b</div>c`, "<p>a</p><div>b</div>c"},
		"a link around a block": {`<p><a href="/x"><div>b</div></a></p>`,
			a("https://example.org/x", "<div>b</div>")},
		"links do not nest": {`<a href="/x">a<a href="/y">b</a></a>`, a("https://example.org/x", "a") +
			a("https://example.org/y", "b")},
		"empty elements vanish": {`<p><b><i></i></b></p><div></div>`, ""},
		"table rows are implied": {`<table><tr><td>a<td>b<tr><td>c</table>`,
			"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"},
		"cells outside a table": {`<td>a</td>`, "a"},
		"end tags stay in their cell": {`<div><table><tr><td>a</div>b</table></div>`,
			"<div><table><tr><td>ab</td></tr></table></div>"},
		"table attributes": {`<table border=1><tr><th scope="col" colspan="2" width=9>a</th></tr></table>`,
			`<table><tr><th colspan="2" scope="col">a</th></tr></table>`},
		"lists keep their numbers": {`<ol start="3" type="a" reversed><li value="9">a</ol>`,
			`<ol start="3" type="a" reversed=""><li value="9">a</li></ol>`},
		"language and direction": {`<p xml:lang="ja" dir="RTL">a</p><span lang="en">b</span><span>c</span>`,
			`<p lang="ja" dir="rtl">a</p><span lang="en">b</span>c`},
		"code keeps its lines": {"<pre><code>a\n\tb &lt;c&gt;</code></pre>",
			"<pre><code>a\n\tb &lt;c&gt;</code></pre>"},
		"ruby":        {`<ruby>漢<rt>かん</rt></ruby>`, "<ruby>漢<rt>かん</rt></ruby>"},
		"comments go": {`a<!-- <b>x</b> -->b`, "ab"},
		"controls go": {"a\x00\x08b&#1;c", "abc"},
		"windows-1252 as C1": {"a\u0092b \u0081<abbr title=\"\u0093\">c</abbr>",
			"a’b <abbr title=\"“\">c</abbr>"},
		"broken UTF-8": {"a\xffb", "a\uFFFDb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := HTML(tt.in, base)
			if got != tt.want {
				t.Errorf("HTML(%q)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if again := HTML(got, base); again != got {
				t.Errorf("again: %s", again)
			}
		})
	}
}

func TestSecure(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://x.example/a%20b.png": "https://x.example/a%20b.png",
		"https://x.example:8443/":     "https://x.example:8443/",
		"http://x.example/a.png?b#c":  "https://x.example/a.png?b#c",
		"http://x.example:80/a.png":   "https://x.example/a.png",
		"http://x.example:8080/a.png": "", "ftp://x.example/": "", "/a.png": "", "": "", "http://%zz/": "",
	} {
		if got := Secure(address); got != want {
			t.Errorf("Secure(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestLinksToTheArticleItself(t *testing.T) {
	t.Parallel()
	const link = "https://www.example.org/post/?utm_source=feed"
	for href, isInside := range map[string]bool{
		"#n": true, "https://example.org/post#n": true, "http://www.example.org/post/#n": true,
		"?utm_source=feed#n":          true,
		"https://example.org/other#n": false, "https://example.org/post?page=2#n": false,
		"https://example.com/post#n": false, "mailto:a@b#n": false,
	} {
		out := Article(`<a href="`+href+`">1</a><p id="n">n</p>`, "https://example.org/", link)
		if strings.Contains(out, `href="#ruri-n"`) != isInside {
			t.Errorf("%s: %s", href, out)
		}
	}
}

func TestDataImagesAreBounded(t *testing.T) {
	t.Parallel()
	picture := func(alt string, size int) string {
		return `<img src="data:image/png;base64,` + strings.Repeat("A", size) + `" alt="` + alt + `">`
	}
	in := "<p>start</p>" + picture("p1", 300<<10) + picture("p2", 600<<10) + picture("p3", 400<<10) +
		picture("p4", 400<<10) + "<p>end</p>"
	out := HTML(in, "")
	if n := strings.Count(out, "<img"); n != 2 || !strings.Contains(out, "> p2 <img") ||
		!strings.Contains(out, "> p4 <p>end</p>") {
		t.Errorf("%d pictures: %s", n, strings.ReplaceAll(out, "AAAA", ""))
	}
	if again := HTML(out, ""); again != out {
		t.Error("not stable")
	}
}

func TestHTMLWithoutBaseDropsRelativeAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "not an address", "urn:x:y", "javascript:alert(1)"} {
		if got := HTML(`<a href="/x">t</a><img src="/y.png">`, base); got != "t" {
			t.Errorf("base %q: %q", base, got)
		}
	}
}

func TestDepthAndSizeAreBounded(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"deep":            strings.Repeat("<div>", 30_000) + "core" + strings.Repeat("</div>", 30_000),
		"deep and mixed":  strings.Repeat("<blockquote><b><p>", 20_000) + "core",
		"long text":       strings.Repeat("日本語&", 120_000),
		"many paragraphs": strings.Repeat("<p>x", 200_000),
		"amplifying": strings.Repeat(`<a href="https://example.org/`+strings.Repeat("x", 3000)+`">`, 3) +
			strings.Repeat("<p>", 200_000),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := HTML(in, "https://example.org/")
			if len(out) > maxOutput {
				t.Errorf("%d bytes", len(out))
			}
			if again := HTML(out, "https://example.org/"); again != out {
				t.Errorf("not stable: %d bytes, then %d", len(out), len(again))
			}
			if deep := depth(out); deep > maxDepth {
				t.Errorf("depth %d", deep)
			}
			if strings.Contains(in, "core") && !strings.Contains(out, "core") {
				t.Error("the text at the bottom is lost")
			}
		})
	}
}

// depth is the deepest nesting of balanced markup; an unbalanced one counts as endless.
func depth(markup string) int {
	open, deepest := 0, 0
	for _, part := range strings.Split(markup, "<")[1:] {
		name := strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == '>' })[0]
		switch {
		case strings.HasPrefix(name, "/"):
			open--
		case !void[name]:
			open++
		}
		deepest = max(deepest, open)
	}
	if open != 0 {
		return 1 << 30
	}
	return deepest
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain":               {"  a\n b ", "a b"},
		"references":          {"AT&amp;T &eacute;", "AT&T é"},
		"escaped markup":      {"&lt;b&gt;x", "<b>x"},
		"tags":                {"<b>a</b>b", "ab"},
		"blocks stay apart":   {"<p>a</p><p>b</p><table><tr><td>c</td><td>d</td></tr></table>e<br>f", "a b c d e f"},
		"scripts go":          {"a<script>x</script><style>y</style>b", "ab"},
		"noscript is content": {"<noscript><p>a</p></noscript>", "a"},
		"an iframe as in XML": {"<iframe/>a", "a"},
		"an open svg":         {"<svg>x<p>a</p>", "a"},
		"a lone less-than":    {"1 < 2", "1 < 2"},
		"readings go":         {"<ruby>東<rp>(</rp><rt>とう<rp>)</rp>京<rt>きょう</ruby>都<rt>a</rt>", "東京都a"},
		"an open ruby":        {"<ruby>東<rt>とう<p>a</p>", "東 a"},
		"a formula":           {"<p>A <math><msup><mi>e</mi><mn>2</mn></msup></math>B</p>", "A e^2B"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzHTML holds the promises of the package comment against any input.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		`<p>a<a href="/x" onclick=y>b</a><img src=c.png>`, `<table><tr><td><p>x</table>`,
		`<video><source src=/a></video>`,
		`<svg><style><img src=x onerror=alert(1)></style>`, `<p><a href=x><div>y`,
		`<math><mtext><table><mglyph><style><!--`,
		`<noscript><p title="</noscript><img src=x onerror=1>">`, "<ruby>a<rt>b</ruby>", "&lt;&amp;&#0;&#x110000;",
		"<li><dl><dt><li>",
		`<a href="http://a%zz/%20?q= #f">x</a>`, `<img srcset="a 1x, b 2x" data-src='//h/p'>`, "<b/><p/><td/>",
		`<p>a<iframe src="//www.youtube.com/embed/dQw4w9WgXcQ" title=t>`,
		`<table><embed src=https://player.vimeo.com/video/1><td>`,
		`<img src="http://h:81/a.png" alt=b>`, `<p class=embed><a class=broken-image href=http://h>`,
		`<a href=#x>t</a><p id=x>`, `<a name=x id=y><a href=#y><a href=#x>`, `<table><a href=#x><td id=x>`,
		`<a href="#ruri-ruri-x%"><b id="ruri-ruri-x%">`,
		`<span class=katex><math><mi>x</mi></math><span>x</span></span>`,
		`<div class=MathJax_Display>x</div><script type=math/tex>y`, `<svg><title>t</title><text>x<b>`,
		`<img src=x.gif><noscript><img src=/a.png></noscript>`,
		`<math><mtext><img src=x><table><mglyph><style><!--</style>`,
	} {
		f.Add(seed, "https://example.org/a/b?c#d")
	}
	f.Fuzz(func(t *testing.T, in, base string) {
		out := HTML(in, base)
		if again := HTML(out, base); again != out {
			t.Fatalf("not stable\n in: %q\nout: %q\n2nd: %q", in, out, again)
		}
		if v := violation(fragment(t, out)); v != "" {
			t.Fatalf("%s\n in: %q\nout: %q", v, in, out)
		}
		if d := depth(out); d > maxDepth {
			t.Fatalf("depth %d\n in: %q\nout: %q", d, in, out)
		}
		if ours := withPlaces(clean(out, maxInput), parseBase(base), parseBase(base)); ours != out {
			t.Fatalf("the two allow-lists differ\n in: %q\nout: %q\nours: %q", in, out, ours)
		}
		if text := Text(in); strings.Join(strings.Fields(text), " ") != text {
			t.Fatalf("text with loose white space: %q", text)
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	in := strings.Repeat(`<p class="x">Some <b>bold</b> text with <a href="/link?a=1&amp;b=2">a link</a> and <img `+
		`src="i.png" alt="pic" width="640"> more text, and then some more so that tags are not everything.</p>`, 20)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		HTML(in, "https://example.org/post")
	}
}

// Both walls stand in HTML's way: with a second one that lets no markup through, none comes out. Not parallel: it
// replaces the policy of the package, before the parallel tests begin.
// G-37
func TestPolicyAlone(t *testing.T) { //nolint:paralleltest // see above
	real := policy
	policy = bluemonday.StrictPolicy
	defer func() { policy = real }()
	if got := HTML("<p>a <em>b</em></p>", ""); got != "a b" {
		t.Errorf("%q passed bluemonday by", got)
	}
}

// A frame of a known player becomes a link to the player's page, so that no third party is contacted before the click.
// G-37
func TestEmbeddedPlayersBecomeLinks(t *testing.T) {
	t.Parallel()
	box := func(href, text string) string {
		return `<p class="embed"><a href="` + href + `" target="_blank" rel="noopener noreferrer">` + text + `</a></p>`
	}
	const youTube = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
	tests := map[string]struct{ in, want string }{
		"YouTube": {
			`<p>a<iframe width="560" height="315" src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0" title="A ` +
				`&lt;film>">old browsers</iframe>b</p>`, "<p>a</p>" + box(youTube, "YouTube: A &lt;film&gt;") + "b"},
		"without cookies": {`<iframe src="//www.youtube-nocookie.com/embed/dQw4w9WgXcQ"></iframe>`,
			box(youTube, "YouTube")},
		"a list": {`<iframe src="https://www.youtube.com/embed/videoseries?si=x&amp;list=PL_1-2"></iframe>`,
			box("https://www.youtube.com/playlist?list=PL_1-2", "YouTube")},
		"lazily loaded": {
			`<iframe src="about:blank" ` +
				`data-src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe><noscript><iframe ` +
				`src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe></noscript>`, box(youTube, "YouTube")},
		"object and embed": {
			`<object width="425" height="344"><param name="movie" ` +
				`value="http://www.youtube.com/v/dQw4w9WgXcQ&amp;hl=en"><param name="wmode" ` +
				`value="transparent"><embed src="http://www.youtube.com/v/dQw4w9WgXcQ&amp;hl=en" ` +
				`type="application/x-shockwave-flash"></embed></object>`, box(youTube, "YouTube")},
		"in a link": {`<a href="/x">a<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>b</a>`,
			`<a href="https://example.org/x" target="_blank" rel="noopener noreferrer">a</a>` +
				box(youTube, "YouTube") + "b"},
		"Vimeo": {`<iframe src="https://player.vimeo.com/video/1234"></iframe>`,
			box("https://vimeo.com/1234", "Vimeo")},
		"Vimeo, unlisted": {`<iframe src="https://player.vimeo.com/video/1234?h=ab12&amp;dnt=1"></iframe>`,
			box("https://vimeo.com/1234/ab12", "Vimeo")},
		"Dailymotion": {`<iframe src="https://www.dailymotion.com/embed/video/x8abc"></iframe><iframe ` +
			`src="https://geo.dailymotion.com/player/x1.html?video=x9abc"></iframe>`,
			box("https://www.dailymotion.com/video/x8abc", "Dailymotion") +
				box("https://www.dailymotion.com/video/x9abc", "Dailymotion")},
		"Niconico": {`<iframe src="https://embed.nicovideo.jp/watch/sm9?from=1"></iframe>`,
			box("https://www.nicovideo.jp/watch/sm9", "ニコニコ動画")},
		"Bilibili": {
			`<iframe src="//player.bilibili.com/player.html?aid=170001&amp;bvid=BV17x411w7KC"></iframe>`,
			box("https://www.bilibili.com/video/BV17x411w7KC", "bilibili")},
		"Twitch": {`<iframe src="https://player.twitch.tv/?channel=abc&amp;parent=x.example"></iframe>`,
			box("https://www.twitch.tv/abc", "Twitch")},
		"Spotify": {`<iframe src="https://open.spotify.com/embed/episode/4rOoJ6?utm_source=g"></iframe>`,
			box("https://open.spotify.com/episode/4rOoJ6", "Spotify")},
		"SoundCloud": {
			`<iframe src="https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/12&amp;auto_play=` +
				`false"></iframe>`,
			box("https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/12&amp;auto_play=false",
				"SoundCloud")},
		"SoundCloud by name": {
			`<iframe src="https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fa%2Fb&amp;color=red"></` +
				`iframe>`, box("https://soundcloud.com/a/b", "SoundCloud")},
		"Apple Podcasts": {`<iframe src="https://embed.podcasts.apple.com/us/podcast/a/id1?i=2"></iframe>`,
			box("https://podcasts.apple.com/us/podcast/a/id1?i=2", "Apple Podcasts")},
		"Bandcamp": {`<iframe src="https://bandcamp.com/EmbeddedPlayer/album=1/size=large/"></iframe>`,
			box("https://bandcamp.com/EmbeddedPlayer/album=1/size=large/", "Bandcamp")},
		"Bluesky": {`<iframe src="https://embed.bsky.app/embed/did:plc:a1/app.bsky.feed.post/3kx?id=1"></iframe>`,
			box("https://bsky.app/profile/did:plc:a1/post/3kx", "Bluesky")},
		"X": {`<iframe src="https://platform.twitter.com/embed/Tweet.html?dnt=false&amp;id=20&amp;lang=en"></iframe>`,
			box("https://x.com/i/status/20", "X")},
		"Instagram": {`<iframe src="https://www.instagram.com/reel/C1-x_/embed/captioned/"></iframe>`,
			box("https://www.instagram.com/p/C1-x_/", "Instagram")},
		"TikTok": {`<iframe src="https://www.tiktok.com/embed/v2/7123"></iframe>`,
			box("https://www.tiktok.com/@/video/7123", "TikTok")},
		"Streamable": {`<iframe src="https://streamable.com/e/abc1"></iframe>`, box("https://streamable.com/abc1",
			"Streamable")},
		"CodePen": {`<iframe title="A pen" src="https://codepen.io/ann-b/embed/preview/xYz?height=300"></iframe>`,
			box("https://codepen.io/ann-b/pen/xYz", "CodePen: A pen")},
		"a chart": {`<iframe title="Rain" src="https://datawrapper.dwcdn.net/aB1c/3/"></iframe>`,
			box("https://datawrapper.dwcdn.net/aB1c/3/", "Datawrapper: Rain")},
		"another": {`<iframe src="https://flo.uri.sh/visualisation/12/embed"></iframe>`,
			box("https://flo.uri.sh/visualisation/12/embed", "Flourish")},
		"a map": {`<iframe src="https://www.google.com/maps/embed?pb=x"></iframe>`,
			box("https://www.google.com/maps/embed?pb=x", "Google Maps")},
		"Mastodon": {`<iframe src="https://social.example/@ann/100254678717223630/embed"></iframe>`,
			box("https://social.example/@ann/100254678717223630", "social.example")},
		"TED": {`<iframe src="https://embed.ted.com/talks/a_b"></iframe>`,
			box("https://www.ted.com/talks/a_b", "TED")},
		"PeerTube": {
			`<iframe src="https://video.example/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d"></iframe>`,
			box("https://video.example/videos/watch/9c9de5e8-0a1e-484a-b099-e80766180a6d", "video.example")},
		"other frames go": {
			`a<iframe src="https://ads.example/x"></iframe><iframe ` +
				`src="https://www.youtube.com/about"></iframe><iframe ` +
				`src="https://notyoutube.com/embed/dQw4w9WgXcQ"></iframe>b`, "ab"},
		"hidden frames go": {
			`a<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" width="0" height="0"></iframe>b`, "ab"},
		"scripts go": {`<iframe src="javascript:alert(1)//youtube.com/embed/dQw4w9WgXcQ"></iframe>`, ""},
		"two players": {
			`<iframe src="https://player.vimeo.com/video/1"></iframe><iframe ` +
				`src="https://player.vimeo.com/video/2"></iframe>`, box("https://vimeo.com/1", "Vimeo") +
				box("https://vimeo.com/2", "Vimeo")},
	}
	for name, tt := range tests {
		got := HTML(tt.in, "https://example.org/post")
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, tt.want)
		}
		if again := HTML(got, "https://example.org/post"); again != got {
			t.Errorf("%s, again: %s", name, again)
		}
	}
}
