package fileblob

import "strings"

// maxJoined leaves room in a file name (255 bytes) for the marks.
const maxJoined = 250

// fileOf names the file of a key: its last two parts share a name, "feeds/2026/11/21/x/y" is the file
// "feeds/2026/11/21/x@y@". Raw bodies have a folder of their own by feed and day in their keys; made as a folder of
// the file system, it would cost a put two more syncs and most of its time. Parts too long to share a name do not.
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
