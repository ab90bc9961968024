package assist

// Plain, Split and Key are for tests.
var (
	Plain = plain
	Split = split
)

// Key returns the key sentences of HTML.
func Key(title, html string) KeySentences { return keySentences(title, paragraphs(html)) }
