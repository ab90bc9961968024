package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// outcome is the status and category of an answer with an error, and how long to wait before the next try.
type outcome struct {
	status   int
	category string
	wait     time.Duration
}

// kinds has the outcome of each kind of error; the status is fault.Kind.Status.
var kinds = map[fault.Kind]outcome{
	fault.Invalid:         {category: "validation"},
	fault.Unauthenticated: {category: "auth"},
	fault.Forbidden:       {category: "auth"},
	fault.NotFound:        {category: "validation"},
	fault.Conflict:        {category: "validation"},
	fault.TooLarge:        {category: "validation"},
	fault.RateLimited:     {category: "system", wait: 5 * time.Second},
	fault.Unavailable:     {category: "system", wait: 5 * time.Second},
	fault.Cancelled:       {category: "system"},
	fault.Internal:        {category: "system"},
}

var (
	ofSite    = outcome{status: http.StatusUnprocessableEntity, category: "feed"}
	ofStorage = outcome{status: http.StatusServiceUnavailable, category: "system"}
)

// outcomes has the status and category of codes that differ from their kind's; a zero status is the kind's.
var outcomes = map[string]outcome{
	"method_not_allowed":  {status: http.StatusMethodNotAllowed, category: "validation"},
	"bad_url":             {status: http.StatusBadRequest, category: "validation"},
	"too_many_logins":     {category: "auth"},
	"passkey_refused":     {category: "auth"},
	"too_soon":            {category: "feed"},
	"site_asks_to_wait":   {category: "feed"},
	"storage_full":        {status: http.StatusInsufficientStorage, category: "system"},
	"storage_denied":      ofStorage,
	"storage_unavailable": ofStorage,
	"storage_failed":      ofStorage,
	"storage_throttled":   ofStorage,
	"throttled":           ofStorage,
	"write_rate":          ofStorage,
	"contended":           ofStorage,
}

// outcomeOf returns what differs from the kind's outcome for a code.
func outcomeOf(code string) outcome {
	if _, isOurs := texts.Errors[code]; isOurs {
		return outcomes[code]
	}
	if _, isEntry := texts.Entries[code]; isEntry {
		return outcome{}
	}
	if _, isKnown := texts.Of(code); isKnown {
		return ofSite
	}
	return outcome{}
}

// internalCodes are of errors that no caller can cause. They are answered as "internal"; the log has the code.
var internalCodes = []string{
	"counts_failed", "counts_unreadable", // kept in the row of a cycle
	"phrases_failed", "phrases_limited", "phrases_refused", "phrases_unreadable", // kept in the settings
	"bad_attribute",
	"bad_condition",
	"bad_delay",
	"bad_field",
	"bad_key",
	"bad_message",
	"bad_meta",
	"bad_query",
	"bad_range",
	"bad_request",
	"bad_row",
	"bad_rules",
	"bad_ttl",
	"bad_update",
	"bad_value",
	"blob_not_found",
	"blob_too_large",
	"condition_failed",
	"home_half_filled",
	"message_too_large",
	"metadata_too_large",
	"no_owner",
	"part_busy",
	"push_is_no_feed",
	"queue_not_found",
	"row_not_found",
	"segment_too_large",
	"stale_handle",
	"storage_foreign",
	"unknown_message_kind",
}
