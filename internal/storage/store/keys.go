package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Every key of the table is made in this file. Numbers in sort keys have a fixed width, so that byte
// order is number order.

// BlockShift groups feed rows: 1,024 feeds lie together in one partition, so that a tick reads them in
// one query (8.5 read units for 100 feeds).
const BlockShift = 10

const none = "-" // the sort key of partitions with one row

func block(f reader.FeedID) int { return int(f >> BlockShift) }

func blockPK(b int) string { return "FEEDS#" + strconv.Itoa(b) }

func feedSK(f reader.FeedID) string { return fixed(uint64(f), 6) }

func feedKey(f reader.FeedID) table.Key { return table.Key{PK: blockPK(block(f)), SK: feedSK(f)} }

func feedPK(f reader.FeedID) string { return "F#" + strconv.Itoa(int(f)) }

func deltaSK(s reader.Seq) string { return "D#" + fixed(uint64(s), 10) }

func deltaKey(f reader.FeedID, first reader.Seq) table.Key {
	return table.Key{PK: feedPK(f), SK: deltaSK(first)}
}

func subscriberKey(f reader.FeedID, u reader.UserID) table.Key {
	return table.Key{PK: feedPK(f), SK: "SUB#" + string(u)}
}

func urlKey(url string) table.Key {
	sum := sha256.Sum256([]byte(url))
	return table.Key{PK: "URL#" + hex.EncodeToString(sum[:]), SK: none}
}

func leaseKey(part int) table.Key { return table.Key{PK: "PART#" + strconv.Itoa(part), SK: none} }

func runPK(day time.Time) string { return "RUN#" + day.UTC().Format(time.DateOnly) }

func runSK(t schedule.Tick, part int, job string) string {
	sk := fixed(uint64(t), 7) + "#" + fixed(uint64(part), 3)
	if job != "" {
		sk += "#" + job
	}
	return sk
}

func runKey(t schedule.Tick, part int, job string) table.Key {
	return table.Key{PK: runPK(t.Start()), SK: runSK(t, part, job)}
}

func userPK(u reader.UserID) string { return "U#" + string(u) }

func subscriptionKey(u reader.UserID, f reader.FeedID) table.Key {
	return table.Key{PK: userPK(u), SK: "S#" + feedSK(f)}
}

// leftKey is of what was read in a subscription that there was.
func leftKey(u reader.UserID, f reader.FeedID) table.Key {
	return table.Key{PK: userPK(u), SK: "G#" + feedSK(f)}
}

func starKey(u reader.UserID, id reader.ItemID) table.Key {
	return table.Key{PK: userPK(u), SK: "X#" + fixed(uint64(id), 16)}
}

func accountKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: "A"} }

func emailKey(email string) table.Key { return table.Key{PK: "EMAIL#" + email, SK: none} }

func tokenKey(hash string) table.Key { return table.Key{PK: "TOKEN#" + hash, SK: none} }

func counterKey(hash string) table.Key { return table.Key{PK: "TRY#" + hash, SK: none} }

// linkKey has a user's one-time link: one at a time, so that a new one ends the one before.
func linkKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: "LINK"} }

// identityKey names one way in of a user by what proves it: a short hash of issuer and subject.
func identityKey(u reader.UserID, hash string) table.Key {
	return table.Key{PK: userPK(u), SK: "I#" + hash}
}

// identityOfKey leads from issuer and subject to the user.
func identityOfKey(hash string) table.Key { return table.Key{PK: "IDENT#" + hash, SK: none} }

func passkeyKey(u reader.UserID, hash string) table.Key {
	return table.Key{PK: userPK(u), SK: "W#" + hash}
}

func sessionKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "Z#" + id}
}

// tokenOfKey lists a token with its user; what it opens lies under its hash.
func tokenOfKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "K#" + id}
}

// settingsKey is a row of a user's own settings: preferences, the tree of folders, rules.
func settingsKey(u reader.UserID, name string) table.Key {
	return table.Key{PK: userPK(u), SK: "P#" + name}
}

// importKey is one import, and with a chunk's number what came of some of its outlines.
func importKey(u reader.UserID, id, chunk string) table.Key {
	if chunk != "" {
		id += "#" + chunk
	}
	return table.Key{PK: userPK(u), SK: "M#" + id}
}

func labelKey(u reader.UserID, label reader.LabelID, id reader.ItemID) table.Key {
	return table.Key{PK: userPK(u), SK: labelPrefix(label) + fixed(uint64(id), 16)}
}

func labelPrefix(label reader.LabelID) string { return labelsPrefix + fixed(uint64(label), 4) + "#" }

// labelsPrefix begins the keys of all snapshots of labelled items.
const labelsPrefix = "L#"

func webhookKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "H#" + id}
}

// hubKey is what is agreed with a feed's WebSub hub.
func hubKey(f reader.FeedID) table.Key { return table.Key{PK: feedPK(f), SK: "HUB"} }

func cacheKey(hash string) table.Key { return table.Key{PK: "C#" + hash, SK: none} }

func systemKey(name string) table.Key { return table.Key{PK: "SYS", SK: name} }

// transferName is the row that tells that this home is being filled by a copy, or was.
const transferName = "transfer"

func fixed(n uint64, width int) string {
	s := strconv.FormatUint(n, 10)
	if len(s) >= width {
		return s
	}
	return strings.Repeat("0", width-len(s)) + s
}

// Kind names the row kind of a key, for the table's meter: the words of docs/data-model.md.
func Kind(k table.Key) string {
	prefix, _, _ := strings.Cut(k.PK, "#")
	switch prefix {
	case "FEEDS":
		return "feed"
	case "F":
		if strings.HasPrefix(k.SK, "SUB#") {
			return "subscriber"
		}
		if k.SK == "HUB" {
			return "hub"
		}
		return "delta"
	case "U":
		letter, _, _ := strings.Cut(k.SK, "#")
		if kind := userKinds[letter]; kind != "" {
			return kind
		}
		return "other"
	case "SYS":
		if k.SK == transferName {
			return "transfer"
		}
		return "system"
	case "URL", "PART", "RUN", "C", "EMAIL", "TOKEN", "LINK", "IDENT", "TRY":
		return kindByPrefix[prefix]
	}
	return "other"
}

var kindByPrefix = map[string]string{
	"URL": "url", "PART": "lease", "RUN": "run", "C": "cache",
	"EMAIL": "email", "TOKEN": "token", "IDENT": "identity", "TRY": "counter",
	"LINK": "link", // of versions before: they lead nowhere, and are gone a day after the update
}

// userKinds are the rows of a user's partition, by the letter that their sort key begins with.
var userKinds = map[string]string{
	"A": "account", "G": "left", "H": "webhook", "I": "identity", "K": "token", "L": "label", "LINK": "link", "M": "import", "P": "settings",
	"S": "subscription", "W": "passkey", "X": "star", "Z": "session",
}

// Kinds names every row kind, for those who must decide about each.
func Kinds() []string {
	return []string{
		"feed", "delta", "subscriber", "url", "lease", "run", "subscription", "star", "account", "email", "token", "link",
		"cache", "system", "transfer", "identity", "passkey", "session", "settings", "import", "label", "webhook", "hub", "left",
		"counter",
	}
}

// The folders of blobs.
const (
	RawPrefix    = "feeds/"
	StarPrefix   = "stars/"
	IconPrefix   = "icons/"   // small images of feeds, named by their content
	ImportPrefix = "imports/" // uploads on their way, gone within a day
	PushPrefix   = "pushed/"  // what hubs pushed, until the crawler has taken it
)

// StarBlobKey names the blob of one starring's body: the user, the item, and the millisecond, so that a name
// is never used twice.
func StarBlobKey(u reader.UserID, id reader.ItemID, at time.Time) string {
	return StarPrefix + string(u) + "/" + id.String() + "-" + strconv.FormatInt(at.UnixMilli(), 36)
}

// LabelBlobKey names the blob of one labelling's body, as StarBlobKey that of a starring.
func LabelBlobKey(u reader.UserID, label reader.LabelID, id reader.ItemID, at time.Time) string {
	return StarBlobKey(u, id, at) + "-" + strconv.Itoa(int(label))
}

// ParseLabelBlobKey reads the key of a labelled item's blob.
func ParseLabelBlobKey(key string) (u reader.UserID, label reader.LabelID, id reader.ItemID, ok bool) {
	i := strings.LastIndexByte(key, '-')
	if i < 0 {
		return "", 0, 0, false
	}
	n, err := strconv.ParseUint(key[i+1:], 10, 31)
	u, id, ok = ParseStarBlobKey(key[:i])
	return u, reader.LabelID(n), id, ok && err == nil && n > 0
}

// ParseStarBlobKey reads a star's blob key.
func ParseStarBlobKey(key string) (u reader.UserID, id reader.ItemID, ok bool) {
	parts := strings.Split(strings.TrimPrefix(key, StarPrefix), "/")
	if len(parts) != 2 || !strings.HasPrefix(key, StarPrefix) {
		return "", 0, false
	}
	number, at, dated := strings.Cut(parts[1], "-")
	n, err := strconv.ParseUint(number, 10, 64)
	return reader.UserID(parts[0]), reader.ItemID(n), dated && err == nil && !strings.Contains(at, "-")
}

// RawDay is the folder of the raw bodies of a day.
func RawDay(day time.Time) string { return RawPrefix + day.UTC().Format("2006/01/02") + "/" }

// RawFeedHash is how RawKey names a feed's folder, and ParseRawKey gives the day and that name of a raw body.
func RawFeedHash(feedURL string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(feedURL))) }

// ParseRawKey reads a raw body's key.
func ParseRawKey(key string) (day time.Time, feed string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 6 || parts[0]+"/" != RawPrefix {
		return time.Time{}, "", false
	}
	day, err := time.Parse("2006/01/02", strings.Join(parts[1:4], "/"))
	return day, parts[4], err == nil
}

// RawKey names the blob of one body: dated for people and lifecycle rules, addressed by content so
// that writing it twice is harmless (C-8, C-9: full hashes, never 8 characters).
func RawKey(at time.Time, feedURL string, contentHash []byte, ext string) string {
	return fmt.Sprintf("%s%s/%x.%s", RawDay(at), RawFeedHash(feedURL), contentHash, ext)
}
