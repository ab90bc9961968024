package extract

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// What the hashes cover. An item counts as edited, and a channel as changed, when something that a reader
// shows or acts on changed; what changes by itself at every poll must not count, or every poll would write.
//
// Content (24 bits of an item) covers, as UTF-8 bytes with their tags and in document order, the elements
// that extraction or the full parse read: title, link, guid or id, description, summary, content (and
// content:encoded, xhtml:body), dates, author, dc:creator, categories, enclosures, media:content,
// media:thumbnail, media:title, media:description, itunes:image, author and summary, media:category,
// itunes:title, atom:title, fullitem and language; of a JSON Feed item the members of those names.
// White space between elements, comments, the order of items, the charset and its declaration do not matter.
// Everything else is left out, above all:
//
//	media:statistics, media:community, yt:* views    counters of views, which rise with every visit
//	media:starRating, yt:rating, gd:rating           counters of votes
//	slash:comments, slash:hit_parade, thr:total,     counters of comments and replies
//	  thr:count on links, wfw:*, comments
//	feedburner:*, sy:*, podcast:*, georss:*,         of no use to this reader; some carry tokens or
//	  any namespace this package does not know       values made anew for each request
//	source (RSS and Atom)                            the feed an item was copied from has an own
//	                                                 "updated" that moves without the item
//	_ members of JSON Feed                           publishers' extensions, as above
//
// Channel (64 bits) covers title, link, icon, hub and new-feed-url. Left out:
//
//	lastBuildDate, pubDate, updated, dc:date         set to the time of the request by many generators
//	ttl, skipHours, skipDays, sy:update*             read at every poll that has a body; some servers
//	                                                 count ttl down like a cache's age
//	description, subtitle                            often hold counts or "updated at"; renewed with the
//	                                                 next real change
//	generator, copyright, self links                 version numbers, years, addresses with tokens

// contentMask keeps 24 bits.
const contentMask = 1<<24 - 1

const hashSeed uint64 = 0x2d358dccaa6c78a5

// hash covers the elements of the item located last.
func (s *scanner) hash() uint64 {
	h := hashSeed
	for i := range s.nodes {
		n := &s.nodes[i]
		h = mix(h, xxhash.Sum64(s.b[n.tag.open:n.end]))
	}
	return h
}

func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

func fold24(h uint64) uint32 { return uint32((h ^ h>>24 ^ h>>48) & contentMask) }

// channelHash hashes the fields of the channel that count.
func channelHash(f *Feed) uint64 {
	var h uint64 = 0xa0761d6478bd642f
	for _, v := range [...]string{f.Title, f.Link, f.Icon, f.Hub, f.NewURL} {
		h = mix(h, xxhash.Sum64String(v))
	}
	return h
}
