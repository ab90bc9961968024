package store

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SessionRow is one signed-in device. The signed token alone opens nothing: while the row is there the session
// holds, and whoever deletes it ends it.
type SessionRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Device  string `dynamo:"device,omitempty"`  // in plain words: "Firefox on Linux"
	Method  string `dynamo:"method,omitempty"`  // how it was begun: password, link, passkey, …
	Address string `dynamo:"address,omitempty"` // the network alone, and only if the owner wants it (C-17)
	Created int64  `dynamo:"created"`
	Active  int64  `dynamo:"active"` // written at most hourly
	TTL     int64  `dynamo:"ttl"`
}

// ID is the session's id, from the row's key.
func (r *SessionRow) ID() string { return strings.TrimPrefix(r.SK, "Z#") }

// PutSession begins a session.
func (s *Accounts) PutSession(ctx context.Context, u reader.UserID, id string, row SessionRow) error {
	k := sessionKey(u, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row, table.IfAbsent())
}

// Session reads a session: NotFound "session_ended" when there is none. What a lagging read does not see is looked
// for once more, so that a session just begun is never denied.
func (s *Accounts) Session(ctx context.Context, u reader.UserID, id string) (*SessionRow, error) {
	var row SessionRow
	err := s.t.Get(ctx, sessionKey(u, id), &row)
	if fault.Is(err, fault.NotFound) {
		err = s.t.Get(ctx, sessionKey(u, id), &row, table.Consistent())
	}
	if err != nil {
		return nil, notFoundAs(err, "session_ended")
	}
	return &row, nil
}

// TouchSession notes that a session read as active at `was` is in use at `now`, and holds until `until`. Of several
// instances one writes; written false says that another did, or that the session was ended.
func (s *Accounts) TouchSession(ctx context.Context, u reader.UserID, id string, was int64, now, until time.Time) (written bool, err error) {
	err = s.t.Update(ctx, sessionKey(u, id), table.Update{
		Set: map[string]any{"active": now.Unix(), "ttl": until.Unix()},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("active", was)},
	})
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// Sessions lists a user's sessions, by id; consistently: who looks has often just ended one.
func (s *Accounts) Sessions(ctx context.Context, u reader.UserID) ([]*SessionRow, error) {
	var out []*SessionRow
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "Z#", Consistent: true}, func(it table.Row) error {
		row := new(SessionRow)
		out = append(out, row)
		return it.Decode(row)
	})
	return out, err
}

// EndSession deletes a session; absent is success.
func (s *Accounts) EndSession(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, sessionKey(u, id))
}
