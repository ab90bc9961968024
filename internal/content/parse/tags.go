package parse

import (
	"bytes"
	"html"
	"strings"
)

// tag is a tag of an XML document, by its place in the text.
type tag struct {
	start, end int    // text[start:end] is "<…>"
	name       string // local name, in lower case
	close      bool   // an end tag
	empty      bool   // closed in itself
	attrs      int    // where the attributes begin
}

// nextTag finds the first tag at or after i. Comments, CDATA sections, processing instructions and a
// DOCTYPE with all it declares are passed over.
func nextTag(text []byte, i int) (t tag, ok bool) {
	for {
		j := bytes.IndexByte(text[i:], '<')
		if j < 0 || i+j+1 >= len(text) {
			return tag{}, false
		}
		i += j
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			i = past(text, i+4, "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			i = past(text, i+9, "]]>")
		case rest[1] == '?':
			i = past(text, i, "?>")
		case rest[1] == '!':
			i = pastDoctype(text, i)
		case rest[1] == '/' || isNameStart(rest[1]):
			return readTag(text, i)
		default:
			i++
		}
		if i < 0 {
			return tag{}, false
		}
	}
}

// past returns the position after the next mark, -1 when there is none.
func past(text []byte, i int, mark string) int {
	j := bytes.Index(text[i:], []byte(mark))
	if j < 0 {
		return -1
	}
	return i + j + len(mark)
}

func pastDoctype(text []byte, i int) int {
	j := bytes.IndexAny(text[i:], "[>")
	if j >= 0 && text[i+j] == '[' {
		if i = past(text, i+j, "]"); i < 0 {
			return -1
		}
	}
	return past(text, i, ">")
}

func readTag(text []byte, i int) (tag, bool) {
	t := tag{start: i}
	i++
	if text[i] == '/' {
		t.close = true
		i++
	}
	name := i
	for i < len(text) && !isSpace(text[i]) && !strings.ContainsRune("></", rune(text[i])) {
		i++
	}
	t.name = strings.ToLower(string(text[name:i]))
	t.name = t.name[strings.LastIndexByte(t.name, ':')+1:]
	t.attrs = i
	for quote := byte(0); i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			t.end, t.empty = i+1, text[i-1] == '/'
			return t, true
		case c == '<': // a damaged tag ends here, for package extract too
			t.end = i
			return t, true
		}
	}
	return t, false
}

// attr returns the value of an attribute by its full name, and where its name stands; -1 when absent.
func (t tag) attr(text []byte, name string) (value string, at int) {
	region := text[t.attrs:t.end]
	for i := 0; ; {
		j := bytes.Index(region[i:], []byte(name))
		if j < 0 {
			return "", -1
		}
		at, i = i+j, i+j+len(name)
		k := i
		for k < len(region) && isSpace(region[k]) {
			k++
		}
		if at == 0 || !isSpace(region[at-1]) || k >= len(region) || region[k] != '=' {
			continue
		}
		for k++; k < len(region) && isSpace(region[k]); k++ {
		}
		if k >= len(region) || region[k] != '"' && region[k] != '\'' {
			continue
		}
		end := bytes.IndexByte(region[k+1:], region[k])
		if end < 0 {
			return "", -1
		}
		return strings.TrimSpace(html.UnescapeString(string(region[k+1 : k+1+end]))), t.attrs + at
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}
