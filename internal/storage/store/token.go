package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// TokenRow is a program's bearer token, kept by hash alone (C-34).
type TokenRow struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	V       int    `dynamo:"v"`
	User    string `dynamo:"user"`
	ID      string `dynamo:"id,omitempty"` // its name in the user's list
	Name    string `dynamo:"name"`
	Scope   string `dynamo:"scope,omitempty"` // what it opens; empty: all of the API
	Created int64  `dynamo:"created"`
	Used    int64  `dynamo:"used,omitempty"` // written at most hourly
	TTL     int64  `dynamo:"ttl,omitempty"`
}

// tokenOfRow lists a token with its user.
type tokenOfRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	V    int    `dynamo:"v"`
	Hash string `dynamo:"hash"`
	TTL  int64  `dynamo:"ttl,omitempty"`
}

// TokenID is how a token is named in lists: enough of its hash to be one of a kind, too little to be of use.
func TokenID(secret string) string { return HashToken(secret)[:16] }

// PutToken stores a program's token by its hash: in the user's list first, so that no token works that nobody could
// find and end.
func (s *Accounts) PutToken(ctx context.Context, secret string, u reader.UserID, row TokenRow) error {
	hash := HashToken(secret)
	k := tokenOfKey(u, TokenID(secret))
	if err := s.t.Put(ctx, tokenOfRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Hash: hash, TTL: row.TTL}, table.IfAbsent()); err != nil {
		return err
	}
	k = tokenKey(hash)
	row.PK, row.SK, row.V, row.User, row.ID, row.Created = k.PK, k.SK, SchemaVersion, string(u), TokenID(secret), s.clock.Now().Unix()
	return s.t.Put(ctx, row, table.IfAbsent())
}

// Token finds a program's token by its hash.
func (s *Accounts) Token(ctx context.Context, hash string) (*TokenRow, error) {
	var row TokenRow
	if err := s.t.Get(ctx, tokenKey(hash), &row); err != nil {
		return nil, notFoundAs(err, "token_not_found")
	}
	return &row, nil
}

// TouchToken notes that a token last used at `was` is in use now.
func (s *Accounts) TouchToken(ctx context.Context, hash string, was int64, now time.Time) error {
	err := s.t.Update(ctx, tokenKey(hash), table.Update{
		Set: map[string]any{"used": now.Unix()}, If: []table.Cond{table.IfPresent(), table.IfEqual("used", was)},
	})
	if fault.Is(err, fault.Conflict) {
		return nil // another instance did, or the token is gone
	}
	return err
}

// Tokens lists a user's tokens, in order of id. A listed one without a row of its own never worked: it is left out.
func (s *Accounts) Tokens(ctx context.Context, u reader.UserID) ([]*TokenRow, error) {
	hashes, err := s.tokenHashes(ctx, u)
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	keys := make([]table.Key, 0, len(hashes))
	for _, h := range hashes {
		keys = append(keys, tokenKey(h))
	}
	var out []*TokenRow
	err = s.t.BatchGetRows(ctx, keys, func(r table.Row) error {
		row := new(TokenRow)
		out = append(out, row)
		return r.Decode(row)
	}, table.Consistent())
	return out, err
}

// tokenHashes gives the hashes of a user's tokens by id.
func (s *Accounts) tokenHashes(ctx context.Context, u reader.UserID) (map[string]string, error) {
	out := map[string]string{}
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "K#", Consistent: true}, func(it table.Row) error {
		var row tokenOfRow
		err := it.Decode(&row)
		out[strings.TrimPrefix(row.SK, "K#")] = row.Hash
		return err
	})
	return out, err
}

// TokenIDs names a user's tokens, those too that never came to work.
func (s *Accounts) TokenIDs(ctx context.Context, u reader.UserID) ([]string, error) {
	hashes, err := s.tokenHashes(ctx, u)
	return slices.Sorted(maps.Keys(hashes)), err
}

// EndToken deletes a token and gives its hash: what opens goes first, the list's line after. NotFound when the user
// has none of this id.
func (s *Accounts) EndToken(ctx context.Context, u reader.UserID, id string) (hash string, err error) {
	var row tokenOfRow
	if err := s.t.Get(ctx, tokenOfKey(u, id), &row, table.Consistent()); err != nil {
		return "", notFoundAs(err, "token_not_found")
	}
	if err := s.t.Delete(ctx, tokenKey(row.Hash)); err != nil {
		return "", err
	}
	return row.Hash, s.t.Delete(ctx, tokenOfKey(u, id))
}
