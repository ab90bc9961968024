package extract

import (
	"bytes"
	"strings"
)

// What stands beside a text: the readings of ruby (furigana) over it, and the texts of its pictures. The words of a
// title or snippet are those without them, and so is a text that is searched: 東京 with a reading is one word. Their
// own words follow behind it.

// Text returns the whole text of HTML with what stands beside it, as the text of an item.
func Text(html string) string {
	var s scanner
	s.body, _ = s.plain(nil, []byte(html), textRunes)
	return s.withAside(string(s.body))
}

// withAside adds what stands beside the text that was read last.
func (s *scanner) withAside(text string) string {
	return strings.TrimSpace(text + " " + string(appendLiteral(nil, s.aside, textRunes)))
}

// rubyPart says what text within ruby is.
type rubyPart uint8

const (
	rubyBase        rubyPart = iota
	rubyReading              // rt
	rubyParenthesis          // rp
)

// annotation reads a tag of ruby, or of a picture. An end tag of a reading may be missing before the next part.
func (w *liner) annotation(t []byte) {
	isEnd := t[1] == '/'
	var low [16]byte
	part := rubyBase
	switch name := lowerName(low[:0], tagName(bytes.TrimPrefix(t[1:], []byte("/")))); string(name) {
	case "img":
		w.picture(t)
		return
	case "ruby":
		isNext := w.rubyEnd == len(w.b) && !w.gap
		if w.isRuby = !isEnd && !w.keepRuby; isEnd {
			w.rubyEnd = len(w.b)
		} else if w.isRuby && !isNext {
			w.endAside()
		}
	case "rt", "rtc":
		part = rubyReading
	case "rp":
		part = rubyParenthesis
	case "rb":
	default:
		return
	}
	if isEnd || !w.isRuby {
		part = rubyBase
	}
	if part != rubyBase || w.ruby != rubyBase {
		w.gap = false // between a text and its reading
	}
	w.ruby = part
}

// reading adds a part of a reading.
func (w *liner) reading(t []byte) {
	if w.ruby != rubyReading || !w.asides {
		return
	}
	if w.gap {
		w.gap = false
		w.endAside()
	}
	w.addAside(t)
}

// picture adds the text that stands for a picture.
func (w *liner) picture(tag []byte) {
	if !w.asides {
		return
	}
	a := attrs{bytes.TrimRight(tag[len("<img"):], "/>")}
	for range maxImageAttrs {
		name, value, ok := a.next()
		if !ok {
			return
		}
		if bytes.EqualFold(name, []byte("alt")) {
			w.endAside()
			w.aside, _ = appendXML(w.aside, value, max(0, textRunes-len(w.aside)))
			w.endAside()
			return
		}
	}
}

func (w *liner) endAside() {
	if n := len(w.aside); n > 0 && w.aside[n-1] != ' ' {
		w.aside = append(w.aside, ' ')
	}
}

func (w *liner) addAside(t []byte) {
	if len(w.aside)+len(t) <= textRunes {
		w.aside = append(w.aside, t...)
	}
}
