package reader

import (
	"crypto/sha256"
	"encoding/base32"
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
