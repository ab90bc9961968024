package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// The list of feeds is the largest frequent answer: 600 bytes a feed. encoding/json takes more than three times as long
// for it, which would exceed the limit for 5,000 feeds (docs/performance.md, P7). A test compares the output with that
// of encoding/json.

// append writes the feed as encoding/json would.
func (f *feedJSON) append(b []byte) []byte {
	b, _ = f.encode(b)
	return b
}

// encode is append that also returns the hash of what does not move with the clock alone.
func (f *feedJSON) encode(b []byte) ([]byte, uint64) {
	var steady xxhash.Digest
	steady.Reset()
	from := len(b)
	b = appendText(append(b, `{"id":`...), f.ID)
	b = appendText(append(b, `,"url":`...), f.URL)
	b = appendText(append(b, `,"title":`...), f.Title)
	b = appendOptional(append(b, `,"customTitle":`...), f.CustomTitle)
	b = appendText(append(b, `,"description":`...), f.Description)
	b = appendText(append(b, `,"siteUrl":`...), f.SiteURL)
	b = appendText(append(b, `,"language":`...), f.Language)
	b = appendOptional(append(b, `,"iconUrl":`...), f.IconURL)
	b = appendText(append(b, `,"folder":`...), f.Folder)
	b = append(b, `,"folders":[`...)
	for i, id := range f.Folders {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, id)
	}
	b = strconv.AppendInt(append(b, `],"position":`...), int64(f.Position), 10)
	b = strconv.AppendInt(append(b, `,"unreadCount":`...), int64(f.UnreadCount), 10)
	b = strconv.AppendBool(append(b, `,"hasUnread":`...), f.HasUnread)
	b = strconv.AppendInt(append(b, `,"starredCount":`...), int64(f.StarCount), 10)
	b = strconv.AppendInt(append(b, `,"itemCount":`...), int64(f.ItemCount), 10)
	b = f.LastItemAt.append(append(b, `,"lastItemAt":`...))
	_, _ = steady.Write(b[from:])
	b = append(b, `,"itemsPerWeek":`...)
	if f.Weekly == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendFloat(b, *f.Weekly, 'f', -1, 64)
	}
	from = len(b)
	b = appendText(append(b, `,"status":`...), f.Status)
	b = strconv.AppendBool(append(b, `,"isActive":`...), f.IsActive)
	b = f.Error.append(append(b, `,"error":`...))
	b = appendOptional(append(b, `,"proposedUrl":`...), f.Proposed)
	b = appendOptional(append(b, `,"proposedReason":`...), f.ProposedWhy)
	_, _ = steady.Write(b[from:])
	b = f.LastChecked.append(append(b, `,"lastCheckedAt":`...))
	from = len(b)
	b = f.LastChanged.append(append(b, `,"lastChangedAt":`...))
	b = f.LastUpdated.append(append(b, `,"feedLastUpdated":`...))
	_, _ = steady.Write(b[from:])
	b = f.NextCheck.append(append(b, `,"nextCheckAt":`...))
	b = appendText(append(b, `,"nextCheckReason":{"code":`...), f.Reason.Code)
	b = appendText(append(b, `,"message":`...), f.Reason.Message)
	b = append(b, '}')
	from = len(b)
	b = strconv.AppendInt(append(b, `,"intervalMinutes":`...), int64(f.Interval), 10)
	b = appendText(append(b, `,"intervalReason":{"code":`...), f.IntervalWhy.Code)
	b = appendText(append(b, `,"message":`...), f.IntervalWhy.Message)
	b = strconv.AppendInt(append(b, `},"ownIntervalMinutes":`...), int64(f.OwnInterval), 10)
	b = strconv.AppendBool(append(b, `,"isMuted":`...), f.IsMuted)
	b = strconv.AppendBool(append(b, `,"fullText":`...), f.FullText)
	b = strconv.AppendBool(append(b, `,"notify":`...), f.Notify)
	b = strconv.AppendBool(append(b, `,"neverCount":`...), f.NeverCount)
	b = strconv.AppendInt(append(b, `,"itemsLeftOut":`...), int64(f.LeftOut), 10)
	b = f.LastRead.append(append(b, `,"lastReadAt":`...))
	b = f.Subscribed.append(append(b, `,"subscribedAt":`...))
	b = strconv.AppendBool(append(b, `,"isSample":`...), f.IsSample)
	b = strconv.AppendBool(append(b, `,"isWatch":`...), f.IsWatch)
	b = append(b, '}')
	_, _ = steady.Write(b[from:])
	return b, steady.Sum64()
}

func (f *faultJSON) append(b []byte) []byte {
	if f == nil {
		return append(b, "null"...)
	}
	b = appendText(append(b, `{"code":`...), f.Code)
	b = appendText(append(b, `,"category":`...), f.Category)
	b = appendText(append(b, `,"message":`...), f.Message)
	b = appendText(append(b, `,"action":`...), f.Action)
	b = f.Since.append(append(b, `,"since":`...))
	return append(b, '}')
}

func appendOptional(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}

// appendText appends a JSON string. encoding/json writes the strings that need escapes.
func appendText(b []byte, s string) []byte {
	if !plainText(s) {
		var buf bytes.Buffer
		e := json.NewEncoder(&buf)
		e.SetEscapeHTML(false)
		if e.Encode(s) != nil {
			return append(b, `""`...) // a string always encodes
		}
		return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plainText reports whether a string needs no escape in JSON. False for any byte E2: U+2028 and U+2029, which
// encoding/json escapes, begin with it.
func plainText(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == 0xE2, c == 0x7F:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}
