package extract

import "bytes"

// Bounds of the entities that a document declares for itself.
const (
	maxEntities    = 256
	maxEntityText  = 1 << 10 // of one entity
	maxEntityAdded = 1 << 20 // to the document by all references together
)

// expandEntities replaces references to the entities that the document's own DOCTYPE declares as plain text (XML 1.0,
// 4.2.1). Entities of another document, those with markup or with other entities in them, and names that HTML defines
// are left alone, so that nothing is fetched and nothing grows by nesting.
func expandEntities(doc []byte) []byte {
	declared, at := entitiesOf(doc)
	if len(declared) == 0 {
		return doc
	}
	out := append(make([]byte, 0, len(doc)+len(doc)/8), doc[:at]...)
	added := 0
	for rest := doc[at:]; ; {
		i := bytes.IndexAny(rest, "&<")
		if i < 0 || added > maxEntityAdded {
			return append(out, rest...)
		}
		out, rest = append(out, rest[:i]...), rest[i:]
		n := 1
		if end := bytes.IndexByte(rest[:min(len(rest), maxEntity)], ';'); rest[0] == '&' && end > 0 {
			if text, ok := declared[string(rest[1:end])]; ok {
				out, rest = append(out, text...), rest[end+1:]
				added += len(text)
				continue
			}
		} else if bytes.HasPrefix(rest, cdataOpen) { // a reference there is text
			if n = bytes.Index(rest, []byte("]]>")); n < 0 {
				n = len(rest)
			}
		}
		out, rest = append(out, rest[:n]...), rest[n:]
	}
}

// entitiesOf reads the declarations of a DOCTYPE before the root, and returns where it ends.
func entitiesOf(doc []byte) (texts map[string][]byte, end int) {
	s := &scanner{b: doc}
	for i := 0; ; {
		for i < len(doc) && doc[i] <= ' ' {
			i++
		}
		if i+1 >= len(doc) || doc[i] != '<' || doc[i+1] != '!' && doc[i+1] != '?' {
			return nil, 0
		}
		isType := bytes.HasPrefix(doc[i:], []byte("<!DOCTYPE"))
		if end = s.pastMarkup(i); end < 0 {
			return nil, 0
		}
		if isType {
			_, subset, _ := bytes.Cut(doc[i:end], []byte("["))
			return declarations(subset), end
		}
		i = end
	}
}

func declarations(subset []byte) map[string][]byte {
	texts := map[string][]byte{}
	for len(texts) < maxEntities {
		i := bytes.Index(subset, []byte("<!"))
		if i < 0 {
			break
		}
		subset = subset[i:]
		if bytes.HasPrefix(subset, []byte("<!--")) {
			if i = bytes.Index(subset, []byte("-->")); i < 0 {
				break
			}
			subset = subset[i:]
			continue
		}
		declaration, isEntity := bytes.CutPrefix(subset, []byte("<!ENTITY"))
		if subset = subset[2:]; !isEntity {
			continue
		}
		declaration = bytes.TrimLeft(declaration, " \t\r\n")
		n := bytes.IndexAny(declaration, " \t\r\n")
		if n < 1 || n > maxEntity-2 {
			continue
		}
		name, value := string(declaration[:n]), bytes.TrimLeft(declaration[n:], " \t\r\n")
		if _, twice := texts[name]; twice || len(value) == 0 || value[0] != '"' && value[0] != '\'' {
			continue // of another document, or a parameter
		}
		text, after, closed := bytes.Cut(value[1:], value[:1])
		if closed && isPlainEntity(name, text) {
			texts[name] = text
		}
		if closed {
			subset = after
		}
	}
	return texts
}

// isPlainEntity reports whether an entity is text, and is not one that is known anyway.
func isPlainEntity(name string, text []byte) bool {
	if _, n := appendEntity(nil, []byte("&"+name+";")); n > 0 || len(text) > maxEntityText ||
		bytes.ContainsAny(text, "<%") {
		return false
	}
	for i, c := range text {
		if c == '&' {
			if _, n := appendEntity(nil, text[i:]); n == 0 {
				return false
			}
		}
	}
	return true
}
