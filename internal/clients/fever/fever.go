// Package fever is the Fever API, as far as programs use it: groups, feeds, icons, items, and marks. Ids of items have
// 53 bits, those of groups, feeds and icons 31.
package fever

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// pageSize is the number of items in one answer. Programs take a shorter page for the last one.
const pageSize = 50

// New returns the handler of all addresses of the API; the arguments name the operation.
func New(s *clients.Services) http.Handler { return &handler{s, lru.New[string, string](iconBytes)} }

type handler struct {
	*clients.Services
	icons *lru.Cache[string, string] // as an answer has them, by their hash
}

// answer has a member for each argument of the request; the others are left out. Flags are 0 and 1, lists of ids
// strings.
type answer struct {
	Version    int         `json:"api_version"`
	Auth       int         `json:"auth"`
	Refreshed  int64       `json:"last_refreshed_on_time,omitempty"`
	Groups     *[]group    `json:"groups,omitempty"`
	Feeds      *[]feed     `json:"feeds,omitempty"`
	FeedGroups *[]inGroup  `json:"feeds_groups,omitempty"`
	Icons      *[]icon     `json:"favicons,omitempty"`
	Items      *[]item     `json:"items,omitempty"`
	Total      *int        `json:"total_items,omitempty"`
	Links      *[]struct{} `json:"links,omitempty"`
	Unread     *string     `json:"unread_item_ids,omitempty"`
	Saved      *string     `json:"saved_item_ids,omitempty"`
}

// ServeHTTP answers one call, which may have several arguments: changes are made first. A wrong key is no HTTP error.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form, err := clients.Form(r)
	if err != nil {
		clients.Fail(w, r, err)
		return
	}
	out := answer{Version: 3}
	who, err := h.Fever(r.Context(), form.Get("api_key"))
	switch {
	case fault.Is(err, fault.Unauthenticated):
	case err != nil:
		clients.Fail(w, r, err)
		return
	default:
		c := call{handler: h, ctx: stream.Settled(r.Context()), room: h.Room(r), user: who.User, args: form, out: &out}
		out.Auth, out.Refreshed = 1, h.Clock.Now().Unix()
		if err := c.run(); err != nil {
			clients.Fail(w, r, err)
			return
		}
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(&out); err != nil {
		clients.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body.Bytes())
}

// call is one call of a user.
type call struct {
	*handler
	ctx  context.Context
	user reader.UserID
	room int // for the answer, in bytes
	args url.Values
	out  *answer
	bar  *sideBar // nil until it is needed
}

// run makes the changes that the arguments ask for, and then collects what they ask for.
func (c *call) run() error {
	if err := c.write(); err != nil {
		return err
	}
	for _, member := range []struct {
		name string
		read func() error
	}{
		{"groups", c.groups}, {"feeds", c.feeds}, {"favicons", c.favicons}, {"items", c.items}, {"links", c.links},
		{"unread_item_ids", c.unread}, {"saved_item_ids", c.saved},
	} {
		if c.args.Has(member.name) {
			if err := member.read(); err != nil {
				return err
			}
		}
	}
	return nil
}

// itemIDs parses a list of item ids, each once. Invalid ones are skipped.
func itemIDs(list string, limit int) (ids []reader.ItemID) {
	for name := range strings.SplitSeq(list, ",") {
		id, err := reader.ParseItemID(strings.TrimSpace(name))
		if err == nil && !slices.Contains(ids, id) {
			if ids = append(ids, id); len(ids) == limit {
				break
			}
		}
	}
	return ids
}

// bound parses a bound of ids; zero when there is none. Programs begin with greater ones than there are.
func bound(s string) reader.ItemID {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	return reader.ItemID(n)
}

// joined is the form of a list of ids.
func joined[T interface{ String() string }](ids []T) *string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(id.String())
	}
	s := b.String()
	return &s
}
