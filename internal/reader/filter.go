package reader

import "github.com/ruri-reader/ruri/internal/fault"

// Filter chooses items of a list.
type Filter string

// The filters (G-18).
const (
	FilterAll     Filter = "all"
	FilterUnread  Filter = "unread"
	FilterStarred Filter = "starred"
	FilterHidden  Filter = "hidden" // hidden by rules; no other filter shows them
)

// ParseFilter parses a filter; empty means FilterAll.
func ParseFilter(s string) (Filter, error) {
	switch f := Filter(s); f {
	case "":
		return FilterAll, nil
	case FilterAll, FilterUnread, FilterStarred, FilterHidden:
		return f, nil
	}
	return "", fault.Coded(fault.Invalid, "bad_filter").At("filter")
}
