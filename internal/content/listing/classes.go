package listing

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// stateWords are parts of class names that say how one row differs from its neighbours.
var stateWords = set(strings.Fields("first last odd even alt active selected current hover visited new sold soldout " +
	"sale hot featured sticky pinned unread read " +
	"on off open closed hidden visible disabled enabled highlight even-row odd-row row-odd row-even"))

var wordClass = pattern.New(`^[A-Za-z][A-Za-z]*[0-9]{0,2}(?:(?:-{1,2}|_{1,2})(?:[A-Za-z]+[0-9]?|[0-9]{1,2}))*$`)

// maxClasses is how many classes of an element are looked at.
const maxClasses = 20

// stableClasses are selectors of an element's hand-written classes, without states and mere style. Generated names
// (css-1q2w3e) change with each release; of Card_title__1q2w3e the beginning is used.
func stableClasses(n *html.Node) []string {
	var out []string
	fields := strings.Fields(attr(n, "class"))
	for i, c := range fields[:min(len(fields), maxClasses)] {
		if len(c) > 60 || strings.ContainsAny(c, ":[]/") || isState(c, fields) ||
			utility.MatchString(c) && !meaning.MatchString(c) {
			continue
		}
		s := ""
		if stem, ok := written(c); ok && stem == c && len(c) <= 40 {
			s = "." + c
		} else if stem != "" {
			s = stemSelector(stem, i == 0)
		}
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// stemSelector finds classes by their beginning.
func stemSelector(stem string, isFirst bool) string {
	if isFirst {
		return `[class^="` + stem + `"]`
	}
	return `[class*=" ` + stem + `"]`
}

// isState reports whether a class says how one row differs. "card--wide" does beside "card"; alone it is
// a name.
func isState(name string, beside []string) bool {
	c := strings.ToLower(name)
	if stateWords[c] || strings.HasPrefix(c, "is-") || strings.HasPrefix(c, "has-") {
		return true
	}
	if i := strings.LastIndex(c, "--"); i > 0 && isWritten(name) &&
		(stateWords[c[i+2:]] || slices.Contains(beside, name[:i])) {
		return true
	}
	return bloggers.MatchString(c)
}

// bloggers are the classes by which blogs say to what an article belongs.
var bloggers = pattern.New(`^(?:category|tag|status|format|author|post|product_cat|product_tag)-[\w%-]+$`)

// utility finds the classes of toolkits that say how an element looks, not what it is: mt-4, text-sm, grid-cols-2.
var utility = pattern.New(`^-?(?:[mp][trblxyse]?-(?:\d+|auto|px)|(?:w|h|gap(?:-[xy])?|space-[xy]` +
	`|inset(?:-[xy])?|top|left|right|bottom|z|order|basis|size|(?:min|max)-[wh])-.+` +
	`|text-(?:xs|sm|base|md|lg|xl|\dxl|left|center|right|white|black|muted|[a-z]+-\d+)|(?:bg|border|from|to|via` +
	`|fill|stroke|ring|divide|outline|shadow|opacity|rounded|leading|tracking|duration)(?:-[a-z0-9]+)*` +
	`|font-(?:thin|light|normal|medium|semibold|bold|extrabold|black|sans|serif|mono)|(?:flex|grid|inline|block` +
	`|table|hidden|relative|absolute|fixed|sticky|static|truncate|uppercase|lowercase|capitalize|italic|underline` +
	`|antialiased|group|peer|container|clearfix|sr-only|visible|invisible)` +
	`|(?:flex|grid|col|row|items|justify|content|self|place|object|overflow|whitespace|break|align|aspect|cursor` +
	`|select|pointer-events|transition|ease|scale|rotate|translate|list|inline|line-clamp|float|clear|d` +
	`|table)-(?:[a-z]+-)*(?:\d+|[a-z]+)|u-[a-zA-Z0-9]+)$`)

// meaning finds the end of names that begin like those of toolkits: grid-title, list-price.
var meaning = pattern.New(`-(?:titles?|prices?|names?|dates?|items?|cards?|status|desc|thumb|photo)$`)

// generators are the prefixes of generated names.
var generators = pattern.New(`^(?:css|sc|jsx|jss|svelte|emotion|styled|chakra|mui|ng|tss|makeStyles` +
	`|withStyles|c\d|_)[-_]?`)

// written returns the part of a class name that people wrote: all of it, what comes before a generated end, or nothing.
func written(c string) (stem string, ok bool) {
	if isWritten(c) {
		return c, true
	}
	if generators.MatchString(c) {
		return "", false
	}
	for _, sep := range []string{"__", "--", "_", "-"} {
		for at := len(c); ; {
			i := strings.LastIndex(c[:at], sep)
			if i < 3 {
				break
			}
			at = i
			if isWritten(c[:i]) && wordClassLoose(c) {
				return c[:i+len(sep)], true
			}
		}
	}
	return "", false
}

// isWritten tells names from hashes.
func isWritten(c string) bool {
	if !wordClass.MatchString(c) || len(generators.FindString(c)) > 2 && strings.ContainsAny(c, "-_") &&
		!knownWords[strings.ToLower(c)] {
		return false
	}
	for _, word := range strings.FieldsFunc(c, func(r rune) bool { return r == '-' || r == '_' }) {
		if !isWord1(word) || isUpper(word) && len(word) > 1 && len(word) <= 3 && !isUpper(c) {
			return false
		}
	}
	return true
}

// knownWords are names that begin like generated ones.
var knownWords = set([]string{"css-grid", "sc-grid", "ng-scope", "mui-grid"})

// isWord1 reports whether a part of a name can be a word, or several in camel case.
func isWord1(word string) bool {
	word = strings.TrimRight(word, "0123456789")
	if len(word) <= 1 {
		return true
	}
	humps := humpsOf(word)
	if len(humps) > 1 && len(humps[0]) == 1 && len(word) < 8 {
		return false
	}
	for i, h := range humps {
		lower := strings.ToLower(h)
		switch {
		case abbreviations[lower] && (len(h) > 1 || i == 0 && !isUpper(h)):
		case hasRarePair(lower), !strings.ContainsAny(lower, "aeiouy") && (len(h) > 4 || len(humps) > 1 || isUpper(h)):
			return false
		case len(humps) > 1 && (isUpper(h) || len(h) < 3):
			return false
		case h != lower && (!beginsLikeWord.MatchString(lower) || !endsLikeWord.MatchString(lower)):
			return false
		}
	}
	return len(humps) <= 6
}

// beginsLikeWord and endsLikeWord tell camel-case words from random letters by their consonants.
var (
	beginsLikeWord = pattern.New(`^(?:[^aeiouy]?[aeiouy]|bl|br|ch|cl|cr|dr|fl|fr|gl|gr|kn|kr|ph|pl|pr|qu|sc` +
		`|sh|sk|sl|sm|sn|sp|sq|st|sw|th|tr|tw|ts|wh|wr|[bghkmnprs]y)`)
	endsLikeWord = pattern.New(`(?:[aeiouy][^aeiouy]?|ights?|[aeiouy][^aeiouy]?(?:ll|ss|ff|ck|ch|sh|th|ph` +
		`|gh|ct|ft|lt|nt|pt|rt|st|xt|ld|nd|rd|ng|lk|nk|rk|sk|lm|rm|rn|rp|mp|sp|lf|rb|mb|rl|[bdgklmnprtwy]s|ts|ds|ms` +
		`|ks|ps|rs|ls|ns|ws|tch|ight|rts|nts|cts|xts))$`)
)

func isUpper(s string) bool { return strings.ToUpper(s) == s }

// humpsOf splits camelCase.
func humpsOf(s string) []string {
	var out []string
	from := 0
	for i := 1; i < len(s); i++ {
		isStart := s[i] < 'a' && s[i-1] >= 'a' || s[i] < 'a' && s[i-1] < 'a' && i+1 < len(s) && s[i+1] >= 'a'
		if isStart {
			out = append(out, s[from:i])
			from = i
		}
	}
	return append(out, s[from:])
}

// abbreviations are words without vowels that people write.
var abbreviations = set(strings.Fields("id no up in on to by of ad my go is js re me ui tv dj qa ip ok or and a btn " +
	"img nav txt url id src css hd ft px xs sm md lg xl xxl tbl msg num prc ttl ctr wrp lbl bg fg pg st nd th dt dd " +
	"tr td li ul dl hdr lnk hdrlnk " +
	"pr pc sp ph ds vr x y b c d e g h i l m n p r s t u v w srp lst ctn ctnt cnt html http json sns rss faq cms cta " +
	"tpl grp thmb thumb prd"))

// rarePairs are the pairs of letters, by the first, that words of English and of written Japanese hardly have.
var rarePairs = [26]string{"q", "hkqvwxz", "gjqvwxz", "qxz", "", "hjkpqvwxz", "bdfjkqvwxz", "bcfghjkpqvwxz", "jwy",
	"bcdghjlmnpqrtvxz", "bcfhkmqvxz", "hqwxz", "cfhjqvwxz",
	"qxz", "q", "jqvxz", "abcdefghijkmnopqtvwxyz", "jqxz", "xz", "jqz", "quvwy", "bcdfghjklnpqrstuvwxyz",
	"bcfgjmpqtuvwxyz", "gjknqruvwz", "hjqxy", "bcdfghjklmnpqrstuvwxyz"}

func hasRarePair(s string) bool {
	for i := 1; i < len(s); i++ {
		if a := s[i-1]; 'a' <= a && a <= 'z' && strings.IndexByte(rarePairs[a-'a'], s[i]) >= 0 {
			return true
		}
	}
	return false
}

var writtenID = pattern.New(`^[A-Za-z][A-Za-z_-]{1,30}$`)

// stableID is the id of an element, if it is a word.
func stableID(n *html.Node) string {
	if id := attr(n, "id"); writtenID.MatchString(id) && isWritten(id) {
		return id
	}
	return ""
}

// testNames are the attributes by which the makers of a site find elements in their own tests. They outlive designs.
var testNames = []string{"data-testid", "data-test-id", "data-test", "data-qa", "data-cy", "data-automation-id",
	"data-component", "data-role", "data-marker"}

var testValue = pattern.New(`^[A-Za-z][A-Za-z0-9_:./ -]{1,50}$`)

// stableAttribute is a selector of the attribute that names an element's meaning; empty if it has none.
func stableAttribute(n *html.Node) string {
	if p := attr(n, "itemprop"); wordClassLoose(p) {
		return "[itemprop=" + p + "]"
	}
	if attr(n, "role") == "heading" {
		return `[role="heading"]`
	}
	for _, name := range testNames {
		if v := attr(n, name); testValue.MatchString(v) && strings.Count(strings.Map(onlyDigits, v), "") <= 3 {
			return "[" + name + `="` + v + `"]`
		}
	}
	return ""
}

func onlyDigits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// isPlainTag tells the names of elements that can stand in a selector as they are.
func isPlainTag(s string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return s != "" && isLetter(s[0])
}
