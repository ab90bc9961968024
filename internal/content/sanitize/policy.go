package sanitize

import (
	"net/url"
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy is the second allow-list. It is written out by hand rather than made from the tables of the first,
// so that a slip in one of them is caught by the other. Building it takes a while and using it is safe
// for concurrent use, so it is built once, when first needed.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em",
		"h1", "h2", "h3", "h4", "h5", "h6", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot",
		"tr", "th", "td", "figure", "figcaption", "hr", "dl", "dt", "dd", "details", "summary",
		"del", "ins", "sub", "sup", "b", "i", "u", "s", "kbd", "samp", "var", "abbr", "cite", "dfn", "q",
		"small", "mark", "time", "bdi", "wbr", "ruby", "rb", "rt", "rp", "rtc", "div")
	mathML := []string{"math", "mi", "mn", "mo", "mtext", "ms", "mrow", "mfrac", "msqrt", "mroot", "mstyle", "merror",
		"mpadded", "mphantom",
		"msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable",
		"mtr", "mtd", "mspace"}
	p.AllowNoAttrs().OnElements(mathML...)
	plain := regexp.MustCompile(`^[a-z0-9.+%-]{1,40}$`)
	p.AllowAttrs("displaystyle", "scriptlevel", "mathvariant").Matching(plain).OnElements(mathML...)
	p.AllowAttrs("display").Matching(plain).OnElements("math")
	p.AllowAttrs("alttext").OnElements("math")
	p.AllowAttrs("form", "fence", "separator", "lspace", "rspace", "stretchy", "symmetric", "maxsize", "minsize",
		"largeop", "movablelimits").
		Matching(plain).OnElements("mo")
	p.AllowAttrs("width", "height", "depth", "lspace", "voffset").Matching(plain).OnElements("mspace", "mpadded")
	p.AllowAttrs("linethickness").Matching(plain).OnElements("mfrac")
	p.AllowAttrs("accent", "accentunder").Matching(plain).OnElements("mover", "munder", "munderover")
	p.AllowAttrs("columnspan", "rowspan").Matching(plain).OnElements("mtd")

	p.AllowNoAttrs().OnElements("ruby", "rb", "rt", "rp", "rtc", "bdi", "wbr", "u", "dfn", "q", "time", "colgroup")

	number := regexp.MustCompile(`^[1-9][0-9]{0,4}$`)
	p.AllowAttrs("lang").Matching(languageTag.Regexp()).Globally()
	p.AllowAttrs("dir").Matching(direction.Regexp()).Globally()
	p.AllowAttrs("lang", "dir").OnElements("span", "bdo")
	p.AllowAttrs("title").OnElements("a", "img", "abbr", "dfn")
	p.AllowAttrs("start").Matching(plainNumber.Regexp()).OnElements("ol")
	p.AllowAttrs("type").Matching(listType.Regexp()).OnElements("ol")
	p.AllowAttrs("reversed").OnElements("ol")
	p.AllowAttrs("value").Matching(plainNumber.Regexp()).OnElements("li")
	p.AllowAttrs("colspan", "rowspan").Matching(number).OnElements("td", "th")
	p.AllowAttrs("scope").Matching(cellScope.Regexp()).OnElements("th")
	p.AllowAttrs("span").Matching(number).OnElements("col", "colgroup")
	p.AllowAttrs("datetime").Matching(dateTime.Regexp()).OnElements("time")
	p.AllowAttrs("open").OnElements("details")

	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true) // only places of the article pass the forms below
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^ruri-[^\s]{1,128}$`)).Globally()
	p.AllowURLSchemes("http", "https", "mailto", "tel", "ftp")
	p.AllowURLSchemeWithCustomPolicy("data", func(u *url.URL) bool { return isDataImage(u.String()) })
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^((https?|mailto|tel|ftp):|#ruri-)`)).OnElements("a")
	p.AllowAttrs("target").Matching(regexp.MustCompile(`^_blank$`)).OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^noopener noreferrer$`)).OnElements("a")

	p.AllowAttrs("class").Matching(regexp.MustCompile(`^embed$`)).OnElements("p")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^broken-image$`)).OnElements("a")

	loadable := regexp.MustCompile(`^https://`)
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^(https://|data:image/)`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(number).OnElements("img", "video")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("decoding").Matching(regexp.MustCompile(`^async$`)).OnElements("img")
	p.AllowAttrs("referrerpolicy").Matching(regexp.MustCompile(`^no-referrer$`)).OnElements("img")
	p.AllowAttrs("src").Matching(loadable).OnElements("audio", "video", "source")
	p.AllowAttrs("poster").Matching(loadable).OnElements("video")
	p.AllowAttrs("controls").OnElements("audio", "video")
	p.AllowAttrs("preload").Matching(regexp.MustCompile(`^none$`)).OnElements("audio", "video")
	p.AllowAttrs("type").Matching(mediaType.Regexp()).OnElements("source")
	return p
})
