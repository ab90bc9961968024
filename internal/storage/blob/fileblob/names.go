package fileblob

import "strings"

// maxJoined leaves room in a file name (255 bytes) for the marks.
const maxJoined = 250

// fileOf returns the file of a key. The last two parts share a name: "feeds/2026/11/21/x/y" is the file
// "feeds/2026/11/21/x@y@". The keys of raw bodies have a part for each feed and day; as a real folder it would cost
// each put two more syncs, most of its time. Parts that are too long do not share a name.
func fileOf(key string) string {
	last := strings.LastIndexByte(key, '/')
	if last < 0 {
		return key + mark
	}
	first := strings.LastIndexByte(key[:last], '/') + 1
	if len(key)-first > maxJoined {
		return key + mark
	}
	return key[:last] + mark + key[last+1:] + mark
}
