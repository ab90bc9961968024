package store

import (
	"encoding/hex"
	"strings"
	"time"
)

// IconBlobKey names the blob of a feed's icon by the hash of its bytes; feeds with the same one share it.
func IconBlobKey(hash []byte) string { return IconPrefix + hex.EncodeToString(hash) + ".png" }

// ParseIconBlobKey reads an icon's key. The blob is needed while some feed row has the hash as its IconHash; one
// that none has is an orphan when it is older than a day, for it is put before the row that names it.
func ParseIconBlobKey(key string) (hash []byte, ok bool) {
	name, ok := strings.CutPrefix(key, IconPrefix)
	if !ok {
		return nil, false
	}
	return ParseIconName(name)
}

// IconName is the last part of an icon's key, and ParseIconName reads it: 64 hexadecimal digits and ".png".
func IconName(hash []byte) string { return hex.EncodeToString(hash) + ".png" }

// ParseIconName gives the hash of an icon's name.
func ParseIconName(name string) (hash []byte, ok bool) {
	digits, ok := strings.CutSuffix(name, ".png")
	if !ok || len(digits) != 64 || strings.ToLower(digits) != digits {
		return nil, false
	}
	hash, err := hex.DecodeString(digits)
	return hash, err == nil
}

const (
	// iconAgain is when an icon that was not found is looked for again (G-11), iconRenew when one that was is.
	iconAgain = 7 * 24 * time.Hour
	iconRenew = 30 * 24 * time.Hour
)

// WantsIcon tells whether the feed's icon is to be looked for.
func (f *FeedRow) WantsIcon(now time.Time) bool {
	wait := iconAgain
	if len(f.IconHash) > 0 {
		wait = iconRenew
	}
	return f.Live() && now.Sub(time.Unix(f.IconAt, 0)) >= wait
}
