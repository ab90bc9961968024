package listing

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// stateWords are parts of class names that say how one row differs from its neighbours.
var stateWords = set(strings.Fields("first last odd even alt active selected current hover visited new sold soldout sale hot featured sticky pinned unread read " +
	"on off open closed hidden visible disabled enabled highlight even-row odd-row row-odd row-even"))

var wordClass = regexp.MustCompile(`^[A-Za-z][A-Za-z]*[0-9]{0,2}(?:(?:-{1,2}|_{1,2})(?:[A-Za-z]+[0-9]?|[0-9]{1,2}))*$`)

// maxClasses is how many classes of an element are looked at.
const maxClasses = 20

// stableClasses are the classes of an element that people wrote, without those that mark a state. Generated ones (css-1q2w3e,
// sc-bdVaJa) change with each release of a site.
func stableClasses(n *html.Node) []string {
	var out []string
	fields := strings.Fields(attr(n, "class"))
	for _, c := range fields[:min(len(fields), maxClasses)] {
		if len(c) <= 40 && isWritten(c) && !isState(c) && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

func isState(c string) bool {
	c = strings.ToLower(c)
	if stateWords[c] || strings.HasPrefix(c, "is-") || strings.HasPrefix(c, "has-") {
		return true
	}
	if i := strings.LastIndex(c, "--"); i > 0 {
		return true
	}
	return false
}

// isWritten tells names from hashes.
func isWritten(c string) bool {
	if !wordClass.MatchString(c) {
		return false
	}
	for _, word := range strings.FieldsFunc(c, func(r rune) bool { return r == '-' || r == '_' }) {
		changes, vowels, letters := 0, 0, 0
		var prev rune
		for _, r := range word {
			if unicode.IsLetter(r) {
				letters++
			}
			if strings.ContainsRune("aeiouyAEIOUY", r) {
				vowels++
			}
			if prev != 0 && unicode.IsUpper(r) != unicode.IsUpper(prev) {
				changes++
			}
			prev = r
		}
		if changes > 2 && len(word) <= 10 || vowels == 0 && letters > 4 || changes > 6 {
			return false
		}
	}
	return true
}

var writtenID = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{1,30}$`)

// stableID is the id of an element, if it is a word.
func stableID(n *html.Node) string {
	if id := attr(n, "id"); writtenID.MatchString(id) && isWritten(id) {
		return id
	}
	return ""
}

// compound writes an element as a selector by its tag and classes.
func compound(tag string, classes []string) string {
	if len(classes) == 0 {
		return tag
	}
	return tag + "." + strings.Join(classes, ".")
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
