package assist

import "io"

// Plain, Split and Key are for tests.
var (
	Plain = plain
	Split = split
)

// Key returns the key sentences of HTML.
func Key(title, html string) KeySentences { return keySentences(title, paragraphs(html)) }

// ReadParts returns the text and the tokens of an answer in parts.
func ReadParts(r io.Reader, each func(string)) (text string, in, out int64, err error) {
	got, err := readParts(r, each)
	return got.text, got.in, got.out, err
}
