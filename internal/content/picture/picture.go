// Package picture is the one rule by which articles, lists and watches find the picture that an img element is about.
// Pages that load pictures late put a stand-in into src, and the address into srcset, a data attribute or noscript.
//
// The package is pure. It says which addresses to try in which order; whether one may be loaded is the caller's
// business.
package picture

import (
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// lazy are the attributes in which scripts keep the address until the picture is near, the most common first.
var lazy = []string{"data-src", "data-lazy-src", "data-original", "data-lazy", "data-original-src", "data-actualsrc",
	"data-lazyload",
	"data-cfsrc", "data-echo", "lazy-src"}

// spare are attributes that have the address of a picture on some sites and something else on others, or the picture in
// its original size. They count where src is a stand-in, and so do all other data attributes with the name of a
// picture's file.
var spare = []string{"data-url", "data-image", "data-img", "data-image-src", "data-img-src", "data-img-url",
	"data-image-url", "data-full-src",
	"data-hi-res-src", "data-medium-file", "data-large-file", "data-orig-file"}

// isSet reports whether an attribute has addresses by size: srcset, data-srcset, data-lazy-srcset.
func isSet(name string) bool {
	return name == "srcset" || strings.HasSuffix(name, "-srcset") || name == "data-original-set"
}

// Image collects what an img element, and the source elements with it in a picture element, say about the picture's
// address.
type Image struct {
	src         string
	lazy, spare [4]string // the first of the values; more are not looked at
	sets, media []string
	isLazy      bool // by its class
}

// Set takes an attribute of the img, whose name is in lower case. Attributes that say nothing about the address are
// ignored.
func (m *Image) Set(name, value string) {
	value = strings.TrimSpace(value)
	switch {
	case value == "":
	case name == "src":
		m.src = value
	case name == "class":
		m.isLazy = strings.Contains(strings.ToLower(value), "lazy")
	case isSet(name):
		m.sets = append(m.sets, value)
	case slices.Contains(lazy, name):
		keep(&m.lazy, value)
	case slices.Contains(spare, name), strings.HasPrefix(name, "data-") && isPictureFile(value):
		keep(&m.spare, value)
	}
}

// SetSource takes an attribute of a source element of the img's picture element.
func (m *Image) SetSource(name, value string) {
	if value = strings.TrimSpace(value); value != "" &&
		(isSet(name) || name == "src" || name == "data-src") {
		m.media = append(m.media, value)
	}
}

func keep(values *[4]string, v string) {
	for i := range values {
		if values[i] == "" {
			values[i] = v
			return
		}
	}
}

// Sources yields the addresses to try, the best first; most callers take that one. Without any, the image is a stand-in
// alone.
func (m *Image) Sources() iter.Seq[string] {
	return func(yield func(string) bool) {
		var tried []string
		try := func(address string) bool {
			if address == "" || IsPlaceholder(address) || slices.Contains(tried, address) {
				return true
			}
			if !yield(address) {
				return false
			}
			tried = append(tried, address)
			return true
		}
		if !m.hasOnlySrc() {
			for address := range m.ordered() {
				if !try(address) {
					return
				}
			}
		}
		if strings.HasPrefix(m.src, "data:") { // a picture in the text itself, if there is no other
			yield(m.src)
		} else {
			try(m.src)
		}
	}
}

// hasOnlySrc is true of by far the most images.
func (m *Image) hasOnlySrc() bool {
	return m.lazy[0] == "" && m.spare[0] == "" && len(m.sets) == 0 && len(m.media) == 0
}

// ordered yields the addresses by how likely they are the picture's, before src as the last resort; some are
// placeholders or repeated.
func (m *Image) ordered() iter.Seq[string] {
	return func(yield func(string) bool) {
		hasLazy := false
		for _, v := range m.lazy {
			if !isAddress(v) {
				continue
			}
			hasLazy = hasLazy || !IsPlaceholder(v)
			if !yield(v) {
				return
			}
		}
		isReal := m.src != "" && !IsPlaceholder(m.src) && !isTiny(m.src) && !m.isOutsideOfSet()
		if isReal && !hasLazy && !m.isLazy && !yield(m.src) {
			return
		}
		for _, sets := range [...][]string{m.sets, m.media} {
			for _, set := range sets {
				if !yield(Widest(set)) {
					return
				}
			}
		}
		if isReal && !m.isLazy {
			return
		}
		for _, v := range m.spare {
			if isAddress(v) && !yield(v) {
				return
			}
		}
	}
}

// isOutsideOfSet reports that the element has a set of widths without src in it: browsers take the set, and src is
// often a blurred version of a few pixels.
func (m *Image) isOutsideOfSet() bool {
	for _, set := range m.sets {
		isInside, hasWidths := false, false
		for address, descriptor := range candidates(set) {
			hasWidths = hasWidths || strings.HasSuffix(descriptor, "w")
			if isInside = address == m.src; isInside {
				break
			}
		}
		if hasWidths && !isInside {
			return true
		}
	}
	return false
}

// isAddress keeps identifiers, JSON and words out, which data attributes have on some sites.
func isAddress(v string) bool {
	return strings.ContainsAny(v, "/.") && !strings.ContainsAny(v, "{}<>\"") && !strings.HasPrefix(v, "data:")
}

// isPictureFile reports whether an address ends like the name of a picture's file, before its query.
func isPictureFile(address string) bool {
	name, _ := cut(address, "?#")
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif":
		return true
	}
	return false
}

// Widest returns the address of a srcset with the largest width or density.
func Widest(srcset string) string {
	best, bestSize := "", -1.0
	for address, descriptor := range candidates(srcset) {
		size := 1.0
		if d := strings.TrimRight(descriptor, "wx"); d != "" {
			size, _ = strconv.ParseFloat(d, 64)
		}
		if size > bestSize {
			best, bestSize = address, size
		}
	}
	return best
}

const maxCandidates = 64

// candidates reads a srcset. An address ends at white space and may hold commas; a comma at its very end separates
// (HTML, "parse a srcset attribute").
func candidates(srcset string) iter.Seq2[string, string] {
	return func(yield func(address, descriptor string) bool) {
		for range maxCandidates {
			srcset = strings.TrimLeft(srcset, ", \t\n\f\r")
			address, rest := cut(srcset, " \t\n\f\r")
			descriptor := ""
			if trimmed := strings.TrimRight(address, ","); trimmed == address {
				descriptor, rest = cut(rest, ",")
			} else {
				address = trimmed
			}
			if srcset = rest; address == "" || !yield(address, strings.TrimSpace(descriptor)) {
				return
			}
		}
	}
}

// cut splits s around the first of the characters.
func cut(s, chars string) (before, after string) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}
