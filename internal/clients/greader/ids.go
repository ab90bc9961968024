package greader

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// itemPrefix begins the long form of an item's id; 16 hexadecimal digits follow.
const itemPrefix = "tag:google.com,2005:reader/item/"

// longID returns the long form of an id. Some clients read nothing else, and need all 16 lower-case digits.
func longID(id reader.ItemID) string { return fmt.Sprintf("%s%016x", itemPrefix, uint64(id)) }

// parseItem reads an id in any form that clients send: long, hexadecimal with or without leading zeros, or decimal.
// Decimal digits without a leading zero are a decimal number, as everywhere else.
func parseItem(s string) (reader.ItemID, bool) {
	s = strings.TrimSpace(s)
	digits, isLong := strings.CutPrefix(s, itemPrefix)
	base := 16
	if !isLong && !strings.HasPrefix(digits, "0") && strings.Trim(digits, "0123456789") == "" {
		base = 10
	}
	n, err := strconv.ParseUint(digits, base, 64)
	id := reader.ItemID(n)
	return id, err == nil && id > 0 && id.Valid()
}

// parseItems reads ids and skips invalid ones. Each is returned once, in the order of its first mention.
func parseItems(list []string) []reader.ItemID {
	seen := make(map[reader.ItemID]bool, len(list))
	out := make([]reader.ItemID, 0, len(list))
	for _, s := range list {
		if id, ok := parseItem(s); ok && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
