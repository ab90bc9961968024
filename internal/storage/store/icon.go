package store

import (
	"encoding/hex"
	"strings"
	"time"
)

// IconBlobKey returns the key of an icon by the hash of its bytes; feeds with the same icon share the blob.
func IconBlobKey(hash []byte) string { return IconPrefix + IconName(hash) }

// ParseIconBlobKey parses an icon's key. Blobs that no feed row names by IconHash are orphans once they are a day old,
// as the blob is put before the row.
func ParseIconBlobKey(key string) (hash []byte, ok bool) {
	name, ok := strings.CutPrefix(key, IconPrefix)
	if !ok {
		return nil, false
	}
	return ParseIconName(name)
}

// IconName returns the last part of an icon's key: 64 hexadecimal digits and ".png", also for a drawing (SVG), whose
// blob has its true content type.
func IconName(hash []byte) string { return hex.EncodeToString(hash) + ".png" }

// ParseIconName returns the hash in an icon's name.
func ParseIconName(name string) (hash []byte, ok bool) {
	digits, ok := strings.CutSuffix(name, ".png")
	if !ok || len(digits) != 64 || strings.ToLower(digits) != digits {
		return nil, false
	}
	hash, err := hex.DecodeString(digits)
	return hash, err == nil
}

const (
	// iconAgain is when a missing icon is looked for again (G-11), iconRenew when a known one is.
	iconAgain = 7 * 24 * time.Hour
	iconRenew = 30 * 24 * time.Hour
)

// WantsIcon reports whether it is time to look for the feed's icon.
func (f *FeedRow) WantsIcon(now time.Time) bool {
	wait := iconAgain
	if len(f.IconHash) > 0 {
		wait = iconRenew
	}
	return f.Live() && now.Sub(time.Unix(f.IconAt, 0)) >= wait
}
