package picture

import (
	"strconv"
	"strings"
)

// IsPlaceholder recognises the address of a picture that shows nothing: it stands where the real one is not loaded yet,
// or where there is none.
func IsPlaceholder(address string) bool {
	s := strings.ToLower(strings.TrimSpace(address))
	if s == "" || s[0] == '#' || strings.HasPrefix(s, "data:") || strings.HasPrefix(s, "about:") ||
		strings.HasPrefix(s, "javascript:") {
		return true
	}
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	name := s[strings.LastIndexByte(s, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	for _, word := range telling {
		if strings.Contains(name, word) {
			return true
		}
	}
	return isNothingBut(name)
}

// telling words are in no other picture's file name.
var telling = []string{"placeholder", "noimage", "no-image", "no_image", "nophoto", "no-photo", "no_photo",
	"nopicture", "no-picture",
	"no_picture", "noimg", "no-img", "no_img", "spacer", "spaceball", "lazyload", "lazy-load", "lazy_load",
	"1x1", "dummy"}

// plain words are in the names of real pictures too ("loading-dock.jpg"). A placeholder's name has no other words,
// apart from filling.
var (
	plain = words("blank loading loader lazy transparent trans grey gray pixel clear empty spinner preload preloader " +
		"ph px shim")
	fill = words("img image images pic picture photo thumb thumbnail bg background white black light dark ajax " +
		"default the icon gif s b small")
)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func isNothingBut(name string) bool {
	found := false
	for w := range strings.FieldsFuncSeq(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if plain[w] {
			found = true
		} else if !fill[w] && w != "x" {
			return false
		}
	}
	return found
}

// tinyWidth is the largest width, in pixels, of a picture that stands in for a larger one.
const tinyWidth = 48

// isTiny recognises a tiny version by its address: ?w=20, w_20, photo-20x13.jpg, photo_20x.jpg, /20x0/, lqip.
func isTiny(address string) bool {
	s := strings.ToLower(address)
	if i := strings.Index(s, "://"); i >= 0 { // a host's name says nothing
		s = s[i+3:]
		s = s[strings.IndexByte(s, '/')+1:]
	}
	if strings.Contains(s, "lqip") || strings.Contains(s, "blur") {
		return true
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("/?&;,-.:", r) }) {
		for _, key := range []string{"w=", "width=", "w_", "width_", "w:", "resize=", "size=", "imwidth="} {
			if v, ok := strings.CutPrefix(part, key); ok && isTinySize(v, true) {
				return true
			}
		}
		if isTinySize(part, false) || isTinySize(part[strings.LastIndexByte(part, '_')+1:], false) {
			return true
		}
	}
	return false
}

// isTinySize reads "20", where a bare number is a width, and "20x13", "20x", "20px".
func isTinySize(v string, isWidth bool) bool {
	digits := 0
	for digits < len(v) && v[digits] >= '0' && v[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 3 {
		return false
	}
	n, err := strconv.Atoi(v[:digits])
	if err != nil || n < 1 || n > tinyWidth {
		return false
	}
	rest := v[digits:]
	if rest == "" || rest == "px" || rest == "w" {
		return isWidth
	}
	if rest[0] != 'x' && rest[0] != '*' {
		return false
	}
	rest = strings.TrimRight(rest[1:], "0123456789")
	return rest == "" || rest == "@2x" || rest == "@"
}
