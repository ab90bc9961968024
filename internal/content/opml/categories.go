package opml

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCategory is the greatest length of a category's name, in characters: a longer one is a description.
const maxCategory = 100

// file puts the feeds of a list without folders into those that their categories name: some programs write them in
// place of folders, and tags. A list of one feed needs none.
func (d *decoder) file() {
	feeds := d.doc.Feeds
	if len(feeds) < 2 || slices.ContainsFunc(feeds, func(f Feed) bool { return len(f.Path) > 0 }) {
		return
	}
	for i, paths := range d.categories {
		if f := &feeds[i]; len(paths) > 0 {
			f.Path, f.Also = paths[0], paths[1:]
		}
	}
}

// categories reads a category attribute: paths with slashes between the names, separated by commas.
func categories(attr string) (paths [][]string) {
	for category := range strings.SplitSeq(attr, ",") {
		var path []string
		for name := range strings.SplitSeq(category, "/") {
			if name = collapse(name); name != "" {
				path = append(path, name)
			}
		}
		isLong := func(name string) bool { return utf8.RuneCountInString(name) > maxCategory }
		isListed := slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, path) })
		if len(path) > 0 && len(paths) <= maxAlso && !isListed && !slices.ContainsFunc(path, isLong) {
			paths = append(paths, path)
		}
	}
	return paths
}
