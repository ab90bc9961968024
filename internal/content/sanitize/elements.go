package sanitize

// An element's treatment when its start tag is met. Elements in none of the tables lose their tags and keep their
// content.

// shown maps an element to the one that is sent in its place. Presentational and sectioning elements
// become their nearest plain relative, so that blocks stay apart and emphasis survives.
var shown = map[string]string{
	"p": "p", "br": "br", "a": "a", "ul": "ul", "ol": "ol", "li": "li", "blockquote": "blockquote",
	"pre": "pre", "code": "code", "strong": "strong", "em": "em", "img": "img",
	"h1": "h1", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6",
	"table": "table", "caption": "caption", "colgroup": "colgroup", "col": "col", "thead": "thead",
	"tbody": "tbody", "tfoot": "tfoot", "tr": "tr", "th": "th", "td": "td",
	"figure": "figure", "figcaption": "figcaption", "hr": "hr", "dl": "dl", "dt": "dt", "dd": "dd",
	"details": "details", "summary": "summary", "audio": "audio", "video": "video", "source": "source",
	"del": "del", "ins": "ins", "sub": "sub", "sup": "sup", "b": "b", "i": "i", "u": "u", "s": "s",
	"kbd": "kbd", "samp": "samp", "var": "var", "abbr": "abbr", "cite": "cite", "dfn": "dfn", "q": "q",
	"small": "small", "mark": "mark", "time": "time", "bdi": "bdi", "bdo": "bdo", "wbr": "wbr",
	"ruby": "ruby", "rb": "rb", "rt": "rt", "rp": "rp", "rtc": "rtc", "div": "div", "span": "span",

	"image": "img", "amp-img": "img", "tt": "code", "strike": "s", "acronym": "abbr", "listing": "pre",
	"menu": "ul", "dir": "ul",
	"section": "div", "article": "div", "main": "div", "header": "div", "footer": "div", "aside": "div",
	"nav": "div", "address": "div", "center": "div", "hgroup": "div", "search": "div", "form": "div",
	"fieldset": "div", "legend": "div", "dialog": "div", "body": "div",
}

// dropped elements go with everything inside them. For those that are true, the start of a block ends
// the dropping, as HTML itself does for foreign content: an end tag that was forgotten must not
// swallow the rest of the article.
var dropped = map[string]bool{
	"script": false, "style": false, "iframe": false, "noembed": false, "noframes": false,
	"textarea": false, "title": false, "xmp": false, "plaintext": false, "template": false,
	"svg": true, "select": true, "datalist": true, "annotation": true, "annotation-xml": true,
	"frameset": true, "mjx-math": true,
}

// rawText are the dropped elements whose content the tokenizer hands over as one text.
var rawText = set("script", "style", "iframe", "noembed", "noframes", "noscript", "textarea", "title",
	"xmp", "plaintext")

// void elements have no content and no end tag.
var void = set("br", "hr", "img", "wbr", "col", "source")

// block elements end an open paragraph, as the HTML standard requires for their start tags.
var block = set("p", "div", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "figure", "figcaption",
	"details", "summary", "table", "hr", "h1", "h2", "h3", "h4", "h5", "h6")

// formatting elements are opened again after a block that they were meant to enclose.
var formatting = set("a", "strong", "em", "b", "i", "u", "s", "small", "mark", "code", "del", "ins", "span",
	"cite", "q", "sub", "sup")

// tablePart elements mean something only inside a table; elsewhere a browser drops their tags, so we do.
var tablePart = set("caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td")

// keepEmpty elements mean something when empty; all others are removed when empty.
var keepEmpty = set("td", "th", "colgroup")

// implied lists, for a start tag, the open elements that it ends, and those that hide them: the search
// goes from the innermost outwards and stops at a hiding one.
var implied = map[string]struct{ ends, within map[string]bool }{
	"li":  {set("li"), set("ul", "ol", "table")},
	"dt":  {set("dt", "dd"), set("dl", "table")},
	"dd":  {set("dt", "dd"), set("dl", "table")},
	"rt":  {set("rt", "rp", "rb"), set("ruby", "table")},
	"rp":  {set("rt", "rp", "rb"), set("ruby", "table")},
	"rb":  {set("rt", "rp", "rb", "rtc"), set("ruby", "table")},
	"rtc": {set("rt", "rp", "rb", "rtc"), set("ruby", "table")},
	"a":   {set("a"), set("td", "th", "caption", "table")},
	"h1":  {headings, set("td", "th", "table")}, "h2": {headings, set("td", "th", "table")},
	"h3": {headings, set("td", "th", "table")}, "h4": {headings, set("td", "th", "table")},
	"h5": {headings, set("td", "th", "table")}, "h6": {headings, set("td", "th", "table")},
}

// unwind lists, for a part of a table, the elements that may hold it: whatever is open inside the
// nearest of them ends.
var unwind = map[string]map[string]bool{
	"td": set("tr", "thead", "tbody", "tfoot", "table"), "th": set("tr", "thead", "tbody", "tfoot", "table"),
	"tr":    set("thead", "tbody", "tfoot", "table"),
	"thead": set("table"), "tbody": set("table"), "tfoot": set("table"),
	"caption": set("table"), "colgroup": set("table"), "col": set("colgroup", "table"),
}

var headings = set("h1", "h2", "h3", "h4", "h5", "h6")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
