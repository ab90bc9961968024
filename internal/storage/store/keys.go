package store

import (
	"cmp"
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

// All keys of the table are made in this file. Numbers in sort keys have a fixed width, so that they sort by value.

// BlockShift groups feed rows: 1,024 share a partition, so that a tick reads them in one query.
const BlockShift = 10

const none = "-" // the sort key of partitions with one row

func block(f reader.FeedID) int { return int(f >> BlockShift) }

func blockPK(b int) string { return blocksPrefix + strconv.Itoa(b) }

func feedSK(f reader.FeedID) string { return fixed(uint64(f), 6) }

// parseFeedSK is the inverse of feedSK.
func parseFeedSK(sk string) reader.FeedID {
	n, _ := strconv.Atoi(sk)
	return reader.FeedID(n)
}

func feedKey(f reader.FeedID) table.Key { return table.Key{PK: blockPK(block(f)), SK: feedSK(f)} }

func feedPK(f reader.FeedID) string { return "F#" + strconv.Itoa(int(f)) }

// feedOf is the inverse of feedPK.
func feedOf(pk string) reader.FeedID {
	n, _ := strconv.Atoi(strings.TrimPrefix(pk, "F#"))
	return reader.FeedID(n)
}

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
	return table.Key{PK: userPK(u), SK: subscriptionsPrefix + feedSK(f)}
}

// leftKey is the key of the read state kept after unsubscribing.
func leftKey(u reader.UserID, f reader.FeedID) table.Key {
	return table.Key{PK: userPK(u), SK: "G#" + feedSK(f)}
}

// positionsKey is the key of a user's read positions, between rules and subscriptions, which are read with it.
func positionsKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: positionsSK} }

const positionsSK = "R"

func accountKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: "A"} }

func emailKey(email string) table.Key { return table.Key{PK: "EMAIL#" + email, SK: none} }

func tokenKey(hash string) table.Key { return table.Key{PK: "TOKEN#" + hash, SK: none} }

// feverKey is the key of the lookup from a Fever key to its app password.
func feverKey(hash string) table.Key { return table.Key{PK: "FEVER#" + hash, SK: none} }

func counterKey(hash string) table.Key { return table.Key{PK: "TRY#" + hash, SK: none} }

// linkKey is the key of a user's one-time link: there is one at a time, so a new one replaces the old one.
func linkKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: "LINK"} }

// identityKey is the key of a user's identity, by the hash of issuer and subject.
func identityKey(u reader.UserID, hash string) table.Key {
	return table.Key{PK: userPK(u), SK: "I#" + hash}
}

// identityOfKey is the key of the lookup from an identity to its user.
func identityOfKey(hash string) table.Key { return table.Key{PK: "IDENT#" + hash, SK: none} }

func passkeyKey(u reader.UserID, hash string) table.Key {
	return table.Key{PK: userPK(u), SK: "W#" + hash}
}

func sessionKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "Z#" + id}
}

// tokenOfKey is the key of an entry in a user's list of tokens; tokenKey is that of the token itself.
func tokenOfKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "K#" + id}
}

// tokensKey is the key of what a user used of a language model in a month.
func tokensKey(u reader.UserID, month time.Time) table.Key {
	return table.Key{PK: userPK(u), SK: "Q#" + month.UTC().Format("2006-01")}
}

// settingsKey is the key of a user's preferences, tree of folders or rules.
func settingsKey(u reader.UserID, name string) table.Key {
	return table.Key{PK: userPK(u), SK: settingsSK(name)}
}

func settingsSK(name string) string { return "P#" + name }

// importKey is the key of an import or, with a chunk's number, of that chunk's result.
func importKey(u reader.UserID, id, chunk string) table.Key {
	if chunk != "" {
		id += "#" + chunk
	}
	return table.Key{PK: userPK(u), SK: "M#" + id}
}

func starKey(u reader.UserID, id reader.ItemID) table.Key {
	return table.Key{PK: userPK(u), SK: starsPrefix + fixed(uint64(id), 16)}
}

func labelKey(u reader.UserID, label reader.LabelID, id reader.ItemID) table.Key {
	return table.Key{PK: userPK(u), SK: labelPrefix(label) + fixed(uint64(id), 16)}
}

func labelPrefix(label reader.LabelID) string { return labelsPrefix + fixed(uint64(label), 4) + "#" }

// blocksPrefix is that of the partitions with feed rows, subscriptionsPrefix that of a user's subscriptions.
const (
	blocksPrefix        = "FEEDS#"
	subscriptionsPrefix = "S#"
)

// starsPrefix is the prefix of all snapshots of starred items.
const starsPrefix = "X#"

// labelsPrefix is the prefix of all snapshots of labelled items.
const labelsPrefix = "L#"

func webhookKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: "H#" + id}
}

const (
	devicesPrefix = "V#"
	noticesSK     = "HN"
	// webhooksAndNotices is the beginning of the keys of both, which are read together.
	webhooksAndNotices = "H"
)

func noticesKey(u reader.UserID) table.Key { return table.Key{PK: userPK(u), SK: noticesSK} }

func deviceKey(u reader.UserID, id string) table.Key {
	return table.Key{PK: userPK(u), SK: devicesPrefix + id}
}

// hubKey is the key of the subscription at a feed's WebSub hub.
func hubKey(f reader.FeedID) table.Key { return table.Key{PK: feedPK(f), SK: "HUB"} }

// watchKey is the key of the settings of a watch.
func watchKey(f reader.FeedID) table.Key { return table.Key{PK: feedPK(f), SK: watchSK} }

// changesKey is the key of changes of a watch that no item announces. Several of one crawl are numbered from 0.
func changesKey(f reader.FeedID, seq reader.Seq, t schedule.Tick, n int) table.Key {
	sk := changesSK(seq, t)
	if n > 0 {
		sk += "d" + fixed(uint64(n), 3)
	}
	return table.Key{PK: feedPK(f), SK: sk}
}

// baseKey is the key of a base, by how far it is folded: all that is not part of it sorts after it.
func baseKey(f reader.FeedID, seq reader.Seq, t schedule.Tick) table.Key {
	return table.Key{PK: feedPK(f), SK: changesSK(seq, t) + "b"}
}

func changesSK(seq reader.Seq, t schedule.Tick) string {
	return changesPrefix + fixed(uint64(seq), 10) + fixed(uint64(max(t, 0)), 7)
}

// parseChangesSK returns what changesSK was given, and the number of changesKey, or -1 of a base.
func parseChangesSK(sk string) (seq reader.Seq, t schedule.Tick, n int) {
	const tickAt, restAt = len(changesPrefix) + 10, len(changesPrefix) + 17
	if len(sk) < restAt {
		return 0, 0, 0
	}
	s, _ := strconv.ParseUint(sk[len(changesPrefix):tickAt], 10, 32)
	at, _ := strconv.ParseUint(sk[tickAt:restAt], 10, 31)
	switch rest := sk[restAt:]; {
	case rest == "b":
		n = -1
	case rest != "":
		n, _ = strconv.Atoi(rest[1:])
	}
	return reader.Seq(s), schedule.Tick(at), n
}

// historyKey is the key of the history of one month of a watch.
func historyKey(f reader.FeedID, month string) table.Key {
	return table.Key{PK: feedPK(f), SK: historyPrefix + month}
}

const (
	watchSK       = "W"
	changesPrefix = "W#"
	historyPrefix = "WH#"
)

func cacheKey(hash string) table.Key { return table.Key{PK: "C#" + hash, SK: none} }

func systemKey(name string) table.Key { return table.Key{PK: "SYS", SK: name} }

// searchKey is the key of the row of the index of searches; 0 is the number of its one part.
func searchKey() table.Key { return systemKey(searchName) }

const searchName = "search#0"

func cyclePK(day int32) string {
	return "HB#" + reader.Epoch.AddDate(0, 0, int(day)).Format(time.DateOnly)
}

// cycleKey is the key of the cycle of counts that began in a tick.
func cycleKey(t schedule.Tick) table.Key {
	return table.Key{PK: cyclePK(schedule.DayOf(t)), SK: cycleSK(t)}
}

func usePK(d reader.Day) string { return "STAT#" + d.String()[:4] }

func useKey(d reader.Day) table.Key { return table.Key{PK: usePK(d), SK: d.String()[5:]} }

func cycleSK(t schedule.Tick) string { return fixed(uint64(t), 7) }

// transferName names the row of a TransferRow.
const transferName = "transfer"

func fixed(n uint64, width int) string {
	s := strconv.FormatUint(n, 10)
	if len(s) >= width {
		return s
	}
	return strings.Repeat("0", width-len(s)) + s
}

// Kind returns the kind of row of a key, for the table's meter, as docs/develop/data-model.md calls it.
func Kind(k table.Key) string {
	prefix, _, _ := strings.Cut(k.PK, "#")
	switch prefix {
	case "FEEDS":
		return "feed"
	case "F":
		if strings.HasPrefix(k.SK, "SUB#") {
			return "subscriber"
		}
		switch {
		case k.SK == "HUB":
			return "hub"
		case k.SK == watchSK:
			return "watch"
		case strings.HasPrefix(k.SK, historyPrefix):
			return "history"
		case strings.HasPrefix(k.SK, changesPrefix) && strings.HasSuffix(k.SK, "b"):
			return "base"
		case strings.HasPrefix(k.SK, changesPrefix):
			return "changes"
		}
		return "delta"
	case "U":
		letter, _, _ := strings.Cut(k.SK, "#")
		return cmp.Or(userKinds[letter], "other")
	case "SYS":
		if k.SK == transferName {
			return "transfer"
		}
		if k.SK == searchName {
			return "search"
		}
		return "system"
	}
	return cmp.Or(kindByPrefix[prefix], "other")
}

var kindByPrefix = map[string]string{
	"URL": "url", "PART": "lease", "RUN": "run", "C": "cache",
	"HB": "cycle", "STAT": "use", "EMAIL": "email", "TOKEN": "token", "IDENT": "identity", "TRY": "counter",
	"FEVER": "fever",
}

// userKinds are the kinds of rows in a user's partition, by the first part of their sort key.
var userKinds = map[string]string{
	"A": "account", "G": "left", "H": "webhook", "HN": "notices", "I": "identity",
	"K": "token", "L": "label", "LINK": "link",
	"M": "import", "P": "settings", "Q": "tokens",
	"R": "positions", "S": "subscription", "V": "device", "W": "passkey", "X": "star", "Z": "session",
}

// Kinds lists every kind of row, for packages that must handle each.
func Kinds() []string {
	return []string{
		"feed", "delta", "subscriber", "url", "lease", "run", "subscription", "star", "account", "email",
		"token", "link",
		"cache", "system", "transfer", "identity", "passkey", "session", "settings", "import", "label",
		"webhook", "notices", "device", "hub", "left",
		"counter", "positions", "search", "fever", "cycle", "use", "watch", "changes", "base", "history",
		"tokens",
	}
}

// Prefixes of the keys of blobs.
const (
	RawPrefix    = "feeds/"
	StarPrefix   = "stars/"
	IconPrefix   = "icons/"   // small images of feeds, named by their content
	ImportPrefix = "imports/" // uploads in progress, deleted within a day
	PushPrefix   = "pushed/"  // pushes of hubs that the crawler has not processed yet
	SearchPrefix = "search/"  // segments of the index
	CountsPrefix = "counts/"  // counts of all items, by day
	TagsPrefix   = "tags/"    // tags of the items of the last 30 days
	PagesPrefix  = "pages/"   // pages of watches: the last unreadable one of each, and previews
)

// BlobPrefixes lists the prefixes of all blobs, for packages that must handle each.
func BlobPrefixes() []string {
	return []string{
		RawPrefix, StarPrefix, IconPrefix, ImportPrefix, PushPrefix, SearchPrefix, CountsPrefix,
		TagsPrefix, PagesPrefix,
	}
}

// PageKey returns the key of the last page of a watch that could not be read.
func PageKey(f reader.FeedID) string { return PagesPrefix + f.String() + ".gz" }

// PreviewPrefix begins the keys of the pages that users looked at before they made a watch: kept for a day.
const PreviewPrefix = PagesPrefix + "preview/"

// SnapshotBlobKey returns the key of a snapshot's body. The millisecond makes it unique for each starring.
func SnapshotBlobKey(u reader.UserID, label reader.LabelID, id reader.ItemID, at time.Time) string {
	key := StarPrefix + string(u) + "/" + id.String() + "-" + strconv.FormatInt(at.UnixMilli(), 36)
	if label != Star {
		key += "-" + strconv.Itoa(int(label))
	}
	return key
}

// ParseSnapshotBlobKey is the inverse of SnapshotBlobKey.
func ParseSnapshotBlobKey(key string) (u reader.UserID, label reader.LabelID, id reader.ItemID, ok bool) {
	parts := strings.Split(strings.TrimPrefix(key, StarPrefix), "/")
	if len(parts) != 2 || !strings.HasPrefix(key, StarPrefix) {
		return "", 0, 0, false
	}
	name := strings.Split(parts[1], "-")
	n, err := strconv.ParseUint(name[0], 10, 64)
	if err != nil || len(name) < 2 || len(name) > 3 {
		return "", 0, 0, false
	}
	if len(name) == 3 {
		l, err := strconv.ParseUint(name[2], 10, 31)
		if err != nil || l == 0 {
			return "", 0, 0, false
		}
		label = reader.LabelID(l)
	}
	return reader.UserID(parts[0]), label, reader.ItemID(n), true
}

// RawDay is the folder of the raw bodies of a day.
func RawDay(day time.Time) string { return RawPrefix + day.UTC().Format("2006/01/02") + "/" }

// RawFeedHash returns the name of a feed's folder in the keys of RawKey.
func RawFeedHash(feedURL string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(feedURL))) }

// ParseRawKey returns the day and the RawFeedHash in the key of a raw body.
func ParseRawKey(key string) (day time.Time, feed string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 6 || parts[0]+"/" != RawPrefix {
		return time.Time{}, "", false
	}
	day, err := time.Parse("2006/01/02", strings.Join(parts[1:4], "/"))
	return day, parts[4], err == nil
}

// RawKey names the blob of one body: dated for lifecycle rules, addressed by a full hash of its content (C-8, C-9).
func RawKey(at time.Time, feedURL string, contentHash []byte, ext string) string {
	return fmt.Sprintf("%s%s/%x.%s", RawDay(at), RawFeedHash(feedURL), contentHash, ext)
}
