package reader

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

// entryIDLength is the length of an EntryID: 60 bits.
const entryIDLength = 12

var entryEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// EntryID names a web page, whichever feeds list it: 12 lower-case base-32 characters (RFC 4648) of the SHA-256 of its
// StoryURL. It is the same on every installation. Empty where the link has no StoryURL.
func EntryID(storyURL string) string {
	if storyURL == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(storyURL))
	return strings.ToLower(entryEncoding.EncodeToString(sum[:8])[:entryIDLength])
}

// StoryHash is a short form of an EntryID, for telling the stories of thousands of items apart in memory: of 3,000
// stories two are taken for one with a chance of one in a thousand. Zero where the link has no StoryURL.
func StoryHash(storyURL string) uint32 {
	if storyURL == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(storyURL))
	return max(binary.BigEndian.Uint32(sum[:]), 1)
}
