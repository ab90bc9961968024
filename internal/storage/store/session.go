package store

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SessionRow is one signed-in device. A signed token is valid only as long as the row exists.
type SessionRow struct {
	rowKey

	Device  string `dynamo:"device,omitempty"`  // for people: "Firefox on Linux"
	Method  string `dynamo:"method,omitempty"`  // of the sign-in: password, link, passkey, …
	Address string `dynamo:"address,omitempty"` // only the network, and only if the owner enabled it (C-17)
	Created int64  `dynamo:"created"`
	Active  int64  `dynamo:"active"` // written at most hourly
	// Before is the last activity before the present visit, 0 in the first one. It is written together with Active.
	Before int64 `dynamo:"before,omitempty"`
	TTL    int64 `dynamo:"ttl"`
}

// ID returns the session's id, from the row's key.
func (r *SessionRow) ID() string { return strings.TrimPrefix(r.SK, "Z#") }

// PutSession starts a session.
func (s *Accounts) PutSession(ctx context.Context, u reader.UserID, id string, row SessionRow) error {
	return put(ctx, s.t, sessionKey(u, id), &row, table.IfAbsent())
}

// Session reads a session: NotFound "session_ended". A miss is read once more consistently, for new sessions.
func (s *Accounts) Session(ctx context.Context, u reader.UserID, id string) (*SessionRow, error) {
	row, err := get[SessionRow](ctx, s.t, sessionKey(u, id), "session_ended")
	if fault.Is(err, fault.NotFound) {
		return get[SessionRow](ctx, s.t, sessionKey(u, id), "session_ended", table.Consistent())
	}
	return row, err
}

// TouchSession extends a session last active at was; before is its row's new Before. written is false if another
// instance did so, or the session has ended.
func (s *Accounts) TouchSession(ctx context.Context, u reader.UserID, id string, was, before int64, now,
	until time.Time) (written bool, err error) {
	set := map[string]any{"active": now.Unix(), "ttl": until.Unix()}
	if before > 0 {
		set["before"] = before
	}
	err = s.t.Update(ctx, sessionKey(u, id), table.Update{
		Set: set,
		If:  []table.Cond{table.IfPresent(), table.IfEqual("active", was)},
	})
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// Sessions lists a user's sessions, by id.
func (s *Accounts) Sessions(ctx context.Context, u reader.UserID) ([]*SessionRow, error) {
	return list[SessionRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: "Z#", Consistent: true})
}

// EndSession deletes a session; an absent one is no error.
func (s *Accounts) EndSession(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, sessionKey(u, id))
}
