package extract

// Excerpt returns the document that was scanned without the items that are known: what of it is not stored yet. text
// is the decoded text that ScanText returned with the feed, baseURL that of the scan. The bytes of the other items, and
// all that precedes the first item and follows the last, are as they were: an item reads the same from either. Items
// that share a guid with one of the excerpt are in it too, for that is what tells them apart.
//
// It returns nil where the whole document should be kept: a scan of the excerpt would not find the same items in the
// same channel, or the excerpt is not much shorter.
func Excerpt(text []byte, baseURL string, f *Feed) []byte {
	if f.Fallback {
		return nil
	}
	shared := map[uint64]bool{}
	for i := range f.Items {
		if it := &f.Items[i]; !it.Known && it.Shared > Nameless {
			shared[it.Shared] = true
		}
	}
	var kept []*Item
	size := len(byteOrderMark) + f.itemsStart + len(text) - f.itemsEnd
	for i := range f.Items {
		if it := &f.Items[i]; !it.Known || shared[it.Shared] {
			kept = append(kept, it)
			size += it.End - it.Start + 1
		}
	}
	if len(kept) == 0 || size > len(text)/2 {
		return nil
	}
	out := append(make([]byte, 0, size), byteOrderMark...) // the text is UTF-8, whatever a header said of the document
	out = append(out, text[:f.itemsStart]...)
	for i, it := range kept {
		if i > 0 && f.Format == JSON {
			out = append(out, ',')
		}
		out = append(out, text[it.Start:it.End]...)
	}
	out = append(out, text[f.itemsEnd:]...)
	if !isExcerpt(out, baseURL, f, kept) {
		return nil
	}
	return out
}

const byteOrderMark = "\ufeff"

// isExcerpt reports whether a document has the channel of a feed and some of its items. An item with a guid that others
// of its feed share is distinguished by its other fields; alone in an excerpt it may have the identity of that guid.
func isExcerpt(doc []byte, baseURL string, f *Feed, items []*Item) bool {
	content := make(map[uint64]uint32, len(items))
	for _, it := range items {
		content[it.Identity] = it.Content
	}
	again, err := Scan(doc, "", baseURL, Options{Known: func(id uint64) (uint32, bool) { // whose fields are not needed
		c, ok := content[id]
		return c, ok
	}})
	if err != nil || again.Fallback || again.Format != f.Format || len(again.Items) != len(items) ||
		again.Channel != f.Channel || again.Language != f.Language || again.Author != f.Author {
		return false
	}
	for i, it := range items {
		found := &again.Items[i]
		if found.Content != it.Content || found.Identity != it.Identity && found.Identity != it.Shared {
			return false
		}
	}
	return true
}
