package miniflux

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

const (
	// defaultLimit is the default number of entries in an answer, maxLimit the greatest.
	defaultLimit = 100
	maxLimit     = 10_000
)

// query is a request for a list of entries. Bounds are exclusive; zero is none.
type query struct {
	feed                            reader.FeedID
	group                           clients.GroupID
	read, unread                    bool  // only in this state
	starred                         *bool // only with a star, only without
	above, below                    reader.ItemID
	publishedAfter, publishedBefore int64
	changedAfter, changedBefore     int64
	tags                            []string // in lower case; all of them
	visible                         bool     // not of muted feeds
	search                          string
	order                           string
	descending                      bool
	limit, offset                   int
}

// parseQuery reads the parameters of a list. Numbers that are none are ignored, as Miniflux does.
func parseQuery(v url.Values) (q query, err error) {
	for _, s := range list(v, "status") {
		switch s {
		case read:
			q.read = true
		case unread:
			q.unread = true
		default:
			return q, badStatus()
		}
	}
	if q.read && q.unread {
		q.read, q.unread = false, false
	}
	if q.order = v.Get("order"); q.order == "" {
		q.order = "published_at"
	}
	if !slices.Contains(orders, q.order) {
		return q, bad(`invalid entry order, valid order values are: "` + strings.Join(orders, `", "`) + `"`)
	}
	switch v.Get("direction") {
	case "", "asc":
	case "desc":
		q.descending = true
	default:
		return q, bad(`invalid direction, valid direction values are: "asc" or "desc"`)
	}
	q.limit, q.offset = int(number(v, "limit", defaultLimit)), offset(v)
	if q.limit > maxLimit {
		return q, bad("limit value should be <= " + strconv.Itoa(maxLimit))
	}
	if q.limit == 0 {
		q.limit = maxLimit
	}
	q.above, q.below = reader.ItemID(number(v, "after_entry_id", 0)), reader.ItemID(number(v, "before_entry_id", 0))
	q.publishedAfter = max(number(v, "after", 0), number(v, "published_after", 0))
	q.publishedBefore = earlier(number(v, "before", 0), number(v, "published_before", 0))
	q.changedAfter, q.changedBefore = number(v, "changed_after", 0), number(v, "changed_before", 0)
	if yes, err := strconv.ParseBool(v.Get("starred")); err == nil {
		q.starred = &yes
	}
	for _, tag := range list(v, "tags") {
		q.tags = append(q.tags, strings.ToLower(tag))
	}
	q.visible, _ = strconv.ParseBool(v.Get("globally_visible"))
	q.search = v.Get("search")
	return q, nil
}

// earlier returns the lower of two bounds, of which zero is none.
func earlier(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// orders are the members by which entries can be ordered.
var orders = []string{"id", "status", "changed_at", "published_at", "created_at", "category_title", "category_id",
	"title", "author"}

func badStatus() error {
	return bad(`invalid entry status, valid status values are: "read" and "unread"`)
}

// number parses a number from zero up.
func number(v url.Values, name string, otherwise int64) int64 {
	n, err := strconv.ParseInt(v.Get(name), 10, 64)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// offset is bounded, so that a limit can be added to it.
func offset(v url.Values) int { return int(min(number(v, "offset", 0), math.MaxInt32)) }

// list returns the values of a repeated parameter that are not empty.
func list(v url.Values, name string) (out []string) {
	for _, s := range v[name] {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// ids is the part of the query that ids and states decide, of one stream.
func (q *query) ids(scope stream.Scope) stream.IDQuery {
	out := stream.IDQuery{Scope: scope, Above: q.above, Below: q.below}
	switch {
	case q.unread:
		out.Is = stream.IsUnread
	case q.read:
		out.Is = stream.IsRead
	}
	switch {
	case q.starred == nil:
	case !*q.starred:
		out.Not = stream.IsStarred
	case q.unread: // the state of a star, not of entries without one
		out.Is, out.Not = stream.IsStarred, stream.IsRead
	case q.read:
		out.Is, out.Not = stream.IsStarred, stream.IsUnread
	default:
		out.Is = stream.IsStarred
	}
	return out
}

// picks reports whether only the header of an entry tells whether the query wants it.
func (q *query) picks() bool {
	return q.publishedAfter > 0 || q.publishedBefore > 0 || q.changedAfter > 0 || q.changedBefore > 0 || len(q.tags) > 0
}

// wants is picks for one entry, that arrived at a time.
func (q *query) wants(e *stream.Entry, changed int64) bool {
	published := stream.Published(&e.Header)
	if q.publishedAfter > 0 && published <= q.publishedAfter || q.publishedBefore > 0 &&
		published >= q.publishedBefore ||
		q.changedAfter > 0 && changed <= q.changedAfter || q.changedBefore > 0 && changed >= q.changedBefore {
		return false
	}
	for _, tag := range q.tags {
		if !slices.ContainsFunc(e.Header.Categories, func(c string) bool { return strings.ToLower(c) == tag }) {
			return false
		}
	}
	return true
}
