package main

import (
	"fmt"
	"strings"
)

func plain() channel {
	c := channel{title: "Plain Notes", lang: "en"}
	for i, title := range []string{"On small things", "A walk at noon", "Two kinds of quiet", "What the kettle said",
		"Letters not sent"} {
		c.items = append(c.items, item{
			id: fmt.Sprintf("plain-%d", i), title: title, tags: []string{"notes"},
			html: fmt.Sprintf("<p>%s: a paragraph of plain words, long enough to be read and short enough to be "+
				"written.</p><p>And <a href=\"/a/text.txt\">a link</a> after it.</p>", title),
		})
	}
	return c
}

func nihongo() channel {
	c := channel{title: "雨の日の覚え書き", lang: "ja"}
	for i, title := range []string{"縁側で聞く雨の音について", "「読む」ための机、あるいは灯り", "三十五年目の万年筆", "梅雨の合間に本棚を動かす"} {
		c.items = append(c.items, item{
			id: fmt.Sprintf("ame-%d", i), title: title,
			html: "<p>" + title + "。" + strings.Repeat("雨が上がると、庭の石が一つずつ色を取り戻していく。それを眺めるのが好きだ。", 6) +
				"</p><p>そして<em>もう一段落</em>、<ruby>瑠璃<rt>るり</rt></ruby>色の話をする。</p>",
		})
	}
	return c
}

// growing begins with few items and gains more at the top.
func growing(name string, n int) channel {
	c := channel{title: "Growing " + name, lang: "en"}
	for i := n; i > 0; i-- {
		c.items = append(c.items, item{
			id: fmt.Sprintf("%s-%d", name, i), title: fmt.Sprintf("%s number %d", name, i),
			html: fmt.Sprintf("<p>Entry %d of %s.</p>", i, name),
		})
	}
	return c
}

// long takes three pages of the list.
func long() channel {
	c := channel{title: "The Long List", lang: "en"}
	for i := 120; i > 0; i-- {
		c.items = append(c.items, item{
			id: fmt.Sprintf("long-%d", i), title: fmt.Sprintf("Entry %03d of the long list", i),
			html: fmt.Sprintf("<p>This is entry %d.</p>", i),
		})
	}
	return c
}

// rich has what makes a page move or overflow: images of unknown size, wide code, a wide table.
func rich() channel {
	var images strings.Builder
	for i := range 60 {
		fmt.Fprintf(&images,
			`<p>Before picture %d.</p><p><img src="https://pictures.example/%d.png" alt="Picture %d"></p>`, i, i, i)
	}
	cells := strings.Repeat("<td>a cell of the table</td>", 14)
	return channel{title: "Rich Texts", lang: "en", items: []item{
		{id: "rich-images", title: "Sixty pictures of unknown size", html: images.String()},
		{id: "rich-code", title: "A long line of code", html: "<p>Code follows.</p><pre><code>" +
			strings.Repeat("let x = 1; ", 60) + "</code></pre><p>Code ended.</p>"},
		{id: "rich-table", title: "A wide table", html: "<table><thead><tr>" + strings.ReplaceAll(cells, "td>", "th>") +
			"</tr></thead><tbody>" + strings.Repeat("<tr>"+cells+"</tr>", 3) + "</tbody></table>"},
		{id: "rich-mixed", title: "Headings, lists and a quotation",
			html: "<h2>First part</h2><p>Words <code>with code</code>, <del>struck</del> <ins>set</ins>, " +
				"H<sub>2</sub>O.</p><ul><li>one</li><li>two<ol><li>inner</li></ol></li></ul><blockquote><p>Said by " +
				"somebody.</p></blockquote><h3>Second part</h3><dl><dt>Term</dt><dd>Meaning</dd></dl><figure><img " +
				"src=\"https://pictures.example/figure.png\" alt=\"A figure\"><figcaption>Its " +
				"caption</figcaption></figure><hr><details><summary>More</summary><p>Hidden until asked " +
				"for.</p></details>"},
		{id: "rich-url", title: "An address without an end: https://example.org/" + strings.Repeat("never/ending/", 12),
			html: "<p>https://example.org/" + strings.Repeat("longpathwithoutabreak", 20) + "</p>"},
	}}
}

func podcast() channel {
	return channel{title: "Spoken Words", lang: "en", items: []item{
		{id: "pod-2", title: "Episode 2: The second", html: "<p>Notes of the second.</p>",
			enclosure: `url="https://sounds.example/2.mp3" length="4194304" type="audio/mpeg"`},
		{id: "pod-1", title: "Episode 1: The first", html: "<p>Notes of the first.</p>",
			enclosure: `url="https://sounds.example/1.mp3" length="2097152" type="audio/mpeg"`},
	}}
}

// rightToLeft is written from right to left, but for one item that holds a quotation which is.
func rightToLeft() channel {
	return channel{title: "دفتر الملاحظات اليومية", lang: "ar", items: []item{
		{id: "rtl-ar", title: "القراءة في المساء: لماذا نقرأ ببطء، وماذا يبقى معنا بعد أن نغلق الكتاب ونطفئ المصباح",
			html: "<p>في المساء نقرأ ببطء. <code>let x = 1;</code></p><ul><li>سطر</li></ul><pre>let y = 2;</pre>"},
		{id: "rtl-he", title: "מחשבות על קריאה", html: "<p>אנחנו קוראים לאט בערב.</p>"},
		{id: "rtl-en", title: "A quotation", html: `<p>Words from left to right.</p><p dir="rtl">123</p>`},
	}}
}

// teasers says little: the texts are elsewhere, or not at all.
func teasers() channel {
	return channel{title: "Teasers", lang: "en", items: []item{
		{id: "tease-page", title: "The slow train to the coast", html: "The first lines of a longer story.",
			isSummary: true, page: "/pages/read.html", tags: []string{"travel", "trains"}},
		{id: "tease-file", title: "A story in a file", html: "The page of this one is no page.", isSummary: true},
		{id: "tease-bare", title: "A title and nothing else"},
		{id: "tease-undated", title: "Nobody knows when", html: "<p>The publisher gave no date.</p>", isUndated: true},
		{id: "tease-broken", title: "Pictures that do not come",
			html: `<p>Before.</p><p><img src="https://pictures.example/gone/1.png" alt="A lost ` +
				`picture"></p><p>Between.</p><p><img src="https://pictures.example/gone/2.png" alt=""></p><p>Between ` +
				`again.</p><p><img src="https://pictures.example/gone/3.png" alt="" width="320" ` +
				`height="200"></p><p>After.</p>`},
	}}
}

// longRead is a page whose article can be distinguished from the rest.
func longRead() string {
	paragraph := "<p>" +
		strings.Repeat("The line follows the river down, and every window has another field in it, with its own "+
			"weather. ", 6) + "</p>"
	return "<!doctype html><html lang=en><meta charset=utf-8><title>The slow train to the coast</title><body><nav><a " +
		"href=/>Home</a> <a href=/feeds>Feeds</a></nav><main><article><h1>The slow train to the coast</h1>" +
		strings.Repeat(paragraph, 8) + "</article></main><footer>Words about the site.</footer>"
}

// gallery has what views of a list differ in: pictures, long and short titles in two languages, and words below them.
func gallery() channel {
	titles := []string{
		"A garden seen from the train",
		"What forty years of keeping a diary taught a man who never meant to keep one, and why he stopped on a Tuesday",
		"窓辺の植物と、三日ぶりの晴れ間について書いておきたいこと。長い題は二行で切れる",
		"Rain",
		"朝の市場",
		"The smallest museum in the country",
	}
	words := []string{
		"From the left side of the carriage you see it for four seconds, between two warehouses: beans, a chair, a " +
			"red watering can.",
		"雨が上がると、庭の石が一つずつ色を取り戻していく。それを眺めるのが好きだ。今日は窓を開けて、風の音を聞いていた。",
	}
	c := channel{title: "Pictures and Words", lang: "en"}
	for i := range 24 {
		picture := fmt.Sprintf(`<p><img src="https://pictures.example/g%d.png" alt="" width="640" height="360"></p>`, i)
		if i%5 == 3 {
			picture = ""
		}
		said := words[0]
		if t := titles[i%len(titles)]; strings.ContainsAny(t, "のと") {
			said = words[1]
		}
		c.items = append(c.items, item{
			id: fmt.Sprintf("gallery-%d", i), title: titles[i%len(titles)],
			html: picture + "<p>" + said + "</p><p>" + said + "</p>",
		})
	}
	return c
}
